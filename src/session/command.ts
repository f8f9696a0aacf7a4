// What a command is to the program: what it runs, its group, and what its help says.
import { type Command, Help } from 'commander';
import { FAILURES, type FailureCode } from '../errors.ts';
import type { Session } from './session.ts';

/** What a command does with its options and operands. It returns a number only if it does not choose the exit code. */
export type Run<O> = (session: Session, options: O, ...operands: never[]) => Promise<unknown>;

/** Makes of a `Run` what commander calls; `program` opens and closes the session. */
export type Act = <O>(run: Run<O>) => (...args: unknown[]) => Promise<void>;

export interface CommandFile {
  /** Adds arguments, options, subcommands and action. */
  define(command: Command, act: Act): void;
}

const waiting = new WeakMap<Command, () => Promise<void>>();

/** What a command takes and does is loaded when it is typed, or its help is shown. */
export const defineLater = (command: Command, act: Act, load: () => Promise<CommandFile>): void =>
  void waiting.set(command, async () => (await load()).define(command, act));

/** Loads the definition of a command, once. */
export async function defineNow(command: Command): Promise<void> {
  const load = waiting.get(command);
  waiting.delete(command);
  await load?.();
}

/** `waybill GROUP help COMMAND`, as it reads everywhere else; to be called when the group has its commands. */
export const groupHelp = (group: Command): Command =>
  group
    .usage('<command> [options]')
    .helpCommand(false)
    .command('help')
    .argument('[command]')
    .description('the help of a command')
    .action(async (word?: string) => {
      const command = group.commands.find(sub => sub.name() === word) ?? group;
      await defineNow(command);
      command.outputHelp();
    });

/** The words after `waybill`: `['webhook', 'create']`. */
export const commandPath = (command: Command): string[] =>
  command.parent === null ? [] : [...commandPath(command.parent), command.name()];

/** The kind of value that an option takes, as help names it: `file` for `--map <file>`. Completion offers its values. */
export const valueKind = (flags: string): string => /<(.+)>$/.exec(flags)?.[1] ?? '';

// What the help of a command says besides its description and its options.

export interface Page {
  /** What is worth to know before anything else: the sentences behind the description. */
  about?: string;
  /**
   * Lines for bash with comments. Pasted into an empty folder they work with the profile `demo`, also after the examples
   * of all other pages: each page has keys, profiles and addresses of its own.
   */
  examples: readonly string[];
  /** What is on stdout; left out for a group of commands, which shows its help. */
  output?: {
    table: string;
    quiet?: string;
    json?: string;
  };
  /** The exit codes that mean more for this command than `waybill help exit-codes` says. */
  exits?: Readonly<Partial<Record<FailureCode, string>>>;
  /** More sections by title: paragraphs, or terms with their descriptions. */
  notes?: Readonly<Record<string, string | readonly Term[]>>;
}

export type Term = readonly [term: string, description: string];

/** If less than this is left beside the terms, the descriptions stand below them. */
const NARROWEST = 40;

/** How help is set, in so many columns. */
export function layout(width: number) {
  const help = new Help();
  help.prepareContext({ helpWidth: width });
  const indented = (text: string, by: number) =>
    help.boxWrap(text, width - by).replace(/^(?=.)/gm, ' '.repeat(by));
  return {
    paragraphs: (text: string) => indented(text, 2),
    list(rows: readonly Term[]) {
      const longest = Math.max(0, ...rows.map(([term]) => term.length));
      const isBelow = width - longest - 4 < NARROWEST;
      return rows
        .map(([term, description]) =>
          isBelow
            ? `${indented(term, 2)}\n${indented(description, 6)}`
            : help.formatItem(term, longest, description, help),
        )
        .join('\n');
    },
  };
}

export function addPage(command: Command, page: Page): Command {
  if (page.about !== undefined)
    command.summary(command.description()).description(`${command.description()}. ${page.about}`);
  return command.addHelpText('after', () => pageText(command, page));
}

/** What exit 8 means on the page of each command that books. */
export const EXIT_UNKNOWN_PAGE =
  'it was sent, but no clear answer came: it may exist. `waybill history resolve REF` settles it';

function pageText(command: Command, { examples, output, exits = {}, notes = {} }: Page): string {
  const { list, paragraphs } = layout(command.configureOutput().getOutHelpWidth?.() ?? 80);
  const results = Object.entries({ table: output?.table, '-q': output?.quiet, '--json': output?.json });
  const codes = Object.keys(FAILURES).flatMap((code): Term[] => {
    const { exit } = FAILURES[code as FailureCode];
    const meaning = exits[code as FailureCode];
    return meaning === undefined ? [] : [[`${String(exit).padEnd(2)} ${code}`, meaning]];
  });
  const sections: [title: string, text: string][] = [
    ['Examples', examples.map(line => `  ${line}`).join('\n')],
    [
      'Output',
      list(results.flatMap(([format, what]): Term[] => (what === undefined ? [] : [[format, what]]))),
    ],
    ['Exit codes', list(codes)],
    ...Object.entries(notes).map(([title, text]): [string, string] => [
      title,
      typeof text === 'string' ? paragraphs(text) : list(text),
    ]),
  ];
  return sections
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `\n${title}:\n${text}`)
    .join('\n');
}

/** The output of a command that only writes. */
export const SILENT: Page['output'] & object = { table: 'nothing; a note on stderr says what was done' };
