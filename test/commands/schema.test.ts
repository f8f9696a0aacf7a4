// What `waybill schema` has of an order and of our outputs.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';

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
