// Proposals at a terminal: what is compared with bars, and what is not.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { proposing } from '../rig/service.ts';

const QUOTE = 'quote --from TR --to DE --package 1@1x1x1';
const UTF8 = { LANG: 'en_US.UTF-8', NO_COLOR: '1' };

type Proposals = readonly Record<string, unknown>[];

/** What a terminal of that many columns shows of these proposals, without the weight; `undefined`: a pipe. */
async function seen(
  proposals: Proposals,
  columns: number | undefined,
  env: Record<string, string> = {},
): Promise<string> {
  const rig = await createRig();
  const service = await proposing(...proposals);
  const ran = await rig.run(QUOTE, {
    ...(columns !== undefined && { terminal: true, columns }),
    env: { ...service.env, ...UTF8, ...env },
  });
  expect(ran.exitCode, ran.stderr).toBe(0);
  return ran.stdout.replace('\n\nChargeable weight: 5 kg\n', '');
}

const SLOW = { id: 'ECO', name: 'Slow', serviceType: 'economy', price: 10, deliveryTime: '5-7 days' };
const FAST = { id: 'EXP', name: 'Fast', price: '20.00', deliveryTime: '1-3 days' };
const BAD = { id: 'BAD', name: 'Bad', price: 1, isValid: false };
const ASKED = { id: 'ASK', name: 'Asked', price: null, deliveryTime: 'on request' };
const ALL = [SLOW, FAST, BAD, ASKED];

describe('Proposals at a terminal', () => {
  test('have bars for days and price, and the best of each is named', async () => {
    expect(await seen(ALL, 80)).toBe(
      [
        'CARRIER  NAME   SERVICE  DELIVERY                   PRICE',
        'ECO      Slow   economy  5-7 days    ······███  10.00 EUR  █████      cheapest',
        'EXP      Fast   express  1-3 days    ·███       20.00 EUR  █████████  fastest',
        'BAD      Bad    express  1-3 days                1.00 EUR             not valid',
        'ASK      Asked  express  on request                     -',
      ].join('\n'),
    );
  });

  test('are a list if bars side by side would be too short', async () => {
    expect(await seen(ALL, 40)).toBe(
      [
        'ECO: Slow, economy (cheapest)',
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

  test('are what a pipe gets on a dumb terminal, and for a screen reader', async () => {
    const piped = await seen(ALL, undefined);
    expect(piped).not.toMatch(/█|cheapest/);
    for (const env of [{ TERM: 'dumb' }, { WAYBILL_ACCESSIBLE: '1' }])
      expect(await seen(ALL, 100, env)).toBe(piped);
    expect(await seen(ALL, undefined, { FORCE_COLOR: '1', NO_COLOR: '' })).not.toMatch(/█|cheapest/);
  });
});

test('Not compared are prices in several currencies, with a sentence about it', async () => {
  const shown = await seen([SLOW, { ...FAST, currency: 'USD' }], 80);
  expect(shown).toContain('  10.00 EUR\n');
  expect(shown).toMatch(/ ·+█+ {2,}20\.00 USD {2}fastest/);
  expect(shown).not.toContain('cheapest');
  expect(shown).toMatch(/\n\nPrices in several currencies are not compared\.$/);
});
