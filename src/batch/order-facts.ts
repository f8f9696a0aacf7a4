// What a shop says of an order beside its fields: read from the cells, and what comes of it for the record.
import { getAt, setAt, setMissing } from '../contract/paths.ts';
import { fieldAt, type Issue } from '../contract/shapes.ts';
import type { LeavingFact, OrderFact } from '../shops/facts.ts';
import type { OrderCells } from '../shops/shop.ts';
import { shopNamed } from '../shops/shops.ts';
import { shown } from '../text.ts';
import { amountIn, decimalSign } from './money.ts';
import type { BatchInput, InputMap, InputSettings, NamedRow, ReadingWarning } from './source.ts';

/** The text of a cell, or of a value of JSON. */
export const textOfCell = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();

function cellsOf(rows: readonly NamedRow[], { decimal }: InputMap): OrderCells {
  const text = (column: string) => rows.map(row => textOfCell(row(column))).find(cell => cell !== '') ?? '';
  return {
    text,
    has: column => rows.some(row => row(column) !== undefined),
    amount(column) {
      const cell = text(column);
      const read = amountIn(cell, decimal ?? decimalSign(cell) ?? '.');
      return typeof read === 'string' ? 0 : Number(read.amount);
    },
  };
}

/** What the shop says of an order; `"skip": {"COLUMN": []}` of a map takes back what it says by that column. */
export const shopFacts = (rows: readonly NamedRow[], map: InputMap): OrderFact[] =>
  shopNamed(map.extends)
    ?.facts?.(cellsOf(rows, map))
    .filter(({ column }) => map.skip[column]?.length !== 0) ?? [];

/** Does the order stay unsent for that? */
export const isLeaving = (fact: OrderFact): fact is LeavingFact =>
  !['payment-unknown', 'forwarded', 'duties-paid'].includes(fact.kind);

/** The record as its facts have it, with what is wrong and what a person should look at. */
export function withShopFacts(
  start: Record<string, unknown>,
  facts: readonly OrderFact[],
  { fields }: InputSettings,
  headerOf: BatchInput['headerOf'],
): { value: Record<string, unknown>; issues: Issue[]; warnings: ReadingWarning[] } {
  let value: unknown = start;
  const issues: Issue[] = [];
  const warnings: ReadingWarning[] = [];
  for (const fact of facts) {
    const column = headerOf(fact.column);
    if (fact.kind === 'duties-paid' && fieldAt(fields, DELIVERY_TYPE))
      value = setMissing(value, DELIVERY_TYPE, 'DDP');
    if (fact.kind === 'payment-unknown')
      warnings.push({
        text: 'the file does not tell whether it is paid: look in the shop before it is sent',
        detail: `${column} is ${shown(fact.cell)}`,
      });
    if (fact.kind !== 'forwarded' || !fieldAt(fields, SECOND_LINE)) continue;
    if (fact.reference === '')
      issues.push({
        path: column,
        message:
          'is empty, and the centre that forwards the parcel refuses it without: copy it from the order in the shop',
      });
    else value = withReference(value, fact.reference);
  }
  return { value: value as Record<string, unknown>, issues, warnings };
}

const DELIVERY_TYPE = ['deliveryType'];
const SECOND_LINE = ['receiver', 'address', 'line2'];

/** The label shows the reference of the parcel, if the shop has not written it into the address. */
function withReference(value: unknown, reference: string): unknown {
  if (JSON.stringify(getAt(value, ['receiver']) ?? '').includes(reference)) return value;
  const line = getAt(value, SECOND_LINE);
  return setAt(value, SECOND_LINE, [line, `Reference ${reference}`].filter(Boolean).join(', '));
}
