// A job of GitHub that is cancelled: the process of its step gets SIGINT, after 7.5 s SIGTERM, and after 2.5 s more SIGKILL.
// The steps are those of the documents.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonLines, orders } from '../rig/batch.ts';
import { titled } from '../rig/needs.ts';
import { builtCommand, commandsOf, createWorld, start, type World } from '../rig/process.ts';
import { event } from '../rig/sockets.ts';
import { FULL, notFull } from './size.ts';
import { endedAfter } from './stage.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);

const STEPS = [...readFileSync('docs/scripts.md', 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
  .flatMap(([, text = '']) => [...text.matchAll(/^ *(?:- )?run: .*(?:\n {10,}.*)*/gm)])
  .map(([step]) => (parse(step.trim().replace(/^- /, '')) as { run: string }).run)
  .filter(run => run.includes('waybill batch'));

test('each step of the documents that books gets the signals of its runner', () => {
  expect(STEPS.length).toBeGreaterThan(0);
  expect(STEPS.filter(run => !run.startsWith('exec waybill '))).toEqual([]);
});

interface Slow extends World {
  /** A booking is in flight. */
  asked: Promise<void>;
}

/** A world whose service takes that long for an answer, with more orders than are in flight at one time. */
async function slowWorld(latency: number): Promise<Slow> {
  const [asked, ask] = event();
  let requests = 0;
  const sleep = async (ms: number) => {
    requests += 1;
    // Each of the four records in flight asks for proposals first, because a step has a bound or no carrier.
    if (requests > 4) ask();
    await delay(ms);
  };
  const world = await createWorld({ latency, sleep });
  writeFileSync(join(world.folder, 'orders.csv'), jsonLines(orders(12)));
  mkdirSync(join(world.folder, 'programs'));
  symlinkSync(command(), join(world.folder, 'programs', 'waybill'));
  const PATH = `${join(world.folder, 'programs')}:${world.env.PATH}`;
  return { ...world, asked, env: { ...world.env, PATH } };
}

/** Runs the step as a runner does, and cancels the job when requests are in flight. `patience`: how many times as long it waits. */
async function cancelled(world: Slow, run: string, patience: number) {
  const script = join(world.folder, 'step.sh');
  // The orders of the test are JSON lines, whose carrier is their own.
  writeFileSync(script, run.replace('orders.csv', 'orders.csv --format jsonl').replace(/ --carrier \w+/, ''));
  const step = start('bash', ['-e', script], { env: world.env, cwd: world.folder });
  await world.asked;
  step.child.kill('SIGINT');
  void endedAfter(step, 7500 * patience, 'SIGTERM');
  return endedAfter(step, 10_000 * patience);
}

const statesIn = async (world: World) => {
  const { stdout } = await waybill(world, 'history list --json').ended;
  return (JSON.parse(stdout) as { state: string }[]).map(({ state }) => state);
};

/** A record that was claimed when the signal came was not sent. */
function expectOnly(state: string, states: readonly string[]): void {
  expect(states).toContain(state);
  expect(states.filter(one => ![state, 'not_sent'].includes(one))).toEqual([]);
}

test.each(FULL ? STEPS : STEPS.slice(0, 1))(
  '`%s` leaves nothing unknown if its answers come in time',
  async run => {
    const world = await slowWorld(FULL ? 2000 : 500);
    const { code, stderr } = await cancelled(world, run, 20);
    expect([code, stderr]).toEqual([130, expect.stringContaining('stopped by SIGINT')]);
    const states = await statesIn(world);
    expectOnly('created', states);
    // Each booking was answered, and is recorded.
    const booked = world.seen.filter(({ path }) => path === '/v1/shipments');
    const created = states.filter(state => state === 'created');
    expect(booked.map(({ answered }) => answered)).toEqual(created.map(() => 201));
  },
);

test.skipIf(notFull)(
  titled('a service that needs longer than the runner waits leaves what was in flight unknown', notFull),
  async () => {
    const world = await slowWorld(12_000);
    const { signal } = await cancelled(world, STEPS[0] ?? '', 1);
    expect(signal).toBe('SIGTERM');
    const states = await statesIn(world);
    expectOnly('unknown', states);
  },
);
