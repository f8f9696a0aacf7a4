import { join } from 'node:path';
import { openapi } from '../contract/openapi.ts';
import { type RunningEmulator, startEmulator } from '../emulator/server.ts';
import { Failure, messageOf } from '../errors.ts';
import { makeFolder } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { otherFolder, requiredStateFolder } from '../profile/folders.ts';
import { VERSION } from './version.ts';

/** A day of the demo passes in ten seconds, so that a person sees a shipment arrive. */
const DEMO_SPEED = 24 * 60 * 6;

/** The emulator of the `demo` profile: on a free loopback port, with its data in the state folder. */
export async function startDemo(host: Host): Promise<RunningEmulator> {
  const folder = requiredStateFolder(host);
  try {
    makeFolder(folder, 0o700);
    return await startEmulator({
      data: join(folder, 'demo.db'),
      speed: DEMO_SPEED,
      now: host.now,
      random: host.random,
      openapi: () => openapi(VERSION),
    });
  } catch (error) {
    throw new Failure(
      'storage',
      `the demo cannot save its data in ${folder}: ${messageOf(error)}; nothing was sent. ${otherFolder('state')}`,
    );
  }
}
