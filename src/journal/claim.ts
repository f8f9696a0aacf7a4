// What prevents a booking, how a claim is written, which process claims, and the limits of a day: the same for both databases.

import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import Big from 'big.js';
import {
  type Booking,
  type Holder,
  hasOwnKey,
  type Ids,
  INPUT_UNKNOWN,
  type Intent,
  isAt,
  LEASE_MS,
  type LegShipment,
  legOfId,
  NO_RESPONSE,
  PARTS,
  type Scope,
} from '../booking/booking.ts';
import type { Beyond, BookingWithLabels, Claim, LabelRecord, Obstacle } from '../booking/questions.ts';
import { keyIdentity } from '../contract/key.ts';
import type { DayLimit, Money } from '../contract/read.ts';
import { damaged } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Claiming, type Db, list, RUNNING_MS, raw, type Sql, sql } from './database.ts';
import {
  bookingFrom,
  type Columns,
  claimsInserted,
  EVERYTHING,
  holdingList,
  indexed,
  type Row,
} from './tables.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A condition for bookings that hold their key. */
export const HOLDS_KEY = raw(`state IN (${holdingList}) AND key_holder IS NULL`);
/** A condition for bookings whose outcome is open, in the words of the index `unsettled`: SQLite uses the index for no other words. */
export const IS_OPEN = raw(`state IN ('pending', 'unknown')`);

/** A condition for claims that may be sent: neither settled nor counted as lost, and no late answer of another booking disputes the key. */
export const MAY_SEND = raw("state = 'pending' AND version = 0");

export const inScope = (scope: Scope): Sql => sql`address = ${scope.address} AND account = ${scope.account}`;

/** `inScope` in other words: the concatenation keeps SQLite from an index by which it would read all bookings or labels of the account. */
export const isOf = (scope: Scope): Sql =>
  sql`address || '' = ${scope.address} AND account || '' = ${scope.account}`;

export const optionalKeyIdentity = (key: string | null): string | null =>
  key === null ? null : keyIdentity(key);

export const hasKey = (scope: Scope, intent: Pick<Intent, 'keySpace' | 'key'>): Sql =>
  sql`${inScope(scope)} AND key_space = ${intent.keySpace} AND key_id = ${optionalKeyIdentity(intent.key)} AND ${HOLDS_KEY}`;

/** Bookings that meet a condition. Call `recordLost` before: else lost bookings among them are still `pending`. */
export const bookingsWhere = (db: Db, condition: Sql): Promise<Booking[]> =>
  columnsWhere(db, EVERYTHING, condition);

/** Some columns of the bookings that meet a condition. */
export async function columnsWhere<B>(db: Db, columns: Columns<B>, condition: Sql): Promise<B[]> {
  const rows = await db.rows<Row>(sql`SELECT ${columns.selection} FROM bookings WHERE ${condition}`);
  return rows.map(row => bookingFrom(row, columns));
}

export async function firstBooking(db: Db, condition: Sql): Promise<Booking | undefined> {
  const [booking] = await bookingsWhere(db, sql`${condition} LIMIT 1`);
  return booking;
}

/**
 * What prevents the booking: another booking holds its key or its label; the shipment to label is cancelled; or the same was booked in
 * the last 24 hours, and the intent has no key of its own or refuses the same order.
 */
export async function obstacleTo(db: Db, intent: Intent): Promise<Obstacle | undefined> {
  const { scope, key, labels, allowDuplicate } = intent;
  await db.recordLost();
  const keyed = key === null ? undefined : await firstBooking(db, hasKey(scope, intent));
  if (keyed) return { kind: 'taken', booking: keyed };
  for (const label of labels) {
    const order = await bookingOfShipment(db, scope, label);
    // The label of a cancelled shipment must not get onto a parcel.
    if (order?.state === 'cancelled') return { kind: 'taken', booking: order };
  }
  if (allowDuplicate) return undefined;
  for (const label of labels) {
    const labelled = await bookingOfLabel(db, scope, label);
    if (labelled) return { kind: 'taken', booking: labelled.booking };
  }
  if (labels.length > 0) return undefined;
  const [twin] = [
    ...(hasOwnKey(intent) ? [] : await sameInput(db, intent)),
    ...(intent.refusesSameOrder
      ? (await findTwins(db, scope, [intent])).filter(booking => isRefusedBy(intent, booking))
      : []),
  ];
  return twin && { kind: 'twin', booking: twin };
}

