// What `waybill schema` has for each operation and each output.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { OUTPUTS } from '../../src/output/schemas.ts';
import { createRig } from '../rig/command.ts';

test('Each operation is listed, and found by its command and its id', async () => {
  const { run, json } = await createRig();
  const operations = Object.values(OPERATIONS);
  const listed: { id: string }[] = await json('schema');
  expect(listed.map(({ id }) => id)).toEqual(operations.map(({ id }) => id));
  for (const { command, id } of operations) {
    const [byCommand, byId] = [await run(['schema', command]), await run(['schema', id])];
    expect([byCommand.exitCode, byId.exitCode]).toEqual([0, 0]);
    // `track` is two of them.
    if (command !== 'track') expect(byId.stdout).toBe(byCommand.stdout);
  }
});

test('No output is closed: a later version may add a field', async () => {
  const { run } = await createRig();
  for (const name of Object.keys(OUTPUTS)) {
    const { stdout } = await run(['schema', name]);
    expect(JSON.parse(stdout)).toMatchObject({ $id: `urn:waybill:schema:${name}:1` });
    expect(stdout.replace(/\s/g, '')).not.toContain('"additionalProperties":false');
  }
});

test('An order lists the codes of countries once, and refuses a country that is none', async () => {
  const { run } = await createRig();
  const { stdout } = await run('schema ship');
  expect(stdout.match(/"AF"/g)).toHaveLength(1);
  // An agent pays for each character.
  for (const text of [stdout, (await run('schema ship --json')).stdout])
    expect(text.length).toBeLessThanOrEqual(12_000);
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
  const example = JSON.parse((await run('schema ship --example')).stdout);
  expect(validate(example)).toBe(true);
  example.receiver.address.country.code = 'QQ';
  expect([validate(example), validate.errors?.[0]?.schemaPath]).toEqual([false, '#/$defs/country/enum']);
});

test('--openapi is what the emulator serves', async () => {
  const { json, address } = await createRig();
  const served: unknown = await (await fetch(`${address}/openapi.json`)).json();
  expect(await json('schema --openapi')).toEqual(served);
});
