import { proposalRequest, proposalsFor } from '../carriers/ask.ts';
import { Failure } from '../errors.ts';
import type { RequestParts } from '../orders/request-command.ts';
import type { Session } from '../session/session.ts';

/** The service's response, or why there are no proposals. */
type Fetched = { response: unknown } | { problem: string };

/** The proposals for a body. They are requested again only if something changes that they depend on. */
export interface ProposalCache {
  get(body: unknown): Promise<Fetched>;
  /** The response, if it was for this body. */
  cached(body: unknown): unknown;
}

export function createProposalCache(session: Session, parts: RequestParts): ProposalCache {
  let last: { key: string; fetched: Fetched } | undefined;
  const keyOf = (body: unknown) => JSON.stringify(proposalRequest(body));
  return {
    async get(body) {
      const key = keyOf(body);
      if (last?.key !== key) last = { key, fetched: await fetchProposals(session, parts, body) };
      return last.fetched;
    },
    cached: body =>
      last?.key === keyOf(body) && 'response' in last.fetched ? last.fetched.response : undefined,
  };
}

/** A problem with the packages or the route is shown in the form; any other failure ends it. */
async function fetchProposals(session: Session, parts: RequestParts, body: unknown): Promise<Fetched> {
  try {
    return { response: await proposalsFor(session, parts, body) };
  } catch (error) {
    const isProblem =
      error instanceof Failure && ['rejected', 'invalid_request', 'not_found'].includes(error.code);
    if (!isProblem) throw error;
    const issues = (error.facts.issues ?? []).map(({ path, message }) => `${path} ${message}`);
    return { problem: [error.message, ...issues].join('\n') };
  }
}
