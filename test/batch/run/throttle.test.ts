import { expect, test } from 'vitest';
import { createThrottle } from '../../../src/batch/run/throttle.ts';

/** Waits that the test ends. */
function patience() {
  const waits: { ms: number; end(): void }[] = [];
  const sleep = (ms: number) =>
    new Promise<void>(resolve => {
      waits.push({ ms, end: resolve });
    });
  return { waits, host: { sleep, interrupted: new AbortController().signal } };
}

const settled = () => new Promise(setImmediate);

test('without a rate all records may start at once', async () => {
  const { waits, host } = patience();
  const pace = createThrottle(undefined, host);
  await Promise.all([pace.turn(), pace.turn(), pace.turn()]);
  expect(waits).toEqual([]);
});

test('with a rate records start one after the other, at that interval', async () => {
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

test('a pause holds back all records, and a second pause during it holds them back longer', async () => {
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
