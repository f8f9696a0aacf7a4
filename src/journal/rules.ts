// The rules of the journal, once for both databases: what prevents a booking, what an outcome changes, which bookings
// are lost, what an import takes over.
import { keyIdentity } from '../contract/key.ts';
import { LEGS } from '../contract/operation.ts';
import {
  type Booking,
  type Intent,
  mayExist,
  NO_RESPONSE,
  type RecordedOutcome,
  type Scope,
} from './booking.ts';
import type { Dialect, OutcomeEffect } from './dialect.ts';
import type { Holder } from './holder.ts';
import { indexed } from './indexed.ts';
import type { BookingWithLabels, ImportResult, LabelRecord, Obstacle } from './journal.ts';
import { LEASE_MS } from './leases.ts';
import { bookingFrom, COLUMNS, HOLDS_KEY, holdingList, IS_OPEN, type Row } from './row.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from './sql.ts';
import { claimNames, madeNames, outcomeNames, personWords } from './words.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const inScope = ({ address, account }: Scope): Sql =>
  sql`address = ${address} AND account = ${account}`;

export const hasKey = (scope: Scope, { keySpace, key }: Pick<Intent, 'keySpace' | 'key'>): Sql =>
  sql`${inScope(scope)} AND key_space = ${keySpace} AND key_id = ${identityOf(key)} AND ${HOLDS_KEY}`;

export const identityOf = (key: string | null): string | null => (key === null ? null : keyIdentity(key));

/** What prevents the booking: its key or label is held; or it has no key, and the same input was booked in a day. */
export function* obstacleTo(db: Dialect, intent: Intent): Steps<Obstacle | undefined> {
  const { scope, operation, key, fingerprint, labels, allowDuplicate } = intent;
  const keyed = key === null ? undefined : yield* firstBooking(db, hasKey(scope, intent));
  if (keyed) return { kind: 'taken', booking: keyed };
  if (allowDuplicate) return undefined;
  for (const { shipment } of labels) {
    const labelled = yield* bookingOfLabel(db, scope, shipment);
    if (labelled) return { kind: 'taken', booking: labelled.booking };
  }
  if (key !== null || labels.length > 0) return undefined;
  const [twin] =
    (yield* twinsOf(db, scope, operation, [fingerprint])) ??
    (yield* twinsByOrder(db, scope, operation, fingerprint));
  return twin && { kind: 'twin', booking: twin };
}

const isSameInput = (db: Dialect, scope: Scope, operation: string, fingerprints: readonly string[]): Sql =>
  sql`${db.isOneOf('fingerprint', fingerprints)} AND ${inScope(scope)} AND operation = ${operation}
    AND state IN (${raw(holdingList)})`;

/**
 * Bookings with one of these inputs, the newest first: those of the last day, and those that may exist, however old they
 * are. `undefined` if there is none.
 */
export function* twinsOf(
  db: Dialect,
  scope: Scope,
  operation: string,
  fingerprints: readonly string[],
  columns = COLUMNS,
): Steps<Booking[] | undefined> {
  const same = sql`SELECT number FROM bookings WHERE ${isSameInput(db, scope, operation, fingerprints)}`;
  // Two queries, because each has an index of its own.
  const found = yield* bookingsWhere(
    db,
    sql`number IN (${same} AND ${IS_OPEN} UNION ${same} AND at > ${db.now()} - ${DAY_MS})
      ORDER BY number DESC`,
    columns,
  );
  return found.length > 0 ? found : undefined;
}

/**
 * The same by the order of the journal: what was recorded after a booking of the last day was booked in that day, too, even
 * if the clock was behind then.
 */
