// What a program reads of a booking, whatever the service is, and of an error: what exists, whether to try again, what helps.
import { describe, expect, test } from 'vitest';
import { shop } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
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
    const several = await rig.run('label A none B -o record');
    expect(several.exitCode).toBe(9);
    expect(result(several)).toEqual([
      { ...result(one), sent: false },
      { id: 'none', error: expect.objectContaining({ code: 'not_found', created: false }) },
      expect.objectContaining({ operation: 'label', sent: true }),
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

// Each row: what is run, after the service was told to fail or not, and what the error says.
const id = expect.stringMatching(/^bk_/);
const show = ['waybill', 'history', 'show', id];
const DEAR = {
  '/v1/shipments': { status: 201, body: { id: "S'1", carrier: { id: 'EXP', price: 99, currency: 'EUR' } } },
};

interface Row {
  argv: string;
  /** What the service does: a fault, or answers. */
  service?: string | Parameters<typeof cannedService>[0];
  /** Run before, while the service is well. */
  before?: string;
  says: { code: string; created: boolean | null; retry: string; next: unknown[] };
}

const ROWS: Row[] = [
  { argv: 'ship --nonsense', says: { code: 'usage', created: false, retry: 'after-change', next: [] } },
  {
    argv: 'ship -f - --set receiver.address.country.code=QQ',
    says: { code: 'invalid_request', created: false, retry: 'after-change', next: [] },
  },
  { argv: 'track gone', says: { code: 'not_found', created: false, retry: 'after-change', next: [] } },
  {
    argv: 'ship -f - --key K',
    service: '403',
    says: { code: 'unauthorized', created: false, retry: 'after-change', next: [] },
  },
  {
    argv: 'ship -f - --key K',
    service: '422',
    says: { code: 'rejected', created: false, retry: 'after-change', next: [] },
  },
  {
    argv: 'ship -f - --key K --retries 0',
    service: '429',
    says: { code: 'rate_limited', created: false, retry: 'later', next: [] },
  },
  {
    argv: 'track K --retries 0',
    before: 'ship -f - --key K',
    service: '500',
    says: { code: 'unavailable', created: false, retry: 'later', next: [] },
  },
  {
    argv: 'ship -f - --key K',
    service: '500',
    says: { code: 'outcome_unknown', created: null, retry: 'never', next: [show] },
  },
  {
    argv: 'ship -f -',
    before: 'ship -f -',
    says: { code: 'duplicate', created: false, retry: 'never', next: [show] },
  },
  {
    argv: 'ship -f - --key K --set receiver.firstName=Eva',
    before: 'ship -f - --key K',
    says: { code: 'duplicate', created: false, retry: 'never', next: [show] },
  },
  {
    argv: 'ship -f - --key K --label',
    service: 'label-international',
    says: {
      code: 'partial',
      created: true,
      retry: 'never',
      next: [['waybill', 'label', '--international', expect.any(String)]],
    },
  },
  {
    argv: 'ship -f - --key K --carrier EXP --max-price 60EUR',
    service: {
      ...DEAR,
      '/v1/carriers/proposal': {
        status: 200,
        body: {
          chargeableWeight: 5,
          proposals: [
            { id: 'EXP', name: 'Express', isValid: true, price: 9, currency: 'EUR', deliveryTime: '1 day' },
          ],
        },
      },
    },
    says: { code: 'over_price', created: true, retry: 'never', next: [['waybill', 'history', 'accept', id]] },
  },
  {
    argv: 'ship -f - --key K --label',
    service: {
      '/v1/shipments': { status: 201, body: { id: "S'1" } },
      '/v2/carriers/create': { status: 404, body: {} },
    },
    says: {
      code: 'partial',
      created: true,
      retry: 'never',
      next: [['waybill', 'label', '--international', "S'1"]],
    },
  },
  {
    argv: 'label --key NONE',
    says: {
      code: 'not_found',
      created: false,
      retry: 'after-change',
      next: [['waybill', 'history', 'list', '--key', 'NONE']],
    },
  },
  {
    argv: 'batch ship orders.jsonl',
    service: '500',
    says: {
      code: 'outcome_unknown',
      created: null,
      retry: 'never',
      next: [['waybill', 'history', 'list', '--state', 'unknown']],
    },
  },
  {
    argv: 'batch ship orders.jsonl',
    service: '422',
    says: { code: 'partial', created: false, retry: 'after-change', next: [] },
  },
];

test.each(ROWS)('$argv, with $service: $says.code', async ({ argv, service, before, says }) => {
  const { faults, random, turn } = switchable(typeof service === 'string' ? service : '500');
  const rig: Rig = await shop([{ ...SHIPMENT, key: 'B' }], { faults, random });
  if (before !== undefined) await rig.run(before, { stdin });
  if (typeof service === 'string') turn('on');
  const env = typeof service === 'object' ? (await cannedService(service)).env : {};
  const ran = await rig.run(`${argv} --json`, { stdin, env });
  expect(errorOf(ran)).toMatchObject(says);
  expect(errorOf(ran).next).toEqual(says.next);
});

test('commands that help are for the profile that was typed', async () => {
  const rig = await shopRig();
  const ship = () => rig.run('--profile shop ship -f - --json', { stdin });
  await ship();
  const { next, message } = errorOf(await ship());
  expect(next).toEqual([[...show, '--profile', 'shop']]);
  expect(message).toMatch(/`waybill history show bk_\w+ --profile shop` shows it/);
});
