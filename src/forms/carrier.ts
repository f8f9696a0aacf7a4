// The carrier in a form: a choice of the proposals for these packages, and its line of the review.
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
import type { Choice } from '../prompts/question.ts';
import type { CustomQuestion, ReviewLine } from './engine/form.ts';
import type { ProposalCache } from './proposal-cache.ts';

const LATER = '';

/** Which proposal. Those that are not available say why. */
export async function carrierQuestion(
  cache: ProposalCache,
  path: string,
  body: unknown,
  bounds: Bounds,
): Promise<CustomQuestion> {
  const found = await cache.get(body);
  const response = 'response' in found ? found.response : undefined;
  const proposals = proposalsIn(response);
  const choices = choicesOf(proposals, bounds);
  const weight = getAt(response, ['chargeableWeight']);
  const weightHint = weight === undefined ? undefined : `Chargeable weight: ${weight} kg`;
  const current = choices.find(
    ({ value, disabled }) => value === textAt(body, path) && disabled === undefined,
  );
  return {
    question: {
      kind: 'choice',
      id: path,
      message: 'Carrier',
      hint:
        'problem' in found ? found.problem : proposals.length === 0 ? 'No carrier offers this.' : weightHint,
      choices: [...choices, { value: LATER, name: 'None of these: look over the rest first' }],
      defaultAnswer: current?.value ?? textAt(bestFor(proposals, { ...bounds, carrier: 'cheapest' }), ['id']),
    },
    parse: answer => (answer === LATER ? undefined : answer),
  };
}

/** A dry run sends nothing, so it has no proposals. */
export const carrierTextQuestion = (path: string): CustomQuestion => ({
  question: {
    kind: 'text',
    id: path,
    message: 'Carrier id, cheapest or fastest',
    hint: 'A dry run asks for no proposals.',
    defaultAnswer: 'cheapest',
    check: text => (text.trim() === '' ? 'It is required' : undefined),
  },
  parse: answer => answer.trim(),
});

function choicesOf(proposals: readonly Proposal[], bounds: Bounds): Choice[] {
  const [cheapest, fastest] = (['cheapest', 'fastest'] as const).map(carrier =>
    bestFor(proposals, { carrier }),
  );
  const rows = proposals.map(one => [
    ...['id', 'name', 'serviceType', 'deliveryTime'].map(name => textAt(one, [name]) ?? '-'),
    priceWords(one) ?? 'no price',
  ]);
  const widths = [0, 1, 2, 3, 4].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return proposals.flatMap((one, index) => {
    const id = textAt(one, ['id']);
    // A proposal without an id cannot be booked.
    if (id === undefined) return [];
    const cells = (rows[index] ?? []).map((cell, column) =>
      column === 4 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    const marks = [one === cheapest && 'cheapest', one === fastest && 'fastest'].filter(Boolean).join(', ');
    const why = isValid(one) ? outOfBounds(one, bounds) : 'not valid for these packages';
    return [{ value: id, name: [...cells, marks].join('  ').trimEnd(), disabled: why && `(${why})` }];
  });
}

/** The proposal that the command would choose, if it can choose one. */
function bestFor(proposals: readonly Proposal[], choice: CarrierChoice): Proposal | undefined {
  try {
    return choose(proposals, choice, 'ship');
  } catch {
    return undefined;
  }
}

/** The carrier's line of the review, and the proposal that would be booked. */
export async function carrierLine(
  cache: ProposalCache,
  path: string,
  body: unknown,
  bounds: Bounds,
): Promise<{ line: ReviewLine; proposal?: Proposal }> {
  const line = (text: string, problem?: string) => ({ line: { label: 'Carrier', path, text, problem } });
  const id = textAt(body, path);
  if (id === undefined) return line('', 'not chosen yet');
  const found = await cache.get(body);
  const needsProposal = isPick(id) || hasBounds(bounds);
  if ('problem' in found) {
    const canDoWithout = !needsProposal && unresolvedIn(body).unresolved.length === 0;
    return line(id, canDoWithout ? undefined : found.problem);
  }
  const proposals = proposalsIn(found.response);
  const proposal = needsProposal
    ? bestFor(proposals, { ...bounds, carrier: id })
    : proposals.find(one => one.id === id);
  // A carrier that is named may exist without a proposal.
  if (proposal === undefined)
    return needsProposal
      ? line(id, 'no valid proposal matches')
      : line(`${id}, which is not among the proposals`);
  const text = `${proposalWords(proposal)}${isPick(id) ? `, the ${id}` : ''}`;
  return isValid(proposal) ? { ...line(text), proposal } : line(text, 'not valid for these packages');
}

/** The body with the carrier that `cheapest` or `fastest` comes to: the rules apply to that carrier. */
export async function withResolvedCarrier(
  cache: ProposalCache,
  path: string,
  body: unknown,
  bounds: Bounds,
): Promise<unknown> {
  if (!isPick(textAt(body, path))) return body;
  const { proposal } = await carrierLine(cache, path, body, bounds);
  return proposal === undefined ? body : setAt(body, parsePath(path) ?? [], proposal.id);
}
