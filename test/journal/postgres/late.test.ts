// What comes while another process writes: an answer after its booking was settled, while the booking that took its key ends, or
// a settlement during a prune. Neither misses the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Booking, type Intent, LEASE_MS } from '../../../src/booking/booking.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { booked, claimed, ended, label, open, settle, settled, ship } from '../../rig/journal.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../../rig/postgres.ts';

const K = ship({ key: 'K' });
const CREATED = ended('created', { ids: { shipment: 'S-A' } });

/** Stops every transaction that writes such a row, or any, until the returned function is called. */
async function stopAt(
  { ask, hold }: SharedPlace,
  event: 'BEFORE INSERT' | 'AFTER INSERT' | 'AFTER UPDATE' | 'BEFORE UPDATE',
  condition?: string,
) {
  const number = `'bookings'::regclass::oid::bigint`;
  const which = condition === undefined ? 'STATEMENT' : `ROW WHEN (${condition})`;
  await ask(`CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_advisory_xact_lock(${number}); RETURN NEW; END $$`);
  await ask(`CREATE TRIGGER stop ${event} ON bookings FOR EACH ${which} EXECUTE FUNCTION stop()`);
  return hold(`SELECT pg_advisory_xact_lock(${number})`);
}

/** Only those that are stopped already. */
const stopNoOther = ({ ask }: SharedPlace) =>
  ask('CREATE OR REPLACE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$');

/** Until so many transactions wait, of those that use the bookings or wait for one that does, or what is under way is done. */
async function untilWaiting({ ask }: SharedPlace, count: number, underWay: Promise<unknown>): Promise<void> {
  let isDone = false;
  void underWay.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const [found] = await ask<{
      waiting: number;
    }>(`WITH users AS (SELECT pid FROM pg_locks WHERE relation = 'bookings'::regclass)
      SELECT count(DISTINCT pid)::integer AS waiting FROM pg_locks WHERE NOT granted
        AND (pid IN (SELECT pid FROM users) OR pg_blocking_pids(pid) && ARRAY(SELECT pid FROM users))`);
    if (found?.waiting === count) return;
    await sleep(5);
  }
}

/** The first is stopped where it writes such a row, and goes on when the second one waits for it, too. */
async function inTurn<A, B>(
  place: SharedPlace,
  [event, condition]: readonly ['BEFORE INSERT' | 'AFTER INSERT' | 'AFTER UPDATE', string],
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const letGo = await stopAt(place, event, condition);
  const one = first();
  await untilWaiting(place, 1, one);
  const other = second();
  await untilWaiting(place, 2, other);
  await letGo();
  return Promise.all([one, other]);
}

/** A was settled as not created, and its key was booked again as B. */
async function bookedTwice(other?: 'pending' | 'unknown') {
  const place = await sharedPlace();
  const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
  const a = await booked(one, K, 'unknown');
  await settle(two, a, 'rejected');
  const b = other === 'unknown' ? await booked(two, K, 'unknown') : await claimed(two, K);
  return { place, one, two, a, b };
}

const ENDS: [string, 'pending' | 'unknown', (two: Journal, b: string) => Promise<unknown>][] = [
  ['is rejected', 'pending', (two, b) => two.recordOutcome(b, ended('rejected'))],
  ['is settled as not created', 'unknown', (two, b) => settle(two, b, 'rejected')],
];

