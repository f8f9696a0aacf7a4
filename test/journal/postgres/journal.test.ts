// What only the shared journal has: leases by the server's clock, tables that several processes may create at once, and a
// connection that may be lost at any moment.
import { expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/booking/booking.ts';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { SCHEMA_VERSION } from '../../../src/journal/tables.ts';
import {
  claimed,
  ended,
  intentOf,
  label,
  open,
  patientHost,
  sharedHost,
  sharedRig,
  ship,
} from '../../rig/journal.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../../rig/postgres.ts';

const { createShipment } = OPERATIONS;
const DAY = 24 * 60 * 60 * 1000;
const keyed = intentOf(createShipment, { key: 'K' });
const CREATED = ended('created');

describeShared('A lease', () => {
  test('is renewed in time while its process sends', async () => {
    const { host, deadlines } = patientHost();
    const { place, journal } = await sharedRig({ host });
    const id = await claimed(journal, keyed);
    const other = await open(place.address, { process: 2 });
    for (let rounds = 0; rounds < 4; rounds += 1) {
      // The next renewal is due well before the lease ends.
      expect(deadlines.map(({ ms }) => ms)).toEqual([LEASE_MS / 3]);
      await place.age(LEASE_MS * 0.75);
      await deadlines.shift()?.late();
      expect((await other.byId(id))?.state).toBe('pending');
    }
    await journal.recordOutcome(id, CREATED);
    expect(deadlines).toEqual([]);
  });

  test('that could not be renewed once is renewed the next time', async () => {
    const { host, deadlines } = patientHost();
    const { place, relay, journal } = await sharedRig({ host });
    const id = await claimed(journal, keyed);
    relay.cut();
    await deadlines.shift()?.late();
    relay.mend();
    await place.age(LEASE_MS * 0.75);
    await deadlines.shift()?.late();
    await place.age(LEASE_MS * 0.75);
    expect((await journal.byId(id))?.state).toBe('pending');
    await journal.recordOutcome(id, CREATED);
  });
});

describeShared('The server’s clock counts', () => {
  test.each([
    ['behind', -DAY],
    ['ahead', 2 * DAY],
  ])('a machine whose clock is %s changes nothing', async (_, wrong) => {
    const place = await sharedPlace();
    const [server] = await place.ask<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    );
    const strange = await open(place.address, { host: sharedHost((server?.now ?? 0) + wrong) });
    const right = await open(place.address, { host: sharedHost(server?.now), process: 2 });
    const id = await claimed(strange, intentOf(createShipment));
    expect(Math.abs(((await right.byId(id))?.at ?? 0) - (server?.now ?? 0))).toBeLessThan(DAY / 24);
    expect((await right.byId(id))?.state).toBe('pending');
    await strange.recordOutcome(id, CREATED);
    expect(await right.claim(intentOf(createShipment))).toMatchObject({ kind: 'twin', booking: { id } });
    const another = { ...keyed, fingerprint: 'two' };
    const other = await claimed(right, another);
    expect(await strange.claim(another)).toMatchObject({ booking: { id: other, state: 'pending' } });
    expect(await strange.claim(intentOf(createShipment))).toMatchObject({ kind: 'twin', booking: { id } });
    await place.age(DAY);
    expect(await strange.claim(intentOf(createShipment))).toMatchObject({ kind: 'claimed' });
  });
});

describeShared('The tables', () => {
  test('are created once, even if many processes open an empty schema at once', async () => {
    const place = await sharedPlace();
    const journals = await Promise.all(
      Array.from({ length: 6 }, (_, process) => open(place.address, { process })),
    );
    expect(await place.ask('SELECT version FROM waybill_schema')).toEqual([{ version: SCHEMA_VERSION }]);
    for (const journal of journals) expect(await journal.list({})).toEqual([]);
  });

  test('can be read while many leases end', async () => {
    const place = await sharedPlace();
    const journals = await Promise.all([1, 2, 3].map(process => open(place.address, { process })));
    const [first] = journals as [Journal];
    for (let count = 0; count < 40; count += 1) await claimed(first, { ...keyed, key: `K-${count}` });
    await place.age(LEASE_MS + 1);
    const lists = await Promise.all(
      journals.flatMap(journal => [journal.list({}), journal.hasImported('abc'), journal.list({})]),
    );
    expect(lists.length).toBe(9);
    expect(new Set((await first.list({})).map(({ state }) => state))).toEqual(new Set(['unknown']));
  });
});

describeShared('A booking whose lease is over', () => {
  test('that another process is writing delay no reader', async () => {
    const { place, journal } = await sharedRig();
    for (const key of ['A', 'B']) await claimed(journal, { ...keyed, key });
    await place.age(LEASE_MS + 1);
    const letGo = await place.hold(`SELECT 1 FROM bookings WHERE key = 'A' FOR UPDATE`);
    const states = async () => (await journal.list({})).map(({ key, state }) => `${key} ${state}`);
    expect(await states()).toEqual(['B unknown', 'A pending']);
    await letGo();
    expect(await states()).toEqual(['B unknown', 'A unknown']);
  });
});

const KEYED = ship({ key: 'K' });
// As the protocol ends it: the word alone is in other statements, too.
const COMMIT = 'COMMIT\0';

/** Reads the tables without a journal. */
const states = async ({ ask }: SharedPlace) =>
  (await ask<{ state: string }>('SELECT state FROM bookings ORDER BY number')).map(({ state }) => state);

describeShared('A claim that is lost on the way', () => {
  test.each([
    ['without a key', ship(), 'INSERT INTO bookings', 'before', []],
    ['without a key', ship(), 'INSERT INTO bookings', 'after', []],
    ['without a key', ship(), COMMIT, 'before', []],
    ['without a key', ship(), COMMIT, 'after', ['not_sent']],
    ['of a label', label(['A']), 'INSERT INTO labels', 'before', []],
    ['of a label', label(['A']), 'INSERT INTO labels', 'after', []],
  ] as const)('%s, at %o, %s it reached the server', async (_, intent, statement, moment, written) => {
    const { place, relay, journal } = await sharedRig();
    relay.cutAt(moment, statement);
    await expect(journal.claim(intent)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/cannot be written: .*\. Check the server/),
    });
    relay.mend();
    // Closing waits for the withdrawal of what may have been written.
    await journal.close();
    expect(await states(place)).toEqual(written);
    expect(await (await open(place.address)).claim(intent)).toMatchObject({ kind: 'claimed' });
  });

  test('that cannot be withdrawn is unknown after its lease: it is not sent, and not booked again', async () => {
    const { host, deadlines } = patientHost();
    const { place, relay, journal } = await sharedRig({ host });
    relay.cutAt('after', 'INSERT INTO bookings');
    await expect(journal.claim(KEYED)).rejects.toMatchObject({ code: 'storage' });
    // It is not held; only the deadline of the withdrawal is running.
    expect(deadlines).toHaveLength(1);
    deadlines[0]?.late();
    await journal.close();
    await place.age(LEASE_MS + 1);
    const again = await open(place.address);
    expect(await again.claim(KEYED)).toMatchObject({ kind: 'taken', booking: { state: 'unknown' } });
  });
});
