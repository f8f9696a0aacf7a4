import { Command, CommanderError, Help } from 'commander';
import { asFailure, type Failure, NOTHING_SENT } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import { type Host, readOnce } from '../host.ts';
import { setting } from '../profile/environment.ts';
import { type Act, addPage, defineLater, defineNow } from '../session/command.ts';
import { type Globals, globalOptions, printSettings } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { VERSION } from '../session/version.ts';
import { listCommands, loadCommand } from './commands.ts';
import {
  refuseLostText,
  refuseMistyped,
  subcommand,
  type TypedValues,
  typedCommand,
  typedPath,
  usageFailure,
} from './usage.ts';

/** What is known of a command line once it ends. */
export interface Ran {
  /** As it is typed: `waybill batch ship`. */
  command?: string;
  /** Shows how it ends. */
  session?: Session;
}

/**
 * What a command that failed has not sent; `undefined` if it was sent. One that calls no operation of the service says it of a
 * journal alone, because a person may fear for a booking.
 */
export async function unsentBy(
  { command = '', session }: Ran,
  { code }: Failure,
): Promise<string | undefined> {
  const { mayBook } = await import('../contract/operations.ts');
  const books = mayBook(command);
  if (books === undefined && code !== 'storage') return undefined;
  return session ? session.service.unsent(books ?? false) : NOTHING_SENT;
}

/** Runs the command line. Gives the exit code; throws a Failure. `ran` gets what is known by then. */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  ran: Ran,
): Promise<{ exitCode: number; help: string }> {
  let exitCode = 0;
  let help = '';
  let helped: Command | undefined;
  const typed: TypedValues = new Map();

  const act: Act =
    run =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const operands = args.slice(0, -2) as never[];
      const path = typedPath(command);
      ran.command = path;
      // Loaded only now: `--version` and `--help` need no client and no printer.
      const { openSession } = await import('../session/session.ts');
      const session = openSession(readOnce(host), program.opts<Globals & object>());
      ran.session = session;
      const started = host.monotonic();
      const logEnd = (level: 'info' | 'error', error: string | null, code: number) =>
        session.events.log({
          event: 'end',
          level,
          error,
          exitCode: code,
          command: path,
          durationMs: Math.round(host.monotonic() - started),
        });
      try {
        refuseMistyped(command, typed, argv);
        await session.printer.check();
        await warnOfUnknown(session, path, command.opts());
        const code = await run(session, command.opts() as never, ...operands);
        if (typeof code === 'number') exitCode = code;
        else if (host.interrupted.aborted)
          throw interruption(
            host.interrupted,
            'requests in flight were waited for, and their result is above',
          );
        logEnd('info', null, exitCode);
      } catch (error) {
        const failure = asFailure(error);
        logEnd('error', failure.code, failure.exitCode);
        throw error;
      } finally {
        await session.bookingLines.tell();
        await session.close();
      }
    };

  const program = await createProgram(act, typed, {
    width: () => columnsOf(host),
    write: text => {
      help += text;
    },
    about: command => {
      helped = command;
    },
  });
  try {
    refuseLostText(argv, host.env);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    ran.command ??= typedPath(typedCommand(program, argv));
    if (!(error instanceof CommanderError)) throw error;
    if (help === '') throw usageFailure(error, program, argv);
    if (error.code === 'commander.version') {
      await printVersion(program, argv, host);
      help = '';
    }
  }
  // If a topic has the name of a command, the help of the command ends with it.
  const topic = helped?.parent === program ? await topicText(helped.name(), columnsOf(host)) : '';
  return { exitCode, help: topic === '' ? help : `${help}\n${topic}` };
}

/** Variables and settings that nobody knows. Throws `usage` where something would be booked. */
async function warnOfUnknown(
  { host, globals, config, printer }: Session,
  command: string,
  options: Record<string, unknown>,
): Promise<void> {
  const { unknownIn } = await import('../profile/unknown.ts');
  const name = globals.profile ?? setting(host.env, 'WAYBILL_PROFILE') ?? config.current;
  const { variables, settings, isAboutMoney } = unknownIn(host.env, config, name, command, options);
  if (variables !== undefined) await printer.warn(variables, { counts: false, always: isAboutMoney });
  if (settings !== undefined) await printer.warn(settings);
}

