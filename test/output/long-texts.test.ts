// The service may send a text of any length in any place. What reads it takes time with its length, not with the square:
// a booking was sent by then, and its process must not hang. Lengths here are such that the square takes minutes.

import { describe, expect, test } from 'vitest';
import { getAt, type Path, setAt } from '../../src/contract/paths.ts';
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { DUAL, fixture, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { FULL } from '../torture/size.ts';

/** Half of what is read of an answer: the square of it is minutes, and the limit of a test half of one. */
const MOST = 900_000;

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

/** A rig whose service answers every request so. */
async function answering(status: number, body: unknown): Promise<Rig> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { url } = await rawServer(socket => socket.write(http(status, text)));
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
  ['ship -f order.json', 'v1/shipments/POST/full.201.json'],
  ['ship-dual -f dual.json --label', 'v2/shipments/POST/full.201.json'],
  ['label --international S-1', 'v2/carriers/create/POST/full.200.json'],
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

/** In full each kind is in each place; else each command begins with another one. */
const turnsOf = (index: number) =>
  (FULL ? KINDS : KINDS.slice(index, index + 1)).map(({ index: turn }) => turn);

describe.each(COMMANDS.map(([command, name], index) => ({ command, name, index })))('$command', row => {
  const answer = fixture(row.name);

  test.each([
    ['in all places but ids', (path: Path) => !isNeeded(path), [0]],
    ['in the place of each id', isNeeded, [0, 7, 8, 9]],
  ] as const)('ends well with a long text %s', async (_, isMeant, exits) => {
    const places = leaves(answer).filter(isMeant);
    for (const turn of turnsOf(row.index)) {
      const rig = await answering(200, filled(answer, places, turn));
      const [flags, options] = VIEWS[turn % VIEWS.length] ?? ['', {}];
      const ran = await rig.run(`${row.command} ${flags}`, options);
      expect(exits, endOf(ran).stderr).toContain(ran.exitCode);
    }
  });
});

test('the history of a booking whose answer has long texts is shown in each way', async () => {
  const answer = fixture('v1/shipments/POST/full.201.json');
  const places = leaves(answer).filter(path => !isNeeded(path));
  const rig = await answering(201, filled(answer, places, 0));
  const ship = 'ship -f order.json --key K';
  expect((await rig.run(ship)).exitCode).toBe(0);
  const commands = ['history list', 'history show K', 'history summary', ship];
  for (const [index, [flags, options]] of VIEWS.entries())
    for (const command of FULL ? commands : [commands[index % commands.length]]) {
      const ran = await rig.run(`${command} ${flags}`, options);
      expect(endOf(ran)).toEqual({ exitCode: 0, stderr: endOf(ran).stderr });
    }
});
