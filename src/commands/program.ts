import { Command, CommanderError } from 'commander';
import { Failure, shortened } from '../errors.ts';
import { type Host, interruption } from '../host.ts';
import { nearest } from '../request/suggest.ts';
import type { Act } from './act.ts';
import { type Globals, globalOptions } from './globals.ts';
import { helpPage } from './help.ts';
import { readOnce } from './read-once.ts';
import type { Session } from './session.ts';
import { VERSION } from './version.ts';

interface Entry {
  name: string;
  summary: string;
  /** A command line to start from. */
  example: string;
  load(): Promise<{ define(command: Command, act: Act): void }>;
}

/** Every command, by what it is for; its file is loaded only when it is the one that was typed. */
const ENTRIES: Readonly<Record<string, readonly Entry[]>> = {
  'Quote and book:': [
    {
      name: 'quote',
      summary: 'compare proposals for a parcel',
      example: 'waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm --sort price',
      load: () => import('./quote.ts'),
    },
    {
      name: 'rates',
      summary: 'list shipping rates',
      example: 'waybill rates --from TR --to DE --package 2x1.5kg@30x20x10cm',
      load: () => import('./rates.ts'),
    },
    {
      name: 'ship',
      summary: 'book one international shipment',
      example: 'waybill ship -f order.json --carrier fastest --max-price 60EUR --label --download labels',
      load: () => import('./ship.ts'),
    },
    {
      name: 'ship-dual',
      summary: 'book an international + domestic pair',
      example: 'waybill ship-dual -f order.json --international EXP --domestic DOM --label',
      load: () => import('./ship-dual.ts'),
    },
    {
      name: 'label',
      summary: 'make carrier labels for booked shipments',
      example: 'waybill label --international SHIPMENT_ID --download labels',
      load: () => import('./label.ts'),
    },
    {
      name: 'batch',
      summary: 'quote, book, label or track many records of a file',
      example: 'waybill batch ship orders.csv --carrier cheapest --max-price 60EUR',
      load: () => import('./batch.ts'),
    },
  ],
  'Follow:': [
    {
      name: 'track',
      summary: 'read status and tracking of shipments',
      example: 'waybill track SHIPMENT_ID --watch --until delivered --max-wait 3600',
      load: () => import('./track.ts'),
    },
    {
      name: 'webhook',
      summary: 'create, read and list webhook subscriptions',
      example:
        'waybill webhook create --url https://shop.example/hook --event shipment.status.updated --secret-file hook.json',
      load: () => import('./webhook.ts'),
    },
  ],
  'Look back:': [
    {
      name: 'history',
      summary: 'read and settle the record of every booking',
      example: 'waybill history list --state unknown',
      load: () => import('./history.ts'),
    },
  ],
  'Set up and try:': [
    {
      name: 'profile',
      summary: 'addresses, credentials and defaults, by name',
      example: 'waybill profile add live --base-url https://api.example --token-stdin < token.txt',
      load: () => import('./profile.ts'),
    },
    {
      name: 'emulator',
      summary: 'run the emulator (around a command)',
      example: 'waybill emulator --port 0 -- sh -c "waybill quote -f parcel.json"',
      load: () => import('./emulator.ts'),
    },
    {
      name: 'schema',
      summary: 'what the service takes and gives',
      example: 'waybill schema ship --example',
      load: () => import('./schema.ts'),
    },
  ],
};

const START = `
To try it with nothing set up:
  waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm --profile demo
To work with the service:
  waybill profile add live --base-url URL --token-stdin < token.txt
  waybill profile test`;

/** Runs the command line. Gives the exit code; throws a Failure, after `onSession` was told how to show it. */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  onSession: (session: Session) => void,
): Promise<{ exitCode: number; help: string }> {
  let exitCode = 0;
  let help = '';
  const seen = new Map<string, number>();

  const act: Act =
    run =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const operands = args.slice(0, -2) as never[];
      // Loaded only now: `--version` and `--help` need no client and no printer.
      const { openSession } = await import('./session.ts');
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

  const program = createProgram(host, act, seen, text => {
    help += text;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help === '') throw usageFailure(error, typedCommand(program, argv));
  }
  return { exitCode, help };
}

function createProgram(
  host: Host,
  act: Act,
  seen: Map<string, number>,
  writeHelp: (text: string) => void,
): Command {
  const helpWidth = () => host.stdout.columns ?? 80;
  const program = new Command('waybill')
    .description('Quote, book, label and track shipments, and never book one twice by a retry.')
    .usage('<command> [options]')
    .version(VERSION, '--version', 'the version')
    .helpOption('--help', 'this help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ formatHelp: helpPage })
    .configureOutput({
      writeOut: writeHelp,
      // `waybill` or a group alone is a question for help.
      writeErr: writeHelp,
      outputError: () => {},
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
      // Help has no colours; commander would open Node's streams to see whether it may.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', START);
  globalOptions(program);

  const entries = Object.entries(ENTRIES).flatMap(([group, list]) =>
    list.map(entry => ({ ...entry, group })),
  );
  for (const { name, summary, group, example } of entries)
    program
      .command(name)
      .description(summary)
      .helpGroup(group)
      .addHelpText(
        'after',
        `
Example:
  ${example}`,
      );
  const load = async (command: Command) => {
    const entry = entries.find(({ name }) => name === command.name());
    (await entry?.load())?.define(command, act);
  };
  countOptions(program, seen);
  program.hook('preSubcommand', async (_, command) => {
    await load(command);
    countOptions(command, seen);
  });

  program
    .command('help')
    .argument('[command...]')
    .description('the help of a command, such as `waybill help webhook create`')
    .helpGroup('Set up and try:')
    .action(async (words: string[]) => {
      let about = program;
      for (const word of words) {
        about = subcommand(about, word);
        if (about.parent === program) await load(about);
      }
      about.outputHelp();
    });
  return program;
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

function subcommand(command: Command, word: string): Command {
  const found = command.commands.find(sub => sub.name() === word);
  if (found !== undefined) return found;
  const names = command.commands.map(sub => sub.name());
  const guess = nearest(word, names);
  throw new Failure(
    'usage',
    `there is no command ${JSON.stringify(`${pathOf(command)} ${word}`)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}; \`${pathOf(command)} --help\` lists what there is`,
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

function usageFailure({ message }: CommanderError, command: Command): Failure {
  const sentence = message
    .replace(/^error: /, '')
    .replace(/\n\(Did/, ' (did')
    .replace(/\.$/, '')
    .replace(/\S{100,}/g, shortened);
  return new Failure('usage', `${sentence}. \`${pathOf(command)} --help\` shows what there is`);
}
