// Who may book, and whether a claimed booking may still be sent: one suite for both journals.
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { LEASE_MS } from '../../src/journal/booking.ts';
import { Journal } from '../../src/journal/journal.ts';
import { openSqlite } from '../../src/journal/sqlite/database.ts';
import {
  booked,
  claimed,
  ended,
  intentOf,
  journalRig,
  kindOf,
  label,
  localHost,
  ofLeg,
  open,
  SCOPE,
  settle,
  sharedHost,
  ship,
} from '../rig/journal.ts';
import { describeBoth, describeShared, relayTo, sharedPlace } from '../rig/postgres.ts';
import { temporaryFolder } from '../rig/profile.ts';

const { createDualShipment, createLabels, createSubscription } = OPERATIONS;

describeBoth('A key', kind => {
  test('belongs to an address, an account and the operations of a key space', async () => {
    const { journal } = await journalRig(kind);
    await booked(journal, ship({ key: 'K' }));
    const pair = intentOf(createDualShipment, { key: 'K' });
    expect(await kindOf(journal.claim(pair))).toBe('taken');
    const others = [
      ship({ key: 'K', scope: { ...SCOPE, account: 'other' } }),
      ship({ key: 'K', scope: { ...SCOPE, address: 'https://other.example' } }),
      intentOf(createSubscription, { key: 'K' }),
    ];
    for (const intent of others) expect(await kindOf(journal.claim(intent))).toBe('claimed');
  });

  test('may contain any character, and is another one in another case', async () => {
    const { journal } = await journalRig(kind);
    const keys = ["O'Brien", 'ß', 'SS', '订单-1', 'k', 'K', '%', '\\', '{}', '😀'];
    for (const key of keys) expect(await kindOf(journal.claim(ship({ key })))).toBe('claimed');
    for (const key of keys)
      expect(await journal.claim(ship({ key }))).toMatchObject({ kind: 'taken', booking: { key } });
  });

  test('that many processes claim at once goes to one, and the others get its booking', async () => {
    const { journal, other } = await journalRig(kind);
    const journals = [journal, await other(2), await other(3)];
    const wants = Array.from({ length: 24 }, (_, index) => journals[index % 3] as Journal);
    const claims = await Promise.all(wants.map(one => one.claim(ship({ key: 'K' }))));
    const [winner, ...more] = claims.filter(claim => claim.kind === 'claimed');
    expect(more).toEqual([]);
    for (const claim of claims)
      if (claim.kind !== 'claimed') expect(claim.booking?.id).toBe(winner?.booking.id);
    expect(await journal.list({})).toHaveLength(1);
  });
});

describeBoth('Without a key', kind => {
  test('of many claims of the same input at once one succeeds', async () => {
    const { journal, other } = await journalRig(kind);
    const journals = [journal, await other(2), await other(3)];
    const wants = Array.from({ length: 24 }, (_, index) => journals[index % 3] as Journal);
    const claims = await Promise.all(wants.map(one => one.claim(ship())));
    expect(claims.map(claim => claim.kind).sort()).toEqual(['claimed', ...Array(23).fill('twin')]);
  });
});

describeBoth('The same order under another key', kind => {
  test('is refused while nobody knows whether the first one exists, where that is wanted', async () => {
    const { journal } = await journalRig(kind);
    const order = { orderFingerprint: 'the same', refusesSameOrder: 'while unknown' } as const;
    const id = await booked(journal, ship({ ...order, key: 'A' }), 'unknown');
    expect(await journal.claim(ship({ ...order, key: 'B' }))).toMatchObject({
      kind: 'twin',
      booking: { id },
    });
    await settle(journal, id, 'created', { shipment: 'S-1' });
    expect(await journal.claim(ship({ ...order, key: 'B' }))).toMatchObject({ kind: 'claimed' });
    // That one is being sent, as one of many equal parcels may be.
    expect(await journal.claim(ship({ ...order, key: 'C' }))).toMatchObject({ kind: 'claimed' });
  });
});

