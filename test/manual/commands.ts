import type { Command } from 'commander';
import type { CommandTree } from '../../src/program/program.ts';

/** The words of every command, groups and `waybill` itself too: `[]`, `['webhook']`, `['webhook', 'create']`. */
export async function allCommands({ program, load }: CommandTree): Promise<string[][]> {
  for (const command of program.commands) await load(command);
  return [[], ...below(program, [])];
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
