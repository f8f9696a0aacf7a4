// The CSV of the unknown bookings, with the column `resolution` filled in, settles them all.
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { bookingAt, fill, said, UNKNOWN } from '../../rig/journal.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { errorOf, refused } from '../../rig/service.ts';
import { type Doubtful, doubtful, orderFor } from '../../rig/settling.ts';

const FILE = 'history resolve --file unknown.csv --reason portal --force';

type Cells = Record<string, string>;

/** Unknown bookings with these keys, whose receivers have them as names. */
async function unknown(keys: string, options = {}): Promise<Doubtful> {
  const rig = await doubtful(options);
  for (const key of keys) await rig.unknown(key, { firstName: key });
  return rig;
}

/** The rows of the list, oldest first, as a person fills them in. */
async function filledIn(rig: Doubtful, fill: (row: Cells) => Cells, delimiter = ','): Promise<string> {
  const { stdout } = await rig.run('history list --state unknown -o csv');
  const rows: Cells[] = parse(stdout, { columns: true });
  const lines = [Object.keys(rows[0] ?? {})];
  for (const row of rows.toReversed()) lines.push(Object.values({ ...row, ...fill(row) }));
  const text = lines.map(cells => cells.map(cell => `"${cell}"`).join(delimiter)).join('\r\n');
  rig.file('unknown.csv', text);
  return text;
}

/** What is wrong with the lines of the file: `line 2: …`. */
const problemsOf = async (rig: Doubtful, argv = FILE) =>
  (await refused(rig, argv)).issues.map(({ path, message }) => `${path}: ${message}`);

describeBoth('history resolve --file', journal => {
  test('settles what is filled in, counts it, and leaves the rest', async () => {
    const rig = await unknown('ABC', { journal });
    const shipment = await rig.shipment({ firstName: 'A' });
    const rows: Record<string, Cells> = {
      A: { resolution: 'created', shipmentId: shipment },
      B: { resolution: ' Not-Created ' },
    };
    await filledIn(rig, ({ key = '' }) => rows[key] ?? {});
    expect(await rig.json(FILE)).toEqual({ file: 'unknown.csv', created: 1, notCreated: 1, left: 1 });
    expect(await rig.shown('A')).toMatchObject({
      ...{ state: 'created', carrier: 'EXP', shipmentIds: [shipment] },
      settlements: [{ state: 'created', reason: 'portal' }],
    });
    expect(await rig.shown('B')).toMatchObject({ state: 'rejected' });
    expect(await rig.shown('C')).toMatchObject({ state: 'unknown', settlements: [] });
  });

  test('writes nothing if one row is wrong, and says all problems with their lines', async () => {
    const rig = await unknown('ABCDEFG', { journal });
    const stdin = orderFor({ firstName: 'Other' });
    const taken = (await rig.run('ship -f - -q --key OTHER', { stdin })).stdout.trim();
    const berta = await rig.shipment({ firstName: 'Berta' });
    const rows: Record<string, Cells> = {
      A: { resolution: 'created' },
      B: { resolution: 'creatd', shipmentId: 'S' },
      C: { resolution: 'created', shipmentId: 'gone' },
      D: { resolution: 'created', shipmentId: taken },
      E: { resolution: 'created', shipmentId: berta },
      F: { resolution: 'not-created', id: 'bk_none' },
      G: { resolution: 'not-created' },
    };
    await filledIn(rig, ({ key = '' }) => rows[key] ?? {});
    await rig.run('history resolve G --not-created --force --reason gone');
    expect(await problemsOf(rig)).toEqual([
      expect.stringMatching(/^line 2: .*no shipmentId/),
      expect.stringMatching(/^line 3: .*"creatd".*did you mean created/),
      expect.stringMatching(/^line 4: .*gone/),
      expect.stringMatching(/^line 5: .*is the shipment of booking bk_\w+ \(key "OTHER"\)/),
      expect.stringMatching(/^line 6: .*goes to Berta Beispiel/),
      expect.stringMatching(/^line 7: .*no booking with the id "bk_none"/),
      expect.stringMatching(/^line 8: .*not unknown any more/),
    ]);
    expect(await rig.json('history list --state unknown')).toHaveLength(6);
  });
});

