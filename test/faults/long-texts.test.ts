// The service may send a text of any length in any place. What reads it takes time with its length, not with the square:
// a booking was sent by then, and its process must not hang. Lengths here are such that the square takes minutes.

import { describe, expect, test } from 'vitest';
import { getAt, type Path, setAt } from '../../src/contract/paths.ts';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { DUAL, fixture, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { sampled } from '../torture/size.ts';

const LIMIT = { timeout: 120_000 };
/** As much as is read of an answer, less what is around the texts. */
const MOST = 1_900_000;

/** Characters that some pattern takes for blanks, numbers, quotes, marks, or for nothing. */
const KINDS = [' ', '0', '7', 'a', '-', '.', '{', '[', '"', '\\', '`', '<', ';', '=', '/', '\t', '\n', '\r\n']
  .concat('\u00a0', '\u200b', '\u0301', '\u0301\u0316', '漢', '📦')
  .map((kind, index) => ({ kind, index }));

/** Something before and after them, so that a pattern that fits them all fails at the end. */
const AROUND = [['', '!'] as const, ['-', '!'] as const, ['a', 'a'] as const, ['', ''] as const];

/** A text of about so many bytes of JSON, of one kind of characters. */
function longText(number: number, bytes: number): string {
  const { kind = '' } = KINDS[number % KINDS.length] ?? {};
  const [before, after] = AROUND[number % AROUND.length] ?? ['', ''];
  return before + kind.repeat(bytes / Buffer.byteLength(JSON.stringify(kind).slice(1, -1))) + after;
}

/** The answer with long texts in these places, another kind in each. */
const filled = (answer: unknown, places: readonly Path[], turn: number): unknown =>
  places.reduce(
    (body, path, index) => setAt(body, path, longText(index + turn, MOST / places.length)),
    answer,
  );

/** A rig whose service answers every request with what `answer` gives. */
async function answering(answer: () => [status: number, body: unknown]): Promise<Rig> {
  const { url } = await rawServer(socket => {
    const [status, body] = answer();
    socket.write(http(status, typeof body === 'string' ? body : JSON.stringify(body)));
  });
  return createRig({
    env: { WAYBILL_BASE_URL: url.origin, WAYBILL_TOKEN: SECRET },
    files: { 'order.json': SHIPMENT, 'dual.json': DUAL },
  });
}

/** The end of a run, with as much of the message as a person reads. */
const endOf = ({ exitCode, stderr }: Ran) => ({ exitCode, stderr: stderr.slice(0, 500) });

const HOOK = 'webhook create --url https://shop.example/hook --event shipment.status.updated';
const SUBSCRIPTION = 'webhooks/subscriptions/{subscriptionId}/GET/full.200.json';
const DELIVERED = 'v1/shipments/domestic/{shipmentId}/GET/delivered.200.json';
const PENDING = 'v1/shipments/{shipmentId}/GET/pending-several-packages.200.json';

const COMMANDS: readonly [command: string, fixture: string][] = [
  ['quote --from TR --to DE --package 1kg@10x10x10', 'v1/carriers/proposal/POST/full.201.json'],
  ['rates --from TR --to DE --package 1kg@10x10x10', 'api/v1/shipping/rates/POST/full.200.json'],
  ['ship -f order.json --allow-duplicate', 'v1/shipments/POST/full.201.json'],
  ['ship-dual -f dual.json --label --allow-duplicate', 'v2/shipments/POST/full.201.json'],
  ['label --international S-1 --allow-duplicate', 'v2/carriers/create/POST/full.200.json'],
  [`track ${fixture(PENDING).id}`, PENDING],
  [`track ${fixture(DELIVERED).id} --domestic`, DELIVERED],
  [`${HOOK} --allow-duplicate`, 'webhooks/subscriptions/POST/full.201.json'],
  [`webhook get ${getAt(fixture(SUBSCRIPTION), 'data.id')}`, SUBSCRIPTION],
];

/** Where an answer has a text or a number. */
const leaves = (value: unknown, path: Path = []): Path[] => {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'number' ? [path] : [];
  return Object.entries(value).flatMap(([name, inner]) =>
    leaves(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  );
};

/** Without these a booking is partial, or is not known. */
const isNeeded = (path: Path) => ['id', 'secret', 'token'].includes(String(path.at(-1)));

const VIEWS: readonly [flags: string, options: RunOptions][] = [
  ['', {}],
  ['-o csv', {}],
  ['', { terminal: true, columns: 80, answer: true }],
  ['-o json --verbose', {}],
  ['-o text', {}],
];

describe.each(COMMANDS)('%s', (command, name) => {
  const answer = fixture(name);
  let turn = 0;
  /** Runs the command with each kind of text, shown in another way each time. */
  async function eachKind(places: readonly Path[], check: (ran: Ran, rig: Rig) => void | Promise<void>) {
    const rig = await answering(() => [200, filled(answer, places, turn)]);
    for ({ index: turn } of sampled(KINDS, 4)) {
      const [flags, options] = VIEWS[turn % VIEWS.length] ?? ['', {}];
      await check(await rig.run(`${command} ${flags}`, options), rig);
    }
  }

  test('ends well, whatever long text is in a place that it does not need', LIMIT, async () => {
    await eachKind(
      leaves(answer).filter(path => !isNeeded(path)),
      ran => {
        expect(endOf(ran)).toEqual({ exitCode: 0, stderr: endOf(ran).stderr });
      },
    );
  });

  test('ends and says so, whatever long text is in the place of an id', LIMIT, async () => {
    await eachKind(leaves(answer).filter(isNeeded), ran => {
      expect([0, 7, 8, 9], endOf(ran).stderr).toContain(ran.exitCode);
    });
  });
});

test('the history of bookings whose answers have long texts is shown in each way', LIMIT, async () => {
  const answer = fixture('v1/shipments/POST/full.201.json');
  const places = leaves(answer).filter(path => !isNeeded(path));
  let turn = 0;
  const rig = await answering(() => [201, filled({ ...answer, id: `S-${turn}` }, places, turn)]);
  for ({ index: turn } of sampled(KINDS, 4))
    expect((await rig.run(`ship -f order.json --key K-${turn} --allow-duplicate`)).exitCode).toBe(0);
  for (const command of [
    'history list',
    'history show K-0',
    'history summary',
    'ship -f order.json --key K-0',
  ])
    for (const [flags, options] of VIEWS) {
      const ran = await rig.run(`${command} ${flags}`, options);
      expect(endOf(ran)).toEqual({ exitCode: 0, stderr: endOf(ran).stderr });
    }
});

/** Nearly two megabytes: the square of their number is hours. */
const run = (kind: string) => kind.repeat(1_800_000);

test.each<[string, string, unknown, number[]]>([
  ['an id of blanks with an end', 'ship -f order.json', { id: `${run(' ')}x` }, [0, 8]],
  ['an id of zeros with an end', 'track S-1', { id: `${run('0')}x` }, [7]],
  ['an id in braces', 'ship -f order.json', { id: `${run('{')}x` }, [0, 8]],
  [
    'a price of digits that is a formula',
    'track S-1 -o csv',
    { id: 'S-1', carrier: { price: `-${run('1')}x` } },
    [0],
  ],
  ['a price of digits', 'track S-1', { id: 'S-1', carrier: { price: run('1'), currency: 'EUR' } }, [0]],
  ['blanks within a name', 'track S-1', { id: 'S-1', carrier: { name: `a${run(' ')}b` } }, [0]],
  [
    'a milestone of marks in turn',
    'track S-1',
    { id: 'S-1', status: [{ status: '\u0301\u0316'.repeat(400_000), milestone: 'delivered' }] },
    [0],
  ],
  [
    'a tracking number of marks in turn',
    'label --international S-1',
    { success: true, international: { success: true, trackingNumber: '\u0301\u0316'.repeat(400_000) } },
    [0, 8, 9],
  ],
  [
    'blanks in the place of a label',
    'label --international S-1 --download labels',
    { success: true, international: { success: true, label: `${run(' ')}!` } },
    [9],
  ],
])('%s does not keep `%s` from its end', LIMIT, async (_, command, answer, exits) => {
  const rig = await answering(() => [200, answer]);
  const ran = await rig.run(command);
  expect(exits, endOf(ran).stderr).toContain(ran.exitCode);
});

test('a failure with a long text is told in short', LIMIT, async () => {
  let body: unknown;
  let status = 400;
  const rig = await answering(() => [status, body]);
  for (const { kind, index } of sampled(KINDS, 4)) {
    const message = longText(index, 900_000);
    for (body of [
      kind.repeat(900_000 / Buffer.byteLength(kind)),
      { message },
      { errors: [{ field: message, message }] },
    ])
      for (status of [200, 400]) {
        const [flags, options] = VIEWS[index % VIEWS.length] ?? ['', {}];
        const ran = await rig.run(`track S-1 ${flags.replace('-o json', '')}`, options);
        expect([5, 7], endOf(ran).stderr).toContain(ran.exitCode);
        if (!flags.includes('verbose')) expect(ran.stderr.length).toBeLessThan(3000);
      }
  }
});
