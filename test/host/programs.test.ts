import { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { capture, run, withoutProxyUsers, withoutSecretVariables } from '../../src/host/programs.ts';
import { temporaryFolder } from '../rig/profile.ts';

const SECRETS = {
  WAYBILL_TOKEN: 'wb-token',
  PGPASSWORD: 'wb-password',
  WAYBILL_JOURNAL: 'postgres://waybill:wb-journal@db.example/waybill',
};
const never = new AbortController().signal;

test.each([
  ['postgres://waybill@db.example/waybill', true],
  ['postgres://waybill:p@db.example/waybill', false],
  ['postgres://db.example/waybill?password=p', false],
  ['host=db.example password=p', false],
])('a program gets the address of the journal %s: %s', (WAYBILL_JOURNAL, isKept) => {
  const kept = { HOME: '/home/ada', VAULT_TOKEN: 'v', PGPASSFILE: '/p', WAYBILL_STATE_DIR: '/s' };
  expect(withoutSecretVariables({ ...kept, ...SECRETS, WAYBILL_JOURNAL })).toEqual(
    isKept ? { ...kept, WAYBILL_JOURNAL } : kept,
  );
});

test('a program gets no variable that a profile names, and no user of a proxy', () => {
  const env = {
    SHIP_KEY: 'k',
    HTTPS_PROXY: 'http://me:p@ss@proxy.example:3128/',
    http_proxy: 'me:p@proxy.example:1',
  };
  const plain = { NO_PROXY: 'a.example,b.example', ALL_PROXY: 'http://proxy.example:3128' };
  // One that prints a secret may need its proxy.
  const { SHIP_KEY: _, ...proxies } = env;
  expect(withoutSecretVariables({ ...env, ...plain }, ['SHIP_KEY'])).toEqual({ ...proxies, ...plain });
  expect(withoutProxyUsers({ ...proxies, ...plain })).toEqual({
    ...plain,
    HTTPS_PROXY: 'http://proxy.example:3128/',
    http_proxy: 'proxy.example:1',
  });
});

test('a program that may not be sent a signal, as one of another user, is awaited: what it prints is printed', async () => {
  const kill = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess) {
    return !this.emit('error', new Error('kill EPERM'));
  });
  onTestFinished(() => kill.mockRestore());
  const stop = new AbortController();
  const printed = run('sh', ['-c', 'sleep 0.2; exit 3'], {}, stop.signal);
  stop.abort('SIGTERM');
  await expect(printed).resolves.toBe(3);
  expect(kill).toHaveBeenCalledOnce();
});

test('a program whose output is read does not get our secrets', async () => {
  const env = { PATH: process.env.PATH, VAULT_TOKEN: 'theirs', ...SECRETS };
  const { stdout } = await capture('env', [], { env, ms: 600_000, maxBytes: 65_536, onLine() {} }, never);
  expect(stdout.toString()).toContain('VAULT_TOKEN=theirs');
  expect(stdout.toString()).not.toMatch(/wb-/);
});

test('a program that prints a label does not get our secrets; one with an environment of its own gets that', async () => {
  for (const [name, secret] of Object.entries(SECRETS)) vi.stubEnv(name, secret);
  const shown = join(temporaryFolder(), 'shown');
  const show = ['-c', `env > ${shown}`];
  vi.stubEnv('SHIP_KEY', 'wb-key');
  expect(await run('sh', show, { without: ['SHIP_KEY'] }, never)).toBe(0);
  expect(readFileSync(shown, 'utf8')).not.toMatch(/wb-/);
  expect(await run('sh', show, { env: { PATH: process.env.PATH, WAYBILL_TOKEN: 'wb-own' } }, never)).toBe(0);
  expect(readFileSync(shown, 'utf8')).toContain('WAYBILL_TOKEN=wb-own');
  vi.unstubAllEnvs();
});

test('an interruption ends a running program with its process group', async () => {
  const leaving = new AbortController();
  const lines: string[] = [];
  const limits = {
    env: { PATH: process.env.PATH },
    cwd: '/',
    ms: 60_000,
    maxBytes: 100,
    onLine(line: string) {
      lines.push(line);
      leaving.abort('SIGTERM');
    },
  };
  const ended = capture('sh', ['-c', 'echo waiting >&2; sleep 600 & wait'], limits, leaving.signal);
  await expect(ended).rejects.toMatchObject({ code: 'interrupted', exitCode: 143 });
  expect(lines).toEqual(['waiting']);
});
