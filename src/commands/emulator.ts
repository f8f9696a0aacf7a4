import { once } from 'node:events';
import { InvalidArgumentError } from 'commander';
import { ECONOMY_CARRIERS } from '../emulator/carriers.ts';
import { type RunningEmulator, type ServerOptions, startEmulator } from '../emulator/server.ts';
import { DEFAULT_TOKENS, FAULTS, parseFault, parseToken, seededRandom } from '../emulator/settings.ts';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import { declare, operand } from '../session/command.ts';
import { flag, grouped, type OptionsOf } from '../session/flags.ts';
import { count, port, positive, readAmount } from '../session/globals.ts';
import { loadOpenapi, type Session } from '../session/session.ts';
import { messageOf, unstartableBecause } from '../system-errors.ts';

/** Makes the parser of an option that may be given several times: each value is added to the earlier ones. */
const repeatedly =
  <T>(parse: (written: string) => T) =>
  (written: string, before: T[] = []): T[] => {
    try {
      return [...before, parse(written)];
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };

const FLAGS = {
  ...grouped('Address:', {
    port: flag('--port <port>', 'the port; 0 for a free one', { read: port, initial: 8787 }),
    host: flag('--host <address>', 'the address to listen on', { initial: '127.0.0.1' }),
    asProduction: flag(
      '--as-production',
      'an address that is asked about as production is, to rehearse that; nothing real',
    ),
  }),
  ...grouped('Data:', {
    data: flag('--data <file>', 'store the data in this file (default: delete it at the end)'),
    token: flag(
      '--token <token[:scope,scope]>',
      'a token and its scopes, repeatable (default: demo with all scopes)',
      { read: repeatedly(parseToken), repeats: true },
    ),
    speed: flag('--speed <factor>', 'how much faster than real time shipments arrive', {
      read: positive,
      initial: 1,
    }),
  }),
  ...grouped('Faults:', {
    latency: flag('--latency <ms>', 'wait so long before each answer', { read: readAmount, initial: 0 }),
    fault: flag(
      '--fault <kind:probability>',
      `repeatable; ${Object.keys(FAULTS).join(', ')}, or a status. In place of the probability: first2; behind it: @createShipment`,
      { read: repeatedly(parseFault), repeats: true },
    ),
    seed: flag('--seed <n>', 'give the same faults in each run; ids never repeat', { read: count }),
  }),
  ...grouped('Audit:', {
    audit: flag('--audit <file>', 'write into this file what the client booked, labelled or sent twice'),
  }),
};

type EmulatorOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  usage: '[options] [-- command...]',
  examples: [
    '# A command whose environment has address and token of the emulator.',
    'waybill emulator --port 0 -- waybill quote --from TR --to DE --package 2x1.5kg@30x20x10cm',
    '# A service that fails at every request.',
    'waybill emulator --port 0 --fault 500:1 --seed 7 -- waybill profile test --retries 0 || test $? = 7',
    '# Does a client buy twice if its first booking loses its answer?',
    'waybill schema ship --example > audited.json',
    'waybill emulator --port 0 --audit audit.json --fault reset-after:first1@createShipment -- waybill ship -f audited.json --key AUDITED-1 || test $? = 8',
  ],
  output: {
    table: 'one line with its address when it is ready; with -- COMMAND only the output of COMMAND',
    quiet: 'the address',
    json: 'address, sandbox, token',
  },
  exits: {
    usage: 'wrong command line; 127 if COMMAND cannot be run',
    partial:
      'with --audit: a booking was sent again after an answer that the client did not get; with --strict also: anything twice',
    interrupted: 'COMMAND was stopped; alone, the emulator ends with 0 on SIGINT, SIGTERM and SIGHUP',
    storage: 'the port is taken, or --data or --audit cannot be used',
  },
  notes: {
    Faults: [
      ...Object.entries(FAULTS),
      ['a status', 'is the answer, and nothing is done'],
      ['KIND:first2', 'the first two requests have it'],
      ['KIND:1@createShipment', 'requests of that operation (`createShipment` or `ship`) have it'],
    ],
  },
  operands: [operand('[command...]', 'a command to run with the emulator, after --')],
  flags: FLAGS,
  run: emulate,
});

const FIRST_SCREEN =
  'This is the emulator of waybill, not a carrier: nothing is booked, moved or charged, and its prices and times are made up. `waybill emulator --help` lists what it decides where the service document shows nothing.';

async function emulate(session: Session, options: EmulatorOptions, command: string[]): Promise<number> {
  if (options.audit === undefined) return serveEmulator(session, options, command);
  const { openAudit } = await import('./emulator/audit.ts');
  const audit = await openAudit(session, options.audit, options.data);
  try {
    const exitCode = await serveEmulator(session, options, command, audit.see);
    return await audit.judge(exitCode);
  } finally {
    audit.close();
  }
}

/** Serves until COMMAND ends, or a signal comes. */
async function serveEmulator(
  session: Session,
  options: EmulatorOptions,
  command: string[],
  onExchange?: ServerOptions['onExchange'],
): Promise<number> {
  const running = await startFor(session, options, onExchange);
  const [token = ''] = options.token?.map(([name]) => name) ?? [...DEFAULT_TOKENS.keys()];
  try {
    const [program, ...args] = command;
    // The first screen is only for a person at a terminal: a script reads stdout, and the log of COMMAND must not change.
    if (session.host.stderr.isTerminal) await session.printer.note(FIRST_SCREEN);
    if (program !== undefined) return await runAround(session, running, token, program, args);
    const { address } = running;
    const sandbox = `${address}/sandbox`;
    await session.printer.result(
      { address, sandbox, token },
      {
        // A program that starts the emulator waits for this one line, although the command goes on.
        streamed: true,
        essential: () => [address],
        table: () => `waybill emulator: ${address} (sandbox: ${sandbox}, token: ${token})`,
      },
    );
    if (!session.host.interrupted.aborted) await once(session.host.interrupted, 'abort');
    return 0;
  } finally {
    await running.close();
  }
}

const startFor = (
  session: Session,
  options: EmulatorOptions,
  onExchange: ServerOptions['onExchange'],
): Promise<RunningEmulator> =>
  startEmulator({
    ...options,
    data: options.data === undefined ? ':memory:' : absolutePath(options.data, session.host),
    ...(options.token && { tokens: new Map(options.token) }),
    faults: options.fault ?? [],
    now: session.host.now,
    random: options.seed === undefined ? session.host.random : seededRandom(options.seed),
    loadOpenapi,
    ...(onExchange && { onExchange }),
  });

function runAround(
  session: Session,
  emulator: RunningEmulator,
  token: string,
  program: string,
  args: readonly string[],
): Promise<number> {
  const { host } = session;
  const env = {
    ...host.env,
    WAYBILL_PROFILE: '',
    WAYBILL_BASE_URL: emulator.address,
    WAYBILL_SANDBOX_BASE_URL: `${emulator.address}/sandbox`,
    WAYBILL_TOKEN: token,
    WAYBILL_TOKEN_FILE: '',
    WAYBILL_AUTH_HEADER: '',
    WAYBILL_AUTH_SCHEME: '',
    WAYBILL_ECONOMY_CARRIERS: ECONOMY_CARRIERS.join(','),
  };
  return host.run(program, args, { env }).catch((error: unknown) => {
    throw new Failure('usage', unstartableBecause(program, error), { exitCode: 127 });
  });
}
