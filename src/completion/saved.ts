// The tree of commands as plain data. The build puts it into the bundle, so that completion of names loads no file of a
// command: with these files it took 1.6 times `node -e 0`.
import { Argument, type Command, Option } from 'commander';
import type { Field } from '../contract/fields.ts';
import { fieldOfOption } from '../field-option.ts';

export interface SavedCommand {
  name: string;
  description: string;
  options: { flags: string; description: string; choices?: string[]; conflicts?: string[]; field?: Field }[];
  arguments: { spec: string; choices?: string[] }[];
  commands: SavedCommand[];
}

export const save = (command: Command): SavedCommand => ({
  name: command.name(),
  description: command.description(),
  options: command.options
    .filter(({ hidden }) => !hidden)
    .map(option => {
      const { flags, description, argChoices } = option;
      const field = fieldOfOption.get(option);
      const conflicts = conflictsOf(option);
      return {
        flags,
        description,
        ...(argChoices && { choices: argChoices }),
        ...(conflicts.length > 0 && { conflicts: [...conflicts] }),
        ...(field && { field }),
      };
    }),
  arguments: command.registeredArguments.map(argument => ({
    spec: specOf(argument),
    ...(argument.argChoices && { choices: argument.argChoices }),
  })),
  commands: command.createHelp().visibleCommands(command).map(save),
});

/** Gives a command its saved options, arguments and subcommands. */
export function restore(command: Command, saved: SavedCommand): void {
  command.description(saved.description).helpCommand(false);
  for (const { flags, description, choices, conflicts, field } of saved.options) {
    const option = new Option(flags, description);
    if (choices) option.choices(choices);
    if (conflicts) option.conflicts(conflicts);
    if (field) fieldOfOption.set(option, field);
    command.addOption(option);
  }
  for (const { spec, choices } of saved.arguments) {
    const argument = new Argument(spec);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const sub of saved.commands) restore(command.command(sub.name), sub);
}

/** The names in code of the options that it excludes; commander has no public function for that. */
export const conflictsOf = (option: Option): readonly string[] =>
  (option as Option & { conflictsWith?: string[] }).conflictsWith ?? [];

function specOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** JSON of the commands of the first level, put in by the build. Without a build the commands themselves are read. */
declare const WAYBILL_TREE: string | undefined;

export const TREE: readonly SavedCommand[] | undefined =
  typeof WAYBILL_TREE === 'undefined' ? undefined : JSON.parse(WAYBILL_TREE);
