import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Glimpse } from '../booking/glimpse.ts';
import { processesOf } from '../booking/holder.ts';
import type { Journal } from '../booking/journal.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { setting } from '../profile/environment.ts';
import { stateFolder } from '../profile/folders.ts';
import { VERSION } from './version.ts';

const fileOf = (host: Host): string => join(stateFolder(host), 'journal.db');

/** A look into the journal of this machine; `undefined` where there is none. Throws what SQLite throws. */
export async function glimpseOfJournal(host: Host): Promise<Glimpse | undefined> {
  if (!hasLocalJournal(host)) return undefined;
  const { glimpse } = await import('../booking/glimpse.ts');
  return glimpse(fileOf(host));
}

export const hasLocalJournal = (host: Host): boolean => existsSync(fileOf(host));

/** The journal of this machine. Throws `storage`; also in CI, where a disk that is new remembers nothing. */
export async function openLocalJournal(host: Host, { mayBeNew }: { mayBeNew: boolean }): Promise<Journal> {
  const file = fileOf(host);
  if (!mayBeNew && setting(host.env, 'CI') !== undefined && !existsSync(file))
    throw new Failure(
      'storage',
      `there is no journal at ${file} yet, and a CI machine that is new at every run would never see what an earlier run booked; nothing was sent. Keep the state folder (WAYBILL_STATE_DIR) from run to run, or give --new-journal if this is the first one`,
    );
  const { openJournal } = await import('../booking/sqlite-journal.ts');
  return openJournal(file, processesOf(host, VERSION), host);
}