/** Does `booking`, which is of the same order, prevent the intent? */
const isRefusedBy = (intent: Intent, booking: Booking): boolean =>
  intent.refusesSameOrder === 'while unknown' ? booking.state === 'unknown' : intent.refusesSameOrder;

/** The parts of an order by which it is compared with other orders, whatever their keys are. */
export type SameOrder = Pick<Intent, 'operation' | 'keySpace' | 'fingerprint' | 'orderFingerprint' | 'key'>;

/**
 * Bookings of the same input or order as one of `orders`, the newest first: those of the last 24 hours, and pending or unknown ones of
 * any age. Cancelled bookings are left out: another booking may replace them. `isTwinOf` leaves out those with the key of the order.
 */
export async function findTwins(
  db: Db,
  scope: Scope,
  orders: readonly SameOrder[],
  columns = EVERYTHING,
): Promise<Booking[]> {
  const [first] = orders;
  if (first === undefined) return [];
  const hashes = orders.flatMap(({ orderFingerprint }) => orderFingerprint ?? []);
  const isSame =
    first.orderFingerprint === null
      ? isInput(
          db,
          first.operation,
          orders.map(({ fingerprint }) => fingerprint),
        )
      : sql`${db.isOneOf('order_fingerprint', hashes)} AND key_space || '' = ${first.keySpace}`;
  return bookedLately(db, scope, sql`${isSame} AND state <> 'cancelled'`, columns);
}

const hashOf = (order: Pick<SameOrder, 'fingerprint' | 'orderFingerprint'>): string =>
  order.orderFingerprint ?? order.fingerprint;

/** Is the booking of the same order, under another key or none? With the same key it is this very order: another process was faster. */
export const isTwinOf = (booking: Booking, order: SameOrder): boolean =>
  hashOf(booking) === hashOf(order) &&
  (order.key === null || optionalKeyIdentity(booking.key) !== keyIdentity(order.key));

/** A booking of the same order that a claim reports, although the claim is not prevented by it. */
async function twinToTell(db: Db, intent: Intent): Promise<Booking | undefined> {
  if (!intent.tellsSameOrder) return undefined;
  return (await findTwins(db, intent.scope, [intent])).find(booking => isTwinOf(booking, intent));
}

const sameInput = (db: Db, { scope, operation, fingerprint }: Intent): Promise<Booking[]> =>
  bookedLately(db, scope, isInput(db, operation, [fingerprint]));

const isInput = (db: Db, operation: string, fingerprints: readonly string[]): Sql =>
  sql`${db.isOneOf('fingerprint', fingerprints)} AND operation = ${operation}`;

/**
 * Bookings for which `isSame` holds: of the last 24 hours, or pending or unknown at any age. Each condition has its index as long as
 * nothing sorts the rows: for a UNION, SQLite reads all bookings by their numbers.
 */
async function bookedLately(db: Db, scope: Scope, isSame: Sql, columns = EVERYTHING): Promise<Booking[]> {
  const same = sql`SELECT number FROM bookings WHERE ${isSame} AND ${isOf(scope)} AND state IN (${raw(holdingList)})`;
  const first = await firstOfDay(db);
  const later = first === undefined ? sql`` : sql`UNION ALL ${same} AND number > ${first}`;
  return columnsWhere(
    db,
    columns,
    sql`number IN (${same} AND ${IS_OPEN} UNION ALL ${same} AND at > ${db.now} - ${DAY_MS} ${later})
      ORDER BY number DESC`,
  );
}

