// Between command and emulator stands a proxy that knows nothing but what `waybill schema --openapi` prints.
import { expect, test } from 'vitest';
import { parseFault } from '../../src/emulator/faults.ts';
import { createRig, type RigOptions, type RunOptions } from '../rig/command.ts';
import { DUAL, fixture, SHIPMENT } from '../rig/service.ts';
import { between, type Document, type Given, validatingProxy } from './proxy.ts';

const QUOTE = 'quote --from TR --to DE --package 2x1.5kg@30x20x10cm';
const HOOK = 'webhook create --event shipment.status.updated --header X-Shop:one --max-retries 3';

interface Stage {
  /** Between proxy and emulator; what it gives is what the proxy sees. */
  change?: (given: Given) => Given;
  rig?: RigOptions;
}

/** Commands whose requests pass the proxy. */
async function stage({ change, rig: options }: Stage = {}) {
  const rig = await createRig(options);
  const { stdout } = await rig.run('schema --openapi');
  const upstream = change ? await between(rig.address, (_, given) => change(given)) : rig.address;
  const proxy = await validatingProxy(JSON.parse(stdout) as Document, upstream, {
    base_url: '',
    sandbox_base_url: '/sandbox',
  });
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

test.each<[string, string, (text: string) => string, string]>([
  [
    'of another type',
    QUOTE,
    text => text.replace(/"price":([\d.]+)/, '"price":"$1"'),
    '/proposals/0/price must be number',
  ],
  ['that is no JSON', `${QUOTE} --retries 0`, text => text.slice(0, -1), 'is no JSON'],
])('the proxy finds an answer %s', async (_, argv, change, fault) => {
  const { proxy, run } = await stage({ change: given => ({ ...given, body: change(given.body) }) });
  await run(argv);
  expect(proxy.faults.join()).toMatch(/^POST \/v1\/carriers\/proposal 201: /);
  expect(proxy.faults.join()).toContain(fault);
});

test('the proxy finds a status that the document does not list, and a request with an unknown field', async () => {
  const { proxy, run } = await stage({ rig: { faults: [parseFault('403:1')] } });
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
