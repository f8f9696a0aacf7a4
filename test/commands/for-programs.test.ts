// What a program reads of a booking, whatever the service is, and of an error: what exists, whether to try again, what helps.
import { describe, expect, test } from 'vitest';
import { shop } from '../rig/batch.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { cannedService, DUAL, errorOf, SHIPMENT, switchable } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const HOOK = 'webhook create --url https://a.example/x --event shipment.status.updated';

const result = ({ stdout }: Pick<Ran, 'stdout'>) => JSON.parse(stdout);

/** The objects in the lines about bookings. */
const lines = ({ stderr }: Pick<Ran, 'stderr'>) =>
  stderr.split('\n').flatMap(line => (line.startsWith('{"booking":') ? JSON.parse(line).booking : []));

describe('-o record prints the booking as waybill has it', () => {
  test('of ship, as the line on stderr has it, and when it is recorded', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --key K -o record', { stdin });
    expect([result(ran)]).toEqual(lines(ran));
    expect(result(ran)).toMatchObject({ operation: 'ship', key: 'K', exitCode: 0, price: 52.9, sent: true });
    const again = await rig.run('ship -f - --key K', { stdin, env: { WAYBILL_OUTPUT: 'record' } });
    expect(result(again)).toEqual({ ...result(ran), sent: false });
    const price = await rig.run('ship -f - --key K -o record --query price', { stdin });
    expect(price.stdout).toBe('52.9\n');
  });

  test('of ship --label one object, with the label', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship -f - --key K --label --download out -o record', { stdin });
    const [shipment, label] = lines(ran);
    expect(result(ran)).toEqual({
      ...shipment,
      trackingNumbers: label.trackingNumbers,
      labelFiles: [expect.stringContaining('out/K.pdf')],
    });
    expect(label.trackingNumbers).toEqual([expect.any(String)]);
  });

  test('of a pair with its labels one object', async () => {
    const rig = await createRig();
    const ran = await rig.run('ship-dual -f - --key P --label -o record', { stdin: JSON.stringify(DUAL) });
    expect([result(ran)]).toEqual(lines(ran));
    expect(result(ran)).toMatchObject({
      operation: 'ship-dual',
      shipmentIds: [/./, /./].map(any => expect.stringMatching(any)),
    });
  });

  test('of one label an object, of several a list, in which one that failed has its error', async () => {
    const rig = await createRig();
    for (const key of ['A', 'B']) await rig.run(`ship -f - --allow-duplicate --key ${key}`, { stdin });
    const one = await rig.run('label A -o record');
    expect([result(one)]).toEqual(lines(one));
    // The key is that of its shipment.
    expect(result(one)).toMatchObject({ operation: 'label', key: 'A' });
    const several = await rig.run('label A none B -o record');
    expect(several.exitCode).toBe(9);
    expect(result(several)).toEqual([
      { ...result(one), sent: false },
      { id: 'none', error: expect.objectContaining({ code: 'not_found', created: false }) },
      expect.objectContaining({ operation: 'label', sent: true, key: 'B' }),
    ]);
    expect(errorOf(several)).toMatchObject({ created: true, retry: 'after-change', next: [] });
  });

  test('of a subscription no secret', async () => {
    const rig = await createRig();
    const ran = await rig.run(`${HOOK} -o record`);
    expect([result(ran)]).toEqual(lines(ran));
    expect(result(ran)).toMatchObject({ operation: 'webhook-create', price: null, shipmentIds: [] });
  });

  test('of what books nothing it is json', async () => {
    const rig = await createRig();
    await rig.run('ship -f - --key K', { stdin });
    for (const argv of ['history list', 'track K', 'schema booking', 'ship -f - --dry-run'])
      expect((await rig.run(`${argv} -o record`, { stdin })).stdout).toBe(
        (await rig.run(`${argv} --json`, { stdin })).stdout,
      );
  });
});

const id = expect.stringMatching(/^bk_/);
const show = ['waybill', 'history', 'show', id];
const LABEL = ['waybill', 'label', '--international'];
const OFFER = { id: 'EXP', name: 'Express', isValid: true, price: 9, currency: 'EUR', deliveryTime: '1 day' };
const DEAR = {
  '/v1/shipments': { status: 201, body: { id: "S'1", carrier: { id: 'EXP', price: 99, currency: 'EUR' } } },
  '/v1/carriers/proposal': { status: 200, body: { chargeableWeight: 5, proposals: [OFFER] } },
};
const UNLABELLED = {
  '/v1/shipments': { status: 201, body: { id: "S'1" } },
  '/v2/carriers/create': { status: 404, body: {} },
};

