// What becomes of bookings is recorded here, and nowhere else: the journal is asked about other bookings, the machine decides
// (src/booking/machine.ts), and the step that it gives is written, in both databases by the same statements.
import {
  type Booking,
  hasOwnKey,
  type Ids,
  isAt,
  isInputKnown,
  type LegShipment,
  labelledBy,
  legOfId,
  mayExist,
  type NewSettlement,
  type Outcome,
  shipmentsIn,
} from '../booking/booking.ts';
import {
  type Happening,
  isStep,
  type Problem,
  type Situation,
  type Step,
  stepAfter,
} from '../booking/machine.ts';
import type { Amended } from '../booking/questions.ts';
import { decisionOf, lastDecision } from '../booking/standing.ts';
import type { Leg } from '../contract/operations.ts';
import { StoreError } from '../errors.ts';
import { reasonWords } from '../say/booked.ts';
import {
  bookingOfLabel,
  bookingOfShipment,
  bookingsWhere,
  claimLabels,
  firstBooking,
  HOLDS_KEY,
  hasKey,
  IS_OPEN,
  inScope,
  isOf,
  isShipment,
  labelQuery,
  lastSent,
  lockNames,
  ownersOf,
} from './claim.ts';
import { type Db, list, raw, type Sql, sql } from './database.ts';
import { addFacts } from './facts.ts';
import {
  columnName,
  holdingList,
  indexed,
  indexedShipment,
  isNumber,
  type Key,
  OUTCOME,
  stored,
} from './tables.ts';
import { givenNames } from './words.ts';

/** No further try can record an outcome: the booking has ended, or is gone because the journal was emptied or replaced. */
export class CannotRecord extends StoreError {}

/**
 * Records the answer of a booking, also if a person settled it in the meantime. Gives what the caller must be told, if the booking
 * did not become what its answer says. Throws `CannotRecord`.
 */
export async function recordOutcome(db: Db, id: string, outcome: Outcome): Promise<Amended | undefined> {
  const result = await apply(db, id, { kind: 'answered', outcome });
  if (result === undefined) throw new CannotRecord({ fault: 'booking-gone', booking: id });
  if (isStep(result) && result.amended === undefined) return undefined;
  const booking = await lockedBooking(db, id);
  if (booking === undefined) return undefined;
  if (isStep(result)) return { ...result.amended, booking };
  if (result.kind === 'ended twice') throw new CannotRecord({ fault: 'ended-twice', booking: id });
  // The answer was recorded by an earlier try, whose confirmation was lost on the way.
  const decision = lastDecision(booking);
  const answer = booking.facts.findLast(fact => fact.kind === 'answered');
  return decision && answer && { booking, late: { decision, counts: answer.counts } };
}

/**
 * What an answer makes of a booking that nothing has changed since its claim: the version of its row tells that when the step is written.
 * `undefined`: what the journal knows of other bookings decides.
 */
export function usualStep(claimed: Booking | undefined, outcome: Outcome): Step | undefined {
  if (claimed === undefined || outcome.refusal !== undefined) return undefined;
  const result = stepAfter(claimed, { kind: 'answered', outcome }, { now: claimed.at });
  return isStep(result) ? result : undefined;
}

/** How many lost bookings are written by one statement: SQLite allows at most 500 rows in a statement. */
const LOST_AT_ONCE = 100;

/**
 * Makes bookings unknown whose process is gone, except those that another process is writing. `isLost`: must still hold when they are
 * written, because a process may have renewed its claim since they were read.
 */
export async function recordLost(db: Db, why: string, isLost: Sql): Promise<void> {
  const lost = await db.lost();
  for (let at = 0; at < lost.length; at += LOST_AT_ONCE) {
    const bookings = await bookingsWhere(db, db.isOneOf('id', lost.slice(at, at + LOST_AT_ONCE)));
    const results = bookings.map(booking => stepAfter(booking, { kind: 'lost', why }, { now: booking.at }));
    await writeSteps(db, results.filter(isStep), isLost);
  }
}

