// Schemas: what `waybill schema` has, and that what is printed and written is what they say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { jsonLines, orders } from '../rig/batch.ts';
import type { Ran, Rig } from '../rig/command.ts';
import { valuesIn } from '../rig/outputs.ts';
import { bareRig } from '../rig/profile.ts';
import { DUAL, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { each, type Promised, promises } from './promise.ts';
import { servedRig } from './rigs.ts';

const FILES = {
  files: {
    'order.json': SHIPMENT,
    'undecided.json': UNDECIDED,
    'pair.json': DUAL,
    'orders.jsonl': jsonLines(orders(3)),
  },
};
const OUTPUTS = ['booking', 'results', 'summary', 'history', 'plan', 'error'];
const OPERATIONS = ['quote', 'rates', 'ship', 'ship-dual', 'label', 'track', 'webhook-create', 'webhook-get'];
const WITH_BODY = ['quote', 'rates', 'ship', 'ship-dual', 'label', 'webhook-create'];

promises('waybill schema', [
  ...each({ rig: bareRig }, [
    ...each(
      { says: 'has a JSON Schema of our own output, needs no profile and sends nothing', sent: [] },
      OUTPUTS.map(name => ({
        run: `schema ${name}`,
        json: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: `urn:waybill:schema:${name}:1`,
          description: expect.any(String),
        },
      })),
    ),
    ...each(
      { says: 'has the schema of an operation', sent: [] },
      OPERATIONS.map(name => ({
        run: `schema ${name}`,
        json: { type: 'object', properties: expect.any(Object) },
      })),
    ),
    {
      says: 'has every command with its arguments, options and exit codes',
      run: 'schema commands',
      json: {
        name: 'waybill',
        options: expect.arrayContaining([
          expect.objectContaining({ name: '--sandbox', type: 'boolean', negative: '--no-sandbox' }),
          expect.objectContaining({ name: '--timeout', variable: 'WAYBILL_TIMEOUT' }),
        ]),
        exitCodes: expect.arrayContaining([expect.objectContaining({ exit: 8, code: 'outcome_unknown' })]),
        commands: expect.arrayContaining([
          expect.objectContaining({
            name: 'ship',
            arguments: [expect.objectContaining({ name: 'file' })],
            options: expect.arrayContaining([
              expect.objectContaining({ name: '--max-price', type: 'string', value: 'price' }),
              expect.objectContaining({ name: '--item', repeatable: true }),
            ]),
            exitCodes: expect.arrayContaining([expect.objectContaining({ exit: 8 })]),
          }),
          expect.objectContaining({
            name: 'history',
            commands: expect.arrayContaining([expect.objectContaining({ name: 'resolve' })]),
          }),
        ]),
      },
      sent: [],
    },
    {
      says: 'has the service as OpenAPI',
      run: 'schema --openapi',
      json: {
        openapi: expect.stringMatching(/^3\./),
        paths: {
          '/v2/shipments': { post: {} },
          '/v1/shipments': { post: {} },
          '/v1/carriers/proposal': { post: {} },
          '/api/v1/shipping/rates': { post: {} },
          '/v1/shipments/domestic/{shipmentId}': { get: {} },
          '/v1/shipments/{shipmentId}': { get: {} },
          '/v2/carriers/create': { post: {} },
          '/webhooks/subscriptions': { post: {} },
          '/webhooks/subscriptions/{subscriptionId}': { get: {} },
        },
      },
    },
    ...each({ says: 'refuses what has no schema or no example', exit: 2, sent: [] }, [
      { run: 'schema result', stderr: 'results' },
      { run: 'schema shp', stderr: 'ship' },
      'schema track --example',
      'schema results --example',
      'schema --example',
    ]),
  ]),
]);

test.each(WITH_BODY)('the example of %s fits its schema', async name => {
  const { run } = await bareRig();
  const { stdout } = await run(['schema', name, '--example']);
  const schema = JSON.parse((await run(['schema', name])).stdout);
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  expect([validate(JSON.parse(stdout)), validate.errors]).toEqual([true, null]);
});

test.each(['quote', 'rates', 'ship', 'ship-dual', 'webhook create'])(
  'the example of %s is a request that passes',
  async command => {
    const { run } = await bareRig({ env: { WAYBILL_PROFILE: 'demo' } });
    const words = command.split(' ');
    const { stdout } = await run(['schema', words.join('-'), '--example']);
    const ran = await run([...words, '-f', '-', '--dry-run', '--json'], { stdin: stdout });
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  },
);

