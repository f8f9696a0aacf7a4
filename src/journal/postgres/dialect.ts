import { mayExist, type RecordedOutcome } from '../booking.ts';
import type { Dialect, OutcomeEffect } from '../dialect.ts';
import { AWAITS_OUTCOME } from '../row.ts';
import { type Claiming, effectOf, intentsInserted, LOST, MAY_SEND } from '../rules.ts';
import { newestNumber } from '../search.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from '../sql.ts';

/** In ms, by the server's clock: the clocks of the machines that book may be wrong. */
const NOW = raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

/** The number of the lock for the table of words; any number that no other program uses. */
const WORDS_LOCK = 8_027_012;

/** How often it is asked whether others have finished writing. */
const WRITER_TRIES = 50;

/** The transactions that write bookings at this moment. */
function* writers(): Steps<string[]> {
  const rows = yield* rowsOf<{ writer: string }>(
    sql`SELECT virtualtransaction AS writer FROM pg_locks WHERE relation = 'bookings'::regclass
      AND mode = 'RowExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.map(({ writer }) => writer);
}

/** Skips the rows that another process is writing. */
const unlocked = (condition: Sql): Sql =>
  sql`number IN (SELECT number FROM bookings WHERE ${condition} FOR UPDATE SKIP LOCKED)`;

export const postgresDialect: Dialect = {
  now: () => NOW,
  bytes: sql`(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE oid IN ('bookings'::regclass, 'labels'::regclass, 'made'::regclass, 'label_files'::regclass,
      'words'::regclass, 'seen'::regclass))`,
  forUpdate: raw('FOR UPDATE'),
  *lock({ scope, operation, fingerprint, labels }) {
    const names =
      labels.length > 0 ? labels.map(({ shipment }) => shipment) : [`${operation} ${fingerprint}`];
    // Sorted, so that two claims never wait for each other.
    for (const name of names.sort())
      yield sql`SELECT pg_advisory_xact_lock(hashtextextended(${JSON.stringify([scope.address, scope.account, name])}, 0))`;
  },
  isOneOf: (column, values) => sql`${raw(column)} = ANY (${values})`,
  unlocked,
  // So that no reader waits.
  recordLost: sql`UPDATE bookings SET state = ${LOST.state}, code = ${LOST.code}, settled_at = ${NOW},
      why = 'the process that sent it recorded no outcome, and does not renew its claim any more'
    WHERE ${unlocked(sql`state = 'pending' AND lease_until <= ${NOW}`)}`,
  isLost: () => false,
  *recordOutcome(id, outcome, effect, when = AWAITS_OUTCOME) {
    const recorded = yield* firstOf(
      sql`${recording([{ id, outcome, effect }], when)} SELECT id FROM recorded`,
    );
    return recorded !== undefined;
  },
  *saveLabel(id, leg, pdf, file) {
    yield sql`WITH saved AS (
        INSERT INTO label_files (booking, leg, pdf) VALUES (${id}, ${leg}, ${Buffer.from(pdf)})
        ON CONFLICT (booking, leg) DO UPDATE SET pdf = excluded.pdf
      )
      UPDATE bookings SET files = jsonb_set(files::jsonb, ARRAY[${leg}], to_jsonb(${file}::text))::text
      WHERE id = ${id}`;
  },
  pdfOf: stored => stored as Buffer,
  madeId: raw('made.id COLLATE "C"'),
  listOfNumbers: raw("COALESCE(json_agg(number)::text, '[]')"),
  hasNumber: numbers => sql`number = ANY (CAST(${numbers.map(String)} AS bigint[]))`,
  wordTable: found =>
    sql`unnest(CAST(${found.map(({ word }) => word)} AS text[]), CAST(${found.map(({ number }) => String(number))} AS bigint[]))
      AS found (word, number)`,
  lockWords: raw(`SELECT pg_advisory_xact_lock(${WORDS_LOCK})`),
  // A number is taken before its row can be seen. Whoever has taken one holds the lock of a writer, from before until the
  // row can be seen; so those that hold it now are waited for. Nobody has to wait for this.
  *newestNumber() {
    const newest = yield* newestNumber();
    const writing = new Set(yield* writers());
    for (let tries = 0; writing.size > 0 && tries < WRITER_TRIES; tries += 1) {
      yield raw('SELECT pg_sleep(0.02)');
      const still = new Set(yield* writers());
      for (const one of writing) if (!still.has(one)) writing.delete(one);
    }
    return writing.size > 0 ? undefined : newest;
  },
};

/** An outcome, and the booking that ended with it. */
export interface Ended {
  id: string;
  outcome: RecordedOutcome;
}

/**
 * Writes the outcomes and the claims of a turn, in one commit and mostly one round trip: there are never more bookings
 * pending than are sent at a time. It leaves out what is not as usual: a booking that was settled, is being written by another
 * process, or overtook another one; and a key that is held. Returns the ids of what was written. It needs a transaction if
 * an outcome says that nothing was made: a single statement would not see that a booking was overtaken between its beginning
 * and its lock.
 */
export function* writeTurn(
  all: readonly Ended[],
  claimings: readonly Claiming[],
): Steps<ReadonlySet<string>> {
  const ended = yield* lockUnmade(all);
  if (ended.length === 0 && claimings.length === 0) return new Set();
  const ids = ended.map(({ id }) => id);
  const outcomes = recording(
    ended.map(({ id, outcome }) => ({ id, outcome, effect: effectOf(outcome) })),
    sql`${MAY_SEND} AND ${unlocked(sql`id = ANY (${ids}) AND ${AWAITS_OUTCOME}`)}`,
  );
  const claims = () => sql`${intentsInserted(postgresDialect, claimings)} RETURNING id`;
  const written = yield* rowsOf<{ id: string }>(
    ended.length === 0
      ? claims()
      : claimings.length === 0
        ? sql`${outcomes} SELECT id FROM recorded`
        : sql`${outcomes}, claimed AS (${claims()}) SELECT id FROM recorded UNION ALL SELECT id FROM claimed`,
  );
  return new Set(written.map(({ id }) => id));
}

/** Locks the bookings of which nothing was made, and leaves out those that another process is writing. */
function* lockUnmade(ended: readonly Ended[]): Steps<readonly Ended[]> {
  const unmade = ended.filter(({ outcome }) => !mayExist(outcome)).map(({ id }) => id);
  if (unmade.length === 0) return ended;
  const held = yield* rowsOf<{ id: string }>(
    sql`SELECT id FROM bookings WHERE id = ANY (${unmade}) FOR UPDATE SKIP LOCKED`,
  );
  const isHeld = new Set(held.map(({ id }) => id));
  return ended.filter(({ id, outcome }) => mayExist(outcome) || isHeld.has(id));
}

type WithEffect = Ended & { effect: OutcomeEffect };

/** The beginning of a statement; its text does not depend on how many there are. */
function recording(ended: readonly WithEffect[], when: Sql): Sql {
  const all = (of: (outcome: RecordedOutcome) => string | null) =>
    sql`${ended.map(({ outcome }) => of(outcome))}::text[]`;
  return sql`WITH recorded AS (
      UPDATE bookings SET state = new_state, settled_at = ${NOW}, code = new_code, why = new_why,
        http_status = new_status::integer, answer = new_answer, ids = new_ids, labels = new_labels,
        over_price = new_over_price::boolean
      FROM unnest(${ended.map(({ id }) => id)}::text[], ${all(({ state }) => state)}, ${all(({ code }) => code)},
          ${all(({ why }) => why)}, ${all(({ httpStatus }) => textOf(httpStatus))}, ${all(({ answer }) => answer)},
          ${all(({ ids }) => JSON.stringify(ids))}, ${all(({ labels }) => JSON.stringify(labels))},
          ${all(({ overPrice }) => textOf(overPrice))})
        AS ended (booking, new_state, new_code, new_why, new_status, new_answer, new_ids, new_labels, new_over_price)
      WHERE id = booking AND ${when} RETURNING id, number, address, account
    ), made_ids AS (
      INSERT INTO made SELECT DISTINCT one, id FROM recorded JOIN ${each(ended, ({ made }) => made)} ON of = id
      ON CONFLICT DO NOTHING
    ), found_by AS (
      INSERT INTO words SELECT one, number FROM recorded JOIN ${each(ended, ({ words }) => words)} ON of = id
      ORDER BY one COLLATE "C", number
      ON CONFLICT DO NOTHING
    ), released AS (
      DELETE FROM labels USING recorded JOIN ${each(ended, ({ released }) => released)} ON of = id
      WHERE booking = id AND leg = one
    ), labelled AS (
      INSERT INTO labels SELECT DISTINCT ON (address, account, shipment) address, account, shipment, one, id
      FROM recorded JOIN ${each(
        ended,
        ({ labelled }) => labelled.map(({ leg }) => leg),
        ({ labelled }) => labelled.map(({ shipment }) => shipment),
      )} ON of = id
      ORDER BY address, account, shipment, one
      ON CONFLICT (address, account, shipment) DO UPDATE SET leg = excluded.leg, booking = excluded.booking
    )`;
}

const textOf = (value: number | boolean | null): string | null => (value === null ? null : String(value));

/** A part of each effect as a table: `of` is its booking. */
function each(
  ended: readonly WithEffect[],
  one: (effect: OutcomeEffect) => readonly string[],
  shipment = one,
): Sql {
  const of = ended.flatMap(({ id, effect }) => one(effect).map(() => id));
  const column = (list: typeof one) => sql`${ended.flatMap(({ effect }) => list(effect))}::text[]`;
  return sql`unnest(${of}::text[], ${column(one)}, ${column(shipment)}) AS each (of, one, shipment)`;
}
