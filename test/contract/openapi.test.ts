// What `waybill schema --openapi` prints is an OpenAPI document, and says what the service document says.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openapi } from '../../src/contract/openapi.ts';
import { fixture } from '../rig/service.ts';
import type { Fields } from './document.ts';
import { DOCUMENT } from './document.ts';
import {
  bodiesOf,
  type Described,
  type Document,
  faultsOf,
  type Media,
  operationsOf,
  type Shape,
} from './proxy.ts';
import { EXAMPLES as FIXTURES, objectsIn, placesOf, without, withValue } from './rig.ts';

const document = JSON.parse(JSON.stringify(openapi('1.2.3'))) as Document;

test('the document is OpenAPI 3.1: each operation is told, and what is no JSON Schema cannot be compiled', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
  const operations = operationsOf(document);
  const tags = operations.flatMap(({ operation }) => operation.tags);
  expect(document.tags.map(({ name }) => name)).toEqual([...new Set(tags)].sort());
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

  test.each(EXAMPLES)(
    '$name is valid for an independent validator, and with a required field missing it is not',
    ({ name, schema, value }) => {
      expect(faultsOf(schema, value)).toEqual([]);
      const operation = FIXTURES.find(example => example.name === name)?.operation;
      if (operation === undefined) throw new Error(`${name} is no fixture`);
      const isRequest = name.endsWith('.request.json');
      const { body, answer } = DOCUMENT[operation.id];
      const required = Object.keys(isRequest ? body : answer)
        .filter(field => !field.endsWith('?') && !field.endsWith('[]'))
        .flatMap(field => placesOf(value, field));
      expect(required.filter(place => faultsOf(schema, without(value, place)).length === 0)).toEqual([]);
      const unknown = isRequest ? objectsIn(value) : [];
      for (const place of unknown)
        expect(faultsOf(schema, withValue(value, [...place, 'unknown'], 'x'))).not.toEqual([]);
    },
  );
});
