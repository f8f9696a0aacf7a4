// The `Db` of a connection to the shared journal, with the SQL that only PostgreSQL has.

import { lostWords } from '../../say/booked.ts';
import { IS_OPEN, intentsInserted, type Processes } from '../claim.ts';
import { type Db, list, raw, type Sql, sql } from '../database.ts';
import { recordLost } from '../record.ts';
import { COLUMN_NAMES, TABLES } from '../tables.ts';
import { claimNames, searchedWords } from '../words.ts';
import { NOW, NOW_TEXT, type Statements } from './connection.ts';

const LOST_WHY = lostWords('silent');

/** What a booking is shown as if no process renews its claim. */
const LOST = [
  ['state', "'unknown'"],
  ['code', "'outcome_unknown'"],
  ['why', `'${LOST_WHY}'`],
] as const;

/** Narrows a condition to rows that no other process is writing. */
const unlocked = (condition: Sql): Sql =>
  sql`number IN (SELECT number FROM bookings WHERE ${condition} FOR UPDATE SKIP LOCKED)`;

export const postgresDb = (statements: Statements, processes: Processes): Db => ({
  ...statements,
  own: processes.own,
  isAlive: processes.isAlive,
  hasEnded: (_, leaseUntil, at) => leaseUntil <= at,
  now: NOW,
  isOneOf: (column, values) => sql`${raw(column)} = ANY (${values})`,
  // An array instead of a join: for a join, a database without statistics may read all bookings.
  isIn: (column, selection) => sql`${raw(column)} = ANY (ARRAY (${selection}))`,
  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,
  forUpdate: raw('FOR UPDATE'),
  skipLocked: raw('FOR UPDATE SKIP LOCKED'),
  rowsOf: columns =>
    sql`unnest(${list(Object.values(columns).map(texts => sql`${texts}::text[]`))}) AS rows (${raw(Object.keys(columns).join(', '))})`,
  unlocked,
  // Each lock has a statement of its own: a statement that waits for a lock does not see what was written meanwhile.
  async lock(scope, names) {
    // Locked in sorted order, so that two transactions never wait for each other.
    for (const name of [...names].sort()) {
      const text = JSON.stringify([scope.address, scope.account, name]);
      // PostgreSQL has one set of these locks for all journals of a database: the oid of the table `bookings` tells the journals apart,
      // whatever schema or search path leads there.
      await statements.run(
        sql`SELECT pg_advisory_xact_lock(hashtextextended('bookings'::regclass::oid::text || ${text}, 0))`,
      );
    }
  },
  // All claims are written by one statement, because the server may be far away.
  async writeClaims(claimings) {
    const words = {
      of: claimings.map(({ id }) => id),
      person: claimings.map(({ intent }) => searchedWords(intent.request.value)),
      names: claimings.map(({ intent }) => claimNames(intent)),
    };
    const db = postgresDb(statements, processes);
    const written = await statements.rows<{ id: string }>(sql`WITH claimed AS (
        ${intentsInserted(db, claimings)} RETURNING id, number
      ), words AS (
        INSERT INTO found_by SELECT number, person, names FROM claimed JOIN ${db.rowsOf(words)} ON of = id
      ) SELECT id FROM claimed`);
    return new Set(written.map(({ id }) => id));
  },
  // Only lost bookings that no other process is writing, so that no reader waits.
  async recordLost() {
    await recordLost(postgresDb(statements, processes), LOST_WHY, sql`lease_until <= ${NOW}`);
  },
  async lost() {
    const rows = await statements.rows<{ id: string }>(
      sql`SELECT id FROM bookings WHERE ${IS_OPEN} AND state = 'pending' AND lease_until <= ${NOW}`,
    );
    return rows.map(({ id }) => id);
  },
  bookings: raw('(SELECT count(*) FROM bookings)'),
  engine: raw("'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)"),
  bytes: raw(`(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE oid IN (${Object.keys(TABLES)
      .map(name => `'${name}'::regclass`)
      .join(', ')}))`),
});

/** The bookings as a journal shows them that is only read: lost bookings are unknown. */
const SHOWN = raw(
  `WITH bookings AS NOT MATERIALIZED (SELECT number, ${COLUMN_NAMES.map(name => {
    const [, lost] = LOST.find(([column]) => column === name) ?? [];
    return lost === undefined
      ? name
      : `CASE WHEN state = 'pending' AND lease_until <= ${NOW_TEXT} THEN ${lost} ELSE ${name} END AS ${name}`;
  }).join(', ')} FROM bookings)`,
);

/** The `Db` of a role that may only read: lost bookings cannot be recorded as unknown, so they are read as unknown. */
export const readingOnly = (db: Db): Db => ({
  ...db,
  rows: statement => db.rows(sql`${SHOWN} ${statement}`),
  first: statement => db.first(sql`${SHOWN} ${statement}`),
  async recordLost() {},
});
