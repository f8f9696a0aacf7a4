// Folders that are removed after the test, and commands that take address and credential from a profile in such a folder.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { FolderHost } from '../../src/profile/environment.ts';
import { createRig, type Rig, type RigOptions } from './command.ts';
import { SECRET } from './oracles.ts';

/** An empty folder. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** No address and no token in the environment, so that the profile decides. */
export const BARE = {
  WAYBILL_BASE_URL: '',
  WAYBILL_SANDBOX_BASE_URL: '',
  WAYBILL_TOKEN: '',
  PATH: process.env.PATH ?? '',
};

/** A rig without a profile, whose service accepts `SECRET` as a token. */
export const bareRig = (more: RigOptions = {}): Promise<Rig> =>
  createRig({ tokens: new Map([[SECRET, 'all']]), ...more, env: { ...BARE, ...more.env } });

/** A rig with a profile `shop` that has these settings. */
export async function shopRig(settings: Record<string, unknown> = {}): Promise<Rig> {
  const rig = await createRig({ env: BARE });
  rig.file('config/config.json', {
    profiles: { shop: { baseUrl: rig.address, ...settings } },
    current: 'shop',
  });
  const ran = await rig.run('profile set shop --token-stdin', { stdin: 'demo' });
  expect(ran.exitCode).toBe(0);
  return rig;
}

export const configOf = ({ folder }: Rig): string => join(folder, 'config', 'config.json');
export const savedIn = (rig: Rig) => JSON.parse(readFileSync(configOf(rig), 'utf8'));

export interface Home {
  host: FolderHost;
  folder: string;
  /** Path of `config.json`. */
  path: string;
  /** Writes that file. */
  write(content: string | Uint8Array): void;
  /** The content of that file, or ''. */
  read(): string;
}

/** An empty home folder. */
export function createHome(): Home {
  const folder = temporaryFolder();
  const host: FolderHost = {
    env: { WAYBILL_CONFIG_DIR: join(folder, 'config') },
    cwd: folder,
    home: folder,
    platform: 'linux',
  };
  const path = join(folder, 'config/config.json');
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
