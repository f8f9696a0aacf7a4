// What `batch map` says to a person: which orders the shop cancelled, and what is left to fill in.
import { folded } from '../../journal/words.ts';
import { type FlaggedField, flagName } from '../../order/options.ts';

const STATUS =
  /(?:^|\b(?:order|payment|financial|fulfillment|siparis|odeme|kargo) )(?:status|durumu)$|\bcancell?ed\b|\brefund|^(?:iptal|iade|durum|storno|bestellstatus|zahlungsstatus|statut)\b/;

/** What a batch does with orders that the shop cancelled: it does not know of them. */
export function statusWords(leftOut: readonly string[]): string[] {
  const found = leftOut.filter(title => STATUS.test(folded(title)));
  return found.length === 0
    ? []
    : [
        `Every order of the file is booked, whatever is in ${found.map(title => JSON.stringify(title)).join(', ')}: name the cells of what is cancelled, refunded, not paid or sent already in "skip" of the map.`,
      ];
}

const PLACEHOLDERS: Readonly<Record<string, string>> = { '--sender': 'FILE', '--carrier': 'cheapest' };

/** `--type TYPE` */
export function flagWords({ flag }: FlaggedField): string {
  const name = flagName(flag);
  return `${name} ${PLACEHOLDERS[name] ?? wordFor(name)}`;
}

const wordFor = (name: string): string => name.slice(2).toUpperCase();

/** What a person fills in for the placeholders of these flags; `undefined` if there is none. */
export function fillInWords(fields: readonly FlaggedField[]): string | undefined {
  const words = fields.flatMap(({ flag, values }) => {
    if (flag === '--sender') return 'FILE with the sender as JSON, or @NAME of a saved party';
    return values ? `${wordFor(flagName(flag))} with ${Object.keys(values).join(', ')}` : [];
  });
  return words.length === 0
    ? undefined
    : `Replace ${words.join('; ')}. These flags give what is the same for all orders.`;
}
