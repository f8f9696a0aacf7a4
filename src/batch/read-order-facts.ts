// Asks the shop what the cells of an order say beside its fields, and puts that into the record.
import { getAt, setAt, setMissing } from '../contract/paths.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import { shown } from '../text.ts';
import type { BatchInput, InputMap, InputSettings, NamedRow, RawRecord } from './input-types.ts';
import type { ReadingWarning } from './order-amounts.ts';
import type { OrderCells, OrderFact } from './order-facts.ts';
import type { Shop } from './shop.ts';
import { amountIn, decimalSign } from './written-amounts.ts';

/** The text of a cell, or of a value of JSON. */
export const textOfCell = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();

/** For each map: the columns of the file that mean a column of its shop. */
const TITLES = new WeakMap<InputMap, Map<string, readonly string[]>>();

function titlesFor(column: string, shop: Shop, map: InputMap): readonly string[] {
  const { amounts, fields } = shop;
  const known = TITLES.get(map) ?? new Map<string, readonly string[]>();
  TITLES.set(map, known);
  const path = amounts[column] ?? fields[column];
  const titles =
    known.get(column) ??
    (path === undefined ? [column] : Object.keys(map.columns).filter(title => map.columns[title] === path));
  known.set(column, titles);
  return titles;
}

function orderCells(rows: readonly NamedRow[], shop: Shop, map: InputMap): OrderCells {
  const cellsIn = (some: readonly NamedRow[]) => {
    const text = (column: string): string => {
      for (const title of titlesFor(column, shop, map))
        for (const row of some) {
          const cell = textOfCell(row(title));
          if (cell !== '') return cell;
        }
      return '';
    };
    return {
      text,
      has: (column: string) =>
        titlesFor(column, shop, map).some(title => some.some(row => row(title) !== undefined)),
      amount(column: string) {
        const cell = text(column);
        if (cell === '') return 0;
        const read = amountIn(cell, map.decimal ?? decimalSign(cell) ?? '.');
        return typeof read === 'string' ? Number.NaN : Number(read.amount);
      },
    };
  };
  return { ...cellsIn(rows), rows: rows.map(row => cellsIn([row])) };
}

/** What the shop says of an order; `"skip": {"COLUMN": []}` of a map takes back what the shop says by that column. */
function shopFacts(rows: readonly NamedRow[], map: InputMap): readonly OrderFact[] {
  const { shop } = map;
  const facts = shop?.facts?.(orderCells(rows, shop, map)) ?? [];
  return facts.filter(({ column }) => map.skip[column]?.length !== 0);
}

/** The facts of each record: they are needed when the map decides whether to keep the record, and when the record is read. */
const FACTS = new WeakMap<RawRecord, readonly OrderFact[]>();

/** What the shop says of the order of a record. `rows` is called only the first time. */
export function recordFacts(
  record: RawRecord,
  rows: () => readonly NamedRow[],
  map: InputMap,
): readonly OrderFact[] {
  const facts = FACTS.get(record) ?? (map.shop?.facts ? shopFacts(rows(), map) : []);
  FACTS.set(record, facts);
  return facts;
}

/** The record as its facts change it, with problems and warnings. Facts count only for operations with a receiver. */
export function withShopFacts(
  start: Record<string, unknown>,
  facts: readonly OrderFact[],
  settings: InputSettings,
  headerOf: BatchInput['headerOf'],
): { value: Record<string, unknown>; issues: Issue[]; warnings: ReadingWarning[] } {
  const { fields } = settings;
  let value: unknown = start;
  const issues: Issue[] = [];
  const warnings: ReadingWarning[] = [];
  for (const { kind, column, cell } of fieldAt(fields, SECOND_LINE) ? facts : []) {
    const path = headerOf(column);
    if (kind === 'duties-paid' && fieldAt(fields, DELIVERY_TYPE))
      value = setMissing(value, DELIVERY_TYPE, 'DDP');
    if (kind === 'payment-unknown')
      warnings.push({ text: UNKNOWN_PAYMENT, detail: `${path} is ${shown(cell)}` });
    if (kind === 'forwarded' && cell === '') issues.push({ path, message: NO_REFERENCE });
    if (kind === 'forwarded' && cell !== '') value = withReference(value, cell);
  }
  return { value: value as Record<string, unknown>, issues, warnings };
}

const UNKNOWN_PAYMENT = 'the file does not tell whether it is paid: look in the shop before it is sent';
const NO_REFERENCE =
  'is empty, and the centre that forwards the parcel refuses it without: copy it from the order in the shop';

const DELIVERY_TYPE = ['deliveryType'];
const SECOND_LINE = ['receiver', 'address', 'line2'];

/** The record with the reference of the parcel in the address, so that the label shows it, unless the reference is there already. */
function withReference(value: unknown, reference: string): unknown {
  if (JSON.stringify(getAt(value, ['receiver']) ?? '').includes(reference)) return value;
  const line = getAt(value, SECOND_LINE);
  return setAt(value, SECOND_LINE, [line, `Reference ${reference}`].filter(Boolean).join(', '));
}
