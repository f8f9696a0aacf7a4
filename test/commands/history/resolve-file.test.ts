// The CSV of the unknown bookings, with the column `resolution` filled in, settles them all.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bookingAt, fill } from '../../rig/journal.ts';
import { describeBoth } from '../../rig/postgres.ts';
import { errorOf } from '../../rig/service.ts';
import { type Doubtful, doubtful, orderFor } from '../../rig/settling.ts';

const LIST = 'history list --state unknown -o csv';
const FILE = 'history resolve --file unknown.csv --json --reason portal --force';

type Cells = Record<string, string>;

/** The rows of the file, oldest first, as a person fills them in. */
async function filledIn(rig: Doubtful, fill: (row: Cells) => Cells, delimiter = ','): Promise<string> {
  const { stdout } = await rig.run(LIST);
  const [header = '', ...lines] = stdout.trimEnd().split('\r\n');
  const columns = header.split(',');
  const rows = lines.toReversed().map(line => {
    // A comma in a quoted cell, as in a reason.
    const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell);
    const row = Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']));
    return { ...row, ...fill(row) };
  });
  const lineOf = (row: Cells) =>
    columns
      .map(column =>
        row[column]?.includes(delimiter) && !row[column].startsWith('"') ? `"${row[column]}"` : row[column],
      )
      .join(delimiter);
  const text = [columns.join(delimiter), ...rows.map(lineOf)].join('\r\n');
  writeFileSync(join(rig.folder, 'unknown.csv'), text);
  return text;
}

describeBoth('history resolve --file', journal => {
  test('settles what is filled in, counts it, and leaves the rest', async () => {
    const rig = await doubtful({ journal });
    for (const key of ['A', 'B', 'C']) await rig.unknown(key, { firstName: key });
    const shipment = await rig.shipment({ firstName: 'A' });
    await filledIn(rig, ({ key }) =>
      key === 'A'
        ? { resolution: 'created', shipmentId: shipment }
        : { resolution: key === 'B' ? ' Not-Created ' : '' },
    );
    const ran = await rig.run([
      'history',
      'resolve',
      '--file',
      'unknown.csv',
      '--reason',
      'portal',
      '--force',
      '--json',
    ]);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ file: 'unknown.csv', created: 1, notCreated: 1, left: 1 });
    expect(await rig.shown('A')).toMatchObject({
      ...{ state: 'created', carrier: 'EXP', shipmentIds: [shipment] },
      settlements: [{ state: 'created', reason: 'portal' }],
    });
    expect(await rig.shown('B')).toMatchObject({ state: 'rejected' });
    expect(await rig.shown('C')).toMatchObject({ state: 'unknown', settlements: [] });
  });

  test('writes nothing if one row is wrong, and says all problems with their lines', async () => {
    const rig = await doubtful({ journal });
    for (const key of ['A', 'B', 'C', 'D', 'E', 'F', 'G']) await rig.unknown(key, { firstName: key });
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
    const { exitCode, ...ran } = await rig.run(FILE);
    expect(exitCode).toBe(2);
    const { issues } = errorOf({ ...ran, exitCode });
    expect(issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^line 2: .*no shipmentId/),
      expect.stringMatching(/^line 3: .*"creatd".*did you mean created/),
      expect.stringMatching(/^line 4: .*gone/),
      expect.stringMatching(/^line 5: .*is the shipment of booking bk_\w+ \(key "OTHER"\)/),
      expect.stringMatching(/^line 6: .*goes to Berta Beispiel/),
      expect.stringMatching(/^line 7: .*no booking with the id "bk_none"/),
      expect.stringMatching(/^line 8: .*not unknown any more/),
    ]);
    expect((await rig.run('history list --state unknown -q')).stdout.trim().split('\n')).toHaveLength(6);
  });
});

