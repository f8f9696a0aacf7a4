import { expect, test } from 'vitest';
import { ALPHA3, COUNTRIES, EU_MEMBERS } from '../../src/contract/countries.ts';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { DIALLING_CODES } from '../../src/contract/dialling.ts';

interface DataScript {
  countries: string[];
  euMembers: string[];
  currencies(): Record<string, number>;
  diallingCodes: Record<string, string>;
  alpha3: string[];
}

test('the lists are those that `npm run data` writes today', async () => {
  // An import of the script writes nothing.
  const script: DataScript = await import(new URL('../../scripts/data.mjs', import.meta.url).href);
  expect([...COUNTRIES]).toEqual(script.countries);
  expect([...EU_MEMBERS]).toEqual(script.euMembers);
  expect(Object.fromEntries(CURRENCIES)).toEqual(script.currencies());
  expect(Object.fromEntries(DIALLING_CODES)).toEqual(script.diallingCodes);
  expect(ALPHA3).toBe(script.alpha3.join(' '));
});

test('they have what people ship to and pay with, and no code that people only write', () => {
  expect([COUNTRIES.size, EU_MEMBERS.size]).toEqual([250, 27]);
  for (const code of ['TR', 'DE', 'GB', 'SA', 'US', 'XK', 'TW', 'AX']) expect(COUNTRIES).toContain(code);
  for (const code of ['UK', 'EU', 'EL', 'XI', 'AN', 'SU', 'ZZ', '']) expect(COUNTRIES).not.toContain(code);
  for (const code of ['GB', 'CH', 'NO', 'TR', 'IS', 'MC', 'XK']) expect(EU_MEMBERS).not.toContain(code);
  const decimals = ['EUR', 'USD', 'GBP', 'TRY', 'SAR', 'JPY', 'KWD'].map(code => CURRENCIES.get(code));
  expect(decimals).toEqual([2, 2, 2, 2, 2, 0, 3]);
  for (const code of ['DEM', 'XAU', 'XXX', 'BTC']) expect(CURRENCIES.has(code)).toBe(false);
  const dialled = ['DE', 'TR', 'GB', 'US', 'SA', 'AE', 'XK'].map(code => DIALLING_CODES.get(code));
  expect(dialled).toEqual(['+49', '+90', '+44', '+1', '+966', '+971', '+383']);
});
