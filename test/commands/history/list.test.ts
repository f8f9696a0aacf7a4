// The list as a person reads it and as a script does: a row for each order, found by what is known of it, in pages.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { bookingAt, fill, labelAt, said, UNKNOWN } from '../../rig/journal.ts';
import { BARE } from '../../rig/profile.ts';
import { refused } from '../../rig/service.ts';

const to = (name: string, city: string, code: string, carrier = 'EXP') => ({
  receiver: { firstName: name, lastName: 'Example', address: { city, country: { code } } },
  carrier: { id: carrier },
});

async function shop() {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1, { request: to('Jürgen', 'München', 'DE'), run: 'night', actor: 'ci' }),
    labelAt(rig, 2, 1),
    bookingAt(rig, 3, {
      ...{ ...UNKNOWN, request: to('Çağla', 'İzmir', 'TR', 'ECO'), profile: 'live' },
      ...{ why: 'the connection ended', httpStatus: null },
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
  const rows = await rig.json('history list');
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
  await fill(rig, 'state', [labelAt(rig, 6, 4, UNKNOWN)]);
  const [row] = await rig.json('history list');
  const receiver = { name: 'Ann Example' };
  expect(row).toMatchObject({ operation: 'label', key: 'K-4', shipmentIds: ['S-4'], receiver });
  const [, first] = linesOf((await rig.run('history list', { terminal: true, columns: 80 })).stdout);
  expect(first).toMatch(/^K-4 +Ann Example, Leeds +- +label unknown /);
});

