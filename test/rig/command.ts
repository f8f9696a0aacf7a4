// Runs one command line in this process, over real HTTP, against an emulator of its own, and gives all that a user sees.
// Terminals, folders and the clock of the command are fake.

import { setMaxListeners } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { type SeenRequest, type ServerOptions, startEmulator } from '../../src/emulator/server.ts';
import { capture } from '../../src/host/programs.ts';
import type { Entry, Question } from '../../src/host/question.ts';
import { inThread } from '../../src/host/thread.ts';
import { abortedAt, type Host } from '../../src/host.ts';
import { main } from '../../src/main.ts';
import { loadOpenapi } from '../../src/session/session.ts';
import { misadvised } from './advice.ts';
import { Ledger } from './ledger.ts';
import { breachesOf, filesWith, type Licence, SECRET, secretsIn } from './oracles.ts';
import { checkOutputs, resultsIn } from './outputs.ts';
import type { JournalKind } from './postgres.ts';
import { repeated, unseen, witnessOf } from './sockets.ts';
import { recorded, type Sent } from './traffic.ts';
import { refuseMissing } from './wings.ts';

export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Both, in the order in which they were written: what a terminal shows. */
  shown: string;
  /** What arrived at the emulator while the command ran. */
  requests: SeenRequest[];
  /** Each wait of the command between attempts or polls, in milliseconds. */
  waits: number[];
  /** Yes-or-no questions that were asked. */
  asked: string[];
  /** Every question that was asked. */
  questions: Question[];
  /** Programs that were run, with their arguments. */
  programs: string[][];
}