describeShared('A late answer', () => {
  test.each(ENDS)('has its key back if the booking that took it %s meanwhile', async (_, state, end) => {
    const { place, one, two, a, b } = await bookedTwice(state);
    const late = () => one.recordOutcome(a, CREATED);
    await inTurn(place, ['AFTER UPDATE', 'NEW.key_holder IS NOT NULL'], late, () => end(two, b));
    expect(await one.obstacle(K)).toMatchObject({
      kind: 'taken',
      booking: { id: a, state: 'unknown', ids: CREATED.ids, keyHolder: null },
    });
  });

  test.each(ENDS)('has its key if the booking that took it %s just before', async (_, state, end) => {
    const { place, one, two, a, b } = await bookedTwice(state);
    const late = () => one.recordOutcome(a, CREATED);
    await inTurn(place, ['AFTER UPDATE', "NEW.state = 'rejected'"], () => end(two, b), late);
    expect(await one.obstacle(K)).toMatchObject({
      kind: 'taken',
      booking: { id: a, state: 'created', keyHolder: null },
    });
  });

  test('is not missed by a statement that began before it, to say that nothing was made', async () => {
    const { place, one, two, a, b } = await bookedTwice();
    const letGo = await stopAt(place, 'BEFORE UPDATE');
    const other = two.recordOutcome(b, ended('rejected'));
    await untilWaiting(place, 1, other);
    await stopNoOther(place);
    const late = one.recordOutcome(a, CREATED);
    await untilWaiting(place, 2, late);
    await letGo();
    await Promise.all([late, other]);
    expect(await one.obstacle(K)).toMatchObject({ kind: 'taken', booking: { id: a, ids: CREATED.ids } });
  });
});

const PAIR = { ...ship({ key: 'PAIR' }), operation: 'ship-dual' } as const;
const LEGS = { international: 'S-1', domestic: 'D-1' };

/** At each such statement, with its number. */
async function atEach(
  { ask }: SharedPlace,
  statement: 'INSERT ON made' | 'DELETE ON made',
  doing: string,
): Promise<void> {
  await ask('CREATE SEQUENCE statements');
  await ask(`CREATE FUNCTION meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE statement bigint := nextval('statements'); BEGIN ${doing} RETURN NULL; END $$`);
  await ask(`CREATE TRIGGER meanwhile AFTER ${statement} FOR EACH STATEMENT EXECUTE FUNCTION meanwhile()`);
}

describeShared('A shipment', () => {
  test('that its order gives back at the moment in which another one takes it is that of the other one', async () => {
    const place = await sharedPlace();
    const journal = await open(place.address);
    const gone = await booked(journal, ship({ key: 'GONE' }));
    // The first INSERT finds the shipment taken, and who has it is asked after that.
    await atEach(
      place,
      'INSERT ON made',
      `IF statement = 1 THEN DELETE FROM made WHERE booking = '${gone}'; END IF;`,
    );
    const id = await booked(journal, K);
    expect(await journal.byId(id)).toMatchObject({ state: 'created', ids: { shipment: 'S-1' } });
    expect(await place.ask('SELECT booking FROM made')).toEqual([{ booking: id }]);
  });

  test('of a pair is not kept where the other leg is that of another order, and the process ends then', async () => {
    const place = await sharedPlace();
    const journal = await open(place.address, { patience: 1 });
    const other = { ...PAIR, key: 'OTHER' };
    await booked(journal, other, 'created', { ids: { international: 'S-9', domestic: 'D-1' } });
    await atEach(place, 'DELETE ON made', `RAISE 'the process ends before it gives the leg back';`);
    const id = await claimed(journal, PAIR);
    await expect(journal.recordOutcome(id, ended('created', { ids: LEGS }))).rejects.toMatchObject({
      code: 'storage',
    });
    expect(await place.ask(`SELECT shipment FROM made WHERE booking = '${id}'`)).toEqual([]);
  });
});

describeShared('A pair that was settled as created', () => {
  test('is found by its shipments also if the process of its late answer ends while that is recorded', async () => {
    const place = await sharedPlace();
    const journal = await open(place.address, { patience: 1 });
    const id = await booked(journal, PAIR, 'unknown');
    expect(await settle(journal, id, 'created', LEGS)).toEqual([]);
    await atEach(place, 'INSERT ON made', `RAISE 'the process ends';`);
    const late = ended('created', { ids: LEGS, answer: '{}' });
    await expect(journal.recordOutcome(id, late)).rejects.toMatchObject({
      code: 'storage',
    });
    const made = await place.ask(`SELECT shipment FROM made WHERE booking = '${id}' ORDER BY shipment`);
    expect(made).toEqual([{ shipment: 'D-1' }, { shipment: 'S-1' }]);
  });
});

