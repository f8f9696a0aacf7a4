import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openapi } from '../../src/contract/openapi.ts';
import type { Path } from '../../src/contract/paths.ts';
import { fixture } from '../rig/service.ts';
import { DOCUMENT } from './document.ts';
import { bodiesOf, type Document, faultsOf, type Shape } from './proxy.ts';
import { EXAMPLES as FIXTURES, placesOf, without } from './rig.ts';

const document = JSON.parse(JSON.stringify(openapi('1.2.3'))) as Document;
const BODIES = bodiesOf(document);
const EXAMPLES = BODIES.flatMap(({ folder, kind, schema, examples = {} }) =>
  Object.entries(examples).map(([title, { value }]) => ({
    name: `${folder}/${title}.${kind}.json`,
    schema,
    value,
  })),
);

/** Every field and element that a schema has, with its path. */
function* fieldsIn(shape: Shape, path = ''): Generator<[string, Shape]> {
  const { properties = {}, items, additionalProperties: rest } = shape;
  const inner: [string, Shape][] = [
    ...Object.entries(properties),
    ...(items ? ([['[]', items]] as [string, Shape][]) : []),
    // `{}` is what an answer may have beyond the document: there is nothing to say of it.
    ...(typeof rest === 'object' && Object.keys(rest).length > 0 ? ([['*', rest]] as [string, Shape][]) : []),
  ];
  for (const [name, field] of inner) {
    yield [`${path}.${name}`, field];
    yield* fieldsIn(field, `${path}.${name}`);
  }
}

/** The places of a body that the service document, as written out by hand, requires. */
function requiredIn(name: string, value: unknown): Path[] {
  const operation = FIXTURES.find(example => example.name === name)?.operation;
  if (operation === undefined) throw new Error(`${name} is no fixture`);
  const { body, answer } = DOCUMENT[operation.id];
  return Object.keys(name.endsWith('.request.json') ? body : answer)
    .filter(field => !field.endsWith('?') && !field.endsWith('[]'))
    .flatMap(field => placesOf(value, field));
}

describe('every field of the OpenAPI document', () => {
  const FIELDS = BODIES.flatMap(({ folder, kind, schema }) =>
    [...fieldsIn(schema)].map(([path, field]) => ({ at: `${folder} ${kind} ${path}`, field })),
  );

  test('has a description, in its list, its object or its map too', () => {
    expect(FIELDS.filter(({ field }) => !/\S/.test(field.description ?? '')).map(({ at }) => at)).toEqual([]);
  });

  test('was checked in each body and at every depth', () => {
    const places = FIELDS.map(({ at }) => at);
    for (const { folder, kind } of BODIES)
      expect(places.filter(at => at.startsWith(`${folder} ${kind} `)).length).toBeGreaterThan(1);
    expect(places).toContain('v1/shipments/POST request .receiver.address.country.code');
    expect(places).toContain('v1/shipments/{shipmentId}/GET 200 .tracking.events.[].location');
    expect(places).toContain('webhooks/subscriptions/POST request .headers.*');
  });
});

describe('the examples of the OpenAPI document', () => {
  test('are the fixtures and no others', () => {
    const files = (readdirSync('fixtures/service', { recursive: true }) as string[]).filter(name =>
      name.endsWith('.json'),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(EXAMPLES.map(({ name }) => name).sort()).toEqual(files.sort());
    for (const { name, value } of EXAMPLES) expect(value, name).toEqual(fixture(name));
  });

  test('are the ones that `npm run data` writes', async () => {
    const { examplesFile } = await import(new URL('../../scripts/examples.mjs', import.meta.url).href);
    expect(readFileSync('src/contract/examples.ts', 'utf8')).toBe(examplesFile);
  });

  test.each(EXAMPLES)('$name is valid for an independent validator', ({ schema, value }) => {
    expect(faultsOf(schema, value)).toEqual([]);
  });

  // Of a label request no single field is required.
  test.each(EXAMPLES.filter(({ name }) => !/carriers\/create\/POST\/.*request/.test(name)))(
    '$name is refused with any required field missing',
    ({ name, schema, value }) => {
      const required = requiredIn(name, value);
      expect(required.length).toBeGreaterThan(0);
      expect(required.filter(place => faultsOf(schema, without(value, place)).length === 0)).toEqual([]);
    },
  );
});
