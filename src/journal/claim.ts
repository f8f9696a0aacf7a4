// What prevents a booking, and how an intent is written: the same for both databases.

import { randomUUID } from 'node:crypto';
import { keyIdentity } from '../contract/key.ts';
import {
  type Booking,
  type BookingWithLabels,
  type Claim,
  HOLDING_STATES,
  type Intent,
  type LabelRecord,
  NO_RESPONSE,
  type Obstacle,
  type Scope,
} from './booking.ts';
import { bookingFrom, claimsInserted, EVERYTHING, type Row } from './columns.ts';
import { type Db, list, raw, type Sql, sql } from './database.ts';
import { type Holder, LEASE_MS } from './leases.ts';
import { claimNames, indexed, personWords } from './words.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The states that hold a key, for a condition. */
export const holdingList = HOLDING_STATES.map(state => `'${state}'`).join(', ');
export const HOLDS_KEY = raw(`state IN (${holdingList}) AND overtaken_by IS NULL`);
/** SQLite uses an index only for a condition with the same words. */
export const IS_OPEN = raw(`state IN ('pending', 'unknown')`);

/** Neither settled nor counted as lost; and of the same order no other is known to exist since it was claimed. */
export const MAY_SEND = raw(
  "state = 'pending' AND NOT EXISTS (SELECT 1 FROM bookings AS late WHERE late.overtaken_by = bookings.id)",
);

export const inScope = ({ address, account }: Scope): Sql =>
  sql`address = ${address} AND account = ${account}`;

export const optionalKeyIdentity = (key: string | null): string | null =>
  key === null ? null : keyIdentity(key);

export const hasKey = (scope: Scope, { keySpace, key }: Pick<Intent, 'keySpace' | 'key'>): Sql =>
  sql`${inScope(scope)} AND key_space = ${keySpace} AND key_id = ${optionalKeyIdentity(key)} AND ${HOLDS_KEY}`;

/** Bookings by a condition. To know which of them are lost, call `recordLost` before. */
export async function bookingsWhere(db: Db, condition: Sql, columns = EVERYTHING): Promise<Booking[]> {
  const rows = await db.rows<Row>(sql`SELECT ${raw(columns)} FROM bookings WHERE ${condition}`);
  return rows.map(bookingFrom);
}

export async function firstBooking(db: Db, condition: Sql): Promise<Booking | undefined> {
  const row = await db.first<Row>(sql`SELECT ${raw(EVERYTHING)} FROM bookings WHERE ${condition} LIMIT 1`);
  return row && bookingFrom(row);
}

/** What prevents the booking: its key or label is held; or it has no key, and the same input was booked in a day. */
export async function obstacleTo(db: Db, intent: Intent): Promise<Obstacle | undefined> {
  const { scope, operation, key, fingerprint, labels, allowDuplicate } = intent;
  await db.recordLost();
  const keyed = key === null ? undefined : await firstBooking(db, hasKey(scope, intent));
  if (keyed) return { kind: 'taken', booking: keyed };
  if (allowDuplicate) return undefined;
  for (const { shipment } of labels) {
    const labelled = await bookingOfLabel(db, scope, shipment);
    if (labelled) return { kind: 'taken', booking: labelled.booking };
  }
  if (key !== null || labels.length > 0) return undefined;
  const [twin] = await findTwins(db, scope, operation, [fingerprint]);
  const found = twin ?? (await twinByOrder(db, scope, operation, fingerprint));
  return found && { kind: 'twin', booking: found };
}

const isSameInput = (db: Db, scope: Scope, operation: string, fingerprints: readonly string[]): Sql =>
  sql`${db.isOneOf('fingerprint', fingerprints)} AND ${inScope(scope)} AND operation = ${operation}
    AND state IN (${raw(holdingList)})`;

/**
 * Bookings with one of these inputs, the newest first: those of the last day, and those that may exist, however old they
 * are.
 */