describeBoth('A label', kind => {
  test('of a shipment is claimed once, alone or with other shipments', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, label(['A', 'B']), 'unknown');
    expect(await journal.claim(label(['B']))).toMatchObject({ kind: 'taken', booking: { id } });
    expect(await journal.claim(label(['C', 'A']))).toMatchObject({ kind: 'taken', booking: { id } });
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id } });
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('C'))).toBeUndefined();
    expect(await journal.bookingOfLabel({ ...SCOPE, account: 'other' }, ofLeg('A'))).toBeUndefined();
    expect(await kindOf(journal.claim(label(['C'])))).toBe('claimed');
  });

  test('of one leg that was made stays; the label of the other leg may be requested again', async () => {
    const { journal } = await journalRig(kind);
    const both = intentOf(createLabels, {
      labels: [
        { leg: 'international', shipment: 'A' },
        { leg: 'domestic', shipment: 'B' },
      ],
    });
    await booked(journal, both, 'partial', {
      ids: { international: 'A', domestic: 'B' },
      labels: { international: { made: true, trackingNumber: 'T' }, domestic: { made: false } },
    });
    expect(await kindOf(journal.claim(label(['A'])))).toBe('taken');
    expect(await kindOf(journal.claim(label(['B'])))).toBe('claimed');
  });

  test('that was made with its shipment is claimed with the outcome', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, intentOf(createDualShipment, { key: 'K' }), 'created', {
      ids: { international: 'I-1', domestic: 'D-1' },
      labels: { international: { made: true, link: 'https://x.example/l.pdf' }, domestic: { made: true } },
    });
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('D-1', 'domestic'))).toMatchObject({ booking: { id } });
    expect(await kindOf(journal.claim(label(['I-1'])))).toBe('taken');
    expect(await journal.labelledShipments(id)).toEqual([
      { leg: 'international', shipment: 'I-1' },
      { leg: 'domestic', shipment: 'D-1' },
    ]);
  });

  test('may be made again with --allow-duplicate, and then belongs to that booking', async () => {
    const { journal } = await journalRig(kind);
    await booked(journal, label(['A']), 'unknown');
    const id = await claimed(journal, label(['A'], { allowDuplicate: true }));
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id } });
  });

  test.each(['rejected', 'not_sent', 'unknown'] as const)(
    'belongs to the earlier booking again if the new one is %s in the end',
    async state => {
      const { journal } = await journalRig(kind);
      const labels = { international: { made: true, trackingNumber: 'T' } };
      const id = await booked(journal, label(['A']), 'created', { ids: {}, labels });
      const print = await journal.claimPrints(SCOPE, [ofLeg('A')], { again: false, isBegun: true });
      await journal.endPrints(print, [ofLeg('A')]);
      const again = await booked(journal, label(['A'], { allowDuplicate: true }), state);
      if (state === 'unknown') {
        expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id: again } });
        await settle(journal, again, 'rejected');
      }
      expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({
        booking: { id },
        printedAt: expect.any(Number),
      });
      expect(await kindOf(journal.claim(label(['A'])))).toBe('taken');
      const third = await booked(journal, label(['A'], { allowDuplicate: true }), 'created', {
        ids: {},
        labels,
      });
      expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({
        booking: { id: third },
        printedAt: null,
      });
    },
  );

  test('belongs to the one that was made, whichever of two later ones is denied first', async () => {
    for (const isLastFirst of [true, false]) {
      const { journal } = await journalRig(kind);
      const labels = { international: { made: true, trackingNumber: 'T' } };
      const id = await booked(journal, label(['A']), 'created', { ids: {}, labels });
      const two = [];
      for (let count = 0; count < 2; count += 1)
        two.push(await booked(journal, label(['A'], { allowDuplicate: true }), 'unknown'));
      for (const one of isLastFirst ? two.reverse() : two) await settle(journal, one, 'rejected');
      expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id } });
    }
  });

  test('that was denied can be unknown again, though an earlier one was made', async () => {
    const { journal } = await journalRig(kind);
    const labels = { international: { made: true, trackingNumber: 'T' } };
    await booked(journal, label(['A']), 'created', { ids: {}, labels });
    const again = await booked(
      journal,
      label(['A'], { allowDuplicate: true, request: { international: 'A' } }),
      'unknown',
    );
    await settle(journal, again, 'rejected');
    expect(await settle(journal, again, 'reopened')).toEqual([]);
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id: again } });
  });

  test('is free again if the earlier booking made none, either', async () => {
    const { journal } = await journalRig(kind);
    const first = await booked(journal, label(['A']), 'unknown');
    const again = await booked(journal, label(['A'], { allowDuplicate: true }), 'unknown');
    await settle(journal, first, 'rejected');
    expect(await kindOf(journal.claim(label(['A'])))).toBe('taken');
    await settle(journal, again, 'rejected');
    expect(await kindOf(journal.claim(label(['A'])))).toBe('claimed');
  });

  test('that many processes claim at once, in any order, goes to one', async () => {
    const { journal, other } = await journalRig(kind);
    const two = await other(2);
    const pairs = [
      ['A', 'B'],
      ['B', 'A'],
      ['B', 'C'],
      ['C', 'A'],
    ].flatMap(pair => [pair, pair, pair]);
    const claims = await Promise.all(
      pairs.map((pair, index) => (index % 2 ? two : journal).claim(label(pair))),
    );
    // Any two of the pairs have a shipment in common.
    expect(claims.filter(claim => claim.kind === 'claimed')).toHaveLength(1);
  });

  test('is saved with its booking, byte for byte, and with its path', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, label(['A']), 'created', { ids: {} });
    const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index % 256);
    await journal.saveLabel(id, 'domestic', bytes.slice(5), "/a/o'ne.pdf");
    await journal.saveLabel(id, 'domestic', bytes, '/b/Ünï "two".pdf');
    expect(Buffer.from((await journal.savedLabel(id, 'domestic')) ?? []).equals(bytes)).toBe(true);
    expect(await journal.savedLabel(id, 'international')).toBeUndefined();
    expect((await journal.byId(id))?.files).toEqual({
      domestic: '/b/Ünï "two".pdf',
      others: ["/a/o'ne.pdf"],
    });
  });
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
    await expect(journal.fence(id)).rejects.toMatchObject({ code: 'storage' });
    relay.mend();
    expect((await journal.fence(id))()).toBe(true);
    await journal.recordOutcome(id, ended('created'));
  });
});
