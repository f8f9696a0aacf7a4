// A shipment may leave its carrier and its chargeable weight to the proposals: asks for proposals, chooses one, and fills in the order.

import type { Choice, ProposalTold } from '../booking/booking.ts';
import { getAt, setAt, textAt } from '../contract/paths.ts';
import { boundIn, knownPrice } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { problemWords } from '../say/request.ts';
import { flag, grouped } from '../session/flags.ts';
import { count } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { hasBounds, withLimits } from './bounds.ts';
import { choose, chosenFor, isPick, mayBeEconomy, toldProposals } from './carrier-choice.ts';
import { findIssues, refuseIssues, refuseWarnings } from './check.ts';
import { boxWarnings } from './doubts.ts';
import { limited, overBudget, stricterBound } from './limits.ts';
import type { Bounds, Order, PricedOrder } from './order.ts';
import {
  isPricedFor,
  type Proposal,
  proposalFacts,
  proposalsFor,
  proposalsIn,
  proposedWeight,
} from './proposals.ts';

/** What a proposal must fill in before the body can be sent. `draft`: the body without `cheapest` or `fastest`, which are no ids. */
export function unresolvedIn(body: unknown): { draft: unknown; unresolved: string[] } {
  const toPick = isPick(textAt(body, 'carrier.id'));
  const { carrier, ...rest } = body as Record<string, unknown>;
  return {
    draft: toPick ? rest : body,
    unresolved: [
      ...(toPick ? ['carrier.id'] : []),
      ...(getAt(body, ['chargeableWeight']) === undefined ? ['chargeableWeight'] : []),
    ],
  };
}

/** Is there something that a proposal must fill in, or decide? */
export const needsProposal = (body: unknown, bounds: Bounds): boolean =>
  unresolvedIn(body).unresolved.length > 0 || hasBounds(bounds);

/** The order, filled in from its proposal. Asks for the proposals, unless a person has just seen them. */
export async function fillIn(order: Order, session: Session): Promise<Omit<PricedOrder, 'toldTwin'>> {
  const { operation, bounds } = order;
  const { printer } = session;
  const rules = session.rules();
  const body = order.body.value;
  const carrier = textAt(body, 'carrier.id');
  const { response, proposal, isPriced, proposals } = await proposedFor(order, session, true);
  let filled = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (getAt(body, ['chargeableWeight']) === undefined) {
    const weight = proposedWeight(response);
    if (weight === undefined)
      throw new Failure(
        'unavailable',
        { kind: 'proposals-without-weight', operation: operation.command },
        { operation: operation.command, body: response },
      );
    filled = setAt(filled, ['chargeableWeight'], weight);
    await printer.note({ kind: 'weight-of-proposal', weight });
  }
  if (proposal?.id !== undefined && isPick(carrier))
    for (const warning of boxWarnings(body, rules, [proposal.id], () =>
      mayBeEconomy(operation, { rules, body, numbers: order.numbers }),
    ))
      await printer.warn(warning);
  if (proposal) await printer.note({ kind: 'carrier-chosen', proposal: proposalFacts(proposal) });
  else await printer.warn({ kind: 'carrier-unlisted', carrier: carrier ?? '' }, { always: true });
  refuseWarnings(printer, operation);
  refuseIssues(operation, findIssues(order, filled, rules), filled);
  const proposed = proposal && (isPriced ? proposal : { ...proposal, price: undefined });
  const maxPrice = stricterBound(knownPrice(proposed), bounds?.maxPrice, session.limits());
  const choice: Choice = { proposals, bound: maxPrice ? `${maxPrice.amount} ${maxPrice.currency}` : null };
  return { ...order, body: new Json(filled), proposed, bounds: { ...bounds, maxPrice }, choice };
}

