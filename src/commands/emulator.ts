import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { openapi } from '../contract/openapi.ts';
import { FAULTS, type Fault, parseFault, seededRandom } from '../emulator/faults.ts';
import { type RunningEmulator, startEmulator } from '../emulator/server.ts';
import { DEFAULT_TOKENS, parseToken, type Scopes } from '../emulator/tokens.ts';
import { Failure, messageOf } from '../errors.ts';
import type { View } from '../output/print.ts';
import type { Act } from '../session/command.ts';
import { amount, count, port, positive } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { VERSION } from '../session/version.ts';

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
    .argument('[command...]', 'a command to run with the emulator around it, after --')
    .usage('[options] [-- command...]')
    .optionsGroup('Address:')
    .option('--port <port>', 'port; 0 takes a free one', port, 8787)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .optionsGroup('World:')
    .option('--data <file>', 'keep the world in this file (default: forget it at the end)')
    .option(
      '--token <token[:scope,scope]>',
      'a token and its scopes, repeatable (default: demo, with all)',
      tokens,
    )
    .option('--speed <factor>', 'how much faster than real time shipments travel', positive, 1)
    .optionsGroup('Faults:')
    .option('--latency <ms>', 'wait before each answer', amount, 0)
    .option(
      '--fault <kind:probability>',
      `repeatable; ${Object.keys(FAULTS).join(', ')}, or a status`,
      faults,
    )
    .option('--seed <n>', 'the same ids and faults each time', count)
    .action(act<EmulatorOptions>(emulator));
}

const FIRST_SCREEN = `This is the emulator of waybill, and no carrier: nothing is booked, moved or charged. Its prices and transit
times are made up, its tokens protect nothing, and what the service document does not show it decides.
\`waybill emulator --help\` lists what it decides, and another service may decide otherwise.`;

const tokens = (written: string, before: [string, Scopes][] = []) => [
  ...before,
  orRefuse(() => parseToken(written)),
];
const faults = (written: string, before: Fault[] = []) => [...before, orRefuse(() => parseFault(written))];

function orRefuse<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

async function emulator(session: Session, options: EmulatorOptions, command: string[]): Promise<number> {
  const running = await start(session, options);
  const [token = ''] = options.token?.map(([name]) => name) ?? [...DEFAULT_TOKENS.keys()];
  try {
    const [program, ...args] = command;
    // For a person who looks on; a script reads the line on stdout, and a log is the log of COMMAND.
    if (session.host.stderr.isTerminal) await session.printer.note(FIRST_SCREEN);
    if (program !== undefined) return await runAround(session, running, token, program, args);
    await session.printer.result(
      { address: running.address, sandbox: `${running.address}/sandbox`, token },
      readyView,
    );
    await untilInterrupted(session);
    return 0;
  } finally {
    await running.close();
  }
}

const readyView: View<{ address: string; sandbox: string; token: string }> = {
  essential: ({ address }) => [address],
  table: ({ address, sandbox, token }) =>
    `waybill emulator: ${address} (sandbox: ${sandbox}, token: ${token})`,
};

async function start({ host }: Session, options: EmulatorOptions): Promise<RunningEmulator> {
  try {
    return await startEmulator({
      host: options.host,
      port: options.port,
      data: options.data === undefined ? ':memory:' : resolve(host.cwd, options.data),
      ...(options.token && { tokens: new Map(options.token) }),
      speed: options.speed,
      latency: options.latency,
      faults: options.fault ?? [],
      now: host.now,
      random: options.seed === undefined ? host.random : seededRandom(options.seed),
      openapi: () => openapi(VERSION),
    });
  } catch (error) {
    throw new Failure('storage', messageOf(error));
  }
}

async function runAround(
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
    WAYBILL_AUTH_HEADER: '',
    WAYBILL_AUTH_SCHEME: '',
    WAYBILL_ECONOMY_CARRIERS: 'ECO',
  };
  try {
    return await host.run(program, args, env);
  } catch (error) {
    throw new Failure('usage', `${program} cannot be run: ${messageOf(error)}`, { exitCode: 127 });
  }
}

const untilInterrupted = ({ host }: Session): Promise<void> =>
  new Promise(done => {
    if (host.interrupted.aborted) done();
    host.interrupted.addEventListener('abort', () => done(), { once: true });
  });
