import { chmodSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';

describe('waybill emulator refuses', () => {
  test.each([
    ['--speed', '0'],
    ['--token', 'a b'],
    ['--fault', '500'],
    ['--fault', '99:1'],
    ['--fault', 'toString:1'],
    ['--fault', '500:0.1:x'],
  ])('%s %j', async (flag, value) => {
    const { run } = await createRig();
    const { exitCode, stdout, stderr } = await run(['emulator', '--port', '0', flag, value, '--', 'true']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(flag);
  });

  test('a port that is in use, and names it', async () => {
    const { run, address } = await createRig();
    const { port } = new URL(address);
    const { exitCode, stderr } = await run(['emulator', '--port', port]);
    expect([exitCode, stderr]).toEqual([10, expect.stringContaining(`port ${port} is in use`)]);
  });

  test('a file that is no world of its own, and leaves it as it is', async () => {
    const rig = await createRig();
    const notes = rig.file('notes.txt', 'mine, and long enough to be no header of SQLite');
    chmodSync(notes, 0o644);
    expect((await rig.run(`emulator --port 0 --data ${notes}`)).exitCode).toBe(10);
    expect([statSync(notes).mode & 0o777, readFileSync(notes, 'utf8')]).toEqual([
      0o644,
      expect.stringMatching(/^mine/),
    ]);
  });
});

test('waybill emulator -- COMMAND gives the exit code of the command, and takes its options for its own', async () => {
  const { run } = await createRig();
  const { exitCode, stdout, stderr, programs } = await run('emulator --port 0 -- make test --json -q', {
    programCode: 42,
  });
  expect([exitCode, stdout, stderr, programs]).toEqual([42, '', '', [['make', 'test', '--json', '-q']]]);
});
