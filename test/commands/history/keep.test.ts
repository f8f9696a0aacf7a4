// Whether the journal can be used, a copy of it, and what it need not keep.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type RigOptions, type RunOptions } from '../../rig/command.ts';
import { describeBoth, describeShared, sharedPlace } from '../../rig/postgres.ts';
import { errorOf, SHIPMENT } from '../../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const SHIP = 'ship -f - --key K-1 -q';

/** A machine that has booked K-1. */
async function booked(options: RigOptions = {}) {
  const rig = await createRig(options);
  const journal = join(rig.folder, 'state/journal.db');
  const run = (argv: string, options: RunOptions = {}) => rig.run(argv, { stdin, ...options });
  expect((await run(SHIP)).exitCode).toBe(0);
  return { rig, journal, run };
}

describe('history check', () => {
  test('says that the journal can be used, and how large it is', async () => {
    const { run, journal } = await booked();
    const { exitCode, stdout } = await run('history check');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^The journal \S+ can be used: 1 booking, 0 unknown, [\d.]+ kB, SQLite 3\.\d+\.\d+\.\n$/,
      ),
    ]);
    expect(JSON.parse((await run('history check --json')).stdout)).toEqual({
      ...{
        journal,
        shared: false,
        bookings: 1,
        unknown: 0,
        bytes: expect.any(Number),
        engine: expect.stringMatching(/^SQLite 3\./),
      },
      ...{ missingSince: null, restorations: [] },
    });
    expect((await run('history check -q')).stdout).toBe('1\n');
  });

  test('is exit 10 for a journal that a booking would refuse', async () => {
    const { run, journal } = await booked({ journalLost: true });
    for (const end of ['', '-wal', '-shm']) rmSync(`${journal}${end}`, { force: true });
    expect(await run('history check')).toMatchObject({ exitCode: 10, requests: [] });
    expect((await run('history check --new-journal')).exitCode).toBe(0);
    const env = { WAYBILL_REQUIRE_JOURNAL: '1' };
    rmSync(join(journal, '..'), { recursive: true });
    expect(await run('history check', { env })).toMatchObject({ exitCode: 10 });
    expect(existsSync(journal)).toBe(false);
    expect((await run('history check', { env: { ...env, WAYBILL_STATE_DIR: '' } })).exitCode).toBe(10);
  });
});

describeBoth('history check of a journal that was not there', journal => {
  test('makes it, and says so once, with -q too, unless --new-journal was to make it', async () => {
    const { run } = await createRig();
    const place = async () => (journal === 'shared' ? (await sharedPlace()).address : '');
    const env = { WAYBILL_JOURNAL: await place() };
    const first = await run('history check -q', { env });
    expect([first.exitCode, first.stdout]).toEqual([0, '0\n']);
    expect(first.stderr).toContain('and this check has made a new one');
    expect(first.stderr).toContain(journal === 'shared' ? 'WAYBILL_JOURNAL' : 'WAYBILL_STATE_DIR');
    expect(await run('history check', { env })).toMatchObject({ exitCode: 0, stderr: '' });
    const other = { env: { WAYBILL_JOURNAL: await place() } };
    const ran = await (await createRig()).run('history check --new-journal', other);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('history backup', () => {
  test('copies the journal into a file that only the user may read; in place of the journal it knows its keys', async () => {
    const { rig, run, journal } = await booked();
    const { exitCode, stdout } = await run('history backup copy.db --json');
    const copy = join(rig.folder, 'copy.db');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { file: copy, bytes: statSync(copy).size }]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    rmSync(join(journal, '..'), { recursive: true });
    mkdirSync(join(journal, '..'));
    copyFileSync(copy, journal);
    expect((await run('history check --restored --reason moved')).exitCode).toBe(0);
    expect(await run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
  });

  test('never replaces a file, and leaves none behind if it fails', async () => {
    const { rig, run, journal } = await booked({ journalLost: true });
    writeFileSync(join(rig.folder, 'mine'), 'mine');
    expect(errorOf(await run('history backup mine --json'))).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(readFileSync(join(rig.folder, 'mine'), 'utf8')).toBe('mine');
    const nowhere = errorOf(await run('history backup no/copy.db --json'));
    expect(nowhere).toMatchObject({ exitCode: 10, message: expect.stringContaining('no such folder') });
    for (const end of ['-wal', '-shm']) rmSync(`${journal}${end}`, { force: true });
    writeFileSync(journal, 'x'.repeat(8192));
    expect((await run('history backup copy.db')).exitCode).toBe(10);
    expect(existsSync(join(rig.folder, 'copy.db'))).toBe(false);
  });
});

describeShared('A shared journal', () => {
  test('is checked in the same way, and is copied by PostgreSQL’s own program', async () => {
    const env = { WAYBILL_JOURNAL: (await sharedPlace()).address };
    const { run } = await booked({ env });
    expect(JSON.parse((await run('history check --json')).stdout)).toMatchObject({
      ...{ shared: true, bookings: 1, unknown: 0 },
      journal: expect.stringMatching(/^postgres:/),
    });
    const refused = await run('history backup copy.db');
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('pg_dump --file=copy.db') });
  });
});
