// The connection to the server may be lost at any moment: a booking that was not sent yet is not sent.
import { expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/journal/leases.ts';
import { label, open, patientHost, sharedRig, ship } from '../../rig/journal.ts';
import { describeShared, type SharedPlace } from '../../rig/postgres.ts';

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
      message: expect.stringMatching(/cannot be written: .*; nothing was sent\. Check the server/),
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
