import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { jsonSchema, openapi } from '../../src/contract/openapi.ts';
import { getAt, isRecord } from '../../src/contract/paths.ts';
import { createRig } from '../rig/command.ts';
import { DOCUMENT } from './document.ts';
import { ANSWERS, objectsIn, REQUESTS, withValue } from './rig.ts';

const document = openapi('1.2.3');
const at = (...path: string[]) => getAt(document, path);
const ROWS = Object.entries(DOCUMENT);

function pathAndMethod(request: string): [string, string] {
  const [method = '', path = ''] = request.split(' ');
  return [path, method.toLowerCase()];
}

/** Every value in the document with its path. */
function* everything(value: unknown, path: string[] = []): Generator<[string[], unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* everything(inner, [...path, name]);
}

describe('the OpenAPI document', () => {
  test('is plain JSON of OpenAPI 3.1 and has our version', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String), version: '1.2.3' },
    });
  });

  test('has only top-level keys of OpenAPI', () => {
    expect(Object.keys(document)).toEqual([
      'openapi',
      'info',
      'servers',
      'security',
      'tags',
      'paths',
      'components',
    ]);
  });

  test('has every operation of the service document and no other', () => {
    const paths = at('paths');
    const has = Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, item]) =>
      Object.keys(isRecord(item) ? item : {}).map(method => `${method.toUpperCase()} ${path}`),
    );
    expect(has.sort()).toEqual(ROWS.map(([, { request }]) => request).sort());
  });

  test('has no tag without an operation', () => {
    const named = [...everything(at('paths'))]
      .filter(([path]) => path.at(-2) === 'tags')
      .map(([, tag]) => tag);
    const tags = at('tags');
    expect(Array.isArray(tags) ? tags.map(tag => getAt(tag, ['name'])) : []).toEqual(
      [...new Set(named)].sort(),
    );
  });

  test('is byte for byte what the emulator serves', async () => {
    const { run, address } = await createRig({ openapi: () => openapi('0.0.0-dev') });
    const { stdout } = await run('schema --openapi');
    const served = await fetch(`${address}/openapi.json`);
    expect(served.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await served.text()).toBe(stdout);
    expect((await run('schema --openapi --json')).stdout).toBe(stdout);
  });

  test('has a target for every reference', () => {
    for (const [path, value] of everything(document)) {
      if (path.at(-1) !== '$ref') continue;
      const to = String(value).replace(/^#\//, '').split('/');
      expect(getAt(document, to), String(value)).toBeDefined();
    }
  });

  test('names security schemes that it defines', () => {
    const schemes = at('components', 'securitySchemes');
    const named = [...everything(document)].flatMap(([path, value]) =>
      path.at(-1) === 'security' && Array.isArray(value) ? value.flatMap(Object.keys) : [],
    );
    expect([...new Set(named)]).toEqual(Object.keys(isRecord(schemes) ? schemes : {}));
  });

  test('gives each server variable of an address a default', () => {
    for (const [, value] of everything(document)) {
      const url = getAt(value, ['url']);
      if (typeof url !== 'string' || !url.includes('{')) continue;
      for (const [, name = ''] of url.matchAll(/\{(\w+)\}/g))
        expect(URL.canParse(String(getAt(value, ['variables', name, 'default'])))).toBe(true);
    }
  });
});

describe.each(ROWS)('%s in the OpenAPI document', (id, documented) => {
  const operation = at('paths', ...pathAndMethod(documented.request));
  const inOperation = (...path: string[]) => getAt(operation, path);

  test('has one tag, which the document describes', () => {
    const tags = at('tags');
    const described = Array.isArray(tags) ? tags.map(tag => getAt(tag, ['name'])) : [];
    expect(described).toContain(getAt(operation, ['tags', 0]));
    expect(inOperation('tags')).toHaveLength(1);
  });

  test('is named by its id', () => {
    expect(inOperation('operationId')).toBe(id);
  });

  test('has every status of the service document, each with a description', () => {
    const responses = inOperation('responses');
    const statuses = isRecord(responses) ? responses : {};
    expect(Object.keys(statuses).map(Number)).toEqual([documented.success, ...documented.errors]);
    for (const status of Object.keys(statuses))
      expect(inOperation('responses', status, 'description')).toMatch(/\S/);
  });

  test('has a parameter for each placeholder of its path', () => {
    const names = [...documented.request.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inOperation('parameters')).toEqual(
      names.map(name => expect.objectContaining({ name, in: 'path', required: true })),
    );
  });

  test('has a body if the service document has one', () => {
    const hasBody = Object.keys(documented.body).length > 0;
    expect(inOperation('requestBody', 'required')).toBe(hasBody ? true : undefined);
  });

  test('needs a credential, except rates, which list no 401', () => {
    expect(inOperation('security')).toEqual(id === 'rates' ? [] : undefined);
  });

  test('has the sandbox as a server if there is one', () => {
    const servers = inOperation('servers') ?? at('servers');
    const urls = Array.isArray(servers) ? servers.map(server => getAt(server, 'url')) : [];
    expect(urls).toEqual(documented.sandbox ? ['{base_url}', '{sandbox_base_url}'] : ['{base_url}']);
    expect(inOperation('x-sandbox')).toBe(documented.sandbox);
  });
});

// Parsed as another program would parse it.
const readBack = (schema: unknown) => z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);

describe('the JSON Schema', () => {
  test.each(REQUESTS)('of a body accepts $name, and no unknown field in it', ({ operation, body }) => {
    if (operation.body === undefined) throw new Error(`${operation.id} has no body`);
    const schema = readBack(jsonSchema(operation.body));
    expect(schema.safeParse(body).error?.issues).toBeUndefined();
    for (const place of objectsIn(body))
      expect(schema.safeParse(withValue(body, [...place, 'unknown'], 'x')).success).toBe(false);
  });

  test.each(ANSWERS)('of an answer accepts $name', ({ operation, body }) => {
    const schema = readBack(jsonSchema(operation.success.schema));
    expect(schema.safeParse(body).error?.issues).toBeUndefined();
  });
});
