// What a line of words means so far, by the tree of commands: which command, what was given, what is being typed.
import type { Argument, Command, Option } from 'commander';

export interface Typed {
  /** In the typed word, what stands before the value: `--output=`, or nothing. */
  head: string;
  /** As far as it is typed. */
  prefix: string;
  /** Whose value it is; neither of them: the name of an option, or of a command. */
  option?: Option;
  argument?: Argument;
}

export interface Line {
  command: Command;
  /** By the names that options have in code; of a flag `true` or `false`. */
  given: ReadonlyMap<string, readonly string[]>;
  operands: readonly string[];
  typed: Typed;
  /** Behind `--` there are operands only. */
  optionsOver: boolean;
  /** After `help` there are names of commands only. */
  helping: boolean;
}

/**
 * Reads words, the last of which is being typed. `load` puts its options and subcommands to a command of the first
 * level.
 */
export async function readWords(
  program: Command,
  words: readonly string[],
  load: (command: Command) => Promise<void>,
): Promise<Line> {
  let command = program;
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  let waiting: Option | undefined;
  let optionsOver = false;
  let helping = false;
  const give = (option: Option, value: string) => {
    const name = option.attributeName();
    given.set(name, [...(given.get(name) ?? []), value]);
  };

  for (const word of words.slice(0, -1)) {
    if (waiting) {
      give(waiting, word);
      waiting = undefined;
    } else if (!optionsOver && word === '--') optionsOver = true;
    else if (!optionsOver && word.startsWith('-') && word !== '-') {
      for (const { option, value } of optionsIn(command, word)) {
        if (value !== undefined || !option.required) give(option, value ?? String(!option.negate));
        else waiting = option;
      }
    } else {
      const sub = operands.length > 0 ? undefined : subcommands(command).find(known => known.name() === word);
      if (sub?.name() === 'help') helping = true;
      else if (sub) {
        command = sub;
        if (command.parent === program) await load(command);
      } else operands.push(word);
    }
  }
  const line = { command, given, operands, optionsOver, helping };
  return { ...line, typed: typedIn(line, words.at(-1) ?? '', waiting) };
}

function typedIn(
  { command, operands, optionsOver, helping }: Omit<Line, 'typed'>,
  word: string,
  waiting: Option | undefined,
): Typed {
  if (waiting) return { head: '', prefix: word, option: waiting };
  if (!optionsOver && word.startsWith('-') && word !== '-') {
    const last = optionsIn(command, word).at(-1);
    if (last?.value !== undefined) {
      const head = word.slice(0, word.length - last.value.length);
      return { head, prefix: last.value, option: last.option };
    }
    return { head: '', prefix: word };
  }
  if (helping) return { head: '', prefix: word };
  const { registeredArguments: args } = command;
  const at = args[operands.length] ?? args.findLast(({ variadic }) => variadic);
  return { head: '', prefix: word, ...(at && { argument: at }) };
}

/** The options in one word, `-qo` or `--output=json`, each with the value that it has in there. */
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

/** Those of the command and of all above it. */
export const optionsOf = (command: Command): Option[] => [
  ...command.createHelp().visibleOptions(command),
  ...(command.parent ? optionsOf(command.parent) : []),
];

/** Those that help shows, `help` itself too. */
export const subcommands = (command: Command): Command[] => command.createHelp().visibleCommands(command);
