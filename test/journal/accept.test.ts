import { expect, test } from 'vitest';
import { exitCodeOf, needsAcceptance } from '../../src/journal/settlement.ts';
import { booked, ended, journalRig, settle, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const S2 = { shipment: 'S-2' };
const ANNA = { by: 'anna@desk', run: 'night 7', reason: null };

describeBoth('A booking above its bound', kind => {
  test('ends with 11 until a person accepts it, and then with 0', async () => {
    const { journal, other } = await journalRig(kind);
    const id = await booked(journal, ship({ maxPrice: '20 EUR' }), 'created', { overPrice: true });
    const before = await (await other(2)).byId(id);
    expect(before && [exitCodeOf(before), needsAcceptance(before)]).toEqual([11, true]);
    expect(await settle(journal, id, 'accepted')).toEqual([]);
    const after = await (await other(3)).byId(id);
    expect(after && [exitCodeOf(after), needsAcceptance(after), after.overPrice]).toEqual([0, false, true]);
    expect(after?.settlements).toEqual([
      { state: 'accepted', ids: { shipment: 'S-1' }, at: expect.any(Number), ...ANNA },
    ]);
  });

  test('is accepted once, and another booking never', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'A' }), 'created', { overPrice: true });
    const within = await booked(journal, ship({ key: 'B' }), 'created', { overPrice: false });
    const unknown = await booked(journal, ship({ key: 'C' }), 'unknown', { overPrice: true });
    await settle(journal, id, 'accepted');
    for (const one of [id, within, unknown, 'bk_none'])
      expect(await settle(journal, one, 'accepted')).toMatchObject([{ id: one, kind: 'state' }]);
    expect((await journal.byId(id))?.settlements).toHaveLength(1);
    expect((await journal.byId(within))?.settlements).toEqual([]);
  });

  test('that turns out to be another shipment must be accepted again', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'K' }), 'unknown');
    await settle(journal, id, 'created', { shipment: 'S-1' }, { overPrice: true });
    await settle(journal, id, 'accepted');
    const late = await journal.recordOutcome(id, ended('created', { ids: S2, overPrice: true }));
    expect(late).toMatchObject({ counts: true, settlement: { state: 'created', by: 'anna@desk' } });
    expect(late && needsAcceptance(late.booking)).toBe(true);
    expect(late?.booking.settlements.map(({ state }) => state)).toEqual(['created', 'accepted']);
  });

  test('stays above it when a person says that it was created', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'K' }), 'unknown', { overPrice: true });
    await settle(journal, id, 'created', S2);
    expect(await journal.byId(id)).toMatchObject({ state: 'created', overPrice: true });
  });

  test('keeps run, person, bound and price in another journal', async () => {
    const { journal } = await journalRig(kind);
    const { journal: another } = await journalRig(kind);
    const given = { key: 'K', maxPrice: '20 EUR', run: 'night 7', actor: 'anna' };
    const booking = await journal.byId(await booked(journal, ship(given), 'created', { overPrice: true }));
    if (!booking) throw new Error('it is gone');
    await another.importBookings([{ booking, labels: [] }]);
    expect(await another.byId(booking.id)).toEqual(booking);
  });
});
