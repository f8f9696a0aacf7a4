// On a terminal a person goes through the unknown bookings, one after the other.
import { expect, test } from 'vitest';
import type { Answer, Question } from '../../../src/prompts/question.ts';
import { errorOf } from '../../rig/service.ts';
import { type Doubtful, doubtful, orderFor } from '../../rig/settling.ts';

/** Answers one question after the other. */
async function walked(rig: Doubtful, answers: readonly (Answer | Error)[], argv = 'history resolve') {
  const left = [...answers];
  const ran = await rig.run(argv, {
    terminal: true,
    answers() {
      expect(left).not.toEqual([]);
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  expect(left).toEqual([]);
  return ran;
}

const messages = ({ questions }: { questions: readonly Question[] }) =>
  questions.filter(({ id }) => id === 'resolution').map(({ message }) => message);

async function three(): Promise<Doubtful> {
  const rig = await doubtful();
  for (const key of ['A', 'B', 'C']) await rig.unknown(key, { firstName: key });
  return rig;
}

test('history resolve without bookings asks about each, the oldest first, with what is known of it', async () => {
  const rig = await three();
  const shipment = await rig.shipment({ firstName: 'A' });
  const ran = await walked(rig, ['created', shipment, 'yes', 'rejected', 'yes', 'skip']);
  expect(messages(ran)).toEqual([
    '1 of 3: what became of ship A?',
    '2 of 3: what became of ship B?',
    '3 of 3: what became of ship C?',
  ]);
  const [question] = ran.questions;
  for (const known of [
    'Key A',
    /booking bk_\w{32}/,
    'To A Beispiel, Berlin, DE',
    'answered 500',
    /Sent \d+ \w+ \d\d:\d\d by .+@/,
    'Look it up: search the service for A Beispiel, Berlin, DE',
  ])
    expect(question?.hint).toMatch(known);
  const keys = question?.kind === 'choice' && question.choices.map(({ key }) => key);
  expect(keys).toEqual(['c', 'n', 's', 'q']);
  expect(ran.stdout).toBe('2 bookings were resolved: 1 created, 1 not created. 1 is left.\n');
  expect(await rig.shown('A')).toMatchObject({ state: 'created', shipmentIds: [shipment], carrier: 'EXP' });
  expect(await rig.shown('B')).toMatchObject({ state: 'rejected' });
  expect(await rig.shown('C')).toMatchObject({ state: 'unknown' });
});

test('history resolve does not record a shipment that is unknown, is of somebody else or is not the one, and asks again', async () => {
  const rig = await three();
  const berta = await rig.shipment({ firstName: 'Berta' });
  const anna = await rig.shipment({ firstName: 'A' });
  const ran = await walked(rig, [
    ...['created', 'gone', 'created', berta, 'created', anna, 'no'],
    ...['created', undefined, 'rejected', 'no', 'rejected', undefined, 'quit'],
  ]);
  expect(messages(ran)).toEqual(Array(7).fill('1 of 3: what became of ship A?'));
  expect(ran.stderr).toMatch(/404[\s\S]*goes to Berta Beispiel/);
  expect(ran.questions.at(-4)).toMatchObject({
    kind: 'confirm',
    message: expect.stringMatching(
      /^It was sent 0 min ago, .* Record that ship A was not created, and may be booked again\?$/,
    ),
  });
  expect(ran.stdout).toBe('0 bookings were resolved: 0 created, 0 not created. 3 are left.\n');
  expect(await rig.shown('A')).toMatchObject({ state: 'unknown', settlements: [] });
});

test('history resolve REF asks about that one, and is refused if it is not unknown', async () => {
  const rig = await three();
  const ran = await walked(rig, ['rejected', 'yes'], 'history resolve B');
  expect(messages(ran)).toEqual(['1 of 1: what became of ship B?']);
  expect(await rig.shown('B')).toMatchObject({ state: 'rejected' });
  expect(await walked(rig, [], 'history resolve A B')).toMatchObject({ exitCode: 2, questions: [] });
});

test('history resolve goes back to one that was skipped, and not to one that was settled', async () => {
  const rig = await three();
  const ran = await walked(rig, ['skip', 'rejected', 'yes', undefined, 'rejected', 'yes', 'skip']);
  expect(messages(ran).map(one => one.at(0))).toEqual(['1', '2', '3', '1', '3']);
});

test('history resolve that is left with Ctrl-C keeps what was settled, and counts it', async () => {
  const rig = await three();
  const ran = await walked(rig, ['rejected', 'yes', new Error('left')], 'history resolve --json');
  expect(ran.exitCode).toBe(130);
  expect(errorOf(ran).message).toBe('1 booking was resolved, 2 are left');
  expect(await rig.shown('A')).toMatchObject({ state: 'rejected' });
});

test('history resolve asks nothing without unknown bookings, and knows the shipment of a label', async () => {
  const rig = await doubtful();
  expect((await walked(rig, [])).stdout).toBe('No booking is unknown.\n');
  const shipment = (await rig.run('ship -f - -q', { stdin: orderFor() })).stdout.trim();
  await rig.failing(`label --international ${shipment}`);
  const { questions } = await walked(rig, ['quit']);
  expect(questions[0]?.hint).toContain(`Look it up: \`waybill track ${shipment}\``);
});
