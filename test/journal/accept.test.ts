import { expect, test } from 'vitest';
import { needsAcceptance } from '../../src/journal/settlement.ts';
import { booked, ended, journalRig, settle, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const S2 = { shipment: 'S-2' };

describeBoth('A booking above its bound', kind => {
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
});