/** In the format of the flags alone: a variable must not change what scripts read of --version. Throws `usage`. */
async function printVersion(program: Command, argv: readonly string[], host: Host): Promise<void> {
  // Commander throws when it meets --version, and has not read what follows.
  try {
    program.parseOptions(argv.filter(word => word !== '--version'));
  } catch (error) {
    throw error instanceof CommanderError ? usageFailure(error, program, argv) : error;
  }
  const { createPrinter } = await import('../output/print.ts');
  const { SCHEMA_VERSION } = await import('../journal/tables.ts');
  const { sqliteVersion } = await import('../journal/sqlite/database.ts');
  const printer = createPrinter(host, printSettings(program.opts<Globals & object>(), undefined));
  await printer.check();
  // What a report of a fault needs. `journal`: the number of the schema in each database. `engines`: the version of each; a
  // server has its own, which `history check` names; null, too, if SQLite cannot be loaded.
  const facts = {
    version: VERSION,
    node: host.runtime.node,
    platform: `${host.platform}-${host.runtime.arch}`,
    journal: { sqlite: SCHEMA_VERSION, postgresql: SCHEMA_VERSION },
    engines: { sqlite: await sqliteVersion().catch(() => null), postgresql: null },
  };
  await printer.result(facts, {
    essential: ({ version }) => [version],
    table: ({ version }) => version,
  });
}

const columnsOf = ({ stdout }: Host): number => stdout.columns ?? 80;

const topicText = async (name: string, width: number): Promise<string> =>
  (await import('./topics.ts')).topicText(name, width);

/** The tree of commands, to be looked at; `defineNow` gives one of them its options and subcommands. */
export const commandTree = (): Promise<Command> =>
  createProgram(() => async () => {}, new Map(), { width: () => 80, write() {}, about() {} });

interface HelpOut {
  width(): number;
  write(text: string): void;
  /** The command whose help was written. */
  about(command: Command): void;
}

const FIRST_PAGE = `
Examples:
  # Nothing is set up: the built-in emulator answers.
  waybill quote --profile demo --from TR --to DE --package 2x1.5kg@30x20x10cm

More: \`waybill help options\`, input, output, exit-codes, environment, agents.`;

const EVERY_PAGE = `
The examples work as pasted with WAYBILL_PROFILE=demo. More options, which every
command takes: \`waybill help options\`. Exit codes: \`waybill help exit-codes\`.`;

/** Descriptions come from the contract and from commands. All begin with a capital letter in help. */
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const usual = new Help();

/** `typed` gets the values of each option; commander keeps the last one without a word about the others. */
async function createProgram(
  act: Act,
  typed: TypedValues,
  { width, write, about }: HelpOut,
): Promise<Command> {
  const program = new Command('waybill')
    .description('Quote, book, label and track shipments. A retry never books a shipment twice.')
    .usage('<command> [options]')
    .version(VERSION, '--version', 'show the version; with --json also those of Node, platform and journal')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      commandDescription: command => capital(command.description()).replace(/\.?$/, '.'),
      // What it takes is known when it is typed.
      subcommandTerm: command => command.name(),
      subcommandDescription: command => capital(usual.subcommandDescription(command)),
      optionDescription: option => capital(usual.optionDescription(option)),
      argumentDescription: argument => capital(usual.argumentDescription(argument)),
      // What every command takes is a topic.
      visibleOptions: ({ parent, options }) => (parent ? options.filter(({ hidden }) => !hidden) : []),
    })
    .addHelpText('after', FIRST_PAGE)
    .addHelpText('afterAll', ({ command }) => {
      about(command);
      return command.parent ? EVERY_PAGE : '';
    })
    .configureOutput({
      writeOut: write,
      // `waybill` or a group alone is a question for help.
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      // Help has no colours; commander would open Node's streams to see whether it may.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  globalOptions(program);

  for (const { name, summary, group } of await listCommands())
    defineLater(program.command(name).description(summary).helpGroup(`${group}:`), act, () =>
      loadCommand(name),
    );
  const noteValues = (command: Command) => {
    for (const option of command.options)
      command.on(`option:${option.name()}`, (value: string) => {
        typed.set(option.name(), [...(typed.get(option.name()) ?? []), value]);
      });
  };
  const defineTyped = async (_: Command, command: Command) => {
    await defineNow(command);
    noteValues(command);
    command.hook('preSubcommand', defineTyped);
  };
  noteValues(program);
  program.hook('preSubcommand', defineTyped);

  const help = program
    .command('help')
    .argument('[command...]', 'a command, such as `webhook create`, or a topic')
    .description('show the help of a command or a topic')
    .helpGroup('Set up and try:')
    .action(async (words: string[]) => {
      const [first = ''] = words;
      const isCommand = program.commands.some(sub => sub.name() === first);
      const topic = words.length === 1 && !isCommand ? await topicText(first, width()) : '';
      if (topic !== '') return write(topic);
      const { TOPICS } = await import('./topics.ts');
      let meant = program;
      for (const word of words) {
        meant = subcommand(meant, word, meant === program ? Object.keys(TOPICS) : []);
        await defineNow(meant);
      }
      meant.outputHelp();
    });
  addPage(help, {
    examples: [
      '# The help of a command, and of a topic.',
      'waybill help webhook create',
      'waybill help exit-codes',
    ],
    output: { table: 'the help' },
  });
  return program;
}
