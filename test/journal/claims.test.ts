// Who may book, and whether a claimed booking may still be sent: one suite for both journals. Sequences of claims are in
// test/torture/model.test.ts.
import { expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import {
  booked,
  claimed,
  ended,
  journalRig,
  kindOf,
  label,
  ofLeg,
  open,
  SCOPE,
  settle,
  sharedHost,
  ship,
} from '../rig/journal.ts';
import { describeBoth, describeShared, relayTo, sharedPlace } from '../rig/postgres.ts';

const PAIRS = ['A B', 'B A', 'B C', 'C A'].flatMap(pair => Array(6).fill(pair.split(' ')));

describeBoth('Of many processes that claim at once', kind => {
  test.each([
    ['a key', Array.from({ length: 24 }, () => ship({ key: 'K' }))],
    ['an input without a key', Array.from({ length: 24 }, () => ship())],
    // Any two of these have a shipment in common.
    ['labels in any order', PAIRS.map(pair => label(pair))],
  ])('%s, one has it, and the others get its booking', async (_, intents) => {
    const { journal, other } = await journalRig(kind);
    const journals = [journal, await other(2), await other(3)];
    const claims = await Promise.all(
      intents.map((intent, index) => (journals[index % 3] as Journal).claim(intent)),
    );
    const [winner, ...more] = claims.filter(claim => claim.kind === 'claimed');
    expect(more).toEqual([]);
    for (const claim of claims) expect(claim.booking?.id).toBe(winner?.booking.id);
    expect(await journal.list({})).toHaveLength(1);
  });
});

describeBoth('Of a claim and a denied booking of the same key that is unknown again at that moment', kind => {
  test('one has the key, and the other is told of it', async () => {
    const { journal, other } = await journalRig(kind);
    const two = await other(2);
    const keys = Array.from({ length: 24 }, (_, number) => `K-${number}`);
    const denied = await Promise.all(keys.map(key => booked(journal, ship({ key }), 'unknown')));
    for (const id of denied) await settle(journal, id, 'rejected');
    await Promise.all(
      keys.map(async (key, index) => {
        const id = denied[index] as string;
        const [claim, obstacles] = await Promise.all([
          two.claim(ship({ key })),
          settle(journal, id, 'reopened'),
        ]);
        const holder = claim.booking?.id as string;
        if (claim.kind === 'claimed')
          expect(obstacles).toMatchObject([{ kind: 'booked again', id, booking: { id: holder } }]);
        else expect([claim.kind, holder, obstacles]).toEqual(['taken', id, []]);
      }),
    );
  });
});

describeBoth('Of a process that is gone', kind => {
  test('all bookings are unknown, however many', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const gone = await other(2);
    const keys = Array.from({ length: 501 }, (_, number) => `K-${number}`);
    await Promise.all(keys.map(key => gone.claim(ship({ key }))));
    await dies(2);
    expect(await journal.obstacle(ship({ key: 'K-500' }))).toMatchObject({ booking: { state: 'unknown' } });
    expect(await journal.list({ states: ['unknown'] })).toHaveLength(501);
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

  test.each(['rejected', 'not_sent', 'unknown'] as const)(
    'stays with the booking that made it if a new one is %s in the end',
    async state => {
      const { journal } = await journalRig(kind);
      const labels = { international: { made: true, trackingNumber: 'T' } };
      const id = await booked(journal, label(['A']), 'created', { ids: {}, labels });
      const print = await journal.claimPrints(SCOPE, [ofLeg('A')], false);
      await journal.endPrints(print, [ofLeg('A')]);
      const again = await booked(journal, label(['A'], { allowDuplicate: true }), state);
      if (state === 'unknown') {
        await settle(journal, again, 'rejected');
      }
      expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id } });
      expect((await journal.printedAmong(SCOPE, [ofLeg('A')])).size).toBe(1);
      expect(await kindOf(journal.claim(label(['A'])))).toBe('taken');
      const named = { allowDuplicate: true, request: { international: 'A' } };
      const third = await booked(journal, label(['A'], named), 'created', { ids: {}, labels });
      expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id: third } });
      expect((await journal.printedAmong(SCOPE, [ofLeg('A')])).size).toBe(0);
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
    const id = await booked(journal, label(['A']), 'created', { ids: {}, labels });
    const again = await booked(
      journal,
      label(['A'], { allowDuplicate: true, request: { international: 'A' } }),
      'unknown',
    );
    await settle(journal, again, 'rejected');
    expect(await settle(journal, again, 'reopened')).toEqual([]);
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id } });
  });

  test('that was printed is not that of an earlier booking which a person says was made, too', async () => {
    const { journal } = await journalRig(kind);
    const again = { allowDuplicate: true, request: { international: 'A' } };
    const labels = { international: { made: true, trackingNumber: 'T' } };
    const earlier = await booked(journal, label(['A'], again), 'unknown');
    const id = await booked(journal, label(['A'], again), 'created', { ids: {}, labels });
    await journal.endPrints(await journal.claimPrints(SCOPE, [ofLeg('A')], false), [ofLeg('A')]);
    expect(await settle(journal, earlier, 'created', {}, { labels })).toEqual([]);
    expect(await journal.bookingOfLabel(SCOPE, ofLeg('A'))).toMatchObject({ booking: { id } });
    expect((await journal.printedAmong(SCOPE, [ofLeg('A')])).size).toBe(1);
  });

  test('is free again if the earlier booking made none, either', async () => {
    const { journal } = await journalRig(kind);
    const first = await booked(journal, label(['A']), 'unknown');
    const again = await booked(
      journal,
      label(['A'], { allowDuplicate: true, request: { international: 'A' } }),
      'unknown',
    );
    await settle(journal, first, 'rejected');
    expect(await kindOf(journal.claim(label(['A'])))).toBe('taken');
    await settle(journal, again, 'rejected');
    expect(await kindOf(journal.claim(label(['A'])))).toBe('claimed');
  });

  test('is saved with its booking, byte for byte, and with its path', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, label(['A']), 'created', { ids: {} });
    const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index % 256);
    await journal.saveLabel(id, 'domestic', bytes.slice(5), "/a/o'ne.pdf");
    await journal.saveLabel(id, 'domestic', bytes, '/b/Ünï "two".pdf');
    expect(Buffer.from((await journal.savedLabel(id, 'domestic')) ?? []).equals(bytes)).toBe(true);
    expect(await journal.savedLabel(id, 'international')).toBeUndefined();
    expect((await journal.byId(id))?.files).toEqual({ domestic: '/b/Ünï "two".pdf' });
  });
});

describeShared('The moment of sending', () => {
  test('after a wait asks the server again, and rejects if it cannot be asked', async () => {
    const place = await sharedPlace();
    const relay = await relayTo(place.address);
    let steady = 0;
    let isCut = false;
    // While the server cannot be reached, a deadline of ten seconds is over at once.
    const deadline = (ms: number, late: () => void) => {
      const timer = setTimeout(late, ms === 10_000 && isCut ? 0 : ms);
      return () => clearTimeout(timer);
    };
    const host = { ...sharedHost(), monotonic: () => steady, deadline };
    const journal = await open(relay.address, { host });
    const id = await claimed(journal, ship({ key: 'K' }));
    relay.cut();
    isCut = true;
    expect((await journal.fence(id))()).toBe(true);
    steady += 5000;
    await expect(journal.fence(id)).rejects.toMatchObject({ code: 'storage' });
    isCut = false;
    relay.mend();
    expect((await journal.fence(id))()).toBe(true);
    await journal.recordOutcome(id, ended('created'));
  });
});
