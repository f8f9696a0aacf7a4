import type { Dialect } from '../dialect.ts';
import { LEASE_MS } from '../leases.ts';
import { AWAITS_OUTCOME } from '../row.ts';
import { LOST } from '../rules.ts';
import { newestNumber } from '../search.ts';
import { firstOf, raw, rowsOf, type Steps, sql } from '../sql.ts';

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

export const postgresDialect: Dialect = {
  now: () => NOW,
  bytes: sql`(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE oid IN ('bookings'::regclass, 'labels'::regclass, 'made'::regclass, 'label_files'::regclass,
      'words'::regclass))`,
  lease: LEASE_MS,
  forUpdate: raw('FOR UPDATE'),
  *lock({ scope, operation, fingerprint, labels }) {
    const names =
      labels.length > 0 ? labels.map(({ shipment }) => shipment) : [`${operation} ${fingerprint}`];
    // Sorted, so that two claims never wait for each other.
    for (const name of names.sort())
      yield sql`SELECT pg_advisory_xact_lock(hashtextextended(${JSON.stringify([scope.address, scope.account, name])}, 0))`;
  },
  isOneOf: (column, values) => sql`${raw(column)} = ANY (${values})`,
  // Rows that another process is writing are skipped, so that no reader waits.
  recordLost: sql`UPDATE bookings SET state = ${LOST.state}, code = ${LOST.code}, settled_at = ${NOW},
      why = 'whoever sent it did not record an outcome, and has not been heard of since'
    WHERE number IN
      (SELECT number FROM bookings WHERE state = 'pending' AND lease_until <= ${NOW} FOR UPDATE SKIP LOCKED)`,
  isLost: () => false,
  // One statement: one transaction and one round trip.
  *recordOutcome(id, outcome, { made, released, labelled, words }, when = AWAITS_OUTCOME) {
    const { state, code, why, httpStatus, answer, ids, labels, overPrice } = outcome;
    const recorded = yield* firstOf(sql`WITH recorded AS (
        UPDATE bookings SET state = ${state}, settled_at = ${NOW}, code = ${code}, why = ${why},
          http_status = ${httpStatus}, answer = ${answer}, ids = ${JSON.stringify(ids)},
          labels = ${JSON.stringify(labels)}, over_price = ${overPrice}
        WHERE id = ${id} AND ${when} RETURNING id, number, address, account
      ), made_ids AS (
        INSERT INTO made SELECT DISTINCT one, recorded.id FROM recorded, unnest(${made}::text[]) AS ids (one)
        ON CONFLICT DO NOTHING
      ), found_by AS (
        INSERT INTO words SELECT word, recorded.number FROM recorded, unnest(${words}::text[]) AS words (word)
        ON CONFLICT DO NOTHING
      ), released AS (
        DELETE FROM labels USING recorded WHERE booking = recorded.id AND leg = ANY (${released})
      ), labelled AS (
        INSERT INTO labels SELECT DISTINCT ON (shipment) address, account, shipment, leg, id
        FROM recorded, unnest(${labelled.map(({ shipment }) => shipment)}::text[],
          ${labelled.map(({ leg }) => leg)}::text[]) AS labelled (shipment, leg)
        ORDER BY shipment, leg
        ON CONFLICT (address, account, shipment) DO UPDATE SET leg = excluded.leg, booking = excluded.booking
      )
      SELECT id FROM recorded`);
    return recorded !== undefined;
  },
  *saveLabel(id, leg, pdf, file) {
    yield sql`WITH saved AS (
        INSERT INTO label_files VALUES (${id}, ${leg}, ${Buffer.from(pdf)})
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