/** The proposal that would be booked, as the service sent it, and whether its price is that of the order. Throws `not_found`. */
export async function proposalFor(
  order: Order,
  session: Session,
): Promise<{ received: unknown; isPriced: boolean }> {
  const { proposal, isPriced } = await proposedFor(order, session, false);
  refuseWarnings(session.printer, order.operation);
  return { received: proposal?.received, isPriced };
}

/**
 * The proposals for an order, and the chosen one, whose warnings are told. `mayBeUnlisted`: a carrier that is named is booked even if no
 * proposal lists it, unless there are bounds. `isPriced`: the price of the proposal holds for the weight that is sent.
 */
async function proposedFor(
  order: Order,
  session: Session,
  mayBeUnlisted: boolean,
): Promise<{
  response: unknown;
  proposal: Proposal | undefined;
  isPriced: boolean;
  /** All proposals, each with why it is not taken. */
  proposals: ProposalTold[];
}> {
  const { operation } = order;
  const { printer } = session;
  const body = order.body.value;
  const carrier = textAt(body, 'carrier.id');
  const bounds = withLimits(order, session.limits());
  const response = order.proposals ?? (await proposalsFor(session, order, body));
  const proposals = proposalsIn(response);
  const isUnlisted =
    mayBeUnlisted && !isPick(carrier) && !hasBounds(bounds) && !proposals.some(({ id }) => id === carrier);
  if (isUnlisted && bounds.limits)
    throw overBudget(
      { kind: 'unlisted-carrier-and-limits', ...limited(operation, session), carrier: carrier ?? '' },
      operation,
    );
  const ruled = chosenFor(session, body, order.numbers);
  const chosen = isUnlisted ? undefined : choose(operation, proposals, { ...bounds, carrier }, ruled);
  for (const warning of chosen?.warnings ?? []) await printer.warn(warning, { always: true });
  const proposal = chosen?.proposal;
  const choice = { ...bounds, carrier, taken: proposal };
  const proposed = { response, proposal, proposals: toldProposals(operation, proposals, choice, ruled) };
  const [weightGiven, weight] = [getAt(body, ['chargeableWeight']), proposedWeight(response)];
  if (typeof weightGiven !== 'number' || weightGiven === weight) return { ...proposed, isPriced: true };
  const isPriced = isPricedFor(weightGiven, weight);
  const { command } = operation;
  const weights = { given: weightGiven, proposed: weight };
  const facts = { operation: command, ...weights };
  if (bounds.isPriced && !isPriced)
    throw new Failure('not_found', { kind: 'other-weight-and-plan', ...facts }, { operation: command });
  if (bounds.maxPrice && !isPriced)
    throw new Failure(
      'invalid_request',
      { kind: 'other-weight-and-bound', ...facts },
      {
        operation: command,
        issues: [
          {
            path: 'chargeableWeight',
            message: problemWords({ problem: 'other-weight', weight, given: weightGiven }),
          },
        ],
      },
    );
  if (bounds.limits && !isPriced)
    throw overBudget(
      { kind: 'other-weight-and-limits', ...limited(operation, session), ...weights },
      operation,
    );
  const notice = { kind: 'other-weight' as const, ...weights };
  await (isPriced ? printer.note(notice) : printer.warn(notice, { always: true }));
  return { ...proposed, isPriced };
}

export function parsePrice(written: string): Bounds['maxPrice'] {
  const bound = boundIn(written);
  if (bound) return bound;
  throw new Failure('usage', { kind: 'max-price-malformed', typed: written });
}

export const CARRIER_FLAGS = grouped('Carrier:', {
  carrier: flag(
    '--carrier <carrier>',
    'carrier id, or cheapest or fastest of the proposals that can be booked',
  ),
  service: flag(
    '--service <service>',
    'only a proposal of this service type (any word; case does not matter)',
  ),
  maxPrice: flag('--max-price <price>', 'no proposal above this, such as 20EUR', { read: parsePrice }),
  maxDays: flag('--max-days <n>', 'no proposal that may take more days', { read: count }),
});
