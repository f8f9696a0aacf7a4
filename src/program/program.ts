import { Command, CommanderError } from 'commander';
import { asFailure } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Host } from '../host.ts';
import type { Act } from '../session/command.ts';
import { type Globals, globalOptions, printSettings } from '../session/globals.ts';
import { addPage } from '../session/page.ts';
import type { Session } from '../session/session.ts';
import { readOnce } from '../session/stdin-once.ts';
import { VERSION } from '../session/version.ts';
import { listCommands, loadCommand } from './commands.ts';
import {
  refuseLostText,
  refuseMistyped,
  subcommand,
  type TypedValues,
  typedPath,
  usageFailure,
} from './usage.ts';

/** Runs the command line. Gives the exit code; throws a Failure, after `onSession` got the session that shows it. */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  onSession: (session: Session) => void,
): Promise<{ exitCode: number; help: string }> {
  refuseLostText(argv, host.env);
  let exitCode = 0;
  let help = '';
  let page: HelpPage | undefined;
  const typed: TypedValues = new Map();

  const act: Act =
    run =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const operands = args.slice(0, -2) as never[];
      // Loaded only now: `--version` and `--help` need no client and no printer.
      const { openSession } = await import('../session/session.ts');
      const session = openSession(readOnce(host), program.opts<Globals & object>());
      onSession(session);
      const started = host.monotonic();
      const logEnd = (level: 'info' | 'error', error: string | null, code: number) =>
        session.events.log({
          ...{ event: 'end', level, error, exitCode: code, command: typedPath(command) },
          durationMs: Math.round(host.monotonic() - started),
        });
      try {
        refuseMistyped(command, typed, argv);
        await session.printer.check();
        const { variableWarnings } = await import('../profile/unknown-variables.ts');
        const { strict } = session.globals;
        for (const slip of variableWarnings(host.env, typedPath(command), { ...command.opts(), strict }))
          await session.printer.warn(slip);
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

  const { program } = await createProgram(act, typed, {
    width: () => host.stdout.columns ?? 80,
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
    if (help === '' && page === undefined) throw usageFailure(error, program, argv);
    if (error.code === 'commander.version') {
      await printVersion(program, argv, host);
      help = '';
    }
  }
  return { exitCode, help: page ? await page() : help };
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
  const { versionFacts } = await import('../session/version-facts.ts');
  const printer = createPrinter(host, printSettings(program.opts<Globals & object>(), undefined));
  await printer.check();
  await printer.result(versionFacts(host), {
    essential: ({ version }) => [version],
    table: ({ version }) => version,
  });
}

/** The tree of commands, to be looked at; `load` gives one of the first level its options and subcommands. */
export const commandTree = (): Promise<CommandTree> =>
  createProgram(() => async () => {}, new Map(), { width: () => 80, write() {}, show() {} });

export interface CommandTree {
  program: Command;
  load(command: Command): Promise<void>;
}

/** Writes a page of help. Called after commander is done, so that the manual is loaded for help alone. */
type HelpPage = () => Promise<string>;

interface HelpOut {
  width(): number;
  write(text: string): void;
  show(page: HelpPage): void;
}

/** `typed` gets the values of each option; commander keeps the last one without a word about the others. */
async function createProgram(
  act: Act,
  typed: TypedValues,
  { width, write, show }: HelpOut,
): Promise<CommandTree> {
  const program = new Command('waybill')
    .description('Quote, book, label and track shipments. A retry never books a shipment twice.')
    .usage('<command> [options]')
    .version(VERSION, '--version', 'show the version; with --json also those of Node, platform and journal')
    .helpOption('-h, --help', 'show this help')
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
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      // Help has no colours; commander would open Node's streams to see whether it may.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  globalOptions(program);

  for (const { name, summary, group } of await listCommands())
    program.command(name).description(summary).helpGroup(`${group}:`);
  const load = async (command: Command) => {
    if (command !== help) await (await loadCommand(command.name())).define(command, act);
  };
  const noteValues = (command: Command) => {
    for (const option of command.options)
      command.on(`option:${option.name()}`, (value: string) => {
        typed.set(option.name(), [...(typed.get(option.name()) ?? []), value]);
      });
    for (const sub of command.commands) noteValues(sub);
  };
  noteValues(program);
  program.hook('preSubcommand', async (_, command) => {
    await load(command);
    noteValues(command);
  });

  const help = program
    .command('help')
    .argument('[command...]', 'a command, such as `webhook create`, or a topic')
    .description('show the help of a command or a topic')
    .helpGroup('Set up and try:')
    .action(async (words: string[]) => {
      const [first = ''] = words;
      const { TOPICS } = await import('./topics.ts');
      const isCommand = program.commands.some(sub => sub.name() === first);
      if (words.length === 1 && !isCommand && Object.hasOwn(TOPICS, first))
        return show(async () => (await import('./help-page.ts')).topicText(first, width()));
      let about = program;
      for (const word of words) {
        about = subcommand(about, word, about === program ? Object.keys(TOPICS) : []);
        if (about.parent === program) await load(about);
      }
      about.outputHelp();
    });
  addPage(help, {
    examples: [
      '# The help of a command, and of a topic.',
      'waybill help webhook create',
      'waybill help exit-codes',
    ],
    output: { table: 'the help' },
  });
  return { program, load };
}
