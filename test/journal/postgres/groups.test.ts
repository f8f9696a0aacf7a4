// What is claimed or answered at the same time is written together: what one of them meets changes nothing for the others.
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { claimed, ended, intentOf, patientHost, sharedRig } from '../../rig/journal.ts';
import { describeShared, type SharedPlace } from '../../rig/postgres.ts';

const KEYS = ['D', 'B', 'C', 'A'];
const withKey = (key: string) => intentOf(OPERATIONS.createShipment, { key });
const created = (key: string) => ended('created', { ids: { shipment: `S-${key}` } });

const claimAll = (journal: Journal, keys = KEYS) =>
  Promise.all(keys.map(async key => [key, await claimed(journal, withKey(key))] as const));

const states = async ({ ask }: SharedPlace) => {
  const rows = await ask<{ key: string; state: string }>('SELECT key, state FROM bookings ORDER BY number');
  return rows.map(({ key, state }) => `${key} ${state}`);
};

/** Makes the server refuse every row with the key B. */
const refuseB = ({ ask }: SharedPlace, when: 'INSERT' | 'UPDATE') =>
  ask(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.key = 'B' THEN RAISE 'not this one' USING ERRCODE = '23514'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE ${when} ON bookings FOR EACH ROW EXECUTE FUNCTION refuse()`);

describeShared('Claims at the same time', () => {
  test('are written alone, if the server refuses one of them', async () => {
    const { place, journal } = await sharedRig();
    await refuseB(place, 'INSERT');
    const claims = await Promise.allSettled(KEYS.map(key => journal.claim(withKey(key))));
    expect(claims.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(claims[1]).toMatchObject({
      reason: { code: 'storage', message: expect.stringContaining('not this one') },
    });
    expect((await states(place)).sort()).toEqual(['A pending', 'C pending', 'D pending']);
  });

  test('that were written but not confirmed are all withdrawn', async () => {
    const { place, relay, journal } = await sharedRig();
    relay.cutAt('after', 'INSERT INTO bookings');
    const claims = await Promise.allSettled(KEYS.map(key => journal.claim(withKey(key))));
    expect(new Set(claims.map(({ status }) => status))).toEqual(new Set(['rejected']));
    relay.mend();
    await journal.close();
    expect(await states(place)).toEqual(['A not_sent', 'B not_sent', 'C not_sent', 'D not_sent']);
  });
});

describeShared('Outcomes at the same time', () => {
  test('do not wait for one whose booking another process is writing', async () => {
    const { place, journal } = await sharedRig();
    const ids = await claimAll(journal);
    const letGo = await place.hold(`SELECT 1 FROM bookings WHERE key = 'B' FOR UPDATE`);
    const recorded = ids.map(([key, id]) => journal.recordOutcome(id, created(key)));
    await Promise.all(recorded.filter((_, index) => ids[index]?.[0] !== 'B'));
    expect(await states(place)).toEqual(['A created', 'B pending', 'C created', 'D created']);
    await letGo();
    await Promise.all(recorded);
    expect(await states(place)).toContain('B created');
  });

  test('are all recorded, if one of the bookings was settled in the meantime', async () => {
    const { place, journal } = await sharedRig();
    const ids = await claimAll(journal);
    const said = JSON.stringify({ by: 'anna', run: null, ids: {}, before: {} });
    await place.ask(`INSERT INTO facts (booking, at, kind, said, private)
      SELECT id, 0, 'denied', '${said}', '{}' FROM bookings WHERE key = 'B'`);
    await place.ask(
      `UPDATE bookings SET state = 'rejected', code = 'outcome_unknown', version = 2, has_facts = 1 WHERE key = 'B'`,
    );
    const late = await Promise.all(ids.map(([key, id]) => journal.recordOutcome(id, created(key))));
    expect(late.map(one => one?.late?.counts)).toEqual([undefined, true, undefined, undefined]);
    expect(await states(place)).toEqual(['A created', 'B created', 'C created', 'D created']);
  });

  test('that were written but not confirmed are recorded once', async () => {
    const { place, relay, journal } = await sharedRig();
    const ids = await claimAll(journal);
    relay.cutAt('after', 'COMMIT\0');
    const recorded = Promise.all(ids.map(([key, id]) => journal.recordOutcome(id, created(key))));
    await expect.poll(() => states(place), { timeout: 10 * 60_000 }).toContain('A created');
    relay.mend();
    expect(await recorded).toEqual([undefined, undefined, undefined, undefined]);
    expect(await place.ask('SELECT shipment FROM made ORDER BY shipment')).toEqual(
      ['S-A', 'S-B', 'S-C', 'S-D'].map(shipment => ({ shipment })),
    );
  });

  test('are recorded alone, if the server refuses one of them; that one is reported', async () => {
    const { place, journal } = await sharedRig({ patience: 30 });
    const ids = await claimAll(journal);
    await refuseB(place, 'UPDATE');
    const recorded = await Promise.allSettled(
      ids.map(([key, id]) => journal.recordOutcome(id, created(key))),
    );
    expect(recorded.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await states(place)).toEqual(['A created', 'B pending', 'C created', 'D created']);
  });
});

describeShared('Outcomes and claims at the same time', () => {
  test('are all written, also beside one of which nothing was made', async () => {
    const { place, journal } = await sharedRig();
    const ids = await claimAll(journal);
    await Promise.all([
      ...ids.map(([key, id]) => journal.recordOutcome(id, key === 'C' ? ended('rejected') : created(key))),
      claimAll(journal, ['F', 'E']),
    ]);
    expect(await states(place)).toEqual([
      ...['A created', 'B created', 'C rejected', 'D created'],
      ...['E pending', 'F pending'],
    ]);
  });
});

describeShared('Leases', () => {
  test('are renewed, but for one whose booking another process is writing', async () => {
    const { host, deadlines } = patientHost();
    const { place, journal } = await sharedRig({ host });
    await claimAll(journal);
    await place.age(1000);
    const letGo = await place.hold(`SELECT 1 FROM bookings WHERE key = 'B' FOR UPDATE`);
    await deadlines.shift()?.late();
    const kept = await place.ask<{ key: string }>(
      'SELECT key FROM bookings WHERE lease_until - at > 60500 ORDER BY key',
    );
    expect(kept.map(({ key }) => key)).toEqual(['A', 'C', 'D']);
    await letGo();
  });
});
