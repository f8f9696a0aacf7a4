// What `ship` leaves to a proposal: which carrier, within which bounds, at what chargeable weight.
import type { Command } from 'commander';
import { CURRENCIES } from '../contract/currencies.ts';
import { OPERATIONS, type Operation } from '../contract/operations.ts';
import { getAt, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { type RequestParts, refuseFaults, refuseWarnings } from '../orders/request.ts';
import { count } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import {
  choose,
  isPick,
  isValid,
  type Proposal,
  proposalsIn,
  proposalWords,
  type Wish,
} from './proposals.ts';

export type CarrierOptions = Wish;

export const carrierOptions = (command: Command): Command =>
  command
    .optionsGroup('Carrier:')
    .option('--carrier <id>', 'carrier id, or cheapest or fastest of the valid proposals')
    .option('--service <type>', 'only a proposal of this service type (any word; case does not matter)')
    .option('--max-price <price>', 'no proposal above this, such as 20EUR', parsePrice)
    .option('--max-days <n>', 'no proposal that may take more days', count);

function parsePrice(written: string): { amount: string; currency: string } {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]{3})\s*$/.exec(written);
  const [, amount, currency] = match?.map(part => part.toUpperCase()) ?? [];
  if (amount === undefined || currency === undefined || !CURRENCIES.has(currency))
    throw new Failure(
      'usage',
      `--max-price ${JSON.stringify(written)} is not an amount with a currency, such as 20EUR; nothing was sent`,
    );
  return { amount, currency };
}

/** What a proposal has to tell before the body can be sent. The carrier `cheapest` or `fastest` is a wish, no id. */
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

/**
 * Asks for proposals for the same packages, where the user left something to them, and fills it in. `known`: the
 * proposals that a person has just seen.
 */
export async function resolveCarrier(
  session: Session,
  parts: RequestParts,
  body: unknown,
  bounds: CarrierOptions,
  known?: unknown,
): Promise<{ body: unknown; proposal?: Proposal }> {
  const { service, maxPrice, maxDays } = bounds;
  const { unresolved } = unresolvedIn(body);
  const bounded = service !== undefined || maxPrice !== undefined || maxDays !== undefined;
  if (unresolved.length === 0 && !bounded) return { body };

  const carrier = textAt(body, 'carrier.id');
  const { command } = parts.operation;
  const answer = known ?? (await proposalsFor(session, parts, body));
  // A carrier that was named is booked even if no proposal lists it; only a bound must be seen to hold.
  const proposal =
    isPick(carrier) || bounded
      ? choose(proposalsIn(answer), { carrier, service, maxPrice, maxDays }, command)
      : proposalsIn(answer).find(one => one.id === carrier);
  await holdWeight(session, parts.operation, body, answer, bounds);
  let resolved = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (unresolved.includes('chargeableWeight')) {
    const weight = getAt(answer, ['chargeableWeight']);
    if (typeof weight !== 'number')
      throw new Failure(
        'unavailable',
        `${command}: the proposals tell no chargeable weight; nothing was booked. Give it with --chargeable-weight KG`,
        { operation: command, body: answer },
      );
    resolved = setAt(resolved, ['chargeableWeight'], weight);
    await session.printer.note(`chargeable weight, taken from the proposal: ${weight} kg`);
  }
  if (proposal) await session.printer.note(`carrier: ${proposalWords(proposal)}`);
  if (proposal === undefined || !isValid(proposal))
    await session.printer.warn(
      `the carrier ${carrier} is not among the valid proposals: the service may refuse it, or ask another price`,
    );
  refuseWarnings(session, parts.operation, 'nothing was booked');
  await refuseFaults(session, { ...parts, unresolved: [] }, resolved, 'nothing was booked');
  return { body: resolved, ...(proposal && { proposal }) };
}

/**
 * The price of a proposal is for the weight that the proposals tell, and what is charged is for the one that is sent.
 * Throws `invalid_request` where a bound on the price cannot be seen to hold.
 */
async function holdWeight(
  { printer }: Session,
  { command }: Operation,
  body: unknown,
  answer: unknown,
  { maxPrice }: CarrierOptions,
): Promise<void> {
  const [given, proposed] = [body, answer].map(from => getAt(from, ['chargeableWeight']));
  if (typeof given !== 'number' || typeof proposed !== 'number' || given === proposed) return;
  const differ = `the chargeable weight is given as ${given} kg, and the proposals for these packages are for ${proposed} kg`;
  if (maxPrice && given > proposed)
    throw new Failure(
      'invalid_request',
      `${command}: ${differ}, so that --max-price cannot be seen to hold; nothing was booked. Leave out the weight, which is then taken from the proposal, or --max-price`,
      {
        operation: command,
        issues: [{ path: 'chargeableWeight', message: `is ${given}; the proposals say ${proposed}` }],
      },
    );
  // Less of it costs no more.
  const tell = given > proposed ? printer.warn : printer.note;
  await tell(`${differ}: the price will be another one`);
}

/** The proposal that would be booked. Throws `not_found` where there is none. */
export async function proposalFor(
  session: Session,
  parts: RequestParts,
  body: unknown,
  { service, maxPrice, maxDays }: CarrierOptions,
): Promise<Proposal> {
  const answer = await proposalsFor(session, parts, body);
  const carrier = textAt(body, 'carrier.id');
  const wish = { carrier, service, maxPrice, maxDays };
  const proposal = choose(proposalsIn(answer), wish, parts.operation.command);
  await holdWeight(session, parts.operation, body, answer, wish);
  return proposal;
}

const WITHOUT = 'To book without a proposal, give --carrier ID and --chargeable-weight KG';

/** What proposals are asked for, for what a shipment body describes. */
export function proposalRequest(shipment: unknown): { packages: unknown[]; [field: string]: unknown } {
  const packages = getAt(shipment, ['packages']);
  const list = Array.isArray(packages) ? packages : [];
  return {
    originCountry: getAt(shipment, 'sender.address.country.code'),
    destinationCountry: getAt(shipment, 'receiver.address.country.code'),
    postalCode: getAt(shipment, 'receiver.address.zipCode'),
    packageType: getAt(shipment, ['type']),
    packages: list.map(entry => ({
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

/** The service's answer for that. Throws where it cannot be asked for, or nothing is told. */
export async function proposalsFor(
  session: Session,
  parts: RequestParts,
  shipment: unknown,
): Promise<unknown> {
  const operation = OPERATIONS.proposal;
  const { command } = parts.operation;
  refuseUnits(parts.operation, shipment);
  const body = proposalRequest(shipment);
  await refuseFaults(
    session,
    { ...parts, operation, flags: [], unresolved: [] },
    body,
    `nothing was sent. ${WITHOUT}`,
  );
  try {
    return await session.read(operation, { body });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, {
      ...error.facts,
      operation: command,
    });
  }
}

function refuseUnits({ command }: Operation, shipment: unknown): void {
  const packages = getAt(shipment, ['packages']);
  const units = (Array.isArray(packages) ? packages : []).map(entry => textAt(entry, 'dimensions.unit'));
  const issues = units.flatMap((unit, index) =>
    unit?.trim().toLowerCase() === 'cm'
      ? []
      : { path: `packages[${index}].dimensions.unit`, message: `must be cm, not ${JSON.stringify(unit)}` },
  );
  if (issues.length === 0) return;
  throw new Failure(
    'invalid_request',
    `${command}: a proposal can only be asked for in centimetres; nothing was sent. ${WITHOUT}`,
    { operation: command, issues },
  );
}
