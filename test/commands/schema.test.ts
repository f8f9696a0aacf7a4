import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { OUTPUTS, type OutputName } from '../../src/output/schemas.ts';
import { createRig } from '../rig/command.ts';
import { faultsOf } from '../rig/outputs.ts';
import { errorOf } from '../rig/service.ts';

const BARE = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
const ALL = Object.values(OPERATIONS);

describe('waybill schema', () => {
  test('lists every operation, and needs no profile', async () => {
    const { run } = await createRig({ env: BARE });
    const { exitCode, stdout, requests } = await run('schema --json');
    expect([exitCode, requests]).toEqual([0, []]);
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(ALL.map(({ id }) => id));
    expect((await run('schema -q')).stdout).toBe(`${ALL.map(({ command }) => command).join('\n')}\n`);
  });

  test.each(ALL.map(({ command, id }) => [command, id]))(
    'of %s is found by command and by id (%s)',
    async (command, id) => {
      const { run } = await createRig({ env: BARE });
      const [byCommand, byId] = [await run(['schema', command]), await run(['schema', id])];
      expect([byCommand.exitCode, byId.exitCode]).toEqual([0, 0]);
      expect(JSON.parse(byId.stdout)).toMatchObject({ type: 'object', properties: expect.any(Object) });
      if (command !== 'track') expect(byId.stdout).toBe(byCommand.stdout);
    },
  );

  test.each(ALL.filter(({ body }) => body).map(({ command }) => command))(
    '--example of %s is a request that passes',
    async command => {
      const rig = await createRig();
      const { stdout } = await rig.run(['schema', command, '--example']);
      const words = command.startsWith('webhook-') ? command.split('-') : [command];
      const { exitCode, stderr } = await rig.run([...words, '-f', '-', '--dry-run'], { stdin: stdout });
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining('dry run')]);
      const warned = command === 'webhook-create' ? [expect.stringContaining('the retry policy')] : [];
      expect(stderr.match(/^warning: .*/gm) ?? []).toEqual(warned);
    },
  );

  test('of an order lists the codes of countries once, takes the example, and refuses a country that is none', async () => {
    const { run } = await createRig({ env: BARE });
    const { stdout } = await run('schema ship');
    expect(stdout.match(/"AF"/g)).toHaveLength(1);
    expect(JSON.parse(stdout).$defs.country.enum).toContain('AF');
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
    const { run, address } = await createRig();
    const served: unknown = await (await fetch(`${address}/openapi.json`)).json();
    expect(JSON.parse((await run('schema --openapi')).stdout)).toEqual(served);
  });

  test.each([
    ['schema track --example', 'no request body'],
    ['schema --example', 'needs an operation'],
    ['schema results --example', 'an output of waybill'],
    ['schema result', 'did you mean results?'],
  ])('%s is a mistake', async (argv, says) => {
    const { run } = await createRig({ env: BARE });
    const { exitCode, stdout, stderr } = await run(argv);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
  });
});

describe('the schema of an output of ours', () => {
  const NAMES = Object.keys(OUTPUTS) as OutputName[];
  const published = async (name: OutputName) => {
    const { run } = await createRig({ env: BARE });
    return JSON.parse((await run(['schema', name])).stdout);
  };

  test.each(NAMES)('%s has an id with a version, and describes each field', async name => {
    const schema = await published(name);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:waybill:schema:${name}:1`,
      description: expect.any(String),
    });
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  });

  test('takes a field and a word that a later version adds; what the tests hold outputs against does not', async () => {
    const { run } = await createRig();
    const { error } = { error: errorOf(await run('track gone --json')) };
    const validate = new Ajv2020({ strict: false }).compile(await published('error'));
    for (const later of [
      { error: { ...error, more: 1 } },
      { error: { ...error, code: 'too_heavy' } },
      { error, more: 1 },
    ])
      expect([validate(later), faultsOf('error', later)]).toEqual([true, expect.stringContaining('error: ')]);
    expect(validate({ error: { ...error, exitCode: '4' } })).toBe(false);
    const { exitCode: _, ...less } = error;
    expect(validate({ error: less })).toBe(false);
  });
});
