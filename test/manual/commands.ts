import type { Command } from 'commander';
import type { CommandTree } from '../../src/program/program.ts';

/** `waybill` with all its commands and their options. */
export async function wholeProgram({ program, load }: CommandTree): Promise<Command> {
  for (const command of program.commands) await load(command);
  return program;
}

/** The words of every command, groups and `waybill` itself too: `[]`, `['webhook']`, `['webhook', 'create']`. */
export async function allCommands(tree: CommandTree): Promise<string[][]> {
  return [[], ...below(await wholeProgram(tree), [])];
}

const below = (command: Command, path: readonly string[]): string[][] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter(sub => sub.name() !== 'help' || path.length === 0)
    .flatMap(sub => {
      const words = [...path, sub.name()];
      return [words, ...below(sub, words)];
    });
