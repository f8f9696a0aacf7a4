// Fills in what a shipment leaves to the proposals: the carrier and the chargeable weight.
import type { Operation } from '../contract/operations.ts';
import { getAt, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { refuseIssues, refuseWarnings } from '../orders/issues.ts';
import type { RequestParts } from '../orders/request-command.ts';
import type { Session } from '../session/session.ts';
import { proposalsFor } from './ask.ts';
import { type Bounds, choose, hasBounds, isPick } from './choose.ts';
import { isValid, type Proposal, proposalsIn, proposalWords } from './proposals.ts';

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

/** Is there nothing that a proposal must fill in, or decide? */
export const isResolved = (body: unknown, bounds: Bounds): boolean =>
  unresolvedIn(body).unresolved.length === 0 && !hasBounds(bounds);

/** Gets the proposals that the body or the bounds need. `known`: those that a person has just seen. */
export async function resolveCarrier(
  session: Session,
  parts: RequestParts,
  body: unknown,
  bounds: Bounds,
  known?: unknown,
): Promise<{ body: unknown; proposal?: Proposal }> {
  const { unresolved } = unresolvedIn(body);
  const isBounded = hasBounds(bounds);
  const carrier = textAt(body, 'carrier.id');
  const { command } = parts.operation;
  const response = known ?? (await proposalsFor(session, parts, body));
  // A named carrier is booked even if no proposal lists it; a bound needs a proposal that keeps it.
  const proposal =
    isPick(carrier) || isBounded
      ? choose(proposalsIn(response), { ...bounds, carrier }, command)
      : proposalsIn(response).find(one => one.id === carrier);
  await checkWeight(session, parts.operation, body, response, bounds);
  let resolved = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (unresolved.includes('chargeableWeight')) {
    const weight = getAt(response, ['chargeableWeight']);
    if (typeof weight !== 'number')
      throw new Failure(
        'unavailable',
        `${command}: the proposals have no chargeable weight; nothing was booked. Give it with --chargeable-weight KG`,
        { operation: command, body: response },
      );
    resolved = setAt(resolved, ['chargeableWeight'], weight);
    await session.printer.note(`chargeable weight, taken from the proposal: ${weight} kg`);
  }
  if (proposal) await session.printer.note(`carrier: ${proposalWords(proposal)}`);
  if (proposal === undefined || !isValid(proposal))
    await session.printer.warn(
      `the carrier ${carrier} is not among the valid proposals: the service may refuse it, or charge another price`,
    );
  refuseWarnings(session, parts.operation, 'nothing was booked');
  await refuseIssues(session, { ...parts, unresolved: [] }, resolved, 'nothing was booked');
  return { body: resolved, ...(proposal && { proposal }) };
}

/** The proposal that would be booked. Throws `not_found`. */
export async function proposalFor(
  session: Session,
  parts: RequestParts,
  body: unknown,
  bounds: Bounds,
): Promise<Proposal> {
  const response = await proposalsFor(session, parts, body);
  const choice = { ...bounds, carrier: textAt(body, 'carrier.id') };
  const proposal = choose(proposalsIn(response), choice, parts.operation.command);
  await checkWeight(session, parts.operation, body, response, bounds);
  return proposal;
}

/**
 * A proposal has the price of the weight that the proposals name, and the service charges for the weight that is sent.
 * Throws `invalid_request` if `--max-price` cannot be verified because of that.
 */
async function checkWeight(
  { printer }: Session,
  { command }: Operation,
  body: unknown,
  response: unknown,
  { maxPrice }: Bounds,
): Promise<void> {
  const [given, proposed] = [body, response].map(from => getAt(from, ['chargeableWeight']));
  if (typeof given !== 'number' || typeof proposed !== 'number' || given === proposed) return;
  const differ = `the chargeable weight is given as ${given} kg, and the proposals for these packages are for ${proposed} kg`;
  if (maxPrice && given > proposed)
    throw new Failure(
      'invalid_request',
      `${command}: ${differ}, so that --max-price cannot be verified; nothing was booked. Leave out the weight, which is then taken from the proposal, or --max-price`,
      {
        operation: command,
        issues: [{ path: 'chargeableWeight', message: `is ${given}; the proposals say ${proposed}` }],
      },
    );
  // A lower weight costs no more.
  const show = given > proposed ? printer.warn : printer.note;
  await show(`${differ}: the price will differ`);
}