describeShared('A plan without a key and its order with one, claimed at one moment', () => {
  const order = { fingerprint: 'input', orderFingerprint: 'order' };
  const plan = ship({ ...order, key: 'a'.repeat(64) });
  const keyed = ship({ ...order, key: 'K', tellsSameOrder: true });

  /** The first one is stopped while it is written, and the other one begins meanwhile. */
  async function claimedTogether(first: Intent, second: Intent) {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    const letGo = await stopAt(place, 'BEFORE INSERT', `NEW.key = '${first.key}'`);
    const claim = one.claim(first);
    await untilWaiting(place, 1, claim);
    const other = two.claim(second);
    await untilWaiting(place, 2, other);
    await letGo();
    return [await claim, await other] as const;
  }

  test('is refused, if the order with the key came first', async () => {
    const [first, second] = await claimedTogether(keyed, plan);
    expect([first.kind, second.kind, second.booking?.id]).toEqual(['claimed', 'twin', first.booking?.id]);
  });

  test('is told with the order, if the plan came first', async () => {
    const [first, second] = await claimedTogether(plan, keyed);
    expect(second).toMatchObject({ kind: 'claimed', twin: { id: first.booking?.id } });
  });
});

describeShared('Two transactions that wait for each other', () => {
  test('are both done: a settlement that is taken back, and the end of the booking that has its key', async () => {
    const { place, one, two, a, b } = await bookedTwice();
    await one.recordOutcome(a, CREATED);
    await settle(one, a, 'created', CREATED.ids);
    const [, obstacles] = await inTurn(
      place,
      ['AFTER UPDATE', `NEW.id = '${b}' AND NEW.state = 'rejected'`],
      () => two.recordOutcome(b, ended('rejected')),
      () => settle(one, a, 'reopened'),
    );
    expect(obstacles).toEqual([]);
    expect(await one.obstacle(K)).toMatchObject({ booking: { id: a, state: 'unknown', keyHolder: null } });
  });

  test('are both done: an import, and claims of the same keys', async () => {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    const booking = (await one.byId(await booked(one, K))) as Booking;
    const others = ['B', 'A'].map(key => ({
      booking: { ...booking, id: `bk_${key}`, key, ids: {} },
      labels: [],
    }));
    const [claims, imported] = await inTurn(
      place,
      ['BEFORE INSERT', "NEW.key = 'B' AND NEW.state = 'pending'"],
      () => Promise.all(['A', 'B'].map(key => two.claim(ship({ key })))),
      () => one.importBookings(others),
    );
    const kinds = [imported, claims].map(results => results.map(({ kind }) => kind));
    expect(['imported,imported,taken,taken', 'held,held,claimed,claimed']).toContain(kinds.flat().join());
  });
});

describeShared('A booking that is unknown again', () => {
  test('meets the claim that takes its key at the same moment, as one that took it before', async () => {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    const denied = await booked(one, K, 'unknown');
    await settle(one, denied, 'rejected');
    const [claim, obstacles] = await inTurn(
      place,
      ['AFTER INSERT', "NEW.key = 'K'"],
      () => two.claim(K),
      () => settle(one, denied, 'reopened'),
    );
    expect(claim.kind).toBe('claimed');
    expect(obstacles).toMatchObject([
      { kind: 'booked again', id: denied, booking: { id: claim.booking?.id } },
    ]);
  });
});

describeShared('Two journals of one database', () => {
  test.each([
    [
      'claims of the same input',
      'BEFORE INSERT',
      (journal: Journal) => journal.claim(ship({ fingerprint: 'new' })),
    ],
    ['settlements', 'BEFORE UPDATE', (journal: Journal, id: string) => settle(journal, id, 'rejected')],
  ] as const)('have %s at one moment', async (_, event, write) => {
    const [place, otherPlace] = [await sharedPlace(), await sharedPlace()];
    const [journal, other] = [await open(place.address), await open(otherPlace.address)];
    const [id, otherId] = [await booked(journal, K, 'unknown'), await booked(other, K, 'unknown')];
    const letGo = await stopAt(place, event);
    const waiting = write(journal, id);
    await untilWaiting(place, 1, waiting);
    await write(other, otherId);
    await letGo();
    await waiting;
  });
});

