import { expect, test } from 'vitest';
import { inSteps } from '../../src/journal/in-steps.ts';

/** The sizes of the steps over `all` bookings, of which each takes `msOf(step)`; and after which steps there was a pause. */
async function steps(all: number, msOf: (step: number) => number) {
  const sizes: number[] = [];
  const pauses: number[] = [];
  let now = 0;
  let done = 0;
  await inSteps({ monotonic: () => now, pause: async () => void pauses.push(sizes.length) }, async count => {
    now += count * msOf(sizes.length);
    sizes.push(count);
    done += count;
    return done < all;
  });
  return { sizes, pauses };
}

test('steps grow on a quick disk, up to what fits into memory, with a pause after each', async () => {
  const { sizes, pauses } = await steps(10_000, () => 0.05);
  expect(sizes).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000]);
  expect(pauses).toEqual([4, 5, 6, 7, 8]);
});

test('a disk that becomes slow gets steps that hold the lock for a moment, and at least one booking each', async () => {
  const { sizes } = await steps(5000, step => (step < 4 ? 0.01 : 5));
  expect(sizes.slice(0, 7)).toEqual([100, 200, 400, 800, 1600, 30, 30]);
  expect((await steps(103, () => 10_000)).sizes).toEqual([100, 1, 1, 1]);
});

test('steps that take no time, because nothing is to be done, share a pause', async () => {
  expect((await steps(30_000, () => 0.005)).pauses).toEqual([8, 12, 16]);
});