interface Controls {
  interrupt(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void;
}

export interface RunOptions {
  /** Text, or what another program writes piece by piece. */
  stdin?: string | Readable;
  /** Is told of each text that is written to stdout. */
  onStdout?(text: string): void;
  env?: Record<string, string>;
  /** stdin and stderr, and stdout too, are terminals. */
  terminal?: boolean;
  /** But stdin is a pipe. */
  piped?: boolean;
  columns?: number;
  /** What a person answers to a yes-or-no question. */
  answer?: boolean;
  /**
   * What a person answers to any question. An error means that the person leaves, except a failed `expect`. Without this
   * function, a question other than yes or no fails the test.
   */
  answers?(question: Question): Entry | Promise<Entry>;
  /** Called for each request that arrived, just before its answer leaves. */
  onRequest?(request: SeenRequest, controls: Controls): void;
  /** Called at each wait; may change the world or interrupt. */
  onWait?(controls: Controls): void | Promise<void>;
  /** The event with which every deadline ends, instead of the real time. */
  patience?: Promise<unknown>;
  /** The longest deadline, in ms, that ends with that event. Longer ones do not. */
  upTo?: number;
  /** How many real milliseconds a deadline takes that begins after that event. */
  afterwards?: number;
  /** Called when a label is read, which takes its time. */
  onRead?(controls: Controls): void;
  /** The time limit of a program whose output is read, and of a label, in real milliseconds. */
  programLimit?: number;
  /** Called when a program is run, with its last argument; it ends after that. */
  onProgram?(file: string | undefined, controls: Controls): unknown;
  /** The number of the file system that the state folder is on. */
  fileSystem?: number;
  /** Exit code of programs that are run. */
  programCode?: number;
  /** Writes to stdout fail with this; or its reader is gone. */
  stdoutFault?: Error | 'closed';
  /** Which rules of every run it may break. */
  may?: readonly Licence[];
}

export interface Rig {
  /** `waybill ${argv}`; a string is split at spaces, but for those in single quotes. */
  run(argv: string | string[], options?: RunOptions): Promise<Ran>;
  /** What the command prints with `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into outputs that every run holds against schemas.
  json(argv: string | string[], options?: RunOptions): Promise<any>;
  /** A temporary folder, the working directory of commands. */
  folder: string;
  /** Writes a file there and gives its path. */
  file(name: string, content: unknown): string;
  address: string;
  /** The clock of the emulator and the commands. */
  clock: { now: number };
  /** Advances the clock, for a shared journal too. */
  later(ms: number): Promise<void>;
}

export interface RigOptions extends Omit<ServerOptions, 'onRequest' | 'now'> {
  /** Added to the environment of every command, which has addresses and token. */
  env?: Record<string, string>;
  /** Which journal the commands have: the one of this machine, or one in PostgreSQL. */
  journal?: JournalKind;
  /** The test loses or changes the journal: it is not held against what was sent. */
  journalLost?: boolean;
  /** Files in the folder of the rig, with their content. */
  files?: Record<string, unknown>;
}

const wordsIn = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

/** Those of the emulator of a rig. */
const TOKENS = new Map([SECRET, 'demo'].map(token => [token, 'all' as const]));

/** An emulator, its address in the environment of commands, and folders that are removed after the test. */
export async function createRig({
  journal,
  journalLost = false,
  files = {},
  ...options
}: RigOptions = {}): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  const clock = { now: Date.parse('2026-03-02T09:00:00Z') };
  const seen: SeenRequest[] = [];
  let watch: ((request: SeenRequest) => void) | undefined;
  const ledger = new Ledger();
  const secrets = new Set<string>();
  /** What the test wrote itself. */
  const own = new Set<string>();
  const emulator = await startEmulator({
    loadOpenapi,
    tokens: TOKENS,
    ...options,
    now: () => clock.now,
    onRequest: request => {
      seen.push(request);
      watch?.(request);
    },
  });
  const witness = await witnessOf(new URL(emulator.address));
  onTestFinished(async () => {
    await witness.close();
    await emulator.close();
    const found = filesWith(secrets, folder, own);
    rmSync(folder, { recursive: true, force: true });
    expect(found, 'files with a secret').toEqual([]);
  });
  // Only tests that need PostgreSQL look for it.
  const shared = journal === 'shared' ? await (await import('./postgres.ts')).emptiedPlace() : undefined;
  const env = {
    ...(shared && { WAYBILL_JOURNAL: shared.address }),
    WAYBILL_BASE_URL: witness.address,
    WAYBILL_SANDBOX_BASE_URL: `${witness.address}/sandbox`,
    WAYBILL_TOKEN: options.tokens ? 'demo' : SECRET,
    WAYBILL_ECONOMY_CARRIERS: 'ECO',
    WAYBILL_CONFIG_DIR: join(folder, 'config'),
    WAYBILL_STATE_DIR: join(folder, 'state'),
    ...options.env,
  };
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    own.add(path);
    return path;
  };
  for (const [name, content] of Object.entries(files)) file(name, content);
  const rig: Rig = {
    folder,
    clock,
    file,
    address: witness.address,
    async later(ms) {
      clock.now += ms;
      await shared?.age(ms);
    },
    async json(argv, runOptions) {
      const words = typeof argv === 'string' ? wordsIn(argv) : argv;
      return JSON.parse((await rig.run([...words, '--json'], runOptions)).stdout);
    },
    async run(argv, runOptions = {}) {
      const start = seen.length;
      const passed = witness.passed.length;
      const { host, ran, controls, failure } = fakeHost(
        folder,
        clock,
        { ...env, ...runOptions.env },
        runOptions,
      );
      const { onRequest } = runOptions;
      if (onRequest) watch = request => onRequest(request, controls);
      const words = typeof argv === 'string' ? wordsIn(argv) : argv;
      refuseMissing(words.join(' '), runOptions.answers !== undefined);
      const before = resultsIn(words, folder);
      const sent: Sent[] = [];
      const exitCode = await recorded(sent, () => main(words, host));
      if (failure()) throw failure();
      const { terminal = false, may = [] } = runOptions;
      const isDrawn = terminal || Boolean(host.env.FORCE_COLOR);
      for (const secret of secretsIn(host.env)) secrets.add(secret);
      expect(breachesOf({ ...ran(), exitCode, words, isDrawn, sent, secrets, may })).toEqual([]);
      const isFirst = ledger.isEmpty;
      ledger.add(sent, host.env);
      // Registered now, because the last registered function runs first: later the shared journal is gone.
      if (isFirst && !ledger.isEmpty && !journalLost)
        onTestFinished(async () => expect(await ledger.disagreements()).toEqual([]));
      // Pages of help name commands in prose; their examples are run as documents.
      if (!/^help\b|--help\b/.test(words.join(' ')))
        expect(await misadvised(ran()), 'commands that fail as named').toEqual([]);
      checkOutputs({ ...ran(), exitCode, words, folder, before, env: host.env });
      // The witness saw every request of the service, and no command sends a booking twice.
      expect(unseen(seen, witness.passed)).toEqual([]);
      expect(repeated(witness.passed.slice(passed))).toEqual([]);
      return { exitCode, ...ran(), requests: seen.slice(start) };
    },
  };
  return rig;
}

