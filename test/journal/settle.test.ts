// An answer that comes after a person settled its booking: one suite for both journals.
import { expect, test } from 'vitest';
import type { Ids, Intent } from '../../src/journal/booking.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { booked, claimed, ended, journalRig, label, SCOPE, settle, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const S1 = { shipment: 'S-1' };
const S2 = { shipment: 'S-2' };

describeBoth('An answer after a settlement', kind => {
  /** A booking that was settled while its answer was on the way. */
  async function settledInFlight(
    journal: Journal,
    state: 'created' | 'rejected',
    { ids = {}, intent = ship({ key: 'K' }) }: { ids?: Ids; intent?: Intent } = {},
  ) {
    const id = await booked(journal, intent, 'unknown');
    expect(await settle(journal, id, state, ids)).toEqual([]);
    return id;
  }

  test('as created counts if it made another shipment, and does not if it made none', async () => {
    const { journal } = await journalRig(kind);
    const one = await settledInFlight(journal, 'created', { ids: S1 });
    expect(await journal.recordOutcome(one, ended('created', { ids: S2 }))).toMatchObject({ counts: true });
    expect(await journal.byId(one)).toMatchObject({ ids: S2, settlements: [{ ids: S1 }] });
    for (const shipment of ['S-1', 'S-2'])
      expect((await journal.knownAmong(SCOPE, 'shipment', [], [shipment])).has(shipment)).toBe(true);
    const two = await settledInFlight(journal, 'created', {
      ...{ ids: { shipment: 'S-3' }, intent: ship({ key: 'L' }) },
    });
    for (const state of ['rejected', 'not_sent', 'unknown'] as const) {
      expect(await journal.recordOutcome(two, ended(state))).toMatchObject({ counts: false });
      expect(await journal.byId(two)).toMatchObject({ state: 'created', ids: { shipment: 'S-3' } });
    }
  });

  test('does not take the key from a booking that was made in the meantime: it is unknown, and names both', async () => {
    const { journal } = await journalRig(kind);
    const id = await settledInFlight(journal, 'rejected');
    const again = await booked(journal, ship({ key: 'K' }), 'created', { ids: S2 });
    const late = await journal.recordOutcome(id, ended('created', { ids: S1 }));
    expect(late?.booking).toMatchObject({
      ...{ state: 'unknown', code: 'outcome_unknown', ids: S1, overtakenBy: again },
      why: expect.stringMatching(new RegExp(`not created.*again as ${again}, which is S-2.*created as S-1`)),
    });
    // Recorded once more, because the confirmation was lost on the way.
    expect(await journal.recordOutcome(id, ended('created', { ids: S1 }))).toEqual(late);
    expect(await journal.list({ states: ['unknown'] })).toMatchObject([{ id }]);
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ kind: 'taken', booking: { id: again } });
    const latest = await journal.latestBy(SCOPE, { keySpace: 'shipment' }, ['K']);
    expect(latest.get('K')?.id).toBe(again);
    expect(await journal.bookingOf(SCOPE, 'S-1')).toMatchObject({ booking: { id } });
  });

  test.each(['rejected', 'not_sent', 'settled as not created'] as const)(
    'that was overtaken has the key again if the other booking is %s',
    async what => {
      const { journal } = await journalRig(kind);
      const id = await settledInFlight(journal, 'rejected');
      const again = await claimed(journal, ship({ key: 'K' }));
      await journal.recordOutcome(id, ended('created', { ids: S1 }));
      if (what !== 'settled as not created') await journal.recordOutcome(again, ended(what));
      else {
        await journal.recordOutcome(again, ended('unknown'));
        await settle(journal, again, 'rejected');
      }
      const held = { state: 'unknown', ids: S1, overtakenBy: null };
      expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({
        kind: 'taken',
        booking: { id, ...held },
      });
    },
  );

  test('that was overtaken last has the key, if several were', async () => {
    const { journal } = await journalRig(kind);
    const one = await settledInFlight(journal, 'rejected');
    const two = await settledInFlight(journal, 'rejected');
    const again = await claimed(journal, ship({ key: 'K' }));
    for (const [id, ids] of [[two, S2] as const, [one, S1] as const])
      await journal.recordOutcome(id, ended('created', { ids }));
    await journal.recordOutcome(again, ended('rejected'));
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ booking: { id: two } });
    expect(await journal.byId(one)).toMatchObject({ state: 'unknown', overtakenBy: two });
    await settle(journal, two, 'rejected');
    expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ booking: { id: one } });
  });

  test('of labels that were made again in the meantime does not take them', async () => {
    const { journal } = await journalRig(kind);
    const labels = label(['A'], { request: { international: 'A' } });
    const made = { ids: {}, labels: { international: { made: true } } };
    const one = await settledInFlight(journal, 'rejected', { intent: labels });
    const again = await booked(journal, labels, 'created', made);
    expect(await journal.recordOutcome(one, ended('created', made))).toMatchObject({
      booking: { state: 'unknown', overtakenBy: again },
    });
    expect((await journal.bookingOfLabel(SCOPE, 'A'))?.booking.id).toBe(again);
    const free = label(['B'], { request: { international: 'B' } });
    const two = await settledInFlight(journal, 'rejected', { intent: free });
    expect(await journal.recordOutcome(two, ended('created', made))).toMatchObject({ counts: true });
    expect((await journal.bookingOfLabel(SCOPE, 'B'))?.booking.id).toBe(two);
  });

  test('of an order without a key that was booked again in the meantime names both', async () => {
    const { journal } = await journalRig(kind);
    const id = await settledInFlight(journal, 'rejected', { intent: ship() });
    const again = await booked(journal, ship(), 'created', { ids: S2 });
    expect(await journal.recordOutcome(id, ended('created', { ids: S1 }))).toMatchObject({
      booking: { state: 'unknown', overtakenBy: again },
    });
  });

  test('of a booking that the journal does not have any more rejects: it is not dropped', async () => {
    const { journal } = await journalRig(kind);
    await expect(journal.recordOutcome('bk_gone', ended('created'))).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('does not have the booking bk_gone any more'),
    });
  });
});