describe('history resolve --file', () => {
  test.each([';', '\t'])('takes a file that a spreadsheet saved with %j, and what it protected', async by => {
    const rig = await unknown('A');
    await filledIn(rig, () => ({ resolution: 'created', shipmentId: "'-S-1" }), by);
    expect(await rig.run(`${FILE} --unchecked`)).toMatchObject({ exitCode: 0, requests: [] });
    expect(await rig.shown('A')).toMatchObject({ shipmentIds: ['-S-1'] });
  });

  test('refuses an id that is there twice, one that a spreadsheet changed, and a booking that is there twice', async () => {
    const rig = await unknown('ABC');
    const ids: Cells = { A: 'S-1', B: 'S-1', C: '1.23457E+17' };
    await filledIn(rig, ({ key = '' }) => ({ resolution: 'created', shipmentId: ids[key] ?? '' }));
    expect(await problemsOf(rig, `${FILE} --unchecked`)).toEqual([
      expect.stringMatching(/^line 3: S-1 is the shipment of booking bk_\w+ \(key "A"\)/),
      expect.stringMatching(/^line 4: .*format its column as text/),
    ]);
    const { id } = await rig.shown('A');
    rig.file('unknown.csv', `id,resolution\n${id},not-created\n${id},not-created\n`);
    expect(await problemsOf(rig)).toEqual([`line 3: booking ${id} is on line 2 already`]);
  });

  test('needs a reason for each row that was not created: that of the command, or its own in place of the cause', async () => {
    const rig = await unknown('AB');
    await rig.later(15 * 60_000);
    const bare = 'history resolve --file unknown.csv';
    const reasonOf = async (key: string) => ((await rig.shown(key)).settlements as Cells[])[0]?.reason;
    await filledIn(rig, ({ key }) => ({
      resolution: 'not-created',
      ...(key === 'B' && { reason: 'phone' }),
    }));
    expect(await problemsOf(rig, bare)).toEqual([expect.stringMatching(/^line 2: .*needs a reason/)]);
    expect((await rig.run(`${bare} --reason portal`)).exitCode).toBe(0);
    expect([await reasonOf('A'), await reasonOf('B')]).toEqual(['portal', 'phone']);
  });

  test('is refused until 15 minutes after the last of them was sent, of which a person is told', async () => {
    const rig = await unknown('AB');
    await filledIn(rig, () => ({ resolution: 'not-created' }));
    const early = await refused(rig, FILE.replace('--force', ''));
    expect(early).toMatchObject({ retry: 'later', issues: [{ path: 'line 2' }, { path: 'line 3' }] });
    const told = await rig.run(FILE.replace('--force', ''), { terminal: true });
    expect([told.exitCode, told.asked]).toEqual([
      130,
      [
        expect.stringMatching(
          /^The newest of them was sent 0 min ago, .* Record of 2 bookings that 0 exist, and that 2 do not and may be booked again\?$/,
        ),
      ],
    ]);
    rig.clock.now = Date.parse(early.retryAt ?? '');
    expect((await rig.run(FILE.replace('--force', ''))).exitCode).toBe(0);
  });

  test('gets no resolution from what was said before the answer came: the list says nothing of its own', async () => {
    const rig = await doubtful();
    const settlements = [said('rejected')];
    const settled = bookingAt(rig, 2, { ...UNKNOWN, state: 'rejected', settlements });
    const again = bookingAt(rig, 1, { ...UNKNOWN, settlements, overtakenBy: settled.id });
    await fill(rig, 'state', [settled, again]);
    const lines = (await rig.run('history list -o csv')).stdout.trimEnd().split('\r\n');
    expect(lines.find(line => line.includes(settled.id))).toMatch(/,not-created$/);
    expect(lines.find(line => line.includes(again.id))).toMatch(/,$/);
  });

  test('needs both legs of a pair', async () => {
    const rig = await doubtful();
    const { carrier: _, chargeableWeight: __, ...order } = JSON.parse(orderFor());
    const carriers = { international: { id: 'EXP' }, domestic: { id: 'DOM' } };
    const stdin = JSON.stringify({ ...order, carriers });
    const { booking } = errorOf(await rig.failing('ship-dual -f - --key A --json', { stdin }));
    rig.file('unknown.csv', `id,resolution,shipmentId\n${booking},created,S-1\n`);
    expect((await problemsOf(rig, `${FILE} --unchecked`))[0]).toContain('domesticShipmentId');
    rig.file('unknown.csv', `id,resolution,shipmentId,domesticShipmentId\n${booking},created,S-1,D-1\n`);
    expect((await rig.run(`${FILE} --unchecked`)).exitCode).toBe(0);
    expect((await rig.shown('A')).shipmentIds).toEqual(['S-1', 'D-1']);
  });
});
