// In production: it runs anywhere, a signal stops it without losing anything, and what it comes with.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonLines, linesIn, order, orders } from '../rig/batch.ts';
import type { Rig } from '../rig/command.ts';
import { titled } from '../rig/needs.ts';
import { builtCommand, createWorld, QUOTE, SHIP, slow, stageOf, start } from '../rig/process.ts';
import { bareRig } from '../rig/profile.ts';
import { UNDECIDED } from '../rig/service.ts';
import { http } from '../rig/sockets.ts';
import { each, promises } from './promise.ts';
import { ORDER } from './rigs.ts';

const command = builtCommand();

// Anywhere

const cannot = (option: string) => spawnSync('unshare', [option, 'true']).status !== 0;
const noUsers = cannot('--map-user=54321') && 'no user id of its own can be given to a process here';
const noMounts = cannot('-rm') && 'no disk of its own can be given to a process here';

const HERE = '"$NODE" "$COMMAND"';
const ADD = 'profile add shop --base-url https://a.example';
const OWN = { WAYBILL_STATE_DIR: 'FOLDER/state', WAYBILL_CONFIG_DIR: 'FOLDER/config' };

/** A script with the environment of a service, and without the folders of a rig. An empty variable is none. */
async function anywhere(script: string, env: Record<string, string> = {}) {
  const { folder, env: own, seen } = await createWorld({ journalLost: true });
  const all = { ...own, WAYBILL_CONFIG_DIR: '', WAYBILL_STATE_DIR: '', ...env };
  const kept = Object.entries(all).filter(([, value]) => value !== '');
  const variables = Object.fromEntries(kept.map(([name, value]) => [name, value.replace('FOLDER', folder)]));
  const { shell } = stageOf(command, { env: variables, folder });
  const ended = await shell(script.replaceAll('FOLDER', folder));
  expect(ended.stderr).not.toMatch(/\n +at |internal error/);
  return { ...ended, booked: seen.filter(({ path }) => path === '/v1/shipments').length };
}

const BOOK = 'ship -f FOLDER/order.json --key A-1';
const NO_HOME = 'unshare --map-user=54321 env -u HOME';
const NO_DISK = `mkdir home; unshare -rm sh -c 'mount -t tmpfs -o ro none "$HOME" && exec "$@"' sh`;

describe('It runs without a home', () => {
  test.skipIf(noUsers).each([
    [QUOTE, 0, /ECO/, {}],
    ['--version', 0, /^\d/, {}],
    [BOOK, 10, /WAYBILL_STATE_DIR/, {}],
    [BOOK, 0, /^/, { WAYBILL_STATE_DIR: 'FOLDER/state' }],
    [ADD, 10, /WAYBILL_CONFIG_DIR/, {}],
    [ADD, 0, /^/, { WAYBILL_CONFIG_DIR: 'FOLDER/config' }],
  ] as const)(
    titled('for a user without an entry: %s ends with %i', noUsers),
    async (argv, exit, says, env) => {
      const ran = await anywhere(`${NO_HOME} ${HERE} ${argv}`, { XDG_CACHE_HOME: '', ...env });
      expect([ran.code, exit === 0 ? ran.stdout : ran.stderr], ran.stderr).toEqual([
        exit,
        expect.stringMatching(says),
      ]);
      if (exit === 10) expect(ran.booked).toBe(0);
    },
  );

  test.skipIf(noMounts).each([
    [QUOTE, 0, /ECO/],
    [BOOK, 10, /WAYBILL_STATE_DIR/],
  ] as const)(titled('on a disk that is read-only: %s ends with %i', noMounts), async (argv, exit, says) => {
    const env = { HOME: 'FOLDER/home', XDG_CACHE_HOME: '' };
    const ran = await anywhere(`${NO_DISK} ${HERE} ${argv}`, env);
    expect([ran.code, exit === 0 ? ran.stdout : ran.stderr], ran.stderr).toEqual([
      exit,
      expect.stringMatching(says),
    ]);
    if (exit === 10) expect(ran.booked).toBe(0);
  });

  test.each([
    [QUOTE, 0, /ECO/],
    [BOOK, 0, /^/],
    ['label --international S-1 --download labels', 10, /labels is relative/],
    [SHIP, 10, /the current folder was deleted/],
  ] as const)('in a folder that was deleted: %s ends with %i', async (argv, exit, says) => {
    const ran = await anywhere(`mkdir gone; cd gone; rmdir ../gone; ${HERE} ${argv}`, OWN);
    expect([ran.code, exit === 0 ? ran.stdout : ran.stderr], ran.stderr).toEqual([
      exit,
      expect.stringMatching(says),
    ]);
  });

  test.each([
    ['WAYBILL_STATE_DIR', BOOK, 10],
    ['WAYBILL_CONFIG_DIR', ADD, 10],
    ['XDG_CACHE_HOME', QUOTE, 0],
  ])('with %s where nothing can be made: %s ends with %i', async (variable, argv, exit) => {
    const ran = await anywhere(`${HERE} ${argv}`, { ...OWN, [variable]: '/proc/waybill' });
    expect(ran.code, ran.stderr).toBe(exit);
    if (exit === 10) expect(ran.stderr).toContain(variable);
  });
});

