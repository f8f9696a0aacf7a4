import { type ErrorStatus, type Leg, OPERATIONS, type Operation } from '../contract/operations.ts';
import { formatPath, getAt, isRecord } from '../contract/paths.ts';
import { fieldAt, type Issue, type Schema } from '../contract/shapes.ts';
import type { HttpResponse } from '../host/http-server.ts';
import type { Store } from '../host/sqlite.ts';
import { carrierById, ECONOMY_CARRIERS, pieceWeights } from './carriers.ts';
import { HANDLERS, Refusal } from './operations.ts';
import { grantOf, isAllowed, type Tokens } from './settings.ts';
import { arrive, findLabelled, type World } from './world.ts';

// Waybill's own version of the shipping service, without a socket, for demos and tests. It is no carrier: nothing is shipped, and nothing
// costs money. Where the service document shows nothing, this version decides, and the real service may differ.

/** A request without its socket. */
export interface ServiceRequest {
  method: string;
  /** The path of the request line; for the sandbox, `/sandbox` stands in front. A query is ignored. */
  path: string;
  /** Headers, with names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What the server knows beside the request. */
interface Circumstances {
  /** The beginning of label links, such as `http://127.0.0.1:8787`. */
  origin: string;
  /** The legs for which a fault prevents the label. */
  failLabels: ReadonlySet<Leg>;
}

interface ServiceOptions {
  store: Store;
  tokens: Tokens;
  /** How much faster than real time shipments travel: 1 is real time. */
  speed: number;
  /** The present time, in ms since 1970. */
  now(): number;
  /** A number from 0 up to but not including 1. */
  random(): number;
  /** Gives the document for `GET /openapi.json`; without it, that path is unknown. */
  loadOpenapi?: (() => Promise<unknown>) | undefined;
}

const OPENAPI_PATH = '/openapi.json';
const LABEL_PATH = /^\/labels\/([A-Za-z0-9]+)\.pdf$/;

/** Is a path one of the service? The OpenAPI document and the files of labels are not: faults do not apply to them. */
export const isOfService = (path: string): boolean =>
  path !== OPENAPI_PATH && !LABEL_PATH.test(locate(path).path);

/** Creates a service that answers requests. An error that it throws is a defect of the emulator. */
export function createEmulatedService(options: ServiceOptions) {
  const { store, tokens, speed, now, random, loadOpenapi } = options;
  const overLimit = createLimits();

  return async (request: ServiceRequest, circumstances: Circumstances): Promise<HttpResponse> => {
    arrive(store, speed, now());
    const { method } = request;
    const { world, path } = locate(request.path);
    if (method === 'GET' && loadOpenapi && world === 'production' && path === OPENAPI_PATH)
      // The same bytes that `waybill schema --openapi` prints.
      return { ...json(200, ''), body: `${JSON.stringify(await loadOpenapi(), undefined, 2)}\n` };
    const tracking = method === 'GET' && LABEL_PATH.exec(path)?.[1];
    if (tracking) return await labelFileAnswer(store, world, tracking);
    const route = findRoute(method, path, world);
    if (!route) return failure(404, `there is nothing at ${method} ${request.path}`);
    const { operation } = route;
    try {
      return json(operation.success.status, operate(request, circumstances, world, route));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const status = error.status === 'invalid' ? statusOfInvalid(operation) : error.status;
      return failure(status, operation.errors[status] ?? '', error.details, error.headers);
    }
  };

  /**
   * Carries out an operation; gives the body of its answer. Checks the credential (401), the rate limit (429), the types
   * of the body (400), then its values and rules (422 if the row lists it, else 400). Throws a Refusal.
   */
  function operate(
    request: ServiceRequest,
    circumstances: Circumstances,
    world: World,
    route: Route,
  ): unknown {
    const { operation, parameters } = route;
    const { id, scope } = operation;
    const credential = grantOf(request.headers, tokens);
    if (scope !== null && credential === undefined) throw new Refusal(401);
    if (scope !== null && scope !== 'any' && !isAllowed(credential, scope))
      throw new Refusal(401, [{ path: '', message: `the token lacks the scope ${scope}` }]);

    const wait = overLimit(operation, world, credential?.token ?? '', now());
    if (wait !== undefined) throw new Refusal(429, [], { 'retry-after': String(wait) });

    const body = operation.body && parsedBody(request.body);
    check(operation, body);

    return store.transaction(() =>
      HANDLERS[id]({
        store,
        world,
        parameters,
        body,
        allows: wanted => isAllowed(credential, wanted),
        base: world === 'sandbox' ? `${circumstances.origin}${SANDBOX}` : circumstances.origin,
        failLabels: circumstances.failLabels,
        now: now(),
        random,
      }),
    );
  }
}

// Answers

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

const CODES: Readonly<Record<ErrorStatus, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  422: 'validation_failed',
  429: 'too_many_requests',
  500: 'internal_error',
};

/**
 * An error answer. The service document does not show its body (§7); the emulator answers
 * `{"success":false,"error":{"code","message","details":[{"path","message"}]}}`.
 */
export const failure = (
  status: ErrorStatus,
  message: string,
  details: readonly Issue[] = [],
  headers: Readonly<Record<string, string>> = {},
): HttpResponse =>
  json(status, { success: false, error: { code: CODES[status], message, details } }, headers);

