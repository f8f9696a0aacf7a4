// Why an order has its carrier, as people see it.
import type { ToldChoice } from '../booking/booking.ts';
import { chosenByWords, whyNotWords } from '../say/carriers.ts';
import { money } from '../say/words.ts';
import type { Look } from './look.ts';
import { table } from './table.ts';
import { safe } from './text.ts';

/** Why an order has its carrier: the rule, the bound, and each proposal with why it was not taken; empty if nothing was chosen. */
export async function choicePage(choice: ToldChoice | null, look: Look): Promise<string> {
  if (choice === null) return '';
  const { proposals } = choice;
  const by = chosenByWords(choice);
  if (by === '' && proposals.length === 0) return '';
  const rows = proposals.map(({ carrier, price, currency, days, why }) => [
    carrier ?? '',
    money(price, currency) ?? '',
    days === null ? '' : String(days),
    whyNotWords(why),
  ]);
  const list =
    rows.length > 0 &&
    (await table(look, {
      head: ['carrier', 'price', 'days', 'why'],
      align: ['left', 'right', 'right', 'left'],
      rows,
    }));
  return [look.dim(`Why this carrier${by && `: ${safe(by)}`}`), list].filter(Boolean).join('\n');
}
