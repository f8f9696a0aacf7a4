// The tracking numbers back to the shop: in the form that it imports, each order once for each form.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Booking } from '../../../src/journal/booking.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { bookingAt, fill, labelAt } from '../../rig/journal.ts';
import { errorOf } from '../../rig/service.ts';

const answer = (number: number, carrier: string, more = {}) =>
  JSON.stringify({ id: `S-${number}`, carrier: { id: carrier, price: 9, currency: 'EUR' }, ...more });

const DAY = 24 * 60 * 60 * 1000;

/** Two orders of one shop, one of another, and some that no shop can import. */
async function shop(): Promise<Rig> {
  const rig = await createRig();
  const order = (number: number, key: string | null, carrier: string, more: Partial<Booking> = {}) =>
    bookingAt(rig, number, { key, answer: answer(number, carrier), ...more });
  await fill(rig, 'state', [
    order(1, 'woo-5001', 'EXP', {
      at: rig.clock.now - DAY,
      answer: answer(1, 'EXP', { details: { trackingUrl: 'https://follow.example/T-1' } }),
    }),
    labelAt(rig, 1001, 1),
    order(2, 'woo-5002', 'eco'),
    labelAt(rig, 1002, 2),
    order(3, '=cmd|1', 'EXP'),
    labelAt(rig, 1003, 3),
    order(901, 'woo-5003', 'EXP'),
    order(902, 'woo-5004', 'EXP', { state: 'cancelled' }),
    labelAt(rig, 1902, 902),
    order(903, null, 'EXP'),
    labelAt(rig, 1903, 903),
    order(904, 'woo-5005', 'EXP', { state: 'unknown', code: 'outcome_unknown', ids: {} }),
  ]);
  rig.file('woo.json', JSON.stringify({ keyPrefix: 'woo-', columns: { No: 'key' } }));
  return rig;
}

const exported = async (rig: Rig, flags: string): Promise<string[]> =>
  (await rig.json(`history export ${flags}`)).map(({ order }: { order: string }) => order);

test('Amazon gets a tab-separated confirmation; stderr names what was left out, and nothing is recorded', async () => {
  const rig = await shop();
  const ran = await rig.run('history export --for amazon');
  expect(ran).toMatchObject({ exitCode: 0, requests: [] });
  expect(ran.stdout.split(/\r?\n/)).toEqual([
    'order-id\torder-item-id\tquantity\tship-date\tcarrier-code\tcarrier-name\ttracking-number\tship-method',
    'woo-5001\t\t\t2026-03-01\tOther\tEXP\tT-1\t',
    'woo-5002\t\t\t2026-03-02\tOther\teco\tT-2\t',
    '=cmd|1\t\t\t2026-03-02\tOther\tEXP\tT-3\t',
    '',
  ]);
  expect(ran.stderr).toContain('left out, cancelled: woo-5004');
  expect(ran.stderr).toContain('left out, without a tracking number: woo-5003');
  expect(ran.stderr).toContain('left out, without a key: S-903');
  expect(ran.stderr).toContain('nothing was recorded: FILE writes the export');
  expect(ran.stderr).not.toContain('woo-5005');
  expect(await exported(rig, '--for amazon')).toHaveLength(3);
  expect(await exported(rig, '--for amazon --since 12h')).toEqual(['woo-5002', '=cmd|1']);
});

test('the profile says how a shop spells carriers and dates, and a map which orders are of the shop', async () => {
  const rig = await shop();
  await rig.run(`profile add live --base-url ${rig.address} --token-stdin`, { stdin: 'demo' });
  const settings = 'amazonCarriers=exp=DHL woocommerceCarriers=ECO=ups,EXP=dhl woocommerceDate=DD.MM.YYYY';
  expect((await rig.run(`profile set live ${settings}`)).exitCode).toBe(0);
  expect((await rig.run('profile set live amazonCarriers=EXP')).exitCode).toBe(2);
  const flags = '--map woo.json';
  const woo = await rig.run(`history export --for woocommerce ${flags}`);
  expect(woo.stdout.split(/\r?\n/)).toEqual([
    'order_id,tracking_provider,tracking_number,date_shipped,status_shipped',
    '5001,dhl,T-1,01.03.2026,1',
    '5002,ups,T-2,02.03.2026,1',
    '',
  ]);
  expect(woo.stderr).toContain('left out, without woo- before the key: =cmd|1');
  const amazon = (await rig.run(`history export --for amazon ${flags}`)).stdout;
  expect(amazon).toContain('5001\t\t\t2026-03-01\tDHL\t\tT-1');
  expect(amazon).toContain('5002\t\t\t2026-03-02\tOther\teco\tT-2');
});

