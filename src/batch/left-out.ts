// Which orders, and which of their items, a map leaves out: `skip`, `only` and `skipItems`.

import { keyIdentity } from '../contract/key.ts';
import { shown, someOf } from '../text.ts';
import type { BatchDesk } from './run/job.ts';
import type { Spool } from './run/queue.ts';
import type { BatchInput, Cells, InputMap, InputSettings, NamedRow } from './source.ts';

/** Any cell that is not blank. */
const ANY = '*';

/** The columns that these parts of a map read. */
export const columnsOfCells = ({ skip, only, skipItems, business }: InputMap): string[] =>
  [skip, only, skipItems, business].flatMap(cells => Object.keys(cells));

/** The orders that the map keeps. */
export async function* keptRecords(
  input: BatchInput,
  map: InputMap,
  { onLeftOut, onLeftOutItems, ignoresOthers }: InputSettings,
): BatchInput['records'] {
  for await (const record of input.records) {
    const rows = input.rowsOf(record);
    const why = reasonFor(rows, map);
    if (why !== undefined) {
      onLeftOut?.({ key: input.parse(record).key, line: record.line, why });
      continue;
    }
    const items = rows.filter(row => isNoItem(row, map)).length;
    // Of another operation only keys and ids are read.
    if (items > 0 && !ignoresOthers) onLeftOutItems?.(items);
    yield record;
  }
}

/** Why the map leaves out an order with these rows; `undefined` if it does not. */
function reasonFor(rows: readonly NamedRow[], map: InputMap): string | undefined {
  const { skip, only } = map;
  for (const [column, cells] of Object.entries(skip)) {
    const found = rows.map(row => textOfCell(row(column))).find(cell => isAmong(cell, cells));
    if (found !== undefined) return `${column} is ${cells.includes(ANY) ? 'not empty' : shown(found)}`;
  }
  for (const [column, cells] of Object.entries(only)) {
    const given = rows.map(row => textOfCell(row(column)));
    // A shop has several exports: what one of them cannot say is no condition.
    const isNoColumn = map.extends !== undefined && rows.every(row => row(column) === undefined);
    if (cells.length === 0 || isNoColumn || given.some(cell => isAmong(cell, cells))) continue;
    const [other] = given.filter(cell => cell !== '');
    return `${column} is ${other === undefined ? 'empty' : shown(other)}`;
  }
  if (rows.length === 0 || !rows.every(row => isNoItem(row, map))) return undefined;
  const [column] = rows.flatMap(row => columnsThatMatch(row, map.skipItems));
  return `${column} leaves no item`;
}

/** Is the row no item that is shipped? */
export const isNoItem = (row: NamedRow, { skipItems }: InputMap): boolean =>
  columnsThatMatch(row, skipItems).length > 0;

/** Does a row of the order say that a company bought it? */
export const isOfBusiness = (rowsOf: () => readonly NamedRow[], { business }: InputMap): boolean =>
  Object.keys(business).length > 0 && rowsOf().some(row => columnsThatMatch(row, business).length > 0);

const columnsThatMatch = (row: NamedRow, cells: Cells): string[] =>
  Object.keys(cells).filter(column => isAmong(textOfCell(row(column)), cells[column] ?? []));

const isAmong = (cell: string, cells: readonly string[]): boolean =>
  cell !== '' && (cells.includes(ANY) || cells.includes(cell.toLowerCase()));

const textOfCell = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();

// What a map did with the records of an input that nobody would see in the results: orders that it left out, and totals that it
// made.

/** Orders that are listed one by one. Memory does not grow with their number. */
const MAX_LISTED = 50;
const MAX_REASONS = 1000;

/** Words of shops for an order that is not to be sent any more. */
const STOPPED = /cancel|refund|void/i;

export class LeftOut {
  count = 0;
  /** Those whose key is on another line, too: their rows do not stand together, and an order would lack items. */
  readonly scattered: { key: string; line: number; first: number }[] = [];
  /** Those that the shop has stopped, as their reason says. */
  readonly stopped: { key: string; why: string }[] = [];
  readonly #spool: Spool;
  #items = 0;
  #summed = 0;
  readonly #orders: string[] = [];
  readonly #reasons = new Map<string, number>();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** What the reader of the input tells. `sumsValue`: may the value of the goods be the sum of the items? */
  settings(sumsValue: boolean): Pick<InputSettings, 'onLeftOut' | 'onLeftOutItems' | 'onSummed'> {
    return {
      onLeftOut: ({ key, line, why }) => {
        this.count += 1;
        const first = key === undefined ? undefined : this.#spool.noteKey(keyIdentity(key), line);
        if (key !== undefined && first !== undefined) this.scattered.push({ key, line, first });
        if (key !== undefined && STOPPED.test(why)) this.stopped.push({ key, why });
        if (this.#orders.length < MAX_LISTED) this.#orders.push(`${key ?? 'an order without a key'}: ${why}`);
        if (this.#reasons.has(why) || this.#reasons.size < MAX_REASONS)
          this.#reasons.set(why, (this.#reasons.get(why) ?? 0) + 1);
      },
      onLeftOutItems: count => {
        this.#items += count;
      },
      onSummed: sumsValue
        ? () => {
            this.#summed += 1;
          }
        : undefined,
    };
  }

  /** Says it, with the keys on a terminal. `records`: those that it kept. */
  async tell({ printer, interactive }: BatchDesk, records: number): Promise<void> {
    if (this.count > 0) {
      const reasons = [...this.#reasons].sort(([, one], [, other]) => other - one);
      await printer.note(
        `the map leaves out ${this.count} of ${this.count + records} orders: ${someOf(reasons.map(([why, count]) => `${why} (${count})`))}`,
      );
      if (interactive) for (const order of this.#orders) await printer.note(`left out: ${order}`);
      if (interactive && this.count > this.#orders.length)
        await printer.note(`left out: ${this.count - this.#orders.length} more`);
    }
    if (this.#items > 0)
      await printer.note(
        `the map leaves out ${this.#items} ${this.#items === 1 ? 'item' : 'items'} of orders that it keeps`,
      );
    if (this.#summed > 0)
      await printer.note(
        `customs.totalGoodsValue of ${this.#summed} of ${records} orders is the sum of their items, because the file does not give that of what is sent`,
      );
  }
}
