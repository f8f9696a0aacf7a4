import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Place } from '../../src/profile/folders.ts';
import { configPath } from '../../src/profile/store.ts';

export interface Home {
  host: Place;
  folder: string;
  /** Path of `config.json`. */
  path: string;
  /** Puts bytes there. */
  write(content: string | Uint8Array): void;
  /** What is there. */
  read(): string;
}

/** A home of its own, which goes away with the test. */
export function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-profile-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const host: Place = {
    env: { WAYBILL_CONFIG_DIR: join(folder, 'config') },
    cwd: folder,
    home: folder,
    platform: 'linux',
  };
  const path = configPath(host);
  return {
    host,
    folder,
    path,
    write(content) {
      mkdirSync(join(folder, 'config'), { recursive: true });
      writeFileSync(path, content);
    },
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
  };
}

/** What was thrown, for `toMatchObject`. */
export async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
