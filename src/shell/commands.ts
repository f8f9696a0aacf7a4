// The commands of the first level: those for operations of the service, from the contract, and all others.
import { HELP_GROUPS, type HelpGroup } from '../contract/operations.ts';
import type { CommandFile } from '../session/command.ts';
import { WING_COMMANDS } from '../wings.ts';

interface ListedCommand {
  name: string;
  summary: string;
  group: HelpGroup;
}

interface OtherCommand extends Omit<ListedCommand, 'name'> {
  load(): Promise<CommandFile>;
}

/** The commands that are no operations of the service, without those in `WING_COMMANDS`. */
const OTHERS: Readonly<Record<string, OtherCommand>> = {
  batch: {
    group: 'Quote and book',
    summary: "quote, book, label or track many records of a shop's file",
    load: () => import('../commands/batch.ts'),
  },
  webhook: {
    group: 'Follow and look back',
    summary: 'create, read, list and try webhook subscriptions',
    load: () => import('../commands/webhook/webhook.ts'),
  },
  history: {
    group: 'Follow and look back',
    summary: 'show every booking of the journal, and resolve unknown ones',
    load: () => import('../commands/history/history.ts'),
  },
  profile: {
    group: 'Set up and try',
    summary: 'save addresses, credentials, defaults and limits by name',
    load: () => import('../commands/profile/profile.ts'),
  },
  doctor: {
    group: 'Set up and try',
    summary: 'see whether all is ready: settings, service, journal, printer',
    load: () => import('../commands/doctor.ts'),
  },
  emulator: {
    group: 'Set up and try',
    summary: 'run the emulator of the service, or audit a client of it',
    load: () => import('../commands/emulator.ts'),
  },
  schema: {
    group: 'Set up and try',
    summary: 'show what the service accepts and answers',
    load: () => import('../commands/schema.ts'),
  },
  completion: {
    group: 'Set up and try',
    summary: 'completion for bash, zsh, fish or PowerShell',
    load: () => import('./completion.ts'),
  },
};

/** What `listCommands` gives, as JSON. The build puts it in, so that help starts without the contract. */
declare const WAYBILL_COMMANDS: string | undefined;

/** Every command but `help`, in the order of `waybill --help`. */
export async function listCommands(): Promise<readonly ListedCommand[]> {
  if (typeof WAYBILL_COMMANDS !== 'undefined') return JSON.parse(WAYBILL_COMMANDS);
  const { OPERATIONS } = await import('../contract/operations.ts');
  const operations = Object.values(OPERATIONS).flatMap(({ command, help }) =>
    help?.group ? [{ name: command as string, summary: help.summary, group: help.group }] : [],
  );
  const others = Object.entries({ ...OTHERS, ...WING_COMMANDS }).flatMap(([name, { summary, group }]) =>
    group ? [{ name, summary, group }] : [],
  );
  return HELP_GROUPS.flatMap(wanted => [...operations, ...others].filter(({ group }) => group === wanted));
}

/** The file of a command. The file for an operation has the name of its command. */
export const loadCommand = (name: string): Promise<CommandFile> =>
  (OTHERS[name] ?? WING_COMMANDS[name])?.load() ?? import(`../commands/${name}.ts`);
