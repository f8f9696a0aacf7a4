import { closeSync, openSync } from 'node:fs';

const PATIENCE_MS = 10_000;

/**
 * Runs `work` while no other process holds the same file. It is a lock of the operating system, by way of SQLite:
 * it ends with its holder, however that ends, and the file that stays behind locks nobody out.
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
