// Rigs of promises about profiles, limits and the network: with a profile `live`, with a service that answers as a row says, or
// with one that is production.
import { chmodSync } from 'node:fs';
import { expect } from 'vitest';
import type { SeenRequest } from '../../src/emulator/server.ts';
import { createRig, type Ran, type Rig, type RigOptions, type RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { asProduction } from '../rig/production.ts';
import { BARE, bareRig } from '../rig/profile.ts';
import { DUAL, PROPOSALS, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { http, type Raw, type RawOptions, type Reply, rawServer } from '../rig/sockets.ts';

export const ORDER = { files: { 'order.json': SHIPMENT } };

/** A rig with a profile `live` for its emulator, whose credentials these flags of `profile add` give. */
export const liveRig =
  (flags: string | string[] = '--token-stdin', options: RigOptions = {}) =>
  async (): Promise<Rig> => {
    const rig = await bareRig({ ...ORDER, ...options });
    await added(rig, rig.address, flags);
    return rig;
  };

async function added(rig: Rig, address: string, flags: string | string[]): Promise<void> {
  const words = typeof flags === 'string' ? flags.split(' ').filter(Boolean) : flags;
  const add = ['profile', 'add', 'live', '--base-url', address, '--sandbox-base-url', `${address}/sandbox`];
  const ran = await rig.run([...add, ...words], { stdin: `${SECRET}\n` });
  expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
}

interface Served extends RigOptions {
  /** Those of `profile add`; without them address and token are in the environment. */
  flags?: string | string[];
  secure?: RawOptions['secure'];
}

/** A rig whose service answers so. What arrived there are the requests of each run. */
export const servedRig =
  (reply: () => Reply, { flags, secure, ...options }: Served = {}) =>
  async (): Promise<Rig> => {
    const server = await rawServer(reply(), secure && { secure });
    const address = server.url.origin;
    const rig = await createRig({
      ...ORDER,
      ...options,
      env: { ...(flags === undefined ? { WAYBILL_BASE_URL: address } : BARE), ...options.env },
    });
    if (flags !== undefined) await added(rig, address, flags);
    return { ...rig, run: arrivingAt(rig, server) };
  };

const arrivingAt =
  ({ run }: Rig, { requests }: Raw): Rig['run'] =>
  async (argv, options) => {
    const before = requests.length;
    const ran = await run(argv, options);
    return { ...ran, requests: requests.slice(before).map(asSeen) };
  };

function asSeen(request: string): SeenRequest {
  const [head = '', ...body] = request.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = lines.map(line => /^([^:]*): ?(.*)$/.exec(line) ?? ['', '', '']);
  return {
    method,
    path,
    headers: Object.fromEntries(headers.map(([, name = '', value = '']) => [name.toLowerCase(), value])),
    body: body.join('\r\n\r\n'),
    answered: 200,
  };
}

/** Answers by `METHOD PATH`; of several answers the last one repeats. Other requests get none. */
export const replying = (table: Readonly<Record<string, string | readonly string[]>>) => (): Reply => {
  const times = new Map<string, number>();
  return (socket, request) => {
    const [line = ''] = request.split(' HTTP/1.1', 1);
    const time = times.get(line) ?? 0;
    times.set(line, time + 1);
    const answers = [table[line] ?? []].flat();
    const answer = answers[Math.min(time, answers.length - 1)];
    if (answer !== undefined) socket.write(answer);
  };
};

/** Looks at the headers of a request that arrived. */
export const arrivedWith =
  (headers: Record<string, unknown>, index = 0) =>
  ({ requests }: Ran): void =>
    expect(requests.at(index)?.headers).toMatchObject(headers);

/** Headers that a request must not have. */
export const arrivedWithout =
  (names: readonly string[], index = 0) =>
  ({ requests }: Ran): void => {
    expect(requests.at(index)).toBeDefined();
    for (const name of names) expect(requests.at(index)?.headers).not.toHaveProperty(name);
  };

export type Offered = readonly [id: string, price: unknown, currency?: string];

interface Shop {
  policy?: Record<string, unknown>;
  offered?: readonly Offered[];
  /** What the answer of `ship` charges. */
  charged?: readonly [price: unknown, currency: string];
  /** What the answer of `ship-dual` charges for each leg. */
  ofPair?: readonly [international: number, domestic: number];
  /** The status of each booking of `ship`; the last one repeats. */
  statuses?: readonly number[];
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
  files?: Record<string, unknown>;
}

/** A rig whose profile `live` has limits, and a service with these proposals. */
export const limitedRig =
  ({
    policy = {},
    offered = [['EXP', 20]],
    charged = [20, 'EUR'],
    ofPair,
    statuses = [201],
    settings,
    ...options
  }: Shop = {}) =>
  async (): Promise<Rig> => {
    const proposals = offered.map(([id, price, currency = 'EUR']) => ({
      ...{ id, name: id, serviceType: 'express', isValid: true, deliveryTime: '1-3 days', price, currency },
    }));
    let made = 0;
    const [price, currency] = charged;
    const leg = (id: string, index: number) => {
      const carrier = { id, ...(ofPair && { price: ofPair[index], currency: 'EUR' }) };
      return { shipment: { id: `${id}-${made}`, carrier } };
    };
    const answers: Record<string, () => string> = {
      [`POST ${PROPOSALS}`]: () => http(201, JSON.stringify({ chargeableWeight: 4.8, proposals })),
      'POST /v1/shipments': () => {
        const status = statuses[Math.min(made, statuses.length) - 1] ?? 201;
        if (status !== 201) return http(status, '{"message":"not now"}');
        return http(201, JSON.stringify({ id: `S-${made}`, carrier: { id: 'EXP', price, currency } }));
      },
      'POST /v2/shipments': () =>
        http(201, JSON.stringify({ success: true, international: leg('I', 0), domestic: leg('D', 1) })),
      'POST /v2/carriers/create': () =>
        http(
          200,
          JSON.stringify({ success: true, international: { success: true, trackingNumber: `T-${made}` } }),
        ),
    };
    const reply: Reply = (socket, request) => {
      const [line = ''] = request.split(' HTTP/1.1', 1);
      if (!line.endsWith(PROPOSALS)) made += 1;
      const answer = answers[line];
      socket.write(answer ? answer() : http(404, '{"message":"nothing is here"}'));
    };
    const server = await rawServer(reply);
    const rig = await createRig({
      ...options,
      env: { ...BARE, ...options.env },
      files: { 'order.json': UNDECIDED, 'whole.json': SHIPMENT, 'pair.json': DUAL, ...options.files },
    });
    const service = { baseUrl: server.url.origin, credentials: { kind: 'token', token: 'demo' } };
    const profiles = {
      live: { ...service, policy, ...settings },
      other: service,
      branch: { ...service, policy, account: 'branch' },
    };
    chmodSync(rig.file('config/config.json', { profiles, current: 'live' }), 0o600);
    return { ...rig, run: arrivingAt(rig, server) };
  };

/** A rig whose emulator is a production service, at an address of the environment. */
export const productionRig =
  (options: RigOptions = {}, more: Record<string, string> = {}) =>
  async (): Promise<Rig> => {
    const rig = await createRig({ ...ORDER, ...options });
    const env = { ...(await asProduction(rig)), ...more };
    const run = (argv: string | string[], given: RunOptions = {}) =>
      rig.run(argv, { ...given, env: { ...env, ...given.env } });
    return { ...rig, run };
  };
