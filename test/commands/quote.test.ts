// Proposals and rates: how they are shown, and which one is chosen, with prices and times that the emulator never gives.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { errorOf, proposing } from '../rig/service.ts';
import { runs } from '../torture/size.ts';

const PARCEL = '--from TR --to DE --package 2x1.5kg@30x20x10cm';
const QUOTE = `quote ${PARCEL}`;

type Proposals = readonly Record<string, unknown>[];

async function quoted(flags: string, ...proposals: Proposals) {
  const rig = await createRig();
  const { env } = await proposing(...proposals);
  return rig.run(`${QUOTE} ${flags}`, { env });
}

/** The ids that are left of these proposals. */
async function chosen(flags: string, ...proposals: Proposals): Promise<string[]> {
  const ran = await quoted(`${flags} -q`, ...proposals);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran.stdout.trimEnd().split('\n');
}

async function refusal(flags: string, ...proposals: Proposals): Promise<string> {
  const ran = await quoted(`${flags} --json`, ...proposals);
  expect(errorOf(ran)).toMatchObject({ code: 'not_found', exitCode: 4, operation: 'quote' });
  expect(ran.stdout).toBe('');
  return errorOf(ran).message;
}

describe('A pipe gets a table', () => {
  test('of proposals and of rates, for which no credential is sent', async () => {
    const rig = await createRig();
    expect((await rig.run(QUOTE)).stdout).toBe(
      [
        'CARRIER  NAME              SERVICE  DELIVERY      PRICE  VALID',
        'ECO      Emulated Economy  economy  5-7 days  19.10 EUR  yes, needs an IOSS number',
        'EXP      Emulated Express  express  1-3 days  37.70 EUR  yes',
        '',
        'Chargeable weight: 3 kg',
        '',
      ].join('\n'),
    );
    const rates = await rig.run(`rates ${PARCEL}`, { env: { WAYBILL_TOKEN: '' } });
    expect(rates.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(rates.stdout).toBe(
      [
        'COMPANY      NAME              SERVICE  DELIVERY      PRICE',
        'company-101  Emulated Economy  Economy  5-7 days  19.10 EUR',
        'company-102  Emulated Express  Express  1-3 days  37.70 EUR',
        '',
      ].join('\n'),
    );
  });

  test('with prices in the decimals of their currency, 0 too, and nothing that a terminal obeys', async () => {
    const { stdout } = await quoted(
      '',
      { id: 'A', price: 0 },
      { id: 'B', price: '12.5' },
      { id: 'C', price: 1500, currency: 'JPY' },
      { id: 'K', price: 1.2, currency: 'KWD' },
      { id: 'L', price: '12.505' },
      { id: 'M', price: 'ask us' },
      { id: 'D', price: null, name: '\u001b[31mred\u202e' },
    );
    const rows = stdout.split('\n').slice(1, 8);
    expect(rows.map(row => row.split(/ {2,}/).slice(-2))).toEqual(
      ['0.00 EUR', '12.50 EUR', '1500 JPY', '1.200 KWD', '12.505 EUR', 'ask us EUR', '-'].map(price => [
        price,
        'yes',
      ]),
    );
    expect(rows[6]).toMatch(/^D {8}\[31mred /);
  });
});

describe('A carrier that needs a customs number is marked in its row, and told beside the table,', () => {
  const NEED = (path: string) =>
    `ECO: ${path} is required for the economy carrier to .*; an order without it gets another carrier by \`--carrier cheapest\``;
  test.each([
    ['DE', '', NEED('customs.iossNumber')],
    ['GB', '', NEED('customs.marketplaceNumber')],
    ['US', '', undefined],
    ['DE', '--json', undefined],
    ['DE', '-q', undefined],
  ])('to %s with %j', async (country, flags, note) => {
    const rig = await createRig();
    const ran = await rig.run(`quote --from TR --to ${country} --package 1kg@30x20x10cm ${flags}`);
    expect(ran.exitCode).toBe(0);
    if (note === undefined) expect(ran.stderr + ran.stdout).not.toMatch(/ECO:|needs an? /);
    else {
      expect(ran.stderr).toMatch(new RegExp(note));
      expect(ran.stdout).toMatch(/^ECO .*yes, needs an? (IOSS|marketplace) number$/m);
    }
  });

  test('but not where the profile has the number', async () => {
    const rig = await shopRig({ iossNumber: 'IM2760000742' });
    expect((await rig.run(QUOTE)).stderr).not.toContain('ECO');
  });
});

describe('The cheapest', () => {
  test('is one that has a price and an id that can be read', async () => {
    const unpriced = [null, '', 'on request', undefined].map((price, index) => ({ id: `N${index}`, price }));
    expect(await chosen('--cheapest', ...unpriced, { id: 'B', price: 9 })).toEqual(['B']);
    expect(await refusal('--cheapest', ...unpriced)).toContain('no price can be read: N0 (');
    const unnamed = [null, ' ', {}, 1.5].map(id => ({ id, price: 1 }));
    expect(await chosen('--cheapest', ...unnamed, { id: 17, price: 9 })).toEqual(['17']);
    expect(await refusal('--cheapest', ...unnamed)).toContain('not valid: its id is null');
  });

  test('is not clear across currencies: the message says so', async () => {
    const mixed = [
      { id: 'A', price: 10, currency: 'USD' },
      { id: 'B', price: 11, currency: 'EUR', serviceType: 'economy' },
    ];
    const message = await refusal('--cheapest', ...mixed);
    expect(message).toMatch(/the prices are in several currencies.*A \(express, 1-3 days, 10\.00 USD\)/);
    expect(await chosen('--cheapest --service economy', ...mixed)).toEqual(['B']);
    const bare = { id: 'C', price: 1, currency: undefined };
    expect(await refusal('--cheapest', { id: 'A', price: 2 }, bare)).toContain('partly without a currency');
  });

  test.each([
    ['1.234', 'EUR', 'B'],
    [1.234, 'EUR', 'A'],
    ['1.234', 'KWD', 'A'],
  ])('is none whose price may have a dot between thousands: %j %s, %s', async (price, currency, best) => {
    const proposals = [
      { id: 'A', price, currency },
      { id: 'B', price: 9, currency },
    ];
    expect(await chosen('--cheapest', ...proposals)).toEqual([best]);
    expect((await chosen('--sort price', ...proposals))[0]).toBe(best);
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
        const proposals = drawn.map((fields, index) => ({ ...fields, id: `C${index}` }));
        const valid = proposals.filter(({ isValid }) => isValid);
        const { env } = await proposing(...proposals);
        const { stdout, exitCode } = await rig.run(`${QUOTE} --cheapest --json`, { env });
        expect(exitCode).toBe(valid.length === 0 ? 4 : 0);
        if (valid.length === 0) return;
        const [best] = JSON.parse(stdout).proposals;
        expect(best.isValid).toBe(true);
        const prices = valid.map(fields => Number(fields.price)).filter(amount => amount > 0);
        expect(Number(best.price)).toBe(prices.length > 0 ? Math.min(...prices) : 0);
      }),
      runs(40),
    );
  });
});

