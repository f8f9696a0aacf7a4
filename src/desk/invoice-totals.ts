// Finds the rows of an invoice that are a total of other rows, and no charge. Such a row may stand anywhere in the file.
import Big from 'big.js';
import { bareTitle, plainTitle } from '../batch/csv-rows.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { addPrice } from '../output/money.ts';

/** The title of the column that names the kind of each row; in an invoice of DHL it is the first column, in any language. */
const KIND_COLUMN = /^(line|row|record|entry|zeilen|satz|positions)?(type|typ|kind|art)$/;
/** The kinds of rows about a whole invoice: `I` (shipments have `S`), `HDR` (shipments have `DTL`). */
const INVOICE_KINDS =
  /^(i|inv|invoice|h|hdr|head|header|t|tot|total|sum|summary|trailer|rechnung|facture|fattura|factura|fatura)$/;
/** The title of the column with the number of the invoice. */
const INVOICE_COLUMN =
  /^(invoice|bill|rechnungs?|facture|fattura|factura|fatura)(id|no|nr|num|number|nummer)?$/;

/** The words in the row of a total, from which a currency was taken away. */
const TOTAL_WORDS =
  /^(grand|invoice|net|gross)?(total|sum)(amount|charges?|due|net|gross|incl|excl|vat|of|in)*$|^(amount|balance)due$|^total[ae]l?$|^(gesamt|end|rechnungs)?(summe|betrag)(netto|brutto)?$|^gesamt$|^(genel)?toplam(tutar)?$/;

/** What a row of an invoice says besides its amount and its currency. */
export interface Sayings {
  /** The number of its invoice; empty if the file has no such column. */
  invoice: string;
  /** The word for the kind of the row, as `plainTitle` has it. */
  kind: string;
  /** The words of the row by their columns, without words for a total. */
  words: ReadonlyMap<number, string>;
  saysTotal: boolean;
}

/** A row that may be a total, because it names no order. */
export interface OpenRow extends Sayings {
  line: number;
  currency: string;
  /** The amount as decimal text. */
  amount: string;
  /** The unknown booking that the row fits, if there is one. */
  row: unknown;
}

const NO_WORDS: Sayings['words'] = new Map();

/** The sum of rows in one currency. `rows`: how many rows have an amount that is not 0. */
interface Sum {
  amount: string;
  rows: number;
}

export class InvoiceTotals {
  private readonly invoiceAt: number;
  private readonly kindAt: number;
  /** The cells that are the same in all rows, such as the name of the account: they say nothing of a single row. */
  private shared: (string | undefined)[] | undefined;
  private readonly kindsOfNamed = new Set<string>();
  private readonly sums = new Map<string, Map<string, Sum>>();

  /** `byAt`: the column that names the order. `apart`: the column of the price and, if there is one, the column of the currency. */
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

  /** What a row says. `orderName`: the name of its order, empty if it names none. `isOpen`: the row may be a total. */
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

  /** The rows that are totals: in each currency at most one for each invoice, and one for all invoices of the file. */
  among<Row extends OpenRow>(rows: readonly Row[]): Set<Row> {
    const totals = new Set<Row>();
    for (const [currency, invoices] of this.sums) {
      // Of several rows with the amount of a total, the last one is the total.
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
      // The total of the file names no invoice, or one that has no other row.
      const isOfFile = (row: Row) => row.invoice === '' || invoices.get(row.invoice)?.rows === 1;
      const total = last.find(row => !totals.has(row) && isOfFile(row) && this.isTotal(row, whole));
      if (total) totals.add(total);
    }
    return totals;
  }

  /** The sum of all rows, without the rows that are totals. */
  private leftOf(sums: readonly Sum[], totals: readonly OpenRow[]): Sum {
    const charged = sums.reduce((whole, { amount }) => addPrice(whole, amount), '0');
    const left = totals.reduce((whole, { amount }) => new Big(whole).minus(amount), new Big(charged));
    return {
      amount: left.toFixed(),
      rows: sums.reduce((count, { rows }) => count + rows, -totals.length),
    };
  }

  /**
   * Is a row the total of the other rows? Its amount is their sum, and either the row says that it is a total, or it says nothing and
   * there are several other rows: a single charge without a name may cost as much as the only order.
   */
  private isTotal(row: OpenRow, sum: Sum): boolean {
    if (!new Big(row.amount).times(2).eq(sum.amount)) return false;
    // A row's kind marks no total if rows that name an order have the same kind.
    if (INVOICE_KINDS.test(row.kind) && !this.kindsOfNamed.has(row.kind)) return sum.rows > 1;
    const says = [...row.words].filter(([at, word]) => this.shared?.[at] !== word);
    return says.length === 0 && row.row === undefined && sum.rows > (row.saysTotal ? 1 : 2);
  }
}

const withAmount = (sum: Sum = { amount: '0', rows: 0 }, amount: string): Sum => ({
  amount: addPrice(sum.amount, amount),
  rows: sum.rows + Number(!new Big(amount).eq(0)),
});
