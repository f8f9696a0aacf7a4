// What the bookings of a day count with against a limit: one suite for both journals.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { counted } from '../../src/journal/booking.ts';
import type { Journal } from '../../src/journal/journal.ts';
import {
  booked,
  claimed,
  ended,
  type Given,
  intentOf,
  journalRig,
  kindOf,
  settle,
  ship,
} from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { runs } from '../torture/size.ts';

const DAY = 24 * 60 * 60 * 1000;
const LIMIT = [
  { amount: '100', currency: 'EUR' },
  { amount: '30.5', currency: 'USD' },
];
const eur = (amount: number | string) => counted(amount, 'EUR');

let keys = 0;
/** An order that is expected to cost so much, where a day is limited. */
const costing = (amount: number | string, more: Given = {}) =>
  ship({ key: `K-${keys++}`, profile: 'live', expected: eur(amount), perDay: LIMIT, ...more });

const left = async (journal: Journal, intent = costing(0)) => {
  const amounts = await journal.leftOfDay(intent, LIMIT);
  return amounts.map(({ amount, currency }) => amount + currency).join();
};

test.each([
  [12.4, 'EUR', 'EUR 124000'],
  ['12.40', ' eur ', 'EUR 124000'],
  ['0.00001', 'EUR', 'EUR 1'],
  [1e-7, 'EUR', 'EUR 1'],
  ['1.2345', 'KWD', 'KWD 12345'],
  ['1e99', 'EUR', null],
  [1e99, 'EUR', 'EUR 1000000000000001'],
  [0, 'EUR', null],
  [-3, 'EUR', null],
  ['12,40', 'EUR', null],
  [12, 'EURO', null],
  [12, null, null],
])('a price of %j %j is counted as %j, rounded up', (price, currency, as) => {
  expect(counted(price, currency)).toBe(as);
});

