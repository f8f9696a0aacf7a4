import type { Command, Help, Option } from 'commander';
import { FAILURES } from '../errors.ts';

type Row = readonly [term: string, says: string];

/** `waybill GROUP help COMMAND`, as it reads everywhere else; to be called when the group has its commands. */
export const groupHelp = (group: Command): Command =>
  group.usage('<command> [options]').helpCommand('help [command]', 'the help of a command');

/** The layout of every help page. The options that all commands take are explained on the first page only. */
export function helpPage(command: Command, help: Help): string {
  const width = help.helpWidth ?? 80;
  const root = command.parent === null;
  const options = help.visibleOptions(command);
  const commands = help.groupItems(
    [...command.commands],
    help.visibleCommands(command),
    sub => sub.helpGroup() || 'Commands:',
  );
  const sections: (readonly [title: string, rows: readonly Row[]])[] = [
    ...[...commands].map(([title, subs]) => [title, subs.map(sub => commandRow(sub, help))] as const),
    [
      'Arguments:',
      help.visibleArguments(command).map(argument => [argument.name(), sentence(argument.description)]),
    ],
    [root ? 'Options of every command:' : 'Options:', options.map(option => optionRow(option, help))],
  ];
  const rows = sections.flatMap(([, list]) => list);
  const pad = Math.max(0, ...rows.map(([term]) => term.length));
  const parts = [
    `Usage: ${help.commandUsage(command)}`,
    help.boxWrap(sentence(command.description()), width),
    ...sections
      .filter(([, list]) => list.length > 0)
      .map(([title, list]) =>
        [title, ...list.map(([term, says]) => help.formatItem(term, pad, says, help))].join('\n'),
      ),
    root ? exitCodes() : help.boxWrap(sharedOptions(command), width),
  ];
  return `${parts.join('\n\n')}\n`;
}

const commandRow = (sub: Command, help: Help): Row => [help.subcommandTerm(sub), sentence(sub.description())];

function optionRow(option: Option, help: Help): Row {
  const { argChoices, defaultValue, negate } = option;
  const choices = argChoices ? ` (${argChoices.join(', ')})` : '';
  const fallback = defaultValue === undefined || negate ? '' : ` (default: ${defaultValue})`;
  return [help.optionTerm(option), sentence(option.description) + choices + fallback];
}

/** Descriptions come from the contract and from commands: all of them begin alike. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function sharedOptions(command: Command): string {
  let root = command;
  while (root.parent) root = root.parent;
  const flags = root.options.map(({ flags }) => flags.replace(', ', '/'));
  return `Every command takes ${flags.join(', ')} too; \`waybill --help\` explains them and the exit codes.`;
}

const exitCodes = (): string =>
  [
    'Exit codes, and the "code" of errors in JSON:',
    `  ${'0'.padEnd(5)}${''.padEnd(21)}done`,
    ...Object.entries(FAILURES).map(
      ([code, { exit, says }]) => `  ${String(exit).padEnd(5)}${code.padEnd(21)}${says}`,
    ),
  ].join('\n');
