// Reads the OpenAPI document as a program of another company does: bodies are checked against it, and a proxy checks all
// that passes in either direction. It knows nothing but the document. Never import src here.
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { served } from '../rig/sockets.ts';

/** A JSON Schema, as far as we walk it. */
export interface Shape {
  description?: string;
  type?: string;
  enum?: string[];
  format?: string;
  'x-kind'?: string;
  required?: string[];
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  items?: Shape;
}

export interface Media {
  schema: Shape;
  examples?: Record<string, { value: unknown }>;
}

interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}

export interface Described {
  operationId: string;
  description: string;
  'x-sandbox': boolean;
  tags: string[];
  security?: Record<string, string[]>[];
  servers?: Server[];
  parameters: { name: string; in: string; required: boolean; schema: Shape }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

export interface Document {
  servers: Server[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { securitySchemes: Record<string, { type: string; scheme: string }> };
}

/** Each operation with its path and method. */
export const operationsOf = ({ paths }: Document): { path: string; method: string; operation: Described }[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

export interface Body extends Media {
  /** As the folders of fixtures/service have it: `v1/shipments/POST`. */
  folder: string;
  /** `request`, or the status of an answer. */
  kind: string;
}

/** Every body that the document has a schema of. */
export const bodiesOf = (document: Document): Body[] =>
  operationsOf(document).flatMap(({ path, method, operation: { requestBody, responses } }) =>
    Object.entries({ ...(requestBody && { request: requestBody }), ...responses }).flatMap(
      ([kind, { content = {} }]) =>
        Object.values(content).map(media => ({ ...media, folder: `${path.slice(1)}/${method}`, kind })),
    ),
  );

// Not strict: it would refuse the extensions (`x-kind`, `x-values`) that OpenAPI allows.
const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);

const compiled = new WeakMap<Shape, ValidateFunction>();

/** What a JSON Schema validator that knows nothing of ours says against a value, a line each. */
export function faultsOf(schema: Shape, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

export interface Asked {
  method: string;
  /** As on the request line. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Given {
  status: number;
  type: string;
  retryAfter: string | null;
  body: string;
}

export interface ValidatingProxy {
  address: string;
  /** `createShipment 201`, for each exchange that passed. */
  passed: string[];
  /** All that the document does not allow, a line each. */
  faults: string[];
}

interface Found {
  operation: Described;
  /** What the placeholders of the path hold. */
  values: Record<string, string>;
}

/** A proxy before `upstream`; `variables` are those of the document's servers, here the paths that they begin with. */
export async function validatingProxy(
  document: Document,
  upstream: string,
  variables: Record<string, string>,
): Promise<ValidatingProxy> {
  const passed: string[] = [];
  const faults: string[] = [];
  const find = router(document, variables);
  const address = await between(upstream, (asked, given) => {
    const found = find(asked);
    const line = `${asked.method} ${asked.path}`;
    if (found === undefined) faults.push(`${line} is not in the document`);
    else {
      passed.push(`${found.operation.operationId} ${given.status}`);
      faults.push(...faultsOfRequest(document, found, asked).map(fault => `${line}: ${fault}`));
      faults.push(...faultsOfAnswer(found, given).map(fault => `${line} ${given.status}: ${fault}`));
    }
    return given;
  });
  return { address, passed, faults };
}

function router(document: Document, variables: Record<string, string>) {
  const routes = operationsOf(document).flatMap(({ path, method, operation }) =>
    (operation.servers ?? document.servers).map(({ url }) => {
      const whole = url.replace(/\{(\w+)\}/g, (_, name) => variables[name] ?? `no value for ${name}`) + path;
      const pattern = new RegExp(`^${whole.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      return { method, pattern, operation };
    }),
  );
  return ({ method, path }: Asked): Found | undefined => {
    const [bare = ''] = path.split('?');
    for (const route of routes) {
      const match = route.method === method ? route.pattern.exec(bare) : null;
      if (match) return { operation: route.operation, values: { ...match.groups } };
    }
    return undefined;
  };
}

function faultsOfRequest(document: Document, { operation, values }: Found, asked: Asked): string[] {
  const { parameters, requestBody, security = document.security } = operation;
  const query = new URL(asked.path, 'http://proxy.test').searchParams;
  const known = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name);
  return [
    ...[...query.keys()].filter(name => !known.includes(name)).map(name => `?${name} is not documented`),
    ...parameters
      .filter(parameter => parameter.in === 'path')
      .flatMap(({ name, schema }) =>
        faultsOf(schema, decodeURIComponent(values[name] ?? '')).map(fault => `{${name}}${fault}`),
      ),
    ...(security.length === 0 || security.some(scheme => satisfies(document, scheme, asked))
      ? []
      : ['the credential is missing']),
    ...(requestBody
      ? faultsOfContent(requestBody.content, asked.headers['content-type'] ?? '', asked.body)
      : asked.body === ''
        ? []
        : ['has a body']),
  ];
}

const satisfies = ({ components }: Document, names: Record<string, string[]>, { headers }: Asked): boolean =>
  Object.keys(names).every(name => {
    const { type, scheme } = components.securitySchemes[name] ?? {};
    if (type !== 'http' || scheme !== 'bearer') throw new Error(`the proxy knows no ${type} ${scheme}`);
    return /^Bearer \S+$/.test(headers.authorization ?? '');
  });

function faultsOfAnswer({ operation }: Found, { status, type, body }: Given): string[] {
  const documented = operation.responses[status];
  if (documented === undefined) return ['this status is not documented'];
  // Without a content the document promises nothing of the body: that of errors is not known.
  return documented.content ? faultsOfContent(documented.content, type, body) : [];
}

function faultsOfContent(content: Record<string, Media>, type: string, body: string): string[] {
  const media = content[type.split(';')[0] ?? ''];
  if (media === undefined) return [`content of type ${type || 'nothing'} is not documented`];
  try {
    return faultsOf(media.schema, JSON.parse(body));
  } catch {
    return ['is no JSON'];
  }
}

/** A server that hands requests on to another, and its answers back as `see` gives them. */
export const between = (upstream: string, see: (asked: Asked, given: Given) => Given): Promise<string> =>
  served(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = await fetch(upstream + path, {
      method,
      redirect: 'manual',
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        ['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)
          ? []
          : [[name, String(value)]],
      ),
      ...(body !== '' && { body }),
    });
    const given = see(
      { method, path, headers, body },
      {
        status: answer.status,
        type: answer.headers.get('content-type') ?? '',
        retryAfter: answer.headers.get('retry-after'),
        body: await answer.text(),
      },
    );
    response
      .writeHead(given.status, {
        ...(given.type !== '' && { 'content-type': given.type }),
        ...(given.retryAfter !== null && { 'retry-after': given.retryAfter }),
      })
      .end(given.body);
  });