function* twinsByOrder(db: Dialect, scope: Scope, operation: string, fingerprint: string): Steps<Booking[]> {
  const day = yield* firstOf<{ first: number | null; count: number; newest: number }>(
    sql`SELECT CAST(MIN(number) AS float8) AS first, CAST(COUNT(*) AS float8) AS count,
        CAST((SELECT MAX(number) FROM bookings) AS float8) AS newest
      FROM bookings WHERE at > ${db.now()} - ${DAY_MS} AND at <= ${db.now()}`,
  );
  if (day === undefined || day.first === null) return [];
  // Numbers follow each other: then no other booking is among those of the day.
  if (day.newest - day.first < day.count) return [];
  return yield* bookingsWhere(
    db,
    sql`number > ${day.first} AND ${isSameInput(db, scope, operation, [fingerprint])} ORDER BY number DESC LIMIT 1`,
  );
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
export function* writeIntent(db: Dialect, claiming: Claiming): Steps<boolean> {
  const { id, intent } = claiming;
  const isWritten = yield* insert(INTENT, intentRow(db, claiming));
  if (isWritten) yield foundBy(id, personWords(intent.request.value), claimNames(intent));
  if (isWritten) for (const label of intent.labels) yield claimLabel(intent.scope, id, label);
  return isWritten;
}

/** Writes several that have no labels, sorted by key, so that two processes never wait for each other. */
export const intentsInserted = (db: Dialect, claimings: readonly Claiming[]): Sql =>
  insertion(
    INTENT,
    claimings
      .toSorted((one, other) => (lockedBy(one) < lockedBy(other) ? -1 : 1))
      .map(one => intentRow(db, one))
      .reduceRight((rest, row) => sql`${row}, ${rest}`),
  );

const lockedBy = ({ intent }: Claiming): string => identityOf(intent.key) ?? '';

const intentRow = (db: Dialect, { id, holder, intent }: Claiming): Sql =>
  sql`(${factsOf(id, intent.scope, intent)}, 'pending', ${db.now()}, ${leaseEnd(db)},
    ${JSON.stringify(holder)}, ${intent.request.text})`;

const leaseEnd = (db: Dialect): Sql => sql`${db.now()} + CAST(${LEASE_MS} AS bigint)`;

/** Gives those that are still pending another lease. Returns how many there are. */
export function* renewLeases(db: Dialect, ids: readonly string[]): Steps<number> {
  const { changed } = yield sql`UPDATE bookings SET lease_until = ${leaseEnd(db)}
    WHERE ${db.unlocked(sql`${db.isOneOf('id', ids)} AND state = 'pending'`)}`;
  return changed;
}

const FACTS = raw(
  'id, address, account, operation, key_space, key, key_id, fingerprint, source, record_name, profile, sandbox, run, actor, max_price',
);
const INTENT = sql`${FACTS}, state, at, lease_until, holder, request`;

function factsOf(id: string, { address, account }: Scope, of: Intent | Booking): Sql {
  const { operation, keySpace, key, fingerprint, source, recordName } = of;
  const { profile, sandbox, run, actor, maxPrice } = of;
  return sql`${id}, ${address}, ${account}, ${operation}, ${keySpace}, ${key}, ${identityOf(key)}, ${fingerprint},
    ${source}, ${recordName}, ${profile}, ${sandbox}, ${run}, ${actor}, ${maxPrice}`;
}

/** Writes bookings, but for those whose id is known or whose key is held. */
const insertion = (columns: Sql, rows: Sql): Sql =>
  sql`INSERT INTO bookings (${columns}) VALUES ${rows} ON CONFLICT DO NOTHING`;

/** Returns whether the booking was written. */
function* insert(columns: Sql, row: Sql): Steps<boolean> {
  const { changed } = yield insertion(columns, row);
  return changed > 0;
}

const addLabel = (
  { address, account }: Scope,
  id: string,
  { leg, shipment }: Intent['labels'][number],
): Sql =>
  sql`INSERT INTO labels VALUES (${address}, ${account}, ${indexed(shipment)}, ${leg}, ${id}) ON CONFLICT`;

export const claimLabel = (...added: Parameters<typeof addLabel>): Sql =>
  sql`${addLabel(...added)} (address, account, shipment)
    DO UPDATE SET leg = excluded.leg, booking = excluded.booking`;

/** Neither settled nor counted as lost; and of the same order no other is known to exist since it was claimed. */
export const MAY_SEND = raw(
  "state = 'pending' AND NOT EXISTS (SELECT 1 FROM bookings AS late WHERE late.overtaken_by = bookings.id)",
);

/** May a claimed booking be sent? */
export function* maySend(id: string): Steps<boolean> {
  return (
    (yield* firstOf(sql`SELECT 1 AS found FROM bookings WHERE id = ${id} AND ${MAY_SEND}`)) !== undefined
  );
}

/** The same; if it may, it has another lease. */
export function* confirmClaim(db: Dialect, id: string): Steps<boolean> {
  const { changed } =
    yield sql`UPDATE bookings SET lease_until = ${leaseEnd(db)} WHERE id = ${id} AND ${MAY_SEND}`;
  return changed > 0;
}

/** A label that was made belongs to its booking; one that was not made may be requested again. */
export function effectOf(outcome: RecordedOutcome): OutcomeEffect {
  const { ids, labels } = outcome;
  const found = { made: madeNames(outcome), names: outcomeNames(outcome) };
  if (!mayExist(outcome)) return { ...found, ...UNHELD };
  if (outcome.state === 'unknown') return { ...found, released: [], labelled: [] };
  const hasLabel = (leg: (typeof LEGS)[number]) => labels[leg]?.made === true;
  return {
    ...found,
    released: LEGS.filter(leg => !hasLabel(leg)),
    labelled: LEGS.filter(hasLabel).flatMap(leg => {
      const shipment = ids[leg];
      return shipment === undefined ? [] : { leg, shipment: indexed(shipment) };
    }),
  };
}

/** The part of an effect for a booking that holds neither its key nor its labels. */
export const UNHELD = { released: LEGS, labelled: [] } as const;

/** What a booking becomes if its process is gone, or its lease has ended, before an outcome was recorded. */
export const LOST = { state: 'unknown', code: 'outcome_unknown' } as const;

/** Bookings by a condition. */
export function* bookingsWhere(db: Dialect, condition: Sql, columns = COLUMNS): Steps<Booking[]> {
  if (db.recordLost) yield db.recordLost;
  const bookings: Booking[] = [];
  for (const row of yield* rowsOf<Row>(sql`SELECT ${raw(columns)} FROM bookings WHERE ${condition}`))
    bookings.push(yield* afterLoss(db, row, columns));
  return bookings;
}

/** The booking of a row, which becomes unknown for all readers if it is lost. */
function* afterLoss(db: Dialect, row: Row, columns: string): Steps<Booking> {
  const booking = bookingFrom(row);
  if (booking.state !== 'pending' || !db.isLost(row)) return booking;
  const why = 'the process that sent it ended before it could record an outcome';
  const lost = { ...LOST, ...NO_RESPONSE, why };
  yield* db.recordOutcome(booking.id, lost, effectOf(lost));
  const unknown = yield* firstOf<Row>(sql`SELECT ${raw(columns)} FROM bookings WHERE id = ${row.id}`);
  return unknown ? bookingFrom(unknown) : booking;
}

export function* firstBooking(db: Dialect, condition: Sql): Steps<Booking | undefined> {
  if (db.recordLost) yield db.recordLost;
  const row = yield* firstOf<Row>(sql`SELECT ${raw(COLUMNS)} FROM bookings WHERE ${condition} LIMIT 1`);
  return row && (yield* afterLoss(db, row, COLUMNS));
}

/**
 * Selects `booking` and `leg` of the label of a shipment, by each of two indexes: damage to one of them must not label a
 * shipment again. The concatenation keeps SQLite from using the first one twice.
 */
export const labelOf = (scope: Scope, shipment: string): Sql =>
  sql`SELECT booking, leg FROM labels WHERE ${inScope(scope)} AND shipment = ${indexed(shipment)}
    UNION SELECT booking, leg FROM labels WHERE shipment = ${indexed(shipment)}
      AND address || '' = ${scope.address} AND account || '' = ${scope.account}`;

/** The booking that made, or may have made, the label of a shipment. */
export function* bookingOfLabel(db: Dialect, scope: Scope, shipment: string): Steps<LabelRecord | undefined> {
  const found = yield* firstOf<{ booking: string } & Pick<LabelRecord, 'leg'>>(labelOf(scope, shipment));
  if (found === undefined) return undefined;
  const booking = yield* firstBooking(db, sql`id = ${found.booking}`);
  if (booking === undefined)
    throw new Error(
      `it is damaged: the label of ${shipment} belongs to ${found.booking}, which is not found`,
    );
  return { booking, leg: found.leg };
}

/** Imports one booking; nothing that is here is overwritten. */
export function* importBooking(db: Dialect, { booking, labels }: BookingWithLabels): Steps<ImportResult> {
  const { id, state, at, settledAt, settlements, overtakenBy, holder, request } = booking;
  const { code, why, httpStatus, answer, ids, overPrice } = booking;
  if (yield* firstOf(sql`SELECT id FROM bookings WHERE id = ${id}`)) return { kind: 'known' };
  for (const { shipment } of labels) {
    const labelled = yield* firstOf<{ booking: string }>(labelOf(booking, shipment));
    if (labelled) return { kind: 'held', by: labelled.booking };
  }
  const isWritten = yield* insert(
    sql`${FACTS}, state, at, settled_at, lease_until, holder, request, code, why, http_status, answer, ids, labels,
      files, settlements, overtaken_by, over_price`,
    sql`(${factsOf(id, booking, booking)}, ${state}, ${at}, ${settledAt}, 0, ${JSON.stringify(holder)},
      ${request === null ? null : JSON.stringify(request)}, ${code}, ${why}, ${httpStatus}, ${answer},
      ${JSON.stringify(ids)}, ${JSON.stringify(booking.labels)}, ${JSON.stringify(booking.files)},
      ${JSON.stringify(settlements)}, ${overtakenBy}, ${overPrice})`,
  );
  if (!isWritten) {
    const keyed = yield* firstOf<{ id: string }>(
      sql`SELECT id FROM bookings WHERE ${hasKey(booking, booking)}`,
    );
    return { kind: 'held', by: keyed?.id ?? '' };
  }
  for (const made of madeNames(booking)) yield addMade(made, id);
  yield foundBy(id, personWords(request), claimNames(booking) + outcomeNames(booking));
  for (const label of labels) yield sql`${addLabel(booking, id, label)} DO NOTHING`;
  yield nameLabels(labelsOf(db, id, ids));
  return { kind: 'imported' };
}

export const addMade = (made: string, id: string): Sql =>
  sql`INSERT INTO made VALUES (${made}, ${id}) ON CONFLICT DO NOTHING`;

const foundBy = (id: string, person: string, names: string): Sql =>
  sql`INSERT INTO found_by SELECT number, ${person}, ${names} FROM bookings WHERE id = ${id}`;

/** The shipments of these rows of `labels` are found by what their labels are found by, too. */
export const nameLabels = (condition: Sql): Sql =>
  sql`UPDATE found_by SET names = found_by.names || labelled.names
    FROM (SELECT shipped.number AS number, string_agg(own.names, '') AS names
      FROM labels JOIN bookings AS labelling ON labelling.id = labels.booking
        JOIN found_by AS own ON own.number = labelling.number
        JOIN made ON made.id = labels.shipment JOIN bookings AS shipped ON shipped.id = made.booking
      WHERE ${condition} AND shipped.id <> labelling.id
        AND shipped.address = labels.address AND shipped.account = labels.account
      GROUP BY shipped.number) AS labelled
    WHERE found_by.number = labelled.number`;

/** Rows of `labels` that a booking has, or that are of its shipments. */
export const labelsOf = (db: Dialect, id: string, ids: Booking['ids']): Sql =>
  sql`(labels.booking = ${id} OR ${db.isOneOf('labels.shipment', Object.values(ids).map(indexed))})`;