function fakeHost(
  folder: string,
  clock: { now: number },
  env: Record<string, string>,
  options: RunOptions,
): {
  host: Host;
  ran(): Omit<Ran, 'exitCode' | 'requests'>;
  controls: Controls;
  /** A question that the test does not expect. */
  failure(): Error | undefined;
} {
  const {
    terminal = false,
    piped = false,
    columns = 100,
    patience,
    upTo = Number.POSITIVE_INFINITY,
  } = options;
  const { afterwards = 0 } = options;
  const text = { stdout: '', stderr: '', shown: '' };
  const waits: number[] = [];
  const asked: string[] = [];
  const questions: Question[] = [];
  let failure: Error | undefined;
  const programs: string[][] = [];
  let isLate = false;
  void patience?.then(() => {
    isLate = true;
  });
  const interruption = new AbortController();
  // As the signals of a process: each attempt in flight listens to it.
  setMaxListeners(0, interruption.signal);
  const controls: Controls = { interrupt: name => interruption.abort(name) };
  const stream = (name: 'stdout' | 'stderr') => ({
    isTerminal: terminal,
    // Only a test that sets a width gets messages with line breaks.
    columns: terminal ? (name === 'stdout' ? columns : options.columns) : undefined,
    isClosed: name === 'stdout' && options.stdoutFault === 'closed',
    write: async (chunk: string) => {
      if (name === 'stdout' && options.stdoutFault === 'closed') return;
      if (name === 'stdout' && options.stdoutFault) throw options.stdoutFault;
      text[name] += chunk;
      text.shown += chunk;
      if (name === 'stdout') options.onStdout?.(chunk);
    },
  });
  const { stdin = '' } = options;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (typeof stdin === 'string') yield Buffer.from(stdin);
    else yield* addAbortSignal(interruption.signal, stdin);
  }
  const host: Host = {
    env,
    cwd: folder,
    home: folder,
    temporary: env.TMPDIR ?? folder,
    platform: 'linux',
    runtime: { node: '20.0.0', arch: 'x64', started: resolve('bin/waybill.js') },
    stdin: {
      isTerminal: terminal && !piped,
      async read() {
        const all: Uint8Array[] = [];
        for await (const chunk of chunks()) all.push(chunk);
        return Buffer.concat(all);
      },
      chunks,
    },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    now: () => clock.now,
    monotonic: () => clock.now,
    // Waiting takes no time but moves the clock, so that a minute of retries is a millisecond of test.
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      clock.now += ms;
      // Other work gets its turn.
      await new Promise(setImmediate);
      await options.onWait?.(controls);
      signal?.throwIfAborted();
    },
    turn: () => new Promise(resolve => setImmediate(resolve)),
    deadline(ms, late) {
      const isReal = patience === undefined || ms > upTo;
      if (isReal || (isLate && afterwards > 0)) {
        const timer = setTimeout(late, isReal ? onThisMachine(ms) : Math.min(ms, afterwards));
        return () => clearTimeout(timer);
      }
      let isOff = false;
      void patience?.then(() => isOff || late());
      return () => {
        isOff = true;
      };
    },
    fileSystem: () => options.fileSystem,
    ...(process.getuid && { user: process.getuid() }),
    process: { host: 'test', id: process.pid, exists: () => true },
    random: Math.random,
    interrupted: interruption.signal,
    async ask(question) {
      questions.push(question);
      const isYesOrNo = question.kind === 'confirm' || question.id === 'confirm';
      if (isYesOrNo) asked.push(question.message);
      const { answer = false, answers } = options;
      try {
        if (questions.length > MOST_QUESTIONS)
          throw new Unscripted('there is no end to the questions', question);
        if (answers) return await answers(question);
        if (isYesOrNo) return answer ? 'yes' : 'no';
        throw new Unscripted('a question that the test did not answer', question);
      } catch (error) {
        if (error instanceof Error && ['Unscripted', 'AssertionError'].includes(error.name))
          failure ??= error;
        throw abortedAt(question);
      }
    },
    async run(program, args) {
      programs.push([program, ...args]);
      await options.onProgram?.(args.at(-1), controls);
      return options.programCode ?? 0;
    },
    // These programs really run, because the system decides what happens to one that hangs or prints without end.
    async capture(program, args, limits) {
      programs.push([program, ...args]);
      const ms = options.programLimit ?? onThisMachine(limits.ms);
      return capture(program, args, { ...limits, ms }, interruption.signal);
    },
    inThread(thread, job, ms) {
      options.onRead?.(controls);
      return inThread(thread, job, options.programLimit ?? onThisMachine(ms), interruption.signal);
    },
  };
  return {
    host,
    controls,
    ran: () => ({ ...text, waits, asked, questions, programs }),
    failure: () => failure,
  };
}

/** The machine may be slow, and then no run of a test is late: only what is short enough to be meant for a test passes. */
export const onThisMachine = (ms: number): number => (ms < 5000 ? ms : Math.min(20 * ms, 2 ** 31 - 1));

// A script that always goes back would be asked endlessly, and no time limit of a test ends that.
const MOST_QUESTIONS = 1000;

class Unscripted extends Error {
  override readonly name = 'Unscripted';

  constructor(what: string, question: Question) {
    super(`${what}: ${JSON.stringify(question)}`);
  }
}
