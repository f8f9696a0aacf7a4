import type { Command } from 'commander';
import type { Session } from './session.ts';

/** What a command does with its options and operands. It returns a number only if it does not choose the exit code. */
export type Run<O> = (session: Session, options: O, ...operands: never[]) => Promise<unknown>;

/** Makes of it what commander calls; `program` opens and closes the session. */
export type Act = <O>(run: Run<O>) => (...args: unknown[]) => Promise<void>;

/** `waybill GROUP help COMMAND`, as it reads everywhere else; to be called when the group has its commands. */
export const groupHelp = (group: Command): Command =>
  group.usage('<command> [options]').helpCommand('help [command]', 'the help of a command');

/** The words after `waybill`: `['webhook', 'create']`. */
export const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];

/** The kind of value that an option takes, as help names it: `file` for `--map <file>`. Completion offers its values. */
export const kindOf = (flags: string): string => /<(.+)>$/.exec(flags)?.[1] ?? '';
