// A journal of this machine on a disk that is mounted to be read, as another user or a watcher meets it.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { builtCommand, SHIP, slow } from '../rig/process.ts';
import { http } from '../rig/sockets.ts';

const command = builtCommand();
const noMounts =
  spawnSync('unshare', ['-rm', 'true']).status !== 0 && 'no disk of its own can be given to a process here';

test.skipIf(noMounts)(
  titled(
    'who may only read the journal lists, shows, sums up, checks, and cannot book: no file is made',
    noMounts,
  ),
  async () => {
    const { folder, run, shell, server } = await slow(command, socket =>
      socket.end(http(201, JSON.stringify({ id: 'S-1' }))),
    );
    expect((await run(SHIP).ended).code).toBe(0);
    const state = join(folder, 'state');
    const before = readdirSync(state).sort();
    const ended = await shell(
      `unshare -rm bash -c 'mount --bind "$STATE" "$STATE" && mount -o remount,ro,bind "$STATE" || exit 99
        for words in "history list -q" "history show ORDER-1 -q" "history summary -q" "history check --strict --query canBook" "${SHIP.replace('--key ORDER-1', '--key NEXT')}"; do
          WAYBILL_STATE_DIR="$STATE" "$NODE" "$COMMAND" $words; echo "exit $?"; done'`,
      { STATE: state },
    );
    expect(ended.stdout).toMatch(
      /^bk_\w+\nexit 0\n(?:.*\n)*exit 0\n(?:.*\n)*exit 0\nfalse\nexit 0\nexit 10\n$/,
    );
    expect(readdirSync(state).sort()).toEqual(before);
    expect(server.requests).toHaveLength(1);
  },
);