/**
 * The number of the first booking of the last 24 hours, if later bookings have times outside of that day: they count as of that day, too,
 * because the clock may have been wrong.
 */
async function firstOfDay(db: Db): Promise<number | undefined> {
  const day = await db.first<{ first: number | null; count: number; newest: number }>(
    sql`SELECT CAST(MIN(number) AS float8) AS first, CAST(COUNT(*) AS float8) AS count,
        CAST((SELECT MAX(number) FROM bookings) AS float8) AS newest
      FROM bookings WHERE at > ${db.now} - ${DAY_MS} AND at <= ${db.now}`,
  );
  if (day === undefined || day.first === null) return undefined;
  // As many numbers as bookings: all bookings since the first one have a time of the day.
  return day.newest - day.first < day.count ? undefined : day.first;
}

/** Is the key all that could prevent the booking of an intent? Then a unique index decides, when the intent is written. */
export const isKeyed = (intent: Intent): boolean =>
  hasOwnKey(intent) && intent.labels.length === 0 && (intent.allowDuplicate || !intent.refusesSameOrder);

/** The names that a claim locks: claims with the same labels, or without labels with the same input or order, wait for each other. */
export const lockNames = (
  intent: Pick<Intent, 'operation' | 'fingerprint' | 'orderFingerprint' | 'labels'>,
): string[] => {
  const { operation, fingerprint, orderFingerprint, labels } = intent;
  if (labels.length > 0) return labels.map(({ leg, shipment }) => `${leg} ${shipment}`);
  const input = `${operation} ${fingerprint}`;
  return orderFingerprint === null ? [input] : [input, `order ${orderFingerprint}`];
};

/** Claims a booking that no other booking prevents, if its limits have room. `undefined`: its key was taken since it was looked up. */
export async function claimFree(db: Db, claiming: Claiming): Promise<Claim | undefined> {
  const { id, intent, booking } = claiming;
  const beyond = await beyondLimit(db, intent);
  if (beyond) return beyond;
  const twin = await twinToTell(db, intent);
  if ((await db.writeClaims([claiming])).size === 0) return undefined;
  await claimLabels(db, intent.scope, id, intent.labels);
  return { kind: 'claimed', booking, ...(twin && { twin }) };
}

/** The statement that writes claims, sorted by key so that two processes never wait for each other. */
export const intentsInserted = (db: Db, claimings: readonly Claiming[]): Sql =>
  claimsInserted(
    claimings
      .map(({ intent, booking }) => ({
        booking,
        more: {
          keyId: optionalKeyIdentity(intent.key),
          at: db.now,
          leaseUntil: leaseEnd(db),
          request: intent.request.text,
        },
      }))
      .sort((first, second) => ((first.more.keyId ?? '') < (second.more.keyId ?? '') ? -1 : 1)),
  );

/** The claim for an intent: a new id, and the pending booking. `now`: in ms since 1970, by the clock of this machine. */
export function claimingOf(intent: Intent, holder: Holder, now: number): Claiming {
  // An id begins with the time, so that new ids are neighbours in an index.
  const id = `bk_${Math.floor(now).toString(16).padStart(12, '0')}${randomUUID().replaceAll('-', '').slice(12)}`;
  const booking: Booking = {
    id,
    address: intent.scope.address,
    account: intent.scope.account,
    operation: intent.operation,
    keySpace: intent.keySpace,
    key: intent.key,
    orderNumber: intent.orderNumber,
    fingerprint: intent.fingerprint,
    orderFingerprint: intent.orderFingerprint,
    source: intent.source,
    recordName: intent.recordName,
    profile: intent.profile,
    sandbox: intent.sandbox,
    run: intent.run,
    actor: intent.actor,
    maxPrice: intent.maxPrice,
    rule: intent.rule,
    choice: intent.choice,
    expected: intent.expected,
    at: now,
    holder,
    request: intent.request.value,
    state: 'pending',
    code: null,
    why: '',
    ...NO_RESPONSE,
    settledAt: null,
    version: 0,
    facts: [],
    keyHolder: null,
    milestones: {},
    files: {},
  };
  return { id, intent, booking };
}