describeShared('A claim that was not renewed in time', () => {
  test('is not lost if it is renewed while another process is about to record that', async () => {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    const id = await claimed(one, K);
    await place.age(2 * LEASE_MS);
    const letGo = await stopAt(place, 'BEFORE UPDATE');
    const other = two.obstacle(K);
    await untilWaiting(place, 1, other);
    await stopNoOther(place);
    // For so long it is not asked about again.
    await sleep(1001);
    expect((await one.fence(id))()).toBe(true);
    await letGo();
    await other;
    expect(await two.byId(id)).toMatchObject({ state: 'pending' });
  });
});

describeShared('A label that is free again', () => {
  test('is not that of a booking which is rejected at the same moment', async () => {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    const labels = label(['A'], { request: { international: 'A' }, allowDuplicate: true });
    const a = await booked(one, labels, 'unknown');
    const b = await claimed(two, labels);
    await inTurn(
      place,
      ['AFTER UPDATE', `NEW.id = '${b}'`],
      () => two.recordOutcome(b, ended('rejected')),
      () => settle(one, a, 'rejected'),
    );
    expect(await place.ask('SELECT booking FROM labels')).toEqual([]);
  });

  test('is that of a booking whose claim is about to be committed', async () => {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    const labels = label(['A'], { request: { international: 'A' }, allowDuplicate: true });
    const a = await claimed(one, labels);
    const letGo = await stopAt(place, 'BEFORE UPDATE', 'false');
    await place.ask(`CREATE CONSTRAINT TRIGGER stop_claim AFTER INSERT ON bookings DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION stop()`);
    const claim = claimed(two, labels);
    await untilWaiting(place, 1, claim);
    const answer = one.recordOutcome(a, ended('rejected'));
    await untilWaiting(place, 2, answer);
    await letGo();
    await answer;
    expect(await place.ask('SELECT booking FROM labels')).toEqual([{ booking: await claim }]);
  });
});

describeShared('Settlements', () => {
  test('of both bookings of a key leave it free', async () => {
    const { one, two, a, b } = await bookedTwice('unknown');
    await one.recordOutcome(a, CREATED);
    expect(await two.settle([settled(b, 'rejected'), settled(a, 'rejected')])).toEqual([]);
    expect(await one.byId(a)).toMatchObject({
      ...{ state: 'rejected', keyHolder: null },
      facts: expect.arrayContaining([expect.objectContaining({ kind: 'key returned', from: b })]),
    });
    expect(await one.obstacle(K)).toBeUndefined();
  });
});

describeShared('A prune', () => {
  test('that waits for a booking keeps what is said of the others meanwhile, and deletes the labels that are saved', async () => {
    const place = await sharedPlace();
    const [one, two] = [await open(place.address), await open(place.address, { process: 2 })];
    await booked(one, ship({ key: 'FIRST' }));
    const labels = { international: { made: true, link: 'https://labels.example/1' } };
    const id = await booked(one, K, 'created', { ids: { shipment: 'S-A' }, labels });
    const letGo = await place.hold(`SELECT 1 FROM bookings WHERE key = 'FIRST' FOR UPDATE`);
    const pruning = one.prune(Number.MAX_SAFE_INTEGER);
    await untilWaiting(place, 1, pruning);
    expect(await settle(two, id, 'cancelled', {}, { reason: 'Anna at the provider' })).toEqual([]);
    expect(await two.saveLabel(id, 'international', Buffer.from('%PDF'), '/labels/S-A.pdf')).toBe(true);
    await letGo();
    expect(await pruning).toBe(2);
    expect(await two.byId(id)).toMatchObject({
      ...{ state: 'cancelled', request: null, files: {}, labels: { international: { made: true } } },
      facts: [{ kind: 'cancelled', by: 'anna@desk', reason: null }],
    });
    expect(await place.ask('SELECT booking FROM label_files')).toEqual([]);
  });
});