describe('history resolve --file', () => {
  test.each([';', '\t'])(
    'takes a file that a spreadsheet saved with %j, and what it protected',
    async delimiter => {
      const rig = await doubtful();
      await rig.unknown('A', { firstName: 'A' });
      await filledIn(rig, () => ({ resolution: 'created', shipmentId: "'-S-1" }), delimiter);
      const ran = await rig.run(`${FILE} --unchecked`);
      expect(ran).toMatchObject({ exitCode: 0, requests: [] });
      expect(await rig.shown('A')).toMatchObject({ shipmentIds: ['-S-1'] });
    },
  );

  test('takes stdin, and says in words what it did', async () => {
    const rig = await doubtful();
    for (const key of ['A', 'B', 'C']) await rig.unknown(key, { firstName: key });
    const stdin = await filledIn(rig, ({ key }) => ({ resolution: key === 'C' ? '' : 'not-created' }));
    const ran = await rig.run('history resolve --file - --reason portal --force', { stdin });
    expect(ran.stdout).toBe(
      '2 bookings were resolved: 0 created, 2 not created. 1 row without a resolution was left.\n',
    );
  });

  test.each([
    ['one id twice', { A: 'S-1', B: 'S-1' }, [/^line 3: S-1 is given twice: line 2 has it already/]],
    ['an id that a spreadsheet changed', { A: '1.23457E+17' }, [/^line 2: .*format its column as text/]],
  ])('refuses %s', async (_, ids, messages) => {
    const rig = await doubtful();
    for (const key of ['A', 'B']) await rig.unknown(key, { firstName: key });
    await filledIn(rig, ({ key = '' }) =>
      key in ids ? { resolution: 'created', shipmentId: ids[key as keyof typeof ids] ?? '' } : {},
    );
    const ran = await rig.run(`${FILE} --unchecked`);
    expect(ran.exitCode).toBe(2);
    expect(errorOf(ran).issues.map(({ path, message }) => `${path}: ${message}`)).toEqual(
      messages.map(one => expect.stringMatching(one)),
    );
  });

  test('needs a reason for each row that was not created: that of the command, or its own in place of the cause', async () => {
    const rig = await doubtful();
    for (const key of ['A', 'B']) await rig.unknown(key, { firstName: key });
    await rig.later(15 * 60_000);
    const bare = 'history resolve --file unknown.csv --json';
    const reasonOf = async (key: string) => ((await rig.shown(key)).settlements as Cells[])[0]?.reason;
    await filledIn(rig, ({ key }) => ({
      resolution: 'not-created',
      ...(key === 'B' && { reason: 'phone' }),
    }));
    const refused = await rig.run(bare);
    expect([refused.exitCode, errorOf(refused).issues]).toMatchObject([
      2,
      [{ path: 'line 2', message: expect.stringMatching(/needs a reason/) }],
    ]);
    expect((await rig.run(`${bare} --reason portal`)).exitCode).toBe(0);
    expect([await reasonOf('A'), await reasonOf('B')]).toEqual(['portal', 'phone']);
  });

  test('is refused until 15 minutes after the last of them was sent', async () => {
    const rig = await doubtful();
    for (const key of ['A', 'B']) await rig.unknown(key, { firstName: key });
    await filledIn(rig, () => ({ resolution: 'not-created' }));
    const early = await rig.run('history resolve --file unknown.csv --json --reason portal');
    expect([early.exitCode, errorOf(early)]).toMatchObject([
      2,
      { retry: 'later', retryAt: expect.any(String), issues: [{ path: 'line 2' }, { path: 'line 3' }] },
    ]);
    rig.clock.now = Date.parse(errorOf(early).retryAt ?? '');
    expect((await rig.run('history resolve --file unknown.csv --reason portal')).exitCode).toBe(0);
  });

  test('on a terminal tells how long ago the newest was sent', async () => {
    const rig = await doubtful();
    for (const key of ['A', 'B']) await rig.unknown(key, { firstName: key });
    await filledIn(rig, () => ({ resolution: 'not-created' }));
    const ran = await rig.run('history resolve --file unknown.csv', { terminal: true, answer: true });
    expect(ran.asked).toEqual([
      expect.stringMatching(
        /^The newest of them was sent 0 min ago, .* 2 were not, and may be booked again\?$/,
      ),
    ]);
    expect(ran.exitCode).toBe(0);
  });

  test('refuses a booking that is there twice', async () => {
    const rig = await doubtful();
    const id = await rig.unknown('A');
    rig.file('unknown.csv', `id,resolution\n${id},not-created\n${id},not-created\n`);
    const ran = await rig.run(FILE);
    expect([ran.exitCode, errorOf(ran).issues]).toMatchObject([
      2,
      [{ path: 'line 3', message: `booking ${id} is on line 2 already` }],
    ]);
  });

  test('gets no resolution from what was said before the answer came: the list says nothing of its own', async () => {
    const rig = await doubtful();
    const said = { at: 1, state: 'rejected', ids: {}, by: 'anna', reason: null, run: null } as const;
    const unknown = { state: 'unknown', code: 'outcome_unknown', ids: {}, answer: null } as const;
    const settled = bookingAt(rig, 2, { ...unknown, state: 'rejected', settlements: [said] });
    const again = bookingAt(rig, 1, { ...unknown, settlements: [said], overtakenBy: settled.id });
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
    expect(errorOf(await rig.run(`${FILE} --unchecked`)).issues[0]?.message).toContain('domesticShipmentId');
    rig.file('unknown.csv', `id,resolution,shipmentId,domesticShipmentId\n${booking},created,S-1,D-1\n`);
    expect((await rig.run(`${FILE} --unchecked`)).exitCode).toBe(0);
    expect((await rig.shown('A')).shipmentIds).toEqual(['S-1', 'D-1']);
  });

  test('says which columns it needs, and goes with nothing that settles one booking', async () => {
    const rig = await doubtful();
    rig.file('unknown.csv', 'key,state\nA,unknown\n');
    expect(errorOf(await rig.run(FILE)).message).toContain('history list --state unknown -o csv');
    for (const more of ['A', '--not-created', '--created S', '--reopen', '--domestic D'])
      expect(await rig.run(`${FILE} ${more}`)).toMatchObject({ exitCode: 2, requests: [] });
  });

  test('does not read the service for a row that is wrong, and stops if it cannot be read', async () => {
    const rig = await doubtful();
    await rig.unknown('A');
    await filledIn(rig, () => ({ resolution: 'created', shipmentId: 'S-1' }));
    const ran = await rig.run(FILE, { env: { WAYBILL_TOKEN: 'wrong' } });
    expect([ran.exitCode, errorOf(ran).message]).toEqual([3, expect.stringContaining('--unchecked')]);
  });
});
