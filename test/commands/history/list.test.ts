// Pages of a long list, and its table on terminals of several widths; promises/history has what is found, and the formats.
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { bookingAt, fill } from '../../rig/journal.ts';

const linesOf = (text: string) => stripVTControlCharacters(text).trimEnd().split('\n');
const to = (city: string, code: string) => ({
  receiver: { firstName: 'Ann', lastName: 'Example', address: { city, country: { code } } },
});

test.each([
  [60, / Ann Example \(Taum.*….* 2 Mar \d\d:\d\d/, / Ann Example \(Leeds\) .* 2 Mar \d\d:\d\d/],
  [120, / Ann Example +NZ Taum.* 2 Mar \d\d:\d\d/, / Ann Example +GB Leeds .* 2 Mar \d\d:\d\d/],
  [undefined, / NZ Taumatawhakatangihangakoauauotamatea /, / Ann Example +GB Leeds /],
])(
  'two receivers of one name are told apart by city and day, in %s columns',
  async (columns, newest, older) => {
    const rig = await createRig();
    await fill(rig, 'state', [
      bookingAt(rig, 1, { request: to('Leeds', 'GB') }),
      bookingAt(rig, 2, { request: to('Taumatawhakatangihangakoauauotamatea', 'NZ') }),
    ]);
    const view = columns === undefined ? {} : { terminal: true, columns };
    const [, ...rows] = linesOf((await rig.run('history list --search ann', view)).stdout);
    expect(rows).toEqual([newest, older].map(place => expect.stringMatching(place)));
  },
);

/** More than a page. */
const COUNT = 1003;

const newest = (count: number, from = COUNT) =>
  Array.from({ length: count }, (_, index) => `K-${from - index}`);
const keysIn = (text: string) => [...text.matchAll(/\bK-\d+\b/g)].map(([key]) => key);

test('every format has all bookings, page after page; a terminal shows the newest hundred, and says how to see the next ones', async () => {
  const rig = await createRig();
  const bookings = Array.from({ length: COUNT }, (_, index) => bookingAt(rig, index + 1));
  await fill(rig, 'state', bookings);
  const list = async (flags: string, view = {}) => rig.run(`history list ${flags}`, view);
  const all = newest(COUNT);

  const json = (await list('--json')).stdout;
  const rows: { key: string }[] = JSON.parse(json);
  expect(rows.map(({ key }) => key)).toEqual(all);
  expect(json).toBe(`${JSON.stringify(rows, undefined, 2)}\n`);
  const lines = linesOf((await list('-o jsonl')).stdout);
  expect(lines.map(line => JSON.parse(line).key)).toEqual(all);
  const [, ...csv] = (await list('-o csv')).stdout.trimEnd().split('\r\n');
  expect(csv.map(line => line.split(',')[0])).toEqual(all);
  const table = (await list('')).stdout;
  expect([keysIn(table), table.match(/KEY OR ID/g)?.length]).toEqual([all, 1]);
  expect((await list('--query length(@)')).stdout).toBe(`${COUNT}\n`);

  // --limit counts over pages, and --before continues.
  const ids = linesOf((await list('-q --limit 1001')).stdout);
  expect(ids).toEqual(
    bookings
      .map(({ id }) => id)
      .reverse()
      .slice(0, 1001),
  );
  expect(keysIn((await list(`-o csv --before ${ids.at(-1)}`)).stdout)).toEqual(newest(2, 2));

  const view = { terminal: true, columns: 200 };
  const ran = await list('', view);
  expect(keysIn(ran.stdout)).toEqual(newest(100));
  const last = bookingAt(rig, COUNT - 99).id;
  expect(ran.stderr).toMatch(new RegExp(`--before ${last} .*--limit N`));
  expect(keysIn((await list(`--before ${last}`, view)).stdout)).toEqual(newest(100, COUNT - 100));
  const few = await list('--limit 3', view);
  expect([keysIn(few.stdout), few.stderr]).toEqual([newest(3), '']);
});
