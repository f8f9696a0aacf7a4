// Fills in what a shipment leaves to the proposals: the carrier and the chargeable weight.
import type { Operation } from '../contract/operations.ts';
import { getAt, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { refuseIssues, refuseWarnings } from '../orders/issues.ts';
import type { RequestParts } from '../orders/request-command.ts';
import type { Session } from '../session/session.ts';
import { proposalsFor } from './ask.ts';
import { type Bounds, type Chosen, hasBounds, isPick } from './choose.ts';
import { type Proposal, proposalsIn, proposalWords, proposedWeight } from './proposals.ts';
import { chooseFor } from './rules.ts';

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
  const { operation } = parts;
  const { unresolved } = unresolvedIn(body);
  const { printer } = session;
  const carrier = textAt(body, 'carrier.id');
  const response = known ?? (await proposalsFor(session, parts, body));
  const proposals = proposalsIn(response);
  // A named carrier is booked even if no proposal lists it; a bound needs a proposal that keeps it.
  const isListed = proposals.some(({ id }) => id === carrier);
  const proposal =
    isPick(carrier) || hasBounds(bounds) || isListed
      ? await pick(session, parts, body, proposals, bounds)
      : undefined;
  await checkWeight(session, operation, body, response, bounds);
  let resolved = isPick(carrier) ? setAt(body, ['carrier', 'id'], proposal?.id) : body;
  if (unresolved.includes('chargeableWeight')) {
    const weight = proposedWeight(response);
    if (weight === undefined)
      throw new Failure(
        'unavailable',
        `${operation.command}: the proposals have no chargeable weight; nothing was booked. Give it with --chargeable-weight KG`,
        { operation: operation.command, body: response },
      );
    resolved = setAt(resolved, ['chargeableWeight'], weight);
    await printer.note(`chargeable weight, taken from the proposal: ${weight} kg`);
  }
  if (proposal) await printer.note(`carrier: ${proposalWords(proposal)}`);
  else
    await printer.warn(
      `the carrier ${carrier} is not among the proposals: the service may refuse it, or charge another price`,
    );
  refuseWarnings(session, operation, 'nothing was booked');
  refuseIssues(session, { ...parts, unresolved: [] }, resolved, 'nothing was booked');
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
  const proposal = await pick(session, parts, body, proposalsIn(response), bounds);
  await checkWeight(session, parts.operation, body, response, bounds);
  refuseWarnings(session, parts.operation, 'nothing was booked');
  return proposal;
}

/** Chooses the proposal for an order, and warns of what a person should know of it. Throws `not_found`. */
async function pick(
  session: Session,
  parts: RequestParts,
  body: unknown,
  proposals: readonly Proposal[],
  bounds: Bounds,
): Promise<Proposal> {
  const choice = { ...bounds, carrier: textAt(body, 'carrier.id') };
  const { proposal, warnings } = chosen(() => chooseFor(session, parts, body, proposals, choice));
  for (const warning of warnings) await session.printer.warn(warning);
  return proposal;
}

function chosen(choose: () => Chosen): Chosen {
  try {
    return choose();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${error.message}. Nothing was booked`, error.facts);
  }
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
  const show = given > proposed ? printer.warn : printer.note;
  await show(`${differ}: the price will differ`);
}
