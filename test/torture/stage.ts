// A folder, a witness in place of the service, and processes of a command that use both.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheOf } from '../rig/build.ts';
import { Ledger } from '../rig/ledger.ts';
import { bareEnvironment, type Ended, launch, spawned } from '../rig/process.ts';
import { listening } from '../rig/sockets.ts';
import { cutToLastSync } from './power-loss.ts';
import { PROBE } from './probe.ts';
import { startWitness, type Witness } from './witness.ts';

/** No command of these tests takes so long: one that does is stuck, and the test says with what it had written. */
const LIMIT_MS = 20 * 60_000;

export interface RunOptions {
  stdin?: string;
  /** The process is killed at that step. The command needs probes. */
  step?: string;
  /** The process is stopped at that step, and not killed. */
  stop?: boolean;
  /** The process waits at this gate before it claims. */
  gate?: Gate;
  /** Added to the environment of all commands. */
  env?: Record<string, string>;
}

export interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
}

export interface Stage {
  witness: Witness;
  /** Where the commands run. */
  folder: string;
  /** Starts the command with these arguments. */
  start(argv: readonly string[], options?: RunOptions): Started;
  run(argv: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Removes from the disk what was not synced. No process may be running. */
  cutPower(): void;
  /** The test loses the journal on purpose: it is not held against what was sent. */
  losesJournal(): void;
}

/**
 * Calls `act` with a new stage and removes the stage afterwards. In the end the journals are held against what was sent, as
 * in each rig: what they do not say is added to the broken promises that `act` gives, or else it fails. `more`: added to the
 * environment of all commands.
 */
export async function onStage<T>(
  command: string,
  act: (stage: Stage) => Promise<T>,
  more: Record<string, string> = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-stage-'));
  const witness = await startWitness();
  const running = new Map<ChildProcess, Promise<unknown>>();
  const ledger = new Ledger(more.WAYBILL_JOURNAL);
  let isLost = false;
  const env = {
    ...bareEnvironment(folder),
    XDG_CACHE_HOME: cacheOf(command),
    WAYBILL_BASE_URL: witness.url,
    WAYBILL_TOKEN: 't',
    ...more,
  };
  const start: Stage['start'] = (argv, { stdin, step, stop, gate, env: own } = {}) => {
    const all = { ...env, ...own };
    ledger.add([], all);
    const [program, words] = launch(command, argv);
    const { child, text, ended } = spawned(program, words, {
      cwd: folder,
      stdin,
      env: {
        ...all,
        ...(step !== undefined && { [PROBE.step]: step }),
        ...(stop && { [PROBE.stop]: 'yes' }),
        ...(gate && { [PROBE.gate]: String(gate.port) }),
      },
    });
    const done = new Promise<Ended>((resolve, reject) => {
      const limit = setTimeout(() => {
        const { pid, exitCode, signalCode } = child;
        const ends = `exit code ${exitCode}, signal ${signalCode}`;
        reject(new Error(`${argv.join(' ')} (${pid}) is stuck (${ends}): ${JSON.stringify(text)}`));
      }, LIMIT_MS);
      ended.then(resolve, reject).finally(() => {
        clearTimeout(limit);
        running.delete(child);
      });
    });
    running.set(child, ended);
    return { child, ended: done };
  };
  try {
    const result = await act({
      witness,
      folder,
      start,
      run: (argv, options) => start(argv, options).ended,
      cutPower: () => cutToLastSync(join(folder, 'state/journal.db')),
      losesJournal: () => {
        isLost = true;
      },
    });
    ledger.add(witness.passed, {});
    const wrong = isLost ? [] : await ledger.disagreements();
    if (Array.isArray(result)) result.push(...wrong);
    else if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return result;
  } finally {
    for (const child of running.keys()) child.kill('SIGKILL');
    await Promise.allSettled(running.values());
    await witness.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends the process with that signal after so long, unless it has ended before. */
export async function endedAfter(
  { child, ended }: Started,
  ms: number,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<Ended> {
  const timer = setTimeout(() => child.kill(signal), ms);
  const end = await ended;
  clearTimeout(timer);
  return end;
}

export interface Listed {
  id: string;
  key: string | null;
  state: string;
  shipmentIds: string[];
}

/** The list of the journal. */
export async function history(stage: Pick<Stage, 'run'>, ...filter: string[]): Promise<Listed[]> {
  const { code, stdout, stderr } = await stage.run(['history', 'list', ...filter, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** A place where processes wait for each other, so that a race does not depend on how fast they start. */
export interface Gate {
  port: number;
  /** Resolves when this many are waiting. */
  waiting(count: number): Promise<void>;
  /** Lets through the waiting processes and those that come later. */
  open(): void;
  close(): Promise<void>;
}

export async function createGate(): Promise<Gate> {
  let isOpen = false;
  let arrived = () => {};
  const server = net.createServer(socket => {
    if (isOpen) socket.end('go');
    setImmediate(() => arrived());
  });
  const { port, open } = await listening(server);
  return {
    port,
    waiting: count =>
      new Promise(resolve => {
        arrived = () => open.size >= count && resolve();
        arrived();
      }),
    open() {
      isOpen = true;
      for (const socket of open) socket.end('go');
    },
    close() {
      for (const socket of open) socket.destroySoon();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}
