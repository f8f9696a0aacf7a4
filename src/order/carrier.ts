// What a shipment leaves to the proposals: the carrier and the chargeable weight. They are asked for, one of them is chosen, and
// the order is filled in.
import {
  type Bounds,
  type CarrierChoice,
  type Chosen,
  choose,
  hasBounds,
  isPick,
} from '../carriers/choose.ts';
import {
  type Proposal,
  priceWords,
  proposalsIn,
  proposalWords,
  proposedWeight,
} from '../carriers/proposals.ts';
import type { Issue, RuleContext } from '../contract/operation.ts';
import { OPERATIONS, type Operation, type OperationCommand } from '../contract/operations.ts';
import { getAt, listAt, setAt, textAt } from '../contract/paths.ts';
import { comparable } from '../contract/words.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { severalDocuments } from '../request/warnings.ts';
import { type Checked, refuseIssues, refuseWarnings } from './check.ts';
import type { Means, Order } from './order.ts';

/** What is needed to ask for proposals, and to choose one. */
export type Asking = Pick<Means, 'out' | 'rules'> & { service: Pick<Means['service'], 'read'> };

/** What the proposals must fill in before the body can be sent. `cheapest` and `fastest` are no ids. */
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

/** The order with what its proposal has; the proposals are asked for, unless a person has just seen them. */
export async function fillIn(order: Order, asking: Asking): Promise<Order> {
  const { operation, bounds = {} } = order;
  const { out, rules } = asking;
  const body = order.body.value;
  const { unresolved } = unresolvedIn(body);
  const carrier = textAt(body, 'carrier.id');
  const response = order.proposals ?? (await proposalsFor(asking, order, body));
  const proposals = proposalsIn(response);
  // A named carrier is booked even if no proposal lists it; a bound needs a proposal that keeps it.
  const isListed = proposals.some(({ id }) => id === carrier);
  const proposal =
    isPick(carrier) || hasBounds(bounds) || isListed
      ? await pick(asking, operation, body, proposals, bounds)
      : undefined;
  await checkWeight(asking, operation, body, response, bounds);
  let filled = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (unresolved.includes('chargeableWeight')) {
    const weight = proposedWeight(response);
    if (weight === undefined)
      throw new Failure(
        'unavailable',
        `${operation.command}: the proposals have no chargeable weight; nothing was booked. Give it with --chargeable-weight KG`,
        { operation: operation.command, body: response },
      );
    filled = setAt(filled, ['chargeableWeight'], weight);
    await out.note(`chargeable weight, taken from the proposal: ${weight} kg`);
  }
  if (proposal) await out.note(`carrier: ${proposalWords(proposal)}`);
  else
    await out.warn(
      `the carrier ${carrier} is not among the proposals: the service may refuse it, or charge another price`,
    );
  refuseWarnings(out, operation, 'nothing was booked');
  refuseIssues(order, filled, rules, 'nothing was booked');
  return { ...order, body: new Json(filled), proposed: proposal && priceWords(proposal) };
}

/** The proposal that would be booked, as the service sent it. Throws `not_found`. */
export async function proposalFor(order: Order, asking: Asking): Promise<unknown> {
  const { operation, bounds = {} } = order;
  const body = order.body.value;
  const response = await proposalsFor(asking, order, body);
  const proposal = await pick(asking, operation, body, proposalsIn(response), bounds);
  await checkWeight(asking, operation, body, response, bounds);
  refuseWarnings(asking.out, operation, 'nothing was booked');
  return proposal.received;
}

const WITHOUT = 'To book without a proposal, give --carrier ID and --chargeable-weight KG';

/**
 * Asks the service for proposals for the packages and the route of a shipment. Throws if they cannot be requested, or the
 * service gives none.
 */
