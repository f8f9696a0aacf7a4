// What this machine has seen of shared journals: for each a small file in the state folder. A database that was put back to
// an older state does not know by itself what it has lost.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../folder.ts';

/** A booking that was in the journal. */
export interface Seen {
  id: string;
  /** ms since 1970, by the clock of the server. */
  at: number;
  /** The id of the last restoration that was recorded by then. */
  restoration: string | null;
}

export interface Memory {
  /** The newest booking that this machine has seen, if it remembers one. */
  seen: Seen | undefined;
  /** It is best effort: without a folder that can be written it is forgotten, and a crash leaves an older memory. */
  remember(seen: Seen): void;
  forget(): void;
}

/** `folder`: none if this machine has no place for it. `names`: what tells the journal from others. */
export function memoryIn(folder: string | undefined, names: readonly string[]): Memory {
  if (folder === undefined) return { seen: undefined, remember() {}, forget() {} };
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 32);
  const file = join(folder, `${hash}.json`);
  return {
    seen: readFrom(file),
    remember(seen) {
      const known = readFrom(file);
      if (known?.id === seen.id && known.restoration === seen.restoration) return;
      try {
        write(file, JSON.stringify(seen));
      } catch {
        // The next command tries again.
      }
    },
    forget: () => rmSync(file, { force: true }),
  };
}

function readFrom(file: string): Seen | undefined {
  try {
    const { id, at, restoration } = JSON.parse(readFileSync(file, 'utf8'));
    return typeof id === 'string' && typeof at === 'number' ? { id, at, restoration } : undefined;
  } catch {
    return undefined;
  }
}

function write(file: string, text: string): void {
  makeFolder(dirname(file), 0o700);
  const part = `${file}.${randomUUID()}`;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}
