// What is kept with bookings, taken over from other journals, and deleted when it is old.
import type { Leg } from '../contract/operations.ts';
import type { Booking, BookingWithLabels, ImportResult, Scope, Settlement } from './booking.ts';
import {
  foundBy,
  hasKey,
  IS_OPEN,
  inScope,
  labelInserted,
  labelQuery,
  optionalKeyIdentity,
} from './claim.ts';
import { bookingInserted, jsonIn } from './columns.ts';
import { type Db, raw, type Sql, sql } from './database.ts';
import { madeInserted, nameByLabels } from './finish.ts';
import { claimNames, indexed, madeNames, outcomeNames, personWords } from './words.ts';

/** Saves a label file with the booking that made it. */
export async function saveLabel(db: Db, id: string, leg: Leg, pdf: Uint8Array, file: string): Promise<void> {
  await db.run(sql`INSERT INTO label_files (booking, leg, pdf)
    VALUES (${id}, ${leg}, ${Buffer.from(pdf).toString('base64')})
    ON CONFLICT (booking, leg) DO UPDATE SET pdf = excluded.pdf`);
  const row = await db.first<{ files: string }>(
    sql`SELECT files FROM bookings WHERE id = ${id} ${db.forUpdate}`,
  );
  const known = jsonIn<Booking['files']>(id, 'files', row?.files ?? '{}');
  const files = JSON.stringify({ ...known, [leg]: file });
  await db.run(sql`UPDATE bookings SET files = ${files} WHERE id = ${id}`);
}

/** Records that the labels of these shipments were printed. */
export async function recordPrinted(db: Db, scope: Scope, shipments: readonly string[]): Promise<void> {
  await db.run(sql`UPDATE labels SET printed_at = ${db.now}
    WHERE ${inScope(scope)} AND ${db.isOneOf('shipment', shipments.map(indexed))}`);
}

/** Which of the shipments have a label that was printed. */
export async function printedAmong(db: Db, scope: Scope, shipments: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ shipment: string }>(sql`SELECT shipment FROM labels
    WHERE ${inScope(scope)} AND ${db.isOneOf('shipment', shipments.map(indexed))} AND printed_at IS NOT NULL`);
  const found = new Set(rows.map(({ shipment }) => shipment));
  return new Set(shipments.filter(one => found.has(indexed(one))));
}

/** Imports one booking; nothing that is here is overwritten. */
export async function importBooking(db: Db, { booking, labels }: BookingWithLabels): Promise<ImportResult> {
  const { id, ids, request } = booking;
  if (await db.first(sql`SELECT id FROM bookings WHERE id = ${id}`)) return { kind: 'known' };
  for (const { shipment } of labels) {
    const labelled = await db.first<{ booking: string }>(labelQuery(booking, shipment));
    if (labelled) return { kind: 'held', by: labelled.booking };
  }
  if ((await db.run(bookingInserted(booking, optionalKeyIdentity(booking.key)))) === 0) {
    const keyed = await db.first<{ id: string }>(
      sql`SELECT id FROM bookings WHERE ${hasKey(booking, booking)}`,
    );
    return { kind: 'held', by: keyed?.id ?? '' };
  }
  for (const made of madeNames(booking)) await db.run(madeInserted(made, id));
  await db.run(foundBy(id, personWords(request), claimNames(booking) + outcomeNames(booking)));
  for (const label of labels) await db.run(labelInserted(booking, id, label, raw('DO NOTHING')));
  await nameByLabels(db, id, ids);
  return { kind: 'imported' };
}

/** Bookings that are pruned in one transaction: others write between them. */
export const PRUNED_AT_ONCE = 2000;

/** The number of the newest booking before a time, in ms since 1970; 0 if there is none. */
export async function newestBefore(db: Db, time: number): Promise<number> {
  // The sum keeps SQLite from reading the newer half of all bookings: the index by time has time and number.
  const row = await db.first<{ newest: number | null }>(
    sql`SELECT CAST(MAX(number + 0) AS float8) AS newest FROM bookings WHERE at < ${Math.floor(time)}`,
  );
  return row?.newest ?? 0;
}

/**
 * Deletes what old bookings with the next numbers hold of persons: requests, answers, labels. Keys and ids stay, so that
 * nothing is booked again. Gives how many were pruned.
 */
export async function prunePage(db: Db, before: number, after: number): Promise<number> {
  const old = sql`number > ${after} AND number <= ${after + PRUNED_AT_ONCE} AND at < ${Math.floor(before)}
    AND NOT ${IS_OPEN}`;
  const full = sql`${old} AND (request IS NOT NULL OR answer IS NOT NULL)`;
  await db.run(
    sql`UPDATE found_by SET person = '' WHERE number IN (SELECT number FROM bookings WHERE ${full})`,
  );
  await pruneSettlements(db, old);
  await db.run(sql`DELETE FROM label_files WHERE booking IN (SELECT id FROM bookings WHERE ${full})`);
  return db.run(sql`UPDATE bookings SET request = NULL, answer = NULL, why = '', files = '{}' WHERE ${full}`);
}

/** Drops what the service told and what a person wrote. */
async function pruneSettlements(db: Db, old: Sql): Promise<void> {
  const rows = await db.rows<{ id: string; settlements: string }>(
    sql`SELECT id, settlements FROM bookings WHERE ${old} AND settlements <> '[]'`,
  );
  for (const { id, settlements } of rows) {
    const kept = jsonIn<Settlement[]>(id, 'settlements', settlements).map(({ evidence: _, ...one }) => ({
      ...one,
      reason: null,
    }));
    await db.run(sql`UPDATE bookings SET settlements = ${JSON.stringify(kept)} WHERE id = ${id}`);
  }
}
