import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { bareEnvironment, builtCommand, commandsOf, createWorld, start, type World } from '../rig/process.ts';

const command = builtCommand();
const { waybill, shell } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');

describe('exit codes and streams', () => {
  test.each([
    ['0: done', 'quote --from TR --to DE --package 1kg@10x10x10cm --json', 0],
    ['2: a wrong command line', 'quote --bogus', 2],
    ['4: not found', 'track gone', 4],
  ])('%s', async (_, argv, code) => {
    const world = await createWorld();
    const ended = await waybill(world, argv).ended;
    expect(ended.code).toBe(code);
    // A result on stdout and nothing else anywhere, or an error on stderr and nothing else anywhere.
    if (code === 0) expect([JSON.parse(ended.stdout).proposals.length > 0, ended.stderr]).toEqual([true, '']);
    else expect([ended.stdout, ended.stderr]).toEqual(['', expect.stringMatching(/^error: [^\n]*\n$/)]);
  });

  test.each([
    ['3: a refused token', 'track a', 3, { env: { WAYBILL_TOKEN: 'wrong' } }],
    ['7: no server there', 'track a --retries 0', 7, { env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } }],
    ['10: a file that is not there', 'quote -f gone.json', 10, {}],
  ])('%s', async (_, argv, code, more) => {
    expect((await waybill(await createWorld(), argv, more).ended).code).toBe(code);
  });

  test('6, 8 and 9: too many requests, an unknown outcome, a missing part', async () => {
    const busy = await createWorld({ faults: [{ kind: 429, probability: 1 }] });
    expect((await waybill(busy, 'track a --retries 0').ended).code).toBe(6);
    const hook = 'webhook create --url https://a.example/x --event shipment.status.updated';
    const broken = await createWorld({ faults: [{ kind: 'reset-after', probability: 1 }] });
    expect((await waybill(broken, hook).ended).code).toBe(8);
    expect(broken.seen).toHaveLength(1);
    const fine = await createWorld();
    const shipped = await waybill(fine, `ship -f ${ORDER} --carrier EXP -q`).ended;
    expect(shipped).toMatchObject({ code: 0, stderr: '' });
    expect((await waybill(fine, `track ${shipped.stdout.trim()} gone -q`).ended).code).toBe(9);
  });

  test('what the print command prints goes to stderr: stdout has only the result', async () => {
    const world = await createWorld();
    const programs = join(world.folder, 'bin');
    mkdirSync(programs);
    writeFileSync(join(programs, 'lp'), '#!/bin/sh\necho "request id is desk-1 (1 file(s))"\n', {
      mode: 0o755,
    });
    const order = JSON.parse(readFileSync(ORDER, 'utf8'));
    writeFileSync(join(world.folder, 'shop.jsonl'), `${JSON.stringify({ key: 'A-1', ...order })}\n`);
    const at = { env: { PATH: `${programs}:${world.env.PATH}` }, cwd: world.folder };
    const commands = [
      'batch ship shop.jsonl --carrier EXP --label --print --json',
      'label A-1 --print --reprint --json',
      'batch label shop.jsonl --merge all.pdf --print --reprint --json',
    ];
    for (const argv of commands) {
      const { code, stdout, stderr } = await waybill(world, argv, at).ended;
      expect([code, typeof JSON.parse(stdout)]).toEqual([0, 'object']);
      expect(stderr).toContain('request id is desk-1 (1 file(s))');
    }
  });

  test('stderr has only our own messages, also if Node is told to show every warning', async () => {
    const world = await createWorld();
    const env = { NODE_OPTIONS: '--pending-deprecation --trace-warnings' };
    const commands = [
      'quote --from TR --to DE --package 1kg@10x10x10cm',
      `ship -f ${ORDER} --carrier EXP -q`,
      'profile list',
    ];
    for (const ended of await Promise.all(commands.map(argv => waybill(world, argv, { env }).ended)))
      expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/warning/i) });
  });

  test('without profile and environment the error names the demo, which needs neither', async () => {
    const world = await createWorld();
    const bare = { ...world, env: bareEnvironment(world.folder) };
    const quote = 'quote --from TR --to DE --package 1kg@10x10x10cm -q';
    expect(await waybill(bare, quote).ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--profile demo'),
    });
    expect(await waybill(bare, `${quote} --profile demo`).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('EXP'),
    });
  });

  test('the demo keeps its data from one command to the next', async () => {
    const world = await createWorld();
    const bare = { ...world, env: { ...bareEnvironment(world.folder), WAYBILL_PROFILE: 'demo' } };
    const { stdout, stderr } = await waybill(bare, `ship -f ${ORDER} --carrier EXP --json --query id -o text`)
      .ended;
    expect(stderr).toContain('demo');
    expect(await waybill(bare, `track ${stdout.trim()} -q`).ended).toMatchObject({ code: 0 });
  });
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
    expect(await firstLine('stderr')).toBe(`Anna Beispiel (${id}): pending_arrival_at_warehouse`);
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
  const big = (world: World) => {
    const body = { originCountry: 'TR', destinationCountry: 'DE', note: 'x'.repeat(BIG), packages: [] };
    return start('bash', ['-c', 'cat > big.json'], {
      env: world.env,
      cwd: world.folder,
      stdin: JSON.stringify(body),
    }).ended;
  };
  const DRY = 'waybill quote -f big.json --package 1kg@1x1x1cm --allow-unknown --dry-run --json 2> err';

  test('a slow pipe gets all 5 MB', async () => {
    const world = await createWorld();
    await big(world);
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
    await big(world);
    const ended = await shell(world, `${DRY} | head -c 1; echo " \${PIPESTATUS[0]}"; cat err`);
    expect(ended.stdout).toMatch(/^\{ 0\n/);
    expect(ended.stdout + ended.stderr).not.toMatch(/EPIPE|at .*waybill/);
  });

  test('a stderr without a reader does not stop a booking', async () => {
    const world = await createWorld();
    const ended = await shell(
      world,
      `waybill ship -f ${ORDER} --carrier EXP --verbose -o text 2> >(:); echo $?`,
    );
    expect(ended.stdout.trim().split('\n').at(-1)).toBe('0');
    expect(world.seen.filter(({ path }) => path === '/v1/shipments')).toHaveLength(1);
  });

  test('an unreadable stdin is exit 10, and the error names it', async () => {
    const ended = await shell(await createWorld(), 'waybill quote -f - 0> written; echo $?');
    expect([ended.stdout, ended.stderr]).toEqual(['10\n', expect.stringContaining('stdin cannot be read')]);
  });
});

const noFull = !existsSync('/dev/full') && 'there is no /dev/full';

describe.skipIf(noFull)(titled('a full disk', noFull), () => {
  test('behind stdout is exit 10, and the error says that the work is done', async () => {
    const world = await createWorld();
    const ended = await shell(world, `waybill ship -f ${ORDER} --carrier EXP --json > /dev/full; echo $?`);
    expect(ended.stdout).toBe('10\n');
    const { error } = JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'storage', message: expect.stringContaining('did its work') });
    expect(world.seen.filter(({ path }) => path === '/v1/shipments')).toHaveLength(1);
  });

  test.each(['--help', '--version', 'schema --openapi'])(
    'behind stdout of %s is exit 10, and not an internal error',
    async argv => {
      const ended = await shell(await createWorld(), `waybill ${argv} > /dev/full; echo $?`);
      expect([ended.stdout, ended.stderr]).toEqual(['10\n', expect.stringContaining('ENOSPC')]);
      expect(ended.stderr).not.toContain('internal error');
    },
  );
});