export const foundBy = (id: string, person: string, names: string): Sql =>
  sql`INSERT INTO found_by SELECT number, ${person}, ${names} FROM bookings WHERE id = ${id}`;

export const leaseEnd = (db: Db): Sql => sql`${db.now} + CAST(${LEASE_MS} AS bigint)`;

/**
 * About when each of these bookings was last sent, in ms since 1970. A request may wait long after its claim: the lease, which is renewed
 * until the answer comes, says when the request was under way.
 */
export async function lastSent(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.rows<{ id: string; at: number; leaseUntil: number }>(
    sql`SELECT id, CAST(at AS float8) AS at, CAST(lease_until AS float8) AS "leaseUntil"
      FROM bookings WHERE ${db.isOneOf('id', ids)}`,
  );
  return new Map(rows.map(({ id, at, leaseUntil }) => [id, Math.max(at, leaseUntil - LEASE_MS)]));
}

/** The statement that gives the label of a shipment to the booking `id`. `conflict`: what to do if another booking has the label. */
export const labelInserted = (
  scope: Scope,
  id: string,
  { leg, shipment, printedAt = null }: BookingWithLabels['labels'][number],
  conflict: Sql,
): Sql =>
  sql`INSERT INTO labels (address, account, shipment, leg, booking, printed_at)
    VALUES (${list([scope.address, scope.account, indexed(shipment), leg, id, printedAt])}) ON CONFLICT ${conflict}`;

/** Gives the labels of these shipments to the booking `id`, except labels that another booking made, or may have made. */
export async function claimLabels(db: Db, scope: Scope, id: string, labels: Intent['labels']): Promise<void> {
  for (const label of labels) await db.run(labelInserted(scope, id, label, LEFT_AS_IT_IS));
}

/** Leaves the label as it is, but locks its row: a booking that frees the label at the same moment waits, and then sees this claim. */
const LEFT_AS_IT_IS = raw('(address, account, leg, shipment) DO UPDATE SET booking = labels.booking');

/** Selects the booking that holds the label of a shipment, by two indexes: if one is damaged, the other still prevents a second label. */
export function labelQuery(scope: Scope, label: LegShipment): Sql {
  const columns = sql`SELECT booking FROM labels`;
  const id = indexed(label.shipment);
  // step: label of a leg asked
  return sql`${columns} WHERE ${inScope(scope)} AND leg = ${label.leg} AND shipment = ${id}
    UNION ${columns} WHERE shipment = ${id} AND leg || '' = ${label.leg} AND ${isOf(scope)}`;
}

/** The booking that made a shipment. */
export const bookingOfShipment = async (
  db: Db,
  scope: Scope,
  legShipment: LegShipment,
): Promise<Booking | undefined> =>
  (await ownersOf(db, scope, legShipment.leg, legShipment.shipment)).find(owner => isAt(owner, scope));

/** The bookings at an address that own the id of a shipment or a subscription: each account may have a booking with that id. */
export function ownersOf(db: Db, scope: Scope, name: keyof Ids, text: string): Promise<Booking[]> {
  const leg = legOfId(name);
  const owners =
    leg === undefined
      ? sql`SELECT booking FROM given WHERE name = ${indexed(text)}`
      : sql`SELECT booking FROM made WHERE ${isShipment({ leg, shipment: text })} AND address = ${scope.address}`;
  return bookingsWhere(db, sql`${db.isIn('id', owners)} AND address || '' = ${scope.address}`);
}

