// The connection to the server may be lost at any moment: a booking that was not sent yet is not sent, and an outcome is
// recorded as soon as the server is back.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { LEASE_MS } from '../../../src/journal/leases.ts';
import { claimed, ended, intentOf, open, patientHost } from '../../rig/journal.ts';
import { describeShared, relayTo, type SharedPlace, sharedPlace } from '../../rig/postgres.ts';

const { createShipment, createLabels } = OPERATIONS;
const keyed = intentOf(createShipment, { key: 'K' });
const CREATED = ended('created');
// As the protocol ends it: the word alone is in other statements, too.
const COMMIT = 'COMMIT\0';

/** Reads the tables without a journal. */
const rows = ({ ask }: SharedPlace) =>
  ask<{ id: string; state: string }>('SELECT id, state FROM bookings ORDER BY number');

/** Waits until another process has done it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 20_000; looks += 1) {
    if (await isSo()) return;
    await sleep(5);
  }
  throw new Error('it did not happen');
}

describeShared('A claim that is lost on the way', () => {
  const ways = [
    ['a key', keyed, 'INSERT INTO bookings'],
    ['no key', intentOf(createShipment), 'INSERT INTO bookings'],
    ['no key', intentOf(createShipment), COMMIT],
    [
      'a label',
      intentOf(createLabels, { labels: [{ leg: 'international', shipment: 'A' }] }),
      'INSERT INTO labels',
    ],
  ] as const;

  describe.each(ways)('with %s', (_, intent, statement) => {
    test.each(['before', 'after'] as const)(
      `${statement.replace('\0', '')}, %s it reached the server`,
      async moment => {
        const place = await sharedPlace();
        const relay = await relayTo(place.address);
        const journal = await open(relay.address);
        relay.cutAt(moment, statement);
        await expect(journal.claim(intent)).rejects.toMatchObject({
          code: 'storage',
          message: expect.stringMatching(/cannot be written: .*; nothing was sent\. Check the server/),
        });
        relay.mend();
        // Closing waits for the withdrawal of what may have been written.
        await journal.close();
        const wasWritten = moment === 'after' && (intent === keyed || statement === COMMIT);
        expect((await rows(place)).map(({ state }) => state)).toEqual(wasWritten ? ['not_sent'] : []);
        const again = await open(place.address);
        expect(await again.claim(intent)).toMatchObject({ kind: 'claimed' });
        await again.close();
      },
    );
  });

  test('that cannot be withdrawn is unknown after its lease: it is not sent, and not booked again', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const { host, deadlines } = patientHost();
    const journal = await open(relay.address, { host });
    relay.cutAt('after', 'INSERT INTO bookings');
    await expect(journal.claim(keyed)).rejects.toMatchObject({ code: 'storage' });
    // It is not held; only the deadline of the withdrawal is running.
    expect(deadlines).toHaveLength(1);
    deadlines[0]?.late();
    await journal.close();
    await place.age(LEASE_MS + 1);
    const again = await open(place.address);
    expect(await again.claim(keyed)).toMatchObject({ kind: 'taken', booking: { state: 'unknown' } });
    await again.close();
  });
});

describeShared('An outcome', () => {
  test('is recorded as soon as the server is back', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address);
    const id = await claimed(journal, keyed);
    relay.cut();
    let isWritten = false;
    const isRecorded = journal.recordOutcome(id, CREATED).then(() => {
      isWritten = true;
    });
    const before = relay.connections();
    await until(() => relay.connections() > before + 3);
    expect([isWritten, await rows(place)]).toEqual([false, [{ id, state: 'pending' }]]);
    relay.mend();
    await isRecorded;
    expect(await rows(place)).toEqual([{ id, state: 'created' }]);
    await journal.close();
  });

  test('that was written but not confirmed is recorded once', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address);
    const id = await claimed(journal, keyed);
    relay.cutAt('after', 'UPDATE bookings SET state = new_state');
    const isRecorded = journal.recordOutcome(id, CREATED);
    await until(async () => (await rows(place))[0]?.state === 'created');
    relay.mend();
    await isRecorded;
    expect(await journal.bookingOf(keyed.scope, 'S-1')).toMatchObject({ booking: { id } });
    await journal.close();
  });

  test('that cannot be written in time is reported, and unknown to other processes', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address, { patience: 30 });
    const id = await claimed(journal, keyed);
    relay.cut();
    const failure = await journal.recordOutcome(id, CREATED).catch(error => error);
    expect(failure).toMatchObject({ code: 'storage', exitCode: 10 });
    expect(failure.message).toMatch(/^the journal postgres:\/\/127\.0\.0\.1:\d+\/\w+ cannot be written: /);
    // It was sent.
    expect(failure.message).not.toMatch(/nothing was sent|try again/);
    await journal.close();
    await place.age(LEASE_MS + 1);
    const other = await open(place.address, { process: 2 });
    expect(await other.claim(keyed)).toMatchObject({ kind: 'taken', booking: { id, state: 'unknown' } });
    await other.close();
  });

  test('of many bookings at once needs few connections', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    const journal = await open(relay.address);
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const id = await claimed(journal, { ...keyed, key: `K-${index}` });
        await journal.recordOutcome(id, ended('created', { ids: { shipment: `S-${index}` } }));
      }),
    );
    expect(relay.connections()).toBeLessThanOrEqual(8);
    expect((await rows(place)).filter(({ state }) => state === 'created')).toHaveLength(40);
    await journal.close();
  });
});
