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

/** Why an order is left out. A column is as the file writes it. */
export type LeavingFact =
  /** The map leaves out orders with this cell; an empty one if none of its rows has a cell that the map keeps. */
  | { kind: 'cell'; column: string; cell: string }
  /** The map leaves out orders with any cell there. */
  | { kind: 'filled'; column: string }
  /** This column says of all of its rows that they are no items to send; of `all-empty` by having no cell. */
  | { kind: 'no-item'; column: string }
  | { kind: 'all-empty'; column: string }
  /** Of each item the column of its pieces has 0. */
  | { kind: 'no-piece'; column: string }
  /** A part of it was sent, or paid back, and the file does not tell which. */
  | { kind: 'sent-in-part'; column: string; cell: string }
  | { kind: 'refunded-in-part'; column: string; cell: string; told: string | undefined }
  /** The customer comes for it. */
  | { kind: 'collected'; column: string; cell: string }
  /** Nothing says where it goes or how: it has no goods to send. */
  | { kind: 'virtual'; column: string; cell: string }
  /** It is paid for at the door, and the service collects no money. */
  | { kind: 'paid-at-the-door'; column: string; cell: string }
  /** Something of its price is still to be paid. */
  | { kind: 'owed'; column: string; cell: string }
  /** The marketplace sends it. */
  | { kind: 'sent-by-marketplace'; column: string; cell: string };

/** What a shop says of an order. */
export type OrderFact =
  | LeavingFact
  /** It may not be paid for yet, and only a person can tell. */
  | { kind: 'payment-unknown'; column: string; cell: string }
  /** It goes to a centre of the marketplace, which takes it by the reference in this cell; an empty one is missing. */
  | { kind: 'forwarded'; column: string; cell: string }
  /** The customer paid the duties when they bought. */
  | { kind: 'duties-paid'; column: string; cell: string };

/** A fact that a cell of the order says. */
export const factOf = <Kind extends OrderFact['kind']>(kind: Kind, column: string, order: OrderCells) => ({
  ...{ kind, column },
  cell: order.text(column),
});

/** The sentence of a fact, without its subject. */
export function leavingWords(fact: LeavingFact): string {
  const is = 'cell' in fact ? `${fact.column} is ${fact.cell === '' ? 'empty' : shown(fact.cell)}` : '';
  switch (fact.kind) {
    case 'cell':
    case 'owed':
      return is;
    case 'filled':
      return `${fact.column} is not empty`;
    case 'no-item':
      return `${fact.column} leaves no item`;
    case 'all-empty':
      return `${fact.column} is empty`;
    case 'no-piece':
      return 'no piece of it is left to ship';
    case 'sent-in-part':
      return `${is}, which does not tell what is left to send`;
    case 'refunded-in-part':
      return `${is}, and ${fact.told === undefined ? 'no line tells of what' : `its lines add up to ${fact.told}`}`;
    case 'collected':
      return `${is}: the customer collects it`;
    case 'virtual':
      return `it has no shipping address, and ${fact.column} is empty: there is nothing to send`;
    case 'paid-at-the-door':
      return `${is}: it is paid at the door, and the service collects no money`;
    case 'sent-by-marketplace':
      return `${is}: the marketplace sends it`;
  }
}

/** A part of the order was sent or paid back, and the file does not tell which: a status of the shop may say so as well. */
export const isUntold = (fact: LeavingFact): boolean =>
  fact.kind === 'sent-in-part' ||
  fact.kind === 'refunded-in-part' ||
  (fact.kind === 'cell' && /^part(ially|ly|ial)?[ _-]?refund/i.test(fact.cell));

/** Is the money for the order still to come? */
export const isUnpaid = ({ kind }: LeavingFact): boolean => kind === 'owed' || kind === 'paid-at-the-door';
