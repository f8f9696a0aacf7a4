// The names of commands and options that may stand at the cursor.
import type { Option } from 'commander';
import { type Candidate, startingWith } from './candidate.ts';
import { type CommandLine, optionsOf, subcommands } from './line.ts';
import { conflictsOf } from './saved.ts';

/** The commands or options whose names begin with the typed word. */
export function namesAt(line: CommandLine): Candidate[] {
  const { command, operands, typed, isOptionsEnd, isHelp } = line;
  const commands = operands.length > 0 || isOptionsEnd ? [] : subcommands(command);
  // If the word can be nothing else, it is an option.
  if (typed.prefix.startsWith('-') || (commands.length === 0 && !typed.argument && !isHelp))
    return isOptionsEnd ? [] : optionNames(line);
  return startingWith(
    typed.prefix,
    commands.map(sub => ({ value: sub.name(), description: sub.description() })),
  );
}

export function optionNames(line: CommandLine): Candidate[] {
  const { command, typed } = line;
  const seen = new Set<string>();
  const options = optionsOf(command).filter(option => {
    const name = option.long ?? option.short ?? '';
    return !seen.has(name) && seen.add(name) && isOpen(option, line);
  });
  const isShort = /^-[^-]$/.test(typed.prefix);
  return startingWith(
    typed.prefix,
    options.map(({ long, short, description }) => ({
      value: (isShort ? short : long) ?? long ?? '',
      description,
    })),
  );
}

/** May the option still be given? An option with one value is given once. */
function isOpen(option: Option, { command, given }: CommandLine): boolean {
  // Only the description says it; commander does not know.
  if (/\brepeatable\b/.test(option.description)) return true;
  const against = optionsOf(command).filter(other => given.has(other.attributeName()));
  const excluded = (one: Option, other: Option) => conflictsOf(one).includes(other.attributeName());
  return !against.some(
    other =>
      other.attributeName() === option.attributeName() || excluded(option, other) || excluded(other, option),
  );
}
