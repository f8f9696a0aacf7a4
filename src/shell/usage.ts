// What is wrong with a command line, for people.
import type { Command, CommanderError } from 'commander';
import { Failure } from '../errors.ts';
import type { Environment } from '../host/programs.ts';
import { didYouMean, meantWords, nearest } from '../nearest.ts';
import type { Notice } from '../say/notices.ts';
import { shortened } from '../text.ts';
import { commandPath, valueKind } from './tree.ts';

type Instead = Extract<Notice, { kind: 'command-not-there' }>['instead'];

/** Commands that people try although they do not exist, each with the advice that is given. */
const TRIED: Readonly<Record<string, Instead>> = {
  cancel: 'cancel',
  void: 'cancel',
  delete: 'cancel',
  refund: 'cancel',
  status: 'status',
  print: 'print',
  return: 'return',
};

/** The failure for a command that people try; `undefined` for any other word. */
function triedFault(command: Command, word: string): Failure | undefined {
  const instead = Object.hasOwn(TRIED, word) ? TRIED[word] : undefined;
  const isMeant = command.parent === null || (command.name() === 'webhook' && instead === 'cancel');
  if (instead === undefined || !isMeant) return undefined;
  return new Failure('usage', { kind: 'command-not-there', typed: `${typedPath(command)} ${word}`, instead });
}

/** The subcommand with a name. `topics`: other words that could have been meant. Throws `usage`. */
export function subcommand(command: Command, word: string, topics: readonly string[]): Command {
  const match = command.commands.find(sub => sub.name() === word);
  if (match !== undefined) return match;
  const tried = triedFault(command, word);
  if (tried) throw tried;
  throw new Failure('usage', {
    kind: 'command-unknown',
    group: typedPath(command),
    word,
    isTopic: topics.length > 0,
    meant: nearest(word, [...command.commands.map(sub => sub.name()), ...topics]),
  });
}

/** The values of each option by its name, in the order in which they were typed. */
export type TypedValues = Map<string, string[]>;

/**
 * Refuses what is probably mistyped. An option for one value may stand only once: two values may be meant for two orders.
 * `--failed --dry-run` names no file `--dry-run`: only `--failed=--dry-run` does. An empty name of a file or a party is a variable that
 * is not set. Throws `usage`.
 */
export function refuseMistyped(command: Command, typed: TypedValues, argv: readonly string[]): void {
  const values = command.optsWithGlobals<Record<string, unknown>>();
  for (const [at, argument] of command.registeredArguments.entries())
    if (argument.name() === 'file' && [command.processedArgs[at]].flat().includes(''))
      throw new Failure('usage', { kind: 'file-name-empty' });
  const options = [...command.options];
  for (let above = command.parent; above; above = above.parent) options.push(...above.options);
  const flags = options.flatMap(({ short, long }) => [short ?? [], long ?? []]).flat();
  for (const option of options.filter(({ required }) => required)) {
    const typedValues = typed.get(option.name()) ?? [];
    const named = `--${option.name()}`;
    for (const value of typedValues) {
      const meant = value.startsWith('--') ? nearest(value, flags) : flags.find(flag => flag === value);
      const isNext = argv.some(
        (word, at) => word === value && [option.short, option.long].includes(argv[at - 1]),
      );
      if (meant !== undefined && isNext)
        throw new Failure('usage', {
          kind: 'option-without-value',
          option: named,
          follows: value,
          ...(meant !== value && { meant }),
        });
    }
    if (['file', 'path', 'dir', 'url', 'party'].includes(valueKind(option.flags)) && typedValues.includes(''))
      throw new Failure('usage', { kind: 'option-empty', option: named });
    if (typedValues.length > 1 && !Array.isArray(values[option.attributeName()]))
      throw new Failure('usage', { kind: 'option-given-twice', option: named });
  }
}

const LOST = '\ufffd';