/** How often a step is tried, if other processes prevent it by taking a shipment and giving it back. */
const MOST_TRIES = 5;

/** Records what happened to a booking, or nothing because of a problem. Gives the step or the problem; `undefined`: there is no booking. */
export async function apply(
  db: Db,
  id: string,
  happening: Happening,
  together: readonly NewSettlement[] = [],
): Promise<Step | Problem | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const booking = await lockedBooking(db, id);
    if (booking === undefined) return undefined;
    // step: what happened is decided
    const decided = stepAfter(booking, happening, await seenBefore(db, booking, happening, together));
    if (!isStep(decided)) return decided;
    const { reason } = decided;
    const result = reason
      ? { ...decided, booking: { ...decided.booking, why: reasonWords(reason) } }
      : decided;
    // If nothing was written, another order may have taken a shipment since: the next try sees that.
    if ((await writeSteps(db, [result])).size > 0) return result;
  }
  throw new StoreError({ fault: 'shipments-contended', booking: id });
}

/**
 * The bookings that meet a condition, the oldest first; nobody else changes them until the transaction ends. They are locked before they
 * are read: a statement that waited for a lock would see the new row, but its facts as they were before.
 */
export async function lockedBookings(db: Db, condition: Sql): Promise<Booking[]> {
  const rows = await db.rows<{ id: string }>(
    sql`SELECT id FROM bookings WHERE ${condition} ORDER BY number ${db.forUpdate}`,
  );
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? [] : bookingsWhere(db, sql`${db.isOneOf('id', ids)} ORDER BY number`);
}

const lockedBooking = async (db: Db, id: string): Promise<Booking | undefined> =>
  (await lockedBookings(db, sql`id = ${id}`))[0];

// What the machine (src/booking/machine.ts) is told of other bookings.

/** What the journal knows before something happens to a booking. `together`: all that a person says at once, about several bookings. */
export async function seenBefore(
  db: Db,
  booking: Booking,
  happening: Happening,
  together: readonly NewSettlement[] = [],
): Promise<Situation> {
  const now = await timeNow(db);
  switch (happening.kind) {
    case 'answered':
      return { now, ...(await seenByAnswer(db, booking, happening.outcome)) };
    case 'confirmed':
      return {
        now,
        sentAt: await sentAt(db, booking),
        taken: happening.sameAs === undefined ? await ownerOfNamed(db, booking, happening.ids) : undefined,
        sameAs: happening.sameAs === undefined ? undefined : await lockedBooking(db, happening.sameAs),
        labelledByOthers: await labelledByOthers(db, booking, [
          ...labelledBy(booking),
          ...shipmentsIn(happening.ids),
        ]),
      };
    case 'denied':
      return { now, sentAt: await sentAt(db, booking), labelled: await labelOfSaid(db, booking) };
    case 'reopened':
      return { now, ...(await seenByReopening(db, booking, together)) };
    default:
      return { now };
  }
}

/** The present time in ms since 1970, by the clock of the journal. */
export async function timeNow(db: Db): Promise<number> {
  return (await db.first<{ now: number }>(sql`SELECT CAST(${db.now} AS float8) AS now`))?.now ?? 0;
}

const sentAt = async (db: Db, booking: Booking): Promise<number> =>
  (await lastSent(db, [booking.id])).get(booking.id) ?? booking.at;

async function seenByAnswer(db: Db, booking: Booking, outcome: Outcome): Promise<Omit<Situation, 'now'>> {
  const refused = outcome.refusal && (await ownersOfIdsInRefusal(db, booking, outcome.refusal.ids));
  const taken = refused ? undefined : await ownerOfShipments(db, booking, outcome.ids);
  const keyWasFree = !mayExist(booking) && mayExist(outcome);
  return { refused, taken, rival: keyWasFree ? await rivalOf(db, booking) : undefined };
}

