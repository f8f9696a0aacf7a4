// Two containers with one host name and one state folder: each has processes of its own under the same numbers.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { builtCommand, slow, start } from '../rig/process.ts';
import { http } from '../rig/sockets.ts';

const command = builtCommand();
const CONTAINER = ['-r', '--pid', '--fork', '--mount-proc'];
const cannot =
  spawnSync('unshare', [...CONTAINER, 'true']).status !== 0 &&
  'no processes of its own can be given to a command here';
const SHIP = ['ship', '-f', 'order.json', '--key', 'ORDER-1', '-q'];

test.skipIf(cannot)(
  titled('a booking that another container is sending is waited for, and never called unknown', cannot),
  async () => {
    let answer = () => {};
    const stage = await slow(command, socket => {
      answer = () => void socket.end(http(201, '{"id":"S-1"}'));
    });
    const { env, folder, server } = stage;
    const inContainer = () =>
      start('unshare', [...CONTAINER, process.execPath, command(), ...SHIP], {
        env,
        cwd: folder,
      });
    const first = inContainer();
    await server.received(1);
    expect(existsSync(join(folder, 'state', 'journal.db'))).toBe(true);
    // Outside of it, its process has another number, or another process has its number.
    const seen = await stage.run('history list --json').ended;
    expect(JSON.parse(seen.stdout)).toMatchObject([{ key: 'ORDER-1', state: 'pending' }]);
    const second = inContainer();
    const unknown = await stage.run('history list --state unknown --json').ended;
    expect(JSON.parse(unknown.stdout)).toEqual([]);
    answer();
    expect(await first.ended).toMatchObject({ code: 0, stdout: 'S-1\n' });
    expect(await second.ended).toMatchObject({ code: 0, stdout: 'S-1\n' });
    expect(server.requests).toHaveLength(1);
  },
);
