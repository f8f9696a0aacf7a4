// What is declared for an order is what the customer paid for what is in the parcel, to the cent.
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { declaredValue, type SoldLine } from '../../src/order/value.ts';
import { runs } from '../torture/size.ts';

const cents = (amount: Big.BigSource) => Big(amount).times(100).round().toNumber();
const euros = (amount: number) => Big(amount).div(100).toFixed(2);
const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0);

/** A line, in cents: `price` of one piece; `off` is at most what it costs. */
const line = fc
  .record({
    quantity: fc.integer({ min: 1, max: 12 }),
    price: fc.integer({ min: 0, max: 30_000 }),
    off: fc.double({ min: 0, max: 1, noNaN: true }),
    kept: fc.double({ min: 0, max: 1, noNaN: true }),
    byPiece: fc.boolean(),
  })
  .map(({ quantity, price, off, kept, byPiece }) => ({
    quantity,
    gross: quantity * price,
    price: byPiece ? { each: euros(price) } : { all: euros(quantity * price) },
    discount: Math.floor(quantity * price * off),
    ships: Math.round(quantity * kept),
  }));

type Line = typeof line extends fc.Arbitrary<infer L> ? L : never;

const lines = fc.array(line, { minLength: 1, maxLength: 9 });
const part = fc.double({ min: 0, max: 1, noNaN: true });

const sold = (all: readonly Line[], isWhole: boolean): SoldLine[] =>
  all.map(({ quantity, price, discount, ships }) => ({
    quantity,
    price,
    discount: euros(discount),
    ships: isWhole ? quantity : ships,
  }));

const worth = (all: readonly Line[]) => sum(all.map(({ gross, discount }) => gross - discount));

const declaredOf = (all: readonly Line[], isWhole: boolean, discount: number) =>
  declaredValue({ lines: sold(all, isWhole), currency: 'EUR', discount: euros(discount) });

const totalsOf = (value: ReturnType<typeof declaredOf>): number[] =>
  value.lines.map(one => cents(one?.totalPrice ?? 0));

test('Whatever the lines, the declared sum is what was paid, to the cent; a discount is spread by value', () => {
  fc.assert(
    fc.property(lines, part, (all, off) => {
      const discount = Math.floor(worth(all) * off);
      const value = declaredOf(all, true, discount);
      expect(cents(value.total)).toBe(worth(all) - discount);
      expect(sum(totalsOf(value))).toBe(cents(value.total));
      expect(value).toMatchObject({ difference: undefined, excess: undefined });
      // What is left of it comes off the largest line; a line of a few cents has no room for what others leave.
      const values = all.map(one => one.gross - one.discount);
      const largest = values.indexOf(Math.max(...values));
      const shares = values.map((own, index) => own - (totalsOf(value)[index] as number));
      const hasRoom = (values[largest] as number) - (shares[largest] as number) > 0;
      for (const [index, own] of values.entries())
        if (index !== largest && hasRoom)
          expect(shares[index]).toBe(Number((BigInt(discount) * BigInt(own)) / BigInt(worth(all))));
    }),
    runs(400),
  );
});

test('Lines that do not ship, and refunded pieces, take their part of the discount with them', () => {
  fc.assert(
    fc.property(lines, part, (all, off) => {
      const discount = Math.floor(worth(all) * off);
      const [whole, value] = [declaredOf(all, true, discount), declaredOf(all, false, discount)];
      const [paid, declared] = [totalsOf(whole), totalsOf(value)];
      for (const [index, { quantity, ships }] of all.entries()) {
        const one = value.lines[index];
        expect(one === undefined).toBe(ships === 0);
        if (one === undefined) continue;
        const apart = (declared[index] as number) * quantity - (paid[index] as number) * ships;
        expect(Math.abs(apart)).toBeLessThanOrEqual(quantity / 2);
        // The price of one piece times the pieces is the total, but for half a cent.
        expect(Math.abs(one.unitPrice * one.quantity - one.totalPrice)).toBeLessThan(0.005);
      }
      expect(sum(declared)).toBe(cents(value.total));
      expect(cents(value.total)).toBeLessThanOrEqual(cents(whole.total));
    }),
    runs(400),
  );
});

test("A shop's own subtotal is what is declared where all pieces ship, and its difference is told", () => {
  const tea = { quantity: 3, price: { each: '10.00' }, ships: 3 };
  const pot = { quantity: 1, price: { each: '25.00' }, ships: 1 };
  expect(declaredValue({ lines: [tea, pot], currency: 'EUR', discount: 5, subtotal: '49.99' })).toEqual({
    lines: [
      { quantity: 3, totalPrice: 27.26, unitPrice: 9.087 },
      { quantity: 1, totalPrice: 22.73, unitPrice: 22.73 },
    ],
    total: 49.99,
    difference: -0.01,
    excess: undefined,
  });
  // Without a discount of its own the subtotal says what it was: no difference.
  expect(declaredValue({ lines: [tea, pot], currency: 'EUR', subtotal: 50 })).toMatchObject({
    total: 50,
    difference: undefined,
  });
  // Of what ships in part, the subtotal tells the discount of all lines.
  const card = { ...pot, ships: 0 };
  expect(declaredValue({ lines: [tea, card], currency: 'EUR', subtotal: 50 })).toMatchObject({
    lines: [{ totalPrice: 27.27 }, undefined],
    total: 27.27,
  });
  // A surcharge is spread alike.
  expect(declaredValue({ lines: [tea, pot], currency: 'EUR', subtotal: 60.5 }).total).toBe(60.5);
});

test('Cents are those of the currency', () => {
  const line = { quantity: 3, price: { all: 1000 }, ships: 3 };
  expect(declaredValue({ lines: [line, line], currency: 'JPY', discount: 333 })).toMatchObject({
    lines: [{ totalPrice: 833 }, { totalPrice: 834 }],
    total: 1667,
  });
  expect(declaredValue({ lines: [line, line], currency: 'KWD', discount: '0.333' }).total).toBe(1999.667);
  const oil = { quantity: 1, price: { each: '1.004' }, ships: 1 };
  expect(declaredValue({ lines: [oil], currency: 'KWD' }).lines).toEqual([
    { quantity: 1, totalPrice: 1.004, unitPrice: 1.004 },
  ]);
});

test.each([
  [3, 1, 0.333],
  [8, 19.99, 2.499],
  [1000, 1, 0.001],
])('unitPrice of %i pieces for %f', (quantity, all, unitPrice) => {
  const [line] = declaredValue({
    lines: [{ quantity, price: { all }, ships: quantity }],
    currency: 'EUR',
  }).lines;
  expect(line?.unitPrice).toBe(unitPrice);
});
