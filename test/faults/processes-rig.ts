// One command as a process of its own, or in a shell, and a service that answers when it is told to.
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createWorld, type Ended, type Running, start, type World } from '../built/rig.ts';
import { SHIPMENT } from '../commands/service.ts';
import { type Raw, type Reply, rawServer } from '../http/raw.ts';
import type { Seen } from './fault.ts';

export const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
export const SHIP = 'ship -f order.json --key ORDER-1';

/** How a shell tells of an end: by 128 and the signal where that ended it. */
export const seen = ({ code, signal, stdout, stderr }: Ended): Seen => ({
  exitCode: signal === null ? code : 128 + constants.signals[signal],
  stdout,
  stderr,
});

export interface Stage {
  env: Record<string, string>;
  folder: string;
  /** `waybill ${argv}` */
  run(argv: string, more?: { stdin?: { open: true }; env?: Record<string, string> }): Running;
  /** The same in a shell, `waybill` in it being the command. */
  shell(script: string, env?: Record<string, string>): Promise<Ended>;
}

export function stageOf(command: () => string, { env, folder }: Pick<World, 'env' | 'folder'>): Stage {
  writeFileSync(join(folder, 'order.json'), JSON.stringify(SHIPMENT));
  return {
    env,
    folder,
    run: (argv, more = {}) =>
      start(process.execPath, [command(), ...argv.split(' ')], {
        env: { ...env, ...more.env },
        cwd: folder,
        stdin: more.stdin,
      }),
    shell: (script, more = {}) =>
      start('bash', ['-c', `waybill() { "$NODE" "$COMMAND" "$@"; }; ${script}`], {
        env: { ...env, ...more, NODE: process.execPath, COMMAND: command() },
        cwd: folder,
      }).ended,
  };
}

/** A service that answers when it is told to. */
export async function slow(command: () => string, reply: Reply = () => {}): Promise<Stage & { server: Raw }> {
  const { env, folder } = await createWorld();
  const server = await rawServer(reply);
  return { server, ...stageOf(command, { env: { ...env, WAYBILL_BASE_URL: server.url.origin }, folder }) };
}
