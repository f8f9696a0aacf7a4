// Who prints a label. The row of a label names the process before the print begins, so that two desks print it once. A print that failed
// frees the label. A print that was cut off, with its program or with our process, leaves the label neither printed nor free: a sticker
// may be in the tray, and a person decides.

import { type Holder, LEASE_MS, type LegShipment, type Scope } from '../booking/booking.ts';
import { isRecord } from '../contract/paths.ts';
import { damaged } from '../errors.ts';
import { parseJson } from '../json.ts';
import { inScope, isOf } from './claim.ts';
import { type Db, RUNNING_MS, raw, type Sql, sql } from './database.ts';
import { IS_LABELLED } from './orders.ts';
import { indexed, indexedShipment } from './tables.ts';

/**
 * A label that cannot be claimed. `printed`: it was printed. `printing`: another process prints it at this moment. `abandoned`: nobody
 * knows how its print ended. `cancelled`: its order was cancelled.
 */
export interface HeldPrint extends LegShipment {
  state: 'printed' | 'printing' | 'abandoned' | 'cancelled';
  /** The process that began a print which did not end; `null`: none did. */
  by: Holder | null;
}

/** A label that is claimed for a print. */
interface ClaimedPrint extends LegShipment {
  /** The process whose earlier print of the label was cut off, as JSON: if the present print fails, the earlier one is still in doubt. */
  cutOff: string | null;
}

/** How a print ended. `cut-off`: a signal ended its program, which may have printed. */
export type PrintEnd = 'printed' | 'cut-off';

export interface PrintClaim {
  scope: Scope;
  claimed: readonly ClaimedPrint[];
  held: readonly HeldPrint[];
}

/** `by`, `since`: the process that began a print which did not end, and when, in ms since 1970; without `since` the print was cut off. */
interface PrintRow {
  printed: number | null;
  by: string | null;
  since: number | null;
  now: number;
  /** SQLite gives a number, PostgreSQL a boolean. */
  cancelled: boolean | number;
}

const columns = (db: Db): Sql => sql`CAST(printed_at AS float8) AS printed, printing_by AS by,
  CAST(printing_since AS float8) AS since, CAST(${db.now} AS float8) AS now,
  EXISTS (SELECT 1 FROM made JOIN bookings ON bookings.id = made.booking
    WHERE ${raw(IS_LABELLED)} AND state = 'cancelled') AS cancelled`;

const isOfLabel = (scope: Scope, label: LegShipment): Sql =>
  sql`${inScope(scope)} AND leg = ${label.leg} AND shipment = ${indexed(label.shipment)}`;

/** Claims those of the labels that are free, or none while another process prints one of them. */
export async function claimPrints(
  db: Db,
  scope: Scope,
  shipments: readonly LegShipment[],
  again: boolean,
): Promise<PrintClaim> {
  const { free, held } = await printStates(db, scope, shipments, again, db.forUpdate);
  if (held.some(({ state }) => state === 'printing')) return { scope, claimed: [], held };
  for (const label of free)
    await db.run(sql`UPDATE labels SET printing_by = ${JSON.stringify(db.own)}, printing_since = ${db.now}
      WHERE ${isOfLabel(scope, label)}`);
  return { scope, claimed: free, held };
}

/** Which labels of these shipments a print may claim (`free`), and which not (`held`). `lock`: put at the end of each SELECT. */
export async function printStates(
  db: Db,
  scope: Scope,
  shipments: readonly LegShipment[],
  again: boolean,
  lock: Sql = raw(''),
): Promise<{ free: ClaimedPrint[]; held: HeldPrint[] }> {
  const free: ClaimedPrint[] = [];
  const held: HeldPrint[] = [];
  // Two orders may have one shipment, which has one label.
  const labels = new Map(shipments.map(label => [indexedShipment(label), label]));
  // Locked in sorted order, so that two processes never wait for each other.
  for (const word of [...labels.keys()].sort()) {
    const { leg, shipment } = labels.get(word) as LegShipment;
    const row = await db.first<PrintRow>(
      sql`SELECT ${columns(db)} FROM labels WHERE ${isOfLabel(scope, { leg, shipment })} ${lock}`,
    );
    const state = row && stateOfPrint(db, row, again);
    if (row === undefined || state === undefined) free.push({ leg, shipment, cutOff: row?.by ?? null });
    else held.push({ leg, shipment, state, by: whoPrints(row) });
  }
  return { free, held };
}

/** Why a label cannot be claimed for a print; `undefined` if it can. */
function stateOfPrint(db: Db, row: PrintRow, again: boolean): HeldPrint['state'] | undefined {
  // step: claim of a print asked
  if (row.cancelled) return 'cancelled';
  const by = whoPrints(row);
  if (by && !isOver(db, by, row)) return 'printing';
  if (again) return undefined;
  if (row.printed !== null) return 'printed';
  return by ? 'abandoned' : undefined;
}

/** Is a print over, as its process is gone? Nobody knows whether a process of another machine runs: its print has the time of a lease. */
function isOver(db: Db, holder: Holder, row: PrintRow): boolean {
  if (row.since === null) return true;
  const isAlive = db.isAlive(holder);
  return isAlive === false || row.now >= row.since + (isAlive ? RUNNING_MS : LEASE_MS);
}

/** The process that began a print which did not end; `null`: none did. Throws if the row is damaged. */
function whoPrints(row: PrintRow): Holder | null {
  if (row.by === null) return null;
  const holder = parseJson(row.by);
  if (isRecord(holder)) return holder as unknown as Holder;
  throw damaged({ part: 'print' });
}

/**
 * Ends the claim of a print. `begun`: the labels whose print was begun; `end`: how it ended. The other labels of the claim are again as
 * they were before. `file`: the merged file in which a person prints the labels.
 */
export async function endPrints(
  db: Db,
  claim: PrintClaim,
  begun: readonly LegShipment[],
  end: PrintEnd,
  file: string | null,
): Promise<void> {
  const own = JSON.stringify(db.own);
  const words = new Set(begun.map(indexedShipment));
  for (const { cutOff, ...label } of claim.claimed) {
    const isBegun = words.has(indexedShipment(label));
    const isPrinted = isBegun && end === 'printed';
    const by = isPrinted ? null : isBegun ? own : cutOff;
    await db.run(sql`UPDATE labels SET printed_at = ${isPrinted ? db.now : raw('printed_at')},
      printed_in = ${isPrinted ? file : raw('printed_in')}, printing_by = ${by}, printing_since = NULL
      WHERE ${isOfLabel(claim.scope, label)} AND printing_by = ${own}`);
  }
}

/** Labels with a print that began and did not end: `abandoned`, or `printing` at this moment. `scope`: only at this address and account. */
export async function openPrints(
  db: Db,
  state: 'abandoned' | 'printing',
  scope?: Scope,
): Promise<HeldPrint[]> {
  const rows = await db.rows<PrintRow & LegShipment>(
    sql`SELECT leg, shipment, ${columns(db)} FROM labels
      WHERE printing_by IS NOT NULL AND ${scope ? isOf(scope) : raw('true')} ORDER BY leg, shipment`,
  );
  return rows
    .filter(row => stateOfPrint(db, row, false) === state)
    .map(row => ({ leg: row.leg, shipment: row.shipment, state, by: whoPrints(row) }));
}
