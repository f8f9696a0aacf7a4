// Runs blocks of shell commands as if they were pasted in an empty folder.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { bareEnvironment } from '../rig/process.ts';

export interface Block {
  /** Where it stands, for people. */
  at: string;
  kind: 'sh' | 'console';
  text: string;
  /** Why it is not run, as the marker above it says. */
  notRun?: string;
}

export interface Pasted {
  code: number;
  /** stdout and stderr, in the order in which they were written. */
  shown: string;
}

const FENCE = /(?:^<!-- not run: (.+) -->\n+)?^```(sh|console)\n([\s\S]*?)^```$/gm;

/** The blocks of a Markdown file that are for a shell. */
export const blocksIn = (markdown: string, name: string): Block[] =>
  [...markdown.matchAll(FENCE)].map(({ 0: whole, 1: notRun, 2: kind, 3: text = '', index }) => {
    const line = markdown.slice(0, index + whole.indexOf('```')).split('\n').length;
    return {
      at: `${name}:${line}`,
      kind: kind === 'console' ? 'console' : 'sh',
      text,
      ...(notRun !== undefined && { notRun }),
    };
  });

// For a block that hangs.
const LONGEST = 30 * 60_000;

/** A folder as in a checkout, with the built command as `waybill` and nothing else of the machine, in which scripts run in turn. */
function createDesk(command: string) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-pasted-'));
  const work = join(folder, 'work');
  const bin = join(folder, 'bin');
  for (const made of [work, bin]) mkdirSync(made);
  writeFileSync(join(bin, 'waybill'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  chmodSync(join(bin, 'waybill'), 0o755);
  cpSync('fixtures/orders', join(work, 'fixtures/orders'), { recursive: true });
  const env = bareEnvironment(folder);
  const options = {
    cwd: work,
    env: { ...env, PATH: `${bin}:${env.PATH}`, WAYBILL_PROFILE: 'demo' },
    timeout: LONGEST,
    encoding: 'utf8',
  } as const;
  return {
    run: (script: string) =>
      new Promise<Pasted>(done => {
        execFile('bash', ['-c', `exec 2>&1\n${script}`], options, (error, stdout) =>
          done({
            code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1,
            shown: stdout.replaceAll(work, '.'),
          }),
        ).stdin?.end();
      }),
    /** Where the variables are that a script leaves to the next one. */
    exported: join(folder, 'exported'),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a script in a folder of its own, on the profile `demo`. */
export async function pasted(command: string, script: string): Promise<Pasted> {
  const desk = createDesk(command);
  try {
    return await desk.run(script);
  } finally {
    desk.close();
  }
}

/** The lines of a block, which must all succeed. */
export const pastedWhole = (command: string, text: string): Promise<Pasted> =>
  pasted(command, `set -euo pipefail\n${text}`);

/**
 * Runs blocks one after the other, as one person pastes them into one terminal: with one folder, one journal, and the
 * variables that an earlier block exported. `first` runs before them. Each block has what it printed; of a console that is its
 * transcript.
 */
export async function pastedInTurn(
  command: string,
  blocks: readonly Block[],
  first = ':',
): Promise<Pasted[]> {
  const desk = createDesk(command);
  const before = `if [ -e '${desk.exported}' ]; then . '${desk.exported}'; else ${first}; fi`;
  const results: Pasted[] = [];
  try {
    for (const { kind, text } of blocks) {
      const lines = kind === 'sh' ? `set -euo pipefail\n${text}` : consoleScript(text);
      results.push(await desk.run(`${before}\n${lines}\nexport -p > '${desk.exported}'`));
    }
  } finally {
    desk.close();
  }
  return results;
}

/** What a console shows: each line after `$ `, and below it what it says. */
const consoleScript = (text: string): string =>
  [...text.matchAll(/^\$ (.*)$/gm)]
    .map(([, line = '']) => `printf '%s\\n' ${quoted(`$ ${line}`)}\n${line}\n`)
    .join('');

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The commands and long options in a script that the command does not have. */
export function unknownIn(program: Command, script: string): string[] {
  const lines = script.replace(/\\\n/g, ' ').replace(/'[^']*'|"[^"]*"|(^|\s)#.*/g, ' ');
  return [...lines.matchAll(/(?<=^|[\s(])waybill ([^|;&<>()\n]*)/gm)].flatMap(([, typed = '']) => {
    const words = typed.split(/\s+/).filter(Boolean);
    const [own = words.length] = [words.indexOf('--')].filter(at => at >= 0);
    let command = program;
    const path = ['waybill'];
    for (const word of words.slice(0, own)) {
      const next = command.commands.find(one => one.name() === word || one.aliases().includes(word));
      if (!next) break;
      command = next;
      path.push(word);
    }
    const options = new Set([program, command].flatMap(one => one.options.map(({ long }) => long)));
    const rest = words.slice(path.length - 1, own);
    const unknown = rest
      .map(word => word.split('=')[0] ?? '')
      .filter(word => /^--\w/.test(word) && !options.has(word) && word !== '--help');
    const isGroup = command.commands.length > 0 && /^\w/.test(rest[0] ?? '');
    return [...(isGroup ? rest.slice(0, 1) : []), ...unknown].map(word => [...path, word].join(' '));
  });
}

/** Does the work for each entry, two at a time, and gives the results in the order of the entries. */
export async function byTwo<T, R>(entries: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...entries.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all([worker(), worker()]);
  return results;
}
