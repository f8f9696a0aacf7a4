// Reading shipments, once or until they arrive.
import { expect } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill } from '../rig/journal.ts';
import { BARE, shopRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { FILES } from './orders.ts';
import { each, promises } from './promise.ts';

const DAY = 86_400_000;

/** An order A-1 and a pair P-1. */
async function shop(): Promise<Rig> {
  const rig = await createRig({ files: FILES });
  for (const line of ['ship order.json --key A-1', 'ship-dual pair.json --key P-1'])
    expect((await rig.run(line)).exitCode).toBe(0);
  return rig;
}

/** The same when the domestic leg, or all of it, has arrived. */
const after = (days: number) => async () => {
  const rig = await shop();
  await rig.later(days * DAY);
  return rig;
};

const GET = expect.stringMatching(/^GET \/v1\/shipments\/shp_\w+$/);
const DOMESTIC = expect.stringMatching(/^GET \/v1\/shipments\/domestic\/shp_\w+$/);

promises('Which shipments', [
  ...each({ rig: shop }, [
    ...each({ says: 'a name is that of an order, of which all legs are read' }, [
      { run: 'track A-1', sent: [GET] },
      { run: 'track --key A-1', sent: [GET] },
      { run: 'track P-1', also: ({ requests }) => expect(requests).toHaveLength(2) },
      { run: 'track A-1 --key P-1', also: ({ requests }) => expect(requests).toHaveLength(3) },
    ]),
    { says: 'of a pair --domestic means its domestic leg', run: 'track P-1 --domestic', sent: [DOMESTIC] },
    ...each(
      { says: 'a name that nobody knows is searched, and the orders that it may mean are named', exit: 4 },
      [
        { run: 'track beisp', stderr: '`waybill track' },
        { run: 'label beisp', stderr: '`waybill label', sent: [] },
        { run: 'history show beisp', stderr: '`waybill history show' },
      ],
    ),
  ]),
  {
    says: 'what the journal does not know is a shipment id',
    run: 'track S-9',
    exit: 4,
    sent: ['GET /v1/shipments/S-9'],
  },
  {
    says: 'which --domestic says is a domestic one',
    run: 'track D-9 --domestic',
    exit: 4,
    sent: ['GET /v1/shipments/domestic/D-9'],
  },
  {
    says: 'the leg of an id is known from the journal',
    rig: async () => {
      const rig = await createRig();
      const ids = { international: 'I-1', domestic: 'D-1' };
      await fill(rig, 'state', [bookingAt(rig, 1, { operation: 'ship-dual', ids })]);
      return rig;
    },
    run: 'track D-1',
    exit: 4,
    sent: ['GET /v1/shipments/domestic/D-1'],
  },
  { says: 'a key that nobody booked is not found', run: 'track --key NONE-1', exit: 4, sent: [] },
  { says: 'without any name it is a wrong command line', run: 'track', exit: 2, sent: [] },
]);

promises('track --active', [
  {
    says: 'is every shipment that was not yet seen at its end',
    rig: shop,
    run: 'track --active --json',
    json: [{ id: expect.any(String) }, { id: expect.any(String) }, { id: expect.any(String) }],
  },
  {
    says: 'what was seen there is not asked for again',
    rig: after(1.5),
    after: ['track --active'],
    run: 'track --active',
    also: ({ requests }) => expect(requests).toHaveLength(2),
  },
  ...each({ run: 'track --active --json' }, [
    { says: 'JSON is always an array', rig: { files: FILES }, after: ['ship order.json'], stdout: /^\[\n/ },
    { says: 'of nothing it is an empty one', stdout: /^\[\]\n$/, sent: [] },
  ]),
  { says: '--since bounds the time of booking', rig: after(3), run: 'track --active --since 2d', sent: [] },
  {
    says: 'by 60 days unless it is given',
    rig: async () => {
      const rig = await createRig();
      const at = (days: number) => ({
        at: rig.clock.now - days * DAY,
        settledAt: rig.clock.now - days * DAY,
      });
      await fill(rig, 'state', [bookingAt(rig, 1, at(61)), bookingAt(rig, 2, at(59))]);
      return rig;
    },
    run: 'track --active',
    exit: 4,
    sent: ['GET /v1/shipments/S-2'],
  },
  ...each({ says: '--stale shows those whose milestone did not change for so long', rig: after(0.5) }, [
    { run: 'track --active --stale 6h -q', stdout: /^(shp_\w+ pending\w+\n){3}$/ },
    { run: 'track --active --stale 5d -q', also: ({ stdout }) => expect(stdout).toBe('') },
  ]),
  ...each(
    {
      rig: async () => {
        const rig = await shopRig({ endMilestones: ['pending_arrival_at_warehouse'] });
        await rig.run('ship - --key A-1', { stdin: JSON.stringify(SHIPMENT) });
        return rig;
      },
      run: 'track --active',
    },
    [
      { says: 'endMilestones of the profile says where a journey ends', after: ['track --active'], sent: [] },
      {
        says: 'another end of a journey later asks again',
        after: ['track --active', 'profile set shop endMilestones='],
        sent: [GET],
      },
    ],
  ),
  { says: 'of nothing, CSV is its header', run: 'track --active -o csv', exit: 0, stdout: /^key,\S+\r\n$/ },
  ...each({ says: 'its flags go with it, and no name does', exit: 2, sent: [] }, [
    { run: 'track --active A-1', stderr: 'not both' },
    { run: 'track --active --key A-1', stderr: 'not both' },
    { run: 'track --active --domestic', stderr: '--domestic' },
    { run: 'track A-1 --stale 5d', stderr: 'need --active' },
    { run: 'track A-1 --since 5d', stderr: 'need --active' },
    { run: 'track --active --stale 5d --watch', stderr: '--stale' },
    { run: 'track A-1 --interval 5m', stderr: '--interval needs' },
  ]),
]);

const waits =
  (...all: number[]) =>
  ({ waits: seen }: { waits: number[] }) =>
    expect(seen).toEqual(all);

promises('Waiting', [
  {
    says: '--watch looks until it is delivered',
    rig: shop,
    run: 'track A-1 --watch --interval 1d -q',
    stdout: /^delivered\n$/,
    also: waits(DAY, DAY),
  },
  ...each({ rig: shop, exit: 9 }, [
    { says: 'every 30 seconds', run: 'track A-1 --watch --max-wait 60', also: waits(30_000, 30_000) },
    {
      says: 'a word that is seen nowhere is warned of',
      run: 'track A-1 --until deliverd --max-wait 30',
      stderr: /^warning: .*"deliverd".*did you mean delivered\?/m,
    },
    {
      says: '--max-wait ends it with 9, and what is known is shown',
      run: 'track A-1 --max-wait 30 --json',
      json: { id: expect.any(String) },
    },
  ]),
  {
    says: 'every 2 seconds at the demo',
    rig: { env: BARE, files: FILES },
    after: ['ship order.json --key A-1 --profile demo'],
    run: 'track A-1 --watch --max-wait 4 --profile demo',
    exit: 9,
    also: waits(2000, 2000),
  },
  {
    says: 'or as --interval says',
    rig: shop,
    run: 'track A-1 --watch --max-wait 60 --interval 40',
    exit: 9,
    also: waits(40_000, 20_000),
  },
  ...each({ says: '--until names another milestone, as JSON has it or as a table shows it', rig: shop }, [
    { run: 'track A-1 --until pending_arrival_at_warehouse', also: waits() },
    {
      run: ['track', 'A-1', '--until', 'pending arrival at warehouse', '--max-wait', '1'],
      lacks: 'no answer has had',
    },
  ]),
]);
