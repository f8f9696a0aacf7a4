// waybill connects to the addresses that it is given, and to no other.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines, orders } from '../rig/batch.ts';
import { titled } from '../rig/needs.ts';
import { noPostgres, sharedPlace } from '../rig/postgres.ts';
import { builtCommand, createWorld, QUOTE, stageOf, type World } from '../rig/process.ts';
import { sampled } from '../torture/size.ts';

const command = builtCommand();

/** Runs the commands with a witness in their process; gives what it saw of each of them. */
async function seenOf(world: World, commands: readonly string[], more: Record<string, string> = {}) {
  const { run, folder } = stageOf(command, world);
  writeFileSync(join(folder, 'orders.jsonl'), jsonLines(orders(3)));
  const seen: Record<string, string[]> = {};
  for (const argv of commands) {
    const file = join(folder, `connections-${Object.keys(seen).length}`);
    const { code, stderr } = await run(argv, {
      env: { ...more, CONNECTIONS: file, NODE_OPTIONS: `--require ${resolve('test/rig/connections.cjs')}` },
    }).ended;
    expect([argv, code, stderr]).toEqual([argv, 0, stderr]);
    seen[argv] = existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))].sort() : [];
  }
  return seen;
}

const ALONE = [
  '--version',
  'help environment',
  'ship --help',
  'completion bash',
  'schema ship --example',
  'ship -f order.json --dry-run',
  'batch ship orders.jsonl --dry-run',
  'history list',
  'history check',
  'profile list',
  'profile add shop --base-url https://a.example',
  'profile whoami',
];
const SENDING = [
  QUOTE,
  'rates --from TR --to DE --package 1kg@10x10x10',
  'ship -f order.json --key K --label --download labels',
  'track --key K',
  'batch ship orders.jsonl',
  'webhook create --url https://a.example/hook --event shipment.status.updated --max-retries 1',
];

test('a command that sends nothing makes no connection and looks no name up', async () => {
  const commands = sampled(ALONE, 2);
  const seen = await seenOf(await createWorld(), commands);
  expect(seen).toEqual(Object.fromEntries(commands.map(argv => [argv, []])));
});

test('a command that sends connects to the service only', async () => {
  const world = await createWorld();
  const { host } = new URL(world.address);
  const seen = await seenOf(world, SENDING);
  expect(seen).toEqual(Object.fromEntries(SENDING.map(argv => [argv, [`connect ${host}`]])));
});

test('a service that has a name is looked up by this name only', async () => {
  const world = await createWorld();
  const { port } = new URL(world.address);
  const seen = await seenOf(world, [QUOTE], { WAYBILL_BASE_URL: `http://localhost:${port}` });
  expect(Object.values(seen).flat()).toEqual([
    `connect localhost:${port}`,
    expect.stringMatching(/^look up localhost/),
  ]);
});

test.skipIf(noPostgres)(titled('a shared journal is the only other address', noPostgres), async () => {
  const world = await createWorld();
  const { address } = await sharedPlace();
  const { hostname, port } = new URL(address);
  const seen = await seenOf(world, ['batch ship orders.jsonl'], { WAYBILL_JOURNAL: address });
  expect(Object.values(seen).flat()).toEqual(
    [`connect ${new URL(world.address).host}`, `connect ${hostname}:${port}`].sort(),
  );
});
