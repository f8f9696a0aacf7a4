// The proposals and rates of the service for a shipment: how they are asked for, read and compared.

import { contentOf } from '../contract/content.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, isRecord, listAt, textAt } from '../contract/paths.ts';
import {
  bookable,
  type Days,
  daysIn,
  readProposal,
  readProposedWeight,
  readRate,
} from '../contract/proposals.ts';
import { currencyNamed, hasPrice, read } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { comparePrices } from '../output/money.ts';
import { type Mixture, type ProposalFacts, WITHOUT_PROPOSAL } from '../say/carriers.ts';
import { problemWords } from '../say/request.ts';
import { reasonIn } from '../service/response.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import { type CheckTerms, findIssues, refuseIssues, refuseWarnings } from './check.ts';
import { severalDocuments } from './doubts.ts';
import type { Offer, Order } from './order.ts';

// Proposals as decisions and tables use them: each field may be missing.

export interface Proposal extends Offer {
  /** The proposal as the service sent it. */
  received: unknown;
}

/** The proposals or rates in an answer, as the service sent them. The answer may be in an envelope. */
export const offersIn = (body: unknown): unknown[] =>
  listAt(contentOf(OPERATIONS.proposal, body).value, ['proposals']);

export const proposalsIn = (body: unknown): Proposal[] =>
  offersIn(body).map(received => {
    const fields = isRecord(received) ? received : {};
    return { ...offerOf(readProposal.parse(fields)), refusal: refusalOf(fields), received };
  });

export const ratesIn = (body: unknown): Offer[] =>
  offersIn(body).map(received => {
    const { companyId, companyName, ...rest } = readRate.parse(isRecord(received) ? received : {});
    return offerOf({ ...rest, id: companyId, name: companyName });
  });

const offerOf = ({ deliveryTime, currency, ...rest }: ReturnType<typeof readProposal.parse>): Offer => ({
  ...rest,
  deliveryTime,
  days: deliveryTime === undefined ? undefined : daysIn(deliveryTime),
  currency: currencyNamed(currency) ?? '',
  refusal: undefined,
});

/** Why a proposal cannot be booked, in the words of the service if it gives any; `undefined` if it can be booked. */
function refusalOf(received: Record<string, unknown>): string | undefined {
  if (read(bookable, received) !== undefined) return undefined;
  const { isValid, id } = received;
  const isUnclear =
    typeof isValid !== 'boolean' && `isValid is ${isValid === undefined ? 'missing' : shown(isValid)}`;
  const isNameless = isValid === true && `its id is ${id === undefined ? 'missing' : shown(id)}`;
  return [isUnclear || isNameless, reasonIn(received)].filter(Boolean).join('; ');
}

export const isBookable = (offer: Offer): boolean => offer.refusal === undefined;

/** The weight in kilograms for which the prices are; `undefined` if the answer does not say it. */
export const proposedWeight = (body: unknown): number | undefined =>
  read(readProposedWeight, contentOf(OPERATIONS.proposal, body).value)?.chargeableWeight;

/** Does a price for the proposed weight hold for the weight that is sent? Yes, if that is no higher: less weight costs no more. */
export const isPricedFor = (sent: unknown, proposed: number | undefined): boolean =>
  typeof sent !== 'number' || (proposed !== undefined && sent <= proposed);

/** The facts of a proposal that a notice has. */
export const proposalFacts = (proposal: Offer): ProposalFacts => {
  const { id, serviceType, deliveryTime, price, currency, refusal } = proposal;
  return { id, serviceType, deliveryTime, price, currency, refusal };
};

const byPrice = (a: Offer, b: Offer) =>
  a.currency.localeCompare(b.currency) ||
  Number(hasPrice(b)) - Number(hasPrice(a)) ||
  comparePrices(a.price, b.price, a.currency);

const NEVER: Days = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

function bySpeed(a: Offer, b: Offer): number {
  const [[aLeast, aMost], [bLeast, bMost]] = [a.days ?? NEVER, b.days ?? NEVER];
  // Infinity - Infinity is NaN: `||` goes on with the next comparison, as for equal days.
  return aMost - bMost || aLeast - bLeast || byPrice(a, b);
}

export const SORT_ORDERS = {
  price: byPrice,
  speed: bySpeed,
  carrier: (a: Offer, b: Offer) => (a.name ?? '').localeCompare(b.name ?? ''),
} as const;

export type SortOrder = keyof typeof SORT_ORDERS;

/** Why the prices cannot be compared with each other; `undefined` if they can. */
export function whyNotComparable(offers: readonly Offer[]): Mixture | undefined {
  const currencies = new Set(offers.map(({ currency }) => currency));
  if (currencies.size < 2) return undefined;
  return currencies.has('') ? 'partly' : 'several';
}

/**
 * Asks the service for proposals for the packages and the route of a shipment. Throws if proposals cannot be requested, or if the service
 * gives none.
 */
export async function proposalsFor(
  session: Session,
  terms: Pick<CheckTerms, 'operation' | 'record'> & Pick<Order, 'key'>,
  shipment: unknown,
): Promise<unknown> {
  const { service, printer, rules } = session;
  const { operation: booking, key, record } = terms;
  const operation = OPERATIONS.proposal;
  const { command } = booking;
  const issues = listAt(shipment, 'packages').flatMap((entry, index) => {
    const unit = textAt(entry, 'dimensions.unit');
    return unit?.trim().toLowerCase() === 'cm'
      ? []
      : {
          path: `packages[${index}].dimensions.unit`,
          message: problemWords({ problem: 'not-centimetres', given: unit }),
        };
  });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      { kind: 'proposals-need-centimetres', operation: command },
      { operation: command, issues },
    );
  const body = proposalRequest(shipment);
  for (const warning of severalDocuments(body)) await printer.warn(warning);
  refuseWarnings(printer, booking);
  refuseIssues(operation, findIssues({ operation, record }, body, rules()), body, WITHOUT_PROPOSAL);
  try {
    return await service.read(operation, { body, key });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ operation: command });
  }
}

export function proposalRequest(shipment: unknown): { packages: unknown[]; [field: string]: unknown } {
  return {
    originCountry: getAt(shipment, 'sender.address.country.code'),
    destinationCountry: getAt(shipment, 'receiver.address.country.code'),
    postalCode: getAt(shipment, 'receiver.address.zipCode'),
    packageType: getAt(shipment, ['type']),
    packages: listAt(shipment, 'packages').map(entry => ({
      quantity: getAt(entry, ['quantity']),
      weight: getAt(entry, ['weight']),
      dimensions: {
        width: getAt(entry, 'dimensions.width'),
        length: getAt(entry, 'dimensions.length'),
        height: getAt(entry, 'dimensions.height'),
      },
    })),
  };
}
