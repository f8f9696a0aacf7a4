import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { Failure } from '../../errors.ts';

/**
 * Throws `storage` if the file can be opened by another path, too: SQLite names its locks and its log of writes by the path,
 * so two processes would not see each other.
 */
export function checkOnePath(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return;
  const refuse = (what: string, cure: string) => {
    throw new Failure(
      'storage',
      `the journal ${file} ${what}: a process that opens it by another path does not see what this one books; nothing was sent. ${cure}`,
    );
  };
  if (found.nlink > 1)
    refuse(
      `has ${found.nlink} names (hard links)`,
      `Remove all but one; \`find / -xdev -samefile ${file}\` lists them. For a copy, use \`waybill history backup FILE\``,
    );
  if (isMounted(file))
    refuse('is mounted by itself', 'Mount its folder instead, and name that in WAYBILL_STATE_DIR');
}

/** Is the file itself a mount point, as of a volume of a container? Only Linux says so. */
function isMounted(file: string): boolean {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return false;
  }
  const path = realpathSync(file).replace(
    /[ \t\n\\]/g,
    character => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return mounts.split('\n').some(line => line.split(' ')[4] === path);
}
