// The provider cancelled an order: it stays in the record and keeps its key, and is left out of what is counted or done.
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../../rig/journal.ts';
import { errorOf, SHIPMENT } from '../../rig/service.ts';

const ORDER = JSON.stringify(SHIPMENT);
const REASON = ['--reason', 'support, ticket 4712'];

async function booked(rig: Rig) {
  await rig.run('ship -f - -q --key K', { stdin: ORDER });
  const ran = await rig.run(['history', 'cancelled', 'K', ...REASON, '--actor', 'anna', '--run', 'noon']);
  return ran;
}

test('history cancelled records who said so, and says that nobody was told', async () => {
  const rig = await createRig();
  const ran = await booked(rig);
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  expect(ran.stdout).toMatch(/^Booking bk_\w+ is cancelled; its key K stays taken\.\n$/);
  expect(ran.stderr).toContain('nobody was told of it: the provider of the service was not asked');
  expect(await rig.json('history show K')).toMatchObject({
    state: 'cancelled',
    shipmentIds: [expect.any(String)],
    price: expect.anything(),
    settlements: [{ state: 'cancelled', by: 'anna', run: 'noon', reason: 'support, ticket 4712' }],
  });
  const page = (await rig.run('history show K')).stdout;
  expect(page).toContain('K: cancelled');
  expect(page).toContain(
    'cancelled by the provider of the service, said anna, in noon, because: support, ticket 4712',
  );
  expect(page).toContain('waybill history cancelled K --reopen');
  expect(page).not.toContain('waybill label K');
});

test('the same order again is a duplicate that says so, also in a batch, and is not labelled', async () => {
  const rig = await createRig();
  await booked(rig);
  const again = await rig.run('ship -f - --key K --json', { stdin: ORDER });
  expect(again).toMatchObject({ exitCode: 2, requests: [] });
  expect(errorOf(again)).toMatchObject({
    code: 'duplicate',
    created: false,
    message: expect.stringMatching(/the provider of the service cancelled it, as anna said \(support/),
  });
  const dry = await rig.run('ship -f - --key K --dry-run --json', { stdin: ORDER });
  expect([dry.exitCode, errorOf(dry).code]).toEqual([2, 'duplicate']);
  const batch = await rig.run('batch ship - --format jsonl --json', {
    stdin: JSON.stringify({ ...(SHIPMENT as object), key: 'K' }),
  });
  expect(batch).toMatchObject({ exitCode: 9, requests: [] });
  expect(JSON.parse(batch.stdout)).toMatchObject({ states: { duplicate: 1 } });
  const label = await rig.run('label K --json');
  expect(label).toMatchObject({ exitCode: 2, requests: [] });
  expect(errorOf(label).code).toBe('duplicate');
  const other = await rig.run('ship -f - --json', { stdin: ORDER });
  expect([other.exitCode, errorOf(other).message]).toEqual([2, expect.stringContaining('cancelled)')]);
});

test('--reopen takes it back, and a script can run each of them again', async () => {
  const rig = await createRig();
  await booked(rig);
  const again = await rig.run(['history', 'cancelled', 'K', ...REASON, '--actor', 'berta']);
  expect(again.stdout).toMatch(/^Booking bk_\w+ was cancelled before, as anna said at 20\S+\.\n$/);
  expect((await rig.run('history cancelled K --reopen')).stdout).toMatch(
    /^Booking bk_\w+ is created again\.\n$/,
  );
  const { state, settlements } = await rig.json('history show K');
  expect([state, settlements.map((one: { state: string }) => one.state)]).toEqual([
    'created',
    ['cancelled', 'reopened'],
  ]);
  expect(await rig.run('ship -f - -q --key K', { stdin: ORDER })).toMatchObject({ exitCode: 0 });
  const none = await rig.run('history cancelled K --reopen --json');
  expect([none.exitCode, errorOf(none).message]).toEqual([2, expect.stringContaining('no cancellation')]);
});

async function several() {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1),
    labelAt(rig, 2, 1),
    bookingAt(rig, 3),
    bookingAt(rig, 4, UNKNOWN),
    bookingAt(rig, 5, { state: 'partial', code: 'partial', why: 'no label' }),
    bookingAt(rig, 6, { state: 'rejected', code: 'rejected', ids: {} }),
    bookingAt(rig, 7, { operation: 'webhook-create', keySpace: 'subscription', ids: { subscription: 'W' } }),
  ]);
  return rig;
}

test('it leaves the costs, which are told with and without it, and what is under way and unlabelled', async () => {
  const rig = await several();
  await rig.run(['history', 'cancelled', 'T-1', 'K-5', ...REASON]);
  expect(await rig.json('history summary')).toMatchObject([
    {
      shipments: 1,
      labels: 0,
      cost: { EUR: 12.4 },
      unlabelled: 1,
      cancelled: 2,
      cancelledCost: { EUR: 24.8 },
    },
  ]);
  const { stdout } = await rig.run('history summary');
  expect(stdout).toContain(
    '1 shipment, 0 labels, 12.40 EUR. The provider cancelled 2 shipments, not counted here: with',
  );
  expect(stdout.replaceAll('\n', ' ')).toContain('it is 37.20 EUR.');
  const { requests } = await rig.run('track --active --json');
  expect(requests.map(({ path }) => path)).toEqual([expect.stringMatching(/S-3$/)]);
  expect((await rig.json('history list --state cancelled')).map((row: { key: string }) => row.key)).toEqual([
    'K-5',
    'K-1',
  ]);
  expect((await rig.run('history list')).stdout).toMatch(/K-1 .* cancelled /);
  await rig.run('history cancelled K-5 --reopen');
  expect(await rig.json('history show K-5')).toMatchObject({ state: 'partial', exitCode: 9 });
});

test.each([
  ['K-4', /may or may not exist: `waybill history resolve/],
  ['K-6', /there is nothing to cancel: booking bk_0*6 is rejected/],
  ['W', /is a webhook-create: only shipments are cancelled/],
])('%s is refused, and nothing is recorded of the others then', async (ref, message) => {
  const rig = await several();
  const ran = await rig.run(['history', 'cancelled', 'K-3', ref, ...REASON, '--json']);
  expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringMatching(message)]);
  expect(await rig.json('history show K-3')).toMatchObject({ state: 'created', settlements: [] });
});

test('it needs a reason, and a booking', async () => {
  const rig = await several();
  expect((await rig.run('history cancelled K-3')).exitCode).toBe(2);
  expect((await rig.run(['history', 'cancelled', 'NONE', ...REASON])).exitCode).toBe(4);
});
