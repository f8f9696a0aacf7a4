// `ship --like REF`, where test/promises/request.test.ts does not show it: bodies of all kinds, numbers that hold no more, and
// the review of a form.
import { describe, expect, test } from 'vitest';
import { getAt } from '../../src/contract/paths.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { elsewhere } from '../rig/journal.ts';
import { answering, continuing } from '../rig/person.ts';
import { savedIn, shopRig } from '../rig/profile.ts';
import { bodyOf, errorOf, fixture, SHIPMENT } from '../rig/service.ts';

const LIKE = 'ship --like ORDER-1 --key ORDER-2';

/** Books the shipment, with this in the place of some of its fields, under the key ORDER-1. */
async function booked(rig: Rig, change: object = {}): Promise<void> {
  const stdin = JSON.stringify({ ...SHIPMENT, ...change });
  expect(await rig.run('ship -f - --key ORDER-1', { stdin })).toMatchObject({ exitCode: 0, stderr: '' });
}

test.each([
  'v1/shipments/POST/full.request.json',
  'v1/shipments/POST/document.request.json',
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

// It says that the VAT of that order was paid.
test('a customs number of the first order is left out where the new one goes elsewhere, of a draft, too', async () => {
  const rig = await createRig();
  const number = 'IM2760000742';
  await booked(rig, { customs: { currency: 'USD', iossNumber: number } });
  const numberOf = async (argv: string) => {
    const ran = await rig.run(`ship --like ORDER-1 ${argv}`);
    expect(ran.exitCode).toBe(0);
    return getAt(bodyOf(ran), 'customs.iossNumber');
  };
  const there = '--set receiver.address.country.code=US --set receiver.address.zipCode=10001';
  expect(await numberOf('--key A')).toBe(number);
  expect(await numberOf(`--key B ${there}`)).toBe(undefined);
  expect(await numberOf(`--key C ${there} --ioss-number ${number}`)).toBe(number);
  const left = await answering(rig, `${LIKE} ${there}`, { review: 'leave' });
  const on = await answering(rig, continuing(left), { review: 'submit', keep: '', confirm: 'yes' });
  expect(bodyOf(on)).toMatchObject({ receiver: { address: { country: { code: 'US' } } } });
  expect(getAt(bodyOf(on), 'customs.iossNumber')).toBe(undefined);
});

test('an order that was imported from a results file has no request to start from', async () => {
  const rig = await createRig({ files: { 'orders.jsonl': { key: 'ORDER-1', ...SHIPMENT } } });
  await rig.run('batch ship orders.jsonl');
  const env = elsewhere(rig);
  await rig.run('history import orders.results.jsonl --done none', { env });
  const ran = await rig.run(`${LIKE} --json`, { env });
  expect([ran.requests, errorOf(ran).message]).toEqual([
    [],
    expect.stringMatching(/no request .* was imported/),
  ]);
});

describe('the way back, with --swap,', () => {
  const BACK = 'ship --like ORDER-1 --swap --key RETURN-1';
  const address = { ...(getAt(SHIPMENT, 'receiver.address') as object), line2: 'Hinterhof' };
  const receiver = { ...(SHIPMENT.receiver as object), address };
  const { line2: _, ...oneLine } = { ...address, line1: `${getAt(address, 'line1')}, Hinterhof` };
  const SENT_BACK = {
    sender: { ...receiver, address: oneLine },
    receiver: SHIPMENT.sender,
    // Who paid the way there pays the way back: without an invoice the service would charge its new sender.
    invoice: SHIPMENT.sender,
  };

  test('goes from the receiver to the sender of then, without customs numbers, and with nothing of the profile', async () => {
    const rig = await shopRig({
      iossNumber: 'IM2760000742',
      sender: { ...(SHIPMENT.sender as object), firstName: 'Other' },
    });
    await booked(rig, { receiver, customs: { ...(SHIPMENT.customs as object), iossNumber: 'IM2760000742' } });
    const ran = await rig.run(BACK);
    expect(ran.exitCode).toBe(0);
    expect(bodyOf(ran)).toMatchObject(SENT_BACK);
    expect(getAt(bodyOf(ran), 'customs.iossNumber')).toBe(undefined);
    expect(ran.stderr).toMatch(/is sent back: from /);
    expect(await rig.run(BACK)).toMatchObject({ exitCode: 0, requests: [] });
  });

  test('needs the order that it turns round, and a key of its own', async () => {
    const rig = await createRig();
    await booked(rig);
    for (const [argv, words] of [
      ['ship --swap --key A', '--like REF'],
      ['ship --like ORDER-1 --swap', '--key'],
      ['ship-dual --like ORDER-1 --swap --key A', '--swap'],
    ] as const)
      expect(await rig.run(argv)).toMatchObject({
        exitCode: 2,
        requests: [],
        stderr: expect.stringContaining(words),
      });
  });

  test('is declared without a number where the economy carrier needs one, and is no dead end: another carrier takes it', async () => {
    const rig = await createRig();
    await booked(rig, { sender: SHIPMENT.receiver, receiver: SHIPMENT.sender, carrier: { id: 'ECO' } });
    const refused = await rig.run(`${BACK} --json`);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused).issues).toMatchObject([
      {
        path: 'customs.iossNumber',
        message: expect.stringMatching(/goods that go back are not sold.*choose another carrier/),
      },
    ]);
    expect(await rig.run(`${BACK} --carrier cheapest`)).toMatchObject({ exitCode: 0 });
  });

  test('is offered on the last page of an order that begins with an earlier one, and its draft stays one', async () => {
    const rig = await createRig();
    await booked(rig, { receiver });
    const left = await answering(rig, 'ship --like ORDER-1 --key RETURN-1', { review: ['swap', 'leave'] });
    expect(continuing(left)).toMatch(/^ship -f \S+ --like ORDER-1 --swap --key RETURN-1$/);
    const on = await answering(rig, continuing(left), { review: 'submit', keep: '', confirm: 'yes' });
    expect(on.exitCode).toBe(0);
    expect(bodyOf(on)).toMatchObject(SENT_BACK);
  });
});

describe('on a terminal', () => {
  test('a draft continues it with --like, and the profile still adds nothing', async () => {
    const rig = await shopRig();
    await booked(rig);
    const config = savedIn(rig);
    config.profiles.shop.invoice = { ...(SHIPMENT.sender as object), firstName: 'Billing' };
    rig.file('config/config.json', config);
    const left = await answering(rig, LIKE, { review: 'leave' });
    expect(left.exitCode).toBe(130);
    expect(continuing(left)).toMatch(/^ship -f \S+ --like ORDER-1 --key ORDER-2$/);
    const on = await answering(rig, continuing(left), { review: 'submit', keep: '', confirm: 'yes' });
    expect(bodyOf(on)).not.toHaveProperty('invoice');
  });

  test('nothing is asked with --yes, for a dry run, and for an order that is booked', async () => {
    const rig = await createRig();
    await booked(rig);
    for (const more of [' --dry-run', ' --yes', ''])
      expect(await rig.run(LIKE + more, { terminal: true })).toMatchObject({ exitCode: 0, questions: [] });
  });
});
