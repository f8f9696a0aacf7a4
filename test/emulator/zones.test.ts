import { expect, test } from 'vitest';
import { COUNTRIES } from '../../src/contract/countries.ts';
import { ZONES, zoneOf } from '../../src/emulator/zones.ts';

test('no country is unknown or in two zones', () => {
  const listed = ZONES.flatMap(({ countries }) => countries);
  expect(listed.filter(country => !COUNTRIES.has(country))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
});

test('Germany has the base price', () => expect(zoneOf('DE').percent).toBe(100));
