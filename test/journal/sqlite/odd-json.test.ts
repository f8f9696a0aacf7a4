// JSON in a row that can be parsed and is not what was written, as a flipped bit on a disk may leave it: each command that meets it
// names the booking and the column.
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/host/sqlite.ts';
import { createRig } from '../../rig/command.ts';
import { fill, labelAt, bookingAt as shipmentAt } from '../../rig/journal.ts';
import { errorOf } from '../../rig/service.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const leg = fc.constantFrom('international', 'domestic');
const ids = fc.dictionary(fc.constantFrom('shipment', 'international', 'domestic'), text);
const labels = fc.dictionary(
  leg,
  fc.record(
    { made: fc.boolean(), trackingNumber: text, link: fc.oneof(text, fc.webUrl()) },
    { requiredKeys: ['made'] },
  ),
);
const anObject = fc.dictionary(text, fc.jsonValue());

/** What each column may have. */
const RIGHT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  holder: fc.record(
    { host: text, process: fc.nat(), start: text, space: text, user: text, version: text },
    { requiredKeys: ['host', 'process', 'start'] },
  ),
  ids,
  labels,
  milestones: fc.dictionary(text, fc.array(text)),
  files: fc.dictionary(leg, text),
  request: fc.oneof(
    anObject,
    fc.record({ receiver: fc.jsonValue(), carrier: fc.jsonValue(), packages: fc.jsonValue() }),
  ),
};
const COLUMNS = Object.keys(RIGHT);

/** A journal with a shipment and its label, whose row a test changes. */
async function damaged() {
  const rig = await createRig({ journalLost: true });
  const shipment = shipmentAt(rig, 1);
  await fill(rig, 'state', [shipment, labelAt(rig, 2, 1)]);
  return {
    rig,
    id: shipment.id,
    async put(column: string, json: string) {
      const store = await openStore(join(rig.folder, 'state/journal.db'), { durability: 'normal' });
      try {
        const { was } = store.first<{ was: string }>(
          `SELECT ${column} AS was FROM bookings WHERE id = ?`,
          shipment.id,
        ) ?? { was: '' };
        store.run(`UPDATE bookings SET ${column} = ? WHERE id = ?`, json, shipment.id);
        return was;
      } finally {
        store.close();
      }
    },
  };
}

/** Runs commands that read the row while the column has that JSON. */
async function read({ rig, put }: Awaited<ReturnType<typeof damaged>>, column: string, json: string) {
  const before = await put(column, json);
  const ends = [];
  for (const argv of ['history list --json', 'history show K-1 --json', 'history summary --json'])
    ends.push(await rig.run(argv));
  await put(column, before);
  return ends;
}

const named = (column: string, id: string) =>
  `it is damaged: the "${column}" of booking ${id} is not what waybill writes`;

const WRONG: [string, string][] = [
  ...COLUMNS.flatMap(column =>
    ['7', 'null', '"text"', 'true', '{', '[]'].map((json): [string, string] => [column, json]),
  ),
  ['holder', '{"host":"h","process":"7","start":""}'],
  ['ids', '{"shipment":7}'],
  ['ids', '{"shipmeot":"S-1"}'],
  ['labels', '{"international":true}'],
  ['labels', '{"international":{"made":1}}'],
  ['milestones', '{"S-1":"delivered"}'],
  ['milestones', '{"S-1":[7]}'],
  ['files', '{"international":null}'],
];

test('of the wrong kind is exit 10 with the booking and the column', async () => {
  const journal = await damaged();
  for (const [column, json] of WRONG)
    for (const ran of await read(journal, column, json)) {
      expect([column, json, ran.exitCode, ran.stdout]).toEqual([column, json, 10, '']);
      expect(errorOf(ran).message).toContain(named(column, journal.id));
    }
});

test('of any kind is shown, or is exit 10 with the booking and the column', async () => {
  const journal = await damaged();
  const anything = fc
    .constantFrom(...COLUMNS)
    .chain(column =>
      fc.tuple(fc.constant(column), fc.oneof(fc.jsonValue(), RIGHT[column] as fc.Arbitrary<unknown>)),
    );
  await fc.assert(
    fc.asyncProperty(anything, async ([column, value]) => {
      for (const ran of await read(journal, column, JSON.stringify(value)))
        if (ran.exitCode !== 0) {
          expect(errorOf(ran)).toMatchObject({ exitCode: 10, code: 'storage' });
          expect(errorOf(ran).message).toContain(named(column, journal.id));
        }
    }),
    { numRuns: 60 },
  );
});

test.each(COLUMNS)('of the right kind in %s is shown', async column => {
  const journal = await damaged();
  await fc.assert(
    fc.asyncProperty(RIGHT[column] as fc.Arbitrary<unknown>, async value => {
      for (const ran of await read(journal, column, JSON.stringify(value)))
        expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    }),
    { numRuns: 15 },
  );
});

const NUMBERS = ['at', 'settled_at', 'http_status'];

test.each(NUMBERS)('a %s that is no time and no number of a person is exit 10', async column => {
  const journal = await damaged();
  for (const number of [253_402_300_800_000, -1]) {
    const [listed, shown] = await read(journal, column, String(number));
    for (const ran of [listed, shown])
      expect([ran?.exitCode, ran?.stderr]).toEqual([10, expect.stringContaining(journal.id)]);
  }
});
