// Journals in SQLite and PostgreSQL with a clock and processes that the test controls, and bookings in them.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Booking,
  type Holder,
  type Intent,
  LEASE_MS,
  type LegShipment,
  type NewSettlement,
  NOTHING_MADE,
  type Outcome,
  type Settlement,
} from '../../src/booking/booking.ts';
import type { BookingWithLabels, Claim } from '../../src/booking/questions.ts';
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import { openStore } from '../../src/host/sqlite.ts';
import type { Database } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import type { PostgresSettings } from '../../src/journal/postgres/connection.ts';
import { openPostgres } from '../../src/journal/postgres/database.ts';
import { openSqlite } from '../../src/journal/sqlite/database.ts';
import type { Opening } from '../../src/journal/tables.ts';
import { Json } from '../../src/json.ts';
import { isOnThisMachine, shownAddress } from '../../src/profile/target.ts';
import { onThisMachine, type Ran, type Rig, type RunOptions } from './command.ts';
import type { JournalKind } from './postgres.ts';
import { temporaryFolder } from './profile.ts';

export const NOON = Date.parse('2026-03-02T12:00:00Z');
export const SCOPE = { address: 'https://service.example', account: '' };

/** A host for a journal of this machine, whose leases are not renewed. */
export const localHost = (now: () => number) => ({
  now,
  monotonic: () => performance.now(),
  turn: async () => {},
  deadline(ms: number, late: () => void) {
    // A pause of a few ms, and not a lease.
    if (ms < 1000) setImmediate(late);
    return () => {};
  },
});

export interface JournalRig {
  journal: Journal;
  /** Its file, or its address. */
  where: string;
  /** The same journal, opened as another process. */
  other(process: number): Promise<Journal>;
  /** Advances the clock. */
  later(ms: number): Promise<void>;
  /** Ends the process in a way that the journal can detect. */
  dies(process: number): Promise<void>;
  /** Changes the database, as another version of waybill may. */
  alter(statement: string): Promise<void>;
}

/** A new journal with a clock and processes that the test controls. */
export async function journalRig(kind: JournalKind = 'local'): Promise<JournalRig> {
  const { open, ...place } = kind === 'local' ? localPlace() : await placeInPostgres();
  const other = async (process: number) => closedInTheEnd(await open({ host: 'here', process, start: '1' }));
  return { journal: await other(1), other, ...place };
}

/** The test need not close it. Its place is removed later, because the last registered function runs first. */
function closedInTheEnd(database: Database): Journal {
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= database.close());
  onTestFinished(close);
  return new Journal({ ...database, close });
}

type Place = Omit<JournalRig, 'journal' | 'other'> & { open(own: Holder): Promise<Database> };

function localPlace(): Place {
  const folder = temporaryFolder();
  const clock = { now: NOON };
  const gone = new Set<number>();
  // That a process runs cannot be told here: its lease counts, as in a shared journal.
  const isAlive = ({ process }: Holder) => (gone.has(process) ? false : undefined);
  const host = localHost(() => clock.now);
  const where = join(folder, 'state', 'journal.db');
  return {
    where,
    open: own => openSqlite(where, { own, isAlive }, host),
    later: async ms => {
      clock.now += ms;
    },
    dies: async process => void gone.add(process),
    async alter(statement) {
      const store = await openStore(where, { durability: 'normal' });
      store.run(statement);
      store.close();
    },
  };
}

/** Whether a process of another machine runs: only its lease tells. */
const cannotTell = (): undefined => {};

async function placeInPostgres(): Promise<Place> {
  const { emptiedPlace } = await import('./postgres.ts');
  const { address, age, ask } = await emptiedPlace();
  return {
    where: address,
    open: own => openPostgres(settingsFor(address), { own, isAlive: cannotTell }, sharedHost(), LEASE_MS),
    later: age,
    // Only the lease shows that a process of another machine has ended.
    dies: () => age(LEASE_MS),
    alter: async statement => void (await ask(statement)),
  };
}

export function settingsFor(address: string): PostgresSettings {
  const url = new URL(address);
  return { url, journalName: shownAddress(url), isHere: isOnThisMachine(url), name: 'waybill test' };
}

/** A host for a shared journal, with real deadlines, as long as this machine needs, and short pauses. */
export const sharedHost = (now = NOON) => ({
  turn: () => new Promise<void>(resolve => setImmediate(resolve)),
  now: () => now,
  monotonic: () => performance.now(),
  sleep: (ms: number) => new Promise<void>(resolve => setTimeout(resolve, Math.min(ms, 10))),
  deadline(ms: number, late: () => void) {
    const timer = setTimeout(late, onThisMachine(ms));
    return () => clearTimeout(timer);
  },
});

