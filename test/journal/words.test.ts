// How words are compared, and by what a booking is found: one suite for both journals.
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { claimNames, folded } from '../../src/journal/words.ts';
import { booked, claimed, ended, journalRig, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';

test.each([
  ['İSTANBUL', 'istanbul'],
  ['Çağla Yıldız', 'cagla yildiz'],
  ['Straße', 'strasse'],
  ['Łódź', 'lodz'],
  ['Ærø', 'aero'],
  ['Zoë ﬁne', 'zoe fine'],
  ['王小明', '王小明'],
])('%s is compared as %s', (given, plain) => {
  expect(folded(given)).toBe(plain);
});

test('a word of any length is kept by its beginning, which does not end in half a character', () => {
  const names = claimNames({ key: '😀'.repeat(100), run: null });
  expect(names).toBe(` ${'😀'.repeat(60)} `);
});

describeBoth('A name', kind => {
  test('of several bookings gives them all, the newest first, and one that is two names of a booking gives it once', async () => {
    const { journal } = await journalRig(kind);
    const first = await booked(journal, ship({ key: 'X' }), 'rejected');
    const second = await booked(journal, ship({ key: 'X' }), 'created', { ids: { shipment: 'X' } });
    expect((await journal.named('X')).map(({ id }) => id)).toEqual([second, first]);
  });

  test('is known although the outcome came after its booking counted as lost', async () => {
    const { journal, other, dies } = await journalRig(kind);
    const dual = OPERATIONS.createDualShipment;
    const id = await claimed(journal, { ...ship({ key: 'K' }), operation: dual.command });
    await dies(1);
    expect((await (await other(2)).named('K'))[0]?.state).toBe('unknown');
    const labels = { international: { made: true, trackingNumber: 'T-1' } };
    await journal.recordOutcome(id, ended('created', { ids: { international: 'I' }, labels }));
    expect((await journal.named('T-1')).map(one => one.id)).toEqual([id]);
  });

  const labels = { international: { made: true, trackingNumber: 'T-1' } };
  const found = async (journal: Journal) => (await journal.named('t-1')).map(({ key }) => key);

  test('is known of an imported booking', async () => {
    const { journal } = await journalRig(kind);
    await booked(journal, ship({ key: 'HERE' }));
    const [{ booking } = { booking: undefined }] = await journal.orders({ limit: 1 });
    if (booking === undefined) throw new Error('there is no booking');
    await journal.importBookings([
      { booking: { ...booking, id: 'bk_there', key: 'THERE', labels }, labels: [] },
    ]);
    expect(await found(journal)).toEqual(['THERE']);
  });
});
