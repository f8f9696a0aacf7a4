import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareEnvironment, builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt.json');

/** An emulator as a process of its own; its address is read off the one line that it prints. */
async function emulator(world: World, ...argv: string[]) {
  const running = waybill(world, ['emulator', '--port', '0', ...argv]);
  const line = await running.firstLine();
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
  const stop = (signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM') => {
    running.child.kill(signal);
    return running.ended;
  };
  const call = (argv: string) => waybill(world, argv, { env: { WAYBILL_BASE_URL: address } }).ended;
  return { line, address, stop, call };
}

describe('waybill emulator', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints one line when it is ready, and stops cleanly on %s',
    async signal => {
      const { line, address, stop } = await emulator(await createWorld());
      expect(
        (await fetch(`${address}/v1/shipments/gone`, { headers: { authorization: 'Bearer demo' } })).status,
      ).toBe(404);
      expect((await fetch(`${address}/sandbox/v1/shipments/gone`)).status).toBe(401);
      expect(await stop(signal)).toEqual({ code: 0, signal: null, stdout: `${line}\n`, stderr: '' });
      await expect(fetch(address)).rejects.toThrow();
    },
  );

  test('prints the address alone with -q, for scripts', async () => {
    const { line, address, stop } = await emulator(await createWorld(), '-q');
    expect(line).toBe(address);
    await stop();
  });

  test('splits a token from its scopes at the first colon', async () => {
    const { call, stop } = await emulator(
      await createWorld(),
      '--token',
      'demo:shipment:label',
      '--token',
      'all',
    );
    expect((await call(`ship -f ${ORDER} --carrier EXP --no-input`)).code).toBe(3);
    expect((await call('track gone')).code).toBe(4);
    await stop();
  });

  test('keeps its data in the file of --data between runs, and keeps nothing without it', async () => {
    const world = await createWorld();
    const file = join(world.folder, 'world.db');
    const first = await emulator(world, '--data', file);
    const { stdout } = await first.call(`ship -f ${ORDER} --carrier EXP -q`);
    const id = stdout.trim();
    expect(id).not.toBe('');
    await first.stop();
    const second = await emulator(world, '--data', file);
    expect((await second.call(`track ${id}`)).code).toBe(0);
    await second.stop();
    const third = await emulator(world);
    expect((await third.call(`track ${id}`)).code).toBe(4);
    await third.stop();
  });
});

describe('waybill emulator -- COMMAND', () => {
  const around = (world: World, script: string, env = {}) =>
    waybill(world, ['emulator', '--port', '0', '--', 'bash', '-c', script], {
      env: { NODE: process.execPath, COMMAND: command(), ...env },
    });

  test('runs the command with the address of the emulator, and ends with its exit code', async () => {
    const world = await createWorld();
    const env = {
      WAYBILL_PROFILE: 'live',
      WAYBILL_TOKEN: 'real',
      WAYBILL_AUTH_HEADER: 'X-Real',
      WAYBILL_SANDBOX: '1',
    };
    const script =
      '"$NODE" "$COMMAND" track gone -q; echo "$? $WAYBILL_BASE_URL $WAYBILL_SANDBOX_BASE_URL $WAYBILL_TOKEN [$WAYBILL_PROFILE$WAYBILL_AUTH_HEADER]"; exit 7';
    const { code, stdout } = await around(world, script, env).ended;
    expect(code).toBe(7);
    expect(stdout).toMatch(/^4 (http:\/\/127\.0\.0\.1:\d+) \1\/sandbox demo \[\]\n$/);
    expect(stdout).not.toContain(world.address);
    expect(world.seen).toEqual([]);
  });

  test('ends with 128 plus the signal if a signal ends the command', async () => {
    expect((await around(await createWorld(), 'kill -KILL $$').ended).code).toBe(137);
  });

  test('ends with 127 if the command cannot be run, as a shell does', async () => {
    const { code, stderr } = await waybill(await createWorld(), 'emulator --port 0 -- no-such-program').ended;
    expect([code, stderr]).toEqual([127, expect.stringContaining('no-such-program')]);
  });

  test('forwards a SIGTERM to the command and waits for its end', async () => {
    const { child, firstLine, ended } = around(
      await createWorld(),
      `exec "$NODE" -e '
        process.on("SIGTERM", () => { console.log("mended"); process.exitCode = 3; clearInterval(alive); });
        const alive = setInterval(() => {}, 1000);
        console.log("ready");'`,
    );
    expect(await firstLine()).toBe('ready');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 3, stdout: 'ready\nmended\n' });
  });
});

test('on a terminal it says first that it is not a carrier, also with --json, and stdout has only its line', async () => {
  const { folder } = await createWorld();
  const stdoutToFile = join(folder, 'ready.json');
  const env = bareEnvironment(folder);
  const at = open([command(), 'emulator', '--port', '0', '--json'], { env, stdoutToFile });
  await at.waitFor('{"note":"This is the emulator of waybill, not a carrier');
  at.kill('SIGTERM');
  expect((await at.ended).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(stdoutToFile, 'utf8'))).toMatchObject({ token: 'demo' });

  const around = open([command(), 'emulator', '--port', '0', '--', 'env'], { env, rows: 90 });
  expect((await around.ended).exitCode).toBe(0);
  expect(around.screen()).toMatch(
    /^This is the emulator of waybill, not a carrier: nothing is booked, moved or charged[\s\S]*`waybill emulator --help`/,
  );
  // docs/emulator.md lists the variables that the command gets.
  const found = [...around.screen().matchAll(/^(WAYBILL_\w+)=/gm)].map(([, name = '']) => name);
  const page = readFileSync('docs/emulator.md', 'utf8');
  const told = [...page.matchAll(/^\| (`WAYBILL_.*?) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(told.sort()).toEqual(found.filter(name => !Object.hasOwn(env, name)).sort());
});
