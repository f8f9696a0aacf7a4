// Which streams a form needs, and where its result goes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, createWorld, start } from '../rig/process.ts';
import type { OpenOptions } from '../rig/terminal.ts';
import { answerAll, BODY, booked, formIn, KEEP, REVIEW, SHIPMENT } from './form-rig.ts';

const command = builtCommand();

// What an empty sheet lacks, and what gives it.
const MISSING = [
  ['type', '--type', ': package or document'],
  ['category', '--category', ': gift, sample, micro export, sales or document'],
  ['packages', '--package'],
  ['items', '--item'],
  ['customs.totalGoodsValue', '--total-goods-value'],
  ['customs.currency', '--currency'],
  ['sender', '--sender'],
  ['receiver', '--receiver'],
  ['carrier.id', '--carrier'],
] as const satisfies [field: string, flag: string, choices?: string][];

function namesAllThatIsMissing(shown: string): void {
  expect(shown).toMatch(
    /^error: ship: the request has 9 problems; nothing was sent\. `waybill schema ship --example` prints/,
  );
  for (const [field, flag, choices = ''] of MISSING)
    expect(shown).toContain(`${field}  is required${choices} (${flag})`);
}

describe('the command asks and draws nothing, and names every missing field with its flag,', () => {
  const QUIET: readonly [why: string, argv: string, Partial<OpenOptions>][] = [
    ['with a closed stdin', 'ship', { redirect: '<&-' }],
    ['with /dev/null for stdin', 'ship', { redirect: '< /dev/null' }],
    // The shell makes a pipe of it.
    ['with a pipe for stdin', 'ship', { redirect: '<<END\npackage\nEND\n' }],
    ['with a file for stderr', 'ship', { redirect: '2> stderr.txt' }],
    ['in a CI', 'ship', { env: { CI: 'true' } }],
    ['with --no-input', 'ship --no-input', {}],
  ];
  test.each(QUIET)('%s', async (_, argv, options) => {
    const world = await createWorld();
    const at = formIn(world, command(), argv, options);
    expect(await at.ended).toMatchObject({ exitCode: 2 });
    const isElsewhere = options.redirect?.startsWith('2>');
    namesAllThatIsMissing(isElsewhere ? readFileSync(join(world.folder, 'stderr.txt'), 'utf8') : at.screen());
    expect(at.raw()).not.toMatch(/\x1b\[[?\d]*[A-HJKhl]|What is shipped|esc back/);
    expect(world.seen).toEqual([]);
  });

  test('without a terminal, and with a pipe that stays open', async () => {
    const world = await createWorld();
    const { env, folder: cwd } = world;
    const { ended } = start(process.execPath, [command(), 'ship'], { env, cwd, stdin: { open: true } });
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    namesAllThatIsMissing(stderr);
    expect(stderr).not.toContain('\x1b');
  });
});

describe('with the form on the terminal and stdout in a file or pipe', () => {
  test.each([
    ['ship -q', 'a file', ''],
    ['ship --json', 'a pipe', '| cat'],
  ])('%s writes only its data to %s', async (argv, _, pipe) => {
    const world = await createWorld();
    const stdoutToFile = join(world.folder, 'out');
    const at = formIn(world, command(), argv, { stdoutToFile, redirect: pipe });
    await answerAll(at, [...SHIPMENT, REVIEW, KEEP]);
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    const out = readFileSync(stdoutToFile, 'utf8');
    const id = argv.endsWith('-q') ? /^(shp_\w+)\n$/.exec(out)?.[1] : JSON.parse(out).id;
    expect(id).toMatch(/^shp_\w+$/);
    // What becomes of a booking is said beside the result, with JSON.
    const beside = at.screen().replace(/\{"booking":[^}]*\}\}/g, '');
    expect(beside).not.toContain(id);
    expect(booked(world)).toEqual([BODY]);
  });
});
