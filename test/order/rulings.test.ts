// Which rule fits an order, and what is stronger than it: for any rules and any orders.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EU_MEMBERS } from '../../src/contract/countries.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { Failure } from '../../src/errors.ts';
import { boundsIn } from '../../src/order/bounds.ts';
import { choose, isPick } from '../../src/order/carrier-choice.ts';
import type { RuledOptions, RuledOrder } from '../../src/order/order.ts';
import { proposalsIn } from '../../src/order/proposals.ts';
import { type Rule, rulesIn } from '../../src/order/rules.ts';
import { firstThatFits, rulesInForce } from '../../src/order/ruling.ts';

interface Sold {
  country: string | undefined;
  code: string | undefined;
  kilograms: number | undefined;
  value: number | undefined;
  currency: string | undefined;
  sku: string | undefined;
  isOfMarketplace: boolean;
}

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const COUNTRIES = ['DE', 'FR', 'GB', 'US', 'AE'];
const CODES = ['10115', 'BT1 5GS', 'bt7', '99901'];
const SKUS = ['G-1', 'G-2', 'T-1'];

const known = {
  country: fc.constantFrom(...COUNTRIES),
  code: fc.constantFrom(...CODES),
  kilograms: fc.integer({ min: 1, max: 400 }).map(tenths => tenths / 10),
  value: fc.integer({ min: 0, max: 400 }),
  currency: fc.constantFrom('EUR', 'USD'),
  sku: fc.constantFrom(...SKUS),
};
const whole: fc.Arbitrary<Sold> = fc.record({ ...known, isOfMarketplace: fc.boolean() });
const partial: fc.Arbitrary<Sold> = fc.record({
  country: optional(known.country),
  code: optional(known.code),
  kilograms: optional(known.kilograms),
  value: optional(known.value),
  currency: optional(known.currency),
  sku: optional(known.sku),
  isOfMarketplace: fc.boolean(),
});

const orderOf = ({ country, code, kilograms, value, currency, sku, isOfMarketplace }: Sold): RuledOrder => ({
  body: {
    receiver: { address: { zipCode: code, country: { code: country } } },
    packages: [
      { quantity: 1, weight: kilograms },
      { quantity: 2, weight: 0 },
    ],
    customs: { totalGoodsValue: value, currency },
  },
  skus: sku === undefined ? undefined : [sku],
  isOfMarketplace,
});

/** A span whose bounds are in order. */
const span = (most: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: most - 1 }), fc.integer({ min: 1, max: most }), fc.constantFrom(1, 2, 3))
    .map(([least, length, which]) => ({
      ...(which !== 2 && { above: least }),
      ...(which !== 1 && { upTo: least + length }),
    }));
const inBoth = (amount: number | undefined) => amount !== undefined && `${amount}EUR,${amount}USD`;

const conditions = fc.record(
  {
    to: fc.uniqueArray(fc.constantFrom('EU', ...COUNTRIES), { minLength: 1, maxLength: 3 }),
    postalCode: fc.constantFrom('BT*', '10115', '*9*', ['bt 1*', '101*']),
    weightKg: span(30),
    value: span(300).map(({ above, upTo }) => ({
      ...(above !== undefined && { above: inBoth(above) }),
      ...(upTo !== undefined && { upTo: inBoth(upTo) }),
    })),
    sku: fc.constantFrom('G-*', 'T-1', ['G-1', 'T-*']),
    marketplace: fc.boolean(),
  },
  { requiredKeys: [] },
);
type Written = { [K in 'to' | 'postalCode' | 'weightKg' | 'value' | 'sku' | 'marketplace']?: unknown };

