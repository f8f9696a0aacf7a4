import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareEnvironment, builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);

test.each([
  ['SIGINT', 'demo', ''],
  ['SIGTERM', 'mine', '-q --data world.db --token mine:shipment:label'],
] as const)(
  'an emulator prints one line when it is ready, and stops cleanly on %s',
  async (signal, token, flags) => {
    const world = await createWorld();
    const { child, firstLine, ended } = waybill(world, `emulator --port 0 ${flags}`);
    const line = await firstLine();
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (flags.includes('-q')) expect(line).toBe(address);
    const statusOf = async (path: string, given: string) =>
      (await fetch(address + path, { headers: { authorization: `Bearer ${given}` } })).status;
    expect(await statusOf('/v1/shipments/gone', token)).toBe(404);
    expect(await statusOf('/sandbox/v1/shipments/gone', 'other')).toBe(401);
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null, stdout: `${line}\n`, stderr: '' });
    await expect(fetch(address)).rejects.toThrow();
    expect(existsSync(join(world.folder, 'world.db'))).toBe(flags.includes('--data'));
  },
);

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
