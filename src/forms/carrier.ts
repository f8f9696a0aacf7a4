// The carrier in a form: a choice of the proposals for these packages, and its line of the review.

import { bodyOf } from '../contract/operation.ts';
import { parsePath, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { askingOf } from '../means.ts';
import type { RequestParts } from '../order/build.ts';
import {
  type Chosen,
  choose,
  chooseFor,
  hasBounds,
  isPick,
  outOfBounds,
  proposalRequest,
  proposalsFor,
  unresolvedIn,
} from '../order/carrier.ts';
import type { Bounds } from '../order/order.ts';
import {
  isBookable,
  type Proposal,
  priceWords,
  proposalsIn,
  proposalWords,
  proposedWeight,
  refusalWords,
} from '../order/proposals.ts';
import { BLANK, grid } from '../output/table.ts';
import type { Choice } from '../prompts/question.ts';
import type { Session } from '../session/session.ts';
import type { CustomQuestion, ReviewLine } from './engine/form.ts';
import { inWords } from './engine/labels.ts';
import { SHIPMENT, SHIPMENT_GROUPS } from './shipment-fields.ts';

/** The service's response, or why there are no proposals. */
interface Fetched {
  response?: unknown;
  problem?: string;
}

const LATER = '';

/** The carrier whose id is at that path. Proposals are requested again only if something changes that they depend on. */
export function carrierAt(session: Session, parts: RequestParts, path: string, bounds: Bounds = {}) {
  let last: { key: string; fetched: Fetched } | undefined;
  const keyOf = (body: unknown) => JSON.stringify(proposalRequest(body));

  async function fetched(body: unknown): Promise<Fetched> {
    const key = keyOf(body);
    if (last?.key !== key) last = { key, fetched: await fetchProposals(session, parts, body) };
    return last.fetched;
  }

  /** The response, if it was for this body. */
  const cached = (body: unknown): unknown => (last?.key === keyOf(body) ? last.fetched.response : undefined);

  /** Which proposal. Those that are not available say why. */
  async function question(body: unknown): Promise<CustomQuestion> {
    const { response, problem } = await fetched(body);
    const proposals = proposalsIn(response);
    const choices = await choicesOf(proposals, bounds);
    const weight = proposedWeight(response);
    const weightHint = weight === undefined ? undefined : `Chargeable weight: ${weight} kg`;
    const current = choices.find(
      ({ value, disabled }) => value === textAt(body, path) && disabled === undefined,
    );
    return {
      question: {
        kind: 'choice',
        id: path,
        message: 'Carrier',
        hint: problem ?? (proposals.length === 0 ? 'No carrier offers this.' : weightHint),
        choices: [...choices, { value: LATER, name: 'None of these: look over the rest first' }],
        defaultAnswer:
          current?.value ??
          chosen(() => choose(proposals, { ...bounds, carrier: 'cheapest' }, 'ship'))?.proposal.id,
      },
      parse: answer => (answer === LATER ? undefined : answer),
    };
  }

  /** Its line of the review, the proposal that would be booked, and the warnings about it. */
  async function line(body: unknown): Promise<{ line: ReviewLine } & Partial<Chosen>> {
    const lineOf = (text: string, problem?: string) => ({ line: { label: 'Carrier', path, text, problem } });
    const id = textAt(body, path);
    if (id === undefined) return lineOf('', 'not chosen yet');
    const { response, problem } = await fetched(body);
    const needsProposal = isPick(id) || hasBounds(bounds);
    if (problem !== undefined) {
      const canDoWithout = !needsProposal && unresolvedIn(body).unresolved.length === 0;
      return lineOf(id, canDoWithout ? undefined : problem);
    }
    const proposals = proposalsIn(response);
    const listed = proposals.find(one => one.id === id);
    const best = chosen(() =>
      chooseFor(parts.operation, body, proposals, { ...bounds, carrier: id }, session.rules()),
    );
    if (best)
      return { ...lineOf(`${proposalWords(best.proposal)}${isPick(id) ? `, the ${id}` : ''}`), ...best };
    if (needsProposal) return lineOf(id, 'no valid proposal matches');
    // A carrier that is named may exist without a proposal.
    return listed === undefined
      ? lineOf(`${id}, which is not among the proposals`)
      : lineOf(proposalWords(listed), refusalWords(listed, NOT_VALID));
  }

  /** The body with the carrier that `cheapest` or `fastest` stands for: rules apply to that carrier. */
  async function resolve(body: unknown): Promise<unknown> {
    const { proposal } = isPick(textAt(body, path)) ? await line(body) : {};
    return proposal === undefined ? body : setAt(body, parsePath(path) ?? [], proposal.id);
  }

  return { question, line, resolve, cached };
}

const NOT_VALID = 'not valid for these packages';

/** A problem with the packages or the route is shown in the form; any other failure ends it. */
async function fetchProposals(session: Session, parts: RequestParts, body: unknown): Promise<Fetched> {
  try {
    return { response: await proposalsFor(askingOf(session), parts, body) };
  } catch (error) {
    const isProblem =
      error instanceof Failure && ['rejected', 'invalid_request', 'not_found'].includes(error.code);
    if (!isProblem) throw error;
    const form = { schema: bodyOf(parts.operation), fields: SHIPMENT, groupNames: SHIPMENT_GROUPS };
    const issues = (error.facts.issues ?? []).map(
      ({ path, message }) => `${inWords(form, path, body)} ${message}`,
    );
    return { problem: [error.message, ...issues].join('\n') };
  }
}

async function choicesOf(proposals: readonly Proposal[], bounds: Bounds): Promise<Choice[]> {
  const best = (['cheapest', 'fastest'] as const).map(carrier => ({
    carrier,
    proposal: chosen(() => choose(proposals, { carrier }, 'ship'))?.proposal,
  }));
  const rows = proposals.map(one => [
    ...[one.id, one.name, one.serviceType, one.deliveryTime],
    priceWords(one) ?? 'no price',
    best.flatMap(({ carrier, proposal }) => (proposal === one ? carrier : [])).join(', ') || BLANK,
  ]);
  const lines = await grid(rows, undefined, ['left', 'left', 'left', 'left', 'right']);
  const names = lines?.split('\n') ?? [];
  return proposals.flatMap((one, index) => {
    const { id } = one;
    // A proposal without an id cannot be booked.
    if (id === undefined) return [];
    const why = isBookable(one) ? outOfBounds(one, bounds) : refusalWords(one, NOT_VALID);
    return [{ value: id, name: names[index] ?? id, ...(why && { disabled: `(${why})` }) }];
  });
}

/** What is chosen, if it can be. */
function chosen(choosing: () => Chosen): Chosen | undefined {
  try {
    return choosing();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