/**
 * Node reads bytes that are no UTF-8 as U+FFFD, so that different keys would become one key. Refuses an argument with that character, and a
 * WAYBILL_ variable whose value has it. Throws `usage`.
 */
export function refuseLostText(argv: readonly string[], env: Environment): void {
  const at = argv.findIndex(word => word.includes(LOST));
  if (at >= 0) {
    const option = /^--[\w-]+(?==)/.exec(argv[at] ?? '')?.[0] ?? /^-[\w-]+$/.exec(argv[at - 1] ?? '')?.[0];
    throw new Failure('usage', { kind: 'argument-not-utf8', number: at + 1, text: argv[at] ?? '', option });
  }
  // The failure names the variable without its value, which may be a secret.
  const variable = Object.keys(env).find(name => name.startsWith('WAYBILL_') && env[name]?.includes(LOST));
  if (variable !== undefined) throw new Failure('usage', { kind: 'variable-not-utf8', variable });
}

/** The failure for a command line that commander refuses: mostly in commander's words, with where to read more. */
export function usageFailure(error: CommanderError, program: Command, argv: readonly string[]): Failure {
  const command = typedCommand(program, argv);
  const [, word = ''] = /^error: unknown command '(.*)'/s.exec(error.message) ?? [];
  const tried = triedFault(command, word);
  if (tried) return tried;
  const named = namesakeOf(command, word);
  const fault = (unknownIn(command, error, argv) ?? named ?? missingOperand(command, error) ?? error.message)
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (did')
    .replace(/\.$/, '')
    .replace(/\S{100,}/g, shortened);
  return new Failure('usage', { kind: 'command-line-wrong', command: typedPath(command), fault });
}

/** By the name that another tool has for a command: the names that it may have here. */
const NAMESAKES: Readonly<Record<string, readonly string[]>> = {
  read: ['get', 'show'],
  view: ['get', 'show'],
  show: ['get'],
  get: ['show'],
};

/** The fault of a command that is typed by a name from another tool. */
function namesakeOf(group: Command, word: string): string | undefined {
  const names = Object.hasOwn(NAMESAKES, word) ? (NAMESAKES[word] ?? []) : [];
  const meant = group.commands.find(command => names.includes(command.name()));
  return meant && `unknown command '${word}'${meantWords(meant.name())}`;
}

/** The fault of a missing argument: `waybill history show needs REF: its key, a shipment id`. */
function missingOperand(command: Command, error: CommanderError): string | undefined {
  const count = command.args.length;
  const missing = command.registeredArguments.filter(({ required }) => required)[count];
  if (error.code !== 'commander.missingArgument' || missing === undefined) return undefined;
  return `${typedPath(command)} needs ${missing.name().toUpperCase()}${missing.description && `: ${missing.description}`}`;
}

/** The fault of a group whose default command got an argument: a subcommand was meant. */
function unknownIn(group: Command, error: CommanderError, argv: readonly string[]): string | undefined {
  if (error.code !== 'commander.excessArguments' || group.commands.length === 0) return undefined;
  const word = argv.slice(argv.indexOf(group.name()) + 1).find(part => !part.startsWith('-')) ?? '';
  const names = group.commands.map(command => command.name());
  return `unknown command '${word}'${didYouMean(word, names)}`;
}

/** A command as it is typed: `waybill webhook create`. */
export const typedPath = (command: Command): string => ['waybill', ...commandPath(command)].join(' ');

/** The innermost command that the words of a command line name. */
export function typedCommand(program: Command, argv: readonly string[]): Command {
  const takesValue = (flag = '') =>
    program.options.some(({ required, short, long }) => required && (short === flag || long === flag));
  let command = program;
  for (const [index, word] of argv.entries()) {
    if (word.startsWith('-') || takesValue(argv[index - 1])) continue;
    const match = command.commands.find(sub => sub.name() === word);
    // Behind a word that names no command, no further word names one.
    if (match === undefined) break;
    command = match;
  }
  return command;
}