/** The parts of an intent that a test gives; the request as its value. */
export type Given = Partial<Omit<Intent, 'request'>> & { request?: unknown };

export const intentOf = (operation: Operation, { request = {}, ...more }: Given = {}): Intent => ({
  scope: SCOPE,
  operation: operation.command,
  keySpace: operation.keySpace ?? operation.command,
  key: null,
  fingerprint: 'one',
  orderFingerprint: null,
  source: null,
  orderNumber: null,
  recordName: null,
  request: new Json(request),
  profile: null,
  sandbox: false,
  ...{ run: null, actor: null, maxPrice: null, rule: null, choice: null, expected: null },
  labels: [],
  perDay: [],
  allowDuplicate: false,
  refusesSameOrder: false,
  ...more,
});

/** An outcome; if `created`, of the shipment S-1. */
export const ended = (state: Outcome['state'], more: Partial<Outcome> = {}): Outcome => ({
  state,
  code: state === 'created' ? null : state === 'unknown' ? 'outcome_unknown' : 'rejected',
  why: state === 'created' ? '' : 'it was so',
  httpStatus: state === 'created' ? 201 : null,
  answer: null,
  ids: state === 'created' ? { shipment: 'S-1' } : {},
  labels: {},
  overPrice: null,
  charged: null,
  ...more,
});

/** What a person says about a booking, in the words of outputs. */
const KINDS = {
  created: 'confirmed',
  rejected: 'denied',
  reopened: 'reopened',
  accepted: 'accepted',
  cancelled: 'cancelled',
} as const;

type SettledAs = keyof typeof KINDS;

/** What a person says about a booking. */
export const settled = (
  id: string,
  state: SettledAs,
  ids: NewSettlement['ids'] = {},
  more: Partial<NewSettlement> = {},
): NewSettlement => ({
  ...{
    id,
    kind: KINDS[state],
    ids,
    labels: {},
    overPrice: null,
    charged: null,
    by: 'anna@desk',
    reason: null,
    run: 'night 7',
  },
  mayBeEarly: true,
  ...more,
});

/** A person says that; gives what prevents it. */
export const settle = (journal: Journal, ...said: Parameters<typeof settled>) =>
  journal.settle([settled(...said)]);

/** The intent of a shipment. */
export const ship = (more: Given = {}) => intentOf(OPERATIONS.createShipment, more);
/** The intent of labels. */
export const label = (shipments: string[], more: Given = {}) =>
  intentOf(OPERATIONS.createLabels, {
    labels: shipments.map(shipment => ({ leg: 'international', shipment })),
    fingerprint: shipments.join(),
    ...more,
  });

/** A shipment, which is an international one unless it is said. */
export const ofLeg = (shipment: string, of: LegShipment['leg'] = 'international'): LegShipment => ({
  leg: of,
  shipment,
});

/** `claimed`, `taken` or `twin`. */
export const kindOf = async (claim: Promise<{ kind: string } | undefined>) => (await claim)?.kind;

export async function claimed(journal: Journal, intent: Intent): Promise<string> {
  const claim: Claim = await journal.claim(intent);
  if (claim.kind !== 'claimed') throw new Error(`there is a ${claim.kind}`);
  return claim.booking.id;
}

export async function booked(
  journal: Journal,
  intent: Intent,
  state: Outcome['state'] = 'created',
  more: Partial<Outcome> = {},
): Promise<string> {
  const id = await claimed(journal, intent);
  await journal.recordOutcome(id, ended(state, more));
  return id;
}

interface Open extends Opening {
  host?: ReturnType<typeof sharedHost>;
  patience?: number;
  process?: number;
}

/** The journal at that address, opened as its own process. */
export async function open(
  address: string,
  { host = sharedHost(), patience = LEASE_MS, process = 1, ...opening }: Open = {},
): Promise<Journal> {
  const own = { host: 'here', process, start: '1' };
  return closedInTheEnd(
    await openPostgres(settingsFor(address), { own, isAlive: cannotTell }, host, patience, opening),
  );
}

/** A shared journal that is opened behind a relay. */
export async function sharedRig(opening: Open = {}) {
  const { relayTo, sharedPlace } = await import('./postgres.ts');
  const place = await sharedPlace();
  const relay = await relayTo(place.address);
  return { place, relay, journal: await open(relay.address, opening) };
}

