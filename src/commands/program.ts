import { Command, CommanderError } from 'commander';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Act } from './act.ts';
import { type Globals, globalOptions } from './globals.ts';
import { openSession, type Session } from './session.ts';
import { VERSION } from './version.ts';

interface Entry {
  name: string;
  summary: string;
  load(): Promise<{ define(command: Command, act: Act): void }>;
}

/** Every command; its file is loaded only when it is the one that was typed. */
const ENTRIES: readonly Entry[] = [
  { name: 'quote', summary: 'compare proposals for a parcel', load: () => import('./quote.ts') },
  { name: 'rates', summary: 'list shipping rates', load: () => import('./rates.ts') },
  { name: 'ship', summary: 'book one international shipment', load: () => import('./ship.ts') },
  {
    name: 'ship-dual',
    summary: 'book an international + domestic pair',
    load: () => import('./ship-dual.ts'),
  },
  { name: 'label', summary: 'make carrier labels for booked shipments', load: () => import('./label.ts') },
  { name: 'track', summary: 'read status and tracking of shipments', load: () => import('./track.ts') },
  { name: 'webhook', summary: 'create and read webhook subscriptions', load: () => import('./webhook.ts') },
  {
    name: 'profile',
    summary: 'addresses, credentials and defaults, by name',
    load: () => import('./profile.ts'),
  },
  { name: 'emulator', summary: 'run the emulator (around a command)', load: () => import('./emulator.ts') },
  { name: 'schema', summary: 'what the service takes and gives', load: () => import('./schema.ts') },
];

/** Runs the command line. Gives the exit code; throws a Failure, after `onSession` was told how to show it. */
export async function runProgram(
  argv: readonly string[],
  host: Host,
  onSession: (session: Session) => void,
): Promise<number> {
  let exitCode = 0;
  let help = '';
  const program = new Command('waybill')
    .description('Quote, book, label and track shipments, and never book one twice by a retry.')
    .version(VERSION, '--version', 'the version')
    .helpOption('--help', 'this help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: text => (help += text),
      // `waybill` or a group alone is a question for help.
      writeErr: text => (help += text),
      outputError: () => {},
    });
  globalOptions(program);

  const act: Act =
    run =>
    async (...args) => {
      const command = args.at(-1) as Command;
      const operands = args.slice(0, -2) as never[];
      const session = openSession(host, program.opts<Globals & object>());
      onSession(session);
      try {
        await session.printer.check();
        const code = await run(session, command.opts() as never, ...operands);
        if (typeof code === 'number') exitCode = code;
        else refuseInterrupted(host);
      } finally {
        await session.close();
      }
    };

  const entries = new Map(ENTRIES.map(entry => [entry.name, entry]));
  for (const { name, summary } of ENTRIES) program.command(name).description(summary);
  program
    .command('help')
    .argument('[command...]')
    .description('the help of a command')
    .action(async (words: string[]) => {
      await program.parseAsync([...words, '--help'], { from: 'user' });
    });
  program.hook('preSubcommand', async (_, command) =>
    (await entries.get(command.name())?.load())?.define(command, act),
  );

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help === '') throw usageFailure(error);
  }
  if (help !== '') await host.stdout.write(help);
  return exitCode;
}

function usageFailure({ message }: CommanderError): Failure {
  const sentence = message.replace(/^error: /, '').replace(/\n\(?/g, ' (');
  return new Failure('usage', `${sentence}. \`waybill --help\` lists commands and options`);
}

/** All went well, but somebody wanted us to stop: the exit code says so. */
function refuseInterrupted({ interrupted }: Host): void {
  if (!interrupted.aborted) return;
  const signal = String(interrupted.reason);
  throw new Failure(
    'interrupted',
    `stopped by ${signal}; what was in flight was waited for, and its result is above`,
    {
      exitCode: signal === 'SIGTERM' ? 143 : 130,
    },
  );
}
