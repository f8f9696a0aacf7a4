// Copies the writes beside a journal into its file, again and again, until the process is ended.
import { DatabaseSync } from '@photostructure/sqlite';

const [file = ''] = process.argv.slice(2);
const MODES = ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'];

const database = new DatabaseSync(file, { timeout: 0 });
const checkpoints = MODES.map(mode => database.prepare(`PRAGMA wal_checkpoint(${mode})`));

function checkpoint(round: number): void {
  for (let nth = 0; nth < 50; nth += 1)
    try {
      checkpoints[(round + nth) % MODES.length]?.all();
    } catch {
      // A writer has the lock: the next one may find it free.
    }
  setImmediate(checkpoint, round + 1);
}
checkpoint(0);
