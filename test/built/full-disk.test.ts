// A disk that fills up while a booking is under way, as a process of its own meets it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { titled } from '../rig/needs.ts';
import { bareEnvironment, builtCommand, start } from '../rig/process.ts';

const command = builtCommand();
const ORDER = new URL('../../fixtures/orders/shirt.json', import.meta.url).pathname;

interface Service {
  env: Record<string, string>;
  folder: string;
  requests: string[];
}

/** A service whose answers say more or less; `before` is run when a booking is there, before it is answered. */
async function service(answer: object, before: () => Promise<unknown> = async () => {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-full-'));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      requests.push(`${request.method} ${request.url}`);
      await before();
      response.writeHead(201).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  const { port } = server.address() as AddressInfo;
  const env = {
    ...bareEnvironment(folder),
    WAYBILL_BASE_URL: `http://127.0.0.1:${port}`,
    WAYBILL_TOKEN: 't',
  };
  return { env, folder, requests };
}

const SHIP = ['ship', '-f', ORDER, '--key', 'K', '--json'];

test('an outcome that cannot be recorded is shown with its id: exit 10, and the key stays taken', async () => {
  // No file may grow past 1.5 MiB: the reserved room is smaller, the outcome is larger.
  const { env, requests } = await service({ id: 'S-77', note: 'x'.repeat(1_900_000) });
  const limited = start(
    'bash',
    ['-c', 'ulimit -f 1536; exec "$@"', 'bash', process.execPath, command(), ...SHIP],
    { env },
  );
  const { code, stdout, stderr } = await limited.ended;
  expect(code).toBe(10);
  expect(JSON.parse(stdout)).toMatchObject({ id: 'S-77' });
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  expect(error).toMatchObject({ code: 'storage', exitCode: 10, body: { id: 'S-77' } });
  expect(error.message).toMatch(/it was booked as S-77.*waybill history resolve bk_/);
  const again = await start(process.execPath, [command(), ...SHIP], { env }).ended;
  expect(again.code).toBe(8);
  expect(requests).toEqual(['POST /v1/shipments']);
});

const noMounts =
  spawnSync('unshare', ['-rm', 'true']).status !== 0 && 'no disk of its own can be given to a process here';

test.skipIf(noMounts)(
  titled(
    'a disk that fills up during a batch still takes the outcome, and no further record is sent',
    noMounts,
  ),
  async () => {
    const { env, folder, requests } = await service({ id: 'S-78', note: 'x'.repeat(100_000) }, async () => {
      writeFileSync(join(folder, 'go'), '');
      while (existsSync(folder) && !existsSync(join(folder, 'full'))) await sleep(10);
    });
    mkdirSync(join(folder, 'disk'));
    // The disk is seen by these processes only, and is gone with them.
    const script = `
    mount -t tmpfs -o size=3m tmpfs "$DISK" || exit 99
    (until [ -e "$FOLDER/go" ] || ! kill -0 $$; do sleep 0.01; done
     cat /dev/zero > "$DISK/fill" 2>/dev/null; touch "$FOLDER/full") &
    "$@"; echo "first $?"
    "$@"; echo "again $?"
    "$@" --key OTHER; echo "other $?"`;
    const ran = await start(
      'unshare',
      [
        '-rm',
        'bash',
        '-c',
        script,
        'bash',
        process.execPath,
        command(),
        'ship',
        '-f',
        ORDER,
        '--query',
        'id',
      ],
      {
        env: {
          ...env,
          FOLDER: folder,
          DISK: join(folder, 'disk'),
          WAYBILL_STATE_DIR: join(folder, 'disk/state'),
        },
      },
    ).ended;
    expect(ran.stdout).toBe('"S-78"\nfirst 0\nagain 2\nother 10\n');
    expect(ran.stderr).toMatch(/cannot be written: .*; nothing was sent/);
    expect(requests).toHaveLength(1);
  },
);
