// Which rows of an invoice are the total of other rows, and no charges, wherever these rows stand.
import Big from 'big.js';
import { bareTitle, plainTitle } from '../batch/csv-rows.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { addPrice } from '../output/money.ts';

/** The column that names the kind of each row; DHL has it first, in any language. */
const KIND_COLUMN = /^(line|row|record|entry|zeilen|satz|positions)?(type|typ|kind|art)$/;
/** The kind of a row that is of a whole invoice: `I` beside the `S` of shipments, `HDR` beside `DTL`. */
const INVOICE_KINDS =
  /^(i|inv|invoice|h|hdr|head|header|t|tot|total|sum|summary|trailer|rechnung|facture|fattura|factura|fatura)$/;
/** The column of the invoice's number. */
const INVOICE_COLUMN =
  /^(invoice|bill|rechnungs?|facture|fattura|factura|fatura)(id|no|nr|num|number|nummer)?$/;

/** What the row of a total says, with or without its currency. */
const TOTAL_WORDS =
  /^(grand|invoice|net|gross)?(total|sum)(amount|charges?|due|net|gross|incl|excl|vat|of|in)*$|^(amount|balance)due$|^total[ae]l?$|^(gesamt|end|rechnungs)?(summe|betrag)(netto|brutto)?$|^gesamt$|^(genel)?toplam(tutar)?$/;

/** What a row says beside its amount and its currency. */
export interface Sayings {
  /** Empty if the file has no such column. */
  invoice: string;
  /** The word for the kind of the row, as `plainTitle` has it. */
  kind: string;
  /** Its words by their columns, without those of a total. */
  words: ReadonlyMap<number, string>;
  saysTotal: boolean;
}

/** A row that may be a total: it names no order. */
export interface OpenRow extends Sayings {
  line: number;
  currency: string;
  /** Decimal text. */
  amount: string;
  /** The unknown booking that the row fits, if there is one. */
  row: unknown;
}

const NO_WORDS: Sayings['words'] = new Map();

/** The sum of rows in one currency. `rows`: how many of them have an amount that is not 0. */
interface Sum {
  amount: string;
  rows: number;
}

export class InvoiceTotals {
  private readonly invoiceAt: number;
  private readonly kindAt: number;
  /** The cells that all rows have, such as the name of the account: they say nothing of one row. */
  private shared: (string | undefined)[] | undefined;
  private readonly kindsOfNamed = new Set<string>();
  private readonly sums = new Map<string, Map<string, Sum>>();

  /** `byAt`: the column of what names the order; `apart`: those of the price and, if there is one, of the currency. */
  constructor(
    header: readonly string[],
    byAt: number,
    private readonly apart: readonly (number | string)[],
  ) {
    this.invoiceAt = header.findIndex(
      (title, at) => at !== byAt && !apart.includes(at) && INVOICE_COLUMN.test(plainTitle(title)),
    );
    this.kindAt = Math.max(
      header.findIndex(title => KIND_COLUMN.test(plainTitle(title))),
      0,
    );
  }

  /** What a row says. `orderName`: what names its order, empty if nothing does. `isOpen`: the row may be a total. */
  read(cells: readonly string[], orderName: string): Sayings & { isOpen: boolean } {
    const { invoiceAt, kindAt, apart } = this;
    this.shared ??= [...cells];
    this.shared.forEach((cell, at, shared) => {
      if (cell !== cells[at]) shared[at] = undefined;
    });
    const invoice = cells[invoiceAt] ?? '';
    const kind = plainTitle(cells[kindAt] ?? '');
    const isOpen = orderName === '' || orderName === invoice || TOTAL_WORDS.test(bareTitle(orderName));
    if (!isOpen) {
      this.kindsOfNamed.add(kind);
      return { invoice, kind, words: NO_WORDS, saysTotal: false, isOpen };
    }
    const words = new Map<number, string>();
    let saysTotal = false;
    cells.forEach((cell, at) => {
      if (at === invoiceAt || cell === invoice || apart.includes(at) || !/\p{Letter}/u.test(cell)) return;
      if (TOTAL_WORDS.test(bareTitle(cell))) saysTotal = true;
      else if (!CURRENCIES.has(cell.toUpperCase())) words.set(at, cell);
    });
    return { invoice, kind, words, saysTotal, isOpen };
  }

  /** Counts the amount of each row, whatever the row names. */
  count(row: Pick<OpenRow, 'currency' | 'invoice' | 'amount'>): void {
    const { currency, invoice, amount } = row;
    const invoices = this.sums.get(currency) ?? new Map<string, Sum>();
    this.sums.set(currency, invoices);
    invoices.set(invoice, withAmount(invoices.get(invoice), amount));
  }

  /** The rows that are totals: in each currency one of each invoice, then one of all invoices of the file. */
  among<Row extends OpenRow>(rows: readonly Row[]): Set<Row> {
    const totals = new Set<Row>();
    for (const [currency, invoices] of this.sums) {
      // The last of several equal rows is the total.
      const last = rows.filter(row => row.currency === currency).reverse();
      for (const [invoice, sum] of invoices) {
        const total = last.find(row => row.invoice === invoice && this.isTotal(row, sum));
        if (total) totals.add(total);
      }
      if (invoices.size === 1) continue;
      const whole = this.leftOf(
        [...invoices.values()],
        [...totals].filter(row => row.currency === currency),
      );
      // A row of an invoice that has other rows is not the total of the file.
      const isOfFile = (row: Row) => row.invoice === '' || invoices.get(row.invoice)?.rows === 1;
      const total = last.find(row => !totals.has(row) && isOfFile(row) && this.isTotal(row, whole));
      if (total) totals.add(total);
    }
    return totals;
  }

  /** The sum of all rows without these totals. */
  private leftOf(sums: readonly Sum[], totals: readonly OpenRow[]): Sum {
    const charged = sums.reduce((whole, { amount }) => addPrice(whole, amount), '0');
    const left = totals.reduce((whole, { amount }) => new Big(whole).minus(amount), new Big(charged));
    return {
      amount: left.toFixed(),
      rows: sums.reduce((count, { rows }) => count + rows, -totals.length),
    };
  }

  /**
   * Is a row the total of the other rows? Its amount is their sum, and either it says that it is a total, or it says nothing at all and
   * there are several others: a single charge without a name may cost as much as the only order.
   */
  private isTotal(row: OpenRow, sum: Sum): boolean {
    if (!new Big(row.amount).times(2).eq(sum.amount)) return false;
    // A kind that rows of orders have, too, marks no total.
    if (INVOICE_KINDS.test(row.kind) && !this.kindsOfNamed.has(row.kind)) return sum.rows > 1;
    const says = [...row.words].filter(([at, word]) => this.shared?.[at] !== word);
    return says.length === 0 && row.row === undefined && sum.rows > (row.saysTotal ? 1 : 2);
  }
}

const withAmount = (sum: Sum = { amount: '0', rows: 0 }, amount: string): Sum => ({
  amount: addPrice(sum.amount, amount),
  rows: sum.rows + Number(!new Big(amount).eq(0)),
});
