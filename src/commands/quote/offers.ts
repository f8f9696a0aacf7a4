// Proposals and rates for people.

import { isBookable, priceWords, refusalWords } from '../../order/carrier.ts';
import type { Offer } from '../../order/order.ts';
import type { Look } from '../../output/look.ts';
import { table } from '../../output/table.ts';

/** What the column of ids is called, and whether a column says what can be booked. */
interface OfferColumns {
  title: string;
  hasValid?: boolean;
}

/** A table of offers, with bars on a terminal that can draw them; a pipe does not load their code. */
export async function offerTable(
  look: Look,
  { title, hasValid }: OfferColumns,
  offers: readonly Offer[],
): Promise<string> {
  if (look.pen !== undefined) {
    const { comparison } = await import('./comparison.ts');
    const drawn = await comparison(look, title, offers);
    if (drawn !== undefined) return drawn;
  }
  return table(look, {
    head: [title, 'name', 'service', 'delivery', 'price', ...(hasValid ? ['valid'] : [])],
    align: ['whole', 'left', 'left', 'left', 'right'],
    rows: offers.map(offer => [
      ...[offer.id, offer.name, offer.serviceType, offer.deliveryTime].map(text => text ?? '-'),
      priceWords(offer),
      ...(hasValid ? [isBookable(offer) ? 'yes' : refusalWords(offer, 'no')] : []),
    ]),
  });
}
