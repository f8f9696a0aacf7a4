// The tree of commands in commander, made from their declarations: it reads command lines, and completion and help look at it.
import { Argument, type Command, Option } from 'commander';
import type { CommandGroup, DeclaredCommand, ListedCommand, Page } from '../session/command.ts';
import type { Flag, Flags } from '../session/flags.ts';
import type { Session } from '../session/session.ts';

/** What a command does with its options and operands. */
type Run = (session: Session, options: never, ...operands: never[]) => Promise<unknown>;

/** Turns `run` into the function that commander calls; the program opens and closes the session. `isExamining`: see `Declaration`. */
export type Act = (run: Run, isExamining?: boolean) => (...args: unknown[]) => Promise<void>;

const waiting = new WeakMap<Command, () => Promise<void>>();
const declarations = new WeakMap<Command, Page & Partial<DeclaredCommand>>();
const repeatable = new WeakSet<Option>();

/** Adds a command. Its declaration is loaded only when the command is typed, or its help is shown. */
export function addCommand(
  group: Command,
  name: string,
  [summary, load]: ListedCommand,
  act: Act,
  isUsual = false,
): Command {
  const command = group.command(name, { isDefault: isUsual }).description(summary);
  waiting.set(command, async () => {
    const loaded = await load();
    define(command, 'command' in loaded ? loaded.command : loaded, act);
  });
  return command;
}

/** Loads the declaration of a command, once. */
export async function defineNow(command: Command): Promise<void> {
  const load = waiting.get(command);
  waiting.delete(command);
  await load?.();
}

/** The declaration of a command; `undefined` before it is loaded. */
export const declarationOf = (command: Command): (Page & Partial<DeclaredCommand>) | undefined =>
  declarations.get(command);

/** Gives a command without a declaration its page of help, and the flags on that page. */
export function describe(command: Command, page: Page & { flags?: Flags }): Command {
  declarations.set(command, page);
  for (const flag of Object.values(page.flags ?? {})) addFlag(command, flag);
  return command;
}

function define(command: Command, declared: DeclaredCommand | CommandGroup, act: Act): void {
  describe(command, declared);
  if ('commands' in declared) defineGroup(command, declared, act);
  else defineOne(command, declared, act);
}

function defineOne(command: Command, declared: DeclaredCommand, act: Act): void {
  const { usage, operands, run, isExamining } = declared;
  if (usage !== undefined) command.usage(usage);
  for (const { typed, help, choices } of operands) {
    const argument = new Argument(typed, help);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  command.action(act(run, isExamining));
}

function defineGroup(group: Command, definition: CommandGroup, act: Act): void {
  const { commands, usual, unknown } = definition;
  for (const [name, listed] of Object.entries(commands)) addCommand(group, name, listed, act, name === usual);
  // Adds `waybill GROUP help COMMAND`, which other tools have, too.
  group
    .usage('<command> [options]')
    .helpCommand(false)
    .command('help')
    .argument('[command]')
    .description('the help of a command')
    .action(async (word?: string) => {
      const command = group.commands.find(sub => sub.name() === word) ?? group;
      await defineNow(command);
      command.outputHelp();
    });
  if (unknown)
    group.on('command:*', ([word = '']: string[]) => {
      throw unknown(word);
    });
}

export function addFlag(command: Command, flag: Flag): void {
  const { typed, help, group, read, choices, conflicts, isRequired, initial, negative, repeats } = flag;
  const option = new Option(typed, help);
  if (read) option.argParser(read);
  if (choices) option.choices(choices);
  if (conflicts) option.conflicts([...conflicts]);
  if (isRequired) option.makeOptionMandatory();
  if (repeats) repeatable.add(option);
  if (initial !== undefined) option.default(initial);
  const options = [option];
  if (negative !== undefined) {
    const negated = new Option(`--no-${option.name()}`, negative === 'hidden' ? '' : negative);
    options.push(negative === 'hidden' ? negated.hideHelp() : negated);
  }
  for (const shown of options) command.addOption(group === undefined ? shown : shown.helpGroup(group));
}

export const isRepeatable = (option: Option): boolean => repeatable.has(option);

/** The words after `waybill`: `['webhook', 'create']`. */
export const commandPath = (command: Command): string[] =>
  command.parent === null ? [] : [...commandPath(command.parent), command.name()];

/** The kind of value that an option takes, as help names it: `file` for `--map <file>`. Completion offers values by this kind. */
export const valueKind = (flags: string): string => /<(.+)>$/.exec(flags)?.[1] ?? '';
