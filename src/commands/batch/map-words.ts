// What `batch map` says to a person: fields, the first order, and what is left to fill in.
import type { Issue, Schema } from '../../contract/operation.ts';
import { fieldIn, patternOf } from '../../forms/engine/state.ts';
import { SHIPMENT_GROUPS, shipmentLabel } from '../../forms/shipment-fields.ts';
import { shipmentLines } from '../../forms/words.ts';
import { folded } from '../../journal/words.ts';

/** `Width of the package in cm`, `Receiver: Postal code`. */
export function fieldWords(schema: Schema, path: string, body: unknown): string {
  if (path === 'key') return 'The number of the order';
  const label = shipmentLabel(path, body) ?? fieldIn(schema, path)?.description ?? path;
  const [, side, inUnit] = /^(Length|Width|Height)( in .+)$/.exec(label) ?? [];
  if (side !== undefined) return `${side} of the package${inUnit}`;
  const [, owner] =
    Object.entries(SHIPMENT_GROUPS).find(([group]) => patternOf(path).startsWith(`${group}.`)) ?? [];
  return owner === undefined ? label : `${owner}: ${label}`;
}

const FROM_COLUMNS = ['receiver', 'packages', 'items', 'customs'];
/** With the order and the question they fit on a terminal of 24 lines. */
const MOST_OPEN = 6;

/** Two lines of a terminal: an order may have many items. */
const MOST_TEXT = 140;
const LABEL = 'Contents'.length;

const cut = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

/** The first order and what it lacks, a line each. */
export function orderLines(schema: Schema, key: string | undefined, body: unknown, open: readonly Issue[]) {
  const lines = shipmentLines(schema, body).filter(({ path }) => FROM_COLUMNS.includes(path));
  const rows = [{ label: 'Order', text: key ?? '' }, ...lines].map(
    ({ label, text = '' }) => `  ${label.padEnd(LABEL)}  ${cut(text) || '-'}`,
  );
  const shown = open.slice(0, open.length > MOST_OPEN ? MOST_OPEN - 1 : MOST_OPEN);
  const more = open.length - shown.length;
  return [
    'The first order, as the map reads it:',
    ...rows,
    ...shown.map(({ path, message }) => `! ${path} ${message}`),
    ...(more > 0 ? [`! and ${more} more, which are listed when the map is written`] : []),
  ];
}

const STATUS =
  /(?:^|\b(?:order|payment|financial|fulfillment|siparis|odeme|kargo) )(?:status|durumu)$|\bcancell?ed\b|\brefund|^(?:iptal|iade|durum|storno|bestellstatus|zahlungsstatus|statut)\b/;

/** What a batch does with orders that the shop cancelled: it does not know of them. */
export function statusWords(leftOut: readonly string[]): string[] {
  const found = leftOut.filter(title => STATUS.test(folded(title)));
  return found.length === 0
    ? []
    : [
        `Every order of the file is booked, whatever is in ${found.map(title => JSON.stringify(title)).join(', ')}: take out what is cancelled, refunded, not paid or sent already.`,
      ];
}

const PLACEHOLDERS: Readonly<Record<string, string>> = { '--sender': 'FILE', '--carrier': 'cheapest' };

/** `--type TYPE` */
export const flagWords = (flag: string): string =>
  `${flag} ${PLACEHOLDERS[flag] ?? flag.slice(2).toUpperCase()}`;

/** What a person fills in for the placeholders of these flags; `undefined` if there is none. */
export function fillInWords(schema: Schema, flags: readonly string[]): string | undefined {
  const words = flags.flatMap(flag => {
    if (flag === '--sender') return 'FILE with the sender as JSON, or @NAME of a saved party';
    const values = Object.keys(fieldIn(schema, flag.slice(2))?.values ?? {});
    return values.length > 0 ? `${flag.slice(2).toUpperCase()} with ${values.join(', ')}` : [];
  });
  return words.length === 0
    ? undefined
    : `Replace ${words.join('; ')}. These flags give what is the same for all orders.`;
}
