// What a command is to the program: what it defines and runs, and where its help is asked for. What its help says besides its options
// is in `src/documents/pages`.
import type { Command } from 'commander';
import type { Session } from './session.ts';

/** What a command does with its options and operands. It returns a number only if it does not choose the exit code. */
export type Run<O> = (session: Session, options: O, ...operands: never[]) => Promise<unknown>;

/** Makes of a `Run` what commander calls; `program` opens and closes the session. */
export type Act = <O>(run: Run<O>) => (...args: unknown[]) => Promise<void>;

export interface CommandFile {
  /** Adds arguments, options, subcommands and action. */
  define(command: Command, act: Act): void;
}

const waiting = new WeakMap<Command, () => Promise<void>>();

/** What a command takes and does is loaded when it is typed, or its help is shown. */
export const defineLater = (command: Command, act: Act, load: () => Promise<CommandFile>): void =>
  void waiting.set(command, async () => (await load()).define(command, act));

/** Loads the definition of a command, once. */
export async function defineNow(command: Command): Promise<void> {
  const load = waiting.get(command);
  waiting.delete(command);
  await load?.();
}

/** `waybill GROUP help COMMAND`, as it reads everywhere else; to be called when the group has its commands. */
export const groupHelp = (group: Command): Command =>
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

/** The words after `waybill`: `['webhook', 'create']`. */
export const commandPath = (command: Command): string[] =>
  command.parent === null ? [] : [...commandPath(command.parent), command.name()];

/** The kind of value that an option takes, as help names it: `file` for `--map <file>`. Completion offers its values. */
export const valueKind = (flags: string): string => /<(.+)>$/.exec(flags)?.[1] ?? '';
