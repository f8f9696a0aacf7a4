// Random sequences of what processes, persons and clocks do, in both journals, held against a model.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeBoth } from '../rig/postgres.ts';
import { Model } from './model.ts';
import {
  agrees,
  answer,
  ask,
  attempt,
  bookAgain,
  claim,
  die,
  type Effect,
  HOUR,
  look,
  ORDERS,
  pass,
  prune,
  renew,
  reopen,
  SECOND,
  Sequence,
  send,
  settle,
  take,
} from './model-acts.ts';
import { withWorld } from './model-world.ts';
import { SEED, SEQUENCES } from './size.ts';

type Act = (sequence: Sequence) => Promise<unknown>;

/** A command that does nothing if there is nothing to do, so that a shorter sequence stays one. */
class Doing implements fc.AsyncCommand<Model, Sequence> {
  private readonly words: string;
  private readonly act: Act;

  constructor(words: string, act: Act) {
    this.words = words;
    this.act = act;
  }

  check = () => true;

  async run(_: Model, sequence: Sequence): Promise<void> {
    await this.act(sequence);
    await agrees(sequence);
  }

  toString = () => this.words;
}

const slot = fc.nat({ max: 2 });
const pick = fc.nat({ max: 7 });
const order = fc.constantFrom(...ORDERS);
const effect = fc.constantFrom<Effect>(
  'created',
  'created',
  'created',
  'partial',
  'unknown',
  'rejected',
  'busy',
);
const LENGTHS = [20 * SECOND, 45 * SECOND, 61 * SECOND, 61 * SECOND, 2 * HOUR, 2 * HOUR, 25 * HOUR];

/** Each command as often as it is likely. */
export const COMMANDS: fc.Arbitrary<fc.AsyncCommand<Model, Sequence>>[] = [];

function command<T extends unknown[]>(
  weight: number,
  name: string,
  given: fc.Arbitrary<T>,
  act: (sequence: Sequence, ...given: T) => unknown,
): void {
  const made = given.map(
    all =>
      new Doing(`${name}(${all.map(one => JSON.stringify(one))})`, async sequence => act(sequence, ...all)),
  );
  for (let times = 0; times < weight; times += 1) COMMANDS.push(made);
}

/** Does something with one of several, if there is one. */
const withOne = <T>(all: readonly T[], nth: number, act: (one: T) => Promise<void>): unknown =>
  all.length > 0 && act(all[nth % all.length] as T);

command(7, 'claim', fc.tuple(slot, order), (s, by, what) => claim(s, s.process(by), what));
command(2, 'ask', fc.tuple(pick), (s, nth) => withOne(s.at('claimed', 'asked'), nth, one => ask(s, one)));
command(4, 'send', fc.tuple(pick, effect), (s, nth, how) =>
  withOne(s.at('asked'), nth, one => send(s, one, how)),
);
command(6, 'attempt', fc.tuple(pick, effect), (s, nth, how) =>
  withOne(s.at('claimed', 'asked'), nth, one => attempt(s, one, how)),
);
command(4, 'answer', fc.tuple(pick), (s, nth) => withOne(s.at('in flight'), nth, one => answer(s, one)));
command(
  8,
  'settle',
  fc.tuple(
    slot,
    pick,
    fc.constantFrom<'created' | 'rejected'>('rejected', 'rejected', 'rejected', 'created'),
  ),
  (s, by, nth, state) => {
    const reader = s.process(by);
    return withOne(s.settleable(reader, nth === 7), nth, one => settle(s, one, reader, state));
  },
);
command(4, 'reopen', fc.tuple(slot, pick), (s, by, nth) =>
  withOne(s.settled(nth === 7), nth, one => settle(s, one, s.process(by), 'reopened')),
);
command(2, 'cancel', fc.tuple(slot, pick), (s, by, nth) => {
  const made = s.model.entries.filter(({ shipment }) => shipment !== null);
  return withOne(nth === 7 ? s.model.entries : made, nth, one => settle(s, one, s.process(by), 'cancelled'));
});
command(1, 'take the shipment of another', fc.tuple(slot, pick, pick), (s, by, nth, other) => {
  const reader = s.process(by);
  const made = s.model.entries.filter(({ shipment }) => shipment !== null);
  return withOne(s.settleable(reader, false), nth, one =>
    settle(s, one, reader, 'created', made[other % Math.max(made.length, 1)]),
  );
});
command(5, 'pass', fc.tuple(fc.constantFrom(...LENGTHS, -61 * SECOND, -2 * HOUR)), pass);
const AHEAD = [-2 * HOUR, -61 * SECOND, 0, 61 * SECOND, 2 * HOUR];
command(2, 'clock', fc.tuple(slot, fc.constantFrom(...AHEAD)), (s, by, ms) => {
  s.process(by).ahead = ms;
});
command(3, 'look', fc.tuple(slot), (s, by) => look(s, s.process(by)));
command(1, 'die', fc.tuple(slot), die);
command(1, 'renew', fc.tuple(slot), (s, by) => renew(s, s.process(by)));
command(1, 'open again', fc.tuple(slot), (s, by) => reopen(s, s.process(by)));
command(1, 'prune', fc.tuple(slot, fc.constantFrom(0, HOUR, 24 * HOUR)), (s, by, age) =>
  prune(s, s.process(by), age),
);
command(2, 'bookAgain', fc.tuple(pick, slot), (s, nth, by) =>
  withOne(s.at('asked', 'in flight'), nth, one => bookAgain(s, one, s.process(by))),
);
const STATES = ['created', 'unknown', 'rejected'] as const;
command(
  1,
  'import',
  fc.tuple(slot, fc.constantFrom(...ORDERS.slice(0, 2)), fc.constantFrom(...STATES)),
  (s, by, what, state) => take(s, s.process(by), what, state),
);

describeBoth('A journal', kind => {
  const numRuns = SEQUENCES[kind];
  test(`says in ${numRuns} sequences what the model says (TORTURE_SEED=${SEED})`, async () => {
    let commands = 0;
    await withWorld(kind, world =>
      fc.assert(
        fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40, size: 'max' }), async sequence => {
          const model = new Model(kind);
          const real = new Sequence(model, world);
          await world.begin(model, real.processes);
          await fc.asyncModelRun(() => ({ model, real }), sequence);
          commands += 1;
        }),
        { numRuns },
      ),
    );
    expect(commands).toBeGreaterThanOrEqual(numRuns);
  });
});
