// What the words of a command line mean: the command, the values that are given, and the word that is being typed.
import { type Argument, type Command, Option } from 'commander';
import { type Candidate, startingWith } from './completion.ts';
import { defineNow, isRepeatable } from './tree.ts';

export interface Typed {
  /** The part of the typed word before the value: `--output=`, or nothing. */
  head: string;
  /** The value, as far as it is typed. */
  prefix: string;
  /** The option or argument that the value belongs to; without both, the word is the name of an option or a command. */
  option?: Option;
  argument?: Argument;
}

export interface CommandLine {
  command: Command;
  /** The values that are given, by the names of options in code; a flag has the value `true` or `false`. */
  given: ReadonlyMap<string, readonly string[]>;
  operands: readonly string[];
  typed: Typed;
  /** Is the word behind `--`? Then only operands may follow. */
  isOptionsEnd: boolean;
  /** Is the word behind `help`? Then only names of commands may follow. */
  isHelp: boolean;
}

/** Parses words, the last of which is being typed. */
export async function readWords(program: Command, words: readonly string[]): Promise<CommandLine> {
  let command = program;
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  let expecting: Option | undefined;
  let isOptionsEnd = false;
  let isHelp = false;
  const addValue = (option: Option, value: string) => {
    const name = option.attributeName();
    given.set(name, [...(given.get(name) ?? []), value]);
  };

  for (const word of words.slice(0, -1)) {
    if (expecting) {
      addValue(expecting, word);
      expecting = undefined;
    } else if (!isOptionsEnd && word === '--') isOptionsEnd = true;
    else if (!isOptionsEnd && word.startsWith('-') && word !== '-') {
      for (const { option, value } of optionsIn(command, word)) {
        if (value !== undefined || !option.required) addValue(option, value ?? String(!option.negate));
        else expecting = option;
      }
    } else {
      const sub = operands.length > 0 ? undefined : subcommands(command).find(known => known.name() === word);
      if (sub?.name() === 'help') isHelp = true;
      else if (sub) {
        command = sub;
        await defineNow(command);
      } else operands.push(word);
    }
  }
  const line = { command, given, operands, isOptionsEnd, isHelp };
  return { ...line, typed: typedIn(line, words.at(-1) ?? '', expecting) };
}

function typedIn(line: Omit<CommandLine, 'typed'>, word: string, expecting: Option | undefined): Typed {
  const { command, operands, isOptionsEnd, isHelp } = line;
  if (expecting) return { head: '', prefix: word, option: expecting };
  if (!isOptionsEnd && word.startsWith('-') && word !== '-') {
    const last = optionsIn(command, word).at(-1);
    if (last?.value === undefined) return { head: '', prefix: word };
    const head = word.slice(0, word.length - last.value.length);
    return { head, prefix: last.value, option: last.option };
  }
  if (isHelp) return { head: '', prefix: word };
  const { registeredArguments: args } = command;
  const at = args[operands.length] ?? args.findLast(({ variadic }) => variadic);
  return { head: '', prefix: word, ...(at && { argument: at }) };
}

/** The options in one word, such as `-qo` or `--output=json`, each with its value if the word has it. */
function optionsIn(command: Command, word: string): { option: Option; value?: string }[] {
  const known = optionsOf(command);
  if (word.startsWith('--')) {
    const [name = ''] = word.split('=', 1);
    const option = known.find(({ long }) => long === name);
    const value = word.length > name.length ? { value: word.slice(name.length + 1) } : {};
    return option ? [{ option, ...value }] : [];
  }
  const option = known.find(({ short }) => short === word.slice(0, 2));
  const behind = word.slice(2);
  if (option === undefined) return [];
  if (behind === '') return [{ option }];
  return option.required ? [{ option, value: behind }] : [{ option }, ...optionsIn(command, `-${behind}`)];
}

const HELP = new Option('-h, --help', 'show the help of the command');

/** The options of the command and of all its parents. */
function optionsOf(command: Command): Option[] {
  const shown = command.options.filter(({ hidden }) => !hidden);
  return [...shown, ...(command.parent ? optionsOf(command.parent) : [HELP])];
}

/** The subcommands that help shows, `help` included. */
const subcommands = (command: Command): Command[] => command.createHelp().visibleCommands(command);

/** The commands or options whose names begin with the typed word. */
export function namesAt(line: CommandLine): Candidate[] {
  const { command, operands, typed, isOptionsEnd, isHelp } = line;
  const commands = operands.length > 0 || isOptionsEnd ? [] : subcommands(command);
  // A word is an option if it begins with `-`, or if neither a command nor an argument can stand there.
  if (typed.prefix.startsWith('-') || (commands.length === 0 && !typed.argument && !isHelp))
    return isOptionsEnd ? [] : optionNames(line);
  const names = commands.map(sub => ({ value: sub.name(), description: sub.summary() || sub.description() }));
  return startingWith(typed.prefix, names);
}

export function optionNames(line: CommandLine): Candidate[] {
  const isShort = /^-[^-]$/.test(line.typed.prefix);
  const names = optionsOf(line.command)
    .filter(option => isOpen(option, line))
    .map(({ long, short, description }) => ({ value: (isShort ? short : long) ?? long ?? '', description }));
  return startingWith(line.typed.prefix, names);
}

/** May the option be given now? An option with one value is given only once. */
function isOpen(option: Option, line: CommandLine): boolean {
  if (isRepeatable(option)) return true;
  const against = optionsOf(line.command).filter(present => line.given.has(present.attributeName()));
  const excludes = (left: Option, right: Option) => conflictsOf(left).includes(right.attributeName());
  return !against.some(
    present =>
      present.attributeName() === option.attributeName() ||
      excludes(option, present) ||
      excludes(present, option),
  );
}

/** The options that an option excludes, by their names in code; commander has no public function for that. */
const conflictsOf = (option: Option): readonly string[] =>
  (option as Option & { conflictsWith?: string[] }).conflictsWith ?? [];
