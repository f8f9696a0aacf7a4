// Which orders, and which of their items, a map leaves out: `skip`, `only`, `skipItems` and `onlyItems`.

import { keyIdentity } from '../contract/key.ts';
import type { Issue } from '../contract/shapes.ts';
import type { Session } from '../session/session.ts';
import { folded, shown, someOf } from '../text.ts';
import type { BatchInput, InputMap, InputSettings, NamedRow, RawRecord, RowKind } from './input-types.ts';
import { isLeaving, isUnpaid, isUntoldPart, type LeavingFact, leavingWords } from './order-facts.ts';
import { recordFacts, textOfCell } from './read-order-facts.ts';
import type { Spool } from './run/queue.ts';
import { type Cells, columnsThatGive } from './shop.ts';

/** Stands in a map for any cell that is not blank. */
const ANY = '*';

/** The columns whose cells decide what a map leaves out. An empty list of cells takes back what a built-in map says of the column. */
export const columnsOfCells = (map: InputMap): string[] =>
  [map.skip, map.only, map.skipItems, map.onlyItems, map.business].flatMap(cells =>
    Object.keys(cells).filter(column => cells[column]?.length !== 0),
  );

export const leavesOut = (map: InputMap): boolean => columnsOfCells(map).length > 0;

export async function* keptRecords(
  input: BatchInput,
  map: InputMap,
  settings: InputSettings,
): BatchInput['records'] {
  const { onLeftOut, onIncluded, onLeftOutItems, ignoresOthers, include } = settings;
  const asFileSays = (fact: LeavingFact) => ({ ...fact, column: input.headerOf(fact.column) });
  for await (const record of input.records) {
    const rows = input.rowsOf(record);
    // The rows of an order that is in the file twice, or has rows of others in it, do not show what is left to send, or was paid back.
    const isProblem = record.isStray || record.apart || input.isMisread(record);
    const fact = isProblem ? undefined : leavingFactOf(rows, record, map);
    if (fact !== undefined) {
      const { key } = input.parse(record);
      const { line } = record;
      const named = key === undefined ? undefined : includedAs(key, map, include);
      const isEmpty = !ignoresOthers && rows.every(row => rowKind(row, map) !== 'item');
      if (key === undefined || named === undefined || isEmpty) {
        onLeftOut?.({ key, named, line, fact: asFileSays(fact), text: record.text });
        continue;
      }
      onIncluded?.({ key, named, fact: asFileSays(fact) });
    }
    const items = rows.filter(row => rowKind(row, map) === 'unshipped').length;
    // An input for another operation is read for keys and ids alone.
    if (items > 0 && !ignoresOthers) onLeftOutItems?.(items);
    yield record;
  }
}