/** What a person would say, by the words of the file alone. */
function fitsByHand(written: Written, sold: Required<Sold>): boolean {
  const words = [written].flatMap(({ to }) => (to === undefined ? [] : (to as string[])));
  const like = (text: string | undefined, patterns: unknown) =>
    [patterns].flat().some(pattern => {
      const plain = String(pattern).replaceAll(' ', '').toLowerCase();
      const parts = plain.replace(/[.-]/g, '\\$&').replaceAll('*', '.*');
      return new RegExp(`^${parts}$`).test((text ?? '').replaceAll(' ', '').toLowerCase());
    });
  const amount = (bound: unknown) => Number.parseFloat(String(bound));
  const within = (number: number | undefined, { above, upTo }: { above?: unknown; upTo?: unknown }) =>
    (above === undefined || (number ?? 0) > amount(above)) &&
    (upTo === undefined || (number ?? 0) <= amount(upTo));
  const { country = '' } = sold;
  const isThere = words.includes(country) || (words.includes('EU') && EU_MEMBERS.has(country));
  return (
    (written.to === undefined || isThere) &&
    (written.postalCode === undefined || like(sold.code, written.postalCode)) &&
    (written.weightKg === undefined || within(sold.kilograms, written.weightKg as object)) &&
    (written.value === undefined || within(sold.value, written.value as object)) &&
    (written.sku === undefined || like(sold.sku, written.sku)) &&
    (written.marketplace === undefined || written.marketplace === sold.isOfMarketplace)
  );
}

// biome-ignore lint/suspicious/noThenProperty: the field of the file is called so.
const fileOf = (asked: readonly object[]) => asked.map((one, at) => ({ name: `R${at}`, if: one, then: {} }));
const readable = (asked: readonly object[]): readonly Rule[] => rulesIn(fileOf(asked)).rules;

describe('the first rule that fits', () => {
  test('is the first that a person would say fits, for any rules and any whole order', () => {
    fc.assert(
      fc.property(fc.array(conditions, { minLength: 1, maxLength: 8 }), whole, (asked, sold) => {
        const at = asked.findIndex(one => fitsByHand(one, sold));
        expect(firstThatFits(readable(asked), orderOf(sold))).toEqual({
          rule: at < 0 ? undefined : expect.objectContaining({ name: `R${at}` }),
          problem: undefined,
        });
      }),
    );
  });

  test('stays the same whatever else is told of an order of which it was decided', () => {
    fc.assert(
      fc.property(
        fc.array(conditions, { minLength: 1, maxLength: 6 }),
        partial,
        whole,
        (asked, sold, all) => {
          const rules = readable(asked);
          const before = firstThatFits(rules, orderOf(sold));
          const told = Object.fromEntries(Object.entries(sold).filter(([, value]) => value !== undefined));
          const after = firstThatFits(rules, orderOf({ ...all, ...told }));
          // What was not decided is a problem, and no rule behind that one is asked.
          if (before.problem === undefined) expect(after).toEqual(before);
          else expect(before.rule).toBeDefined();
        },
      ),
    );
  });

  test('a rule that is refused as never reached is reached by no order', () => {
    fc.assert(
      fc.property(fc.array(conditions, { minLength: 2, maxLength: 6 }), whole, (asked, sold) => {
        const { rules, issues } = rulesIn(fileOf(asked));
        const never = issues
          .filter(({ message }) => message.includes('never reached'))
          .map(({ path }) => path);
        const name = firstThatFits(rules, orderOf(sold)).rule?.name;
        expect(never).not.toContain(`rule "${name}"`);
      }),
    );
  });
});

const price = fc.integer({ min: 1, max: 90 }).map(amount => ({ amount: `${amount}`, currency: 'EUR' }));
const options = fc.record(
  {
    maxPrice: price,
    maxDays: fc.integer({ min: 1, max: 9 }),
    service: fc.constantFrom('express', 'economy'),
  },
  { requiredKeys: [] },
);
const choice = fc.record(
  {
    carrier: fc.constantFrom('EXP', 'ECO', 'cheapest', 'fastest'),
    service: fc.constantFrom('express', 'economy'),
    maxPrice: price.map(({ amount, currency }) => amount + currency),
    maxDays: fc.integer({ min: 1, max: 9 }),
    deliveryType: fc.constantFrom('DAP', 'DDP'),
    label: fc.boolean(),
  },
  { requiredKeys: [] },
);
const operation = OPERATIONS.createShipment;

