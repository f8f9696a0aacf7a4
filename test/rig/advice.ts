// Each command that an output names is typed: the program parses it, and its action checks the options. There is no run.

import { CommanderError } from 'commander';
import { Failure } from '../../src/errors.ts';
import type { Session } from '../../src/session/session.ts';
import { commandTree } from '../../src/shell/program.ts';
import type { Act } from '../../src/shell/tree.ts';
import { refuseMistyped, type TypedValues } from '../../src/shell/usage.ts';
import { refuseMissing } from './wings.ts';

/** Why a command line fails as typed; `undefined`: it does not. */
const faults = new Map<string, Promise<string | undefined>>();

/** The commands in messages for people, and in the `next` of JSON, that fail as typed, each with the reason. */
export async function misadvised(ran: { stdout: string; stderr: string }): Promise<string[]> {
  const failing: string[] = [];
  for (const line of new Set([ran.stdout, ran.stderr].flatMap(commandsIn))) {
    refuseMissing(line);
    const fault = faults.get(line) ?? faultOf(line);
    faults.set(line, fault);
    const words = await fault;
    if (words !== undefined) failing.push(`${line}: ${words}`);
  }
  return failing;
}

// In backticks, on an indented line of its own, at the end of a sentence, or as the words of `next` in JSON. The folder `waybill` in
// another one is in the help about the environment.
const NAMED =
  /`(waybill [^`]+)`|^ {2,}(?:\$ )?(waybill (?!in\b)[^\n]*[^\n\\])$|: (waybill (?!in\b)[^`")\n]*)$|"next":(\[\[.*?\]\])/gm;
/** A line of help that says what a command takes: `waybill webhook <command> [options]`. */
const USAGE = /<[a-z]+>|\[[a-z.]+\]/;
const ENDS = / (?:\|\|?|&&|>|<) |; /;

function commandsIn(output: string): string[] {
  if (!output.includes('waybill')) return [];
  return [...output.matchAll(NAMED)].flatMap(([, quoted, line, last, next]) =>
    next === undefined
      ? `${quoted ?? line ?? last}`
          .replace(/\s*\n\s*/g, ' ')
          .split(ENDS)
          .filter(part => part.startsWith('waybill ') && !USAGE.test(part))
          // All bookings are one to the parser.
          .map(part => part.replace(/\bbk_[0-9a-f]{32}\b/g, 'bk_1'))
      : (JSON.parse(next) as string[][]).map(words => words.map(quotedWord).join(' ')),
  );
}

const quotedWord = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The words of a line as a POSIX shell takes them. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  );

/** What is typed for a name in capitals whose option or argument does not take any text. */
const VALUES: Readonly<Record<string, string>> = {
  COMMAND: 'ship',
  TOPIC: 'journal',
  N: '1',
  KG: '1',
  DATE: '2026-01-01',
  TIME: '1m',
  URL: 'https://api.example.com',
  'KEY=VALUE': 'currency=EUR',
};

async function faultOf(line: string): Promise<string | undefined> {
  const [, ...words] = shellWords(line).map(word => VALUES[word] ?? word);
  const typed: TypedValues = new Map();
  let isEnded = false;
  const session = atTerminal(() => {
    isEnded = true;
    throw new Error('the action needs more than its options');
  });
  const act: Act =
    run =>
    async (...args) => {
      const command = args.at(-1) as Parameters<typeof refuseMistyped>[0];
      refuseMistyped(command, typed, words);
      await run(session, command.opts() as never, ...(args.slice(0, -2) as never[]));
    };
  try {
    const program = await commandTree(act, typed);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (isEnded) return undefined;
    const isShown =
      error instanceof CommanderError &&
      ['commander.helpDisplayed', 'commander.version'].includes(error.code);
    const isRefused = error instanceof Failure && error.code === 'usage';
    if (isRefused || (error instanceof CommanderError && !isShown)) return error.message;
  }
  return undefined;
}

/** The session of a person at a terminal. To look into anything that an action works with, or to call it, ends the action. */
function atTerminal(end: () => never): Session {
  const unusable = new Proxy(end, {
    get: end,
    has: end,
    ownKeys: end,
    getOwnPropertyDescriptor: end,
    apply: end,
  });
  const known = {
    interactive: true,
    globals: { input: true, color: false },
    limits: () => ({ refused: new Set() }),
  };
  return new Proxy(known, { get: (_, name) => Reflect.get(known, name) ?? unusable }) as unknown as Session;
}
