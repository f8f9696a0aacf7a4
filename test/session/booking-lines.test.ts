// With JSON each booking has a line on stderr, so that a script knows what was sent and where its label is.
import { expect, test } from 'vitest';
import { shop } from '../rig/batch.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { DUAL, errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);

/** The lines about bookings, in their order. */
const bookings = ({ stderr }: Pick<Ran, 'stderr'>) =>
  stderr
    .split('\n')
    .filter(line => line.startsWith('{"booking":'))
    .map(line => JSON.parse(line).booking);

test('A booking has a line, and its recorded answer too, which was not sent', async () => {
  const rig = await createRig();
  const ship = 'ship -f - --json --key K --max-price 60EUR --run night --actor anna';
  const first = await rig.run(ship, { stdin });
  const { id } = JSON.parse(first.stdout);
  const line = {
    id: expect.stringMatching(/^bk_/),
    operation: 'ship',
    place: rig.address,
    ...{ sandbox: false, key: 'K', state: 'created', exitCode: 0, sent: true },
    ...{ carrier: 'EXP', price: 52.9, currency: 'EUR', overPrice: false },
    ...{ shipmentIds: [id], trackingNumbers: [], labelFiles: [] },
    ...{ run: 'night', actor: 'anna' },
  };
  expect(bookings(first)).toEqual([line]);
  expect(Object.keys(bookings(first)[0])).toEqual(Object.keys(line));
  const again = await rig.run('ship -f - --json --key K --actor ben', { stdin });
  expect(bookings(again)).toEqual([{ ...line, id: bookings(first)[0].id, sent: false }]);
});

test('ship --label has two bookings, and the label has its file', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - -o jsonl --key K --label --download out', { stdin });
  const [shipment, label] = bookings(ran);
  expect([shipment, label]).toMatchObject([
    { operation: 'ship', labelFiles: [], trackingNumbers: [] },
    {
      ...{ operation: 'label', key: null, sent: true, shipmentIds: shipment.shipmentIds },
      ...{ labelFiles: [expect.stringContaining('out/K.pdf')], trackingNumbers: [expect.any(String)] },
    },
  ]);
  const again = await rig.run('label --key K --json', { stdin });
  expect(bookings(again)).toEqual([{ ...label, sent: false }]);
});

test('A pair has one, also when its labels are shown again', async () => {
  const rig = await createRig();
  const pair = await rig.run('ship-dual -f - --json --label --key P', { stdin: JSON.stringify(DUAL) });
  expect(bookings(pair)).toMatchObject([
    { operation: 'ship-dual', sent: true, shipmentIds: [/./, /./].map(any => expect.stringMatching(any)) },
  ]);
  const [{ shipmentIds }] = bookings(pair);
  const label = await rig.run(`label --international ${shipmentIds[0]} --domestic ${shipmentIds[1]} --json`);
  expect(bookings(label)).toEqual([{ ...bookings(pair)[0], sent: false }]);
});

test('A subscription has one, without shipments', async () => {
  const rig = await createRig();
  const argv = 'webhook create --url https://a.example/x --event shipment.status.updated --json';
  expect(bookings(await rig.run(argv))).toMatchObject([{ operation: 'webhook-create', shipmentIds: [] }]);
});

test.each([
  ['reset-after', 8, 'unknown'],
  ['500', 8, 'unknown'],
  ['403', 3, 'rejected'],
] as const)('One that ends in %s has its line before the error', async (kind, exitCode, state) => {
  const rig = await createRig({
    faults: [{ kind: kind === 'reset-after' ? kind : Number(kind), probability: 1 }],
  });
  const ran = await rig.run('ship -f - --json', { stdin });
  expect(ran.exitCode).toBe(exitCode);
  expect(bookings(ran)).toMatchObject([{ state, sent: true, id: errorOf(ran).booking }]);
  expect(ran.stderr.trimEnd().split('\n').at(-2)).toContain('{"booking":');
});

test('People, -q, batches, and what was not sent have none', async () => {
  const rig = await shop([{ ...SHIPMENT, key: 'B' }]);
  const lines = async (argv: string, env = {}) => bookings(await rig.run(argv, { stdin, env }));
  expect(await lines('ship -f - --key A')).toEqual([]);
  expect(await lines('ship -f - --key A --json -q')).toEqual([]);
  expect(await lines('ship -f - --json')).toEqual([]);
  expect(await lines('batch ship orders.jsonl --json')).toEqual([]);
  const nobody = { WAYBILL_BASE_URL: 'http://127.0.0.1:1' };
  expect(await lines('ship -f - --json --key C', nobody)).toEqual([]);
});
