import { Command, CommanderError } from 'commander';
import { asFailure, type Failure, innerOf, NOTHING_SENT } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import { type Host, readOnce } from '../host.ts';
import type { Page } from '../session/command.ts';
import { type Flags, flag } from '../session/flags.ts';
import { flagOrVariable, GLOBAL_FLAGS, type Globals, printSettings } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { VERSION } from '../session/version.ts';
import { listCommands, loadCommand } from './commands.ts';
import { type Act, addCommand, addFlag, defineNow, describe } from './tree.ts';
import {
  refuseLostText,
  refuseMistyped,
  subcommand,
  type TypedValues,
  typedCommand,
  typedPath,
  usageFailure,
} from './usage.ts';

/** What is known of a command line when it ends, or fails. */
export interface Ran {
  /** The command as it is typed: `waybill batch ship`. */
  command?: string;
  /** The session that shows how the command ends. */
  session?: Session;
}

/**
 * What a failed command has not sent, in words; `undefined` if it was sent. A command that sends no operation says it only when its journal
 * failed, because a person may fear for a booking.
 */
export async function unsentBy(ran: Ran, failure: Failure): Promise<string | undefined> {
  const { mayBook } = await import('../contract/operations.ts');
  const books = mayBook(ran.command ?? '');
  if (books === undefined && failure.code !== 'storage') return undefined;
  return ran.session ? ran.session.service.unsent(books ?? false) : NOTHING_SENT;
}

/** Runs the command line. Gives the exit code; throws a Failure. `ran`: gets what is known so far, also for a failure. */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  ran: Ran,
): Promise<{ exitCode: number; help: string }> {
  let exitCode = 0;
  let topic = '';
  let helped: Command | undefined;
  const typed: TypedValues = new Map();

  const act: Act =
    (run, isExamining = false) =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const operands = args.slice(0, -2) as never[];
      const path = typedPath(command);
      ran.command = path;
      // Loaded only now: `--version` and `--help` need no client and no printer.
      const { openSession, openToExamine } = await import('../session/session.ts');
      const open = isExamining ? openToExamine : openSession;
      const session = open(readOnce(host), program.opts<Globals & object>());
      ran.session = session;
      exitCode = await runLogged(session, path, async () => {
        refuseMistyped(command, typed, argv);
        await session.printer.check();
        if (!isExamining) await warnOfUnknown(session, path, command.opts());
        return run(session, command.opts() as never, ...operands);
      });
    };

  const program = await createProgram(act, typed, {
    showTopic: async name => {
      topic = await lazyTopicText(name, stdoutWidth(host));
      return topic !== '';
    },
    async showPath(words) {
      topic = `${(await import('./skill.ts')).skillPath(host, words)}\n`;
    },
    showHelp: command => {
      helped = command;
    },
  });
  try {
    refuseLostText(argv, host.env);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    ran.command ??= typedPath(typedCommand(program, argv));
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') await printVersion(program, argv, host);
    else if (helped === undefined) throw usageFailure(error, program, argv);
  }
  if (helped === undefined) return { exitCode, help: topic };
  const { helpOf } = await import('./pages.ts');
  return { exitCode, help: await helpOf(helped, stdoutWidth(host)) };
}

/** Runs a command in its session, logs how it ended, and closes the session. Gives the exit code. */
async function runLogged(session: Session, command: string, run: () => Promise<unknown>): Promise<number> {
  const { host } = session;
  const started = host.monotonic();
  const logEnd = (level: 'info' | 'error', failure: Failure | undefined, exitCode: number) =>
    session.events.log({
      event: 'end',
      level,
      error: failure?.code ?? null,
      ...(failure?.notice && { notice: failure.notice }),
      exitCode,
      command,
      durationMs: Math.round(host.monotonic() - started),
    });
  try {
    const code = await run();
    if (typeof code !== 'number' && host.interrupted.aborted)
      throw interruption(host.interrupted, { kind: 'stopped-after-requests' });
    const exitCode = typeof code === 'number' ? code : 0;
    logEnd('info', undefined, exitCode);
    return exitCode;
  } catch (error) {
    const failure = asFailure(error);
    const { code, facts } = failure;
    const isStopped = code === 'partial' && host.interrupted.aborted;
    const stop = isStopped
      ? interruption(host.interrupted, { kind: 'stopped-in-part', done: innerOf(failure) }, facts)
      : undefined;
    logEnd('error', stop ?? failure, (stop ?? failure).exitCode);
    throw stop ?? error;
  } finally {
    await session.bookingLines.tell();
    await session.close();
  }
}