/** A condition for the rows of one shipment, in `made` or `labels`. */
export const isShipment = (legShipment: LegShipment): Sql =>
  sql`shipment = ${indexed(legShipment.shipment)} AND leg = ${legShipment.leg}`;

/** The booking that made, or may have made, the label of a shipment. */
export async function bookingOfLabel(
  db: Db,
  scope: Scope,
  label: LegShipment,
): Promise<LabelRecord | undefined> {
  const found = await db.first<{ booking: string }>(labelQuery(scope, label));
  if (found === undefined) return undefined;
  const booking = await firstBooking(db, sql`id = ${found.booking}`);
  if (booking === undefined)
    throw damaged({ part: 'label', shipment: label.shipment, booking: found.booking });
  return { booking };
}

/** This process, and whether the processes of other bookings are still running. */
export interface Processes {
  own: Holder;
  /** `undefined` if nobody can tell, as for a process of another machine or container: then the claim ends with its lease only. */
  isAlive(holder: Holder): boolean | undefined;
}

/**
 * Is a claim abandoned: is its process gone, or its lease over? A process that runs has an hour more. `now`: by the clock of the journal.
 */
export function isAbandoned(processes: Processes, holder: Holder, leaseUntil: number, now: number): boolean {
  const alive = processes.isAlive(holder);
  return alive === false || now >= leaseUntil + (alive ? RUNNING_MS : 0);
}

/** This process, as its bookings name it. `version`: of waybill. */
export function processesOf(machine: Pick<Host, 'process' | 'platform'>, version?: string): Processes {
  const { host, id, user } = machine.process;
  const space = spaceOn(machine.platform);
  const own: Holder = {
    host,
    process: id,
    start: startOf(id) ?? '',
    ...(space !== undefined && { space }),
    ...(user !== undefined && { user }),
    ...(version !== undefined && { version }),
  };
  return {
    own,
    isAlive: holder =>
      holder.host === own.host && holder.space === own.space
        ? machine.process.exists(holder.process) && (startOf(holder.process) ?? holder.start) === holder.start
        : undefined,
  };
}

/**
 * Names the running system and its PID namespace: containers with one host name may give one number to different processes. `undefined`
 * on systems without namespaces.
 */
function spaceOn(platform: NodeJS.Platform): string | undefined {
  if (platform !== 'linux') return undefined;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // A name that no other space has: nothing is concluded from the numbers of processes then.
    return randomUUID();
  }
}

