// Who prints a label. It is claimed before, so that two desks print it once: a claim ends with the print, and is given back if that
// failed. A print that was begun and cut off, with its program or with our process, leaves the label neither printed nor free,
// because a sticker may be in the tray: a person decides. A claim whose print had not begun ends with its process.
import { randomUUID } from 'node:crypto';
import type { Holder, LegShipment, Scope } from '../booking/booking.ts';
import { isRecord } from '../contract/paths.ts';
import { parseJson } from '../json.ts';
import { inScope, isOf, leaseEnd } from './claim.ts';
import { type Db, raw, type Sql, sql } from './database.ts';
import { isListClaim, renewLists } from './lists.ts';
import { IS_LABELLED } from './orders.ts';
import { indexed, wordOf } from './tables.ts';

/**
 * A label that cannot be claimed. `printed`: it was. `printing`: another process prints it at this moment. `abandoned`: its print
 * was cut off, and nobody knows whether it was printed. `cancelled`: its order was.
 */
export interface HeldPrint extends LegShipment {
  state: 'printed' | 'printing' | 'abandoned' | 'cancelled';
  /** Who prints it. */
  by: Holder | null;
}

/** A label that is claimed. */
interface ClaimedPrint extends LegShipment {
  /** The claim of an earlier print that was cut off: if this print fails, whether that one printed it is still not known. */
  abandoned?: { id: string; by: Holder };
}

/** How a print ended that was begun: `cut-off`: its program was ended by a signal, and may have printed. */
export type PrintEnd = 'printed' | 'cut-off';

export interface PrintClaim {
  id: string;
  claimed: readonly ClaimedPrint[];
  held: readonly HeldPrint[];
}

/** How the ids of print claims begin: those of bookings begin in another way. */
const PREFIX = 'pr_';
const isPrintClaim = (id: string): boolean => id.startsWith(PREFIX);

interface PrintRow {
  printed: number | null;
  printing: string | null;
  begun: number | null;
  holder: string | null;
  until: number | null;
  now: number;
  /** SQLite has a number. */
  cancelled: boolean | number;
}

const COLUMNS = sql`CAST(printed_at AS float8) AS printed, printing, CAST(print_begun AS float8) AS begun, printing_by AS holder,
  CAST(printing_until AS float8) AS "until", EXISTS (SELECT 1 FROM made JOIN bookings ON bookings.id = made.booking
    WHERE ${raw(IS_LABELLED)} AND state = 'cancelled') AS cancelled`;

const isLabel = (scope: Scope, { leg, shipment }: LegShipment): Sql =>
  sql`${inScope(scope)} AND leg = ${leg} AND shipment = ${indexed(shipment)}`;

/** `isBegun`: the print begins with the claim, and not with `beginPrints`. */
export async function claimPrints(
  db: Db,
  scope: Scope,
  shipments: readonly LegShipment[],
  again: boolean,
  isBegun: boolean,
): Promise<PrintClaim> {
  const id = PREFIX + randomUUID().replaceAll('-', '');
  const claimed: ClaimedPrint[] = [];
  const held: HeldPrint[] = [];
  // Two orders may be one shipment, which has one label.
  const each = new Map(shipments.map(one => [wordOf(one), one]));
  // Sorted, so that two processes never wait for each other.
  const sorted = [...each].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [, { leg, shipment }] of sorted) {
    const one = { leg, shipment };
    const row = await db.first<PrintRow>(
      sql`SELECT ${COLUMNS}, CAST(${db.now} AS float8) AS now FROM labels WHERE ${isLabel(scope, one)} ${db.forUpdate}`,
    );
    const state = row && stateOf(db, row, again);
    if (state !== undefined) held.push({ ...one, state, by: holderOf(row) });
    else {
      await db.run(sql`UPDATE labels SET printing = ${id}, printing_by = ${JSON.stringify(db.own)},
        printing_until = ${leaseEnd(db)}, print_begun = ${isBegun ? 1 : 0} WHERE ${isLabel(scope, one)}`);
      const by = row?.printed === null && row.begun === 1 ? holderOf(row) : null;
      claimed.push({ ...one, ...(by && row?.printing && { abandoned: { id: row.printing, by } }) });
    }
  }
  return { id, claimed, held };
}

