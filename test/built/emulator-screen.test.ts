import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bareEnvironment, builtCommand, createWorld, start } from '../rig/process.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();

describe('the first screen of waybill emulator', () => {
  test('says on a terminal that it is not a carrier, and then its address', async () => {
    const { folder } = await createWorld();
    const terminal = open([command(), 'emulator', '--port', '0'], { env: bareEnvironment(folder) });
    await terminal.waitFor(/waybill emulator: http/);
    const [not, address] = terminal.screen().split(/^(?=waybill emulator: )/m);
    expect(not).toMatch(/not a carrier: nothing is booked, moved or charged/);
    expect(not).toContain('`waybill emulator --help`');
    expect(address?.trim()).toMatch(
      /^waybill emulator: http:\/\/127\.0\.0\.1:\d+ \(sandbox: .*, token: demo\)$/,
    );
    terminal.kill('SIGTERM');
    expect((await terminal.ended).exitCode).toBe(0);
  });

  test('writes only the line for scripts to stdout, also with --json', async () => {
    const { folder } = await createWorld();
    const file = `${folder}/ready.json`;
    const terminal = open([command(), 'emulator', '--port', '0', '--json'], {
      env: bareEnvironment(folder),
      stdoutToFile: file,
    });
    await terminal.waitFor('{"note":"This is the emulator of waybill, not a carrier');
    terminal.kill('SIGTERM');
    expect((await terminal.ended).exitCode).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ token: 'demo' });
  });

  test('is not shown with -q', async () => {
    const { folder } = await createWorld();
    const terminal = open([command(), 'emulator', '--port', '0', '-q'], { env: bareEnvironment(folder) });
    await terminal.waitFor(/^http:\/\/127\.0\.0\.1:\d+$/m);
    expect(terminal.screen().trim()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    terminal.kill('SIGTERM');
    await terminal.ended;
  });

  test('comes before the output of the command that it runs', async () => {
    const { folder } = await createWorld();
    const terminal = open([command(), 'emulator', '--port', '0', '--', 'echo', 'mine'], {
      env: bareEnvironment(folder),
    });
    expect((await terminal.ended).exitCode).toBe(0);
    expect(terminal.screen()).toMatch(/^This is the emulator[\s\S]*\nmine$/);
  });
});

test('docs/emulator.md lists the environment variables that the command gets', async () => {
  const { folder } = await createWorld();
  const env = bareEnvironment(folder);
  const { stdout } = await start(process.execPath, [command(), 'emulator', '--port', '0', '--', 'env'], {
    env,
  }).ended;
  const found = stdout
    .split('\n')
    .map(line => line.split('=')[0] ?? '')
    .filter(name => name.startsWith('WAYBILL_') && !Object.hasOwn(env, name));
  const page = readFileSync('docs/emulator.md', 'utf8');
  const told = [...page.matchAll(/^\| (`WAYBILL_.*?) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(told.sort()).toEqual(found.sort());
});
