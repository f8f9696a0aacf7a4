import type { Command } from 'commander';
import { defineNow } from '../../src/shell/tree.ts';

/** `waybill` with all its commands and their options. */
export async function wholeProgram(program: Command): Promise<Command> {
  await defineNow(program);
  for (const command of program.commands) await wholeProgram(command);
  return program;
}

/** The words of every command, groups and `waybill` itself too: `[]`, `['webhook']`, `['webhook', 'create']`. */
export async function allCommands(program: Command): Promise<string[][]> {
  return [[], ...below(await wholeProgram(program), [])];
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
