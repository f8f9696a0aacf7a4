// The history in pages: everything where a program reads it, the newest where a person does.
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { bookingAt, fill } from '../../rig/journal.ts';

const CSV_COLUMNS =
  'key,state,at,receiver,country,carrier,price,currency,overPrice,shipmentId,trackingNumber,domesticShipmentId,domesticTrackingNumber,labelFile,reason,httpStatus,run,actor,profile,operation,id,resolution';

/** More than two pages. */
const COUNT = 2003;

async function shop(count = COUNT) {
  const rig = await createRig();
  await fill(
    rig,
    'state',
    Array.from({ length: count }, (_, index) => bookingAt(rig, index + 1)),
  );
  return rig;
}

const newest = (count: number, from = COUNT) =>
  Array.from({ length: count }, (_, index) => `K-${from - index}`);
const keysIn = (text: string) => [...text.matchAll(/\bK-\d+\b/g)].map(([key]) => key);

test('a terminal shows the newest hundred, and says how to see the next ones', async () => {
  const rig = await shop();
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

test('every format has all bookings, page after page', async () => {
  const rig = await shop();
  const all = newest(COUNT);
  const json = await rig.run('history list --json');
  const rows: { key: string }[] = JSON.parse(json.stdout);
  expect(rows.map(({ key }) => key)).toEqual(all);
  expect(json.stdout).toBe(`${JSON.stringify(rows, undefined, 2)}\n`);
  const lines = (await rig.run('history list -o jsonl')).stdout.trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line).key)).toEqual(all);
  const ids = (await rig.run('history list -q')).stdout.trimEnd().split('\n');
  expect(ids).toEqual(all.map(key => bookingAt(rig, Number(key.slice(2))).id));
  const csv = (await rig.run('history list -o csv')).stdout.trimEnd().split('\r\n');
  expect([csv[0], csv.slice(1).map(line => line.split(',')[0])]).toEqual([CSV_COLUMNS, all]);
  const table = (await rig.run('history list')).stdout;
  expect([keysIn(table), table.match(/KEY OR ID/g)?.length]).toEqual([all, 1]);
  expect((await rig.run(['history', 'list', '--query', 'length(@)'])).stdout).toBe(`${COUNT}\n`);
});

test('--limit counts over pages, and --before continues where it ended', async () => {
  const rig = await shop();
  const first = await rig.run('history list -q --limit 1500');
  const ids = first.stdout.trimEnd().split('\n');
  const rest = await rig.run(`history list -q --before ${ids.at(-1)}`);
  expect([ids.length, rest.stdout.trimEnd().split('\n').length]).toEqual([1500, COUNT - 1500]);
  const csv = await rig.run('history list -o csv --limit 2');
  expect(keysIn(csv.stdout)).toEqual(newest(2));
});

test('an empty or missing journal is an empty list in every format', async () => {
  const rig = await createRig();
  const shown = async (flags: string) => (await rig.run(`history list ${flags}`)).stdout;
  expect([await shown('--json'), await shown('-o jsonl'), await shown('-q'), await shown('')]).toEqual([
    ...['[]\n', '', '', 'No bookings.\n'],
  ]);
  expect(await shown('-o csv')).toBe(`${CSV_COLUMNS}\r\n`);
});
