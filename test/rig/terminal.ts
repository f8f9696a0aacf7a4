// Runs a program on a real terminal (a pty), and gives the screen that a person sees.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { beforeAll, onTestFinished } from 'vitest';
import type { Choice, PromptStyle } from '../../src/host/question.ts';
import { buildScript } from './build.ts';
import { temporaryFolder } from './profile.ts';

const KEYS = {
  enter: '\r',
  esc: '\x1b',
  up: '\x1b[A',
  down: '\x1b[B',
  left: '\x1b[D',
  tab: '\t',
  backspace: '\x7f',
  'ctrl-c': '\x03',
  'ctrl-d': '\x04',
  'ctrl-z': '\x1a',
} as const;

/** For a program that hangs: the longest wait for a screen, in ms. */
const HANGS = 5 * 60_000;

export interface OpenOptions {
  /** The program; the default is Node. */
  program?: string;
  columns?: number;
  rows?: number;
  env: Record<string, string>;
  cwd?: string;
  /** The file for stdout. stdin and stderr stay on the terminal. */
  stdoutToFile?: string;
  /** Added after the command in the shell: `< /dev/null`, `<&-`. */
  redirect?: string;
  /** Prints the settings of the terminal (`stty -g`) before and after the program. */
  settings?: boolean;
}

export interface Screen {
  /** All lines that were shown, with those that scrolled away, without spaces at their ends. */
  screen(): string;
  /** Every byte that was written to the terminal. */
  raw(): string;
  /** Resolves when the screen shows the text. Rejects with the screen if the program ends before or hangs. */
  waitFor(wanted: string | RegExp): Promise<void>;
  type(text: string): void;
  /** Pastes as a terminal does: marked as a paste if the program asks for that, and with line breaks as Enter. */
  paste(text: string): void;
  key(name: keyof typeof KEYS): void;
  kill(signal?: NodeJS.Signals): void;
  /** The person closes the window. Resolves when it is closed, and the program was sent each SIGHUP. */
  hangUp(): Promise<void>;
  resize(columns: number, rows: number): void;
  ended: Promise<{ exitCode: number; signal: number | undefined }>;
}

/** Starts a program, by default Node, on a new terminal. It ends with the test at the latest. */
export function open(args: readonly string[], options: OpenOptions): Screen {
  const { columns = 100, rows = 30, env, cwd, stdoutToFile, redirect = '', settings = false } = options;
  const { program = process.execPath } = options;
  const toFile = stdoutToFile === undefined ? '' : '> "$STDOUT"';
  const run = `"$0" "$@" ${redirect} ${toFile}`;
  const script = settings ? `stty -g; ${run}; code=$?; stty -g; exit $code` : `exec ${run}`;
  const pty = spawn('/bin/sh', ['-c', script, program, ...args], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    ...(cwd !== undefined && { cwd }),
    env: { ...env, ...(stdoutToFile !== undefined && { STDOUT: stdoutToFile }) },
  });
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of [...watchers]) watcher();
  };
  let raw = '';
  let hasEnded = false;
  pty.onData(data => {
    raw += data;
    terminal.write(data, look);
  });
  const ended = new Promise<{ exitCode: number; signal: number | undefined }>(done => {
    pty.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      // By then the last output is on the screen.
      terminal.write('', () => {
        look();
        done({ exitCode, signal: signal || undefined });
      });
    });
  });
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    if (!hasEnded) pty.kill(signal);
  };

  const screen = () => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, at) =>
      (active.getLine(at)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  };
  const isThere = (wanted: string | RegExp) =>
    typeof wanted === 'string' ? screen().includes(wanted) : wanted.test(screen());

  onTestFinished(async () => {
    kill();
    await ended;
    terminal.dispose();
  });

  return {
    screen,
    raw: () => raw,
    ended,
    kill,
    hangUp: () =>
      new Promise(resolve => {
        const window = pty as unknown as { once(event: 'close', closed: () => void): void; destroy(): void };
        window.once('close', resolve);
        window.destroy();
      }),
    resize(columns, rows) {
      pty.resize(columns, rows);
      terminal.resize(columns, rows);
    },
    type: text => pty.write(text),
    paste(text) {
      const typed = text.replace(/\r?\n/g, '\r');
      pty.write(terminal.modes.bracketedPasteMode ? `\x1b[200~${typed}\x1b[201~` : typed);
    },
    key: name => pty.write(KEYS[name]),
    waitFor: wanted =>
      new Promise((resolve, reject) => {
        const settle = (how: () => void) => {
          clearTimeout(timer);
          watchers.delete(watcher);
          how();
        };
        const fail = (what: string) =>
          settle(() => reject(new Error(`${what} before the screen showed ${wanted}:\n${screen()}\n`)));
        const watcher = () => {
          if (isThere(wanted)) settle(resolve);
          else if (hasEnded) fail('the program ended');
        };
        const timer = setTimeout(() => fail(`${HANGS} ms went by`), HANGS);
        watchers.add(watcher);
        watcher();
      }),
  };
}

/** A question without its functions; see questions.ts for those. */
export type Bare = { message: string; hint?: string; defaultAnswer?: string } & (
  | { kind: 'text'; value?: string }
  | { kind: 'secret' | 'search' | 'confirm' }
  | { kind: 'choice' | 'several'; choices: readonly Choice[]; isOpen?: boolean }
);

export const CITY = { kind: 'text', message: 'City' } as const;
export const NAME = { kind: 'text', message: 'Name' } as const;
export const COUNTRY = { kind: 'search', message: 'Country' } as const;
export const CARRIER = {
  kind: 'choice',
  message: 'Carrier',
  choices: [
    { value: 'ECO', name: 'Economy' },
    { value: 'BIG', name: 'Freight', disabled: '(from 30 kg on)' },
    { value: 'EXP', name: 'Express' },
  ],
} as const;

export interface Asked extends Screen {
  /** The answers, after the program has ended. */
  answers(): Promise<string[]>;
}

/** A terminal that shows questions, one after the other. */
export function questions(
  manner: PromptStyle,
): (list: readonly Bare[], options?: Partial<OpenOptions>) => Asked {
  let script: string;
  beforeAll(async () => {
    script = await buildScript('test/host/questions.ts');
  });
  return (list, options = {}) => {
    const folder = temporaryFolder();
    const stdoutToFile = join(folder, 'answers');
    const QUESTIONS = JSON.stringify(list.map(question => ({ id: question.kind, ...question })));
    const env = { PATH: process.env.PATH ?? '', ...options.env, QUESTIONS, MANNER: manner };
    const screen = open([script], { ...options, env, stdoutToFile });
    return {
      ...screen,
      async answers() {
        await screen.ended;
        return JSON.parse(readFileSync(stdoutToFile, 'utf8'));
      },
    };
  };
}
