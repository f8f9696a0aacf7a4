// What a shop says of an order beside its fields, as facts: why it is not sent, and what a person has to look at.
import { shown } from '../text.ts';

/** The cells of a row, by columns of the shop, also if a map gives the meaning of such a column to another column. */
interface RowCells {
  has(column: string): boolean;
  /** The first cell that is not blank; empty if there is none. */
  text(column: string): string;
  /** The amount in the column; 0 if it is blank, NaN if it cannot be read. */
  amount(column: string): number;
}

/** The cells of an order: for each column, the cell of the first row that has one. */
export interface OrderCells extends RowCells {
  rows: readonly RowCells[];
}

/** Why an order is left out: the sentence of each reason, without its subject. `cellWords`: `Fulfillment Status is "partial"`. */
const LEAVING = {
  /** The map leaves out orders with this cell; or, if the cell is empty, orders without any of the cells that the map keeps. */
  cell: cellWords => cellWords,
  /** The map leaves out orders with any cell in the column. */
  filled: (_, column) => `${column} is not empty`,
  /** The map leaves out all items. */
  'no-item': cellWords => `${cellWords}: no item of it is sent`,
  'no-piece': () => 'no piece of it is left to ship',
  /** A part of the order was sent, or paid back, and the file does not tell which part. */
  'sent-in-part': cellWords => `${cellWords}, which does not tell what is left to send`,
  'refunded-in-part': (cellWords, _, lines) =>
    `${cellWords}, and ${lines === undefined ? 'no line tells of what' : `its lines add up to ${lines}`}`,
  collected: cellWords => `${cellWords}: the customer collects it`,
  virtual: cellWords => `${cellWords}, and it has no shipping address: there is nothing to send`,
  'paid-at-the-door': cellWords => `${cellWords}: it is paid at the door, and the service collects no money`,
  /** Something was added to the order after it was paid. */
  owed: cellWords => cellWords,
  'sent-by-marketplace': cellWords => `${cellWords}: the marketplace sends it`,
} satisfies Record<string, (cellWords: string, column: string, lines: string | undefined) => string>;

/** What a cell says of an order. `column`: the header of the cell. */
interface CellFact<Kind> {
  kind: Kind;
  column: string;
  cell: string;
  /** The sum of what was paid back for lines of the order, if its lines tell that. */
  lines?: string | undefined;
}

export type LeavingFact = CellFact<keyof typeof LEAVING>;

/**
 * What a shop says of an order. `payment-unknown`: only a person can tell whether the order is paid. `forwarded`: the parcel goes to a
 * centre of the marketplace, which knows it by the reference in the cell; if the cell is empty, the reference is missing.
 */
export type OrderFact = LeavingFact | CellFact<'payment-unknown' | 'forwarded' | 'duties-paid'>;

export const isLeaving = (fact: OrderFact): fact is LeavingFact => Object.hasOwn(LEAVING, fact.kind);

/** The fact that a column of the order says. */
export const factOf = <Kind extends OrderFact['kind']>(kind: Kind, column: string, order: OrderCells) => ({
  kind,
  column,
  cell: order.text(column),
});

/** The sentence that says why an order is left out, without its subject. */
export function leavingWords(fact: LeavingFact): string {
  const { kind, column, cell, lines } = fact;
  const cellWords = `${column} is ${cell === '' ? 'empty' : shown(cell)}`;
  return LEAVING[kind](cellWords, column, lines);
}

/** Is it unknown which part of the order was sent or paid back? A cell with a status, such as `partially refunded`, says so, too. */
export const isUntoldPart = (fact: LeavingFact): boolean =>
  fact.kind === 'sent-in-part' ||
  fact.kind === 'refunded-in-part' ||
  (fact.kind === 'cell' && /^part(ially|ly|ial)?[ _-]?refund/i.test(fact.cell));

/** Is the money for the order still to come? */
export const isUnpaid = (fact: LeavingFact): boolean =>
  fact.kind === 'owed' || fact.kind === 'paid-at-the-door';
