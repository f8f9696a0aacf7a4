// The command as it is shipped, at a real terminal, with the one question that it has always asked. What each answer does is
// tested in test/commands, what each key does in test/prompts.
import { resolve } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';
import { event } from '../rig/sockets.ts';
import { type OpenOptions, open } from '../rig/terminal.ts';

const command = builtCommand();
const { waybill } = commandsOf(command);
const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');
const SHIP = ['ship', '-f', ORDER, '--carrier', 'EXP', '--chargeable-weight', '1'];

let world: World;
/** Called when a request has come; its answer leaves when that is over. */
let beforeAnswer = async () => {};

beforeEach(async () => {
  beforeAnswer = async () => {};
  world = await createWorld({ latency: 1, sleep: () => beforeAnswer() });
  expect((await waybill(world, SHIP).ended).code).toBe(0);
});

/** From now on the service answers only when the test says so; `asked` resolves when a request has come. */
function slow(): { asked: Promise<void>; answer(): void } {
  const [answering, answer] = event();
  onTestFinished(() => answer());
  const [asked, ask] = event();
  beforeAnswer = () => {
    ask();
    return answering;
  };
  return { asked, answer };
}

const shipAgain = ({ env, ...options }: Partial<OpenOptions> = {}, ...more: string[]) =>
  open([command(), ...SHIP, ...more], {
    cwd: world.folder,
    columns: 300,
    ...options,
    env: { ...world.env, ...env },
  });

const booked = () => world.seen.filter(({ path }) => path === '/v1/shipments').length;

test('a booking is waited for on Ctrl-C after a yes, and a signal of another kind leaves it', async () => {
  for (const isLeft of [false, true]) {
    // Neither of them is set.
    const at = shipAgain({ env: { WAYBILL_ACCESSIBLE: '0', NO_COLOR: '' } });
    await at.waitFor('Book another one? (y/N)');
    const { asked, answer } = slow();
    at.type('y');
    at.key('enter');
    await asked;
    at.key('ctrl-c');
    await at.waitFor('a second signal leaves it unknown');
    if (isLeft) at.kill('SIGTERM');
    else answer();
    expect(await at.ended).toMatchObject(isLeft ? { signal: 15 } : { exitCode: 130 });
    answer();
  }
});

test('a booking is recorded if the terminal goes away while it is waited for', async () => {
  const at = shipAgain({}, '--yes', '--allow-duplicate');
  const { asked, answer } = slow();
  await asked;
  at.hangUp();
  answer();
  expect(await at.ended).toEqual({ exitCode: 129, signal: undefined });
  const { stdout } = await waybill(world, 'history list --json --query [].state').ended;
  expect(JSON.parse(stdout)).toEqual(['created', 'created']);
});

test('nothing is booked if stdin is no terminal, and the booking that there is, is named', async () => {
  const at = shipAgain({ redirect: '< /dev/null' });
  expect(await at.ended).toMatchObject({ exitCode: 2 });
  expect(at.screen()).toContain('waybill history show bk_');
  expect(at.raw()).not.toContain('\x1b[?2004h');
  expect(booked()).toBe(1);
});
