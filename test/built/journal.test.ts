// Real processes and real kills: what the journal promises, counted at the service.
import { describe, expect, test } from 'vitest';
import { builtCommand, createWorld, start, type World } from './rig.ts';

const command = builtCommand();
const ORDER = new URL('../../fixtures/orders/shirt.json', import.meta.url).pathname;

const waybill = (world: World, ...argv: string[]) =>
  start(process.execPath, [command(), ...argv], { env: world.env, cwd: world.folder });

const ship = (world: World, key: string) => waybill(world, 'ship', '-f', ORDER, '--key', key, '-q');

const bookings = (world: World) => world.seen.filter(({ path }) => path === '/v1/shipments');

describe('eight processes', () => {
  test('with one key book once and print the same id', async () => {
    const world = await createWorld();
    const ran = await Promise.all(Array.from({ length: 8 }, () => ship(world, 'ONE').ended));
    expect(ran.map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(1);
    expect(bookings(world)).toHaveLength(1);
  });

  test('with keys of their own book them all', async () => {
    const world = await createWorld();
    const ran = await Promise.all(Array.from({ length: 8 }, (_, n) => ship(world, `K${n}`).ended));
    expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(8);
    expect(bookings(world)).toHaveLength(8);
  });
});

test('a process that is killed while its booking is under way leaves it unknown, and it is never sent again', async () => {
  let ask = () => {};
  const asked = new Promise<void>(done => {
    ask = done;
  });
  let answer = () => {};
  const answering = new Promise<void>(done => {
    answer = done;
  });
  const world = await createWorld({
    latency: 1,
    sleep: () => {
      ask();
      return answering;
    },
  });
  const { child, ended } = ship(world, 'K');
  await asked;
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL', stdout: '' });
  answer();
  const again = await ship(world, 'K').ended;
  expect(again).toMatchObject({ code: 8, stdout: '' });
  expect(again.stderr).toMatch(/waybill history resolve bk_\w+ --not-created/);
  expect(bookings(world).length).toBeLessThanOrEqual(1);
  expect(
    (await waybill(world, 'history', 'list', '--state', 'unknown', '--query', '[].key').ended).stdout,
  ).toContain('K');
});

test('killed at any moment and run again, a key is booked once at the most, and no doubt is silent', async () => {
  const world = await createWorld();
  for (let round = 0; round < 12; round += 1) {
    const key = `R${round}`;
    const { child, ended } = ship(world, key);
    const before = bookings(world).length;
    // From before the start to after the end of such a command.
    await new Promise(done => setTimeout(done, 40 + round * 25));
    child.kill('SIGKILL');
    await ended;
    const again = await ship(world, key).ended;
    expect([0, 8]).toContain(again.code);
    expect(bookings(world).length - before).toBeLessThanOrEqual(1);
    if (again.code === 0) expect(again.stdout).toMatch(/^shp_/);
  }
});