/** A host whose deadlines end when the test says so. */
export function patientHost() {
  const deadlines: { ms: number; late(): unknown }[] = [];
  const deadline = (ms: number, late: () => unknown) => {
    const one = { ms, late };
    deadlines.push(one);
    return () => void (deadlines.includes(one) && deadlines.splice(deadlines.indexOf(one), 1));
  };
  return { host: { ...sharedHost(), deadline }, deadlines };
}

/** The process that booked, as this version records it. */
export const ANNA: Holder = { host: 'desk', process: 7, start: '1', user: 'anna', version: '9.9.9' };

/** What most bookings have. */
export const SHIPPED = {
  account: '',
  operation: 'ship',
  keySpace: 'shipment',
  fingerprint: 'f',
  orderFingerprint: null,
  source: null,
  orderNumber: null,
  recordName: null,
  profile: null,
  sandbox: false,
  run: null,
  actor: null,
  maxPrice: null,
  rule: null,
  choice: null,
  expected: null,
  state: 'created',
  code: null,
  why: '',
  httpStatus: 201,
  overPrice: null,
  charged: null,
  labels: {},
  files: {},
  milestones: {},
  version: 1,
  facts: [],
  keyHolder: null,
  holder: ANNA,
} as const satisfies Partial<Booking>;

/** A recorded booking. `number` gives its shipment, `S-1`, and its key, `K-1`. */
export const bookingAt = (rig: Rig, number: number, more: Partial<Booking> = {}): Booking => ({
  ...SHIPPED,
  id: `bk_${String(number).padStart(32, '0')}`,
  address: rig.address,
  key: `K-${number}`,
  at: rig.clock.now + number,
  settledAt: rig.clock.now + number,
  request: { of: number },
  answer: `{"id":"S-${number}","carrier":{"id":"EXP","price":12.4,"currency":"EUR"}}`,
  ids: { shipment: `S-${number}` },
  ...more,
});

/** For `bookingAt`: nobody knows whether it exists. */
export const UNKNOWN = {
  state: 'unknown',
  code: 'outcome_unknown',
  answer: null,
  ids: {},
  labels: {},
  files: {},
} as const satisfies Partial<Booking>;

/** For `bookingAt`: what a person said of it. */
export const said = (state: SettledAs, more: Partial<Settlement> = {}): Settlement =>
  ({
    at: 1,
    kind: KINDS[state],
    ids: {},
    by: 'anna',
    reason: null,
    run: null,
    ...(state === 'cancelled' && { existedAs: 'created' }),
    ...((state === 'created' || state === 'rejected') && { before: NOTHING_MADE }),
    ...more,
  }) as Settlement;

/** The label of the shipment `S-${of}`, with the tracking number `T-${of}`. */
export const labelAt = (
  rig: Rig,
  number: number,
  of: number,
  more: Partial<Booking> = {},
): BookingWithLabels => ({
  booking: bookingAt(rig, number, {
    ...{ operation: 'label', keySpace: 'label', key: null, ids: {}, answer: null },
    labels: { international: { made: true, trackingNumber: `T-${of}` } },
    files: { international: `/labels/K-${of}.pdf` },
    request: { international: `S-${of}` },
    ...more,
  }),
  labels: [{ leg: 'international', shipment: `S-${of}` }],
});

/** Opens the journal in a state folder inside the folder of the rig, and calls `work` with it. */
export async function inJournal<T>(
  rig: Rig,
  folder: string,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  const file = join(rig.folder, folder, 'journal.db');
  mkdirSync(dirname(file), { recursive: true });
  const processes = { own: ANNA, isAlive: () => true };
  const database = await openSqlite(
    file,
    processes,
    localHost(() => rig.clock.now),
  );
  const journal = new Journal(database);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

export const fill = (rig: Rig, folder: string, bookings: readonly (Booking | BookingWithLabels)[]) =>
  inJournal(rig, folder, journal =>
    journal.importBookings(bookings.map(one => ('booking' in one ? one : { booking: one, labels: [] }))),
  );

/** The environment of another machine, which has a journal of its own. */
export const elsewhere = (rig: Rig) => ({
  WAYBILL_STATE_DIR: join(rig.folder, 'elsewhere'),
  WAYBILL_JOURNAL: '',
});

/** Runs commands as another machine, whose state is in that folder. */
export const machine =
  (rig: Rig, folder: string) =>
  (argv: string | string[], { env, ...options }: RunOptions = {}): Promise<Ran> =>
    rig.run(argv, { ...options, env: { WAYBILL_STATE_DIR: join(rig.folder, folder), ...env } });
