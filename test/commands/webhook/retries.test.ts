// The retry policy of a subscription in real time: what a receiver that is away loses.
import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';

const CREATE = [
  ...['webhook', 'create', '--url', 'https://shop.example.test/hook'],
  ...['--event', 'shipment.status.updated'],
];

test('is shown, and one that ends within an hour is warned of with the cure', async () => {
  const { run } = await createRig();
  const { exitCode, stdout, stderr, requests } = await run(CREATE);
  expect([exitCode, requests.length]).toEqual([0, 1]);
  expect(stdout).toMatch(/Retries +5, covers 5 min 10 s/);
  expect(stderr).toContain(
    'warning: the retry policy covers 5 min 10 s: an event is lost if the receiver is away for longer; --max-retries 9 covers 1 h 25 min',
  );
});

test.each([
  ['--max-retries 9', '9, covers 1 h 25 min'],
  ['--max-retries 0', '0, covers 0 s'],
  ['--max-retries 13', '13, covers 5 h 25 min'],
  // Each delay is the longest one at the most.
  ['--max-retries 9 --initial-delay-ms 1000 --max-delay-ms 4000', '9, covers 31 s'],
  ['--max-retries 24 --backoff-multiplier 1 --initial-delay-ms 3600000', '24, covers 1 d'],
  ['--max-retries 27 --backoff-multiplier 1 --initial-delay-ms 3600000', '27, covers 1 d 3 h'],
  ['--max-retries 1000000000 --backoff-multiplier 1', '1000000000, covers 115740 d 17 h'],
])('of %s is %s, and one of an hour and more is not warned of', async (options, covers) => {
  const { run } = await createRig();
  const { exitCode, stdout, stderr, requests } = await run([...CREATE, ...options.split(' ')]);
  expect([exitCode, requests.length]).toEqual([0, 1]);
  expect(stdout).toMatch(new RegExp(`Retries +${covers}$`, 'm'));
  expect(stderr.includes('warning')).toBe(/covers \d+ s/.test(covers));
});

test('that no number of retries makes long enough says so', async () => {
  const { run } = await createRig();
  const { exitCode, stderr, requests } = await run([...CREATE, '--initial-delay-ms', '0']);
  expect([exitCode, requests.length]).toEqual([0, 1]);
  expect(stderr).toContain(
    'covers 0 s: an event is lost if the receiver is away for longer; a longer initialDelayMs',
  );
});

test('that is short refuses the subscription with --strict, before anything is sent', async () => {
  const { run } = await createRig();
  const { exitCode, stdout, requests } = await run([...CREATE, '--strict']);
  expect([exitCode, stdout, requests]).toEqual([2, '', []]);
});
