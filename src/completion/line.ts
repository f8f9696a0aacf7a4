// Parses the words of a command line with the tree of commands: the command, the given values, the word being typed.
import type { Argument, Command, Option } from 'commander';

export interface Typed {
  /** The part of the typed word before the value: `--output=`, or nothing. */
  head: string;
  /** The value, as far as it is typed. */
  prefix: string;
  /** The option or argument of the value; without both it is the name of an option or a command. */
  option?: Option;
  argument?: Argument;
}

export interface CommandLine {
  command: Command;
  /** By the names of the options in code; a flag has `true` or `false`. */
  given: ReadonlyMap<string, readonly string[]>;
  operands: readonly string[];
  typed: Typed;
  /** After `--` there are only operands. */
  isOptionsEnd: boolean;
  /** After `help` there are only names of commands. */
  isHelp: boolean;
}

/**
 * Parses words, the last of which is being typed. `load` adds options and subcommands to a command of the first level.
 */
export async function readWords(
  program: Command,
  words: readonly string[],
  load: (command: Command) => Promise<void>,
): Promise<CommandLine> {
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
        if (command.parent === program) await load(command);
      } else operands.push(word);
    }
  }
  const line = { command, given, operands, isOptionsEnd, isHelp };
  return { ...line, typed: typedIn(line, words.at(-1) ?? '', expecting) };
}

function typedIn(
  { command, operands, isOptionsEnd, isHelp }: Omit<CommandLine, 'typed'>,
  word: string,
  expecting: Option | undefined,
): Typed {
  if (expecting) return { head: '', prefix: word, option: expecting };
  if (!isOptionsEnd && word.startsWith('-') && word !== '-') {
    const last = optionsIn(command, word).at(-1);
    if (last?.value !== undefined) {
      const head = word.slice(0, word.length - last.value.length);
      return { head, prefix: last.value, option: last.option };
    }
    return { head: '', prefix: word };
  }
  if (isHelp) return { head: '', prefix: word };
  const { registeredArguments: args } = command;
  const at = args[operands.length] ?? args.findLast(({ variadic }) => variadic);
  return { head: '', prefix: word, ...(at && { argument: at }) };
}

/** The options in one word, `-qo` or `--output=json`, each with the value in that word. */
function optionsIn(command: Command, word: string): { option: Option; value?: string }[] {
  const known = optionsOf(command);
  if (word.startsWith('--')) {
    const [name = ''] = word.split('=', 1);
    const option = known.find(({ long }) => long === name);
    const value = word.length > name.length ? { value: word.slice(name.length + 1) } : {};
    return option ? [{ option, ...value }] : [];
  }
  const option = known.find(({ short }) => short === word.slice(0, 2));
  const rest = word.slice(2);
  if (option === undefined) return [];
  if (rest === '') return [{ option }];
  return option.required ? [{ option, value: rest }] : [{ option }, ...optionsIn(command, `-${rest}`)];
}

/** The options of the command and of all its parents. */
export const optionsOf = (command: Command): Option[] => [
  ...command.createHelp().visibleOptions(command),
  ...(command.parent ? optionsOf(command.parent) : []),
];

/** The subcommands that help shows, `help` too. */
export const subcommands = (command: Command): Command[] => command.createHelp().visibleCommands(command);
