// What the bookings of a day count with against a limit, and whether one more has room in it.
import Big from 'big.js';
import type { Money } from '../contract/read.ts';
import { type Beyond, type Intent, PARTS } from './booking.ts';
import { DAY_MS, holdingList, inScope } from './claim.ts';
import { type Db, raw, type Sql, sql } from './database.ts';

/**
 * Whose bookings count together: those of a profile at an address and account, with those that were booked there without a
 * profile. Without a profile (the address is from the environment) all of that address and account count.
 */
type Payer = Pick<Intent, 'scope' | 'profile'>;

/**
 * The bookings of the last 24 hours that may cost something. What was cancelled is not given back. The time is asked once: as
 * a part of the condition it would keep PostgreSQL from its index.
 */
const ofDay = (db: Db, { scope, profile }: Payer): Sql =>
  sql`at > (SELECT ${db.now} - ${DAY_MS}) AND ${inScope(scope)} AND key_space = 'shipment'
    AND ${profile === null ? raw('true') : sql`(profile = ${profile} OR profile IS NULL)`} AND state IN (${raw(holdingList)})`;

/** What a booking costs in one currency: what its answer says, else what was expected. */
const partsIn = (currency: string): Sql =>
  sql`CASE WHEN substr(charged, 1, 3) = ${currency} THEN CAST(substr(charged, 5) AS bigint)
    WHEN substr(expected, 1, 3) = ${currency} THEN CAST(substr(expected, 5) AS bigint) ELSE 0 END`;

async function spentIn(db: Db, payer: Payer, currency: string): Promise<Big> {
  const sum = await db.first<{ parts: string | null }>(
    sql`SELECT CAST(SUM(${partsIn(currency)}) AS TEXT) AS parts FROM bookings WHERE ${ofDay(db, payer)}`,
  );
  return new Big(sum?.parts ?? 0).div(PARTS);
}

/** What is left of a limit of a day, in each of its currencies; less than 0 if an answer was above its proposal. */
export async function leftOfDay(db: Db, payer: Payer, limit: readonly Money[]): Promise<Money[]> {
  const left: Money[] = [];
  for (const { amount, currency } of limit) {
    const spent = await spentIn(db, payer, currency);
    left.push({ amount: new Big(amount).minus(spent).toFixed(), currency });
  }
  return left;
}

/**
 * Why an order has no room in the limit of its day. For a claim it is asked in the transaction that writes it, while no other
 * claim of the place is written.
 */
export async function beyondLimit(db: Db, intent: Intent): Promise<Beyond | undefined> {
  const { perDay, expected } = intent;
  if (perDay === undefined) return undefined;
  const currency = expected?.slice(0, 3) ?? '';
  const limit = perDay.find(one => one.currency === currency);
  if (limit === undefined) throw new Error('an order without a price was to be held against a limit');
  const own = new Big(expected?.slice(4) ?? 0).div(PARTS);
  const spent = await spentIn(db, intent, currency);
  const excess = spent.plus(own).minus(limit.amount);
  if (excess.lte(0)) return undefined;
  return {
    kind: 'limit',
    limit,
    spent: spent.toFixed(),
    expected: own.toFixed(),
    freeAt: own.gt(limit.amount) ? null : await freeAt(db, intent, currency, excess),
  };
}

/** When so much of what counts now is older than a day, in ms since 1970. */
async function freeAt(db: Db, payer: Payer, currency: string, excess: Big): Promise<number | null> {
  const rows = await db.rows<{ at: number; parts: string }>(
    sql`SELECT CAST(at AS float8) AS at, CAST(${partsIn(currency)} AS TEXT) AS parts FROM bookings
      WHERE ${ofDay(db, payer)} ORDER BY at`,
  );
  let freed = new Big(0);
  for (const { at, parts } of rows) {
    freed = freed.plus(new Big(parts).div(PARTS));
    if (freed.gte(excess)) return at + DAY_MS;
  }
  return null;
}