// Stopped

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

promises('A signal', [
  ...SIGNALS.map(([signal, exit]) => ({
    says: `waits for the booking in flight, and records it: ${signal}`,
    rig: ORDER,
    run: 'ship order.json --key A-1 --json',
    onRequest: (_: unknown, { interrupt }: { interrupt(name: typeof signal): void }) => interrupt(signal),
    exit,
    error: { code: 'interrupted', created: true },
    json: { carrier: { id: 'EXP' } },
    sent: ['POST /v1/shipments'],
    also: async (_: unknown, rig: Rig) =>
      expect(await rig.json('history list --state created')).toHaveLength(1),
  })),
  ...SIGNALS.map(([signal, exit]) => ({
    says: `starts no further record of a batch: ${signal}`,
    rig: { files: { 'orders.jsonl': jsonLines(orders(20)) } },
    run: 'batch ship orders.jsonl --concurrency 2 --json',
    onRequest: (_: unknown, { interrupt }: { interrupt(name: typeof signal): void }) => interrupt(signal),
    exit,
    json: { stopped: signal },
    error: { retry: 'same' },
    also: ({ requests }: { requests: unknown[] }, rig: Rig) => {
      expect(requests.length).toBeLessThanOrEqual(4);
      const states = linesIn(rig).map(({ state }) => state);
      expect([states.length, states.includes('unknown')]).toEqual([20, false]);
      expect(states.filter(state => state === 'created')).toHaveLength(requests.length);
    },
  })),
  {
    says: 'before the booking books nothing',
    rig: { files: { 'undecided.json': UNDECIDED } },
    run: 'ship undecided.json --carrier fastest --key A-1',
    onRequest: (_, { interrupt }) => interrupt('SIGTERM'),
    exit: 143,
    sent: ['POST /v1/carriers/proposal'],
  },
]);

const BOOKED = http(201, '{"id":"S-1","carrier":{"id":"EXP","price":20,"currency":"EUR"}}');

describe('A signal to the process', () => {
  test.each(SIGNALS)('%s is waited for, and ends with %i', async (signal, exit) => {
    const { run, server } = await slow(command);
    const { child, firstLine, ended } = run(SHIP);
    await server.received(1);
    child.kill(signal);
    await firstLine('stderr');
    server.each(socket => socket.write(BOOKED));
    expect(await ended).toMatchObject({ code: exit, stdout: expect.stringContaining('S-1') });
    expect((await run(`${SHIP} -q`).ended).stdout).toBe('S-1\n');
    expect(server.requests).toHaveLength(1);
  });

  test('for the second time leaves the booking unknown', async () => {
    const { run, server } = await slow(command);
    const { child, firstLine, ended } = run(SHIP);
    await server.received(1);
    child.kill('SIGTERM');
    await firstLine('stderr');
    child.kill('SIGTERM');
    await ended;
    expect((await run(SHIP).ended).code).toBe(8);
    expect(server.requests).toHaveLength(1);
  });

  test('reaches a step that begins with exec', async () => {
    const { env, folder, server } = await slow(command);
    const { child, firstLine, ended } = start('bash', ['-c', `exec ${HERE} ${SHIP}`], {
      env: { ...env, NODE: process.execPath, COMMAND: command() },
      cwd: folder,
    });
    await server.received(1);
    child.kill('SIGTERM');
    await firstLine('stderr');
    server.each(socket => socket.write(BOOKED));
    expect(await ended).toMatchObject({ code: 143, stdout: expect.stringContaining('S-1') });
  });
});

test('documented steps use exec', () => {
  const action = parse(readFileSync('action.yml', 'utf8'));
  const runs = action.runs.steps.map(({ run = '' }: { run?: string }) => run);
  expect(runs.filter((run: string) => run.includes('run.mjs'))).toEqual([expect.stringMatching(/^exec /)]);
  const page = readFileSync('docs/scripts.md', 'utf8');
  const steps = [...page.matchAll(/- run: (.*waybill batch.*)/g)].map(([, run = '']) => run);
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) expect(step).toMatch(/^exec /);
});

// Had

promises('waybill --version --json', [
  {
    says: 'names version, Node, platform, journal schema and the engines of the journal',
    rig: bareRig,
    run: '--version --json',
    sent: [],
    json: {
      version: expect.any(String),
      node: expect.stringMatching(/^\d+\./),
      platform: expect.stringMatching(/^\w+-\w+$/),
      journal: { sqlite: expect.any(Number), postgresql: expect.any(Number) },
      engines: { sqlite: expect.stringMatching(/^\d+\.\d+/) },
    },
  },
]);

const NOBODY = { WAYBILL_JOURNAL: 'postgres://127.0.0.1:1/none' };

