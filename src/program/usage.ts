// What is wrong with a command line, said in plain sentences instead of those of commander.
import type { Command, CommanderError } from 'commander';
import { wordsOf } from '../completion/kinds.ts';
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { shortened } from '../text.ts';

/** The subcommand of that name; `topics` are what could have been meant as well. Throws `usage`. */
export function subcommand(command: Command, word: string, topics: readonly string[]): Command {
  const found = command.commands.find(sub => sub.name() === word);
  if (found !== undefined) return found;
  const guess = didYouMean(word, [...command.commands.map(sub => sub.name()), ...topics]);
  throw new Failure(
    'usage',
    `there is no command ${topics.length > 0 ? 'or topic ' : ''}${JSON.stringify(`${typedPath(command)} ${word}`)}${guess}. \`${typedPath(command)} --help\` lists all`,
  );
}

/** Two orders on one command line are not one: an option that takes one value is given once. Throws `usage`. */
export function refuseRepeated(command: Command, seen: ReadonlyMap<string, number>): void {
  const values = command.optsWithGlobals<Record<string, unknown>>();
  for (const option of withParents(command).flatMap(one => one.options)) {
    const single = option.required && !Array.isArray(values[option.attributeName()]);
    if (single && (seen.get(option.name()) ?? 0) > 1)
      throw new Failure('usage', `--${option.name()} is given twice, but takes one value. Nothing was sent`);
  }
}

// An argument that is one of several words, as commander words it.
const CHOICE =
  /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s;

/** What commander has against a command line, in our words. */
export function usageFailure(error: CommanderError, program: Command, argv: readonly string[]): Failure {
  const [, word = '', name, choices = ''] = CHOICE.exec(error.message) ?? [];
  if (name !== undefined)
    return new Failure(
      'usage',
      `there is no ${name} ${JSON.stringify(shortened(word))}${didYouMean(word, choices.split(', '))}. Choose one of ${choices}`,
    );
  const sentence = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (did')
    .replace(/\.$/, '')
    .replace(/\S{100,}/g, shortened);
  return new Failure(
    'usage',
    `${sentence}. \`${typedPath(typedCommand(program, argv))} --help\` shows how to use it`,
  );
}

const withParents = (command: Command): Command[] =>
  command.parent === null ? [command] : [...withParents(command.parent), command];

/** `waybill webhook create`. */
export const typedPath = (command: Command): string => ['waybill', ...wordsOf(command)].join(' ');

/** The innermost command that the words name. */
function typedCommand(program: Command, argv: readonly string[]): Command {
  const takesValue = (flag = '') =>
    program.options.some(({ required, short, long }) => required && (short === flag || long === flag));
  let command = program;
  for (const [index, word] of argv.entries())
    if (!takesValue(argv[index - 1])) command = command.commands.find(sub => sub.name() === word) ?? command;
  return command;
}
