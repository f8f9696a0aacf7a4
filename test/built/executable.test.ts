// The executable as a user has it: one file in an empty folder, with no program on the PATH. `npm run test:executable` makes
// it and runs these tests.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { SHIPMENT_BODY } from '../rig/person.ts';
import { createWorld, type Ended, start, type World } from '../rig/process.ts';
import { SHIPMENT as ORDER } from '../rig/service.ts';
import { batchKilled } from '../torture/batch.ts';
import { SEED } from '../torture/size.ts';
import { ASKED, answerAll, booked, formIn, KEEP, REVIEW } from './form-rig.ts';

const made = process.env.WAYBILL_EXECUTABLE;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';

const NOEXEC = ['-r', '-m', 'sh', '-c', 'mount -t tmpfs -o noexec none "$TMPDIR" && exec "$0" "$@"'];
const noMounts =
  spawnSync('unshare', [...NOEXEC, 'true'], { env: { ...process.env, TMPDIR: '/mnt' } }).status !== 0 &&
  'no disk of its own can be given to a process here';

const notMade = made === undefined && 'WAYBILL_EXECUTABLE names none';

describe.skipIf(notMade)(titled('The executable', notMade), () => {
  let alone = '';
  let waybill = '';
  beforeAll(() => {
    alone = mkdtempSync(join(tmpdir(), 'waybill-alone-'));
    waybill = join(alone, 'waybill');
    copyFileSync(resolve(made ?? ''), waybill, constants.COPYFILE_FICLONE);
    chmodSync(waybill, 0o755);
  });
  afterAll(() => {
    // Nothing was put beside it.
    const beside = readdirSync(alone);
    rmSync(alone, { recursive: true, force: true });
    expect(beside).toEqual(['waybill']);
  });

  interface Place {
    folder: string;
    env: Record<string, string>;
    /** What is in its temporary folder. */
    temporary(): string[];
    run(argv: string, more?: Record<string, string>): Promise<Ended>;
  }

  /** A folder for a user without any program. */
  function place({ folder, env }: Pick<World, 'folder' | 'env'>): Place {
    const TMPDIR = join(folder, 'tmp');
    mkdirSync(TMPDIR);
    const own = { ...env, PATH: '', TMPDIR };
    return {
      folder,
      env: own,
      temporary: () => readdirSync(TMPDIR),
      run: (argv, more) => start(waybill, argv.split(' '), { env: { ...own, ...more }, cwd: folder }).ended,
    };
  }

  test('quotes, books, makes a label and tracks with the demo, and leaves no file behind', async () => {
    const { folder, env, temporary } = place(await createWorld());
    const { WAYBILL_BASE_URL: _, WAYBILL_SANDBOX_BASE_URL: __, WAYBILL_TOKEN: ___, ...demo } = env;
    const run = (argv: string) =>
      start(waybill, argv.split(' '), { env: { ...demo, WAYBILL_PROFILE: 'demo' }, cwd: folder }).ended;
    writeFileSync(join(folder, 'order.json'), JSON.stringify(ORDER));
    expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await run(`${QUOTE} --cheapest -q`)).toMatchObject({ code: 0, stdout: 'ECO\n' });
    const shipped = await run('ship -f order.json --key ORDER-1 -q');
    expect(shipped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shp_\w+\n$/) });
    expect(await run('ship -f order.json --key ORDER-1 -q')).toMatchObject({
      code: 0,
      stdout: shipped.stdout,
    });
    expect(await run('label --key ORDER-1 --download labels')).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'labels/ORDER-1.pdf'), 'latin1')).toMatch(/^%PDF/);
    expect(await run('track --key ORDER-1')).toMatchObject({ code: 0 });
    expect(temporary()).toEqual([]);
  });

  const BOOKING = 'ship -f order.json --key ORDER-1';

  test('refuses to book if its temporary folder is missing, names the variable, and sends nothing', async () => {
    const world = await createWorld();
    const { run, folder } = place(world);
    writeFileSync(join(folder, 'order.json'), JSON.stringify(ORDER));
    const ended = await run(BOOKING, { TMPDIR: join(folder, 'nowhere') });
    expect(ended).toMatchObject({ code: 10, stdout: '' });
    expect(ended.stderr).toMatch(/SQLite cannot be unpacked .*nowhere.* Set TMPDIR to a folder/s);
    expect(booked(world)).toEqual([]);
    expect((await run('--version', { TMPDIR: join(folder, 'nowhere') })).code).toBe(0);
  });

  test('refuses to book if other users can exchange the files of its temporary folder', async () => {
    const world = await createWorld();
    const { run, folder, env } = place(world);
    writeFileSync(join(folder, 'order.json'), JSON.stringify(ORDER));
    chmodSync(env.TMPDIR ?? '', 0o777);
    const ended = await run(BOOKING);
    expect(ended).toMatchObject({ code: 10, stdout: '' });
    expect(ended.stderr).toContain('other users can change the files in it');
    expect(booked(world)).toEqual([]);
    chmodSync(env.TMPDIR ?? '', 0o1777);
    expect(await run(BOOKING)).toMatchObject({ code: 0 });
  });

  test.skipIf(noMounts)(
    titled('refuses to book if its temporary folder is mounted with noexec', noMounts),
    async () => {
      const world = await createWorld();
      const { env, folder } = place(world);
      writeFileSync(join(folder, 'order.json'), JSON.stringify(ORDER));
      const at = { env: { ...env, PATH: process.env.PATH ?? '' }, cwd: folder };
      const ended = await start('unshare', [...NOEXEC, waybill, ...BOOKING.split(' ')], at).ended;
      expect(ended).toMatchObject({ code: 10, stdout: '' });
      expect(ended.stderr).toMatch(/noexec/);
      expect(booked(world)).toEqual([]);
    },
  );

  test('asks in a terminal for the rest of a shipment, and books it', async () => {
    const world = await createWorld();
    const at = formIn(world, waybill, undefined, { program: '/usr/bin/env', env: { PATH: '' } });
    await answerAll(at, [...ASKED, REVIEW, KEEP]);
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(booked(world)).toEqual([SHIPMENT_BODY]);
  });

  test(`a batch that is killed again and again loses no record and books none twice (TORTURE_SEED=${SEED})`, async () => {
    const kills = { records: 100, kills: 4, concurrency: 4, seed: SEED, power: false };
    expect(await batchKilled(waybill, kills)).toEqual([]);
  });
});
