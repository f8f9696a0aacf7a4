// A disk that fills up while a booking is under way, and one that is mounted to be read, as a process of its own meets them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { builtCommand, SHIP, slow } from '../rig/process.ts';
import { http } from '../rig/sockets.ts';

const command = builtCommand();
const booked = (id: string, length: number) => http(201, JSON.stringify({ id, note: 'x'.repeat(length) }));

const noMounts =
  spawnSync('unshare', ['-rm', 'true']).status !== 0 && 'no disk of its own can be given to a process here';

test.skipIf(noMounts)(
  titled(
    'a disk that fills up during a booking loses no id: it is shown, the key stays taken, and nothing further is sent',
    noMounts,
  ),
  async () => {
    let folder = '';
    const stage = await slow(command, async socket => {
      writeFileSync(join(folder, 'go'), '');
      while (existsSync(folder) && !existsSync(join(folder, 'full'))) await sleep(10);
      socket.end(booked('S-78', 100_000));
    });
    folder = stage.folder;
    mkdirSync(join(folder, 'disk'));
    // The disk is seen by these processes only, and is gone with them.
    const script = `
    mount -t tmpfs -o size=3m tmpfs disk || exit 99
    (until [ -e go ] || ! kill -0 $$; do sleep 0.01; done; cat /dev/zero > disk/fill 2>/dev/null; touch full) &
    for key in K K OTHER; do "$NODE" "$COMMAND" ship -f order.json --key $key --query id; echo "exit $?"; done`;
    const ran = await stage.shell('unshare -rm bash -c "$SCRIPT"', {
      SCRIPT: script,
      WAYBILL_STATE_DIR: join(folder, 'disk/state'),
    });
    expect(ran.stdout).toBe('"S-78"\nexit 10\nexit 10\nexit 10\n');
    expect(ran.stderr).toMatch(
      /booked as S-78\. The journal could not record this: .*waybill history resolve bk_/,
    );
    expect(stage.server.requests).toHaveLength(1);
  },
);

test.skipIf(noMounts)(
  titled(
    'who may only read the journal lists, shows, sums up, checks, and cannot book: no file is made',
    noMounts,
  ),
  async () => {
    const { folder, run, shell, server } = await slow(command, socket => socket.end(booked('S-1', 0)));
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
