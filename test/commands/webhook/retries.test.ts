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

test('of an hour and more is not warned of', async () => {
  const { run } = await createRig();
  const { exitCode, stdout, stderr, requests } = await run([...CREATE, '--max-retries', '9']);
  expect([exitCode, requests.length]).toEqual([0, 1]);
  expect(stdout).toMatch(/Retries +9, covers 1 h 25 min/);
  expect(stderr).not.toContain('warning');
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
