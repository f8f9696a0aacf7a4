// What the bookings of a day count with against a limit: one suite for both journals.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countedPrice, INPUT_UNKNOWN } from '../../src/booking/booking.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { booked, claimed, ended, type Given, journalRig, kindOf, settle, ship } from '../rig/journal.ts';
import { describeBoth } from '../rig/postgres.ts';
import { runs } from '../torture/size.ts';

const DAY = 24 * 60 * 60 * 1000;
const LIMIT = [
  { amount: '100', currency: 'EUR' },
  { amount: '30.5', currency: 'USD' },
];
const DAY_LIMIT = [{ amounts: LIMIT, isOfProfile: true }];
const eur = (amount: number | string) => countedPrice(amount, 'EUR');

let keys = 0;
/** An order that is expected to cost so much, where a day is limited. */
const costing = (amount: number | string, more: Given = {}) =>
  ship({ key: `K-${keys++}`, profile: 'live', expected: eur(amount), perDay: DAY_LIMIT, ...more });

const left = async (journal: Journal, intent = costing(0)) => {
  const amounts = await journal.leftOfDay(intent, DAY_LIMIT);
  return amounts.map(({ amount, currency }) => amount + currency).join();
};

test.each([
  [12.4, 'EUR', 'EUR 124000'],
  ['12.40', ' eur ', 'EUR 124000'],
  ['0.00001', 'EUR', 'EUR 1'],
  [1e-7, 'EUR', 'EUR 1'],
  ['1.2345', 'KWD', 'KWD 12345'],
  ['1e99', 'EUR', null],
  // No amount is as large: what it costs is not known.
  [1e99, 'EUR', null],
  [0, 'EUR', null],
  [-3, 'EUR', null],
  ['12,40', 'EUR', null],
  [12, 'EURO', null],
  [12, null, null],
])('a price of %j %j is counted as %j, rounded up', (price, currency, as) => {
  expect(countedPrice(price, currency)).toBe(as);
});

describeBoth('The limit of a day', kind => {
  test('counts what was imported by the time of its results, and what has none as booked then, by the order, too', async () => {
    const { journal, alter } = await journalRig(kind);
    const claim = await journal.claim(costing(10));
    if (claim.kind !== 'claimed') throw new Error('it is not claimed');
    const now = await journal.now();
    const imported = (id: string, at: number) => ({
      booking: {
        ...{ ...claim.booking, id, key: id, fingerprint: INPUT_UNKNOWN, expected: null, charged: eur(20) },
        ...{ state: 'created' as const, ids: { shipment: id }, at, settledAt: now },
      },
      labels: [],
    });
    const spentAfter = async (id: string, at: number) => {
      await journal.importBookings([imported(id, at)]);
      return left(journal);
    };
    expect(await spentAfter('YEAR', now - 365 * DAY)).toBe('90EUR,30.5USD');
    expect(await spentAfter('YESTERDAY', now - DAY - 60_000)).toBe('90EUR,30.5USD');
    expect(await spentAfter('TODAY', now - DAY + 60_000)).toBe('70EUR,30.5USD');
    expect(await spentAfter('UNTIMED', now)).toBe('50EUR,30.5USD');
    // What is booked after an import of what is older is booked today, even if the clock is behind.
    const id = await claimed(journal, costing(10));
    await alter(`UPDATE bookings SET at = at - ${3 * DAY} WHERE id = '${id}'`);
    expect(await left(journal)).toBe('40EUR,30.5USD');
    // So is what was imported without a time.
    await alter(
      `UPDATE bookings SET at = at - ${3 * DAY}, settled_at = settled_at - ${3 * DAY} WHERE id = 'UNTIMED'`,
    );
    expect(await left(journal)).toBe('40EUR,30.5USD');
    expect(await kindOf(journal.claim(costing(41)))).toBe('limit');
    expect(await kindOf(journal.claim(costing(40)))).toBe('claimed');
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
    // An answer may charge more than the limit. No rate of exchange is known: a price in another currency counts beside it.
    const price = fc.record({ cents: fc.integer({ min: 1, max: 4000 }), in: fc.constantFrom('EUR', 'USD') });
    const act = fc.record({
      by: fc.constantFrom('live', 'other', null),
      expected: price,
      ends: fc.constantFrom('pending', 'created', 'partial', 'cancelled', 'unknown', 'rejected', 'not_sent'),
      charged: fc.option(price),
    });
    const { journal } = await journalRig(kind);
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async acts => {
        made += 1;
        const scope = { address: `https://place-${made}.example`, account: '' };
        const spent: { by: string | null; cents: number; in: string }[] = [];
        // What a booking without a profile cost counts for each profile of its place, and for it all of them count.
        const restOf = (payer: string | null, currency: string) =>
          spent
            .filter(one => one.in === currency && (payer === null || [payer, null].includes(one.by)))
            .reduce((rest, { cents }) => rest - cents, currency === 'EUR' ? 10_000 : 3050);
        for (const { by, expected, ends, charged } of acts) {
          const counts = (one: typeof expected) => countedPrice(one.cents / 100, one.in);
          const claim = await journal.claim(costing(0, { scope, profile: by, expected: counts(expected) }));
          const room = restOf(by, expected.in);
          expect(claim.kind).toBe(expected.cents > room ? 'limit' : 'claimed');
          if (claim.kind !== 'claimed') continue;
          const { id } = claim.booking;
          const isMade = ['created', 'partial', 'cancelled'].includes(ends);
          const answer = isMade && charged ? [charged] : [];
          if (ends !== 'rejected' && ends !== 'not_sent')
            for (const one of answer[0]?.in === expected.in ? answer : [expected, ...answer])
              spent.push({ by, ...one });
          if (ends === 'pending') continue;
          made += 1;
          const ids = isMade ? { shipment: `S-${made}` } : {};
          const state = ends === 'cancelled' ? 'created' : ends;
          await journal.recordOutcome(
            id,
            ended(state, { ids, charged: charged && isMade ? counts(charged) : null }),
          );
          if (ends === 'cancelled') expect(await settle(journal, id, 'cancelled', ids)).toEqual([]);
        }
        for (const payer of ['live', 'other', null]) {
          const left = await journal.leftOfDay({ scope, profile: payer }, DAY_LIMIT);
          const rest = ['EUR', 'USD'].map(currency => restOf(payer, currency) / 100);
          expect(left.map(({ amount }) => Number(amount))).toEqual(rest);
        }
      }),
      runs(kind === 'local' ? 200 : 40),
    );
  });
});