export async function proposalsFor(
  { service, out, rules }: Asking,
  { operation: booking, ...checked }: Checked,
  shipment: unknown,
): Promise<unknown> {
  const operation = OPERATIONS.proposal;
  const { command } = booking;
  refuseUnits(command, shipment);
  const body = proposalRequest(shipment);
  for (const warning of severalDocuments(body)) await out.warn(warning);
  refuseWarnings(out, booking, 'nothing was sent');
  refuseIssues({ ...checked, operation, unresolved: [] }, body, rules, `nothing was sent. ${WITHOUT}`);
  try {
    return await service.read(operation, { body });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, {
      ...error.facts,
      operation: command,
    });
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

function refuseUnits(command: OperationCommand, shipment: unknown): void {
  const issues = listAt(shipment, 'packages').flatMap((entry, index) => {
    const unit = textAt(entry, 'dimensions.unit');
    return unit?.trim().toLowerCase() === 'cm'
      ? []
      : { path: `packages[${index}].dimensions.unit`, message: `must be cm, not ${JSON.stringify(unit)}` };
  });
  if (issues.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${command}: proposals need dimensions in centimetres; nothing was sent. ${WITHOUT}`,
    { operation: command, issues },
  );
}

/** Chooses the proposal for an order, and warns of what a person should know of it. Throws `not_found`. */
async function pick(
  { out, rules }: Asking,
  operation: Operation,
  body: unknown,
  proposals: readonly Proposal[],
  bounds: Bounds,
): Promise<Proposal> {
  const choice = { ...bounds, carrier: textAt(body, 'carrier.id') };
  let chosen: Chosen;
  try {
    chosen = chooseFor(operation, body, proposals, choice, rules);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, error.facts);
  }
  for (const warning of chosen.warnings) await out.warn(warning);
  return chosen.proposal;
}

/** Chooses the proposal for an order: a carrier whose rules the order breaks is none. Throws `not_found`. */
export function chooseFor(
  operation: Operation,
  body: unknown,
  proposals: readonly Proposal[],
  choice: CarrierChoice,
  rules: RuleContext,
): Chosen {
  const issuesBy = (id: string, { economyCarriers } = rules): Issue[] => {
    const by = (carrier: string) =>
      operation.rules.flatMap(rule =>
        rule.check(setAt(body, ['carrier', 'id'], carrier), { economyCarriers, serviceOnLoopback: false }),
      );
    // What any carrier would ask is no matter of this one.
    const common = new Set(by('').map(({ path }) => path));
    return by(id).filter(({ path }) => !common.has(path));
  };
  const { proposal, warnings } = choose(proposals, choice, operation.command, issuesBy);
  const { id = '' } = proposal;
  const isUnnamed = rules.economyCarriers.length === 0 && isEconomy(proposal);
  const asEconomy = isUnnamed ? issuesBy(id, { ...rules, economyCarriers: [id] }) : [];
  return {
    proposal,
    warnings: [
      ...warnings,
      ...asEconomy.map(
        ({ path, message }) =>
          `${proposalWords(proposal)}: ${path} ${message}, and no setting says which carrier that is. If it is not ${id}, name it: \`economyCarriers\` of the profile, or WAYBILL_ECONOMY_CARRIERS`,
      ),
    ],
  };
}

// The second word is Turkish.
const ECONOMY = /\b(economy|ekonomi)\b/;

const isEconomy = ({ serviceType = '' }: Proposal): boolean => ECONOMY.test(comparable(serviceType));

/**
 * A proposal has the price of the weight that the proposals name, and the service charges for the weight that is sent.
 * Throws `invalid_request` if `--max-price` cannot be verified because of that.
 */
async function checkWeight(
  { out }: Asking,
  { command }: Operation,
  body: unknown,
  response: unknown,
  { maxPrice }: Bounds,
): Promise<void> {
  const [given, proposed] = [getAt(body, ['chargeableWeight']), proposedWeight(response)];
  if (typeof given !== 'number' || proposed === undefined || given === proposed) return;
  const differ = `the chargeable weight is given as ${given} kg, and the proposals for these packages are for ${proposed} kg`;
  if (maxPrice && given > proposed)
    throw new Failure(
      'invalid_request',
      `${command}: ${differ}, so --max-price cannot be verified; nothing was booked. Leave out the weight, which is then taken from the proposal, or --max-price`,
      {
        operation: command,
        issues: [{ path: 'chargeableWeight', message: `is ${given}; the proposals say ${proposed}` }],
      },
    );
  // A lower weight costs no more.
  const show = given > proposed ? out.warn : out.note;
  await show(`${differ}: the price will differ`);
}
