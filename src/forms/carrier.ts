// The carrier as a form asks for it: picked from the service's own proposals for just these packages.

import { proposalRequest, proposalsFor } from '../carriers/ask.ts';
import {
  type Bounds,
  type CarrierChoice,
  choose,
  hasBounds,
  isPick,
  outOfBounds,
} from '../carriers/choose.ts';
import { isValid, type Proposal, priceWords, proposalsIn, proposalWords } from '../carriers/proposals.ts';
import { unresolvedIn } from '../carriers/resolve.ts';
import { getAt, parsePath, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { RequestParts } from '../orders/request-command.ts';
import type { Choice } from '../prompts/question.ts';
import type { Session } from '../session/session.ts';
import type { CustomQuestion, ReviewLine } from './engine/form.ts';

/** The proposals for a body, asked for once as long as nothing changes that they depend upon. */
export interface ProposalCache {
  /** The service's answer, or why there is none. */
  get(body: unknown): Promise<{ answer: unknown } | { why: string }>;
  /** The answer, where it is for this body. */
  cached(body: unknown): unknown;
}

export function createProposalCache(session: Session, parts: RequestParts): ProposalCache {
  let last: { key: string; told: { answer: unknown } | { why: string } } | undefined;
  const keyOf = (body: unknown) => JSON.stringify(proposalRequest(body));
  return {
    async get(body) {
      const key = keyOf(body);
      if (last?.key !== key) last = { key, told: await fetchProposals(session, parts, body) };
      return last.told;
    },
    cached: body => (last?.key === keyOf(body) && 'answer' in last.told ? last.told.answer : undefined),
  };
}

/** What is wrong with the packages or the route is told in its place; without an answer there is no form. */
async function fetchProposals(
  session: Session,
  parts: RequestParts,
  body: unknown,
): Promise<{ answer: unknown } | { why: string }> {
  try {
    return { answer: await proposalsFor(session, parts, body) };
  } catch (error) {
    const isTold =
      error instanceof Failure && ['rejected', 'invalid_request', 'not_found'].includes(error.code);
    if (!isTold) throw error;
    const issues = (error.facts.issues ?? []).map(({ path, message }) => `${path} ${message}`);
    return { why: [error.message, ...issues].join('\n') };
  }
}

const LATER = '';

/** Which of the proposals; those that cannot be had say why. */
export async function carrierQuestion(
  offers: ProposalCache,
  id: string,
  body: unknown,
  bounds: Bounds,
): Promise<CustomQuestion> {
  const found = await offers.get(body);
  const proposals = 'answer' in found ? proposalsIn(found.answer) : [];
  const choices = choicesOf(proposals, bounds);
  const weight = 'answer' in found ? getAt(found.answer, ['chargeableWeight']) : undefined;
  const hint =
    'why' in found
      ? found.why
      : proposals.length === 0
        ? 'No carrier offers this.'
        : weight !== undefined && `Chargeable weight: ${weight} kg`;
  // What cannot be had any more is not what Enter alone picks.
  const current = choices.find(({ value, disabled }) => value === textAt(body, id) && disabled === undefined);
  const defaultAnswer = current?.value ?? bestOrNone(proposals, { ...bounds, carrier: 'cheapest' })?.id;
  return {
    question: {
      kind: 'choice',
      id,
      message: 'Carrier',
      ...(hint && { hint }),
      choices: [...choices, { value: LATER, name: 'None of these: look over the rest first' }],
      ...(typeof defaultAnswer === 'string' && { defaultAnswer }),
    },
    parse: answer => (answer === LATER ? undefined : answer),
  };
}

/** Without the service: a dry run sends nothing. */
export const carrierTextQuestion = (id: string): CustomQuestion => ({
  question: {
    kind: 'text',
    id,
    message: 'Carrier id, cheapest or fastest',
    hint: 'A dry run asks for no proposals.',
    defaultAnswer: 'cheapest',
    check: text => (text.trim() === '' ? 'It is required' : undefined),
  },
  parse: answer => answer.trim(),
});

function choicesOf(proposals: readonly Proposal[], bounds: Bounds): Choice[] {
  const [cheapest, fastest] = (['cheapest', 'fastest'] as const).map(carrier =>
    bestOrNone(proposals, { carrier }),
  );
  const rows = proposals.map(one => [
    textAt(one, ['id']) ?? '-',
    textAt(one, ['name']) ?? '-',
    textAt(one, ['serviceType']) ?? '-',
    textAt(one, ['deliveryTime']) ?? '-',
    priceWords(one) ?? 'no price',
  ]);
  const widths = [0, 1, 2, 3, 4].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return proposals.flatMap((one, index) => {
    const id = textAt(one, ['id']);
    // What has no id cannot be booked.
    if (id === undefined) return [];
    const cells = (rows[index] ?? []).map((cell, column) =>
      column === 4 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    const marks = [one === cheapest && 'cheapest', one === fastest && 'fastest'].filter(Boolean).join(', ');
    const why = isValid(one) ? outOfBounds(one, bounds) : 'not valid for these packages';
    return [
      {
        value: id,
        name: [...cells, marks].join('  ').trimEnd(),
        ...(why !== undefined && { disabled: `(${why})` }),
      },
    ];
  });
}

/** The best of them, where that can be told. */
function bestOrNone(proposals: readonly Proposal[], choice: CarrierChoice): Proposal | undefined {
  try {
    return choose(proposals, choice, 'ship');
  } catch {
    return undefined;
  }
}

/** The carrier as the review shows it, and the proposal that would be booked. */
export async function carrierReview(
  offers: ProposalCache,
  path: string,
  body: unknown,
  bounds: Bounds,
): Promise<{ line: ReviewLine; proposal?: Proposal }> {
  const id = textAt(body, path);
  const line = { label: 'Carrier', path };
  if (id === undefined) return { line: { ...line, text: '', problem: 'none is picked' } };
  const found = await offers.get(body);
  const isBound = isPick(id) || hasBounds(bounds);
  if ('why' in found) {
    const needsNone = !isBound && unresolvedIn(body).unresolved.length === 0;
    return { line: { ...line, text: id, ...(!needsNone && { problem: found.why }) } };
  }
  const proposals = proposalsIn(found.answer);
  const named = proposals.find(one => one.id === id);
  const proposal = isBound ? bestOrNone(proposals, { ...bounds, carrier: id }) : named;
  if (proposal === undefined && isBound)
    return { line: { ...line, text: id, problem: 'no valid proposal is like that' } };
  // Who names a carrier may know of one that is not proposed.
  if (proposal === undefined) return { line: { ...line, text: `${id}, which is not among the proposals` } };
  const text = `${proposalWords(proposal)}${isPick(id) ? `, the ${id}` : ''}`;
  if (!isValid(proposal)) return { line: { ...line, text, problem: 'not valid for these packages' } };
  return { line: { ...line, text }, proposal };
}

/** The body with the carrier that a wish comes to, as rules speak of carriers and not of the cheapest one. */
export async function withResolvedCarrier(
  offers: ProposalCache,
  path: string,
  body: unknown,
  bounds: Bounds,
): Promise<unknown> {
  if (!isPick(textAt(body, path))) return body;
  const { proposal } = await carrierReview(offers, path, body, bounds);
  return proposal === undefined ? body : setAt(body, parsePath(path) ?? [], proposal.id);
}