promises('The address of a shared journal', [
  ...each(
    { says: 'may have a connect_timeout and the port of a socket', exit: 10, stderr: 'journal', sent: [] },
    [
      {
        run: 'ship order.json --key A-1',
        rig: ORDER,
        env: { WAYBILL_JOURNAL: 'postgres://127.0.0.1:1/waybill?connect_timeout=5' },
      },
      {
        run: 'history check',
        env: { WAYBILL_JOURNAL: 'postgres:///waybill?host=/nowhere/sockets&port=5433&connect_timeout=1' },
      },
    ],
  ),
  ...each({ says: 'has no other parameter', exit: 2, sent: [] }, [
    { run: 'history check', env: { WAYBILL_JOURNAL: 'postgres://127.0.0.1:1/w?connect_timeout=0' } },
    { run: 'history check', env: { WAYBILL_JOURNAL: 'postgres:///w?host=/nowhere&port=0' } },
    { run: 'history check', env: { WAYBILL_JOURNAL: 'postgres://127.0.0.1:1/w?ssl=false' } },
    { run: 'history check', env: { WAYBILL_JOURNAL: 'mysql://127.0.0.1:1/w' } },
  ]),
  ...each({ says: 'has one word for its failovers', exit: 2, stderr: 'lossless', sent: [] }, [
    { run: 'history list', env: { ...NOBODY, WAYBILL_JOURNAL_FAILOVER: 'lossy' } },
    {
      run: 'ship order.json --key A-1',
      rig: ORDER,
      env: { ...NOBODY, WAYBILL_JOURNAL_FAILOVER: 'LOSSLESS' },
    },
  ]),
  ...each({ says: 'that nobody answers for stops no command that books nothing there', exit: 0 }, [
    { run: QUOTE, env: NOBODY },
    { run: 'ship order.json --dry-run', rig: ORDER, env: NOBODY },
    { run: 'schema ship', env: NOBODY },
    { run: 'profile list', env: NOBODY },
    { run: 'ship order.json --profile demo', rig: ORDER, env: NOBODY },
  ]),
]);

const { bin, files, dependencies = {}, scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('It is had as', () => {
  test('an npm package with its documents and pictures, and with no script at its installation', () => {
    expect(bin).toEqual({ waybill: expect.stringContaining('bin/waybill.js') });
    for (const part of ['bin', 'dist', 'docs']) expect(files.join(' ')).toContain(part);
    expect(readdirSync('docs').some(name => name.endsWith('.svg'))).toBe(true);
    expect(Object.keys(scripts).filter(name => /^(pre|post)?install$/.test(name))).toEqual([]);
    expect(Object.keys(dependencies).length).toBeLessThan(3);
  });

  test('a bundle with the licences of what is in it', () => {
    const text = readFileSync(join(command(), '../../dist/THIRD-PARTY-LICENSES'), 'utf8');
    expect(text).toMatch(/commander[\s\S]*MIT/);
  });

  test('a container image for a user without rights', () => {
    const user = /^USER (\d+)/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1];
    expect(Number(user)).toBeGreaterThan(0);
    expect(readFileSync('docs/scripts.md', 'utf8')).toContain('--read-only');
  });

  test('a GitHub Action that writes a job summary and annotations', async () => {
    const { inputs, outputs, runs } = parse(readFileSync('action.yml', 'utf8'));
    expect(runs.using).toBe('composite');
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(['file', 'operation', 'options', 'command']));
    expect(Object.keys(outputs)).toEqual(
      expect.arrayContaining(['exit-code', 'created', 'failed', 'unknown']),
    );
    const { env, folder } = await createWorld();
    const records = [order('ORDER-1'), order('ORDER-2', { category: 'sale' })];
    writeFileSync(join(folder, 'orders.jsonl'), jsonLines(records));
    const { ended } = start('bash', ['-c', 'node "$ACTION/run.mjs"; node "$ACTION/report.mjs"'], {
      env: {
        ...{ ...env, ACTION: resolve('action'), COMMAND: command(), FOLDER: folder },
        ...{ OPERATION: 'ship', FILE: 'orders.jsonl', OPTIONS: '--skip-invalid' },
        ...{ GITHUB_STEP_SUMMARY: join(folder, 'summary'), GITHUB_OUTPUT: join(folder, 'output') },
        ...{ GITHUB_WORKSPACE: folder, GITHUB_SERVER_URL: 'https://github.example' },
        ...{ GITHUB_REPOSITORY: 'shop/orders', GITHUB_RUN_ID: '77' },
      },
      cwd: folder,
    });
    expect((await ended).stdout).toMatch(/^::error file=orders\.jsonl,line=2,/m);
    expect(readFileSync(join(folder, 'summary'), 'utf8')).toMatch(/ORDER\\?-2/);
    expect(readFileSync(join(folder, 'output'), 'utf8')).toMatch(/^created=1$/m);
  });
});

test('the page on a shared journal says how many connections there are, which poolers do, and how a fleet is upgraded', () => {
  const page = readFileSync('docs/journal.md', 'utf8');
  expect(page).toMatch(/connections: at most \d+ for each process/);
  expect(page).toMatch(/pooler/);
  expect(page).toMatch(/upgrade|one number/i);
});
