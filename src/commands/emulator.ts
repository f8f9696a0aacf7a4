import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { ECONOMY_CARRIERS } from '../emulator/carriers.ts';
import { type RunningEmulator, startEmulator } from '../emulator/server.ts';
import {
  DEFAULT_TOKENS,
  FAULTS,
  type Fault,
  parseFault,
  parseToken,
  type Scopes,
  seededRandom,
} from '../emulator/settings.ts';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import type { Act } from '../session/command.ts';
import { count, port, positive, readAmount } from '../session/globals.ts';
import { loadOpenapi, type Session } from '../session/session.ts';
import { messageOf, unstartableBecause } from '../system-errors.ts';

interface EmulatorOptions {
  port: number;
  host: string;
  data?: string;
  token?: [string, Scopes][];
  speed: number;
  /** Milliseconds. */
  latency: number;
  fault?: Fault[];
  seed?: number;
}

export function define(command: Command, act: Act): void {
  command
    .argument('[command...]', 'a command to run with the emulator, after --')
    .usage('[options] [-- command...]')
    .optionsGroup('Address:')
    .option('--port <port>', 'the port; 0 for a free one', port, 8787)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .optionsGroup('Data:')
    .option('--data <file>', 'store the data in this file (default: delete it at the end)')
    .option(
      '--token <token[:scope,scope]>',
      'a token and its scopes, repeatable (default: demo with all scopes)',
      each(parseToken),
    )
    .option('--speed <factor>', 'how much faster than real time shipments arrive', positive, 1)
    .optionsGroup('Faults:')
    .option('--latency <ms>', 'wait so long before each answer', readAmount, 0)
    .option(
      '--fault <kind:probability>',
      `repeatable; ${Object.keys(FAULTS).join(', ')}, or a status`,
      each(parseFault),
    )
    .option('--seed <n>', 'give the same faults in each run; ids never repeat', count)
    .action(act<EmulatorOptions>(emulator));
}

const FIRST_SCREEN =
  'This is the emulator of waybill, not a carrier: nothing is booked, moved or charged, and its prices and times are made up. `waybill emulator --help` lists what it decides where the service document shows nothing.';

/** Parses one of several values of an option. */
const each =
  <T>(parse: (written: string) => T) =>
  (written: string, before: T[] = []): T[] => {
    try {
      return [...before, parse(written)];
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };

async function emulator(session: Session, options: EmulatorOptions, command: string[]): Promise<number> {
  const running = await start(session, options);
  const [token = ''] = options.token?.map(([name]) => name) ?? [...DEFAULT_TOKENS.keys()];
  try {
    const [program, ...args] = command;
    // Only for a person at a terminal: a script reads stdout, and the log of COMMAND must not change.
    if (session.host.stderr.isTerminal) await session.printer.note(FIRST_SCREEN);
    if (program !== undefined) return await runAround(session, running, token, program, args);
    const { address } = running;
    const sandbox = `${address}/sandbox`;
    await session.printer.result(
      { address, sandbox, token },
      {
        // Who starts it waits for one line.
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

const start = ({ host }: Session, options: EmulatorOptions): Promise<RunningEmulator> =>
  startEmulator({
    ...options,
    data: options.data === undefined ? ':memory:' : absolutePath(options.data, host),
    ...(options.token && { tokens: new Map(options.token) }),
    faults: options.fault ?? [],
    now: host.now,
    random: options.seed === undefined ? host.random : seededRandom(options.seed),
    loadOpenapi,
  });

function runAround(
  { host }: Session,
  { address }: RunningEmulator,
  token: string,
  program: string,
  args: readonly string[],
): Promise<number> {
  const env = {
    ...host.env,
    WAYBILL_PROFILE: '',
    WAYBILL_BASE_URL: address,
    WAYBILL_SANDBOX_BASE_URL: `${address}/sandbox`,
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
