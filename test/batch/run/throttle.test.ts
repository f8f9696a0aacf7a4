import { expect, test } from 'vitest';
import { createThrottle } from '../../../src/batch/run/throttle.ts';

/** Waits that end when the test says so. */
function patience() {
  const waits: { ms: number; end(): void }[] = [];
  const sleep = (ms: number) =>
    new Promise<void>(resolve => {
      waits.push({ ms, end: resolve });
    });
  return { waits, host: { sleep, interrupted: new AbortController().signal } };
}

const settled = () => new Promise(setImmediate);

test('without a rate everybody may start at once', async () => {
  const { waits, host } = patience();
  const pace = createThrottle(undefined, host);
  await Promise.all([pace.turn(), pace.turn(), pace.turn()]);
  expect(waits).toEqual([]);
});

test('with a rate one starts after the other, that long apart', async () => {
  const { waits, host } = patience();
  const pace = createThrottle(4, host);
  let started = 0;
  for (let turn = 0; turn < 3; turn += 1) void pace.turn().then(() => (started += 1));
  for (const expected of [1, 2, 3]) {
    await settled();
    expect(started).toBe(expected);
    expect(waits.at(-1)?.ms).toBe(250);
    waits.at(-1)?.end();
  }
});

test('a pause holds everybody, and a second one while it lasts holds them longer', async () => {
  const { waits, host } = patience();
  const pace = createThrottle(undefined, host);
  pace.pause(60_000);
  let started = 0;
  void pace.turn().then(() => (started += 1));
  void pace.turn().then(() => (started += 1));
  await settled();
  pace.pause(1000);
  waits[0]?.end();
  await settled();
  expect(started).toBe(0);
  waits[1]?.end();
  await settled();
  expect(started).toBe(2);
});
