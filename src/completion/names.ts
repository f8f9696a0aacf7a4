// What can be told of a line without knowing anything but the tree of commands.
import type { Option } from 'commander';
import { begun, type Candidate } from './candidate.ts';
import { type Line, optionsOf, subcommands } from './line.ts';
import { conflictsOf } from './saved.ts';

/** The commands, or the options, whose names begin as it is typed. */
export function namesAt(line: Line): Candidate[] {
  const { command, operands, typed, optionsOver, helping } = line;
  const commands = operands.length > 0 || optionsOver ? [] : subcommands(command);
  // Where a word can be nothing else, it will be an option.
  if (typed.prefix.startsWith('-') || (commands.length === 0 && !typed.argument && !helping))
    return optionsOver ? [] : optionNames(line);
  return begun(
    typed.prefix,
    commands.map(sub => ({ value: sub.name(), description: sub.description() })),
  );
}

function optionNames(line: Line): Candidate[] {
  const { command, typed } = line;
  const seen = new Set<string>();
  const options = optionsOf(command).filter(option => {
    const name = option.long ?? option.short ?? '';
    return !seen.has(name) && seen.add(name) && isOpen(option, line);
  });
  const isShort = /^-[^-]$/.test(typed.prefix);
  return begun(
    typed.prefix,
    options.map(({ long, short, description }) => ({
      value: (isShort ? short : long) ?? long ?? '',
      description,
    })),
  );
}

/** May it still be given? One that takes one value is given once. */
function isOpen(option: Option, { command, given }: Line): boolean {
  // The page says it, and only there: what reads the values does not tell.
  if (/\brepeatable\b/.test(option.description)) return true;
  const against = optionsOf(command).filter(other => given.has(other.attributeName()));
  const excluded = (one: Option, other: Option) => conflictsOf(one).includes(other.attributeName());
  return !against.some(
    other =>
      other.attributeName() === option.attributeName() || excluded(option, other) || excluded(other, option),
  );
}
