// What ended and what begins, written by one statement.
import { mayExist, type RecordedOutcome } from '../booking.ts';
import { type Claiming, intentsInserted, MAY_SEND, TAKEN_OVER } from '../claim.ts';
import { columnName, isNumber, type Key, OUTCOME, outcomeSet, stored } from '../columns.ts';
import { type Db, list, raw, type Sql, sql } from '../database.ts';
import { AWAITS_OUTCOME, hasLabels, nameShipments, type OutcomeEffect, outcomeEffect } from '../finish.ts';
import { claimNames, personWords } from '../words.ts';
import { NOW } from './connection.ts';

/** An outcome, and the booking that ended with it. */
export interface Ended {
  id: string;
  outcome: RecordedOutcome;
}

/**
 * Writes the outcomes and the claims of a turn, in one commit and mostly one round trip: there are never more bookings
 * pending than are sent at a time. It leaves out what is not as usual: a booking that was settled, is being written by another
 * process, or overtook another one; and a key that is held. Returns the ids of what was written. It needs a transaction if
 * an outcome has labels, which takes a statement of its own, or says that nothing was made: a single statement would not see
 * that a booking was overtaken between its beginning and its lock.
 */
export async function writeTurn(
  db: Db,
  all: readonly Ended[],
  claimings: readonly Claiming[],
): Promise<ReadonlySet<string>> {
  const ended = await lockUnmade(db, all);
  if (ended.length === 0 && claimings.length === 0) return new Set();
  const endedIds = ended.map(({ id }) => id);
  const outcomes = recording(
    ended.map(({ id, outcome }) => ({ id, outcome, effect: outcomeEffect(outcome) })),
    sql`${MAY_SEND} AND ${db.unlocked(sql`id = ANY (${endedIds}) AND ${AWAITS_OUTCOME}`)}`,
  );
  const claims = () => sql`claimed AS (${intentsInserted(db, claimings)} RETURNING id, number), found AS (
      INSERT INTO found_by SELECT number, person, names FROM claimed JOIN unnest(${claimings.map(one => one.id)}::text[],
        ${claimings.map(({ intent }) => personWords(intent.request.value))}::text[],
        ${claimings.map(({ intent }) => claimNames(intent))}::text[]) AS words (of, person, names) ON of = id
    )`;
  const written = await db.rows<{ id: string }>(
    ended.length === 0
      ? sql`WITH ${claims()} SELECT id FROM claimed`
      : claimings.length === 0
        ? sql`WITH ${outcomes} SELECT id FROM recorded`
        : sql`WITH ${outcomes}, ${claims()} SELECT id FROM recorded UNION ALL SELECT id FROM claimed`,
  );
  const ids = new Set(written.map(({ id }) => id));
  for (const { id, outcome } of ended.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    if (ids.has(id) && mayExist(outcome) && hasLabels(outcome)) await db.run(nameShipments(db, id));
  return ids;
}

/** Locks the bookings of which nothing was made, and leaves out those that another process is writing. */
async function lockUnmade(db: Db, ended: readonly Ended[]): Promise<readonly Ended[]> {
  const unmade = ended.filter(({ outcome }) => !mayExist(outcome)).map(({ id }) => id);
  if (unmade.length === 0) return ended;
  const held = await db.rows<{ id: string }>(
    sql`SELECT id FROM bookings WHERE id = ANY (${unmade}) FOR UPDATE SKIP LOCKED`,
  );
  const isHeld = new Set(held.map(({ id }) => id));
  return ended.filter(({ id, outcome }) => mayExist(outcome) || isHeld.has(id));
}

type WithEffect = Ended & { effect: OutcomeEffect };

/** Parts of a WITH; their text does not depend on how many there are. */
function recording(ended: readonly WithEffect[], when: Sql): Sql {
  const values = list(OUTCOME_VALUES.map(key => sql`${ended.map(one => textOf(key, one))}::text[]`));
  return sql`recorded AS (
      UPDATE bookings SET ${outcomeSet(OUTCOME.map(newValue))}
      FROM unnest(${ended.map(({ id }) => id)}::text[], ${values}) AS ended (booking, ${NEW_NAMES})
      WHERE id = booking AND ${when} RETURNING id, number, address, account
    ), made_ids AS (
      INSERT INTO made SELECT DISTINCT one, id FROM recorded JOIN ${each(ended, ({ made }) => made)} ON of = id
      ON CONFLICT DO NOTHING
    ), named AS (
      UPDATE found_by SET names = names || one
      FROM recorded JOIN ${each(ended, namesOf)} ON of = id
      WHERE found_by.number = recorded.number
    ), released AS (
      DELETE FROM labels USING recorded JOIN ${each(ended, ({ released }) => released)} ON of = id
      WHERE booking = id AND leg = one
    ), labelled AS (
      INSERT INTO labels (address, account, shipment, leg, booking)
      SELECT DISTINCT ON (address, account, shipment) address, account, shipment, one, id
      FROM recorded JOIN ${each(
        ended,
        ({ labelled }) => labelled.map(({ leg }) => leg),
        ({ labelled }) => labelled.map(({ shipment }) => shipment),
      )} ON of = id
      ORDER BY address, account, shipment, one
      ON CONFLICT ${TAKEN_OVER}
    )`;
}

const namesOf = ({ names }: OutcomeEffect): string[] => (names === '' ? [] : [names]);

const OUTCOME_VALUES = OUTCOME.filter(key => key !== 'settledAt');
const NEW_NAMES = raw(OUTCOME_VALUES.map(key => `new_${columnName(key)}`).join(', '));

const newValue = (key: Key): Sql =>
  key === 'settledAt'
    ? NOW
    : raw(isNumber(key) ? `CAST(new_${columnName(key)} AS bigint)` : `new_${columnName(key)}`);

/** All of them travel as text. */
const textOf = (key: Key, { outcome }: Ended): string | null => {
  const value = stored(key, outcome[key as keyof RecordedOutcome]);
  return value === null ? null : String(value);
};

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