const statusOfInvalid = (operation: Operation): ErrorStatus =>
  operation.errors[422] === undefined ? 400 : 422;

/** The file behind a label link, always with the same bytes. No credential is needed, because the document shows a bare URL. */
async function labelFileAnswer(store: Store, world: World, trackingNumber: string): Promise<HttpResponse> {
  const shipment = findLabelled(store, world, trackingNumber);
  if (shipment === undefined) return failure(404, 'label not found');
  const { sender, receiver, packages } = shipment.goods;
  const carrier = carrierById(shipment.carrier);
  // The module is loaded only here: most runs ask for no label, and the PDF library takes long to load.
  const { addressLines, labelPdf } = await import('./label.ts');
  const body = await labelPdf({
    carrier: carrier?.name ?? shipment.carrier,
    service: carrier?.serviceType ?? '',
    trackingNumber,
    reference: shipment.id,
    from: addressLines(sender),
    to: addressLines(receiver),
    pieces: pieceWeights(packages),
  });
  return { status: 200, headers: { 'content-type': 'application/pdf' }, body };
}

// Routes

const SANDBOX = '/sandbox';

/** The world of a request (production or sandbox), and its path in that world, without a query. */
function locate(path: string): { world: World; path: string } {
  const bare = path.replace(/[?#].*$/s, '');
  return bare.startsWith(`${SANDBOX}/`)
    ? { world: 'sandbox', path: bare.slice(SANDBOX.length) }
    : { world: 'production', path: bare };
}

/** The operation and the world of a request; `undefined` if nothing is at its path. */
export function operationAt(
  request: Pick<ServiceRequest, 'method' | 'path'>,
): { operation: Operation; world: World } | undefined {
  const place = locate(request.path);
  const route = findRoute(request.method, place.path, place.world);
  return route && { operation: route.operation, world: place.world };
}

interface Route {
  operation: Operation;
  /** The values in the path, by the names of its placeholders. */
  parameters: Readonly<Record<string, string>>;
}

const PATTERNS = Object.values(OPERATIONS).map(operation => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The operation of §4 with a method and path, if this world has it. */
function findRoute(method: string, path: string, world: World): Route | undefined {
  for (const { operation, pattern } of PATTERNS) {
    if (operation.method !== method || (world === 'sandbox' && !operation.sandbox)) continue;
    const match = pattern.exec(path);
    const parameters = match && decodedParameters(match.groups ?? {});
    if (parameters) return { operation, parameters };
  }
  return undefined;
}

function decodedParameters(groups: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}

// Checks of all operations

const MINUTE_MS = 60_000;

/**
 * Counts requests by token and world, against the limit in the row of their operation (§8). Gives how many seconds to wait if there were
 * too many. A refused request does not count.
 */
function createLimits() {
  const counted = new Map<string, number[]>();
  return ({ id, perMinute }: Operation, world: World, token: string, now: number): number | undefined => {
    if (perMinute === undefined) return undefined;
    const who = `${world} ${id} ${token}`;
    const recent = (counted.get(who) ?? []).filter(at => at > now - MINUTE_MS);
    counted.set(who, recent);
    const oldest = recent.at(-perMinute);
    if (oldest !== undefined) return Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1000));
    recent.push(now);
    return undefined;
  };
}

function parsedBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Checks a body against the schema and the rules of its operation. Throws a Refusal with all problems. */
function check(operation: Operation, body: unknown): void {
  if (operation.body && !isRecord(body))
    throw new Refusal(400, [{ path: '', message: 'the body must be a JSON object' }]);
  const problems: Problem[] = operation.body ? problemsOf(operation.body, body) : [];
  for (const rule of operation.rules)
    for (const issue of rule.check(body, { economyCarriers: ECONOMY_CARRIERS, serviceOnLoopback: true }))
      problems.push({ ...issue, of: 'value' });
  if (problems.length === 0) return;
  throw new Refusal(
    problems.some(problem => problem.of === 'shape') ? 400 : 'invalid',
    problems.map(({ of: _, ...issue }) => issue),
  );
}

/** `shape`: a field is missing, unknown, or of a wrong type. `value`: the type is right, but the value is not allowed. */
interface Problem extends Issue {
  of: 'shape' | 'value';
}

function problemsOf(schema: Schema, body: unknown): Problem[] {
  const { error } = schema.safeParse(body);
  return (error?.issues ?? []).flatMap((fault): Problem[] => {
    // The path of a fault may have symbols by its type, although JSON has none.
    const at = fault.path.map(part => (typeof part === 'number' ? part : String(part)));
    const path = formatPath(at);
    if (fault.code === 'unrecognized_keys')
      return fault.keys.map(key => ({
        path: formatPath([...at, key]),
        message: 'is not a field of this request',
        of: 'shape',
      }));
    const value = getAt(body, at);
    if (value === undefined) return [{ path, message: 'is required', of: 'shape' }];
    const field = fieldAt(schema, at);
    const isOfWrongType =
      fault.code === 'invalid_type' || (fault.code === 'invalid_value' && typeof value !== 'string');
    if (isOfWrongType) return [{ path, message: `must be ${field?.kind ?? fault.code}`, of: 'shape' }];
    const allowed = field?.values ? `: it must be one of ${Object.keys(field.values).join(', ')}` : '';
    return [{ path, message: `is not valid${allowed}`, of: 'value' }];
  });
}
