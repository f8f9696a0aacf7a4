// On a terminal a person goes through the unknown bookings, one after the other.
import { expect, test } from 'vitest';
import type { Answer, Question } from '../../../src/prompts/question.ts';
import { describeBoth } from '../../rig/postgres.ts';
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

async function three(options = {}): Promise<Doubtful> {
  const rig = await doubtful(options);
  for (const key of ['A', 'B', 'C']) await rig.unknown(key, { firstName: key });
  return rig;
}

describeBoth('history resolve without bookings', journal => {
  test('asks about each, the oldest first, and says how many were settled and left', async () => {
    const rig = await three({ journal });
    const shipment = await rig.shipment({ firstName: 'A' });
    const ran = await walked(rig, ['created', shipment, 'yes', 'rejected', 'yes', 'skip']);
    expect(messages(ran)).toEqual([
      '1 of 3: what became of ship A?',
      '2 of 3: what became of ship B?',
      '3 of 3: what became of ship C?',
    ]);
    expect(ran.stdout).toBe('2 bookings were resolved: 1 created, 1 not created. 1 is left.\n');
    expect(await rig.shown('A')).toMatchObject({ state: 'created', shipmentIds: [shipment], carrier: 'EXP' });
    expect(await rig.shown('B')).toMatchObject({ state: 'rejected' });
    expect(await rig.shown('C')).toMatchObject({ state: 'unknown' });
  });

  test('shows what is known and how to look it up, with a key for each answer', async () => {
    const rig = await three({ journal });
    const { questions } = await walked(rig, ['quit']);
    const hint = questions[0]?.hint ?? '';
    for (const known of [
      'Key A',
      /booking bk_\w{32}/,
      'To A Beispiel, Berlin, DE',
      'answered 500',
      /Sent \d+ \w+ \d\d:\d\d by .+@/,
    ])
      expect(hint).toMatch(known);
    expect(hint).toMatch(/Look it up: search the service for A Beispiel, Berlin, DE/);
    const [question] = questions;
    expect(question?.kind === 'choice' && question.choices.map(({ key }) => key)).toEqual([
      'c',
      'n',
      's',
      'q',
    ]);
  });

  test('does not record a shipment that is unknown, is of somebody else or is not the one, and asks again', async () => {
    const rig = await three({ journal });
    const berta = await rig.shipment({ firstName: 'Berta' });
    const anna = await rig.shipment({ firstName: 'A' });
    const ran = await walked(rig, [
      ...['created', 'gone', 'created', berta, 'created', anna, 'no'],
      ...['created', undefined, 'quit'],
    ]);
    expect(messages(ran)).toEqual(Array(5).fill('1 of 3: what became of ship A?'));
    expect(ran.stderr).toMatch(/404[\s\S]*goes to Berta Beispiel/);
    expect(ran.stdout).toBe('0 bookings were resolved: 0 created, 0 not created. 3 are left.\n');
    expect(await rig.shown('A')).toMatchObject({ state: 'unknown', settlements: [] });
  });
});

test('history resolve asks before it records that a booking was not created, and a no records nothing', async () => {
  const rig = await three();
  const ran = await walked(rig, ['rejected', 'no', 'rejected', undefined, 'quit']);
  expect(ran.questions[1]).toMatchObject({
    kind: 'confirm',
    message: expect.stringMatching(
      /^It was sent 0 min ago, .* Record that ship A was not created, and may be booked again\?$/,
    ),
  });
  expect(messages(ran)).toEqual(Array(3).fill('1 of 3: what became of ship A?'));
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

test('history resolve knows the shipment of a label, and the command that shows it', async () => {
  const rig = await doubtful();
  const shipment = (await rig.run('ship -f - -q', { stdin: orderFor() })).stdout.trim();
  await rig.failing(`label --international ${shipment}`);
  const { questions } = await walked(rig, ['quit']);
  expect(questions[0]?.hint).toContain(`Look it up: \`waybill track ${shipment}\``);
});

test('history resolve without unknown bookings asks nothing', async () => {
  const rig = await doubtful();
  expect((await walked(rig, [])).stdout).toBe('No booking is unknown.\n');
});

test('history resolve without a terminal is exit 2, with the forms of the command', async () => {
  const rig = await three();
  const ran = await rig.run('history resolve --json');
  expect([ran.exitCode, errorOf(ran).message]).toEqual([
    2,
    expect.stringMatching(/REF\.\.\. --not-created.*--file FILE/),
  ]);
});