/** Holds what a run gave against a published schema. */
const fits =
  (name: string, valuesOf: (ran: Ran, rig: Rig) => unknown[]) =>
  async (ran: Ran, rig: Rig): Promise<void> => {
    const schema = JSON.parse((await rig.run(['schema', name])).stdout);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const values = valuesOf(ran, rig);
    expect(values).not.toEqual([]);
    for (const value of values)
      expect([validate(value), validate.errors, value]).toEqual([true, null, value]);
  };
const stdout = ({ stdout: text }: Ran) => [JSON.parse(text)];
const lineOf = (name: string) => (ran: Ran) =>
  ran.stderr
    .split('\n')
    .filter(line => line.startsWith(`{"${name}":`))
    .map(line => JSON.parse(line));
const fileOf = (name: string) => (_: Ran, rig: Rig) => [
  JSON.parse(readFileSync(join(rig.folder, name), 'utf8')),
];
const linesOf = (name: string) => (_: Ran, rig: Rig) =>
  valuesIn(readFileSync(join(rig.folder, name), 'utf8'));

const SHIP = 'ship order.json --key A-1';
const row = (
  says: string,
  run: string,
  also: Promised['also'] & {},
  more: Partial<Promised> = {},
): Promised => ({ says, rig: FILES, run, also, ...more });

promises('Outputs are as their schemas say', [
  row('the line of a booking', `${SHIP} --json`, fits('booking', lineOf('booking'))),
  row('the line of a recorded one', `${SHIP} --json`, fits('booking', lineOf('booking')), { after: [SHIP] }),
  row('the line of a pair', 'ship-dual pair.json --key A-1 --json', fits('booking', lineOf('booking'))),
  row('a record', `${SHIP} -o record`, fits('booking', stdout)),
  row('several records', 'label A-1 B-1 -o record', fits('booking', stdout), {
    after: [SHIP, 'ship order.json --key B-1'],
  }),
  row(
    'a plan',
    'ship undecided.json --carrier fastest --key A-1 --plan plan.json',
    fits('plan', fileOf('plan.json')),
  ),
  row('a plan on stdout', 'ship undecided.json --carrier fastest --key A-1 --plan -', fits('plan', stdout)),
  row('a plan of a pair', 'ship-dual pair.json --key A-1 --plan -', fits('plan', stdout)),
  row('the summary of a batch', 'batch ship orders.jsonl --json', fits('summary', stdout)),
  row('the results of a batch', 'batch ship orders.jsonl', fits('results', linesOf('orders.results.jsonl'))),
  row(
    'the results of a batch that runs again',
    'batch ship orders.jsonl',
    fits('results', linesOf('orders.results.jsonl')),
    { after: ['batch ship orders.jsonl'] },
  ),
  row('the history', 'history list --json', fits('history', stdout), { after: [SHIP, 'label A-1'] }),
  row('one order of the history', 'history show A-1 --json', fits('history', stdout), { after: [SHIP] }),
  ...each({ says: 'an error', rig: FILES, exit: 2, also: fits('error', lineOf('error')) }, [
    'shp --json',
    'ship order.json --kee A-1 --json',
    'ship order.json --key A-1 --set receiver.address.country.code=ZZ --json',
    { run: 'ship order.json --key A-1 --set items[0].quantity=3 --json', after: [SHIP] },
    { run: 'track gone --json', exit: 4 },
    { run: 'track gone --json', env: { WAYBILL_TOKEN: 'another-token' }, exit: 3 },
  ]),
  {
    says: 'an error of a booking that may exist',
    rig: servedRig(() => socket => socket.destroy()),
    run: `${SHIP} --json`,
    exit: 8,
    also: fits('error', lineOf('error')),
  },
]);

promises('The schema of an order', [
  {
    says: 'lists the countries once, because an agent pays for each character, and refuses a code that is none',
    rig: bareRig,
    run: 'schema ship',
    also({ stdout }) {
      expect(stdout.match(/"AF"/g)).toHaveLength(1);
      expect(stdout.length).toBeLessThanOrEqual(12_000);
      const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
      const code = 'receiver.address.country.code';
      const isValid = ['DE', 'QQ'].map(country => validate(changed(SHIPMENT, { [code]: country })));
      expect(isValid).toEqual([true, false]);
    },
  },
]);

promises('Schemas last', [
  ...each(
    {
      says: 'a schema takes a field that a later version adds',
      rig: bareRig,
      lacks: '"additionalProperties": false',
    },
    OUTPUTS.map(name => `schema ${name}`),
  ),
]);

test('a page says what is stable, and how it is retired', () => {
  const page = readFileSync('docs/reference.md', 'utf8');
  const [, stability = ''] = /^## Stability\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(page) ?? [];
  for (const what of ['exit codes', 'JSON output', 'environment variables', 'retired', '$id'])
    expect(stability.replace(/\s+/g, ' ')).toContain(what);
});
