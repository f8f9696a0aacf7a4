// The list as a person reads it and as a script does: a row for each order, found by what is known of it.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Booking } from '../../../src/journal/booking.ts';
import type { BookingWithLabels } from '../../../src/journal/journal.ts';
import { createRig, type Rig } from '../../rig/command.ts';
import { bookingAt, fill } from '../../rig/journal.ts';

const to = (name: string, city: string, code: string, carrier = 'EXP') => ({
  receiver: { firstName: name, lastName: 'Example', address: { city, country: { code } } },
  carrier: { id: carrier },
});

const labelled = (rig: Rig, number: number, of: number, more: Partial<Booking> = {}): BookingWithLabels => ({
  booking: bookingAt(rig, number, {
    ...{ operation: 'label', keySpace: 'label', key: null, ids: {}, answer: null },
    labels: { international: { made: true, trackingNumber: `T-${of}` } },
    files: { international: `/labels/K-${of}.pdf` },
    request: { international: `S-${of}` },
    ...more,
  }),
  labels: [{ leg: 'international', shipment: `S-${of}` }],
});

async function shop() {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1, { request: to('Jürgen', 'München', 'DE'), run: 'night', actor: 'ci' }),
    labelled(rig, 2, 1),
    bookingAt(rig, 3, {
      ...{ request: to('Çağla', 'İzmir', 'TR', 'ECO'), state: 'unknown', code: 'outcome_unknown' },
      ...{ why: 'the connection ended', httpStatus: null, answer: null, ids: {}, profile: 'live' },
    }),
    bookingAt(rig, 4, { request: to('Ann', 'Leeds', 'GB'), overPrice: true, maxPrice: '10 EUR' }),
    bookingAt(rig, 5, { address: 'demo', profile: 'demo', request: to('Demo', 'Nowhere', 'FR') }),
  ]);
  return rig;
}

const linesOf = (text: string) => stripVTControlCharacters(text).trimEnd().split('\n');
const keysOf = (text: string) =>
  linesOf(text)
    .slice(1)
    .map(line => line.split(/ /)[0]);

test('a label that was made is a part of its order: one row, with tracking number and file', async () => {
  const rig = await shop();
  const rows = JSON.parse((await rig.run('history list --json')).stdout);
  expect(rows.map((row: { key: string }) => row.key)).toEqual(['K-4', 'K-3', 'K-1']);
  expect(rows[2]).toMatchObject({
    ...{ operation: 'ship', shipmentIds: ['S-1'], trackingNumbers: ['T-1'], labelFile: '/labels/K-1.pdf' },
    receiver: { name: 'Jürgen Example', city: 'München', country: 'DE' },
    ...{ carrier: 'EXP', price: 12.4, currency: 'EUR', overPrice: null, exitCode: 0, httpStatus: 201 },
    ...{ reason: null, run: 'night', actor: 'ci', settlements: [], at: '2026-03-02T09:00:00.001Z' },
  });
  expect(rows[1]).toMatchObject({ state: 'unknown', reason: 'the connection ended', httpStatus: null });
  expect(rows[0]).toMatchObject({ overPrice: true, exitCode: 11 });
});

test('a label that is unknown has its own row, with key and receiver of its order', async () => {
  const rig = await shop();
  const state = { state: 'unknown', code: 'outcome_unknown', labels: {}, files: {} } as const;
  await fill(rig, 'state', [labelled(rig, 6, 4, state)]);
  const [row] = JSON.parse((await rig.run('history list --json')).stdout);
  expect(row).toMatchObject({
    operation: 'label',
    key: 'K-4',
    shipmentIds: ['S-4'],
    receiver: { name: 'Ann Example' },
  });
  const [, first] = linesOf((await rig.run('history list', { terminal: true, columns: 80 })).stdout);
  expect(first).toMatch(/^K-4 +Ann Example +GB +EXP +- +label unknown /);
});

test.each([80, 50])(
  'on a terminal of %i columns each order has one line, whatever is in it',
  async columns => {
    const rig = await shop();
    const long = {
      key: `ORDER-${'9'.repeat(90)}`,
      request: to('Maximiliane-Wilhelmine', 'Bad Neuenahr', 'DE', 'LONG-CARRIER-ID'),
    };
    await fill(rig, 'state', [
      bookingAt(rig, 7, { ...long, answer: '{"id":"S-7","carrier":{"price":12345.67,"currency":"TRY"}}' }),
      bookingAt(rig, 8, { key: '注文番号-一二三四五六七八九十', request: to('王小明', '上海', 'CN') }),
      bookingAt(rig, 9, { key: null, state: 'rejected', code: 'rejected', ids: {} }),
    ]);
    const { stdout, stderr } = await rig.run('history list', { terminal: true, columns });
    expect(stderr.replaceAll('\n', ' ')).toContain(
      `too narrow for: ${columns === 80 ? '' : 'to, carrier, price, '}tracking, shipment. A terminal of 130 columns`,
    );
    const lines = linesOf(stdout);
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(
      columns === 80
        ? /^KEY OR ID +RECEIVER +TO +CARRIER +PRICE +STATE +WHEN$/
        : /^KEY OR ID +RECEIVER +STATE +WHEN$/,
    );
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toMatch(/ORDER-9+…/);
  },
);

