import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fieldsOf } from '../../src/contract/fields.ts';
import { getAt, type Path, parsePath } from '../../src/contract/paths.ts';
import { dualBody, fixture, inProcess, type Rig, rowFor } from '../rig/emulator.ts';

// The emulator answers every request of the service document.

const FOLDER = new URL('../../fixtures/service/', import.meta.url);
const REQUESTS = (readdirSync(FOLDER, { recursive: true }) as string[])
  .filter(name => name.endsWith('.request.json'))
  .sort();

describe.each(REQUESTS)('fixture %s', name => {
  const [, path = '', method = ''] = /^(.*)\/([A-Z]+)\/[^/]+$/.exec(`/${name}`) ?? [];
  let rig: Rig;
  beforeEach(async () => {
    rig = await inProcess();
  });
  afterEach(() => rig.close());

  // The ids of a label fixture are made up; the emulator knows those that it made itself.
  const request = async () => {
    const body = fixture(name);
    if (!path.endsWith('/carriers/create')) return body;
    const { body: made } = await rig.call('POST', '/v2/shipments', dualBody());
    return Object.fromEntries(Object.keys(body).map(leg => [leg, made[leg].shipment.id]));
  };

  test('is accepted', async () => {
    const answer = await rig.call(method, path, await request());
    expect([answer.status, answer.body.error]).toEqual([rowFor(method, path)?.success.status, undefined]);
  });

  test('is refused with any required field missing', async () => {
    const { body: schema, errors } = rowFor(method, path) ?? {};
    const required = schema
      ? fieldsOf(schema).filter(field => field.required && !field.pattern.endsWith('[]'))
      : [];
    const body = await request();
    for (const { pattern } of required) {
      const at = parsePath(pattern.replaceAll('[]', '[0]')) ?? [];
      if (getAt(body, at) === undefined) continue;
      const { status } = await rig.call(method, path, without(body, at));
      // A row with a limit a minute says so in the end; that too is a refusal.
      expect(errors?.[429] ? [400, 429] : [400, 422], `without ${pattern}`).toContain(status);
    }
  });
});

function without(body: unknown, path: Path): unknown {
  const copy: unknown = structuredClone(body);
  const parent = getAt(copy, path.slice(0, -1)) as Record<string, unknown>;
  delete parent[String(path.at(-1))];
  return copy;
}
