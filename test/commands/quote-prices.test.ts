// Which proposal is chosen, with prices and times that the emulator never gives.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { errorOf, proposing } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const QUOTE = 'quote --from TR --to DE --package 1@1x1x1';

/** The ids that are left of these proposals. */
async function chosen(flags: string, ...proposals: Record<string, unknown>[]): Promise<string[]> {
  const rig = await createRig();
  const { env } = await proposing(...proposals);
  const ran = await rig.run(`${QUOTE} ${flags} -q`, { env });
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran.stdout.trimEnd().split('\n');
}

async function refusal(flags: string, ...proposals: Record<string, unknown>[]): Promise<string> {
  const rig = await createRig();
  const { env } = await proposing(...proposals);
  const ran = await rig.run(`${QUOTE} ${flags} --json`, { env });
  expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4, operation: 'quote' });
  expect(ran.stdout).toBe('');
  return errorOf(ran).message;
}

describe('The cheapest', () => {
  test('is one that has a price', async () => {
    const unpriced = [null, '', 'on request', undefined].map((price, index) => ({ id: `N${index}`, price }));
    expect(await chosen('--cheapest', ...unpriced, { id: 'B', price: 9 })).toEqual(['B']);
    expect(await refusal('--cheapest', ...unpriced)).toContain(
      'the cheapest proposal is not clear, because no price is given that can be read: N0 (',
    );
  });

  test('is not clear across currencies: the message says so', async () => {
    const mixed = [
      { id: 'A', price: 10, currency: 'USD' },
      { id: 'B', price: 11, currency: 'EUR', serviceType: 'economy' },
    ];
    const message = await refusal('--cheapest', ...mixed);
    expect(message).toContain('because the prices are in several currencies');
    expect(message).toContain('A (express, 1-3 days, 10.00 USD)');
    expect(await chosen('--cheapest --service economy', ...mixed)).toEqual(['B']);
    const bare = { id: 'C', price: 1, currency: undefined };
    const partly = await refusal('--cheapest', { id: 'A', price: 2 }, bare);
    expect(partly).toContain('because the prices are partly without a currency');
  });

  test('is none whose text may have a dot between thousands, in a currency without three decimals', async () => {
    const dotted = (price: unknown, currency: string) => ({ id: 'A', price, currency });
    for (const [price, currency, best] of [
      ['1.234', 'EUR', 'B'],
      [1.234, 'EUR', 'A'],
      ['1.234', 'KWD', 'A'],
    ] as const) {
      const proposals = [dotted(price, currency), { id: 'B', price: 9, currency }];
      expect(await chosen('--cheapest', ...proposals)).toEqual([best]);
      expect((await chosen('--sort price', ...proposals))[0]).toBe(best);
    }
  });

  test('costs no more than any valid one that has a price, for any prices', async () => {
    const rig = await createRig();
    const price = fc.oneof(
      fc.integer({ min: 0, max: 10_000 }).map(cents => cents / 100),
      fc.integer({ min: 0, max: 10_000 }).map(cents => (cents / 100).toFixed(2)),
    );
    const proposal = fc.record({ price, isValid: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(proposal, { minLength: 1, maxLength: 6 }), async drawn => {
        const proposals = drawn.map((one, index) => ({ ...one, id: `C${index}` }));
        const valid = proposals.filter(one => one.isValid);
        const { env } = await proposing(...proposals);
        const { stdout, exitCode } = await rig.run(`${QUOTE} --cheapest --json`, { env });
        expect(exitCode).toBe(valid.length === 0 ? 4 : 0);
        if (valid.length === 0) return;
        const [best] = JSON.parse(stdout).proposals;
        expect(best.isValid).toBe(true);
        const prices = valid.map(one => Number(one.price)).filter(price => price > 0);
        expect(Number(best.price)).toBe(prices.length > 0 ? Math.min(...prices) : 0);
      }),
      runs(40),
    );
  });
});

describe('The fastest', () => {
  test('is the one that takes the fewest days at the most', async () => {
    const proposals = [
      { id: 'A', price: 1, deliveryTime: '1-9 days' },
      { id: 'B', price: 2, deliveryTime: '2 - 3 days' },
      { id: 'C', price: 3, deliveryTime: '10 days' },
      { id: 'D', price: 4, deliveryTime: 'soon' },
    ];
    expect(await chosen('--fastest', ...proposals)).toEqual(['B']);
    expect(await chosen('--sort speed', ...proposals)).toEqual(['B', 'A', 'C', 'D']);
  });

  test.each([0, -5, null, '1.234'])('costs %j only if no other proposal has a price', async price => {
    const fast = { id: 'F', price, deliveryTime: '1 day' };
    const slow = { id: 'S', price: 9, deliveryTime: '3 days' };
    expect(await chosen('--fastest', fast, slow)).toEqual(['S']);
    expect(await chosen('--fastest', fast, { ...slow, price: null })).toEqual(['F']);
    // Nobody knows whether S is the fastest.
    expect(await refusal('--fastest', fast, { ...slow, deliveryTime: 'soon' })).toContain('no delivery time');
  });

  test('is not clear without a delivery time, unless there is only one proposal', async () => {
    const untimed = (id: string) => ({ id, price: 1, deliveryTime: 'soon' });
    expect(await refusal('--fastest', untimed('A'), untimed('B'))).toContain(
      'the fastest proposal is not clear',
    );
    expect(await chosen('--fastest', untimed('A'))).toEqual(['A']);
  });
});

test('--sort of no proposals is an empty list: exit 0', async () => {
  const rig = await createRig();
  const { env } = await proposing();
  const ran = await rig.run(`${QUOTE} --sort price --json`, { env });
  expect([ran.exitCode, JSON.parse(ran.stdout).proposals]).toEqual([0, []]);
});

test('--sort price groups by currency', async () => {
  const order = await chosen(
    '--sort price',
    { id: 'A', price: 3, currency: 'USD' },
    { id: 'B', price: 20, currency: 'EUR' },
    { id: 'C', price: '9', currency: 'EUR' },
    { id: 'D', price: 1, currency: 'USD' },
  );
  expect(order).toEqual(['C', 'B', 'D', 'A']);
});

test('prices are shown with the decimals of their currency, 0 too, and nothing the service says reaches the terminal raw', async () => {
  const rig = await createRig();
  const { env } = await proposing(
    { id: 'A', price: 0 },
    { id: 'B', price: '12.5' },
    { id: 'C', price: 1500, currency: 'JPY' },
    { id: 'K', price: 1.2, currency: 'KWD' },
    { id: 'L', price: '12.505' },
    { id: 'M', price: 'ask us' },
    { id: 'D', price: null, name: '\u001b[31mred\u202e' },
  );
  const { stdout } = await rig.run(QUOTE, { env });
  expect(stdout).toMatch(/^A .* 0\.00 EUR {2}yes$/m);
  expect(stdout).toMatch(/^B .* 12\.50 EUR {2}yes$/m);
  expect(stdout).toMatch(/^C .* 1500 JPY {2}yes$/m);
  expect(stdout).toMatch(/^K .* 1\.200 KWD {2}yes$/m);
  expect(stdout).toMatch(/^L .* 12\.505 EUR {2}yes$/m);
  expect(stdout).toMatch(/^M .* ask us EUR {2}yes$/m);
  expect(stdout).toMatch(/^D {8}\[31mred .* - {2}yes$/m);
});