/** When a process began, in clock ticks of its system; `undefined` if the system does not say. */
function startOf(id: number): string | undefined {
  try {
    // The state is the third field of the line, the start the 22nd. The second is a name, which may contain blanks and brackets.
    const line = readFileSync(`/proc/${id}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    // A process that has ended is listed until its parent asks for it, which the first process of a container may never do.
    return /[ZX]/.test(fields[0] ?? '') ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}

// The limits of a day: what the bookings of the last 24 hours count, and whether another order has room.

/** The profile that books, and the address and account where it books. */
type Payer = Pick<Intent, 'scope' | 'profile'>;

/**
 * Gives, for a limit, the condition for bookings of the last 24 hours that count against the limit: all that may cost something. A
 * cancelled booking still counts. A booking without a profile (its address is from the environment) counts for each profile: its limits
 * may have been those of the profile.
 */
async function ofDay(db: Db, payer: Payer): Promise<(limit: DayLimit) => Sql> {
  const first = await firstOfDay(db);
  // A subselect asks for the time once: a time asked for each row would keep PostgreSQL from its index.
  const byClock = sql`at > (SELECT ${db.now} - ${DAY_MS})`;
  const byOrder = sql`number > ${first ?? 0} AND NOT (${IS_OF_RESULTS})`;
  const isLate = first === undefined ? byClock : sql`(${byClock} OR ${byOrder})`;
  return ({ isOfProfile }) =>
    sql`${isLate} AND ${isOf(payer.scope)} AND key_space || '' = 'shipment' AND state IN (${raw(holdingList)})
      AND ${isOfProfile && payer.profile !== null ? sql`(profile = ${payer.profile} OR profile IS NULL)` : raw('true')}`;
}

/** Was a booking imported with the time in its results? Then its number says nothing about the day on which it was booked. */
const IS_OF_RESULTS = sql`fingerprint = ${INPUT_UNKNOWN} AND at < settled_at`;

/** What a booking costs in one currency: by its answer, or else as it was expected. */
const countedParts = (currency: string): Sql =>
  sql`CASE WHEN substr(charged, 1, 3) = ${currency} THEN CAST(substr(charged, 5) AS bigint)
    WHEN substr(expected, 1, 3) = ${currency} THEN CAST(substr(expected, 5) AS bigint) ELSE 0 END`;

async function spentIn(db: Db, isCounted: Sql, currency: string): Promise<Big> {
  const sum = await db.first<{ parts: string | null }>(
    sql`SELECT CAST(SUM(${countedParts(currency)}) AS TEXT) AS parts FROM bookings WHERE ${isCounted}`,
  );
  return new Big(sum?.parts ?? 0).div(PARTS);
}

/**
 * What is left to spend today, in each currency that every limit names: the smallest rest of the limits. The rest is below 0 if the
 * service charged more than it had proposed.
 */
export async function leftOfDay(db: Db, payer: Payer, limits: readonly DayLimit[]): Promise<Money[]> {
  const left = new Map<string, Big[]>();
  const counts = await ofDay(db, payer);
  for (const limit of limits)
    for (const { amount, currency } of limit.amounts) {
      const rest = new Big(amount).minus(await spentIn(db, counts(limit), currency));
      left.set(currency, [...(left.get(currency) ?? []), rest]);
    }
  return [...left].flatMap(([currency, rests]) => {
    const least = rests.reduce((lowest, amount) => (amount.lt(lowest) ? amount : lowest));
    return rests.length < limits.length ? [] : { amount: least.toFixed(), currency };
  });
}

/**
 * Why an order has no room in a limit of its day; `undefined`: it has room. A claim asks this in the transaction that writes it, while no
 * other claim at the address and account is written.
 */
export async function beyondLimit(db: Db, intent: Intent): Promise<Beyond | undefined> {
  const { perDay, expected } = intent;
  if (perDay.length === 0) return undefined;
  const currency = expected?.slice(0, 3) ?? '';
  const own = new Big(expected?.slice(4) ?? 0).div(PARTS);
  const counts = await ofDay(db, intent);
  for (const limit of perDay) {
    const most = limit.amounts.find(amount => amount.currency === currency);
    if (most === undefined) throw new Error('an order without a price was to be held against a limit');
    const isCounted = counts(limit);
    const spent = await spentIn(db, isCounted, currency);
    const excess = spent.plus(own).minus(most.amount);
    if (excess.lte(0)) continue;
    return {
      kind: 'limit',
      limit: most,
      spent: spent.toFixed(),
      expected: own.toFixed(),
      freeAt: own.gt(most.amount) ? null : await freeAt(db, isCounted, currency, excess),
    };
  }
  return undefined;
}

/** When `excess` of the amount that counts now is older than a day, in ms since 1970; `null`: never. */
async function freeAt(db: Db, isCounted: Sql, currency: string, excess: Big): Promise<number | null> {
  const rows = await db.rows<{ at: number; parts: string }>(
    sql`SELECT CAST(at AS float8) AS at, CAST(${countedParts(currency)} AS TEXT) AS parts FROM bookings
      WHERE ${isCounted} ORDER BY at`,
  );
  let freed = new Big(0);
  for (const { at, parts } of rows) {
    freed = freed.plus(new Big(parts).div(PARTS));
    if (freed.gte(excess)) return at + DAY_MS;
  }
  return null;
}
