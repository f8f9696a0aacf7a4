// What a decision cannot use in the proposals of a service: read as decisions read them.
import type { Issue } from '../contract/operation.ts';
import { getAt } from '../contract/paths.ts';
import { shown } from '../text.ts';
import { hasPrice, isBookable, type Proposal, proposalsIn, proposedWeight } from './proposals.ts';

/** One issue for all proposals that have it; a proposal that says clearly that it is not valid has none. */
export function unusableIn(body: unknown): Issue[] {
  const found = new Map<string, Issue>();
  const add = (path: string, message: string) => found.set(`${path} ${message}`, { path, message });
  for (const proposal of proposalsIn(body))
    for (const [field, message] of unusableFields(proposal)) add(`proposals[].${field}`, message);
  if (proposedWeight(body) === undefined)
    add('chargeableWeight', 'is 0, or cannot be read: `waybill ship` then needs --chargeable-weight KG');
  return [...found.values()];
}

function unusableFields(proposal: Proposal): [field: string, message: string][] {
  const { received, refusal, days, deliveryTime, currency } = proposal;
  if (getAt(received, ['isValid']) === false) return [];
  if (!isBookable(proposal)) return [['isValid', `does not allow a booking: ${refusal}`]];
  return [
    ...(hasPrice(proposal)
      ? []
      : [
          [
            'price',
            'is 0, or cannot be read: such a proposal is neither the cheapest nor the fastest while another has a price',
          ] as const,
        ]),
    ...(currency === ''
      ? [['currency', 'is missing: such a proposal fails every --max-price'] as const]
      : []),
    ...(days === undefined
      ? [
          [
            'deliveryTime',
            `${shown(deliveryTime ?? null)} cannot be read as a time: it is never the fastest, and fails every --max-days`,
          ] as const,
        ]
      : []),
  ].map(([field, message]) => [field, message]);
}
