// There is a way back from everywhere: the question before, with what was said.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  answering,
  BACK,
  BOOK,
  continuing,
  ids,
  type Script,
  SHIPMENT_ANSWERS,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { bodyOf, PROPOSALS, sent } from '../rig/service.ts';

const QUESTIONS = Object.keys(SHIPMENT_ANSWERS);

test('a person goes back from the last question to the first, and is offered at each what was said', async () => {
  const twice = Object.fromEntries(
    QUESTIONS.slice(0, -1).map(id => [id, [BOOK[id], BACK, BOOK[id]] as string[]]),
  );
  const ran = await answering(await createRig(), 'ship', {
    ...BOOK,
    ...twice,
    type: ['package', 'package'],
    'carrier.id': [BACK, 'EXP'],
  });
  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual([
    ...QUESTIONS,
    ...QUESTIONS.slice(0, -1).reverse(),
    ...QUESTIONS.slice(1),
    'review',
    'keep',
  ]);
  // Whether there is another one is asked anew.
  for (const question of ran.questions.slice(QUESTIONS.length + 1, 2 * QUESTIONS.length))
    if (!question.id.endsWith('[+]'))
      expect(question).toMatchObject(
        question.kind === 'text' && question.value !== undefined
          ? { value: BOOK[question.id] }
          : { defaultAnswer: BOOK[question.id] },
      );
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
});

test('back at the first question leaves the form, and each question says what it does', async () => {
  const rig = await createRig();
  const left = await answering(rig, 'ship', { key: BACK });
  expect(left).toMatchObject({ exitCode: 130, requests: [] });
  expect(left.stderr).toMatch(/left at the question.*nothing was sent/s);
  const ran = await answering(rig, 'ship', { ...BOOK, review: 'leave' });
  expect(ran.questions.map(({ esc }) => esc)).toEqual(['leave', ...QUESTIONS.map(() => 'back'), 'back']);
  // At a review that comes first there is nothing before it.
  const again = await answering(rig, `${continuing(ran)} --key ORDER-1`, { review: BACK });
  expect([again.exitCode, ids(again)]).toEqual([130, ['review']]);
  expect(continuing(again)).toBe(`${continuing(ran)} --key ORDER-1`);
});

const WAYS: [string, Script, RegExp, string[]][] = [
  [
    'from the fields of a second package it asks whether there is one, and No removes it',
    {
      'packages[+]': ['yes', 'no'],
      'packages[1].quantity': ['2', BACK],
      'packages[1].weight': BACK,
    },
    /^packages\[([+]|1)/,
    [...['packages[+]', 'packages[1].quantity', 'packages[1].weight', 'packages[1].quantity'], 'packages[+]'],
  ],
  [
    'from the review it is the last question, and after a change the line that was changed',
    {
      'carrier.id': ['EXP', 'EXP'],
      review: [BACK, 'category', BACK, BACK, 'submit'],
      category: ['sales', 'gift', 'sales', BACK],
    },
    /^(carrier|review|category)/,
    [
      ...['category', 'carrier.id', 'review', 'carrier.id', 'review'],
      ...['category', 'review', 'category', 'review', 'category', 'review'],
    ],
  ],
];

test.each(WAYS)('%s', async (_, script, watched, asks) => {
  const ran = await answering(await createRig(), 'ship', { ...BOOK, ...script });
  expect(ran.exitCode).toBe(0);
  expect(ids(ran).filter(id => watched.test(id))).toEqual(asks);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});