/** What one rule makes of an order, of which the user gives fields and options, and the profile others. */
function ruled(written: object, given: object, typed: RuledOptions, ofProfile: RuledOptions) {
  // biome-ignore lint/suspicious/noThenProperty: the field of the file is called so.
  const { rules } = rulesIn([{ name: 'All', then: written }]);
  return rulesInForce(rules, ofProfile as object).ruleFor(
    { carrier: { id: 'OF-PROFILE' }, deliveryType: 'OF-PROFILE', ...given },
    { operation, layers: { given }, otherOptions: { ...ofProfile, ...typed } },
  );
}

/** The options of the profile that no flag beats. */
const left = (ofProfile: RuledOptions, typed: RuledOptions): RuledOptions =>
  Object.fromEntries(Object.entries(ofProfile).filter(([name]) => !(name in typed)));
const least = (...amounts: (string | number | undefined)[]) => {
  const known = amounts
    .filter(amount => amount !== undefined)
    .map(amount => Number.parseFloat(String(amount)));
  return known.length > 0 ? Math.min(...known) : undefined;
};

describe('what is stronger', () => {
  const gives = fc.record(
    {
      carrier: fc.constantFrom({ id: 'GIVEN' }, { id: 'cheapest' }),
      deliveryType: fc.constantFrom('DAP', 'DDP'),
    },
    { requiredKeys: [] },
  );

  test('a flag or the order beats a rule, a rule the profile, and of two bounds the stricter counts', () => {
    fc.assert(
      fc.property(choice, gives, options, options, (written, given, typed, profile) => {
        const ofProfile = left(profile, typed);
        const { body, options: chosen } = ruled(written, given, typed, ofProfile);
        const carrier = given.carrier?.id ?? written.carrier ?? 'OF-PROFILE';
        const deliveryType = given.deliveryType ?? written.deliveryType ?? 'OF-PROFILE';
        expect(body).toMatchObject({ carrier: { id: carrier }, deliveryType });
        const all = { ...ofProfile, ...typed, ...chosen };
        expect(Number(all.maxPrice?.amount ?? Number.NaN)).toBe(
          least(typed.maxPrice?.amount, written.maxPrice) ?? Number(ofProfile.maxPrice?.amount ?? Number.NaN),
        );
        expect(all.maxDays).toBe(least(typed.maxDays, written.maxDays) ?? ofProfile.maxDays);
        // A carrier that is named is not left out by the service of a rule; cheapest names none.
        const ofRule = given.carrier?.id === 'GIVEN' ? undefined : written.service;
        expect(all.service).toBe(typed.service ?? ofRule ?? ofProfile.service);
      }),
    );
  });

  const proposals = fc
    .array(
      fc.record({
        id: fc.constantFrom('EXP', 'ECO', 'LOW'),
        serviceType: fc.constantFrom('express', 'economy'),
        price: fc.integer({ min: 1, max: 99 }),
        days: fc.integer({ min: 1, max: 9 }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map(offers =>
      proposalsIn({
        proposals: offers.map(({ days, ...offer }) => ({
          ...offer,
          ...{ name: offer.id, isValid: true, currency: 'EUR', deliveryTime: `${days} days` },
        })),
      }),
    );

  test('no rule chooses a proposal above a limit, or outside of any bound', () => {
    fc.assert(
      fc.property(choice, options, price, proposals, (written, typed, limit, offers) => {
        const { body, options: chosen } = ruled(written, {}, typed, {});
        const bounds = boundsIn({ ...typed, ...chosen });
        const { id } = (body as { carrier: { id: string } }).carrier;
        const limits = {
          maxPrice: [limit],
          maxPerDay: undefined,
          perDay: [],
          requireKey: false,
          refused: new Set<never>(),
        };
        try {
          const { proposal } = choose(operation, offers, { ...bounds, limits, carrier: id });
          expect(Number(proposal.price)).toBeLessThanOrEqual(Number(limit.amount));
          expect(Number(proposal.price)).toBeLessThanOrEqual(Number(bounds.maxPrice?.amount ?? 99));
          expect(proposal.days?.[1]).toBeLessThanOrEqual(bounds.maxDays ?? 9);
          if (!isPick(id)) expect(proposal.id).toBe(id);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          expect(['not_found', 'over_budget']).toContain(error.code);
        }
      }),
    );
  });
});
