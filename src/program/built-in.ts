// What the build reads off the sources and puts into the bundle, so that help and completion need not load all commands.
import { type SavedCommand, save } from '../completion/saved.ts';
import { listCommands } from './commands.ts';
import { commandTree } from './program.ts';

export { listCommands };

/** The commands of the first level with all that they have. */
export async function savedTree(): Promise<SavedCommand[]> {
  const { program, load } = await commandTree();
  for (const command of program.commands) await load(command);
  return program.commands.map(save);
}
