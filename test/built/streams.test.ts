import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';

const command = builtCommand();
const { waybill, shell } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');

test('stdout has only the result and stderr only our own messages, also if Node is told to show every warning', async () => {
  const world = await createWorld();
  const env = { NODE_OPTIONS: '--pending-deprecation --trace-warnings' };
  for (const [argv, code, says] of [
    ['quote --from TR --to DE --package 1kg@10x10x10cm --json', 0, /^$/],
    [`ship -f ${ORDER} --carrier EXP -q`, 0, /^$/],
    ['quote --bogus', 2, /^error: [^\n]*\n$/],
    ['track gone', 4, /^error: [^\n]*\n$/],
  ] as const) {
    const ended = await waybill(world, argv, { env }).ended;
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(says) });
    expect([argv, ended.stdout !== '']).toEqual([argv, code === 0]);
  }
});

test('what the print command prints goes to stderr: stdout has only the result', async () => {
  const world = await createWorld();
  const programs = join(world.folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'lp'), '#!/bin/sh\necho "request id is desk-1 (1 file(s))"\n', {
    mode: 0o755,
  });
  const env = { PATH: `${programs}:${world.env.PATH}` };
  const ship = `ship -f ${ORDER} --carrier EXP --label --print -q`;
  const { code, stdout, stderr } = await waybill(world, ship, { env }).ended;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^shp_\w+\n$/)]);
  expect(stderr).toContain('request id is desk-1 (1 file(s))');
});

describe('a very long limit', () => {
  test('a --timeout that is too long for a timer does not end at once', async () => {
    const world = await createWorld({ latency: 50 });
    const { code, stderr } = await waybill(world, `ship -f ${ORDER} --carrier EXP --timeout 9999999 -q`)
      .ended;
    expect([code, stderr]).toEqual([0, '']);
  });

  test('an --interval that is too long for a timer still pauses', async () => {
    const world = await createWorld();
    const id = (await waybill(world, `ship -f ${ORDER} --carrier EXP -q`).ended).stdout.trim();
    const { child, firstLine, ended } = waybill(world, `track ${id} --watch --interval 9999999`);
    expect(await firstLine('stderr')).toBe(`Anna Beispiel (${id}): pending arrival at warehouse`);
    // Another command is a second in which the first would have asked again and again.
    await waybill(world, 'track other').ended;
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stderr: expect.not.stringContaining('Warning') });
    expect(world.seen.filter(({ path }) => path.endsWith(id))).toHaveLength(1);
  });
});

describe('pipes', () => {
  const BIG = 5_000_000;
  // The largest thing that a command prints as it got it: a dry run of a request.
  const big = ({ folder }: World) => {
    const body = { originCountry: 'TR', destinationCountry: 'DE', note: 'x'.repeat(BIG), packages: [] };
    writeFileSync(join(folder, 'big.json'), JSON.stringify(body));
  };
  const DRY = 'waybill quote -f big.json --package 1kg@1x1x1cm --allow-unknown --dry-run --json 2> err';

  test('a slow pipe gets all 5 MB', async () => {
    const world = await createWorld();
    big(world);
    const slow = `process.stdin.once('readable', () => setTimeout(() => { let n = 0; process.stdin.on('data', c => n += c.length).on('end', () => console.log(n)) }, 200))`;
    const ended = await shell(
      world,
      `${DRY} | "$NODE" -e "$SLOW"; echo "\${PIPESTATUS[0]}"; ${DRY} | wc -c`,
      { SLOW: slow },
    );
    const [piped, code, whole] = ended.stdout.trim().split('\n').map(Number);
    expect([code, piped === whole, (whole ?? 0) > BIG]).toEqual([0, true, true]);
  });

  test('a pipe that is closed early is no error: no stack trace, exit 0', async () => {
    const world = await createWorld();
    big(world);
    const ended = await shell(world, `${DRY} | head -c 1; echo " \${PIPESTATUS[0]}"; cat err`);
    expect(ended.stdout).toMatch(/^\{ 0\n/);
    expect(ended.stdout + ended.stderr).not.toMatch(/EPIPE|at .*waybill/);
  });

  test('a pipe that is closed early is exit 10 if what it did not take is recorded as given to somebody', async () => {
    const world = await createWorld();
    // The command begins when the pipe is closed.
    const early = (argv: string) =>
      `rm -f closed; { until [ -e closed ]; do sleep 0.01; done; waybill ${argv}; } | { exec <&-; : > closed; }; echo "\${PIPESTATUS[0]}"`;
    const ended = await shell(
      world,
      `waybill -q ship -f ${ORDER} --carrier EXP --key W1 --label --profile demo; ${early('history handover -y --profile demo')}; ${early('history list --profile demo')}`,
    );
    expect(ended.stdout.trim().split('\n').slice(-2)).toEqual(['10', '0']);
    expect(ended.stderr).toContain(
      'It is recorded: `waybill history handover --again 1 --profile demo --yes`',
    );
  });

  test('an unreadable stdin is exit 10, and the error names it', async () => {
    const ended = await shell(await createWorld(), 'waybill quote -f - 0> written; echo $?');
    expect([ended.stdout, ended.stderr]).toEqual(['10\n', expect.stringContaining('stdin cannot be read')]);
  });
});
