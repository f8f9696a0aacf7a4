// Runs one command against a service that answers, byte by byte, as a row of the table says.
import { expect } from 'vitest';
import { createRig, type Ran } from '../rig/command.ts';
import type { Fault } from '../rig/fault.ts';
import { SECRET, type Seen } from '../rig/oracles.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, type Raw, type RawOptions, type Reply, rawServer, script } from '../rig/sockets.ts';

export const COMMANDS = {
  quote: 'quote --from TR --to DE --package 1kg@10x10x10',
  track: 'track S-1',
  ship: 'ship -f - --key ORDER-1',
};

type Name = keyof typeof COMMANDS;

const WELL: Record<Name, string> = {
  quote: JSON.stringify({ proposals: [{ id: 'EXP', isValid: true, price: 9, currency: 'EUR' }] }),
  track: JSON.stringify({ id: 'S-1', status: [{ status: 'delivered', milestone: 'delivered' }] }),
  ship: JSON.stringify({ id: 'S-1', carrier: { id: 'EXP' } }),
};

/** An answer that fits all of them. */
export const WELL_FOR_ALL = JSON.stringify(
  Object.assign({}, ...Object.values(WELL).map(text => JSON.parse(text))),
);

/** How a command ends: exit code, complete requests that arrived, and what its user sees. */
type End = readonly [exit: number, arrived: number, ...sees: (string | RegExp)[]];

export interface Scene {
  reply?: string | Reply;
  options?: RawOptions;
  /** The base address, if it is not the one of the server. */
  base?(server: Raw): string;
  env?(server: Raw): Record<string, string>;
  /** The event with which every deadline ends. */
  late?(server: Raw): Promise<unknown>;
  /** More options of the command line. */
  more?: string;
  /** Further checks. */
  after?(ran: Ran, server: Raw): void;
}

const STATES: Record<number, string> = { 0: 'created', 7: 'not_sent', 8: 'unknown' };

/** A row. A `scene` that is a function is called when the row runs. */
export function row(
  name: Name,
  when: string,
  [exit, arrived, ...sees]: End,
  scene: Scene | (() => Promise<Scene>),
): Fault {
  const happen = async () => {
    const stage = typeof scene === 'function' ? await scene() : scene;
    return play(name, [exit, arrived, ...sees], stage);
  };
  return { when: `${name}: ${when}`, sees, exit, happen };
}

async function play(name: Name, [exit, arrived]: End, scene: Scene): Promise<Seen> {
  const { reply = '', options, more = '' } = scene;
  const server = await rawServer(typeof reply === 'string' ? script(reply) : reply, options);
  const address = scene.base?.(server) ?? server.url.origin;
  const rig = await createRig({
    env: { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: SECRET, ...scene.env?.(server) },
  });
  const late = scene.late?.(server);
  const run = () =>
    rig.run(`${COMMANDS[name]} ${more}`, {
      stdin: JSON.stringify(SHIPMENT),
      ...(late && { patience: late }),
    });
  const ran = await run();
  expect({ arrived: server.requests.length, stderr: ran.stderr }).toEqual({ arrived, stderr: ran.stderr });
  expect(ran.stdout === '').toBe(exit !== 0);
  if (name === 'ship') {
    const [{ state }] = JSON.parse((await rig.run('history list --json')).stdout);
    expect(state).toBe(STATES[exit] ?? 'rejected');
    // A booking that may have arrived is never sent again, and the message says whom to ask, how long to wait, and how
    // to resolve it.
    if (exit === 8) {
      expect(ran.stderr).toMatch(/Ask the provider.* 15 minutes/s);
      expect(ran.stderr).toContain('else `waybill history resolve ORDER-1`');
      expect((await run()).exitCode).toBe(8);
      expect(server.requests.length).toBe(arrived);
    }
  } else if (exit !== 0) expect(ran.stderr).toContain(address);
  scene.after?.(ran, server);
  return ran;
}

/** A good answer for the command that calls. */
export const well: Reply = (socket, request) => {
  const name = request.startsWith('GET') ? 'track' : request.includes('/proposal') ? 'quote' : 'ship';
  socket.write(http(name === 'track' ? 200 : 201, WELL[name]));
};
