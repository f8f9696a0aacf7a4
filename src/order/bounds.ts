// The bounds within which a proposal is chosen.

import { isSameWord, knownPrice } from '../contract/read.ts';
import { isPriceWithin } from '../output/money.ts';
import type { Limits } from '../profile/settings.ts';
import type { BoundBroken, LimitPassed } from '../say/carriers.ts';
import { beyondLimits, hasPriceLimit } from './limits.ts';
import type { Bounds, Offer, Order } from './order.ts';

/** `false` is for flags such as `--no-max-price`. */
export type BoundOptions = { [name in 'service' | 'maxPrice' | 'maxDays']?: Bounds[name] | false };

export const boundsIn = (options: BoundOptions): Bounds => ({
  service: options.service || undefined,
  maxPrice: options.maxPrice || undefined,
  maxDays: options.maxDays === false ? undefined : options.maxDays,
});

export const hasBounds = (bounds: Bounds): boolean =>
  [bounds.service, bounds.maxPrice, bounds.maxDays, bounds.isPriced].some(bound => bound !== undefined);

/** The bounds of an order, together with the limits if a limit concerns its price. */
export const withLimits = (order: Pick<Order, 'operation' | 'bounds'>, limits: Limits): Bounds => ({
  ...order.bounds,
  limits: hasPriceLimit(limits, order.operation) ? limits : undefined,
});

/** The limit that a proposal would pass, if it would pass one. */
export const aboveLimits = (offer: Offer, bounds: Bounds): LimitPassed | undefined =>
  bounds.limits && beyondLimits(knownPrice(offer), bounds.limits);

/** The bound that a proposal does not keep, if there is one. */
export function outOfBounds(offer: Offer, bounds: Bounds): BoundBroken | undefined {
  const { service, maxPrice, maxDays, isPriced } = bounds;
  if (isPriced && knownPrice(offer) === undefined) return { breaks: 'isPriced' };
  if (service !== undefined && !isSameWord(offer.serviceType, service)) return { breaks: 'service', service };
  if (maxDays !== undefined && !(offer.days && offer.days[1] <= maxDays))
    return { breaks: 'maxDays', maxDays };
  return maxPrice === undefined || isPriceWithin(offer.price, offer.currency, maxPrice)
    ? undefined
    : { breaks: 'maxPrice', maxPrice };
}

/** The bounds as a notice has them, without the limits, which have notices of their own. */
export const wordedBounds = ({ service, maxPrice, maxDays, isPriced }: Bounds) => ({
  service,
  maxPrice,
  maxDays,
  isPriced,
});
