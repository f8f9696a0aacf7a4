// There is a way back from everywhere: the question before, with what was said.
import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/prompts/question.ts';
import { createRig } from '../rig/command.ts';
import { answering, BACK, BOOK, ids, SHIPMENT_ANSWERS, SHIPMENT_BODY } from '../rig/person.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, PROPOSALS, sent } from '../rig/service.ts';
import { sampled } from '../torture/size.ts';

const QUESTIONS = Object.keys(SHIPMENT_ANSWERS);

const offered = (question: Question | undefined): unknown =>
  question && 'defaultAnswer' in question ? question.defaultAnswer : undefined;

describe('back, at', () => {
  test.each(
    sampled(
      QUESTIONS.map((id, index) => [id, index] as const),
      3,
    ),
  )('%s', async (id, index) => {
    const rig = await createRig();
    const before = QUESTIONS[index - 1];
    const said = before === undefined ? undefined : (BOOK[before] as string);
    const ran = await answering(rig, 'ship', {
      ...BOOK,
      ...(before !== undefined && { [before]: [said as string, said as string] }),
      [id]: [BACK, BOOK[id] as string],
    });

    expect(ran.exitCode).toBe(0);
    const round = before === undefined ? [id] : [id, before];
    expect(ids(ran)).toEqual([
      ...QUESTIONS.slice(0, index),
      ...round,
      ...QUESTIONS.slice(index),
      'review',
      'keep',
    ]);
    expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
    expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
    // Enter alone says again what was said; whether there is another one is asked anew.
    if (before !== undefined && !before.endsWith('[+]')) expect(offered(ran.questions[index + 1])).toBe(said);
  });
});

test('it is possible to go back to the first question and forward again', async () => {
  const rig = await createRig();
  const twice = Object.fromEntries(
    QUESTIONS.slice(0, -1).map(id => [id, [BOOK[id], BACK, BOOK[id]] as string[]]),
  );
  const ran = await answering(rig, 'ship', {
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
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('back from the fields of a second package asks whether there is one, and No removes it', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    'packages[+]': ['yes', 'no'],
    'packages[1].quantity': ['2', BACK],
    'packages[1].weight': BACK,
  });
  expect(ran.exitCode).toBe(0);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('back from typing a sender leads to the saved parties', async () => {
  const rig = await shopRig({ parties: { home: SHIPMENT_BODY.sender } });
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    sender: ['', 'home'],
    'sender.firstName': BACK,
    receiver: '',
  });
  expect(ran.exitCode).toBe(0);
  expect(ids(ran).filter(id => id.startsWith('sender'))).toEqual(['sender', 'sender.firstName', 'sender']);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('back from a question of an edit changes nothing', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    review: ['receiver', 'items', 'category', 'submit'],
    receiver: ['receiver.address.city', BACK],
    'receiver.address.city': ['Dresden', BACK],
    items: ['add'],
    'items[1].description': BACK,
    category: ['sales', BACK],
  });
  expect(ran.exitCode).toBe(0);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('back at the review shows it again, and nothing is lost', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', { ...BOOK, review: [BACK, BACK, 'submit'] });
  expect(ran.exitCode).toBe(0);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});
