import { mayExist, type RecordedOutcome } from '../booking.ts';
import type { Dialect, OutcomeEffect } from '../dialect.ts';
import { AWAITS_OUTCOME, holdingList } from '../row.ts';
import { type Claiming, effectOf, intentsInserted, LOST, MAY_SEND } from '../rules.ts';
import { firstOf, raw, rowsOf, type Sql, type Steps, sql } from '../sql.ts';
import { claimNames, personWords } from '../words.ts';

/** In ms, by the server's clock: the clocks of the machines that book may be wrong. */
const NOW = raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

/** Skips the rows that another process is writing. */
const unlocked = (condition: Sql): Sql =>
  sql`number IN (SELECT number FROM bookings WHERE ${condition} FOR UPDATE SKIP LOCKED)`;

export const postgresDialect: Dialect = {
  now: () => NOW,
  bytes: sql`(SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE oid IN ('bookings'::regclass, 'labels'::regclass, 'made'::regclass, 'label_files'::regclass,
      'found_by'::regclass, 'seen'::regclass))`,
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
      sql`WITH ${recording([{ id, outcome, effect }], when)} SELECT id FROM recorded`,
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
  contains: (column, text) => sql`strpos(${column}, ${text}) > 0`,
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
  const claims =
    () => sql`claimed AS (${intentsInserted(postgresDialect, claimings)} RETURNING id, number), found AS (
      INSERT INTO found_by SELECT number, person, names FROM claimed JOIN unnest(${claimings.map(one => one.id)}::text[],
        ${claimings.map(({ intent }) => personWords(intent.request.value))}::text[],
        ${claimings.map(({ intent }) => claimNames(intent))}::text[]) AS words (of, person, names) ON of = id
    )`;
  const written = yield* rowsOf<{ id: string }>(
    ended.length === 0
      ? sql`WITH ${claims()} SELECT id FROM claimed`
      : claimings.length === 0
        ? sql`WITH ${outcomes} SELECT id FROM recorded`
        : sql`WITH ${outcomes}, ${claims()} SELECT id FROM recorded UNION ALL SELECT id FROM claimed`,
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

/** Parts of a WITH; their text does not depend on how many there are. */
function recording(ended: readonly WithEffect[], when: Sql): Sql {
  const all = (of: (outcome: RecordedOutcome) => string | null) =>
    sql`${ended.map(({ outcome }) => of(outcome))}::text[]`;
  return sql`recorded AS (
      UPDATE bookings SET state = new_state, settled_at = ${NOW}, code = new_code, why = new_why,
        http_status = new_status::integer, answer = new_answer, ids = new_ids, labels = new_labels,
        over_price = new_over_price::boolean
      FROM unnest(${ended.map(({ id }) => id)}::text[], ${all(({ state }) => state)}, ${all(({ code }) => code)},
          ${all(({ why }) => why)}, ${all(({ httpStatus }) => textOf(httpStatus))}, ${all(({ answer }) => answer)},
          ${all(({ ids }) => JSON.stringify(ids))}, ${all(({ labels }) => JSON.stringify(labels))},
          ${all(({ overPrice }) => textOf(overPrice))})
        AS ended (booking, new_state, new_code, new_why, new_status, new_answer, new_ids, new_labels, new_over_price)
      WHERE id = booking AND ${when} RETURNING id, number, address, account, state
    ), made_ids AS (
      INSERT INTO made SELECT DISTINCT one, id FROM recorded JOIN ${each(ended, ({ made }) => made)} ON of = id
      ON CONFLICT DO NOTHING
    ), named AS (
      UPDATE found_by SET names = names || one
      FROM recorded JOIN ${each(ended, namesOf)} ON of = id
      WHERE found_by.number = recorded.number
    ), shipped AS (
      UPDATE found_by SET names = found_by.names || added
      FROM (SELECT shipped.number AS number, string_agg(own.names || COALESCE(one, ''), '') AS added
        FROM recorded JOIN labels ON labels.booking = recorded.id LEFT JOIN ${each(ended, namesOf)} ON of = recorded.id
          JOIN found_by AS own ON own.number = recorded.number
          JOIN made ON made.id = labels.shipment JOIN bookings AS shipped ON shipped.id = made.booking
        WHERE recorded.state IN (${raw(holdingList)}) AND shipped.id <> recorded.id AND shipped.address = recorded.address AND shipped.account = recorded.account
        GROUP BY shipped.number) AS labelled
      WHERE found_by.number = labelled.number
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

const namesOf = ({ names }: OutcomeEffect): string[] => (names === '' ? [] : [names]);

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
