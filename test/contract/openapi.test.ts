// What `waybill schema --openapi` prints is an OpenAPI document, and says what the service document says. Here it is read as
// a program of another company does: bodies are checked against it, and between command and emulator a proxy that knows
// nothing but the document checks all that passes in either direction.

import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { openapi } from '../../src/contract/openapi.ts';
import { parseFault } from '../../src/emulator/settings.ts';
import { createRig, type RigOptions, type RunOptions } from '../rig/command.ts';
import { DUAL, fixture, SHIPMENT } from '../rig/service.ts';
import { served } from '../rig/sockets.ts';
import { DOCUMENT, type Fields } from './document.ts';

/** A JSON Schema, as far as we walk it. */
interface Shape {
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

interface Media {
  schema: Shape;
  examples?: Record<string, { value: unknown }>;
}

interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}

interface Described {
  operationId: string;
  description: string;
  'x-sandbox': boolean;
  security?: Record<string, string[]>[];
  servers?: Server[];
  parameters: { name: string; in: string; required: boolean; schema: Shape }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

interface Document {
  servers: Server[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Described>>;
  components: { securitySchemes: Record<string, { type: string; scheme: string }> };
}

/** Each operation with its path and method. */
const operationsOf = ({ paths }: Document): { path: string; method: string; operation: Described }[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

interface Body extends Media {
  /** As the folders of fixtures/service have it: `v1/shipments/POST`. */
  folder: string;
  /** `request`, or the status of an answer. */
  kind: string;
}

/** Every body that the document has a schema of. */
const bodiesOf = (document: Document): Body[] =>
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
function faultsOf(schema: Shape, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

interface Asked {
  method: string;
  /** As on the request line. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Given {
  status: number;
  type: string;
  retryAfter: string | null;
  body: string;
}

interface ValidatingProxy {
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

/** A proxy before `upstream`. */
async function validatingProxy(document: Document, upstream: string): Promise<ValidatingProxy> {
  const passed: string[] = [];
  const faults: string[] = [];
  const find = router(document);
  const address = await between(upstream, (asked, given) => {
    const found = find(asked);
    const line = `${asked.method} ${asked.path}`;
    if (found === undefined) faults.push(`${line} is not in the document`);
    else {
      passed.push(`${found.operation.operationId} ${given.status}`);
      faults.push(...faultsOfRequest(document, found, asked).map(fault => `${line}: ${fault}`));
      faults.push(...faultsOfAnswer(found, given).map(fault => `${line} ${given.status}: ${fault}`));
    }
  });
  return { address, passed, faults };
}

/** Paths that the variables of the document's servers stand for. */
const BASES: Record<string, string> = { base_url: '', sandbox_base_url: '/sandbox' };

function router(document: Document) {
  const routes = operationsOf(document).flatMap(({ path, method, operation }) =>
    (operation.servers ?? document.servers).map(({ url }) => {
      const whole = url.replace(/\{(\w+)\}/g, (_, name) => BASES[name] ?? `no value for ${name}`) + path;
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
  return [
    ...[...query.keys()].map(name => `?${name} is not documented`),
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

/** A server that hands requests on to another, and its answers back. */
const between = (upstream: string, see: (asked: Asked, given: Given) => void): Promise<string> =>
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
    const given = {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      retryAfter: answer.headers.get('retry-after'),
      body: await answer.text(),
    };
    see({ method, path, headers, body }, given);
    response
      .writeHead(given.status, {
        ...(given.type !== '' && { 'content-type': given.type }),
        ...(given.retryAfter !== null && { 'retry-after': given.retryAfter }),
      })
      .end(given.body);
  });

const document = JSON.parse(JSON.stringify(openapi('1.2.3'))) as Document;

test('the document is OpenAPI 3.1: each operation is told, and what is no JSON Schema cannot be compiled', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
  const operations = operationsOf(document);
  for (const { operation } of operations)
    expect(operation).toMatchObject({
      summary: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\S/),
    });
  for (const { schema } of bodiesOf(document)) expect(faultsOf(schema, null)).not.toEqual([]);
});

/** Every field and element of a schema: `packages[].weight`, with a `?` where it may be left out. */
function* fieldsIn({ properties = {}, required = [], items }: Shape, path = ''): Generator<[string, Shape]> {
  if (items) {
    yield [`${path}[]`, items];
    yield* fieldsIn(items, `${path}[]`);
  }
  for (const [name, field] of Object.entries(properties)) {
    const at = path === '' ? name : `${path}.${name}`;
    yield [required.includes(name) ? at : `${at}?`, field];
    yield* fieldsIn(field, at);
  }
}

const MEDIA = 'application/json';
const fieldsOf = (media?: Media) => [...fieldsIn(media?.schema ?? {})];

/** What a field holds, in the words of the table of the service document. */
function holds({ type, enum: values, format, 'x-kind': kind, additionalProperties: rest }: Shape) {
  if (kind === 'country' || values) return kind ?? values;
  if (Array.isArray(type)) return 'price';
  if (type === 'object' && typeof rest === 'object' && rest.type) return 'map';
  if (format === 'date-time') return 'time';
  return { string: 'text', array: 'list' }[type ?? ''] ?? type;
}

/** Of blank texts the schema tells more than the table; the fixtures are tried with them. */
const inTable = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([at, of]) => [at, of === 'any text' ? 'text' : of]));

test('the document has the operations of the service document and no other', () => {
  const requests = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
  );
  expect(requests.sort()).toEqual(
    Object.values(DOCUMENT)
      .map(({ request }) => request)
      .sort(),
  );
});

describe.each(Object.entries(DOCUMENT))('%s', (id, documented) => {
  const [method = '', path = ''] = documented.request.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()] as Described;

  test('has the statuses, the sandbox, the credential and the limits of the service document', () => {
    const { operationId, parameters, responses, security, servers = document.servers } = operation;
    const { section, contract, limit, success, errors, sandbox } = documented;
    expect({
      operationId,
      parameters: parameters.map(({ name }) => name),
      statuses: Object.keys(responses).map(Number),
      servers: servers.map(({ url }) => url),
      sandbox: operation['x-sandbox'],
      security,
    }).toEqual({
      operationId: id,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      statuses: [success, ...errors],
      servers: sandbox ? ['{base_url}', '{sandbox_base_url}'] : ['{base_url}'],
      sandbox,
      security: errors.includes(401) ? undefined : [],
    });
    const lines = operation.description.split('\n');
    expect(lines[0]).toBe(`Section ${section} of the service document.`);
    expect(lines.includes('Requires a contract with the provider.')).toBe(contract);
    expect(lines.filter(line => /requests a minute/.test(line))).toEqual(
      limit ? [`At most ${limit} requests a minute.`] : [],
    );
  });

  test('has the fields of the service document, with their types, each with a description', () => {
    const { requestBody, responses } = operation;
    const bodies = [requestBody?.content[MEDIA], responses[documented.success]?.content?.[MEDIA]];
    const [taken, given] = bodies.map(fieldsOf).map(fields => {
      expect(fields.filter(([, { description }]) => !/\S/.test(description ?? ''))).toEqual([]);
      return Object.fromEntries(fields.map(([at, field]) => [at, holds(field)]));
    });
    expect([taken, given]).toEqual([inTable(documented.body), inTable(documented.answer)]);
  });
});

describe('the examples', () => {
  const EXAMPLES = bodiesOf(document).flatMap(({ folder, kind, schema, examples = {} }) =>
    Object.entries(examples).map(([title, { value }]) => ({
      name: `${folder}/${title}.${kind}.json`,
      schema,
      value,
    })),
  );

  test('are the fixtures and no others, as `npm run data` writes them', async () => {
    const files = (readdirSync('fixtures/service', { recursive: true }) as string[]).filter(name =>
      name.endsWith('.json'),
    );
    expect(EXAMPLES.map(({ name }) => name).sort()).toEqual(files.sort());
    for (const { name, value } of EXAMPLES) expect(value, name).toEqual(fixture(name));
    const { examplesFile } = await import(new URL('../../scripts/examples.mjs', import.meta.url).href);
    expect(readFileSync('src/contract/examples.json', 'utf8')).toBe(examplesFile);
  });

  test.each(EXAMPLES)('$name is valid for an independent validator', ({ schema, value }) => {
    expect(faultsOf(schema, value)).toEqual([]);
  });
});

const QUOTE = 'quote --from TR --to DE --package 2x1.5kg@30x20x10cm';
const HOOK = 'webhook create --event shipment.status.updated --header X-Shop:one --max-retries 3';

/** Commands whose requests pass the proxy. */
async function stage(options: RigOptions = {}) {
  const rig = await createRig(options);
  const { stdout } = await rig.run('schema --openapi');
  const proxy = await validatingProxy(JSON.parse(stdout) as Document, rig.address);
  const env = { WAYBILL_BASE_URL: proxy.address, WAYBILL_SANDBOX_BASE_URL: `${proxy.address}/sandbox` };
  const run = (argv: string, body?: unknown, more: RunOptions = {}) =>
    rig.run(argv, {
      ...more,
      ...(body !== undefined && { stdin: JSON.stringify(body) }),
      env: { ...env, ...more.env },
    });
  /** What a command that does well prints with `-q`, line by line. */
  const lines = async (argv: string, body?: unknown) => {
    const { exitCode, stdout, stderr } = await run(`${argv} -q`, body);
    expect([argv, exitCode, stderr]).toEqual([argv, 0, '']);
    return stdout.trimEnd().split('\n');
  };
  const code = async (argv: string, body?: unknown, more?: RunOptions) =>
    (await run(argv, body, more)).exitCode;
  return { proxy, run, lines, code };
}

test('the requests and answers of all commands are as the document says', async () => {
  const { proxy, lines, code } = await stage();

  await lines(QUOTE);
  await lines(`${QUOTE} --postal-code 10115 --sandbox`);
  await lines('rates --from TR --to DE --package 2x1.5kg@30x20x10cm');
  const [shipment = ''] = await lines('ship -f -', SHIPMENT);
  await lines('ship -f - --carrier fastest', fixture('v1/shipments/POST/document.request.json'));
  const [international = '', domestic = ''] = await lines('ship-dual -f -', DUAL);
  await lines('ship-dual -f - --label', fixture('v2/shipments/POST/full.request.json'));
  await lines(`label --international ${international} --domestic ${domestic}`);
  await lines(`label --international ${shipment}`);
  await lines(`track ${shipment}`);
  await lines(`track ${domestic} --domestic`);
  const [subscription = ''] = await lines(`${HOOK} --url https://shop.example.test/hook`);
  await lines(`webhook get ${subscription}`);

  const wrong = { env: { WAYBILL_TOKEN: 'wrong' } };
  expect(await code('label --international NONE')).toBe(5);
  expect(await code(QUOTE, undefined, wrong)).toBe(3);
  expect(await code(`track ${shipment}`, undefined, wrong)).toBe(3);
  expect(await code('ship -f - --allow-duplicate', SHIPMENT, wrong)).toBe(3);
  expect(await code('rates --from TR --to TR --package 1kg@1x1x1cm')).toBe(4);
  expect(await code('track NONE')).toBe(4);
  expect(await code('track NONE --domestic')).toBe(4);
  expect(await code('webhook get NONE')).toBe(4);
  expect(await code('ship -f - --carrier NONE', SHIPMENT)).toBe(5);
  // One was made above: the twentieth is the last of this minute.
  for (let made = 2; made <= 20; made++) await lines(`${HOOK} --url https://shop.example.test/${made}`);
  expect(await code(`${HOOK} --url https://shop.example.test/21 --retries 0`)).toBe(6);

  expect(proxy.faults).toEqual([]);
  expect([...new Set(proxy.passed)].sort()).toEqual([
    'createDualShipment 201',
    'createLabels 200',
    'createLabels 400',
    'createShipment 201',
    'createShipment 401',
    'createShipment 422',
    'createSubscription 201',
    'createSubscription 429',
    'getDomesticShipment 200',
    'getDomesticShipment 404',
    'getShipment 200',
    'getShipment 401',
    'getShipment 404',
    'getSubscription 200',
    'getSubscription 404',
    'proposal 201',
    'proposal 401',
    'rates 200',
    'rates 404',
  ]);
});

// The proxy can see.

test('the proxy finds a status that the document does not list, and a request with an unknown field', async () => {
  const { proxy, run } = await stage({ faults: [parseFault('403:1')] });
  await run(QUOTE);
  await run('ship -f - --allow-unknown', { ...SHIPMENT, colour: 'red' });
  expect(proxy.faults).toEqual([
    'POST /v1/carriers/proposal 403: this status is not documented',
    'POST /v1/shipments:  must NOT have additional properties',
    'POST /v1/shipments 403: this status is not documented',
  ]);
});

test.each<[string, string, RequestInit, string]>([
  ['a path that is not documented', '/v1/shipment', {}, 'is not in the document'],
  ['a sandbox where there is none', '/sandbox/webhooks/subscriptions/a', {}, 'is not in the document'],
  ['a query that is not documented', '/v1/shipments/a?page=2', {}, '?page is not documented'],
  ['no credential', '/v1/shipments/a', { headers: {} }, 'the credential is missing'],
  ['another type', '/v2/carriers/create', { method: 'POST', body: '{}' }, 'content of type text/plain'],
])('a request with %s is found', async (_, path, init, description) => {
  const { proxy } = await stage();
  await fetch(proxy.address + path, { headers: { authorization: 'Bearer demo' }, ...init });
  expect(proxy.faults.join('\n')).toContain(description);
});