export function findTwins(
  db: Db,
  scope: Scope,
  operation: string,
  fingerprints: readonly string[],
  columns = EVERYTHING,
): Promise<Booking[]> {
  const same = sql`SELECT number FROM bookings WHERE ${isSameInput(db, scope, operation, fingerprints)}`;
  // Two queries, because each has an index of its own.
  return bookingsWhere(
    db,
    sql`number IN (${same} AND ${IS_OPEN} UNION ${same} AND at > ${db.now} - ${DAY_MS})
      ORDER BY number DESC`,
    columns,
  );
}

/**
 * A booking with the same input, by the order of the journal: what was recorded after a booking of the last day was booked in
 * that day, too, even if the clock was behind then.
 */
async function twinByOrder(
  db: Db,
  scope: Scope,
  operation: string,
  fingerprint: string,
): Promise<Booking | undefined> {
  const day = await db.first<{ first: number | null; count: number; newest: number }>(
    sql`SELECT CAST(MIN(number) AS float8) AS first, CAST(COUNT(*) AS float8) AS count,
        CAST((SELECT MAX(number) FROM bookings) AS float8) AS newest
      FROM bookings WHERE at > ${db.now} - ${DAY_MS} AND at <= ${db.now}`,
  );
  if (day === undefined || day.first === null) return undefined;
  // Numbers follow each other: then no other booking is among those of the day.
  if (day.newest - day.first < day.count) return undefined;
  const same = isSameInput(db, scope, operation, [fingerprint]);
  return firstBooking(db, sql`number > ${day.first} AND ${same} ORDER BY number DESC`);
}

/** Is its key all that could prevent the booking? Then an index of the database decides, when the intent is written. */
export const isKeyed = ({ key, labels }: Intent): boolean => key !== null && labels.length === 0;

/** An intent, and the booking that it is to become. */
export interface Claiming {
  id: string;
  holder: Holder;
  intent: Intent;
}

/** Returns whether the intent was written: it is not if its key is held. */
export async function writeIntent(db: Db, claiming: Claiming): Promise<boolean> {
  const { id, intent } = claiming;
  if ((await db.run(intentsInserted(db, [claiming]))) === 0) return false;
  await db.run(foundBy(id, personWords(intent.request.value), claimNames(intent)));
  await claimLabels(db, intent.scope, id, intent.labels);
  return true;
}

/** Several that have no labels, sorted by key, so that two processes never wait for each other. */
export const intentsInserted = (db: Db, claimings: readonly Claiming[]): Sql =>
  claimsInserted(
    claimings
      .toSorted((one, other) => (sortedBy(one) < sortedBy(other) ? -1 : 1))
      .map(one => claimRow(db, one)),
  );

const sortedBy = ({ intent }: Claiming): string => optionalKeyIdentity(intent.key) ?? '';

// Written out: to copy an intent without some of its fields takes a tenth of a claim.
const claimRow = (db: Db, { id, holder, intent }: Claiming) => ({
  id,
  address: intent.scope.address,
  account: intent.scope.account,
  operation: intent.operation,
  keySpace: intent.keySpace,
  key: intent.key,
  keyId: optionalKeyIdentity(intent.key),
  fingerprint: intent.fingerprint,
  source: intent.source,
  recordName: intent.recordName,
  profile: intent.profile,
  sandbox: intent.sandbox,
  run: intent.run,
  actor: intent.actor,
  maxPrice: intent.maxPrice,
  expected: intent.expected,
  at: db.now,
  leaseUntil: leaseEnd(db),
  holder: JSON.stringify(holder),
  request: intent.request.text,
});

/** What was claimed, without reading it again. `at`: in ms since 1970, by the clock of this machine. */
export const claimed = (
  { id, holder, intent }: Claiming,
  at: number,
): Extract<Claim, { kind: 'claimed' }> => ({
  kind: 'claimed',
  booking: {
    id,
    address: intent.scope.address,
    account: intent.scope.account,
    operation: intent.operation,
    keySpace: intent.keySpace,
    key: intent.key,
    fingerprint: intent.fingerprint,
    source: intent.source,
    recordName: intent.recordName,
    profile: intent.profile,
    sandbox: intent.sandbox,
    run: intent.run,
    actor: intent.actor,
    maxPrice: intent.maxPrice,
    expected: intent.expected,
    at,
    holder,
    request: intent.request.value,
    state: 'pending',
    code: null,
    why: '',
    ...NO_RESPONSE,
    settledAt: null,
    settlements: [],
    overtakenBy: null,
    milestones: {},
    handover: null,
    files: {},
  },
});

