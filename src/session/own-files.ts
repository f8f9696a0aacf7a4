// Which files waybill keeps for itself.
import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { configFolder, type Place, stateFolder } from '../profile/folders.ts';

/** In the folders of the journal and the config; other files may be there as well. */
const OWN = /^(journal\.db|journal-|demo\.db|import-|config\.)/i;

/** Is it a file of the journal, the demo or the config, or would it be one? Links are followed. Throws `usage`. */
export function isOwnFile(path: string, host: Place): boolean {
  const folders = [stateFolder(host), configFolder(host)].flatMap(folder => folder ?? []);
  const end = endOf(path);
  return OWN.test(basename(end)) && folders.some(folder => endOf(folder) === dirname(end));
}

const MOST_LINKS = 40;

/** Where a path leads, also if nothing is there yet. */
function endOf(path: string, links = MOST_LINKS): string {
  const end = attempt(() => realpathSync(path));
  if (end !== undefined) return end;
  const folder = attempt(() => realpathSync(dirname(path))) ?? dirname(path);
  const link = links === 0 ? undefined : attempt(() => readlinkSync(path));
  return link === undefined ? join(folder, basename(path)) : endOf(resolve(folder, link), links - 1);
}

/** `undefined` for what cannot be read: opening it says why. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
