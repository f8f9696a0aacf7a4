import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type * as z from 'zod/mini';
import type { Leg } from '../contract/operations.ts';
import type { dualShipmentBody } from '../contract/shipments.ts';
import { EVENTS, type RetryPolicy, retryDelay } from '../contract/subscriptions.ts';
import { Failure } from '../errors.ts';
import { openStore, type Store } from '../host/sqlite.ts';
import { isLoopback } from '../text.ts';
import { CARRIERS, type Carrier, type Pieces } from './carriers.ts';

// The data of the emulator: shipments and their labels, subscriptions and their deliveries. A shipment moves only with time. Times are
// milliseconds since 1970, and money is cents of a euro.

/** The two addresses of the service document (§4, §9). Each has its own data. */
export type World = 'production' | 'sandbox';

// Columns have the names of fields in the types below. `data` is the rest of a subscription, as JSON.
const TABLES = `
  CREATE TABLE shipments (
    id TEXT PRIMARY KEY,
    world TEXT NOT NULL,
    leg TEXT NOT NULL,
    carrier TEXT NOT NULL,
    cents INTEGER NOT NULL,
    goods TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    deliveredAt INTEGER
  ) STRICT;
  CREATE INDEX underWay ON shipments (carrier, createdAt) WHERE deliveredAt IS NULL;
  CREATE TABLE labels (
    number INTEGER PRIMARY KEY,
    shipment TEXT NOT NULL REFERENCES shipments (id),
    tracking TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE INDEX labelsOf ON labels (shipment, number);
  CREATE TABLE subscriptions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY,
    subscription TEXT NOT NULL REFERENCES subscriptions (id),
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    dueAt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX waiting ON deliveries (dueAt) WHERE state = 'waiting';
`;

/** Opens or creates the data. Data in `:memory:` end with the process. Throws `storage`. */
export const openWorld = (file: string): Promise<Store> =>
  openStore(file, { durability: 'normal', schema: { version: 2, create: TABLES } }).catch((error: Error) => {
    const notice = { kind: 'emulator-data-unusable', path: file, why: error.message } as const;
    throw new Failure('storage', notice, {}, { cause: error });
  });

export const isoDate = (ms: number): string => new Date(ms).toISOString();

// Only lower case: an id becomes a file name, and some systems ignore case in file names.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Text of `length` letters and digits, safe in URLs and file names. `random`: gives numbers from 0 up to but not including 1. */
export function randomText(length: number, random: () => number): string {
  let text = '';
  while (text.length < length) text += ALPHABET.charAt(Math.floor(random() * ALPHABET.length));
  return text;
}

/** A random id that is not taken yet. */
function freshId(prefix: string, random: () => number, isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = `${prefix}_${randomText(16, random)}`;
    if (!isTaken(id)) return id;
  }
}

// Shipments

/** A sender or receiver, with all fields that either has in any operation. */
export type Party = z.output<typeof dualShipmentBody>['receiver'];

export interface Goods {
  packages: readonly Pieces[];
  sender: Party;
  receiver: Party;
}

export interface StoredShipment {
  id: string;
  world: World;
  leg: Leg;
  /** The id of the carrier. */
  carrier: string;
  cents: number;
  goods: Goods;
  createdAt: number;
  deliveredAt: number | null;
}

/** The two states that §3 shows. Each is used both as status and as milestone. */
const PENDING = 'pending_arrival_at_warehouse';
const DELIVERED = 'delivered';

/** Stores a shipment with a new id, and announces its first status. To be called in a transaction. */
export function addShipment(
  store: Store,
  added: Omit<StoredShipment, 'id' | 'deliveredAt'>,
  random: () => number,
): StoredShipment {
  const isTaken = (taken: string) => store.first('SELECT 1 FROM shipments WHERE id = ?', taken) !== undefined;
  const id = freshId('shp', random, isTaken);
  const { world, leg, carrier, cents, goods, createdAt } = added;
  store.run(
    'INSERT INTO shipments (id, world, leg, carrier, cents, goods, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
    id,
    world,
    leg,
    carrier,
    cents,
    JSON.stringify(goods),
    createdAt,
  );
  const shipment = { ...added, id, deliveredAt: null };
  announce(store, shipment, PENDING, createdAt);
  return shipment;
}

function findFirst(store: Store, where: string, ...values: readonly string[]): StoredShipment | undefined {
  const row = store.first<Omit<StoredShipment, 'goods'> & { goods: string }>(
    `SELECT shipments.* FROM shipments ${where}`,
    ...values,
  );
  return row && { ...row, goods: JSON.parse(row.goods) };
}

/** The shipment with an id, if it is in this world and of this leg. */
export const findShipment = (store: Store, world: World, leg: Leg, id: string): StoredShipment | undefined =>
  findFirst(store, 'WHERE id = ? AND world = ? AND leg = ?', id, world, leg);

