// How words are compared, and by what a booking is found: one suite for both journals.
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { folded, word } from '../../src/journal/words.ts';
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

test('a word is short enough for an index, and does not end in half a character', () => {
  expect(word('~', ` ${'😀'.repeat(100)}`)).toBe(`~${'😀'.repeat(60)}`);
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
  const found = async (journal: Journal) => (await journal.named('t-1', () => {})).map(({ key }) => key);

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

  test('that nothing has tells how much is indexed, and what is told may end it', async () => {
    const { journal, alter } = await journalRig(kind);
    for (let number = 0; number < 150; number += 1)
      await booked(journal, ship({ key: `K-${number}` }), 'rejected');
    await alter('DELETE FROM words');
    const told: number[][] = [];
    expect(await journal.named('K', (...parts) => void told.push(parts))).toEqual([]);
    expect(told.at(-1)).toEqual([150, 150]);
    await alter('DELETE FROM words');
    const stop = () => {
      throw new Error('stopped');
    };
    await expect(journal.named('K', stop)).rejects.toThrow('stopped');
  });
});