/** Why it cannot be claimed; `undefined` if it can. */
function stateOf(db: Db, row: PrintRow, again: boolean): HeldPrint['state'] | undefined {
  // step: claim of a print asked
  if (row.cancelled) return 'cancelled';
  const holder = holderOf(row);
  const isOver = holder !== null && db.hasEnded(holder, row.until ?? 0, row.now);
  if (holder !== null && !isOver) return 'printing';
  if (again) return undefined;
  if (row.printed !== null) return 'printed';
  return isOver && row.begun === 1 ? 'abandoned' : undefined;
}

/** The process that claimed it; `null`: none did. Throws an error that says that the claim is damaged. */
function holderOf(row: PrintRow | undefined): Holder | null {
  if (!row?.printing) return null;
  const holder = parseJson(row.holder ?? '');
  if (isRecord(holder)) return holder as unknown as Holder;
  throw new Error('it is damaged: a label has a claim of a print that is not what waybill writes');
}

const isClaimed = (id: string, { leg, shipment }: LegShipment): Sql =>
  sql`printing = ${id} AND leg = ${leg} AND shipment = ${indexed(shipment)}`;

/** From here on these may be printed. `false`: another process has claimed some of the labels since, and no print is begun. */
export async function beginPrints(
  db: Db,
  { id, claimed }: PrintClaim,
  begun: readonly LegShipment[],
): Promise<boolean> {
  const rows = await db.rows<{ shipment: string }>(
    sql`SELECT shipment FROM labels WHERE printing = ${id} ${db.forUpdate}`,
  );
  if (rows.length !== claimed.length) return false;
  await db.run(sql`UPDATE labels SET print_begun = 1 WHERE printing = ${id}`);
  const words = new Set(begun.map(wordOf));
  for (const label of claimed)
    if (!words.has(wordOf(label)))
      await db.run(sql`UPDATE labels SET print_begun = 0 WHERE ${isClaimed(id, label)}`);
  return true;
}

/** `begun`: those whose print was begun, and how it ended; the other labels of the claim are given back. */
export async function endPrints(
  db: Db,
  { id, claimed }: PrintClaim,
  begun: readonly LegShipment[],
  end: PrintEnd,
): Promise<void> {
  const cutOff = (label: LegShipment, claim: NonNullable<ClaimedPrint['abandoned']>) =>
    db.run(sql`UPDATE labels SET printing = ${claim.id}, printing_by = ${JSON.stringify(claim.by)},
      printing_until = 0, print_begun = 1 WHERE ${isClaimed(id, label)} AND printed_at IS NULL`);
  for (const label of begun)
    if (end === 'printed')
      await db.run(sql`UPDATE labels SET printed_at = ${db.now} WHERE ${isClaimed(id, label)}`);
    else await cutOff(label, { id: `${id}-`, by: db.own });
  for (const { abandoned, ...label } of claimed) if (abandoned) await cutOff(label, abandoned);
  await db.run(
    sql`UPDATE labels SET printing = NULL, printing_by = NULL, printing_until = NULL WHERE printing = ${id}`,
  );
}

/** The labels of a place whose print was cut off. */
export async function abandonedPrints(db: Db, scope: Scope): Promise<HeldPrint[]> {
  const rows = await db.rows<PrintRow & LegShipment>(
    sql`SELECT leg, shipment, ${COLUMNS}, CAST(${db.now} AS float8) AS now FROM labels
      WHERE printing IS NOT NULL AND ${isOf(scope)} ORDER BY leg, shipment`,
  );
  return rows.flatMap(row =>
    stateOf(db, row, false) === 'abandoned'
      ? { leg: row.leg, shipment: row.shipment, state: 'abandoned' as const, by: holderOf(row) }
      : [],
  );
}

/** Gives all that a process holds another lease: bookings that are pending, prints, and lists. */
export async function renewAll(db: Db, ids: readonly string[]): Promise<void> {
  const prints = ids.filter(isPrintClaim);
  const lists = ids.filter(isListClaim);
  const bookings = ids.filter(id => !isPrintClaim(id) && !isListClaim(id));
  if (lists.length > 0) await renewLists(db, lists);
  if (bookings.length > 0)
    await db.run(sql`UPDATE bookings SET lease_until = ${leaseEnd(db)}
      WHERE ${db.unlocked(sql`${db.isOneOf('id', bookings)} AND state = 'pending'`)}`);
  if (prints.length > 0)
    await db.run(
      sql`UPDATE labels SET printing_until = ${leaseEnd(db)} WHERE ${db.isOneOf('printing', prints)}`,
    );
}