async function seenByReopening(
  db: Db,
  booking: Booking,
  together: readonly NewSettlement[],
): Promise<Omit<Situation, 'now'>> {
  const decision = decisionOf(booking);
  if (booking.state === 'cancelled' || decision === undefined) return {};
  const isReopened = (booking: Booking) =>
    together.some(settlement => settlement.id === booking.id && settlement.kind === 'reopened');
  return {
    labelled: decision.kind === 'confirmed' ? await labelOfSaid(db, booking) : undefined,
    rival: booking.keyHolder === null ? await rivalOf(db, booking) : undefined,
    declaredSame: (await declaredSame(db, booking)).filter(order => !isReopened(order)),
    taken: await ownerOfShipments(db, booking, decision.before.ids),
  };
}

/** The first of these shipments that another order at the address and account has. Bookings of labels have no shipments of their own. */
async function ownerOfShipments(db: Db, booking: Booking, ids: Ids): Promise<Situation['taken']> {
  if (booking.operation === 'label') return undefined;
  // step: owner of an answer asked
  for (const shipment of shipmentsIn(ids)) {
    const owner = await bookingOfShipment(db, booking, shipment);
    if (owner && owner.id !== booking.id) return { shipment, owner };
  }
  return undefined;
}

/** The first id that a person names and that another booking at the address has, whatever its account. */
async function ownerOfNamed(db: Db, booking: Booking, ids: Ids): Promise<Situation['taken']> {
  if (booking.operation === 'label') return undefined;
  for (const [name, text] of Object.entries(ids) as [keyof Ids, string][]) {
    const owner = await otherOwner(db, booking, name, text);
    if (owner) return { shipment: { leg: legOfId(name) ?? 'international', shipment: text }, owner };
  }
  return undefined;
}

async function otherOwner(
  db: Db,
  booking: Booking,
  name: keyof Ids,
  text: string,
): Promise<Booking | undefined> {
  const { id, keySpace, ...scope } = booking;
  const owners = await ownersOf(db, scope, name, text);
  return owners.find(
    owner =>
      owner.id !== id &&
      owner.keySpace === keySpace &&
      // A person may have said that a subscription is another booking's, and taken that back: its owner must still have the id.
      (legOfId(name) !== undefined || Object.values(owner.ids).includes(text)),
  );
}

/** The orders that own the ids in a refusal; `undefined`: other orders in this journal do not own all of these ids. */
async function ownersOfIdsInRefusal(db: Db, booking: Booking, ids: Ids): Promise<Situation['refused']> {
  const owners: { name: string; id: string; owner: Booking }[] = [];
  for (const [name, text] of Object.entries(ids) as [keyof Ids, string][]) {
    const owner = (await ownersOf(db, booking, name, text)).find(
      candidate => candidate.id !== booking.id && isAt(candidate, booking) && mayExist(candidate),
    );
    if (owner === undefined) return undefined;
    owners.push({ name, id: text, owner });
  }
  return owners;
}

/** A label that was made for a shipment which the booking was once said to be: the label proves that the shipment exists. */
async function labelOfSaid(db: Db, booking: Booking): Promise<Situation['labelled']> {
  if (booking.operation === 'label') return undefined;
  const said = [booking, ...booking.facts].flatMap(fact => ('ids' in fact ? shipmentsIn(fact.ids) : []));
  for (const shipment of new Map(said.map(named => [indexedShipment(named), named])).values()) {
    const label = await bookingOfLabel(db, booking, shipment);
    if (label === undefined || label.booking.id === booking.id) continue;
    if (!label.booking.labels[shipment.leg]?.made) continue;
    if ((await otherOwner(db, booking, shipment.leg, shipment.shipment)) === undefined)
      return { shipment: shipment.shipment, booking: label.booking };
  }
  return undefined;
}

/** The shipments, among these, whose label another booking made: that booking knows whether the label was printed. */
async function labelledByOthers(
  db: Db,
  booking: Booking,
  shipments: readonly LegShipment[],
): Promise<LegShipment[]> {
  const labelled: LegShipment[] = [];
  for (const shipment of shipments) {
    const label = await bookingOfLabel(db, booking, shipment);
    if (label && label.booking.id !== booking.id && label.booking.labels[shipment.leg]?.made)
      labelled.push(shipment);
  }
  return labelled;
}

