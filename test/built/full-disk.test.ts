// A disk that fills up while a booking is under way, as a process of its own meets it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { builtCommand, slow } from '../rig/process.ts';
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
      /it was booked as S-78\. The journal could not record this: .*waybill history resolve bk_/,
    );
    expect(stage.server.requests).toHaveLength(1);
  },
);
