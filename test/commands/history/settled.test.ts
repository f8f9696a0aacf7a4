// A person says that a price above its bound is known, or that the provider cancelled an order: it is added to the record.
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../../rig/command.ts';
import { bookingAt, fill, labelAt, UNKNOWN } from '../../rig/journal.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { asProduction } from '../../rig/production.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const ORDER = JSON.stringify(SHIPMENT);
const CANCELLED = "history cancelled --reason 'support, ticket 4712'";
const BOOKED = ['POST /v1/shipments'];

/** K-1 and K-2 are above their bound, K-3 is within it, K-4 is unknown, the others have no bound. */
async function several() {
  const rig = await createRig();
  const bound = { maxPrice: '10 EUR' };
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...bound, overPrice: true }),
    labelAt(rig, 101, 1),
    bookingAt(rig, 2, { ...bound, overPrice: true }),
    bookingAt(rig, 3, { ...bound, overPrice: false }),
    bookingAt(rig, 4, { ...bound, ...UNKNOWN }),
    bookingAt(rig, 5, { state: 'partial', code: 'partial', why: 'no label' }),
    bookingAt(rig, 6, { state: 'rejected', code: 'rejected', ids: {} }),
    bookingAt(rig, 7, { operation: 'webhook-create', keySpace: 'subscription', ids: { subscription: 'W' } }),
    bookingAt(rig, 8),
  ]);
  return { ...rig, shown: (ref: string) => rig.json(`history show ${ref}`) };
}

test('history accept ends the exit code 11, and keeps who said so, when and why; a tracking number means its order', async () => {
  const rig = await several();
  expect((await rig.shown('T-1')).exitCode).toBe(11);
  const ran = await rig.run("history accept T-1 --reason 'agreed by phone' --actor anna --run morning");
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  expect(ran.stdout).toMatch(/^The price of booking bk_\d+ is accepted\.\n$/);
  expect(await rig.shown('K-1')).toMatchObject({
    ...{ exitCode: 0, overPrice: true, state: 'created' },
    settlements: [
      { state: 'accepted', by: 'anna', run: 'morning', reason: 'agreed by phone', at: expect.any(String) },
    ],
  });
});

