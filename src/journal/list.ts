import { keyIdentity } from '../contract/key.ts';
import type { Booking } from './booking.ts';
import type { Dialect } from './dialect.ts';
import type { Filter } from './journal.ts';
import { IS_OPEN } from './row.ts';
import { bookingsWhere } from './rules.ts';
import { raw, type Sql, type Steps, sql } from './sql.ts';

export function* list(db: Dialect, filter: Filter): Steps<Booking[]> {
  yield* seeLost(db);
  const { limit, before } = filter;
  const older =
    before === undefined ? sql`true` : sql`number < (SELECT number FROM bookings WHERE id = ${before})`;
  const end = limit === undefined ? sql`` : sql`LIMIT ${limit}`;
  return yield* bookingsWhere(db, sql`${conditionOf(filter)} AND ${older} ORDER BY number DESC ${end}`);
}

/** Without the page. */
export function conditionOf({ states = [], operation, key, since, until }: Filter): Sql {
  const conditions: Sql[] = [sql`true`];
  // Written out, so that the databases can use their indexes.
  if (states.length > 0) conditions.push(raw(`state IN (${states.map(state => `'${state}'`).join(', ')})`));
  if (states.length > 0 && states.every(state => state === 'pending' || state === 'unknown'))
    conditions.push(IS_OPEN);
  if (operation !== undefined) conditions.push(sql`operation = ${operation}`);
  if (key !== undefined) conditions.push(sql`key_id = ${keyIdentity(key)}`);
  if (since !== undefined) conditions.push(sql`at >= ${Math.floor(since)}`);
  if (until !== undefined) conditions.push(sql`at <= ${Math.floor(until)}`);
  return allOf(conditions);
}

export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.reduce((all, one) => sql`${all} AND ${one}`);

/** A pending booking may turn out to be unknown, so all of them are read before a state is asked for. */
export function* seeLost(db: Dialect): Steps<void> {
  if (db.recordLost) yield db.recordLost;
  else yield* bookingsWhere(db, sql`${IS_OPEN} AND state = 'pending'`);
}