test('who is found by name is told apart by city and day, on any terminal', async () => {
  const rig = await createRig();
  await fill(rig, 'state', [
    bookingAt(rig, 1, { request: to('Ann', 'Leeds', 'GB') }),
    bookingAt(rig, 2, { request: to('Ann', 'Taumatawhakatangihangakoauauotamatea', 'NZ') }),
  ]);
  for (const [columns, places] of [
    [60, [/ Ann Example, Taum.*….* 2 Mar \d\d:\d\d/, / Ann Example, Leeds .* 2 Mar \d\d:\d\d/]],
    [120, [/ Ann Example +NZ Taum.* 2 Mar \d\d:\d\d/, / Ann Example +GB Leeds .* 2 Mar \d\d:\d\d/]],
    [undefined, [/ NZ Taumatawhakatangihangakoauauotamatea /, / Ann Example +GB Leeds /]],
  ] as const) {
    const view = columns === undefined ? {} : { terminal: true, columns };
    const [, newest, older] = linesOf((await rig.run('history list --search ann', view)).stdout);
    expect([newest, older]).toEqual(places.map(place => expect.stringMatching(place)));
  }
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

test('CSV has the row of an order, empty cells for what is not known, and the resolution of a settled one', async () => {
  const rig = await shop();
  const settlements = [said('rejected')];
  await fill(rig, 'state', [bookingAt(rig, 6, { ...UNKNOWN, state: 'rejected', settlements })]);
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
  ['--search t-1', ['K-1']],
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

test('the number of an order finds a key that has a # before it', async () => {
  const rig = await shop();
  await fill(rig, 'state', [bookingAt(rig, 6, { key: '#5003' })]);
  for (const words of ['5003', '500', "'#5003'"])
    expect(keysOf((await rig.run(`history list --search ${words}`)).stdout)).toEqual(['#5003']);
});

test('bookings of the demo are listed where it is in force, those of another profile with --profile', async () => {
  const rig = await shop();
  await rig.run(`profile add live --base-url ${rig.address} --token-stdin`, { stdin: 'demo' });
  const keys = async (flags = '', env = {}) =>
    keysOf((await rig.run(`history list ${flags}`, { env })).stdout);
  expect(await keys('--profile demo', BARE)).toEqual(['K-5']);
  expect(await keys()).not.toContain('K-5');
  expect(await keys('--profile live')).toEqual(['K-3']);
});

test.each([
  ['--country XX', '--country must be an ISO country code such as DE, not "XX"'],
  ['--country Almanya', 'not "Almanya"; the code of Germany is DE (did you mean DE?)'],
  ['--country TUR', '(did you mean TR?)'],
  ["--search ' '", '--search'],
])('%s is refused', async (flag, why) => {
  expect((await refused(await createRig(), `history list ${flag}`)).message).toContain(why);
});

const CSV_COLUMNS =
  'key,state,at,receiver,country,carrier,price,currency,overPrice,shipmentId,trackingNumber,domesticShipmentId,domesticTrackingNumber,labelFile,reason,httpStatus,run,actor,profile,operation,id,resolution';

/** More than two pages. */
const COUNT = 2003;

async function busyShop() {
  const rig = await createRig();
  const bookings = Array.from({ length: COUNT }, (_, index) => bookingAt(rig, index + 1));
  await fill(rig, 'state', bookings);
  return rig;
}

const newest = (count: number, from = COUNT) =>
  Array.from({ length: count }, (_, index) => `K-${from - index}`);
const keysIn = (text: string) => [...text.matchAll(/\bK-\d+\b/g)].map(([key]) => key);

test('a terminal shows the newest hundred, and says how to see the next ones', async () => {
  const rig = await busyShop();
  const ran = await rig.run('history list', { terminal: true, columns: 200 });
  expect(keysIn(ran.stdout)).toEqual(newest(100));
  const last = bookingAt(rig, COUNT - 99).id;
  expect(ran.stderr).toContain(`Add --before ${last} to the command`);
  expect(ran.stderr).toContain('--limit N');
  const next = await rig.run(`history list --before ${last}`, { terminal: true, columns: 200 });
  expect(keysIn(next.stdout)).toEqual(newest(100, COUNT - 100));
  const few = await rig.run('history list --limit 3', { terminal: true, columns: 200 });
  expect([keysIn(few.stdout), few.stderr]).toEqual([newest(3), '']);
});

test('every format has all bookings, page after page; --limit counts over pages, and --before continues', async () => {
  const rig = await busyShop();
  const all = newest(COUNT);
  const json = await rig.run('history list --json');
  const rows: { key: string }[] = JSON.parse(json.stdout);
  expect(rows.map(({ key }) => key)).toEqual(all);
  expect(json.stdout).toBe(`${JSON.stringify(rows, undefined, 2)}\n`);
  const lines = linesOf((await rig.run('history list -o jsonl')).stdout);
  expect(lines.map(line => JSON.parse(line).key)).toEqual(all);
  const csv = (await rig.run('history list -o csv')).stdout.trimEnd().split('\r\n');
  expect([csv[0], csv.slice(1).map(line => line.split(',')[0])]).toEqual([CSV_COLUMNS, all]);
  const table = (await rig.run('history list')).stdout;
  expect([keysIn(table), table.match(/KEY OR ID/g)?.length]).toEqual([all, 1]);
  expect((await rig.run(['history', 'list', '--query', 'length(@)'])).stdout).toBe(`${COUNT}\n`);
  const ids = linesOf((await rig.run('history list -q --limit 1500')).stdout);
  expect(ids).toEqual(newest(1500).map(key => bookingAt(rig, Number(key.slice(2))).id));
  const rest = await rig.run(`history list -q --before ${ids.at(-1)}`);
  expect(linesOf(rest.stdout)).toHaveLength(COUNT - 1500);
  expect(keysIn((await rig.run('history list -o csv --limit 2')).stdout)).toEqual(newest(2));
});

test('an empty or missing journal is an empty list in every format', async () => {
  const rig = await createRig();
  const shown = async (flags: string) => (await rig.run(`history list ${flags}`)).stdout;
  expect([await shown('--json'), await shown('-o jsonl'), await shown('-q'), await shown('')]).toEqual([
    ...['[]\n', '', '', 'No bookings.\n'],
  ]);
  expect(await shown('-o csv')).toBe(`${CSV_COLUMNS}\r\n`);
});

test('history alone is history list, with its options; another word is no command', async () => {
  const rig = await createRig();
  await fill(rig, 'state', [bookingAt(rig, 1), bookingAt(rig, 2)]);
  for (const flags of ['', ' --json', ' --state created -o csv', ' --since 7d'])
    expect(await rig.run(`history${flags}`)).toMatchObject({
      exitCode: 0,
      stdout: (await rig.run(`history list${flags}`)).stdout,
    });
  const wrong = await rig.run('history sho');
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    "error: unknown command 'sho' (did you mean show?). `waybill history --help` shows how to use it\n",
  ]);
});

test.each(['2026-13-01', '2026-00-10', '2026-02-30', '2026-02-00'])('%s is no date', async date => {
  const rig = await createRig();
  expect((await rig.run(`history --since ${date}`)).exitCode).toBe(2);
});
