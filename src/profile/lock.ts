import { closeSync, openSync } from 'node:fs';

const PATIENCE_MS = 10_000;

/**
 * Runs `work` while no other process holds the same file. `conf` has no lock, and Node has none for files. SQLite has one
 * of the operating system: it ends with its process, even with a killed one, and the file left behind blocks no other.
 */
export async function whileLocked<T>(file: string, work: () => T): Promise<T> {
  const { default: Database } = await import('libsql');
  closeSync(openSync(file, 'a', 0o600));
  const database = new Database(file, { timeout: PATIENCE_MS });
  try {
    database.exec('BEGIN EXCLUSIVE');
    try {
      return work();
    } finally {
      database.exec('ROLLBACK');
    }
  } finally {
    database.close();
  }
}
