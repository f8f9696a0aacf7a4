// Random sequences of what processes, persons, the service and clocks do, in both journals, held against a model.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Booking,
  HOLDING_STATES,
  type Intent,
  LEASE_MS,
  NO_RESPONSE,
  type Outcome,
  SETTLED_AS,
  type Settlement,
} from '../../src/booking/booking.ts';
import { ClaimLost } from '../../src/booking/questions.ts';
import { ended, label, SCOPE, SHIPPED, settled, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { type Entry, Model, type Order, type Process, type Said } from './model.ts';
import { type World, withWorld } from './model-world.ts';
import { SEED, SEQUENCES } from './size.ts';

/** What the service does with a request; `busy`: it may be sent again. `unknown`: no answer comes, and it is made. */
type Effect = 'created' | 'partial' | 'unknown' | 'rejected' | 'busy';

/** A booking as its process and the service know it. */
interface Sending {
  entry: Entry;
  step: 'claimed' | 'asked' | 'in flight' | 'over';
  maySend: () => boolean;
  /** Was the journal asked before, since it was opened? */
  isAttempted: boolean;
  /** When the claim was last confirmed, by both clocks of its process. */
  confirmed: { wall: number; steady: number };
  answer: Exclude<Effect, 'busy'>;
  /** The shipment that was made, and whether a person said since that there is none. */
  made?: string;
  isDenied: boolean;
}

/** The journal, its model, and those who use it. */
class Sequence {
  readonly sendings: Sending[] = [];
  readonly processes: Process[] = [
    { number: 1, space: 'here', gone: false, ahead: 0 },
    { number: 2, space: 'here', gone: false, ahead: 0 },
    { number: 3, gone: false, ahead: 0 },
  ];
  imports = 0;
  /** The time that passed, in ms. */
  elapsed = 0;
  readonly model: Model;
  readonly world: World;

  constructor(model: Model, world: World) {
    this.model = model;
    this.world = world;
  }

  process = (slot: number): Process => this.processes[slot % this.processes.length] as Process;

  /** The bookings of running processes at one of these steps. */
  at = (...steps: Sending['step'][]): Sending[] =>
    this.sendings.filter(({ entry, step }) => !entry.by.gone && steps.includes(step));

  /** What a person may want to settle: mostly what is unknown to that process. */
  settleable(reader: Process, all: boolean): Entry[] {
    const { entries } = this.model;
    const isUnknown = (entry: Entry) => entry.state === 'unknown' || this.model.isLost(entry, reader);
    return all ? entries : entries.filter(isUnknown);
  }

  /** What a person may want to take back. */
  settled = (all: boolean): Entry[] =>
    this.model.entries.filter(({ before, state }) => all || before !== undefined || state === 'cancelled');

  clocks = ({ ahead }: Process) => ({ wall: this.model.now + ahead, steady: this.elapsed });

  /** The ms since the claim was confirmed. */
  since({ entry, confirmed }: Sending): number {
    const { wall, steady } = this.clocks(entry.by);
    return Math.max(Math.abs(wall - confirmed.wall), steady - confirmed.steady);
  }
}

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;
/** A shared journal that confirmed a claim is not asked about it for so long. */
const CONFIRMED_MS = SECOND;

const ORDERS: readonly Order[] = [
  { kind: 'key', name: 'K' },
  { kind: 'input', name: 'I' },
  { kind: 'label', name: 'L' },
];

const intentOf = ({ kind, name }: Order): Intent =>
  kind === 'label'
    ? label([name], { request: { international: name } })
    : ship(kind === 'key' ? { key: name, fingerprint: `of ${name}` } : { fingerprint: name });

/** An outcome as `book` records it. */
function outcomeOf({ kind }: Order, state: Outcome['state'], shipment: string | null): Outcome {
  const isMade = shipment !== null && (state === 'created' || state === 'partial');
  if (kind !== 'label') return ended(state, { ids: isMade ? { shipment } : {} });
  const made = { international: { made: true, trackingNumber: String(shipment) } };
  // The answer to a label names no shipment.
  return ended(state, { ids: {}, labels: isMade ? made : {} });
}

/** The ids in the row of a booking that made this, if anything. */
const idsIn = ({ kind }: Order, shipment: string | null): string[] =>
  kind === 'label' || shipment === null ? [] : [shipment];

/** Compares the rows, which nothing reads as a user would. */
async function agrees({ model, world, sendings, processes }: Sequence): Promise<void> {
  const rows = await world.rows();
  // A read, or another booking, may have made it unknown.
  for (const [index, entry] of model.entries.entries()) {
    const isSeen = rows[index]?.state === 'unknown' && entry.state === 'pending';
    if (isSeen && processes.some(process => model.isLost(entry, process))) entry.state = 'unknown';
  }
  const said = rows.map(({ id, state, ids, key_holder, said }) => ({
    ...{ id, state, ids: Object.values(JSON.parse(ids)), keyHolder: key_holder },
    settlements: (said?.split(',') ?? []).map(kind => SETTLED_AS[kind as Settlement['kind']]),
  }));
  const wanted = model.entries.map(({ id, state, order, shipment, keyHolder, settlements }) => ({
    ...{ id, state, ids: idsIn(order, shipment), keyHolder },
    settlements,
  }));
  assert.deepEqual(said, wanted);
  for (const { entry, step, made } of sendings)
    if (step === 'in flight' && made !== undefined && entry.settlements.length === 0)
      assert(entry.state === 'pending' || entry.state === 'unknown', `${entry.id} may exist`);
}

async function claim(sequence: Sequence, process: Process, order: Order): Promise<void> {
  const { model, world, sendings } = sequence;
  const claim = await (await world.journalOf(process)).claim(intentOf(order));
  const obstacle = model.obstacle(order, process);
  if (claim.kind === 'claimed') {
    assert.equal(obstacle, undefined, `${order.name} is held`);
    const entry = model.add(claim.booking.id, order, process, 'pending');
    const confirmed = sequence.clocks(process);
    const none = { maySend: () => false, isAttempted: false, isDenied: false };
    sendings.push({ entry, step: 'claimed', answer: 'unknown', confirmed, ...none });
    return;
  }
  assert.equal(claim.kind, order.kind === 'input' ? 'twin' : 'taken');
  const { id, state } = claim.booking;
  assert(model.answersFor(id, order, process), `${order.name} is held by ${obstacle?.id}, not ${id}`);
  assert.equal(state, model.entries.find(entry => entry.id === id)?.state);
}

/** As `book` does: a lost claim is recorded as not sent. */
async function ask(sequence: Sequence, sending: Sending): Promise<void> {
  const { model, world } = sequence;
  const { entry } = sending;
  const journal = await world.journalOf(entry.by);
  // A journal of this machine is asked in the moment of the first attempt. A shared one is not asked again at once, and
  // renews the lease with the question.
  const isAsked = model.kind === 'local' ? sending.isAttempted : sequence.since(sending) > CONFIRMED_MS;
  sending.isAttempted = true;
  const isOurs = model.maySend(entry);
  try {
    sending.maySend = await journal.fence(entry.id);
  } catch (error) {
    assert(error instanceof ClaimLost, error as Error);
    assert(!isOurs, 'a claim that is ours is said to be lost');
    sending.step = 'over';
    const why = { state: 'not_sent', code: 'unavailable', why: 'it was lost' } as const;
    await journal.recordOutcome(entry.id, { ...NO_RESPONSE, ...why });
    return model.record(entry, 'not_sent', null);
  }
  assert(isOurs || !isAsked, 'a claim that was taken may be sent');
  sending.step = 'asked';
  if (model.kind === 'local' || !isAsked) return;
  model.renew(entry);
  sending.confirmed = sequence.clocks(entry.by);
}

async function send(sequence: Sequence, sending: Sending, effect: Effect): Promise<void> {
  const { entry } = sending;
  const { kind } = sequence.model;
  const isAllowed = sending.maySend();
  if (kind === 'local')
    assert.equal(isAllowed, sequence.model.maySend(entry), 'asked in the moment of sending');
  else assert.equal(isAllowed, sequence.since(sending) < LEASE_MS / 2, 'in time');
  if (isAllowed) assert.equal(entry.state, 'pending', 'a claim that was taken is sent');
  if (!isAllowed || effect === 'busy') {
    sending.step = 'claimed';
    return;
  }
  Object.assign(sending, { step: 'in flight', answer: effect });
  if (effect === 'rejected') return;
  const existing = sequence.sendings.filter(one => {
    const { order, keyHolder } = one.entry;
    // An answer that came since a shared journal was asked: its booking says that both exist.
    const isTold = kind === 'shared' && keyHolder === entry.id;
    return order === entry.order && one.made !== undefined && isStanding(sequence, one) && !isTold;
  });
  assert.deepEqual(
    existing.map(one => one.made),
    [],
    `${entry.order.name} is booked twice`,
  );
  sending.made = `S-${sequence.sendings.indexOf(sending) + 1}`;
}

/** Does it prevent another one? An input is booked again after a day. */
const isStanding = ({ model }: Sequence, { entry, isDenied }: Sending): boolean =>
  !isDenied && (entry.order.kind !== 'input' || entry.at > model.now - 12 * HOUR);

async function answer({ model, world }: Sequence, sending: Sending): Promise<void> {
  const { entry, answer: state, made = null } = sending;
  const shipment = state === 'created' || state === 'partial' ? made : null;
  const wasOpen = entry.state === 'pending' || entry.state === 'unknown';
  const owner = model.otherOwner(entry, shipment);
  const journal = await world.journalOf(entry.by);
  const late = await journal.recordOutcome(entry.id, {
    ...outcomeOf(entry.order, state, shipment),
    answer: JSON.stringify({ made }),
  });
  model.record(entry, state, shipment);
  sending.step = 'over';
  if (shipment !== null) sending.isDenied = false;
  if (wasOpen) assert.equal(late && 'owner' in late ? late.owner.id : undefined, owner?.id);
  else assert.equal(late?.booking.state, entry.state, 'a late answer is not told');
}

/** `taking`: a person names the shipment of that booking. */
async function settle(
  { model, world, sendings }: Sequence,
  entry: Entry,
  reader: Process,
  said: Said,
  taking?: Entry,
): Promise<void> {
  const journal = await world.journalOf(reader);
  // As `history resolve` does, which makes a lost booking unknown.
  assert.equal((await journal.byId(entry.id))?.state, model.read(entry, reader).state);
  const sending = sendings.find(one => one.entry === entry);
  const found = taking?.shipment ?? sending?.made ?? `S-of-${entry.id}`;
  const shipment = said === 'created' ? found : null;
  const { ids, labels } = outcomeOf(
    entry.order,
    said === 'created' || said === 'rejected' ? said : 'unknown',
    shipment,
  );
  const told = async () => (await world.rows()).find(({ id }) => id === entry.id)?.told;
  const before = await told();
  const obstacles = await journal.settle([settled(entry.id, said, ids, { labels })]);
  const obstacle = model.obstacleToSettling(entry, said, shipment);
  assert.deepEqual(
    obstacles.map(({ kind }) => kind),
    obstacle === undefined ? [] : [obstacle],
  );
  if (obstacle !== undefined) return;
  assert.equal(await told(), before, 'a settlement replaced what the service told');
  if (said === 'cancelled') return model.cancel(entry);
  if (said === 'reopened') model.reopen(entry);
  else model.settle(entry, said, shipment);
  if (sending) sending.isDenied = said === 'rejected';
}

/** As a user looks: every unknown is listed, and what holds an order answers for it. */
async function look({ model, world }: Sequence, reader: Process): Promise<void> {
  const journal = await world.journalOf(reader);
  const ours = ({ address }: Booking) => address === SCOPE.address;
  const listed = (await journal.list({})).filter(ours);
  const wanted = model.entries.map(entry => model.read(entry, reader)).reverse();
  const words = (all: readonly Pick<Booking, 'id' | 'state'>[]) =>
    all.map(({ id, state }) => `${id} ${state}`);
  assert.deepEqual(words(listed), words(wanted));
  const unknown = await journal.list({ states: ['unknown'] });
  assert.deepEqual(words(unknown), words(wanted.filter(({ state }) => state === 'unknown')));
  for (const order of ORDERS) {
    const obstacle = await journal.obstacle(intentOf(order));
    assert(model.answersFor(obstacle?.booking.id, order, reader), `${order.name} is answered for by another`);
  }
}

async function take(
  sequence: Sequence,
  process: Process,
  order: Order,
  state: 'created' | 'unknown' | 'rejected',
): Promise<void> {
  const { model, world } = sequence;
  sequence.imports += 1;
  const id = `bk_of_another_machine_${sequence.imports}`;
  const at = model.clock(process);
  const shipment = state === 'created' ? id : null;
  const booking: Booking = {
    ...SHIPPED,
    ...outcomeOf(order, state, shipment),
    ...SCOPE,
    id,
    state,
    at,
    settledAt: at,
    request: null,
    orderFingerprint: null,
    key: order.kind === 'key' ? order.name : null,
    fingerprint: intentOf(order).fingerprint,
  };
  const holder = model.of(order).find(entry => order.kind === 'key' && isHolding(entry));
  const journal = await world.journalOf(process);
  const importIt = () => journal.importBookings([{ booking, labels: [] }]);
  const isHeld = holder !== undefined && HOLDING_STATES.includes(state);
  const held = { kind: 'held', by: holder?.id };
  assert.deepEqual(await importIt(), [isHeld ? held : { kind: 'imported' }]);
  if (isHeld) return;
  assert.deepEqual(await importIt(), [{ kind: 'known' }]);
  model.add(id, order, process, state, shipment);
}

const isHolding = ({ state, keyHolder }: Entry): boolean =>
  keyHolder === null && HOLDING_STATES.includes(state);

/** A clock that is set back takes no time. */
async function pass(sequence: Sequence, ms: number): Promise<void> {
  sequence.model.now += ms;
  sequence.elapsed += Math.max(ms, 0);
  await sequence.world.clockChanged(Math.max(ms, 0));
}

function die(sequence: Sequence, slot: number): void {
  const { processes, model } = sequence;
  const process = sequence.process(slot);
  process.gone = true;
  for (const entry of model.entries) if (entry.by === process) entry.isRenewed = false;
  processes[slot] = { ...process, gone: false, number: process.number + processes.length };
}

async function renew({ model, world }: Sequence, process: Process): Promise<void> {
  await world.renew(process);
  for (const entry of model.entries) if (entry.by === process && entry.isRenewed) model.renew(entry);
}

/** A process that lost its journal and opens it again renews nothing, and has to ask. */
async function reopen({ world, sendings }: Sequence, process: Process): Promise<void> {
  await world.reopen(process);
  for (const sending of sendings) {
    if (sending.entry.by !== process) continue;
    sending.entry.isRenewed = false;
    sending.confirmed = { wall: Number.NEGATIVE_INFINITY, steady: 0 };
    sending.isAttempted = false;
    if (sending.step === 'asked') sending.step = 'claimed';
  }
}

async function prune(sequence: Sequence, process: Process, age: number): Promise<void> {
  const { model, world } = sequence;
  // The shipments of a late label are in its request: an answer does not come so late.
  if (sequence.at('claimed', 'asked', 'in flight').length > 0) return;
  const before = model.clock(process) - age;
  await (await world.journalOf(process)).prune(before);
  for (const entry of model.entries)
    if (entry.at < before && entry.state !== 'pending' && entry.state !== 'unknown') entry.isPruned = true;
}

/** A person gives a booking up: it is lost, is settled as not created, and another process books the same. */
async function bookAgain(sequence: Sequence, { entry }: Sending, process: Process): Promise<void> {
  await pass(sequence, 2 * HOUR);
  await settle(sequence, entry, process, 'rejected');
  await agrees(sequence);
  await claim(sequence, process, entry.order);
  await agrees(sequence);
  const claimed = sequence.at('claimed').findLast(one => one.entry.order === entry.order);
  if (claimed) await attempt(sequence, claimed, 'created');
}

/** As `Client.call` does: asked, and then sent at once. */
async function attempt(sequence: Sequence, sending: Sending, effect: Effect): Promise<void> {
  await ask(sequence, sending);
  if (sending.step === 'asked') await send(sequence, sending, effect);
}

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
const COMMANDS: fc.Arbitrary<fc.AsyncCommand<Model, Sequence>>[] = [];

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
