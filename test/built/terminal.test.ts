// The command as it is shipped, at a real terminal, with the one question that it has always asked. What each answer does is
// tested in test/commands, what each key does in test/host.
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { event } from '../rig/sockets.ts';
import { open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');
const SHIP = ['ship', '-f', ORDER, '--carrier', 'EXP', '--chargeable-weight', '1'];

/** A shipment that is booked once more on a terminal. The service answers its request only when the test says so. */
async function shipAgain(...more: string[]) {
  const [asked, ask] = event();
  const [answering, answer] = event();
  let isFirst = true;
  const sleep = async () => {
    if (isFirst) return;
    ask();
    await answering;
  };
  const world = await createWorld({ latency: 1, sleep });
  // Before the world ends, which waits for it.
  onTestFinished(answer);
  expect((await waybill(world, SHIP).ended).code).toBe(0);
  isFirst = false;
  // Neither of them is set.
  const env = { ...world.env, WAYBILL_ACCESSIBLE: '0', NO_COLOR: '' };
  const at = open([command(), ...SHIP, ...more], { cwd: world.folder, columns: 300, env });
  return { world, at, asked, answer };
}

test.each([
  ['waits for a booking', 'answered', { exitCode: 130 }],
  ['and a signal of another kind leave a booking', 'left', { signal: 15 }],
])('Ctrl-C after a yes %s', async (_, how, end) => {
  const { at, asked, answer } = await shipAgain();
  await at.waitFor('Book another one? (y/N)');
  at.type('y');
  at.key('enter');
  await asked;
  at.key('ctrl-c');
  await at.waitFor('a second signal leaves it unknown');
  if (how === 'left') at.kill('SIGTERM');
  else answer();
  expect(await at.ended).toMatchObject(end);
});

test('a booking is recorded if the terminal goes away while it is waited for', async () => {
  const { world, at, asked, answer } = await shipAgain('--yes', '--allow-duplicate');
  await asked;
  await at.hangUp();
  answer();
  expect(await at.ended).toEqual({ exitCode: 129, signal: undefined });
  const { stdout } = await waybill(world, 'history list --json --query [].state').ended;
  expect(JSON.parse(stdout)).toEqual(['created', 'created']);
});