export const foundBy = (id: string, person: string, names: string): Sql =>
  sql`INSERT INTO found_by SELECT number, ${person}, ${names} FROM bookings WHERE id = ${id}`;

const leaseEnd = (db: Db): Sql => sql`${db.now} + CAST(${LEASE_MS} AS bigint)`;

/** Gives those that are still pending another lease. */
export const leasesRenewed = (db: Db, ids: readonly string[]): Sql =>
  sql`UPDATE bookings SET lease_until = ${leaseEnd(db)}
    WHERE ${db.unlocked(sql`${db.isOneOf('id', ids)} AND state = 'pending'`)}`;

/** May it be sent? If it may, it has another lease. */
export const confirmClaim = async (db: Db, id: string): Promise<boolean> =>
  (await db.run(sql`UPDATE bookings SET lease_until = ${leaseEnd(db)} WHERE id = ${id} AND ${MAY_SEND}`)) > 0;

type LabelClaim = Intent['labels'][number];
type ImportedLabel = BookingWithLabels['labels'][number];

/** `conflict`: what to do if the label of the shipment belongs to a booking already. */
export const labelInserted = (
  { address, account }: Scope,
  id: string,
  { leg, shipment, printedAt = null }: ImportedLabel,
  conflict: Sql,
): Sql =>
  sql`INSERT INTO labels VALUES (${list([address, account, indexed(shipment), leg, id, printedAt])}) ON CONFLICT ${conflict}`;

/** The labels of these shipments belong to that booking from now on. */
export async function claimLabels(
  db: Db,
  scope: Scope,
  id: string,
  labels: readonly LabelClaim[],
): Promise<void> {
  for (const label of labels) await db.run(labelInserted(scope, id, label, TAKEN_OVER));
}

// Another label was not printed yet.
export const TAKEN_OVER =
  raw(`(address, account, shipment) DO UPDATE SET leg = excluded.leg, booking = excluded.booking,
  printed_at = CASE WHEN labels.booking = excluded.booking THEN labels.printed_at END`);

export const PRINTED_AT = raw('CAST(printed_at AS float8) AS "printedAt"');

/**
 * Selects `booking`, `leg` and `printedAt` of the label of a shipment, by each of two indexes: damage to one of them must not label a
 * shipment again. The concatenation keeps SQLite from using the first one twice.
 */
export const labelQuery = (scope: Scope, shipment: string): Sql =>
  sql`SELECT booking, leg, ${PRINTED_AT} FROM labels WHERE ${inScope(scope)} AND shipment = ${indexed(shipment)}
    UNION SELECT booking, leg, ${PRINTED_AT} FROM labels WHERE shipment = ${indexed(shipment)}
      AND address || '' = ${scope.address} AND account || '' = ${scope.account}`;

/** The booking that made, or may have made, the label of a shipment. */
export async function bookingOfLabel(
  db: Db,
  scope: Scope,
  shipment: string,
): Promise<LabelRecord | undefined> {
  const found = await db.first<{ booking: string } & Omit<LabelRecord, 'booking'>>(
    labelQuery(scope, shipment),
  );
  if (found === undefined) return undefined;
  const booking = await firstBooking(db, sql`id = ${found.booking}`);
  if (booking === undefined)
    throw new Error(
      `it is damaged: the label of ${shipment} belongs to ${found.booking}, which is not found`,
    );
  return { ...found, booking };
}

/** A booking's id in the journal. It begins with the time (ms), so that new ids are neighbours in an index. */
export const newId = (time: number): string =>
  `bk_${Math.floor(time).toString(16).padStart(12, '0')}${randomUUID().replaceAll('-', '').slice(12)}`;
