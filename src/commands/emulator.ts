import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { openapi } from '../contract/openapi.ts';
import { DECISIONS } from '../emulator/decisions.ts';
import { FAULTS, type Fault, parseFault, seededRandom } from '../emulator/faults.ts';
import { type RunningEmulator, startEmulator } from '../emulator/server.ts';
import { DEFAULT_TOKENS, parseToken, type Scopes } from '../emulator/tokens.ts';
import { Failure, messageOf } from '../errors.ts';
import type { View } from '../output/print.ts';
import type { Act } from './act.ts';
import { amount, count, positive } from './globals.ts';
import type { Session } from './session.ts';
import { VERSION } from './version.ts';

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
    .option('--port <port>', 'port; 0 takes a free one', port, 8787)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <file>', 'keep the world in this file (default: forget it at the end)')
    .option(
      '--token <token[:scope,scope]>',
      'a token and its scopes, repeatable (default: demo, with all)',
      tokens,
    )
    .option('--speed <factor>', 'how much faster than real time shipments travel', positive, 1)
    .option('--latency <ms>', 'wait before each answer', amount, 0)
    .option(
      '--fault <kind:probability>',
      `repeatable; ${Object.keys(FAULTS).join(', ')}, or a status`,
      faults,
    )
    .option('--seed <n>', 'the same ids and faults each time', count)
    .addHelpText('after', ABOUT)
    .action(act<EmulatorOptions>(emulator));
}

const ABOUT = `
The emulator is no carrier: it makes no real shipment and costs nothing. It serves every operation of the
service document at / and, where the document has a sandbox, at /sandbox, a world of its own; and at
/openapi.json what \`waybill schema --openapi\` prints. What the document does not show, it decides:

${DECISIONS.map(sentence => `- ${sentence}`).join('\n')}

Faults:
${Object.entries(FAULTS)
  .map(([kind, says]) => `  ${kind.padEnd(21)}${says}`)
  .join('\n')}
  ${'a status'.padEnd(21)}is answered, and nothing happened`;

function port(value: string): number {
  const number = count(value);
  if (number > 65_535) throw new InvalidArgumentError('It must be at most 65535.');
  return number;
}

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
