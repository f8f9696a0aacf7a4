// What `waybill schema --openapi` prints is an OpenAPI document, and says what the service document says. Here it is read as
// a program of another company does: bodies are checked against it, and so is what commands send and the emulator answers.

import { readdirSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { openapiDocument } from '../../src/documents/openapi.ts';
import type { SeenRequest } from '../../src/emulator/server.ts';
import { parseFault } from '../../src/emulator/settings.ts';
import { createRig, type RigOptions, type RunOptions } from '../rig/command.ts';
import { subscriptionBody } from '../rig/emulator.ts';
import { SECRET } from '../rig/oracles.ts';
import { DUAL, fixture, SHIPMENT } from '../rig/service.ts';
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

/** A request as the service got it. */
type Asked = Omit<SeenRequest, 'answered'>;

interface Found {
  operation: Described;
  /** What the placeholders of the path hold. */
  values: Record<string, string>;
}

/** Paths that the variables of the document's servers stand for. */
const BASES: Record<string, string> = { base_url: '', sandbox_base_url: '/sandbox' };

function routed(document: Document, { method, path }: Asked): Found | undefined {
  const [bare = ''] = path.split('?');
  for (const { path: template, method: verb, operation } of operationsOf(document))
    for (const { url } of operation.servers ?? document.servers) {
      const whole = url.replace(/\{(\w+)\}/g, (_, name) => BASES[name] ?? `no value for ${name}`) + template;
      const match = new RegExp(`^${whole.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(bare);
      if (verb === method && match) return { operation, values: { ...match.groups } };
    }
  return undefined;
}

/** What the document does not allow of a request, a line each. */
function faultsOfRequest(document: Document, asked: Asked): string[] {
  const found = routed(document, asked);
  if (found === undefined) return ['is not in the document'];
  const { operation, values } = found;
  const { parameters, requestBody, security = document.security } = operation;
  const query = new URL(asked.path, 'http://service.test').searchParams;
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

function faultsOfContent(content: Record<string, Media>, type: string, body: string): string[] {
  const media = content[type.split(';')[0] ?? ''];
  if (media === undefined) return [`content of type ${type || 'nothing'} is not documented`];
  try {
    return faultsOf(media.schema, JSON.parse(body));
  } catch {
    return ['is no JSON'];
  }
}

const document = JSON.parse(JSON.stringify(openapiDocument('1.2.3'))) as Document;

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

  test('are the fixtures and no others', () => {
    const files = (readdirSync('fixtures/service', { recursive: true }) as string[]).filter(name =>
      name.endsWith('.json'),
    );
    expect(EXAMPLES.map(({ name }) => name).sort()).toEqual(files.sort());
    for (const { name, value } of EXAMPLES) expect(value, name).toEqual(fixture(name));
  });

  test.each(EXAMPLES)('$name is valid for an independent validator', ({ schema, value }) => {
    expect(faultsOf(schema, value)).toEqual([]);
  });
});

const QUOTE = 'quote --from TR --to DE --package 2x1.5kg@30x20x10cm';
const HOOK = 'webhook create --event shipment.status.updated --header X-Shop:one --max-retries 3';

/** Runs commands, and holds each request and answer against the document. */
async function stage(options: RigOptions = {}) {
  const rig = await createRig(options);
  /** `createShipment 201`, for each exchange. */
  const passed: string[] = [];
  const faults: string[] = [];
  const run = async (argv: string, body?: unknown, more: RunOptions = {}) => {
    const ran = await rig.run(`${argv} --json`, {
      ...more,
      ...(body !== undefined && { stdin: JSON.stringify(body) }),
    });
    for (const { answered, ...asked } of ran.requests) {
      const { operation } = routed(document, asked) ?? {};
      const answer = operation?.responses[answered];
      passed.push(`${operation?.operationId} ${answered}`);
      const wrong = faultsOfRequest(document, asked);
      if (answer === undefined) wrong.push(`the status ${answered} is not documented`);
      faults.push(...wrong.map(fault => `${asked.method} ${asked.path}: ${fault}`));
      // A command that does well prints the answer to its last request.
      if (ran.exitCode === 0 && answer?.content && asked.path === ran.requests.at(-1)?.path)
        faults.push(...faultsOfContent(answer.content, MEDIA, ran.stdout));
    }
    return ran;
  };
  const body = async (argv: string, given?: unknown) => {
    const { exitCode, stdout, stderr } = await run(argv, given);
    expect([argv, exitCode, stderr]).toEqual([argv, 0, stderr]);
    return JSON.parse(stdout);
  };
  const code = async (argv: string, given?: unknown, more?: RunOptions) =>
    (await run(argv, given, more)).exitCode;
  return { address: rig.address, passed, faults, run, body, code };
}

test('the requests and answers of all commands are as the document says', async () => {
  const { address, passed, faults, body, code } = await stage();

  await body(QUOTE);
  await body(`${QUOTE} --postal-code 10115 --sandbox`);
  await body('rates --from TR --to DE --package 2x1.5kg@30x20x10cm');
  const { id: shipment } = await body('ship -f -', SHIPMENT);
  await body('ship -f - --carrier fastest', fixture('v1/shipments/POST/document.request.json'));
  const pair = await body('ship-dual -f -', DUAL);
  const [international, domestic] = [pair.international.shipment.id, pair.domestic.shipment.id];
  await body('ship-dual -f - --label', fixture('v2/shipments/POST/full.request.json'));
  await body(`label --international ${international} --domestic ${domestic}`);
  await body(`label --international ${shipment}`);
  await body(`track ${shipment}`);
  await body(`track ${domestic} --domestic`);
  const { data: subscription } = await body(`${HOOK} --url https://shop.example.test/hook`);
  await body(`webhook get ${subscription.id}`);

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
  for (let made = 2; made <= 20; made++)
    await fetch(`${address}/webhooks/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}` },
      body: JSON.stringify(subscriptionBody()),
    });
  expect(await code(`${HOOK} --url https://shop.example.test/21 --retries 0`)).toBe(6);

  expect(faults).toEqual([]);
  const untried = Object.entries(DOCUMENT).filter(
    ([id, { success }]) => !passed.includes(`${id} ${success}`),
  );
  expect(untried.map(([id]) => id)).toEqual([]);
  expect([...new Set(passed)].sort()).toEqual([
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

// The test can see.

test('a status that the document does not list, and a request with an unknown field, are found', async () => {
  const { faults, run } = await stage({ faults: [parseFault('403:1')] });
  await run('ship -f - --allow-unknown', { ...SHIPMENT, colour: 'red' });
  expect(faults).toEqual([
    'POST /v1/shipments:  must NOT have additional properties',
    'POST /v1/shipments: the status 403 is not documented',
  ]);
});

test.each<[string, Partial<Asked>, string]>([
  ['a path that is not documented', { path: '/v1/shipment' }, 'is not in the document'],
  ['a sandbox where there is none', { path: '/sandbox/webhooks/subscriptions/a' }, 'is not in the document'],
  ['a query that is not documented', { path: '/v1/shipments/a?page=2' }, '?page is not documented'],
  ['no credential', { headers: {} }, 'the credential is missing'],
  ['another type', { path: '/v2/carriers/create', method: 'POST' }, 'content of type nothing'],
])('a request with %s is found', (_, asked, description) => {
  const headers = { authorization: 'Bearer demo' };
  const found = faultsOfRequest(document, {
    method: 'GET',
    path: '/v1/shipments/a',
    headers,
    body: '',
    ...asked,
  });
  expect(found.join()).toContain(description);
});
