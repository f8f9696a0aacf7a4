// The command as it is shipped, at a real terminal, with the one question that it has always asked.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { builtCommand, createWorld, start, type World } from '../rig/process.ts';
import { event } from '../rig/sockets.ts';
import { type OpenOptions, open } from '../rig/terminal.ts';
import { sampled } from '../torture/size.ts';

const command = builtCommand();
const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');
const SHIP = ['ship', '-f', ORDER, '--carrier', 'EXP', '--chargeable-weight', '1'];
const PLAIN = 'Book another one? [y/N]';
const DRAWN = 'Book another one? (y/N)';

let world: World;
/** Called when a request has come; its answer leaves when that is over. */
let beforeAnswer = async () => {};

beforeEach(async () => {
  beforeAnswer = async () => {};
  world = await createWorld({ latency: 1, sleep: () => beforeAnswer() });
  const first = start(process.execPath, [command(), ...SHIP], { env: world.env, cwd: world.folder });
  expect((await first.ended).code).toBe(0);
});

/** From now on the service answers only when the test says so; `asked` resolves when a request has come. */
function slow(): { asked: Promise<void>; answer(): void } {
  const [answering, answer] = event();
  onTestFinished(() => answer());
  const asked = new Promise<void>(done => {
    beforeAnswer = () => {
      done();
      return answering;
    };
  });
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

describe('a second shipment of the same input', () => {
  test('is booked after a yes', async () => {
    // Neither of them is set.
    const at = shipAgain({ env: { WAYBILL_ACCESSIBLE: '0', NO_COLOR: '' } });
    await at.waitFor(DRAWN);
    at.type('y');
    at.key('enter');
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(at.screen()).toContain('Book another one? Yes');
    expect(booked()).toBe(2);
  });

  test.each(sampled(['enter', 'ctrl-c', 'esc', 'ctrl-d'] as const, 2))(
    'is not booked after %s',
    async key => {
      const at = shipAgain();
      await at.waitFor(DRAWN);
      at.key(key);
      expect(await at.ended).toMatchObject({ exitCode: 2 });
      expect(at.screen()).toContain('nothing was sent');
      expect(booked()).toBe(1);
    },
  );

  test('is not booked after a SIGTERM, and the error names the signal', async () => {
    const at = shipAgain();
    await at.waitFor(DRAWN);
    at.kill('SIGTERM');
    expect(await at.ended).toMatchObject({ exitCode: 143 });
    expect(at.screen()).toContain('stopped by SIGTERM');
    expect(booked()).toBe(1);
  });

  test('is waited for on Ctrl-C after a yes', async () => {
    const at = shipAgain();
    await at.waitFor(DRAWN);
    const { asked, answer } = slow();
    at.type('y');
    at.key('enter');
    await asked;
    at.key('ctrl-c');
    await at.waitFor('a second signal leaves it unknown');
    answer();
    expect(await at.ended).toMatchObject({ exitCode: 130 });
  });

  test('is recorded if the terminal goes away while it is waited for', async () => {
    const at = shipAgain({}, '--yes', '--allow-duplicate');
    const { asked, answer } = slow();
    await asked;
    at.hangUp();
    answer();
    expect(await at.ended).toEqual({ exitCode: 129, signal: undefined });
    const list = ['history', 'list', '--json', '--query', '[].state'];
    const { stdout } = await start(process.execPath, [command(), ...list], { env: world.env }).ended;
    expect(JSON.parse(stdout)).toEqual(['created', 'created']);
  });

  test('is asked for on the terminal if stdout is a file, which gets only the result', async () => {
    const stdoutToFile = join(world.folder, 'out.json');
    const at = shipAgain({ stdoutToFile }, '--json');
    await at.waitFor(DRAWN);
    at.type('y');
    at.key('enter');
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(stdoutToFile, 'utf8')).id).toMatch(/./);
    expect(at.screen()).not.toContain('"createdAt"');
  });

  test.each(['< /dev/null', '<&-'])('is refused without a question if stdin is %s', async redirect => {
    const at = shipAgain({ redirect });
    expect(await at.ended).toMatchObject({ exitCode: 2 });
    expect(at.screen()).toContain('waybill history show bk_');
    expect(at.screen()).not.toContain('Book another one?');
    expect(at.raw()).not.toContain('\x1b[?2004h');
    expect(booked()).toBe(1);
  });

  const PLAINLY: [Record<string, string>, string[]][] = [
    [{ TERM: 'dumb' }, []],
    [{ NO_COLOR: '1' }, []],
    [{ WAYBILL_ACCESSIBLE: '1' }, []],
    [{}, ['--no-color']],
  ];

  test.each(PLAINLY)('is asked for in plain lines with %o %o', async (env, flags) => {
    // The result of a shipment has its own colours.
    const at = shipAgain({ env }, '-q', ...flags);
    await at.waitFor(PLAIN);
    at.type('yes\r');
    expect(await at.ended).toMatchObject({ exitCode: 0 });
    expect(at.raw()).not.toContain('\x1b');
    expect(booked()).toBe(2);
  });
});