test('CSV has every column with the link to follow the parcel, or those that a shop takes', async () => {
  const rig = await shop();
  const [header = '', first = '', , last = ''] = (await rig.run('history export --for csv')).stdout.split(
    /\r?\n/,
  );
  expect(header).toMatch(
    /^order,carrier,trackingNumber,trackingLink,date,key,state,at,receiver,country,price,/,
  );
  expect(first).toMatch(/^woo-5001,EXP,T-1,https:\/\/follow.example\/T-1,2026-03-01,woo-5001,created,/);
  // A spreadsheet would run it.
  expect(last).toMatch(/^'=cmd\|1,/);
  const own = await rig.run([
    'history',
    'export',
    '--for',
    'csv',
    '--columns',
    'Order ID=order, trackingNumber',
  ]);
  expect(own.stdout.split(/\r?\n/).slice(0, 2)).toEqual(['Order ID,trackingNumber', 'woo-5001,T-1']);
  expect(await rig.json('history export --for csv --since 12h')).toEqual([
    expect.objectContaining({ order: 'woo-5002', carrier: 'eco', trackingLink: null, shipmentId: 'S-2' }),
    expect.objectContaining({ order: '=cmd|1' }),
  ]);
});

test.each([
  ['--for shopify', 'choices are amazon, woocommerce, csv'],
  ['', '--for'],
  ['--for csv --columns order,price2', 'price2'],
  ['--for amazon --columns order', '--columns is of --for csv'],
  ['--for csv --map none.json', 'none.json'],
])('%s is refused, and nothing is recorded', async (flags, why) => {
  const rig = await shop();
  const ran = await rig.run(`history export ${flags} -y`);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  expect(ran.stderr).toContain(why);
  expect(await exported(rig, '--for csv')).toHaveLength(3);
});

test('each order is exported once for each form; FILE or -y records it, and --again shows the last one', async () => {
  const rig = await shop();
  const ran = await rig.run('history export --for amazon first.txt --since 12h');
  expect(ran).toMatchObject({ exitCode: 0, stdout: '2 orders in first.txt\n' });
  const file = join(rig.folder, 'first.txt');
  const written = readFileSync(file, 'utf8');
  expect(written.split('\r\n')).toHaveLength(4);
  expect(await exported(rig, '--for amazon')).toEqual(['woo-5001']);
  expect(await exported(rig, '--for woocommerce')).toHaveLength(3);
  expect(await exported(rig, '--for amazon -y')).toEqual(['woo-5001']);
  const none = await rig.run('history export --for amazon none.txt');
  expect(none).toMatchObject({ exitCode: 0, stdout: 'Nothing to export.\n' });
  expect(none.stderr).toMatch(
    /^the last one is list 2, of 1 order, which .*: `waybill history export --for amazon --again 2.*` shows it$/m,
  );
  expect(existsSync(join(rig.folder, 'none.txt'))).toBe(false);
  expect(await exported(rig, '--for amazon --again')).toEqual(['woo-5001']);
  expect(await exported(rig, '--for amazon --again 1')).toEqual(['woo-5002', '=cmd|1']);
  const third = await rig.run('history export --for amazon --again 3');
  expect([third.exitCode, third.stderr]).toEqual([
    4,
    expect.stringContaining('it was never recorded, or is'),
  ]);
  expect(await exported(rig, '--for amazon --again --since 7d')).toEqual(['woo-5002', '=cmd|1', 'woo-5001']);
  await rig.run('history export --for amazon --again first.txt');
  expect(readFileSync(file, 'utf8')).toContain('woo-5001');
  await rig.run('history export --for amazon --again 1 first.txt');
  expect(readFileSync(file, 'utf8')).toBe(written);
  expect((await rig.run('history export --for amazon two.txt --again first.txt')).exitCode).toBe(2);
  expect((await rig.run('history show woo-5001')).stdout).toContain('exported for Amazon, said ');
});

test('the command that is named to write an export once more has its map and its columns, and writes the same file', async () => {
  const rig = await shop();
  const chosen = ['--map', './woo.json', '--columns', 'Order ID=order,trackingNumber'];
  const ran = await rig.run(['history', 'export', '--for', 'csv', ...chosen, 'out.csv']);
  const once =
    "history export --for csv --map ./woo.json --columns 'Order ID=order,trackingNumber' --again 1";
  expect(ran.stderr).toContain(`recorded as list 1: \`waybill ${once}\` shows it once more`);
  const again = await rig.run(['history', 'export', '--for', 'csv', ...chosen, '--again', '1', 'again.csv']);
  expect(again.exitCode).toBe(0);
  const [first, second] = ['out.csv', 'again.csv'].map(name => readFileSync(join(rig.folder, name), 'utf8'));
  expect(second).toBe(first);
  expect(first).toContain('5001,T-1');
});

test('without a prefix keys of several kinds are warned of: the other shop would never get its own', async () => {
  const rig = await shop();
  const ran = await rig.run('history export --for amazon');
  expect(ran.stderr).toContain(
    'these may be orders of several shops: "woo-5001" and 1 like it, "=cmd|1". A keyPrefix in the map of each shop keeps new orders apart: those that are booked keep their keys',
  );
  expect((await rig.run('history export --for amazon --map ./woo.json')).stderr).not.toContain(
    'several shops',
  );
});

test('a file of another kind is not replaced, and one that cannot be written records nothing', async () => {
  const rig = await shop();
  writeFileSync(join(rig.folder, 'own.csv'), 'order,my own\n');
  const ran = await rig.run('history export --for csv own.csv --json');
  expect([ran.exitCode, errorOf(ran).message]).toEqual([2, expect.stringContaining('nothing was recorded')]);
  expect((await rig.run('history export --for csv no/list.csv')).exitCode).toBe(10);
  expect(readFileSync(join(rig.folder, 'own.csv'), 'utf8')).toBe('order,my own\n');
  expect(await exported(rig, '--for csv')).toHaveLength(3);
});

test('two desks that export at one moment export each order once', async () => {
  const rig = await shop();
  const both = await Promise.all([1, 2].map(() => rig.run('history export --for csv -y --json')));
  const orders = both
    .flatMap(({ stdout }) => JSON.parse(stdout))
    .map(({ order }: { order: string }) => order);
  expect(orders.sort()).toEqual(['=cmd|1', 'woo-5001', 'woo-5002']);
});

test("the export of another desk is not written again for one's own", async () => {
  const rig = await shop();
  const desk = (flags: string, actor: string) =>
    rig.run(`history export --for csv ${flags} --actor ${actor} --json`);
  const own = await desk('own.csv --since 12h', 'anna@one');
  expect(own.stderr).toContain('recorded as list 1: `waybill history export --for csv --again 1` shows it');
  await desk('other.csv', 'bert@two');
  const ran = await desk('--again own.csv', 'anna@one');
  expect([ran.exitCode, errorOf(ran).message]).toEqual([
    2,
    expect.stringMatching(/list 2, .* bert@two .*`waybill history export --for csv --again 2`/),
  ]);
  expect(await exported(rig, '--for csv --again 1')).toEqual(['woo-5002', '=cmd|1']);
});

test('what a courier got later was shipped on that day', async () => {
  const rig = await shop();
  rig.clock.now += 3 * DAY;
  await rig.run('history handover -y');
  expect(await rig.json('history export --for csv')).toMatchObject([{ date: '2026-03-05' }, {}, {}]);
});
