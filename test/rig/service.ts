// Bodies of requests, services with fixed answers, and what a command sent, reported and offers for completion.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Issue } from '../../src/contract/shapes.ts';
import { parseFault } from '../../src/emulator/settings.ts';
import type { Ran, Rig, RunOptions } from './command.ts';
import { http, rawServer } from './sockets.ts';

const FIXTURES = new URL('../../fixtures/service/', import.meta.url);

/** A fixture of the service document: `v1/shipments/POST/full.request.json`. */
export const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(encodeURI(name), FIXTURES), 'utf8'));

/** Turkey to Germany, 3.2 kg in one package (4.8 kg chargeable), carrier EXP. */
export const SHIPMENT = fixture('v1/shipments/POST/minimal.request.json');
export const DUAL = fixture('v2/shipments/POST/minimal.request.json');

/** The shipment without carrier and weight, which come from a proposal. */
export const UNDECIDED = (({ carrier, chargeableWeight, ...rest }) => rest)(SHIPMENT);

/** `POST /v1/shipments`, for each request that arrived. */
export const sent = ({ requests }: Pick<Ran, 'requests'>): string[] =>
  requests.map(({ method, path }) => `${method} ${path}`);

/** The same without reads, such as the file of a label. */
export const posted = (ran: Pick<Ran, 'requests'>): string[] =>
  sent(ran).filter(line => line.startsWith('POST'));

export const bodyOf = ({ requests }: Pick<Ran, 'requests'>, index = -1): unknown =>
  JSON.parse(requests.at(index)?.body ?? 'null');

interface Told {
  code: string;
  exitCode: number;
  message: string;
  operation: string | null;
  httpStatus: number | null;
  issues: Issue[];
  booking: string | null;
  body: unknown;
  created: boolean | null;
  retry: string;
  next: string[][];
  retryAt?: string;
}

/** The error object of JSON mode: the last line of stderr, with every field and the exit code that was given. */
export function errorOf({ stderr, exitCode }: Pick<Ran, 'stderr' | 'exitCode'>): Told {
  const lines = stderr.trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '');
  for (const line of lines) expect(typeof JSON.parse(line)).toBe('object');
  expect(Object.keys(last)).toEqual(['error']);
  expect(Object.keys(last.error)).toEqual([
    'code',
    'exitCode',
    'message',
    'operation',
    'httpStatus',
    'issues',
    'booking',
    'body',
    'created',
    'retry',
    'next',
    ...('notice' in last.error ? ['notice'] : []),
    ...('retryAt' in last.error ? ['retryAt'] : []),
  ]);
  expect(last.error.exitCode).toBe(exitCode);
  return last.error;
}

/** The error of a command that is refused: exit 2, with nothing on stdout. That nothing was sent, every run checks. */
export async function refused(
  { run }: Pick<Rig, 'run'>,
  argv: string | string[],
  options?: RunOptions,
): Promise<Told> {
  const ran = await run(typeof argv === 'string' ? `${argv} --json` : [...argv, '--json'], options);
  expect([ran.exitCode, ran.stdout]).toEqual([2, '']);
  return errorOf(ran);
}

/** For `createRig`: a fault that hits every request while it is switched on. */
export function switchable(kind: string) {
  let on = false;
  return {
    faults: [parseFault(`${kind}:0.5`)],
    random: () => (on ? 0 : 0.5) + Math.random() / 2,
    turn(to: 'on' | 'off') {
      on = to === 'on';
    },
  };
}

interface Canned {
  /** Its address, for the environment of a command. */
  env: Record<string, string>;
  /** The complete requests that arrived: `POST /v1/shipments`. */
  seen: string[];
  /** Resolves when this many have arrived. */
  received(count: number): Promise<void>;
}

/**
 * A service that has one answer for each path, and 404 on any other path, which it names. The shipment of an answer is S-1 the first
 * time, and then S-2 (after 4711 it is 47112), because each order gets its own.
 */
export async function cannedService(
  answers: Record<string, { status: number; body: unknown }>,
): Promise<Canned> {
  const seen: string[] = [];
  const { url, received } = await rawServer((socket, request) => {
    const [method, path = ''] = request.split(' ', 2);
    seen.push(`${method} ${path}`);
    const answer = answers[path];
    const count = seen.filter(line => line === `${method} ${path}`).length;
    const isFirst = count === 1 || method !== 'POST';
    const text = JSON.stringify(answer?.body);
    const numbered = isFirst
      ? text
      : text?.replace(/"([SID]-)1"/g, `"$1${count}"`).replace(/\b4711\b/, `4711${count}`);
    const unknown = JSON.stringify({ message: `the test has no answer for ${method} ${path}` });
    socket.write(answer ? http(answer.status, numbered) : http(404, unknown));
  });
  return { env: { WAYBILL_BASE_URL: url.origin }, seen, received };
}

export const PROPOSALS = '/v1/carriers/proposal';

/** A service with these proposals. By default each one is valid, express and takes 1-3 days. */
export const proposing = (...proposals: Record<string, unknown>[]) =>
  cannedService({
    [PROPOSALS]: {
      status: 201,
      body: {
        chargeableWeight: 5,
        proposals: proposals.map(proposal => ({
          name: `Carrier ${proposal.id ?? ''}`,
          serviceType: 'express',
          isValid: true,
          deliveryTime: '1-3 days',
          currency: 'EUR',
          kg: 5,
          ...proposal,
        })),
      },
    },
    '/v1/shipments': { status: 201, body: { id: 'S-1' } },
  });

/** What completion offers for the last word: values, their descriptions, and how the shell treats them. Nothing else happens. */
export async function offered(
  rig: Rig,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ how: string[]; values: string[]; description: Record<string, string> }> {
  const { exitCode, stdout, stderr, requests, questions } = await rig.run(['__complete', 'fish', ...words], {
    env,
  });
  expect({ exitCode, stderr, requests, questions }).toEqual({
    exitCode: 0,
    stderr: '',
    requests: [],
    questions: [],
  });
  const [how = '', ...lines] = stdout.split('\n').slice(0, -1);
  const rows = lines.map(line => line.split('\t'));
  return {
    how: how.split('\t'),
    values: rows.map(([value = '']) => value),
    description: Object.fromEntries(rows.map(([value, description = '']) => [value, description])),
  };
}

export const offeredValues = async (rig: Rig, ...words: string[]): Promise<string[]> =>
  (await offered(rig, words)).values;