/** The shipment whose label has that tracking number. */
export const findLabelled = (store: Store, world: World, tracking: string): StoredShipment | undefined =>
  findFirst(store, 'JOIN labels ON shipment = id WHERE tracking = ? AND world = ?', tracking, world);

/** The `status[]` of §2.2, the oldest first. */
export function shipmentStatus(shipment: StoredShipment) {
  const entry = (status: string, at: number) => ({ status, date: isoDate(at), milestone: status });
  const pending = entry(PENDING, shipment.createdAt);
  return shipment.deliveredAt === null ? [pending] : [pending, entry(DELIVERED, shipment.deliveredAt)];
}

/** Makes a label with a new tracking number; in new data the first number is random. To be called in a transaction. */
export function addLabel(store: Store, shipment: StoredShipment, random: () => number): string {
  const last = store.first<{ tracking: string }>('SELECT tracking FROM labels ORDER BY number DESC LIMIT 1');
  const before = last === undefined ? Math.floor(random() * 9e9) : Number(/\d+$/.exec(last.tracking)?.[0]);
  const tracking = `${shipment.carrier}${String(before + 1).padStart(10, '0')}`;
  store.run('INSERT INTO labels (shipment, tracking) VALUES (?, ?)', shipment.id, tracking);
  return tracking;
}

/** The newest tracking number of a shipment; empty if it has no label yet. */
export const trackingOf = (store: Store, shipment: StoredShipment): string =>
  store.first<{ tracking: string }>(
    'SELECT tracking FROM labels WHERE shipment = ? ORDER BY number DESC LIMIT 1',
    shipment.id,
  )?.tracking ?? '';

const DAY_MS = 86_400_000;

// How long a shipment travels. Computed each time, so that stored data can be opened again with another speed.
const transitMs = (carrier: Carrier, speed: number): number =>
  Math.ceil((carrier.transitDays * DAY_MS) / speed);

/** Delivers shipments that are due by `now`, with the time at which they were due, and announces that. */
export function arrive(store: Store, speed: number, now: number): void {
  const next = nextArrival(store, speed);
  if (next === undefined || next > now) return;
  store.transaction(() => {
    for (const carrier of CARRIERS) {
      const transit = transitMs(carrier, speed);
      const due = store.all<Pick<StoredShipment, 'id' | 'world' | 'createdAt'>>(
        `SELECT id, world, createdAt FROM shipments
         WHERE deliveredAt IS NULL AND carrier = ? AND createdAt <= ? ORDER BY createdAt, id`,
        carrier.id,
        now - transit,
      );
      for (const shipment of due) {
        const at = shipment.createdAt + transit;
        store.run('UPDATE shipments SET deliveredAt = ? WHERE id = ?', at, shipment.id);
        announce(store, shipment, DELIVERED, at);
      }
    }
  });
}

/** The time at which the next shipment arrives. */
function nextArrival(store: Store, speed: number): number | undefined {
  // One query for each carrier, because an index answers it: this code runs before every request.
  const arrivals = CARRIERS.flatMap(carrier => {
    const oldest = store.first<{ at: number | null }>(
      'SELECT min(createdAt) AS at FROM shipments WHERE deliveredAt IS NULL AND carrier = ?',
      carrier.id,
    );
    return typeof oldest?.at === 'number' ? [oldest.at + transitMs(carrier, speed)] : [];
  });
  return arrivals.length > 0 ? Math.min(...arrivals) : undefined;
}

// Subscriptions

/** A subscription of §2.4, without secret and token, which are not stored: the document does not show what they are used for. */
export interface Subscription {
  id: string;
  url: string;
  events: readonly string[];
  headers: Readonly<Record<string, string>>;
  retry: RetryPolicy;
  createdAt: number;
}

/** Stores a subscription with a new id. To be called in a transaction. */
export function addSubscription(
  store: Store,
  added: Omit<Subscription, 'id'>,
  random: () => number,
): Subscription {
  const id = freshId('sub', random, taken => findSubscription(store, taken) !== undefined);
  store.run('INSERT INTO subscriptions (id, data) VALUES (?, ?)', id, JSON.stringify(added));
  return { ...added, id };
}

interface SubscriptionRow {
  id: string;
  data: string;
}

const subscriptionFrom = (row: SubscriptionRow): Subscription => ({ ...JSON.parse(row.data), id: row.id });

export function findSubscription(store: Store, id: string): Subscription | undefined {
  const row = store.first<SubscriptionRow>('SELECT id, data FROM subscriptions WHERE id = ?', id);
  return row && subscriptionFrom(row);
}

/**
 * Queues each event of §6 for each subscription to it; status and milestone are equal in all that the document shows. The sandbox has no
 * subscriptions, because it has no operation to create them. To be called in the transaction of the change itself, so that no event is
 * lost.
 */