/** The orders of which a person said that they are one shipment with `booking`. */
async function declaredSame(db: Db, booking: Booking): Promise<Booking[]> {
  const { id, ...scope } = booking;
  const naming = sql`SELECT booking FROM facts WHERE other = ${id} AND kind = 'confirmed'`;
  const orders = await lockedBookings(db, sql`${db.isIn('id', naming)} AND ${isOf(scope)}`);
  return orders.filter(order => {
    const decision = decisionOf(order);
    return decision?.kind === 'confirmed' && decision.sameAs === id;
  });
}

/**
 * The booking that took the key or the label since, or is a later one of the same input, whatever the clocks say: `booking` would have
 * prevented it. Of several later ones, the first that is pending, because a dispute keeps it from being sent; else the newest. The rival
 * is locked until the transaction ends: its own outcome finds what is recorded here.
 */
async function rivalOf(db: Db, booking: Booking): Promise<Booking | undefined> {
  await db.lock(booking, lockNames({ ...booking, labels: labelledBy(booking) }));
  let rival = await bookedSince(db, booking);
  for (let locked: string | undefined; rival !== undefined && rival.id !== locked; ) {
    locked = rival.id;
    await lockedBooking(db, locked);
    // The rival may have ended while this process waited for its lock.
    rival = await bookedSince(db, booking);
  }
  return rival;
}

async function bookedSince(db: Db, booking: Booking): Promise<Booking | undefined> {
  const { id, key, operation, fingerprint } = booking;
  const keyed =
    key === null ? undefined : await firstBooking(db, sql`${hasKey(booking, booking)} AND id <> ${id}`);
  if (keyed) return keyed;
  const labels = labelledBy(booking);
  for (const label of labels) {
    const holder = await db.first<{ booking: string }>(
      sql`SELECT booking FROM (${labelQuery(booking, label)}) AS label WHERE booking <> ${id}
        AND (SELECT number FROM bookings AS taker WHERE taker.id = label.booking)
          > (SELECT number FROM bookings AS before WHERE before.id = ${id})`,
    );
    if (holder) return await firstBooking(db, sql`id = ${holder.booking}`);
  }
  if (labels.length > 0 || !isInputKnown(booking)) return undefined;
  const later = await bookingsWhere(
    db,
    sql`${inScope(booking)} AND operation = ${operation} AND fingerprint = ${fingerprint} AND ${HOLDS_KEY}
      AND number > (SELECT number FROM bookings WHERE id = ${id}) ORDER BY number`,
  );
  const rivals = later.filter(candidate => !hasOwnKey(candidate));
  return rivals.find(({ state }) => state === 'pending') ?? rivals.at(-1);
}

// How a step is written.

/**
 * Writes steps, each whole or not at all, and gives the ids of the bookings whose step was written. A step is left out if its booking has
 * changed since the step was decided, or if another order has one of its shipments. Several steps take as many statements as one, because
 * the server may be far away. `isSo`: a condition that the rows must meet, too.
 */
export async function writeSteps(
  db: Db,
  steps: readonly Step[],
  isSo: Sql = raw('true'),
): Promise<ReadonlySet<string>> {
  const written = await writeRows(db, await takeShipments(db, steps), isSo);
  if (written.length === 0) return new Set();
  // step: outcome written, not committed
  // A step that has no new outcome adds no names.
  await writeNames(
    db,
    written.filter(({ hasNewOutcome }) => hasNewOutcome),
  );
  await writeLabels(db, written);
  for (const step of written) await writeRest(db, step);
  // What follows for other bookings is written as a step of each, in the same transaction.
  await tellRivals(db, written);
  await returnKeys(db, written);
  return new Set(written.map(({ booking }) => booking.id));
}

/**
 * Gives the shipments of steps to their bookings, and gives the steps to go on with. A step is left out if another order has one of its
 * shipments, or if another process is writing its booking, or has written it since the step was decided. The key of the table `made` is
 * the lock of an id: who comes second waits, and then sees whose the shipment is.
 */
