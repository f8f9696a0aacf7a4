import { expect, test } from 'vitest';
import type { Ids } from '../../src/booking/booking.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { booked, intentOf, journalRig, ofLeg, SCOPE, settle, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

const dual = (key: string) => intentOf(OPERATIONS.createDualShipment, { key, keySpace: 'shipment' });

/** The ids under way, those of a booking together. */
async function active(journal: Journal, ends = ['delivered']) {
  const found = await journal.underWay(SCOPE, { ends, since: 0, limit: 100 });
  return found.map(({ ids }) => Object.values(ids).join(' '));
}

const shipped = (journal: Journal, key: string, ids: Ids = { shipment: `S-${key}` }) =>
  booked(journal, 'shipment' in ids ? ship({ key }) : dual(key), 'created', { ids });

/** A shipment of the booking with that key; by default the one that `shipped` gives it. */
async function seen(journal: Journal, key: string, milestone = 'delivered', shipment = ofLeg(`S-${key}`)) {
  const [one] = await journal.list({ key });
  await journal.recordSeen([{ booking: one?.id ?? '', ...shipment, milestone }]);
}

describeBoth('A shipment', kind => {
  test('is under way until it was seen at one of the milestones that end a journey, in any writing', async () => {
    const { journal, other } = await journalRig(kind);
    for (const key of ['A', 'B', 'C']) await shipped(journal, key);
    expect(await active(journal)).toEqual(['S-C', 'S-B', 'S-A']);
    await seen(journal, 'B', 'TESLİM');
    await seen(journal, 'B', 'teslim');
    expect(await active(journal)).toEqual(['S-C', 'S-B', 'S-A']);
    expect(await active(await other(2), ['delivered', 'Teslim'])).toEqual(['S-C', 'S-A']);
  });

  test('that replaced another one by a settlement is looked at for itself', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, ship({ key: 'K' }), 'unknown', { code: 'outcome_unknown' });
    await settle(journal, id, 'created', { shipment: 'WRONG' });
    await seen(journal, 'K', 'delivered', ofLeg('WRONG'));
    await settle(journal, id, 'reopened');
    await settle(journal, id, 'created', { shipment: 'RIGHT' });
    expect(await active(journal)).toEqual(['RIGHT']);
  });
});
