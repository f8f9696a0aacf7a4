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
  test.each(sampled(QUESTIONS.map((id, index) => [id, index] as const).slice(1), 3))(
    '%s',
    async (id, index) => {
      const rig = await createRig();
      const before = QUESTIONS[index - 1] ?? '';
      const said = BOOK[before] as string;
      const ran = await answering(rig, 'ship', {
        ...BOOK,
        [before]: [said, said],
        [id]: [BACK, BOOK[id] as string],
      });

      expect(ran.exitCode).toBe(0);
      expect(ids(ran)).toEqual([
        ...QUESTIONS.slice(0, index),
        id,
        before,
        ...QUESTIONS.slice(index),
        'review',
        'keep',
      ]);
      expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
      expect(sent(ran)).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
      // Enter alone says again what was said; whether there is another one is asked anew.
      if (!before.endsWith('[+]')) expect(offered(ran.questions[index + 1])).toBe(said);
    },
  );
});

test('back at the first question leaves the form, and each question says what it does', async () => {
  const rig = await createRig();
  const left = await answering(rig, 'ship', { type: BACK });
  expect(left).toMatchObject({ exitCode: 130, requests: [] });
  expect(left.stderr).toContain('left at the question');
  expect(left.stderr).toContain('nothing was sent');
  const ran = await answering(rig, 'ship', BOOK);
  expect(ran.questions.map(({ esc }) => esc)).toEqual([
    'leave',
    ...QUESTIONS.slice(1).map(() => 'back'),
    'back',
    'leave',
  ]);
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

test('back at the review is the last question, and after a change the line that was changed', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    'carrier.id': ['EXP', 'EXP'],
    review: [BACK, 'category', BACK, BACK, 'submit'],
    category: ['sales', 'gift', 'sales', BACK],
  });
  expect(ran.exitCode).toBe(0);
  expect(ids(ran).slice(QUESTIONS.length - 1)).toEqual([
    ...['carrier.id', 'review', 'carrier.id', 'review'],
    ...['category', 'review', 'category', 'review', 'category', 'review', 'keep'],
  ]);
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('back at a review that came first leaves, and keeps the draft', async () => {
  const rig = await createRig();
  await answering(rig, 'ship', { ...BOOK, review: 'leave' });
  const ran = await answering(rig, 'ship --draft', { review: BACK });
  expect(ran.exitCode).toBe(130);
  expect(ids(ran)).toEqual(['review']);
  expect(ran.stderr.replace(/\s+/g, ' ')).toContain('`waybill ship --draft` continues it');
});
