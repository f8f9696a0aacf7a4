import { OPERATIONS } from '../contract/operations.ts';
import { getAt, isRecord, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { comparePrices, money, type Price } from '../output/money.ts';
import { refuseFaults } from './request.ts';
import type { Session } from './session.ts';

/** A proposal as the service gives it; none of its fields can be relied upon. */
export type Proposal = Readonly<Record<string, unknown>>;

export const priceOf = (proposal: Proposal): Price => proposal.price as Price;
export const currencyOf = (proposal: Proposal): string => textAt(proposal, ['currency']) ?? '';
export const isValid = (proposal: Proposal): boolean => proposal.isValid !== false;

export function proposalsIn(body: unknown): Proposal[] {
  const list = getAt(body, ['proposals']);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** `"2-4 days"` -> [2, 4]; text without a number sorts last. */
export function daysOf(proposal: Proposal): readonly [least: number, most: number] {
  const numbers =
    textAt(proposal, ['deliveryTime'])
      ?.match(/\d+(\.\d+)?/g)
      ?.map(Number) ?? [];
  const [least = Number.POSITIVE_INFINITY, most = least] = numbers;
  return [least, most];
}

const byPrice = (a: Proposal, b: Proposal) =>
  currencyOf(a).localeCompare(currencyOf(b)) || comparePrices(priceOf(a), priceOf(b));

function bySpeed(a: Proposal, b: Proposal): number {
  const [aLeast, aMost] = daysOf(a);
  const [bLeast, bMost] = daysOf(b);
  // Infinity - Infinity is no order.
  return compare(aMost, bMost) || compare(aLeast, bLeast) || byPrice(a, b);
}

const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

export const ORDERS = {
  price: byPrice,
  speed: bySpeed,
  carrier: (a: Proposal, b: Proposal) => String(a.name).localeCompare(String(b.name)),
} as const;

export type Order = keyof typeof ORDERS;
export type Pick = 'cheapest' | 'fastest';

export interface Wish {
  /** A carrier id, or which of the valid proposals. */
  carrier?: string;
  service?: string;
  maxPrice?: { amount: string; currency: string };
  maxDays?: number;
}

const PICKS: Readonly<Record<string, Order>> = { cheapest: 'price', fastest: 'speed' };

export const isPick = (carrier: string | undefined): carrier is Pick =>
  carrier !== undefined && Object.hasOwn(PICKS, carrier);

export const ofService = (service: string | undefined) => (proposal: Proposal) =>
  service === undefined || String(proposal.serviceType).toLowerCase() === service.toLowerCase();

/** The proposal that the wish names, among the valid ones. Throws `not_found` where none fits. */
export function choose(proposals: readonly Proposal[], wish: Wish): Proposal {
  const { carrier, maxPrice, maxDays } = wish;
  const valid = proposals.filter(isValid);
  const fitting = valid.filter(
    proposal =>
      ofService(wish.service)(proposal) &&
      (carrier === undefined || isPick(carrier) || proposal.id === carrier) &&
      (maxDays === undefined || daysOf(proposal)[1] <= maxDays) &&
      (maxPrice === undefined ||
        (currencyOf(proposal) === maxPrice.currency &&
          comparePrices(priceOf(proposal), maxPrice.amount) <= 0)),
  );
  const order = ORDERS[PICKS[carrier ?? ''] ?? 'price'];
  const [best, next] = fitting.toSorted(order);
  if (best === undefined)
    throw new Failure(
      'not_found',
      `no carrier fits what was asked for; the valid proposals are: ${listed(valid)}`,
    );
  if (carrier === 'cheapest' && fitting.some(other => currencyOf(other) !== currencyOf(best)))
    throw new Failure(
      'not_found',
      `the cheapest cannot be told across currencies: ${listed(fitting)}. Name a carrier, or a currency with --max-price`,
    );
  if (carrier === 'fastest' && daysOf(best)[1] === Number.POSITIVE_INFINITY && next !== undefined)
    throw new Failure('not_found', `the fastest cannot be told: ${listed(fitting)}. Name a carrier`);
  return best;
}

const listed = (proposals: readonly Proposal[]): string =>
  proposals
    .map(
      one => `${one.id} (${one.serviceType}, ${one.deliveryTime}, ${money(priceOf(one), currencyOf(one))})`,
    )
    .join(', ') || 'none';

/** The proposals for what a shipment body describes. Throws `invalid_request` where it cannot be asked for. */
export async function proposalsFor(
  session: Session,
  shipment: unknown,
  allowUnknown: boolean,
): Promise<unknown> {
  const operation = OPERATIONS.proposal;
  const packages = getAt(shipment, 'packages');
  const list = Array.isArray(packages) ? packages : [];
  const foreign = list.findIndex(entry => textAt(entry, 'dimensions.unit')?.trim().toLowerCase() !== 'cm');
  if (foreign >= 0)
    throw new Failure(
      'invalid_request',
      'a proposal can only be asked for in centimetres; nothing was sent. Give --carrier ID and --chargeable-weight KG',
      {
        operation: operation.command,
        issues: [{ path: `packages[${foreign}].dimensions.unit`, message: 'is not cm' }],
      },
    );
  const body = {
    originCountry: getAt(shipment, 'sender.address.country.code'),
    destinationCountry: getAt(shipment, 'receiver.address.country.code'),
    postalCode: getAt(shipment, 'receiver.address.zipCode'),
    packageType: getAt(shipment, 'type'),
    packages: list.map(entry => ({
      quantity: getAt(entry, 'quantity'),
      weight: getAt(entry, 'weight'),
      dimensions: {
        width: getAt(entry, 'dimensions.width'),
        length: getAt(entry, 'dimensions.length'),
        height: getAt(entry, 'dimensions.height'),
      },
    })),
  };
  await refuseFaults(session, { operation, options: { allowUnknown }, flags: [] }, body);
  return session.read(operation, { body });
}
