import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { processesOf } from '../journal/holder.ts';
import type { Journal } from '../journal/journal.ts';
import type { ReadOnlyView } from '../journal/sqlite/read-only.ts';
import { setting } from '../profile/environment.ts';
import { stateFolder } from '../profile/folders.ts';
import { VERSION } from './version.ts';

const fileOf = (host: Host): string => join(stateFolder(host), 'journal.db');

/** A look into the journal of this machine; `undefined` where there is none. Throws what SQLite throws. */
export async function readOnlyView(host: Host): Promise<ReadOnlyView | undefined> {
  if (!hasLocalJournal(host)) return undefined;
  const { openReadOnlyView } = await import('../journal/sqlite/read-only.ts');
  return openReadOnlyView(fileOf(host));
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
  const { openJournal } = await import('../journal/sqlite/journal.ts');
  return openJournal(file, processesOf(host, VERSION), host);
}
