// Runs the built command as a process, against an emulator in this one.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, inject, onTestFinished } from 'vitest';
import { type SeenRequest, type ServerOptions, startEmulator } from '../../src/emulator/server.ts';
import { loadOpenapi } from '../../src/session/session.ts';
import { build } from './build.ts';
import { Ledger } from './ledger.ts';
import { breachesOf, type Licence, type Seen, secretsIn } from './oracles.ts';
import { SHIPMENT } from './service.ts';
import { type Raw, type Reply, rawServer } from './sockets.ts';
import type { Sent } from './traffic.ts';

/** The path of the built command, which is known when the tests of the file begin. */
export function builtCommand(): () => string {
  let command: string | undefined;
  beforeAll(async () => {
    command = await build();
  });
  return () => {
    if (command === undefined) throw new Error('The command is not built yet.');
    return command;
  };
}

export interface World {
  address: string;
  folder: string;
  seen: SeenRequest[];
  env: Record<string, string>;
}

interface WorldOptions extends ServerOptions {
  /** The journal is lost, changed, or not in a place that the environment of a command names. */
  journalLost?: boolean;
}

/** By the address of a world: to be told of each environment in which a command starts. */
const worlds = new Map<string, (env: Record<string, string>) => void>();

/** An emulator, its address in the environment of commands, and folders that are removed after the test. */
export async function createWorld({ journalLost = false, ...options }: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-world-'));
  const seen: SeenRequest[] = [];
  const emulator = await startEmulator({
    loadOpenapi,
    ...options,
    onRequest: request => seen.push(request),
  });
  onTestFinished(async () => {
    worlds.delete(emulator.address);
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    ...bareEnvironment(folder),
    WAYBILL_BASE_URL: emulator.address,
    WAYBILL_SANDBOX_BASE_URL: `${emulator.address}/sandbox`,
    WAYBILL_TOKEN: 'demo',
    WAYBILL_ECONOMY_CARRIERS: 'ECO',
  };
  const ledger = new Ledger();
  let isUsed = journalLost;
  worlds.set(emulator.address, own => {
    ledger.add([], own);
    if (isUsed) return;
    isUsed = true;
    onTestFinished(async () => {
      ledger.add(seen.map(asSent), {});
      expect(await ledger.disagreements()).toEqual([]);
    });
  });
  return { address: emulator.address, folder, seen, env };
}

const asSent = ({ method, path, body, answered }: SeenRequest): Sent => ({
  line: `${method} ${path}`,
  body,
  isEncrypted: false,
  ...(typeof answered === 'number' && { status: answered }),
  answer: [],
  isComplete: typeof answered === 'number',
});

/** Only PATH of this machine. Tests share the compiled code, as the runs of a user do. */
export const bareEnvironment = (folder: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  XDG_CACHE_HOME: join(inject('scratch'), 'cache'),
  WAYBILL_CONFIG_DIR: join(folder, 'config'),
  WAYBILL_STATE_DIR: join(folder, 'state'),
});

/** The program and the arguments that run a command: a script needs Node, an executable is one. */
export const launch = (command: string, argv: readonly string[]): [string, string[]] =>
  command.endsWith('.js') ? [process.execPath, [command, ...argv]] : [command, [...argv]];

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcessWithoutNullStreams;
  /** Resolves with the first line of the stream. */
  firstLine(stream?: 'stdout' | 'stderr'): Promise<string>;
  ended: Promise<Ended>;
}

export interface StartOptions {
  env: Record<string, string>;
  cwd?: string;
  /** `open`: nothing is written, and it stays open. */
  stdin?: string | { open: true } | undefined;
  /** Which rules of every run it may break. */
  may?: readonly Licence[];
}

/** Starts a program and reads its streams. */
export function spawned(
  program: string,
  args: readonly string[],
  { env, cwd, stdin = '' }: Omit<StartOptions, 'may'>,
) {
  const child = spawn(program, args, { env, ...(cwd !== undefined && { cwd }) });
  // A command need not read its stdin.
  child.stdin.on('error', () => {});
  if (typeof stdin === 'string') child.stdin.end(stdin);
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => done({ code, signal, ...text }));
  });
  return { child, text, ended };
}

/** The same. It is killed after the test. */
export function start(program: string, args: readonly string[], options: StartOptions): Running {
  const { env, may = [] } = options;
  worlds.get(env.WAYBILL_BASE_URL ?? '')?.(env);
  const { child, text, ended } = spawned(program, args, options);
  onTestFinished(() => {
    child.kill('SIGKILL');
    const run = { ...text, exitCode: child.exitCode, words: args, secrets: secretsIn(env), may };
    expect(breachesOf({ ...run, isDrawn: env.FORCE_COLOR !== undefined })).toEqual([]);
  });
  const firstLine = (name: 'stdout' | 'stderr' = 'stdout') =>
    new Promise<string>((done, fail) => {
      const look = () => {
        const end = text[name].indexOf('\n');
        if (end >= 0) done(text[name].slice(0, end));
      };
      look();
      child[name].on('data', look).once('end', () => fail(new Error(`no line: ${JSON.stringify(text)}`)));
    });
  return { child, firstLine, ended };
}

export const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
export const SHIP = 'ship -f order.json --key ORDER-1';

/** How a shell shows the end of a process: its exit code, or 128 and the number of the signal. */
export const seen = ({ code, signal, stdout, stderr }: Ended): Seen => ({
  exitCode: signal === null ? code : 128 + constants.signals[signal],
  stdout,
  stderr,
});

type Place = Pick<World, 'env' | 'folder'>;
interface More {
  env?: Record<string, string>;
  stdin?: StartOptions['stdin'];
}

/** Starts the built command with the folder and the environment of a world. */
export const commandsOf = (command: () => string) => ({
  /** `waybill ${argv}`; a string is split at spaces. */
  waybill: ({ env, folder }: Place, argv: string | readonly string[], more: More = {}): Running =>
    start(
      process.execPath,
      [command(), ...(typeof argv === 'string' ? argv.split(' ').filter(Boolean) : argv)],
      {
        env: { ...env, ...more.env },
        cwd: folder,
        stdin: more.stdin,
      },
    ),
  /** A script of bash in which `waybill` is the command. */
  shell: ({ env, folder }: Place, script: string, more: Record<string, string> = {}): Promise<Ended> =>
    start('bash', ['-c', `waybill() { "$NODE" "$COMMAND" "$@"; }; ${script}`], {
      env: { ...env, ...more, NODE: process.execPath, COMMAND: command() },
      cwd: folder,
    }).ended,
});

export interface Stage extends Place {
  run(argv: string, more?: More): Running;
  shell(script: string, env?: Record<string, string>): Promise<Ended>;
}

/** The same for one world, whose folder has an `order.json`. */
export function stageOf(command: () => string, { env, folder }: Place): Stage {
  writeFileSync(join(folder, 'order.json'), JSON.stringify(SHIPMENT));
  const { waybill, shell } = commandsOf(command);
  return {
    env,
    folder,
    run: (argv, more) => waybill({ env, folder }, argv, more),
    shell: (script, more) => shell({ env, folder }, script, more),
  };
}

/** A service that answers when the test says so. */
export async function slow(command: () => string, reply: Reply = () => {}): Promise<Stage & { server: Raw }> {
  const { env, folder } = await createWorld();
  const server = await rawServer(reply);
  return { server, ...stageOf(command, { env: { ...env, WAYBILL_BASE_URL: server.url.origin }, folder }) };
}
