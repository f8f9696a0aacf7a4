import type { Dialect } from '../dialect.ts';
import { LEASE_MS } from '../leases.ts';
import { AWAITS_OUTCOME } from '../row.ts';
import { LOST } from '../rules.ts';
import { firstOf, raw, sql } from '../sql.ts';

/** In ms, by the server's clock: the clocks of the machines that book may be wrong. */
const NOW = raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

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
};