/** How `include` names an order: by its number with or without the prefix of the map, or without a #. */
const includedAs = (key: string, map: InputMap, include: InputSettings['include']) =>
  [(map.keyPrefix ?? '') + key, key, key.replace(/^#/, '')].map(keyIdentity).find(name => include?.has(name));

/** Reports an order with a row that the map keeps and a row that the map leaves out: the status of such an order is not known. */
export function stateContradictions(
  rows: readonly NamedRow[],
  map: InputMap | undefined,
  headerOf: BatchInput['headerOf'],
): Issue[] {
  if (map?.extends === undefined) return [];
  return Object.entries(map.only).flatMap(([column, cells]) => {
    const states = rows.map(row => textOfCell(row(column))).filter(cell => cell !== '');
    const keeping = states.find(cell => isAmong(cell, cells));
    const leaving = states.find(cell => cells.length > 0 && !isAmong(cell, cells));
    if (keeping === undefined || leaving === undefined) return [];
    const message = `is ${shown(keeping)} in one row of the order, and ${shown(leaving)} in another; remove what is in the file twice`;
    return [{ path: headerOf(column), message }];
  });
}

/** Why an order with these rows is left out; `undefined` if it is not. */
const leavingFactOf = (
  rows: readonly NamedRow[],
  record: RawRecord,
  map: InputMap,
): LeavingFact | undefined =>
  skippedFact(rows, map) ??
  noItemFact(rows, map) ??
  recordFacts(record, () => rows, map).find(isLeaving) ??
  untoldPiecesFact(rows, map);

/** Why `skip` or `only` leaves out an order. */
function skippedFact(rows: readonly NamedRow[], map: InputMap): LeavingFact | undefined {
  const { skip, only } = map;
  for (const [column, cells] of Object.entries(skip)) {
    const cell = rows.map(row => textOfCell(row(column))).find(text => isAmong(text, cells));
    if (cell !== undefined) return cells.includes(ANY) ? filledFact(column) : { kind: 'cell', column, cell };
  }
  for (const [column, cells] of Object.entries(only)) {
    const texts = rows.map(row => textOfCell(row(column)));
    // A shop has several exports: a column that this export lacks is no condition.
    const isNoColumn = map.extends !== undefined && rows.every(row => row(column) === undefined);
    if (cells.length > 0 && !isNoColumn && !texts.some(text => isAmong(text, cells)))
      return { kind: 'cell', column, cell: texts.find(text => text !== '') ?? '' };
  }
  return undefined;
}

/** Why an order is left out that has no item left to send. */
function noItemFact(rows: readonly NamedRow[], map: InputMap): LeavingFact | undefined {
  const kinds = rows.map(row => rowKind(row, map));
  const matching = rows.map(row => columnsThatMatch(row, map.skipItems));
  const [column] = matching.flatMap((columns, row) =>
    columns.filter(title => textOfCell(rows[row]?.(title)) !== ''),
  );
  if (rows.length > 0 && !kinds.includes('item')) {
    const empty = matching[0]?.find(title => matching.every(columns => columns.includes(title)));
    if (column === undefined)
      return empty ? { kind: 'cell', column: empty, cell: '' } : { kind: 'no-piece', column: '', cell: '' };
    const isSame = matching.every((columns, row) => columns.includes(column) || kinds[row] === 'none');
    const isAny = isSame && map.skipItems[column]?.includes(ANY);
    const place = matching.findIndex(columns => columns.includes(column));
    return isAny ? filledFact(column) : { kind: 'no-item', column, cell: textOfCell(rows[place]?.(column)) };
  }
  // A cell in a row above the items counts for all items, if the items have no such cell.
  return column !== undefined && !kinds.includes('unshipped') ? filledFact(column) : undefined;
}

const filledFact = (column: string): LeavingFact => ({ kind: 'filled', column, cell: '' });

/** Why an order is left out if the file does not tell how many pieces of an item are left to send. */
function untoldPiecesFact(rows: readonly NamedRow[], map: InputMap): LeavingFact | undefined {
  for (const [column, cells] of Object.entries(map.onlyItems)) {
    const cell = rows
      .filter(row => row(column) !== undefined && rowKind(row, map) === 'item')
      .map(row => textOfCell(row(column)))
      .find(text => cells.length > 0 && !isAmong(text, cells));
    if (cell !== undefined) return { kind: 'sent-in-part', column, cell };
  }
  return undefined;
}

const QUANTITY = 'items[].quantity';
const PRICES = ['items[].totalPrice', 'items[].unitPrice'];

const columnsWithPath = (path: string, map: InputMap): string[] =>
  Object.keys(map.columns).filter(title => map.columns[title] === path);

/** The first cell of a row that is not blank, among the columns that give the path. */
const cellWithPath = (row: NamedRow, path: string, map: InputMap): string | undefined =>
  columnsWithPath(path, map)
    .map(title => row(title))
    .find((cell): cell is string => typeof cell === 'string' && cell.trim() !== '');

const isZero = (cell: string): boolean => /^\D*0*[.,]?0+\D*$/.test(cell);

/** What a row of an order is: an item that ships, an item that does not ship, or no item. */
export function rowKind(row: NamedRow, map: InputMap): RowKind {
  const empty = emptyCells(row, map);
  if (empty.length > 0 && !hasGoods(row, map)) return 'none';
  const matching = columnsThatMatch(row, map.skipItems).filter(column => !empty.includes(column));
  const pieces = cellWithPath(row, QUANTITY, map) ?? cellWithPath(row, 'sold', map);
  return matching.length > 0 || (pieces !== undefined && isZero(pieces)) ? 'unshipped' : 'item';
}

/** The columns that must not be empty for an item, but are empty in this row. A row of goods is not left out for them: it is a problem. */
export const lackingCells = (row: NamedRow, map: InputMap): string[] =>
  rowKind(row, map) === 'item' ? emptyCells(row, map) : [];

const emptyCells = (row: NamedRow, map: InputMap): string[] =>
  columnsThatMatch(row, map.skipItems).filter(column => textOfCell(row(column)) === '');

/** Does a row have goods: the name of an item, its product, or the id of a line and a price? */
function hasGoods(row: NamedRow, map: InputMap): boolean {
  const { shop } = map;
  const isLine = shop?.line !== undefined && textOfCell(row(shop.line)) !== '';
  if (isLine && PRICES.some(path => cellWithPath(row, path, map) !== undefined)) return true;
  const names = [map.columns, ...(shop ? [columnsThatGive(shop)] : [])].flatMap(columns =>
    Object.keys(columns).filter(title => columns[title] === 'items[].description'),
  );
  const titles = [...names, map.lookup?.by];
  return titles.some(title => title !== undefined && textOfCell(row(title)) !== '');
}

/** Does a row of the order say that a company bought it? */
export const isOfBusiness = (rowsOf: () => readonly NamedRow[], map: InputMap): boolean =>
  Object.keys(map.business).length > 0 &&
  rowsOf().some(row => columnsThatMatch(row, map.business).length > 0);

/** The column that names a company as the buyer; `undefined` if the user's map itself says which orders a company bought. */
export function companyColumn(rows: readonly NamedRow[], map: InputMap): string | undefined {
  const business = map.shop?.business ?? {};
  if (Object.keys(map.business).some(column => !Object.hasOwn(business, column))) return undefined;
  const [ofReceiver, ofPayer] = ['receiver', 'billing'].map(who =>
    columnsWithPath(`${who}.companyName`, map),
  );
  const cellIn = (title: string) => rows.map(row => textOfCell(row(title))).find(cell => cell !== '');
  const nameOf = (who: string) => {
    const cells = NAMES.flatMap(name => columnsWithPath(who + name, map)).flatMap(
      title => cellIn(title) ?? [],
    );
    const words = cells.flatMap(cell => folded(cell).split(/\s+/));
    return [...new Set(words)].sort().join(' ');
  };
  const [receiver, payer] = [nameOf('receiver'), nameOf('billing')];
  // The payer may be a company that sends a present to somebody else: then the receiver is no company.
  const isPresent = receiver !== '' && payer !== '' && receiver !== payer;
  return [...(ofReceiver ?? []), ...(isPresent ? [] : (ofPayer ?? []))].find(cellIn);
}

/** What follows `receiver` or `billing` in the path of a name. */
const NAMES = ['', '.firstName', '.lastName'];

const columnsThatMatch = (row: NamedRow, cells: Cells): string[] =>
  Object.keys(cells).filter(
    column => row(column) !== undefined && isAmong(textOfCell(row(column)), cells[column] ?? []),
  );

// Compared without accents and dots: another spelling is the same status.
const isAmong = (cell: string, cells: readonly string[]): boolean =>
  cells.some(wanted => (wanted === ANY ? cell !== '' : folded(wanted) === folded(cell)));

// Notes what the results do not show of a map: the orders that the map left out, and the values that are sums of items.

/** How many orders are listed one by one, so that memory does not grow with their number. */
const MAX_LISTED = 50;
const MAX_REASONS = 1000;

/** Words of shops for an order that is no longer to be sent. */
const STOPPED = /cancel|refund|void|storn|erstatt|iptal|iade/;

/** Has the shop stopped the order, as the column or its cell says? */
const isStopped = (fact: LeavingFact): boolean =>
  ['cell', 'filled', 'no-item', 'refunded-in-part'].includes(fact.kind) &&
  [fact.column, fact.cell].some(text => STOPPED.test(folded(text)));

export class LeftOut {
  count = 0;
  /** Orders that are left out on one line and kept on another. */
  readonly scattered: { key: string; line: number; first: number }[] = [];
  /** Orders that the shop has stopped, as the reason for leaving them out says. */
  readonly stopped: { key: string; why: string; source: string }[] = [];
  /** Gives the hash by which the journal knows the text of a record. */
  sourceOf: (text: string) => string = () => '';
  /** Warnings of what --include did: an order that was paid back in part is taken whole, perhaps with more value than is sent. */
  readonly #included: string[] = [];
  /** Keys of --include that no order has had so far. */
  readonly #wanted = new Map<string, string>();
  readonly #spool: Spool;
  #items = 0;
  #summed = 0;
  readonly #lines = new Set<number>();
  /** Columns with values that the map of a shop does not know. */
  readonly #unknownColumns = new Set<string>();
  /** Orders of which the file does not tell what was paid back, or sent. */
  readonly #untold: string[] = [];
  /** Orders of which money is still to come, and why. */
  readonly #unpaid: string[] = [];
  readonly #orders: string[] = [];
  readonly #reasons = new Map<string, number>();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** The settings that make the reader of the input report to this object. `sumsValue`: may the goods value be the sum of the items? */
  settings(
    sumsValue: boolean,
    include: readonly string[],
  ): Pick<
    InputSettings,
    'include' | 'onLeftOut' | 'onIncluded' | 'onLeftOutItems' | 'onSummed' | 'onUnknownColumn'
  > {
    for (const key of include) this.#wanted.set(keyIdentity(key), key);
    return {
      include: new Set(this.#wanted.keys()),
      onIncluded: order => {
        const { key, named, fact } = order;
        const although = `although ${leavingWords(fact)}`;
        this.#included.push(`${shown(key)} is taken whole, as --include says, ${although}`);
        this.#wanted.delete(named);
      },
      onLeftOut: order => {
        const { key, named, line, fact, text } = order;
        const why = leavingWords(fact);
        const name = key ?? `line ${line}`;
        this.count += 1;
        if (key !== undefined && named !== undefined && this.#wanted.delete(named))
          this.#included.push(`--include ${shown(key)}: no item of it is left to send, because ${why}`);
        const first = key === undefined ? undefined : this.#spool.noteKey(keyIdentity(key), line);
        // An order that is left out on the first line, too, is only in the file twice.
        if (key !== undefined && first !== undefined && !this.#lines.has(first))
          this.scattered.push({ key, line, first });
        this.#lines.add(line);
        if (isUntoldPart(fact)) this.#untold.push(name);
        if (isUnpaid(fact)) this.#unpaid.push(`${shown(name)} (${why})`);
        if (key !== undefined && isStopped(fact))
          this.stopped.push({ key, why, source: this.sourceOf(text) });
        if (this.#orders.length < MAX_LISTED) this.#orders.push(`${key ?? 'an order without a key'}: ${why}`);
        if (this.#reasons.has(why) || this.#reasons.size < MAX_REASONS)
          this.#reasons.set(why, (this.#reasons.get(why) ?? 0) + 1);
      },
      onLeftOutItems: count => {
        this.#items += count;
      },
      onUnknownColumn: title => void this.#unknownColumns.add(title),
      onSummed: sumsValue
        ? () => {
            this.#summed += 1;
          }
        : undefined,
    };
  }

  isOn(line: number): boolean {
    return this.#lines.has(line);
  }

  /** What a person should know of the columns of the file. */
  get warnings(): string[] {
    const names = [...this.#unknownColumns].map(title => JSON.stringify(title));
    return names.length === 0
      ? []
      : [`the map does not know these columns, which have values, and leaves them out: ${someOf(names)}`];
  }

  /** What a person should know of the orders that --include names. */
  get includeWarnings(): string[] {
    const unmet = [...this.#wanted.values()];
    return [
      ...this.#included,
      ...unmet.map(key => `--include ${shown(key)}: the map leaves out no such order`),
    ];
  }

  /** Prints what the map left out, on a terminal with the keys of the orders. `records`: how many orders the map kept. */
  async tell(session: Session, records: number): Promise<void> {
    const { printer, interactive } = session;
    if (this.count > 0) {
      const reasons = [...this.#reasons].sort(([, a], [, b]) => b - a);
      await printer.note(
        `the map leaves out ${this.count} of ${this.count + records} orders: ${someOf(reasons.map(([why, count]) => `${why} (${count})`))}`,
      );
      if (this.#untold.length > 0)
        await printer.note(
          `what was paid back or sent of ${someOf(this.#untold.map(shown))} the file does not tell: find it in the shop. \`--include KEY\` takes an order whole`,
        );
      if (this.#unpaid.length > 0)
        await printer.note(
          `not paid, or not in full: ${someOf(this.#unpaid)}. \`--include KEY\` sends an order all the same`,
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
        `for ${this.#summed} of ${records} orders the sum of the items that are sent is declared: the shop's own sum is missing, or is of more`,
      );
  }
}