/** Warns of variables and settings that waybill does not know. Throws `usage` for a command that would book. */
async function warnOfUnknown(
  session: Session,
  command: string,
  options: Record<string, unknown>,
): Promise<void> {
  const { host, globals, config, printer } = session;
  const { checkUnknownNames } = await import('../profile/unknown.ts');
  const name = flagOrVariable(globals, host.env, 'profile') ?? config.current;
  const { variables, settings, isAboutMoney } = checkUnknownNames(host.env, config, name, command, options);
  if (variables !== undefined) await printer.warn(variables, { counts: false, always: isAboutMoney });
  if (settings !== undefined) await printer.warn(settings);
}

/** Prints the version. Only flags choose its format: a variable must not change what scripts read. Throws `usage`. */
async function printVersion(program: Command, argv: readonly string[], host: Host): Promise<void> {
  // Commander throws at --version, before it has read the options behind it.
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
  // What a report of a fault needs. `journal`: the schema number in each kind of database. `engines`: the version of each kind; a server
  // tells its own in `history check`, so it is null here; null, too, if SQLite cannot be loaded.
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

const stdoutWidth = (host: Host): number => host.stdout.columns ?? 80;

const lazyTopicText = async (name: string, width: number): Promise<string> =>
  (await import('./topics.ts')).topicText(name, width);

/** The tree of commands, only to be looked at. `defineNow` adds the options and subcommands of one command. */
export const commandTree = (
  act: Act = () => async () => {},
  typed: TypedValues = new Map(),
): Promise<Command> =>
  createProgram(act, typed, {
    showTopic: async name => (await lazyTopicText(name, 80)) !== '',
    async showPath() {},
    showHelp() {},
  });

const HELP_PAGE: Page & { flags: Flags } = {
  flags: { path: flag('--path', 'of the topic agents: where its file lies, a skill for agents') },
  examples: [
    '# The help of a command, and of a topic.',
    'waybill help webhook create',
    'waybill help exit-codes',
    '# The page for agents as a file: copy its folder to where your agent looks for skills.',
    'waybill help agents --path',
  ],
  output: { table: 'the help' },
};

/** Called when a command line asks for help or a topic: the text is written after the whole line is read. */
interface Shown {
  /** Gives `false` if there is no such topic. */
  showTopic(name: string): Promise<boolean>;
  /** Shows the path of the file that has a page. */
  showPath(words: readonly string[]): Promise<void>;
  showHelp(command: Command): void;
}

/** `typed`: gets all values of each option, because commander keeps only the last one, and says nothing of the others. */
async function createProgram(act: Act, typed: TypedValues, shown: Shown): Promise<Command> {
  const { showTopic, showPath, showHelp } = shown;
  const program = new Command('waybill')
    .description('Quote, book, label and track shipments. A retry never books a shipment twice.')
    .usage('<command> [options]')
    .version(VERSION, '--version', 'show the version; with --json also those of Node, platform and journal')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      // From these options commander suggests one for an unknown option. Options of every command, such as --yes, are not among them.
      visibleOptions: command => (command.parent ? command.options.filter(({ hidden }) => !hidden) : []),
      formatHelp(command) {
        showHelp(command);
        return '';
      },
    })
    .configureOutput({
      writeOut() {},
      writeErr() {},
      outputError() {},
      // Commander would otherwise open the streams of Node to see whether help may have colours.
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const flag of Object.values(GLOBAL_FLAGS)) addFlag(program, flag);

  for (const { name, summary, group } of await listCommands())
    addCommand(program, name, [summary, () => loadCommand(name)], act).helpGroup(`${group}:`);
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

  describe(program.command('help'), HELP_PAGE)
    .argument('[command...]', 'a command, such as `webhook create`, or a topic')
    .description('show the help of a command or a topic')
    .helpGroup('Set up and try:')
    .action(async (words: string[], { path }: { path?: boolean }) => {
      if (path) return showPath(words);
      const [first = ''] = words;
      const isCommand = program.commands.some(sub => sub.name() === first);
      if (words.length === 1 && !isCommand && (await showTopic(first))) return;
      const { TOPICS } = await import('./topics.ts');
      let meant = program;
      for (const word of words) {
        meant = subcommand(meant, word, meant === program ? Object.keys(TOPICS) : []);
        await defineNow(meant);
      }
      meant.outputHelp();
    });
  return program;
}