function announce(
  store: Store,
  shipment: Pick<StoredShipment, 'id' | 'world'>,
  status: string,
  at: number,
): void {
  if (shipment.world === 'sandbox') return;
  const rows = store.all<SubscriptionRow>('SELECT id, data FROM subscriptions ORDER BY number');
  for (const { id, url, events } of rows.map(subscriptionFrom)) {
    // The emulator is for tests and demos: it sends nothing to another machine.
    const state = isLoopback(new URL(url).hostname) ? 'waiting' : 'skipped';
    for (const type of Object.keys(EVENTS).filter(event => events.includes(event))) {
      // The id of an event: the same in all attempts, and different for each subscription.
      const facts = [id, type, shipment.id, status].join(' ');
      const payload = {
        id: `evt_${createHash('sha256').update(facts).digest('hex').slice(0, 24)}`,
        type,
        createdAt: isoDate(at),
        data: { shipmentId: shipment.id, status, milestone: status },
      };
      store.run(
        'INSERT INTO deliveries (subscription, payload, state, attempts, dueAt) VALUES (?, ?, ?, 0, ?)',
        id,
        JSON.stringify(payload),
        state,
        at,
      );
    }
  }
}

// Events on their way to subscribers. The queue is part of the data, so that the next process goes on with it.

/** Makes one attempt to send. Resolves with the status of the answer; rejects if no answer came. */
export type Send = (
  message: { url: string; headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
) => Promise<number>;

interface Delivery {
  number: number;
  subscription: string;
  /** The JSON that is sent as the body. */
  payload: string;
  /** `skipped`: the address is not on this machine. `failed`: all retries failed. */
  state: 'waiting' | 'delivered' | 'failed' | 'skipped';
  attempts: number;
  /** When the next attempt is due, in ms since 1970. */
  dueAt: number;
}

const TIMEOUT_MS = 10_000;
/** How long a claim lasts: longer than any attempt takes. Then the claim of a process that died is over. */
export const CLAIM_MS = 30_000;
const AT_ONCE = 16;

interface Sending {
  store: Store;
  now(): number;
  send: Send;
  /** Aborted to stop the attempts in flight. The next process that opens the data makes them again. */
  signal: AbortSignal;
}

/** Sends all deliveries that are due by `now()`. Resolves when each of these attempts has ended and is recorded. */
export async function deliverDue(sending: Sending): Promise<void> {
  const { store, now } = sending;
  const due = store.all<Delivery>(
    "SELECT * FROM deliveries WHERE state = 'waiting' AND dueAt <= ? ORDER BY dueAt, number LIMIT ?",
    now(),
    AT_ONCE,
  );
  await Promise.all(due.map(delivery => attempt(sending, delivery)));
}

async function attempt(sending: Sending, delivery: Delivery): Promise<void> {
  const { store, now, send, signal } = sending;
  const claim = now() + CLAIM_MS;
  if (!update(store, delivery, delivery.dueAt, { dueAt: claim })) return;
  const subscription = findSubscription(store, delivery.subscription);
  if (subscription === undefined) return;
  const { url, headers, retry } = subscription;
  let status = 0;
  try {
    status = await send({ url, headers, body: delivery.payload }, signal);
  } catch {
    // The emulator stopped the attempt, not the receiver: the attempt does not count.
    if (signal.aborted) return void update(store, delivery, claim, { dueAt: now() });
  }
  const attempts = delivery.attempts + 1;
  if (status >= 200 && status < 300) update(store, delivery, claim, { state: 'delivered', attempts });
  else if (attempts > retry.maxRetries) update(store, delivery, claim, { state: 'failed', attempts });
  else update(store, delivery, claim, { attempts, dueAt: now() + retryDelay(retry, attempts) });
}

/** Changes a delivery only if its due time is still `dueWas`: of two processes with the same file, only one can claim or update it. */
function update(store: Store, delivery: Delivery, dueWas: number, change: Partial<Delivery>): boolean {
  const { number, state, attempts, dueAt } = { ...delivery, dueAt: dueWas, ...change };
  const changed = store.run(
    "UPDATE deliveries SET state = ?, attempts = ?, dueAt = ? WHERE number = ? AND state = 'waiting' AND dueAt = ?",
    state,
    attempts,
    dueAt,
    number,
    dueWas,
  );
  return changed === 1;
}

/** POSTs one delivery to a receiver on this machine. */
export const sendOnLoopback: Send = (delivery, signal) =>
  new Promise((resolve, reject) => {
    const target = new URL(delivery.url);
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(
      target,
      {
        method: 'POST',
        agent: false,
        signal,
        timeout: TIMEOUT_MS,
        // Certificates are not checked: no authority issues any for loopback, and there is no network in between.
        rejectUnauthorized: false,
        headers: {
          ...Object.fromEntries(
            Object.entries(delivery.headers).map(([name, value]) => [name, latin1(value)]),
          ),
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(delivery.body),
        },
      },
      answer => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    // The body is sent as bytes: with a text, Node would write the headers in the encoding of that text.
    sent.end(Buffer.from(delivery.body));
  });

// A header as Node sends it: Node writes one byte for each character, so the bytes of UTF-8 become characters.
const latin1 = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
