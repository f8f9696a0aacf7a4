import type { Command } from 'commander';
import { FAILURES } from '../../src/errors.ts';
import { failuresOf } from '../../src/program/help-page.ts';
import { commandTree } from '../../src/program/program.ts';
import { pageOf } from '../../src/session/page.ts';
import { wholeProgram } from './commands.ts';

let program: Promise<Command> | undefined;

/** The exit codes that the page of what was typed promises; `undefined` where no page says. */
export async function promisedExits(argv: readonly string[]): Promise<number[] | undefined> {
  const start = argv.findIndex(word => !word.startsWith('-'));
  // The emulator ends as the command does that it runs.
  if (start < 0 || argv[start] === 'emulator') return undefined;
  program ??= commandTree().then(wholeProgram);
  let command = await program;
  for (const word of argv.slice(start)) {
    const below = command.commands.find(sub => sub.name() === word);
    if (below === undefined) break;
    command = below;
  }
  const page = pageOf(command);
  return page?.output && [0, 129, 143, ...(await failuresOf(page)).map(code => FAILURES[code].exit)];
}