test.each([
  ['accept', 'K-3', /booking bk_\d+ is not above its --max-price/],
  ['accept', 'K-4', /is unknown, and only the price of one that was created is accepted/],
  ['accept', 'K-8', /has no --max-price, or no price to compare/],
  ['cancelled --reason x', 'K-4', /may or may not exist: `waybill history resolve/],
  ['cancelled --reason x', 'K-6', /there is nothing to cancel: booking bk_0*6 is rejected/],
  ['cancelled --reason x', 'W', /is a webhook-create: only shipments are cancelled/],
  ['cancelled', '', /give --reason TEXT/],
  ['cancelled --reopen', '', /no cancellation to take back/],
])(
  'history %s of %s is refused, and nothing is recorded of the others then',
  async (command, ref, message) => {
    const rig = await several();
    const ran = await rig.run(`history ${command} K-1 ${ref} --json`);
    expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringMatching(message)]);
    expect(await rig.shown('K-1')).toMatchObject({ exitCode: 11, settlements: [] });
    expect((await rig.run(`history ${command.split(' ')[0]} NONE --reason x`)).exitCode).toBe(4);
  },
);

test('what was said before is told with who said it, and the rest is recorded: a script can run again', async () => {
  const rig = await several();
  await rig.run('history accept K-1 --actor anna');
  const again = await rig.run('history accept K-1 --actor berta');
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toMatch(/^The price of booking bk_\d+ was accepted before, by anna at 20\S+\.\n$/);
  expect(await rig.json('history accept K-2 K-1')).toMatchObject([
    { key: 'K-2', exitCode: 0, settlements: [{ state: 'accepted' }] },
    { key: 'K-1', exitCode: 0, settlements: [{ by: 'anna' }] },
  ]);
  expect((await rig.shown('K-1')).settlements).toHaveLength(1);
  await rig.run(`${CANCELLED} K-1 --actor anna`);
  expect((await rig.run(`${CANCELLED} K-1 --actor berta`)).stdout).toMatch(
    /^Booking bk_\w+ was cancelled before, as anna said at 20\S+\.\n$/,
  );
});

async function cancelled(rig: Rig) {
  await rig.run('ship -f - -q --key K', { stdin: ORDER });
  return rig.run(`${CANCELLED} K --actor anna --run noon`);
}

test('history cancelled records who said so, and says that nobody was told; --reopen takes it back', async () => {
  const rig = await createRig();
  const ran = await cancelled(rig);
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  expect(ran.stdout).toMatch(/^Booking bk_\w+ is cancelled; its key K stays taken\.\n$/);
  expect(ran.stderr).toContain('nobody was told of it: the provider of the service was not asked');
  expect(await rig.json('history show K')).toMatchObject({
    ...{ state: 'cancelled', shipmentIds: [expect.any(String)], price: expect.anything() },
    settlements: [{ state: 'cancelled', by: 'anna', run: 'noon', reason: 'support, ticket 4712' }],
  });
  const page = (await rig.run('history show K')).stdout;
  expect(page).toContain('K: cancelled');
  expect(page).toContain('cancelled by the provider of the service, said anna, in noon, because: support,');
  expect(page).toContain('waybill history cancelled K --reopen');
  expect(page).not.toContain('waybill label K');
  const back = await rig.run('history cancelled K --reopen');
  expect(back.stdout).toMatch(/^Booking bk_\w+ is created again\.\n$/);
  expect(await rig.json('history show K')).toMatchObject({
    state: 'created',
    settlements: [{ state: 'cancelled' }, { state: 'reopened' }],
  });
  expect(await rig.run('ship -f - -q --key K', { stdin: ORDER })).toMatchObject({ exitCode: 0 });
});

test('the order that was cancelled is a duplicate that says so, also in a batch, and is not labelled', async () => {
  const rig = await createRig();
  await cancelled(rig);
  const again = await rig.run('ship -f - --key K --json', { stdin: ORDER });
  expect(again).toMatchObject({ exitCode: 2, requests: [] });
  expect(errorOf(again)).toMatchObject({
    ...{ code: 'duplicate', created: false },
    message: expect.stringMatching(/the provider of the service cancelled it, as anna said \(support/),
  });
  for (const command of ['ship -f - --key K --dry-run --json', 'label K --json']) {
    const ran = await rig.run(command, { stdin: ORDER });
    expect([ran.exitCode, ran.requests, errorOf(ran).code]).toEqual([2, [], 'duplicate']);
  }
  const stdin = JSON.stringify({ ...(SHIPMENT as object), key: 'K' });
  const batch = await rig.run('batch ship - --format jsonl --json', { stdin });
  expect(batch).toMatchObject({ exitCode: 9, requests: [] });
  expect(JSON.parse(batch.stdout)).toMatchObject({ states: { duplicate: 1 } });
  const other = await rig.run('ship -f - --json', { stdin: ORDER });
  expect([other.exitCode, errorOf(other).message]).toEqual([2, expect.stringContaining('cancelled)')]);
});

describeBoth('An order that replaces one that was cancelled', journal => {
  test('under another key is not warned of, also with --strict and in a batch', async () => {
    const rig = await createRig({ journal });
    await cancelled(rig);
    const booked = await rig.run('ship -f - -q --key K-2 --strict', { stdin: ORDER });
    expect([booked.exitCode, booked.stderr, posted(booked)]).toEqual([0, '', BOOKED]);
    await rig.run(`${CANCELLED} K-2`);
    const stdin = JSON.stringify({ ...(SHIPMENT as object), key: 'K-3' });
    const batch = await rig.run('batch ship - --format jsonl --strict', { stdin });
    expect([batch.exitCode, posted(batch)]).toEqual([0, BOOKED]);
    // Another one exists: that is told, and not the one that was cancelled.
    const more = await rig.run('ship -f - -q --key K-4', { stdin: ORDER });
    expect(more.stderr).toMatch(/ with the key "K-3" \(bk_\w+, created\): .* is booked once more/);
  });
});

describeBoth('Two desks', journal => {
  test('cancel an order while the other is asked about its label: it gets none', async () => {
    const rig = await createRig({ journal });
    const env = await asProduction(rig);
    await rig.run('ship -f - -q --key K', { stdin: ORDER, env });
    const ran = await rig.run('label K --json', {
      ...{ env, terminal: true },
      async answers() {
        expect((await rig.run(`${CANCELLED} K`, { env })).exitCode).toBe(0);
        return 'yes';
      },
    });
    expect([ran.exitCode, posted(ran), errorOf(ran).code]).toEqual([2, [], 'duplicate']);
  });
});

test('what was cancelled leaves the costs, which are told with and without it, and what is under way and unlabelled', async () => {
  const rig = await several();
  await rig.run(`${CANCELLED} T-1 K-5 K-2 K-3`);
  const cost = { cost: { EUR: 12.4 }, cancelledCost: { EUR: 49.6 } };
  expect(await rig.json('history summary')).toMatchObject([
    { shipments: 1, labels: 0, ...cost, unlabelled: 1, cancelled: 4 },
  ]);
  expect((await rig.run('history summary')).stdout.replaceAll('\n', ' ')).toContain(
    '1 shipment, 0 labels, 12.40 EUR. The provider cancelled 4 shipments, not counted here: with what was cancelled it is 62.00 EUR.',
  );
  const { requests } = await rig.run('track --active --json');
  expect(requests.map(({ path }) => path)).toEqual([expect.stringMatching(/S-8$/)]);
  const listed = await rig.json('history list --state cancelled');
  expect(listed.map((row: { key: string }) => row.key)).toEqual(['K-5', 'K-3', 'K-2', 'K-1']);
  expect((await rig.run('history list')).stdout).toMatch(/K-1 .* cancelled /);
  await rig.run('history cancelled K-5 --reopen');
  expect(await rig.shown('K-5')).toMatchObject({ state: 'partial', exitCode: 9 });
});
