import { expect, test } from 'vitest';
import { duration } from '../../src/output/duration.ts';

test.each([
  [0, '0 s'],
  [400, '0 s'],
  [59_600, '1 min'],
  [310_000, '5 min 10 s'],
  [3_600_000, '1 h'],
  [5_110_000, '1 h 25 min'],
  [86_400_000, '1 d'],
  [86_405_000, '1 d'],
  [97_200_000, '1 d 3 h'],
  [1e13, '115740 d 17 h'],
])('%d ms are %s', (ms, words) => {
  expect(duration(ms)).toBe(words);
});
