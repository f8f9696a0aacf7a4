import { Command, CommanderError } from 'commander';
import { Failure } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Host } from '../host.ts';
import { nearest } from '../nearest.ts';
import type { Act } from '../session/command.ts';
import { type Globals, globalOptions } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { readOnce } from '../session/stdin-once.ts';
import { VERSION } from '../session/version.ts';
import { shortened } from '../text.ts';

interface Entry {
  name: string;
  summary: string;
  load(): Promise<{ define(command: Command, act: Act): void }>;
}

/** Every command, by what it is for; its file is loaded only when it is the one that was typed. */
const ENTRIES: Readonly<Record<string, readonly Entry[]>> = {
  'Quote and book:': [
    {
      name: 'quote',
      summary: 'compare proposals for a parcel',
      load: () => import('../commands/quote.ts'),
    },
    {
      name: 'rates',
      summary: 'list shipping rates',
      load: () => import('../commands/rates.ts'),
    },
    {
      name: 'ship',
      summary: 'book one international shipment',
      load: () => import('../commands/ship.ts'),
    },
    {
      name: 'ship-dual',
      summary: 'book an international + domestic pair',
      load: () => import('../commands/ship-dual.ts'),
    },
    {
      name: 'label',
      summary: 'make carrier labels for booked shipments',
      load: () => import('../commands/label.ts'),
    },
    {
      name: 'batch',
      summary: 'quote, book, label or track many records of a file',
      load: () => import('../commands/batch.ts'),
    },
  ],
  'Follow:': [
    {
      name: 'track',
      summary: 'read status and tracking of shipments',
      load: () => import('../commands/track.ts'),
    },
    {
      name: 'webhook',
      summary: 'create, read, list and try webhook subscriptions',
      load: () => import('../commands/webhook/webhook.ts'),
    },
  ],
  'Look back:': [
    {
      name: 'history',
      summary: 'read and settle the record of every booking',
      load: () => import('../commands/history/history.ts'),
    },
  ],
  'Set up and try:': [
    {
      name: 'profile',
      summary: 'addresses, credentials and defaults, by name',
      load: () => import('../commands/profile/profile.ts'),
    },
    {
      name: 'emulator',
      summary: 'run the emulator (around a command)',
      load: () => import('../commands/emulator.ts'),
    },
    {
      name: 'schema',
      summary: 'what the service takes and gives',
      load: () => import('../commands/schema.ts'),
    },
    {
      name: 'completion',
      summary: 'completion for bash, zsh, fish and PowerShell',
      load: () => import('../commands/completion.ts'),
    },
  ],
};

/** Runs the command line. Gives the exit code; throws a Failure, after `onSession` was told how to show it. */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  onSession: (session: Session) => void,
): Promise<{ exitCode: number; help: string }> {
  let exitCode = 0;
  let help = '';
  let page: Page | undefined;
  const seen = new Map<string, number>();

  const act: Act =
    run =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const operands = args.slice(0, -2) as never[];
      // Loaded only now: `--version` and `--help` need no client and no printer.
      const { openSession } = await import('../session/session.ts');
      const session = openSession(readOnce(host), program.opts<Globals & object>());
      onSession(session);
      try {
        refuseRepeated(command, seen);
        await session.printer.check();
        const code = await run(session, command.opts() as never, ...operands);
        if (typeof code === 'number') exitCode = code;
        else if (host.interrupted.aborted)
          throw interruption(host.interrupted, 'what was in flight was waited for, and its result is above');
      } finally {
        await session.close();
      }
    };

  const program = createProgram(() => host.stdout.columns ?? 80, act, seen, {
    write: text => {
      help += text;
    },
    show: wanted => {
      page = wanted;
    },
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help === '' && page === undefined) throw usageFailure(error, typedCommand(program, argv));
  }
  return { exitCode, help: page ? await page() : help };
}

/** Writes a page of the manual; called when commander is done, so that only who wants help loads the manual. */
type Page = () => Promise<string>;

interface HelpOut {
  write(text: string): void;
  show(page: Page): void;
}

