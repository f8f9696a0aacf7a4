// A copy of the journal.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig, type RigOptions, type RunOptions } from '../../rig/command.ts';
import { describeShared, sharedPlace } from '../../rig/postgres.ts';
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
  test('is copied by PostgreSQL’s own program', async () => {
    const env = { WAYBILL_JOURNAL: (await sharedPlace()).address };
    const { run } = await booked({ env });
    const refused = await run('history backup copy.db');
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('pg_dump --file=copy.db') });
  });
});