test('the columns are the same for an empty journal’s only webhook as for any order', async () => {
  const heads = async (more: Partial<Booking>) => {
    const rig = await createRig();
    await fill(rig, 'state', [bookingAt(rig, 1, more)]);
    return linesOf((await rig.run('history list', { terminal: true, columns: 80 })).stdout)[0]?.split(
      / {2,}/,
    );
  };
  const webhook = { operation: 'webhook-create', ids: { subscription: 'W' }, answer: null } as const;
  expect(await heads(webhook)).toEqual(await heads({}));
});

test('times are those of this machine in the table, and of UTC elsewhere', async () => {
  const rig = await shop();
  const zone = process.env.TZ;
  process.env.TZ = 'Asia/Tokyo';
  try {
    expect((await rig.run('history list')).stdout).toContain(' 2 Mar 18:00 ');
    expect((await rig.run('history list -o csv')).stdout).toContain(',2026-03-02T09:00:00.001Z,');
    rig.clock.now += 366 * 24 * 60 * 60 * 1000;
    expect((await rig.run('history list')).stdout).toContain(' 2 Mar 2026 ');
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('a price above its bound is marked until it is accepted', async () => {
  const rig = await shop();
  expect((await rig.run('history list')).stdout).toMatch(/K-4 .* 12\.40 EUR ! +over price /);
  const accepted = {
    at: 1,
    state: 'accepted',
    ids: { shipment: 'S-6' },
    by: 'anna',
    reason: null,
    run: null,
  } as const;
  await fill(rig, 'state', [bookingAt(rig, 6, { overPrice: true, settlements: [accepted] })]);
  expect((await rig.run('history list')).stdout).toMatch(/K-6 .* 12\.40 EUR +created /);
});

test('CSV has the row of an order, empty cells for what is not known, and the resolution of a settled one', async () => {
  const rig = await shop();
  const said = { at: 1, state: 'rejected', ids: {}, by: 'anna', reason: null, run: null } as const;
  await fill(rig, 'state', [
    bookingAt(rig, 6, { state: 'rejected', code: 'outcome_unknown', ids: {}, settlements: [said] }),
  ]);
  const [, settled, over, unknown, created] = (await rig.run('history list -o csv')).stdout.split('\r\n');
  expect(settled).toMatch(/,not-created$/);
  expect(over).toContain(',EXP,12.4,EUR,true,S-4,,');
  const at = '2026-03-02T09:00:00.003Z';
  expect(unknown).toBe(
    `K-3,unknown,${at},Çağla Example,TR,ECO,,,,,,,,,the connection ended,,,,live,ship,${bookingAt(rig, 3).id},`,
  );
  expect(created).toContain(',S-1,T-1,,,/labels/K-1.pdf,,201,night,ci,,ship,');
});

test.each([
  ['--search jurg', ['K-1']],
  ['--search IZMIR', ['K-3']],
  ['--search k-', ['K-4', 'K-3', 'K-1']],
  ['--search S-4', ['K-4']],
  ['--search t-1', ['K-1']],
  ['--search urgen', []],
  ['--country tr', ['K-3']],
  ['--carrier eco', ['K-3']],
  ['--run night', ['K-1']],
  ['--state unknown --country DE', []],
  ['--operation label', ['K-1']],
])('%s gives %j', async (flags, keys) => {
  const rig = await shop();
  const { stdout } = await rig.run(`history list ${flags}`);
  expect(keys.length === 0 ? stdout : keysOf(stdout)).toEqual(keys.length === 0 ? 'No bookings.\n' : keys);
});

test('bookings of the demo are listed where it is in force, and nowhere else', async () => {
  const rig = await shop();
  const env = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
  expect(keysOf((await rig.run('history list --profile demo', { env })).stdout)).toEqual(['K-5']);
  expect(keysOf((await rig.run('history list')).stdout)).not.toContain('K-5');
});

test('--profile lists the bookings of that profile only', async () => {
  const rig = await shop();
  await rig.run(`profile add live --base-url ${rig.address} --token-stdin`, { stdin: 'demo' });
  expect(keysOf((await rig.run('history list --profile live')).stdout)).toEqual(['K-3']);
});

test('a country that there is not, and an empty search, are refused', async () => {
  const rig = await shop();
  for (const [country, why] of [
    ['XX', '--country must be an ISO country code such as DE, not "XX"'],
    ['Almanya', 'not "Almanya"; the code of Germany is DE (did you mean DE?)'],
    ['TUR', '(did you mean TR?)'],
  ] as const) {
    const { exitCode, stderr } = await rig.run(`history list --country ${country}`);
    expect(exitCode).toBe(2);
    expect(stderr.replace(/\s+/g, ' ')).toContain(why);
  }
  expect((await rig.run(['history', 'list', '--search', ' '])).exitCode).toBe(2);
});
