// `ship --like REF`: another order that begins with the request of one that was booked.
import { describe, expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { changed } from '../contract/rig.ts';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { elsewhere } from '../rig/journal.ts';
import { answering, continuing, ids, lineOf } from '../rig/person.ts';
import { savedIn, shopRig } from '../rig/profile.ts';
import {
  bodyOf,
  cannedService,
  DUAL,
  errorOf,
  fixture,
  PROPOSALS,
  SHIPMENT,
  sent,
  switchable,
  UNDECIDED,
} from '../rig/service.ts';
import { event } from '../rig/sockets.ts';

const QUOTED = [`POST ${PROPOSALS}`, 'POST /v1/shipments'];
const { chargeableWeight: _, ...SAME } = SHIPMENT;
/** What the proposals say of the packages of the order. */
const WEIGHT = 5;
const LIKE = 'ship --like ORDER-1 --key ORDER-2';

/** Books the shipment under a key, and gives its id. */
async function booked(
  rig: Rig,
  key: string,
  options: RunOptions = {},
  argv = 'ship -f - -q',
): Promise<string> {
  const ran = await rig.run(`${argv} --key ${key}`, { stdin: JSON.stringify(SHIPMENT), ...options });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  return ran.stdout.trim();
}

/** It was refused with JSON and before anything was sent; gives the code and the message. */
function refused(ran: Ran): string {
  expect(ran.requests).toEqual([]);
  expect(ran.stdout).toBe('');
  const { code, message } = errorOf(ran);
  expect(message).toMatch(/nothing was sent/i);
  return `${code}: ${message}`;
}

test('the request of a booked order is sent again under a new key, with what flags change', async () => {
  const rig = await createRig();
  const id = await booked(rig, 'ORDER-1');
  const ran = await rig.run(`${LIKE} --package 2x1kg@30x20x10cm`);
  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual(QUOTED);
  expect(bodyOf(ran)).toEqual({
    ...SAME,
    packages: [{ quantity: 2, weight: 1, dimensions: { length: 30, width: 20, height: 10, unit: 'cm' } }],
    chargeableWeight: 2.5,
  });
  expect(ran.stdout).not.toContain(id);
  expect(ran.stderr).toMatch(
    /^starts from booking bk_\w+ of 2026-03-02 09:00 to \S+ \S+ \(Berlin, DE\), which stays booked: if this order replaces it, .* `waybill history cancelled bk_\w+ --reason TEXT`\n/,
  );
});

test('an order that the provider cancelled, or rejected, is not said to stay booked', async () => {
  const rig = await createRig();
  await booked(rig, 'ORDER-1');
  await rig.run('history cancelled ORDER-1 --reason address');
  await rig.run('ship -f - --key ORDER-2 --carrier NONE --chargeable-weight 1', {
    stdin: JSON.stringify(SHIPMENT),
  });
  for (const [key, state] of Object.entries({ 'ORDER-1': 'cancelled', 'ORDER-2': 'rejected' })) {
    const { stderr } = await rig.run(`ship --like ${key} --key ORDER-3 --carrier EXP --dry-run`);
    expect(stderr).toMatch(
      new RegExp(`^starts from booking bk_\\w+ of 2026-03-02 09:00 to .* \\(${state}\\)\n`),
    );
  }
});

// It says that the VAT of that order was paid.
test('a customs number that held for the other order is left out where this one goes elsewhere', async () => {
  const rig = await createRig();
  const number = 'IM2760000742';
  const customs = { currency: 'USD', iossNumber: number };
  await booked(rig, 'ORDER-1', { stdin: JSON.stringify({ ...SHIPMENT, customs }) });
  const numberOf = async (argv: string) => {
    const ran = await rig.run(`ship --like ORDER-1 ${argv}`);
    expect(ran.exitCode).toBe(0);
    return getAt(bodyOf(ran), 'customs.iossNumber');
  };
  const there = '--set receiver.address.country.code=US --set receiver.address.zipCode=10001';
  expect(await numberOf('--key A')).toBe(number);
  expect(await numberOf(`--key B ${there}`)).toBe(undefined);
  expect(await numberOf(`--key C ${there} --ioss-number ${number}`)).toBe(number);
});

test.each([
  'v1/shipments/POST/full.request.json',
  'v1/shipments/POST/minimal.request.json',
  'v1/shipments/POST/eu-ioss.request.json',
  'v1/shipments/POST/uk-marketplace.request.json',
  'v1/shipments/POST/saudi.request.json',
  'v1/shipments/POST/document.request.json',
  'v2/shipments/POST/full.request.json',
  'v2/shipments/POST/eu-ioss-label.request.json',
  'v2/shipments/POST/saudi.request.json',
])('with nothing but a key the body of %s is sent again, its weight from the proposal', async name => {
  const rig = await createRig();
  const command = name.startsWith('v1') ? 'ship' : 'ship-dual';
  const first = await rig.run(`${command} -f - --key A`, { stdin: JSON.stringify(fixture(name)) });
  expect(first.exitCode).toBe(0);
  const ran = await rig.run(`${command} --like A --key B`);
  expect(ran.exitCode).toBe(0);
  const { chargeableWeight: before, ...same } = bodyOf(first) as Record<string, unknown>;
  const { chargeableWeight: now, ...again } = bodyOf(ran) as Record<string, unknown>;
  expect(again).toEqual(same);
  expect(typeof now).toBe(typeof before);
});

test('JSON is the answer of the service, and a repeat shows it again without sending', async () => {
  const rig = await createRig();
  await booked(rig, 'ORDER-1');
  const ran = await rig.run(`${LIKE} --json`);
  expect(JSON.parse(ran.stdout)).toMatchObject({ carrier: { id: 'EXP' }, chargeableWeight: WEIGHT });
  expect(await rig.run(`${LIKE} --json`)).toMatchObject({ exitCode: 0, requests: [], stdout: ran.stdout });
  expect(refused(await rig.run(`${LIKE} --category gift --json`))).toMatch(
    /^duplicate: ship: the key "ORDER-2" was booked with other input/,
  );
});

test('file, flags and --set are stronger; the carrier can be another; a dry run sends nothing', async () => {
  const rig = await createRig({ files: { 'more.json': { category: 'gift', deliveryType: 'DDP' } } });
  await booked(rig, 'ORDER-1');
  const { body, unresolved } = await rig.json(
    `${LIKE} -f more.json --delivery-type DAP --carrier fastest --set receiver.address.city=Bonn --dry-run`,
  );
  const { carrier, ...rest } = SAME;
  const changes = { category: 'gift', deliveryType: 'DAP', 'receiver.address.city': 'Bonn' };
  expect(body).toEqual(changed(rest, changes));
  expect(unresolved).toEqual(['carrier.id', 'chargeableWeight']);
});

test('the total of an item follows a changed quantity, unless it was another one', async () => {
  const rig = await createRig();
  const stdin = JSON.stringify(changed(SHIPMENT, { 'items[0].quantity': 2, 'items[0].unitPrice': 5 }));
  for (const [total, now] of [
    [10, 15],
    [9, 9],
  ]) {
    await rig.run(`ship -f - --key ${total} --set items[0].totalPrice=${total}`, { stdin });
    const ran = await rig.run(`ship --like ${total} --key ${total}-2 --set items[0].quantity=3`);
    expect(bodyOf(ran)).toMatchObject({ items: [{ totalPrice: now }] });
  }
});

test('the value of the goods follows their items, unless it was another one', async () => {
  const rig = await createRig();
  const item = (quantity: number, unitPrice: number) => ({
    ...(SHIPMENT.items as object[])[0],
    quantity,
    unitPrice,
  });
  const items = [item(2, 5), item(1, 3)].map(({ totalPrice: _, ...rest }: Record<string, unknown>) => rest);
  for (const [value, now] of [
    [13, 18],
    [20, 20],
  ]) {
    const stdin = JSON.stringify(changed(SHIPMENT, { items, 'customs.totalGoodsValue': value }));
    await rig.run(`ship -f - --key ${value}`, { stdin });
    const ran = await rig.run(`ship --like ${value} --key ${value}-2 --set items[0].quantity=3`);
    expect(bodyOf(ran), ran.stderr).toMatchObject({ customs: { totalGoodsValue: now } });
  }
});

test('the profile adds nothing to what the order says, and --invoice does', async () => {
  const rig = await shopRig();
  const { invoice: _invoice, ...order } = UNDECIDED;
  await rig.run('ship -f - --key ORDER-1 --carrier EXP', { stdin: JSON.stringify(order) });
  const invoice = { ...(SHIPMENT.sender as object), firstName: 'Billing' };
  rig.file('invoice.json', invoice);
  const config = savedIn(rig);
  config.profiles.shop.invoice = invoice;
  rig.file('config/config.json', config);
  const plain = await rig.run('ship --like ORDER-1 --key ORDER-2');
  expect(bodyOf(plain)).toEqual({ ...order, carrier: { id: 'EXP' }, chargeableWeight: WEIGHT });
  const billed = await rig.run('ship --like ORDER-1 --key ORDER-3 --invoice invoice.json');
  expect(bodyOf(billed)).toMatchObject({ invoice });
});

describe('refused before anything is sent', () => {
  test('no key, also for a dry run', async () => {
    const rig = await createRig();
    await booked(rig, 'ORDER-1');
    for (const more of ['', ' --dry-run'])
      expect(refused(await rig.run(`ship --like ORDER-1 --json${more}`))).toMatch(
        /^usage: ship --like "ORDER-1": another order needs a key of its own; .* Add --key KEY/,
      );
  });

  test('a REF that the journal does not know, with or without a journal', async () => {
    const rig = await createRig();
    const words = /^not_found: ship --like "ORDER-9": the journal has no booking .*`waybill history list`/;
    for (const _ of ['without', 'with']) {
      expect(refused(await rig.run('ship --like ORDER-9 --key NEW --json'))).toMatch(words);
      await booked(rig, 'ORDER-1');
    }
  });

  test('the key of the order itself; a rejected order has freed its key', async () => {
    const rig = await createRig();
    await booked(rig, 'ORDER-1');
    expect(refused(await rig.run('ship --like ORDER-1 --key ORDER-1 --json'))).toMatch(
      /^duplicate: ship --like "ORDER-1": "ORDER-1" is the key of that order itself \(bk_\w+, created\)/,
    );
    const rejected = await rig.run('ship -f - --key ORDER-2 --carrier NONE --chargeable-weight 1', {
      stdin: JSON.stringify(SHIPMENT),
    });
    expect(rejected.exitCode).toBe(5);
    expect(await rig.run('ship --like ORDER-2 --key ORDER-2 --carrier EXP')).toMatchObject({ exitCode: 0 });
  });

  test('an order of ship for ship-dual and the other way, and labels', async () => {
    const rig = await createRig();
    await booked(rig, 'ORDER-1');
    const pair = changed(DUAL, { 'receiver.firstName': 'Eva' });
    await booked(rig, 'PAIR-1', { stdin: JSON.stringify(pair) }, 'ship-dual -f - -q');
    await rig.run('label ORDER-1');
    const [label] = JSON.parse((await rig.run('history list --operation label --json')).stdout);
    for (const [command, ref, made] of [
      ['ship-dual', 'ORDER-1', 'ship'],
      ['ship', 'PAIR-1', 'ship-dual'],
      ['ship', label.id, 'label'],
    ] as const) {
      const told = refused(await rig.run(`${command} --like ${ref} --key NEW --json`));
      expect(told).toMatch(/^usage: .*whose requests have other fields; /);
      expect(told).toContain(`was made by \`waybill ${made}\``);
    }
  });

  test('an order that is being sent', async () => {
    const rig = await createRig();
    const { env, received } = await cannedService({});
    const [patience, end] = event();
    const first = rig.run('ship -f - --key ORDER-1', { stdin: JSON.stringify(SHIPMENT), env, patience });
    await received(1);
    expect(refused(await rig.run(`${LIKE} --json`))).toMatch(
      /^usage: .*booking (bk_\w+) is being sent at this moment; .* Try again when `waybill history show \1` shows/,
    );
    end();
    expect((await first).exitCode).toBe(8);
  });

  test('an order whose request is not in the journal: pruned, or imported from a results file', async () => {
    const rig = await createRig({ files: { 'orders.jsonl': { key: 'ORDER-1', ...SHIPMENT } } });
    await rig.run('batch ship orders.jsonl');
    const env = elsewhere(rig);
    await rig.run('history import orders.results.jsonl --done none', { env });
    expect(refused(await rig.run(`${LIKE} --json`, { env }))).toMatch(
      /has no request .* because it was imported from a results file; .*`waybill schema ship --example`/,
    );
    await rig.later(1000);
    await rig.run('history prune --older-than 0d --yes');
    expect(refused(await rig.run(`${LIKE} --json`))).toMatch(
      /has no request .* because `waybill history prune` deleted it; /,
    );
  });
});

test('an order whose outcome is unknown is a start too, with a warning that this is another one', async () => {
  const fault = switchable('reset-after');
  const rig = await createRig({ ...fault });
  fault.turn('on');
  const lost = await rig.run('ship -f - --key ORDER-1', { stdin: JSON.stringify(SHIPMENT) });
  expect(lost.exitCode).toBe(8);
  fault.turn('off');
  expect(refused(await rig.run(`${LIKE} --strict --json`))).toMatch(
    /^duplicate: ship: an order with the same receiver, goods and parcels .* Without --strict it is a warning/,
  );
  const ran = await rig.run(LIKE);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toMatch(
    /^warning: booking bk_\w+ of .* may exist, although no answer said so: this books another one/,
  );
  expect(bodyOf(ran)).toEqual({ ...SAME, chargeableWeight: WEIGHT });
});

test('an order that was tried at the sandbox can be shipped, under the same key', async () => {
  const rig = await createRig();
  await booked(rig, 'ORDER-1', {}, 'ship -f - -q --sandbox');
  const ran = await rig.run('ship --like ORDER-1 --key ORDER-1');
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stderr).toContain(` at ${rig.address}/sandbox of 2026-03-02`);
  expect(bodyOf(ran)).toEqual({ ...SAME, chargeableWeight: WEIGHT });
});

