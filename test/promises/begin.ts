// How rows begin: orders, a service with fixed answers, a journal with bookings, an order whose outcome is unknown, production.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Booking } from '../../src/booking/booking.ts';
import type { BookingWithLabels } from '../../src/booking/questions.ts';
import { parseFault } from '../../src/emulator/settings.ts';
import { type Reply, scriptedService } from '../rig/batch.ts';
import { createRig, type Ran, type Rig, type RigOptions, type RunOptions } from '../rig/command.ts';
import { fill } from '../rig/journal.ts';
import { asProduction } from '../rig/production.ts';
import { cannedService, PROPOSALS, proposing } from '../rig/service.ts';
import { type Doubtful, doubtful, orderFor } from '../rig/settling.ts';
import { FILES } from './orders.ts';

export const SHIP = 'ship order.json --key A-1';

export const BOOKED = 'POST /v1/shipments';
export const PAIRED = 'POST /v2/shipments';
export const LABELLED = 'POST /v2/carriers/create';
export const QUOTED = `POST ${PROPOSALS}`;

export const files: RigOptions = { files: FILES };

/** A service that does this to each request. */
export const failing = (kind: string): RigOptions => ({ ...files, faults: [parseFault(`${kind}:1`)] });

type Canned = Awaited<ReturnType<typeof cannedService>>;

/** Runs at a service with fixed answers; the requests of a run are those that arrived there. */
async function at({ env, seen }: Canned, options: RigOptions): Promise<Rig> {
  const rig = await createRig({ ...files, ...options, env: { ...env, ...options.env } });
  return wrapped(rig, async (argv, given) => {
    const before = seen.length;
    const ran = await rig.run(argv, given);
    const requests = seen.slice(before).map(line => {
      const [method = '', path = ''] = line.split(' ');
      return { method, path };
    });
    return { ...ran, requests: requests as Ran['requests'] };
  });
}

/** The rig with another way to run a command. */
export const wrapped = (rig: Rig, run: Rig['run']): Rig => ({
  ...rig,
  run,
  json: async (argv, options) => {
    const words = Array.isArray(argv) ? [...argv, '--json'] : `${argv} --json`;
    return JSON.parse((await run(words, options)).stdout);
  },
});

type Answers = Parameters<typeof cannedService>[0];

export const answering =
  (answers: Answers, options: RigOptions = {}) =>
  async () =>
    at(await cannedService(answers), options);

/** A service that answers `ship` with this. */
export const shipping = (body: unknown, more: Answers = {}, options: RigOptions = {}) =>
  answering({ '/v1/shipments': { status: 201, body }, ...more }, options);

/** A service that answers `ship-dual` with this. */
export const pairing = (body: unknown, more: Answers = {}) =>
  answering({ '/v2/shipments': { status: 201, body }, ...more });

/** A service with these proposals, which books S-1. */
export const offering =
  (...proposals: Record<string, unknown>[]) =>
  async () =>
    at(await proposing(...proposals), {});

const OFFER = { id: 'EXP', isValid: true, price: 10, currency: 'EUR', deliveryTime: '1-3 days' };

/** A service that offers EXP for 10 EUR, and books it for this. */
export const charging = (price: unknown, currency: string | undefined = 'EUR', options: RigOptions = {}) =>
  shipping(
    { id: 'S-1', carrier: { id: 'EXP', price, currency } },
    { [PROPOSALS]: { status: 201, body: { chargeableWeight: 4.8, proposals: [OFFER] } } },
    options,
  );

/** A service that answers each order of a batch, whose goods are named by its key, as this says. */
export const scripted =
  (answer: (key: string, attempt: number) => Reply | Promise<Reply>, options: RigOptions = {}) =>
  async () => {
    const { env } = await scriptedService(answer);
    return createRig({ ...files, ...options, env: { ...env, ...options.env } });
  };

/** A rig whose journal has these bookings. */
export const recorded =
  (bookings: (rig: Rig) => readonly (Booking | BookingWithLabels)[], options: RigOptions = {}) =>
  async () => {
    const rig = await createRig({ ...files, ...options });
    await fill(rig, 'state', bookings(rig));
    return rig;
  };

/** A rig with orders of these keys of which nobody knows whether they exist; then the service is well again. */
export const inDoubt =
  (...keys: string[]) =>
  async (): Promise<Doubtful> => {
    const rig = await doubtful(files);
    rig.file('order.json', orderFor());
    for (const key of keys) await rig.unknown(key);
    return rig;
  };

/** The rig with these variables, which those of a run beat. */
export const withEnv = (rig: Rig, env: Record<string, string>): Rig =>
  wrapped(rig, (argv, options) => rig.run(argv, { ...options, env: { ...env, ...options?.env } }));

/** The emulator as a production service. */
export async function live(): Promise<Rig> {
  const rig = await createRig(files);
  const env = await asProduction(rig);
  return withEnv(rig, env);
}

/** The booking in the line on stderr. */
export function bookingOf({ stderr }: Pick<Ran, 'stderr'>): Record<string, unknown> {
  const [line] = stderr.split('\n').filter(one => one.startsWith('{"booking":'));
  if (line === undefined) throw new Error(`no line of a booking: ${stderr}`);
  return JSON.parse(line).booking;
}

export const textOf = ({ folder }: Pick<Rig, 'folder'>, name: string): string =>
  readFileSync(join(folder, name), 'utf8');

/** For `onRequest` or `onWait`: a signal comes then. */
export const signal = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => ({
  onRequest: ((_, { interrupt }) => interrupt(name)) as NonNullable<RunOptions['onRequest']>,
  onWait: (({ interrupt }) => interrupt(name)) as NonNullable<RunOptions['onWait']>,
});

/** Of a day, in ms. */
export const DAY = 24 * 60 * 60 * 1000;