type Service = string | Parameters<typeof cannedService>[0];

/** Nothing was made, and no command helps. */
const NOTHING: [argv: string, service: Service | undefined, code: string, retry: string][] = [
  ['ship --nonsense', undefined, 'usage', 'after-change'],
  ['ship -f - --set receiver.address.country.code=QQ', undefined, 'invalid_request', 'after-change'],
  ['track gone', undefined, 'not_found', 'after-change'],
  ['ship -f - --key K', '403', 'unauthorized', 'after-change'],
  ['ship -f - --key K', '422', 'rejected', 'after-change'],
  ['ship -f - --key K --retries 0', '429', 'rate_limited', 'later'],
  ['track OLD --retries 0', '500', 'unavailable', 'later'],
  ['batch ship orders.jsonl', '422', 'partial', 'after-change'],
];

/** What was made, if that is known, and the command that helps. */
const HELPED: [
  argv: string,
  service: Service | undefined,
  code: string,
  created: boolean | null,
  next: unknown[],
][] = [
  ['ship -f - --key K', '500', 'outcome_unknown', null, show],
  ['ship -f -', undefined, 'duplicate', false, show],
  ['ship -f - --key OLD --set receiver.firstName=Eva', undefined, 'duplicate', false, show],
  ['ship -f - --key K --label', 'label-international', 'partial', true, [...LABEL, expect.any(String)]],
  [
    'ship -f - --key K --carrier EXP --max-price 60EUR',
    DEAR,
    'over_price',
    true,
    ['waybill', 'history', 'show', id],
  ],
  ['ship -f - --key K --label', UNLABELLED, 'partial', true, [...LABEL, "S'1"]],
  [
    'batch ship orders.jsonl',
    '500',
    'outcome_unknown',
    null,
    ['waybill', 'history', 'list', '--state', 'unknown'],
  ],
];

/** The error of that command, where `OLD` was booked before. */
async function failing(argv: string, service: Service | undefined) {
  const { faults, random, turn } = switchable(typeof service === 'string' ? service : '500');
  const rig = await shop([{ ...SHIPMENT, key: 'B' }], { faults, random });
  await rig.run('ship -f - --key OLD', { stdin });
  if (typeof service === 'string') turn('on');
  const env = typeof service === 'object' ? (await cannedService(service)).env : {};
  return errorOf(await rig.run(`${argv} --json`, { stdin, env }));
}

test.each(NOTHING)('%s, with %j: %s, and nothing was made: %s', async (argv, service, code, retry) => {
  expect(await failing(argv, service)).toMatchObject({ code, created: false, retry, next: [] });
});

test.each(HELPED)(
  '%s, with %j: %s is never tried again, and a command that helps is named',
  async (argv, service, code, created, command) => {
    const { next, ...error } = await failing(argv, service);
    expect(error).toMatchObject({ code, created, retry: 'never' });
    expect(next).toEqual([command]);
  },
);

test('a key that nobody knows is after-change, with the command that looks for it', async () => {
  const next = [['waybill', 'history', 'list', '--key', 'NONE']];
  const error = await failing('label --key NONE', undefined);
  expect(error).toMatchObject({ code: 'not_found', created: false, retry: 'after-change', next });
});

test('commands that help are for the profile that was typed', async () => {
  const rig = await shopRig();
  const ship = () => rig.run('--profile shop ship -f - --json', { stdin });
  await ship();
  const { next, message } = errorOf(await ship());
  expect(next).toEqual([[...show, '--profile', 'shop']]);
  expect(message).toMatch(/`waybill history show bk_\w+ --profile shop` shows it/);
});

test.each([
  ['history resolve A --created S', /its answer came\. `waybill history show bk_\w+ --profile shop` shows/],
  ['history cancelled LOST --reason no', /`waybill history resolve bk_\w+ --profile shop` records what/],
])('%s names the next command for the profile that was typed', async (argv, words) => {
  const rig = await shopRig();
  await rig.run('ship -f - --key A', { stdin });
  const { env } = await cannedService({ '/v1/shipments': { status: 500, body: {} } });
  await rig.run(['profile', 'set', 'shop', `baseUrl=${env.WAYBILL_BASE_URL}`, '--yes']);
  if (argv.includes('LOST')) await rig.run('ship -f - --key LOST', { stdin });
  else await rig.run(['profile', 'set', 'shop', `baseUrl=${rig.address}`, '--yes']);
  expect((await rig.run(`--profile shop ${argv}`, { stdin })).stderr).toMatch(words);
});
