import type { ErrorStatus, Issue } from '../contract/operation.ts';
import { isRecord } from '../contract/paths.ts';
import type { HttpResponse } from '../http-server.ts';
import type { Store } from '../sqlite.ts';
import { check } from './check.ts';
import { effectOf } from './effects.ts';
import { overLimit } from './limits.ts';
import { baseOf, type Route } from './routes.ts';
import { allows, credentialOf, type Tokens } from './tokens.ts';
import { type EmulatorRequest, failure, json, type World } from './wire.ts';

export interface OperateOptions {
  store: Store;
  tokens: Tokens;
  /** Milliseconds since 1970. */
  now: number;
  random(): number;
}

/**
 * Answers a request for an operation, only with the statuses that its row lists. It checks the credential (401), the
 * rate limit (429), the types of the body (400), then its values and rules (422 if the row lists it, else 400). The
 * effect comes last.
 */
export function operate(
  { store, tokens, now, random }: OperateOptions,
  request: EmulatorRequest,
  world: World,
  { operation, parameters }: Route,
): HttpResponse {
  const { scope, errors, success } = operation;
  const refuse = (status: ErrorStatus, details: Issue[] = [], headers = {}) =>
    failure(status, errors[status] ?? '', details, headers);

  const credential = credentialOf(request.headers, tokens);
  if (scope !== null && credential === undefined) return refuse(401);
  if (scope !== null && scope !== 'any' && !allows(credential, scope))
    return refuse(401, [{ path: '', message: `the token lacks the scope ${scope}` }]);

  const wait = overLimit(store, operation, world, credential?.token ?? '', now);
  if (wait !== undefined) return refuse(429, [], { 'retry-after': String(wait) });

  const body = operation.body && parsed(request.body);
  if (operation.body && !isRecord(body))
    return refuse(400, [{ path: '', message: 'the body must be a JSON object' }]);
  const invalid = errors[422] === undefined ? 400 : 422;
  const faulty = check(operation, body);
  if (faulty) return refuse(faulty.kind === 'shape' ? 400 : invalid, faulty.issues);

  const outcome = store.transaction(() =>
    effectOf(operation)({
      store,
      world,
      parameters,
      body,
      allows: wanted => allows(credential, wanted),
      base: baseOf(request.origin, world),
      failLabels: request.failLabels ?? new Set(),
      now,
      random,
    }),
  );
  if ('body' in outcome) return json(success.status, outcome.body);
  return refuse(outcome.refused === 'absent' ? 404 : invalid, outcome.issues);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
