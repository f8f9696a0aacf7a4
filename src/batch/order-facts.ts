// What the cells of an order say beside its fields, as facts: why it is not sent, and what a person has to look at.
import { shown } from '../text.ts';

/** Cells by the columns of the shop, and by those to which a map gives the same meaning. */
interface RowCells {
  has(column: string): boolean;
  /** The first cell that is not blank; empty if there is none. */
  text(column: string): string;
  /** The amount in it; 0 for none, and not a number for one that cannot be read. */
  amount(column: string): number;
}

/** The cells of an order: the first of its rows that has one counts. */
export interface OrderCells extends RowCells {
  rows: readonly RowCells[];
}

/** Why an order is left out: each reason with its sentence, without its subject. `is`: `Fulfillment Status is "partial"`. */
const LEAVING = {
  /** The map leaves out orders with this cell; an empty one if no row has a cell that the map keeps. */
  cell: is => is,
  /** The map leaves out orders with any cell there. */
  filled: (_, column) => `${column} is not empty`,
  /** It leaves out all rows as items. */
  'no-item': is => `${is}: no item of it is sent`,
  'no-piece': () => 'no piece of it is left to ship',
  /** A part of it was sent, or paid back, and the file does not tell which. */
  'sent-in-part': is => `${is}, which does not tell what is left to send`,
  'refunded-in-part': (is, _, lines) =>
    `${is}, and ${lines === undefined ? 'no line tells of what' : `its lines add up to ${lines}`}`,
  collected: is => `${is}: the customer collects it`,
  virtual: is => `${is}, and it has no shipping address: there is nothing to send`,
  'paid-at-the-door': is => `${is}: it is paid at the door, and the service collects no money`,
  /** Something was added to it after it was paid. */
  owed: is => is,
  'sent-by-marketplace': is => `${is}: the marketplace sends it`,
} satisfies Record<string, (is: string, column: string, lines: string | undefined) => string>;

/** What a cell says of an order. A column is as the file writes it. */
interface CellFact<Kind> {
  kind: Kind;
  column: string;
  cell: string;
  /** What its lines tell of a sum that was paid back. */
  lines?: string | undefined;
}

export type LeavingFact = CellFact<keyof typeof LEAVING>;

/**
 * What a shop says of an order. `payment-unknown`: only a person can tell whether it is paid. `forwarded`: it goes to a centre of the
 * marketplace, which takes it by the reference in the cell; an empty one is missing.
 */
export type OrderFact = LeavingFact | CellFact<'payment-unknown' | 'forwarded' | 'duties-paid'>;

export const isLeaving = (fact: OrderFact): fact is LeavingFact => Object.hasOwn(LEAVING, fact.kind);

/** A fact that a column of the order says. */
export const factOf = <Kind extends OrderFact['kind']>(kind: Kind, column: string, order: OrderCells) => ({
  kind,
  column,
  cell: order.text(column),
});

/** The sentence of a fact, without its subject. */
export function leavingWords(fact: LeavingFact): string {
  const { kind, column, cell, lines } = fact;
  const is = `${column} is ${cell === '' ? 'empty' : shown(cell)}`;
  return LEAVING[kind](is, column, lines);
}

/** Was a part of the order sent or paid back, and the file does not tell which? A status of the shop may say so as well. */
export const isUntold = (fact: LeavingFact): boolean =>
  fact.kind === 'sent-in-part' ||
  fact.kind === 'refunded-in-part' ||
  (fact.kind === 'cell' && /^part(ially|ly|ial)?[ _-]?refund/i.test(fact.cell));

/** Is the money for the order still to come? */
export const isUnpaid = (fact: LeavingFact): boolean =>
  fact.kind === 'owed' || fact.kind === 'paid-at-the-door';