describe('on a terminal', () => {
  test('the review shows the order, and only what differs is changed there', async () => {
    const rig = await createRig();
    await booked(rig, 'ORDER-1');
    const ran = await answering(rig, LIKE, {
      review: ['packages', 'submit'],
      packages: ['packages[0]', 'done'],
      'packages[0]': ['packages[0].weight', 'done'],
      'packages[0].weight': '2',
      keep: '',
    });
    expect(ids(ran)[0]).toBe('review');
    expect(lineOf(ran, 'receiver')).toContain('Berlin');
    expect(ran.exitCode).toBe(0);
    expect(bodyOf(ran)).toMatchObject({ receiver: SHIPMENT.receiver, packages: [{ weight: 2 }] });
  });

  test('a draft continues it with --like, and the profile still adds nothing', async () => {
    const rig = await shopRig();
    await booked(rig, 'ORDER-1');
    const config = savedIn(rig);
    config.profiles.shop.invoice = { ...(SHIPMENT.sender as object), firstName: 'Billing' };
    rig.file('config/config.json', config);
    const left = await answering(rig, LIKE, { review: 'leave' });
    expect(left.exitCode).toBe(130);
    expect(continuing(left)).toMatch(/^ship -f \S+ --like ORDER-1 --key ORDER-2$/);
    const on = await answering(rig, continuing(left), { review: 'submit', keep: '', confirm: 'yes' });
    expect(bodyOf(on)).toEqual({ ...SAME, chargeableWeight: WEIGHT });
  });

  test('a draft does not bring back a customs number that does not hold for the other order', async () => {
    const rig = await createRig();
    const customs = { currency: 'EUR', iossNumber: 'IM2760000742' };
    await booked(rig, 'ORDER-1', { stdin: JSON.stringify({ ...SHIPMENT, customs }) });
    const there = '--set receiver.address.country.code=US --set receiver.address.zipCode=10001';
    const left = await answering(rig, `${LIKE} ${there}`, { review: 'leave' });
    const on = await answering(rig, continuing(left), { review: 'submit', keep: '', confirm: 'yes' });
    expect(bodyOf(on)).toMatchObject({ receiver: { address: { country: { code: 'US' } } } });
    expect(getAt(bodyOf(on), 'customs.iossNumber')).toBe(undefined);
  });

  test('nothing is asked with --yes, for a dry run, and for an order that is booked', async () => {
    const rig = await createRig();
    await booked(rig, 'ORDER-1');
    for (const more of [' --dry-run', ' --yes', ''])
      expect(await rig.run(LIKE + more, { terminal: true })).toMatchObject({ exitCode: 0, questions: [] });
  });
});
