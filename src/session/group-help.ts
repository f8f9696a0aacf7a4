import type { Command } from 'commander';

/** `waybill GROUP help COMMAND`, as it reads everywhere else; to be called when the group has its commands. */
export const groupHelp = (group: Command): Command =>
  group.usage('<command> [options]').helpCommand('help [command]', 'the help of a command');
