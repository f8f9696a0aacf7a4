import { describe, expect, test } from 'vitest';
import { builtCommand, commandsOf, createWorld, type World } from '../rig/process.ts';

const { waybill } = commandsOf(builtCommand());
const HOOK = 'webhook create --url https://a.example/x --event shipment.status.updated --max-retries 9';

/** A world that answers only when the test says so, and that says when a request has come. */
async function slowWorld(): Promise<{ world: World; asked: Promise<void>; answer(): void }> {
  let answer = () => {};
  let ask = () => {};
  const answering = new Promise<void>(done => {
    answer = done;
  });
  const asked = new Promise<void>(done => {
    ask = done;
  });
  const world = await createWorld({
    latency: 1,
    sleep: () => {
      ask();
      return answering;
    },
  });
  return { world, asked, answer };
}

const CODES = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

describe('a signal', () => {
  test.each(CODES)('%s ends a slow read at once: exit %i', async (signal, code) => {
    const { world, asked, answer } = await slowWorld();
    const { child, ended } = waybill(world, 'track a --json');
    await asked;
    child.kill(signal);
    const { stderr, ...rest } = await ended;
    answer();
    expect(rest).toMatchObject({ code, signal: null, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'interrupted', exitCode: code });
  });

  test.each(CODES)(
    '%s while a booking is in flight waits for its outcome and shows it: exit %i',
    async (signal, code) => {
      const { world, asked, answer } = await slowWorld();
      const { child, firstLine, ended } = waybill(world, `${HOOK} --json`);
      await asked;
      child.kill(signal);
      expect(await firstLine('stderr')).toContain('a second signal leaves it unknown');
      answer();
      const { stdout, stderr, ...rest } = await ended;
      expect(rest).toMatchObject({ code, signal: null });
      expect(JSON.parse(stdout).data.secret).toMatch(/./);
      expect(stderr.trim().split('\n').at(-1)).toContain('their result is above');
      expect(world.seen.map(({ answered }) => answered)).toEqual([201]);
    },
  );

  test('a second signal, also of the other kind, ends a booking at once', async () => {
    const { world, asked, answer } = await slowWorld();
    const { child, firstLine, ended } = waybill(world, HOOK);
    await asked;
    child.kill('SIGINT');
    await firstLine('stderr');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' });
    answer();
  });

  test.each(CODES)('%s ends a command that waits for stdin at once: exit %i', async (signal, code) => {
    const world = await createWorld();
    const { child, ended } = waybill(world, 'quote -f - --json', { stdin: { open: true } });
    // More than a pipe holds: once it is gone, the command is reading.
    await new Promise(done => child.stdin.write(' '.repeat(1_000_000), done));
    child.kill(signal);
    const { stderr, ...rest } = await ended;
    expect(rest).toMatchObject({ code, signal: null, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining('nothing was sent'),
    });
    expect(world.seen).toEqual([]);
  });
});
