// Whether a claimed booking may still be sent: one suite for both journals.
import { expect, test } from 'vitest';
import { ClaimLost } from '../../src/journal/booking.ts';
import { Journal } from '../../src/journal/journal.ts';
import { LEASE_MS } from '../../src/journal/leases.ts';
import { openSqlite } from '../../src/journal/sqlite/database.ts';
import {
  booked,
  claimed,
  ended,
  journalRig,
  localHost,
  open,
  settle,
  sharedHost,
  ship,
} from '../rig/journal.ts';
import { describeBoth, describeShared, relayTo, sharedPlace } from '../rig/postgres.ts';
import { temporaryFolder } from '../rig/profile.ts';

describeBoth('A claim', kind => {
  test.each(['seen as lost', 'settled', 'booked again'])('that was %s may not be sent', async what => {
    const { journal, other, later } = await pausedRig(kind);
    const id = await claimed(journal, ship({ key: 'K' }));
    await later(2 * LEASE_MS);
    const two = await other(2);
    expect((await two.byId(id))?.state).toBe('unknown');
    if (what !== 'seen as lost') await settle(two, id, 'rejected');
    if (what === 'booked again') await booked(two, ship({ key: 'K' }));
    expect(await mayBeSent(journal, id)).toBe(false);
  });
});

/** The first attempt may be refused only in the moment of sending; the next one is refused at once. */
async function mayBeSent(journal: Journal, id: string): Promise<boolean> {
  const first = await journal.fence(id).then(
    maySend => maySend(),
    () => false,
  );
  if (!first) await expect(journal.fence(id)).rejects.toBeInstanceOf(ClaimLost);
  return first;
}

/** A shared journal asks again only after a while, which passes at once here. */
async function pausedRig(kind: 'local' | 'shared') {
  const rig = await journalRig(kind);
  if (kind === 'local') return rig;
  let now = 0;
  const journal = await open(rig.where, { host: { ...sharedHost(), monotonic: () => (now += 10_000) } });
  return { ...rig, journal };
}

test('A claim in a journal of this machine may not be sent from the moment in which it is settled', async () => {
  const { journal, other, later } = await journalRig('local');
  const id = await claimed(journal, ship({ key: 'K' }));
  const maySend = await journal.fence(id);
  await later(2 * LEASE_MS);
  const two = await other(2);
  expect(maySend()).toBe(true);
  await two.byId(id);
  expect(maySend()).toBe(false);
});

test('A process that is known to run counts as sending for an hour after its lease', async () => {
  const file = `${temporaryFolder()}/journal.db`;
  let now = 0;
  const own = { host: 'here', process: 1, start: '1' };
  const database = await openSqlite(
    file,
    { own, isAlive: () => true },
    localHost(() => now),
  );
  const journal = new Journal(database);
  const id = await claimed(journal, ship());
  now += 60 * 60 * 1000;
  expect((await journal.byId(id))?.state).toBe('pending');
  now += LEASE_MS;
  expect((await journal.byId(id))?.state).toBe('unknown');
});

describeShared('The moment of sending', () => {
  const started = Date.parse('2026-03-02T12:00:00Z');

  test.each([
    ['the clock was set', { wall: 20_000, steady: 1 }, true],
    ['the clock was set far ahead', { wall: LEASE_MS / 2, steady: 1 }, false],
    ['the clock was set back', { wall: -LEASE_MS / 2, steady: 1 }, false],
    ['the process was stopped', { wall: 0, steady: LEASE_MS / 2 }, false],
  ])('is held against the lease by both clocks: %s', async (_, { wall, steady }, allowed) => {
    const place = await sharedPlace();
    const clock = { wall: started, steady: 0 };
    const host = { ...sharedHost(), now: () => clock.wall, monotonic: () => clock.steady };
    const journal = await open(place.address, { host });
    const id = await claimed(journal, ship({ key: 'K' }));
    const maySend = await journal.fence(id);
    clock.wall += wall;
    clock.steady += steady;
    expect(maySend()).toBe(allowed);
    expect((await journal.fence(id))()).toBe(true);
    await journal.recordOutcome(id, ended('created'));
  });

  test('after a wait asks the server again, and rejects if it cannot be asked', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    let steady = 0;
    // A deadline of ten seconds is over at once.
    const deadline = (ms: number, late: () => void) => {
      const timer = setTimeout(late, ms === 10_000 ? 10 : ms);
      return () => clearTimeout(timer);
    };
    const host = { ...sharedHost(), monotonic: () => steady, deadline };
    const journal = await open(relay.address, { host });
    const id = await claimed(journal, ship({ key: 'K' }));
    relay.cut();
    expect((await journal.fence(id))()).toBe(true);
    steady += 5000;
    await expect(journal.fence(id)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('nothing was sent'),
    });
    relay.mend();
    expect((await journal.fence(id))()).toBe(true);
    await journal.recordOutcome(id, ended('created'));
  });
});