async function takeShipments(db: Db, steps: readonly Step[]): Promise<readonly Step[]> {
  const wanted = steps.flatMap(({ booking, shipmentsTaken }) =>
    shipmentsTaken.map(({ leg, shipment }) => ({ booking, leg, shipment: indexed(shipment) })),
  );
  if (wanted.length === 0) return steps;
  const rows = db.rowsOf({
    of: wanted.map(({ booking }) => booking.id),
    before: wanted.map(({ booking }) => String(booking.version - 1)),
    shipment: wanted.map(({ shipment }) => shipment),
    leg: wanted.map(({ leg }) => leg),
  });
  // step: id of an answer taken
  const added = await db.rows<LegShipment & { booking: string }>(
    sql`INSERT INTO made (shipment, leg, address, account, booking)
      SELECT rows.shipment, rows.leg, address, account, id FROM ${rows} JOIN bookings ON id = rows.of
      WHERE version = CAST(rows.before AS bigint) ORDER BY rows.shipment, rows.leg ${db.skipLocked}
      ON CONFLICT DO NOTHING RETURNING shipment, leg, booking`,
  );
  if (added.length === wanted.length) return steps;
  const owned = await db.rows<LegShipment & { booking: string }>(
    sql`SELECT made.shipment, made.leg, made.booking FROM ${rows} JOIN made
      ON made.shipment = rows.shipment AND made.leg = rows.leg AND made.booking = rows.of`,
  );
  const isOwned = (step: Step) =>
    step.shipmentsTaken.every(shipment =>
      owned.some(
        row => row.booking === step.booking.id && indexedShipment(row) === indexedShipment(shipment),
      ),
    );
  const ready = steps.filter(isOwned);
  for (const row of added)
    if (!ready.some(({ booking }) => booking.id === row.booking)) await freeShipment(db, row.booking, row);
  return ready;
}

/** The statement that gives a shipment to a booking, if no other order has the shipment. */
export const shipmentInserted = ({ id, address, account }: Booking, legShipment: LegShipment): Sql =>
  sql`INSERT INTO made (shipment, leg, address, account, booking)
    VALUES (${list([indexed(legShipment.shipment), legShipment.leg, address, account, id])}) ON CONFLICT DO NOTHING`;

const freeShipment = (db: Db, id: string, shipment: LegShipment): Promise<number> =>
  db.run(sql`DELETE FROM made WHERE ${isShipment(shipment)} AND booking = ${id}`);

/** The columns that a step writes; their values are sent as text. */
const STEP_COLUMNS = [...OUTCOME.filter(key => key !== 'settledAt'), 'keyHolder'] as const;

const NEW_VALUES = raw(
  STEP_COLUMNS.map(key => {
    const name = columnName(key);
    return `${name} = ${isNumber(key) ? `CAST(rows.new_${name} AS bigint)` : `rows.new_${name}`}`;
  }).join(', '),
);

/** A step that was written, and the number of its row. */
type Written = Step & { number: number };

/** Writes the rows of steps: the one statement that changes the state of a booking. */
async function writeRows(db: Db, steps: readonly Step[], isSo: Sql): Promise<Written[]> {
  if (steps.length === 0) return [];
  const ids = steps.map(({ booking }) => booking.id);
  const columns: Record<string, (string | null)[]> = {
    of: ids,
    before: steps.map(({ booking }) => String(booking.version - 1)),
    has_new_outcome: steps.map(({ hasNewOutcome }) => String(hasNewOutcome)),
    has_facts: steps.map(({ facts }) => String(facts.length > 0)),
  };
  for (const key of STEP_COLUMNS)
    columns[`new_${columnName(key)}`] = steps.map(({ booking }) =>
      storedText(key, booking[key as keyof Booking]),
    );
  const rows = await db.rows<{ id: string; number: number }>(
    sql`UPDATE bookings SET ${NEW_VALUES}, version = bookings.version + 1,
        settled_at = CASE WHEN rows.has_new_outcome = 'true' THEN ${db.now} ELSE bookings.settled_at END,
        has_facts = CASE WHEN rows.has_facts = 'true' THEN 1 ELSE bookings.has_facts END
      FROM ${db.rowsOf(columns)} WHERE bookings.id = rows.of AND bookings.version = CAST(rows.before AS bigint)
        AND ${db.unlocked(sql`${db.isOneOf('bookings.id', ids)} AND ${isSo}`)}
      RETURNING bookings.id AS id, CAST(bookings.number AS float8) AS number`,
  );
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return steps.flatMap(step => {
    const number = numbers.get(step.booking.id);
    return number === undefined ? [] : { ...step, number };
  });
}

