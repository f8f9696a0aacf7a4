// How words are compared, and by what a booking is found: one suite for both journals.
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { folded, word } from '../../src/journal/words.ts';
import { booked, claimed, ended, journalRig, label, ship } from '../rig/journal.ts';
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

test('a word is short enough for an index, and does not end in half a character', () => {
  expect(word('~', ` ${'😀'.repeat(100)}`)).toBe(`~${'😀'.repeat(60)}`);
});

describeBoth('A name', kind => {
  test('is an id, a key, the id of a shipment, or a tracking number', async () => {
    const { journal, other } = await journalRig(kind);
    const labels = { international: { made: true, trackingNumber: '1Z 999-aa' }, domestic: { made: true } };
    const id = await booked(journal, ship({ key: 'ORDER-1' }), 'created', { ids: { shipment: 'S-1' } });
    const labelled = await booked(journal, label(['S-1']), 'created', { ids: {}, labels });
    const reader = await other(2);
    const named = async (ref: string) => (await reader.named(ref)).map(one => one.id);
    expect(await named(id)).toEqual([id]);
    expect(await named('ORDER-1')).toEqual([id]);
    expect(await named('S-1')).toEqual([id]);
    expect(await named('1Z 999-AA')).toEqual([labelled]);
    expect(await named('ORDER')).toEqual([]);
  });

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
});