describe('The fastest', () => {
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
    expect(await refusal('--fastest', untimed('A'), untimed('B'))).toContain('is not clear');
    expect(await chosen('--fastest', untimed('A'))).toEqual(['A']);
  });
});

describe('A terminal gets proposals', () => {
  const UTF8 = { LANG: 'en_US.UTF-8', NO_COLOR: '1' };
  const SLOW = { id: 'ECO', name: 'Slow', serviceType: 'economy', price: 10, deliveryTime: '5-7 days' };
  const FAST = { id: 'EXP', name: 'Fast', price: '20.00', deliveryTime: '1-3 days' };
  const BAD = { id: 'BAD', name: 'Bad', price: 1, isValid: false };
  const ALL = [SLOW, FAST, BAD, { id: 'ASK', name: 'Asked', price: null, deliveryTime: 'on request' }];

  /** What a terminal of that many columns shows, without the weight; `undefined`: a pipe. */
  async function seen(columns: number | undefined, proposals: Proposals = ALL, env = {}): Promise<string> {
    const rig = await createRig();
    const service = await proposing(...proposals);
    const ran = await rig.run(QUOTE, {
      ...(columns !== undefined && { terminal: true, columns }),
      env: { ...service.env, ...UTF8, ...env },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    return ran.stdout.replace('\n\nChargeable weight: 5 kg\n', '');
  }

  test('with bars for days and price, and the best of each is named', async () => {
    expect(await seen(80)).toBe(
      [
        'CARRIER  NAME   SERVICE  DELIVERY                   PRICE',
        'ECO      Slow   economy  5-7 days    ······███  10.00 EUR  █████      cheapest *',
        'EXP      Fast   express  1-3 days    ·███       20.00 EUR  █████████  fastest',
        'BAD      Bad    express  1-3 days                1.00 EUR             not valid',
        'ASK      Asked  express  on request                     -',
        '',
        '* needs an IOSS number',
      ].join('\n'),
    );
  });

  test('as a list if bars side by side would be too short', async () => {
    expect(await seen(40)).toBe(
      [
        'ECO: Slow, economy (cheapest, needs an',
        'IOSS number)',
        '  5-7 days    ···················███████',
        '  10.00 EUR   █████████████',
        '',
        'EXP: Fast, express (fastest)',
        '  1-3 days    ····███████',
        '  20.00 EUR   ██████████████████████████',
        '',
        'BAD: Bad, express (not valid)',
        '  1-3 days',
        '  1.00 EUR',
        '',
        'ASK: Asked, express',
        '  on request',
        '  -',
      ].join('\n'),
    );
  });

  test('as a pipe gets them if it is a dumb one, and for a screen reader', async () => {
    const piped = await seen(undefined);
    expect(piped).not.toMatch(/█|cheapest/);
    for (const env of [{ TERM: 'dumb' }, { WAYBILL_ACCESSIBLE: '1' }])
      expect(await seen(100, ALL, env)).toBe(piped);
    expect(await seen(undefined, ALL, { FORCE_COLOR: '1', NO_COLOR: '' })).not.toMatch(/█|cheapest/);
  });

  test('whose prices in several currencies are not compared, with a sentence about it', async () => {
    const shown = await seen(80, [SLOW, { ...FAST, currency: 'USD' }]);
    expect(shown).toContain('  10.00 EUR  needs an IOSS number\n');
    expect(shown).toMatch(/ ·+█+ {2,}20\.00 USD {2}fastest/);
    expect(shown).not.toContain('cheapest');
    expect(shown).toMatch(/\n\nPrices in several currencies are not compared\.$/);
  });
});