function storedText(key: Key, value: unknown): string | null {
  const text = stored(key, value);
  return text === null ? null : String(text);
}

/** Adds what the service gave to the names by which the bookings are found. */
async function writeNames(db: Db, steps: readonly Written[]): Promise<void> {
  const named = steps.map(({ booking, number }) => ({ id: booking.id, number, ...givenNames(booking) }));
  const names = named.flatMap(({ id, given }) => given.map(name => ({ id, name })));
  if (names.length > 0)
    await db.run(sql`INSERT INTO given (name, booking)
      SELECT rows.name, rows.of FROM ${db.rowsOf({ of: names.map(({ id }) => id), name: names.map(({ name }) => name) })}
      WHERE true ON CONFLICT DO NOTHING`);
  const worded = named.filter(({ names: words }) => words !== '');
  if (worded.length === 0) return;
  const numbers = worded.map(({ number }) => String(number));
  await db.run(sql`UPDATE found_by SET names = found_by.names || rows.words
    FROM ${db.rowsOf({ number: numbers, words: worded.map(({ names: words }) => words) })}
    WHERE found_by.number = CAST(rows.number AS bigint)`);
}

/** A label that was made goes to the booking that made it, whoever held the label before, and counts as not printed then. */
const TAKEN_OVER = raw(`(address, account, leg, shipment) DO UPDATE SET booking = excluded.booking,
  printed_at = CASE WHEN labels.booking = excluded.booking THEN labels.printed_at END,
  printed_in = CASE WHEN labels.booking = excluded.booking THEN labels.printed_in END,
  printing_by = CASE WHEN labels.booking = excluded.booking THEN labels.printing_by END`);

/** Gives the labels that were made to the bookings that made them. */
async function writeLabels(db: Db, steps: readonly Step[]): Promise<void> {
  const made = steps.flatMap(({ booking, labelsMade }) => labelsMade.map(label => ({ booking, ...label })));
  if (made.length === 0) return;
  const columns = {
    address: made.map(({ booking }) => booking.address),
    account: made.map(({ booking }) => booking.account),
    shipment: made.map(({ shipment }) => indexed(shipment)),
    leg: made.map(({ leg }) => leg),
    booking: made.map(({ booking }) => booking.id),
  };
  await db.run(sql`INSERT INTO labels (address, account, shipment, leg, booking)
    SELECT address, account, shipment, leg, booking FROM ${db.rowsOf(columns)} WHERE true ORDER BY shipment, leg
    ON CONFLICT ${TAKEN_OVER}`);
}

/** Writes what few steps have, and what concerns their own booking only. */
async function writeRest(db: Db, step: Step): Promise<void> {
  const { booking, facts, shipmentsFreed, labelsFreed, labelsClaimed, leavesLists } = step;
  const { id } = booking;
  await addFacts(db, id, facts);
  if (shipmentsFreed.length > 0) await freeShipments(db, booking, shipmentsFreed);
  if (labelsFreed.length > 0) await freeLabels(db, booking, labelsFreed);
  await claimLabels(db, booking, id, labelsClaimed);
  if (leavesLists) await db.run(sql`DELETE FROM listed WHERE booking = ${id}`);
  if ((step.hasNewOutcome || labelsClaimed.length > 0) && mayExist(booking)) await nameByLabels(db, booking);
}