describeBoth('The limit of a day', kind => {
  test('has room up to its amount, exactly, in each currency by itself', async () => {
    const { journal } = await journalRig(kind);
    for (let count = 0; count < 10; count += 1) await claimed(journal, costing('9.99'));
    expect(await left(journal)).toBe('0.1EUR,30.5USD');
    const beyond = { kind: 'limit', limit: LIMIT[0], spent: '99.9', expected: '0.1001' };
    expect(await journal.claim(costing('0.1001'))).toMatchObject(beyond);
    expect(await journal.beyondLimit(costing('0.1001'))).toMatchObject(beyond);
    expect(await kindOf(journal.claim(costing('0.1')))).toBe('claimed');
    expect(await kindOf(journal.claim(costing('0.0001')))).toBe('limit');
    const dollars = counted(30.5, 'USD');
    expect(await kindOf(journal.claim(costing(0, { expected: dollars })))).toBe('claimed');
    expect(await left(journal)).toBe('0EUR,0USD');
  });

  test('counts what is under way, unknown, made or cancelled, and not what was rejected or not sent', async () => {
    const { journal } = await journalRig(kind);
    await claimed(journal, costing(10));
    await booked(journal, costing(10), 'unknown');
    await booked(journal, costing(10), 'partial');
    const id = await booked(journal, costing(10), 'created', { ids: { shipment: 'S-9' } });
    await settle(journal, id, 'cancelled', { shipment: 'S-9' });
    expect(await left(journal)).toBe('60EUR,30.5USD');
    await booked(journal, costing(10), 'rejected');
    await booked(journal, costing(10), 'not_sent');
    expect(await left(journal)).toBe('60EUR,30.5USD');
  });

  test('counts the price of an answer in place of its proposal, at once; without one the proposal stays', async () => {
    const { journal } = await journalRig(kind);
    await booked(journal, costing(10), 'created', { charged: eur(45) });
    expect(await left(journal)).toBe('55EUR,30.5USD');
    await booked(journal, costing(10), 'created', { ids: { shipment: 'S-2' }, charged: eur(4) });
    expect(await left(journal)).toBe('51EUR,30.5USD');
    await booked(journal, costing(10), 'created', { ids: { shipment: 'S-3' } });
    expect(await left(journal)).toBe('41EUR,30.5USD');
    // No rate of exchange is known: both count.
    const dollars = { ids: { shipment: 'S-4' }, charged: counted(20, 'USD') };
    await booked(journal, costing(10), 'created', dollars);
    expect(await left(journal)).toBe('31EUR,10.5USD');
    // It may pass the limit: the service says what it charges.
    await booked(journal, costing(10), 'created', { ids: { shipment: 'S-5' }, charged: eur(90) });
    expect(await left(journal)).toBe('-59EUR,10.5USD');
  });

  test('counts what was booked without a limit, and of this profile, address and account alone', async () => {
    const { journal } = await journalRig(kind);
    const free = { profile: 'live', perDay: undefined };
    await booked(journal, ship({ key: 'A', ...free }), 'created', { charged: eur(7) });
    expect(await left(journal)).toBe('93EUR,30.5USD');
    await booked(journal, costing(10, { profile: null }), 'created', { ids: { shipment: 'S-2' } });
    await booked(journal, costing(10, { scope: { address: 'https://x.example', account: '' } }));
    const label = intentOf(OPERATIONS.createLabels, { ...free, expected: eur(10), key: 'L' });
    await booked(journal, label, 'created', { charged: eur(10), ids: {} });
    expect(await left(journal)).toBe('93EUR,30.5USD');
    expect(await left(journal, costing(0, { profile: null }))).toBe('90EUR,30.5USD');
  });

  test('is a recorded answer first: a key that is booked is no new order', async () => {
    const { journal } = await journalRig(kind);
    const id = await claimed(journal, costing(90, { key: 'SAME' }));
    expect(await journal.claim(costing(90, { key: 'SAME' }))).toMatchObject({
      kind: 'taken',
      booking: { id },
    });
  });

  test('has room again when a day is over, and says when', async () => {
    const { journal, later } = await journalRig(kind);
    await claimed(journal, costing(50));
    await later(DAY / 2);
    await claimed(journal, costing(50));
    const [second, first] = await journal.list({});
    const freeAt = async (amount: number) => {
      const claim = await journal.claim(costing(amount));
      return claim.kind === 'limit' ? claim.freeAt : claim.kind;
    };
    expect(await freeAt(50)).toBe((first?.at ?? 0) + DAY);
    expect(await freeAt(51)).toBe((second?.at ?? 0) + DAY);
    expect(await freeAt(101)).toBeNull();
    await later(DAY / 2 + 1000);
    expect(await freeAt(51)).toBe((second?.at ?? 0) + (kind === 'local' ? DAY : DAY - DAY / 2 - 1000));
    expect(await kindOf(journal.claim(costing(50)))).toBe('claimed');
  });

  test('is not passed by claims that come at once, from several processes', async () => {
    const { journal, other } = await journalRig(kind);
    const journals = [journal, await other(2), await other(3)];
    const wants = Array.from({ length: 24 }, (_, index) => journals[index % 3] as Journal);
    const claims = await Promise.all(wants.map(one => one.claim(costing(30))));
    const kinds = claims.map(claim => claim.kind).sort();
    expect(kinds).toEqual([...Array(3).fill('claimed'), ...Array(21).fill('limit')]);
  });

  test('counts an answer that comes after a person said that there was none', async () => {
    const { journal } = await journalRig(kind);
    const id = await booked(journal, costing(10), 'unknown');
    await settle(journal, id, 'rejected');
    expect(await left(journal)).toBe('100EUR,30.5USD');
    await settle(journal, id, 'reopened');
    expect(await left(journal)).toBe('90EUR,30.5USD');
    await settle(journal, id, 'created', { shipment: 'S-7' }, { charged: eur(25) });
    expect(await left(journal)).toBe('75EUR,30.5USD');
    await settle(journal, id, 'reopened');
    await settle(journal, id, 'rejected');
    await journal.recordOutcome(id, ended('created', { ids: { shipment: 'S-7' }, charged: eur(30) }));
    expect(await left(journal)).toBe('70EUR,30.5USD');
  });

  test('is what a model says, whatever is booked and becomes of it', async () => {
    const act = fc.record({
      cents: fc.integer({ min: 1, max: 4000 }),
      ends: fc.constantFrom('pending', 'created', 'unknown', 'rejected', 'not_sent'),
      charged: fc.option(fc.integer({ min: 1, max: 6000 })),
    });
    const { journal } = await journalRig(kind);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async acts => {
        round += 1;
        const profile = `profile ${round}`;
        let spent = 0;
        for (const [index, { cents, ends, charged }] of acts.entries()) {
          const claim = await journal.claim(costing(cents / 100, { profile }));
          expect(claim.kind).toBe(spent + cents > 10_000 ? 'limit' : 'claimed');
          if (claim.kind !== 'claimed') continue;
          const price = ends === 'created' && charged ? charged : cents;
          if (ends !== 'rejected' && ends !== 'not_sent') spent += price;
          if (ends !== 'pending')
            await journal.recordOutcome(
              claim.booking.id,
              ended(ends, {
                ids: ends === 'created' ? { shipment: `S-${round}-${index}` } : {},
                charged: ends === 'created' && charged ? eur(charged / 100) : null,
              }),
            );
        }
        const [euro] = await journal.leftOfDay(costing(0, { profile }), LIMIT);
        expect(Number(euro?.amount)).toBe((10_000 - spent) / 100);
      }),
      runs(kind === 'local' ? 200 : 40),
    );
  });
});