function createProgram(
  helpWidth: () => number,
  act: Act,
  seen: Map<string, number>,
  { write, show }: HelpOut,
): Command {
  const program = new Command('waybill')
    .description('Quote, book, label and track shipments, and never book one twice by a retry.')
    .usage('<command> [options]')
    .version(VERSION, '--version', 'the version')
    .helpOption('--help', 'this help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      formatHelp: (command, help) => {
        show(async () => (await import('./help-page.ts')).helpText(command, help));
        return '';
      },
    })
    .configureOutput({
      writeOut: write,
      // `waybill` or a group alone is a question for help.
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
      // Help has no colours; commander would open Node's streams to see whether it may.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  globalOptions(program);

  const entries = Object.entries(ENTRIES).flatMap(([group, list]) =>
    list.map(entry => ({ ...entry, group })),
  );
  for (const { name, summary, group } of entries) program.command(name).description(summary).helpGroup(group);
  const load = (command: Command) => loadInto(command, act);
  countOptions(program, seen);
  program.hook('preSubcommand', async (_, command) => {
    await load(command);
    countOptions(command, seen);
  });

  program
    .command('help')
    .argument('[command...]', 'a command, such as `webhook create`, or a topic')
    .description('the page of a command or a topic')
    .helpGroup('Set up and try:')
    .action(async (words: string[]) => {
      const [first = ''] = words;
      const { topicNames, topicText } = await import('./help-page.ts');
      const isCommand = program.commands.some(sub => sub.name() === first);
      if (words.length === 1 && topicNames.includes(first) && !isCommand)
        return show(() => topicText(first, helpWidth()));
      let about = program;
      for (const word of words) {
        about = subcommand(about, word, about === program ? topicNames : []);
        if (about.parent === program) await load(about);
      }
      about.outputHelp();
    });
  return program;
}

async function loadInto(command: Command, act: Act): Promise<void> {
  const entry = Object.values(ENTRIES)
    .flat()
    .find(({ name }) => name === command.name());
  (await entry?.load())?.define(command, act);
}

/** The tree of commands, to be looked at; `load` gives one of the first level its options and subcommands. */
export function commandTree(): { program: Command; load(command: Command): Promise<void> } {
  const act: Act = () => async () => {};
  const program = createProgram(() => 80, act, new Map(), { write() {}, show() {} });
  return { program, load: command => loadInto(command, act) };
}

/** Counts how often each option is given; commander keeps the last value and says nothing of the others. */
function countOptions(command: Command, seen: Map<string, number>): void {
  for (const option of command.options)
    command.on(`option:${option.name()}`, () => {
      seen.set(option.name(), (seen.get(option.name()) ?? 0) + 1);
    });
}

/** Two orders on one command line are not one: an option that takes one value is given once. Throws `usage`. */
function refuseRepeated(command: Command, seen: ReadonlyMap<string, number>): void {
  const values = command.optsWithGlobals<Record<string, unknown>>();
  const options = [
    ...command.options,
    ...(command.parent?.options ?? []),
    ...(command.parent?.parent?.options ?? []),
  ];
  for (const option of options) {
    const single = option.required && !Array.isArray(values[option.attributeName()]);
    if (single && (seen.get(option.name()) ?? 0) > 1)
      throw new Failure('usage', `--${option.name()} is given twice, and takes one value; nothing was sent`);
  }
}

/** The command below that one; `topics` are what could have been meant as well. Throws `usage`. */
function subcommand(command: Command, word: string, topics: readonly string[]): Command {
  const found = command.commands.find(sub => sub.name() === word);
  if (found !== undefined) return found;
  const guess = nearest(word, [...command.commands.map(sub => sub.name()), ...topics]);
  throw new Failure(
    'usage',
    `there is no command ${topics.length > 0 ? 'or topic ' : ''}${JSON.stringify(`${pathOf(command)} ${word}`)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; \`${pathOf(command)} --help\` lists what there is`,
  );
}

/** `waybill webhook create`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** The innermost command that the words name. */
function typedCommand(program: Command, argv: readonly string[]): Command {
  const takesValue = (flag = '') =>
    program.options.some(({ required, short, long }) => required && (short === flag || long === flag));
  let command = program;
  for (const [index, word] of argv.entries())
    if (!takesValue(argv[index - 1])) command = command.commands.find(sub => sub.name() === word) ?? command;
  return command;
}

// Commander speaks of its own notions: an argument that is one of several words.
const CHOICE =
  /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s;

function usageFailure({ message }: CommanderError, command: Command): Failure {
  const [, word = '', name, choices = ''] = CHOICE.exec(message) ?? [];
  if (name !== undefined) {
    const guess = nearest(word, choices.split(', '));
    return new Failure(
      'usage',
      `there is no ${name} ${JSON.stringify(shortened(word))}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; there are ${choices}`,
    );
  }
  const sentence = message
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (did')
    .replace(/\.$/, '')
    .replace(/\S{100,}/g, shortened);
  return new Failure('usage', `${sentence}. \`${pathOf(command)} --help\` shows what there is`);
}