/** Tells the present holder of a disputed key that the first booking with the key may exist after all: no attempt of the holder follows. */
async function tellRivals(db: Db, steps: readonly Step[]): Promise<void> {
  for (const { booking, disputes } of steps)
    if (disputes !== undefined) await apply(db, disputes, { kind: 'disputed', from: booking.id });
}

/** Frees labels of a booking: a freed label goes to another pending or unknown booking that may have made it. */
async function freeLabels(db: Db, booking: Booking, legs: readonly Leg[]): Promise<void> {
  const { id } = booking;
  const freed = await db.run(sql`DELETE FROM labels WHERE booking = ${id} AND ${db.isOneOf('leg', legs)}`);
  if (freed === 0) return;
  const open = await lockedBookings(
    db,
    sql`${IS_OPEN} AND operation = 'label' AND ${isOf(booking)} AND id <> ${id} AND key_holder IS NULL`,
  );
  for (const label of open) await claimLabels(db, label, label.id, labelledBy(label));
}

/** Frees shipments of a booking: they go to an order of which a person said that it is one shipment with the booking. */
async function freeShipments(db: Db, booking: Booking, shipments: readonly LegShipment[]): Promise<void> {
  for (const shipment of shipments) await freeShipment(db, booking.id, shipment);
  for (const order of await declaredSame(db, booking))
    for (const shipment of shipmentsIn(order.ids)) await db.run(shipmentInserted(order, shipment));
}

/** Gives the keys of bookings that do not exist back to the disputed bookings that name them, so that their orders are not booked again. */
async function returnKeys(db: Db, steps: readonly Step[]): Promise<void> {
  const gone = steps.flatMap(({ booking, returnsKey }) => (returnsKey ? booking.id : []));
  if (gone.length === 0) return;
  const naming = await lockedBookings(
    db,
    sql`${db.isOneOf('key_holder', gone)} AND key_holder IS NOT NULL AND state IN (${raw(holdingList)})`,
  );
  for (const from of gone) {
    const waiting = naming.filter(({ keyHolder }) => keyHolder === from);
    const heir = waiting.at(-1);
    if (heir === undefined) continue;
    for (const booking of waiting) await apply(db, booking.id, { kind: 'key returned', from, to: heir.id });
  }
}

/** Lets a shipment be found by the names of its labels, whichever booking was answered first. */
export async function nameByLabels(db: Db, booking: Booking): Promise<void> {
  const isLabel = booking.operation === 'label';
  if (isLabel) {
    if (Object.keys(booking.labels).length > 0) await db.run(nameShipments(db, booking.id));
    return;
  }
  // With its first answer a booking gets its shipments, so none has a label yet, except the shipments of imported bookings.
  if (booking.version === 1 && isInputKnown(booking)) return;
  for (const { leg, shipment } of shipmentsIn(booking.ids)) {
    const labels = await db.rows<{ booking: string }>(
      sql`SELECT booking FROM labels WHERE shipment = ${indexed(shipment)} AND leg || '' = ${leg} AND ${isOf(booking)}`,
    );
    for (const label of labels) await db.run(nameShipments(db, label.booking));
  }
}

/** The statement that adds the names of a booking of labels to the bookings of its shipments. */
const nameShipments = (db: Db, id: string): Sql => {
  const makers = sql`SELECT made.booking FROM labels CROSS JOIN made WHERE labels.booking = ${id}
    AND made.shipment = labels.shipment AND made.leg = labels.leg
    AND made.address = labels.address AND made.account = labels.account`;
  const shipped = sql`SELECT bookings.number FROM bookings WHERE ${db.isIn('bookings.id', makers)}
    AND bookings.id <> ${id}`;
  const number = sql`(SELECT number FROM bookings AS label WHERE label.id = ${id})`;
  return sql`UPDATE found_by
    SET names = names || COALESCE((SELECT label.names FROM found_by AS label WHERE label.number = ${number}), '')
    WHERE ${db.isIn('found_by.number', shipped)}`;
};
