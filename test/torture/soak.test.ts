// Writers and checkpoints on one journal. SQLite before 3.51.3 loses commits here, or damages the file: a checkpoint beside a
// commit of another connection could take the writes beside the file for older than they are.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { build, buildScript } from '../rig/build.ts';
import { start } from '../rig/process.ts';
import { orderText } from './scenarios.ts';
import { FULL } from './size.ts';
import { onStage } from './stage.ts';

const SOAK = FULL
  ? { writers: 4, checkpointers: 2, records: 4000, rounds: 6 }
  : { writers: 3, checkpointers: 1, records: 60, rounds: 1 };

test(`${SOAK.writers} batches at once, with checkpoints beside them: each booking that a results file has is in the journal`, async () => {
  // A booking is two commits, and a checkpoint comes after almost each.
  const command = await build([
    { at: 'journal opened', code: "store.all('PRAGMA wal_autocheckpoint = 5');" },
  ]);
  const script = await buildScript('test/torture/checkpointer.ts', ['@photostructure/sqlite']);
  await onStage(command, async ({ folder, run }) => {
    const file = join(folder, 'state/journal.db');
    // The journal is there before the first checkpoint.
    const first = ['ship', '-f', '-', '--key', 'FIRST', '-q'];
    expect((await run(first, { stdin: orderText('shirt', 'FIRST') })).code).toBe(0);
    const checkpointers = Array.from({ length: SOAK.checkpointers }, () =>
      start(process.execPath, [script, file], { cwd: folder, env: {} }),
    );
    async function write(writer: number): Promise<string[]> {
      const created: string[] = [];
      for (let round = 0; round < SOAK.rounds; round += 1) {
        const name = `w${writer}r${round}`;
        const orders = Array.from({ length: SOAK.records }, (_, index) => {
          const key = `${name}n${index}`;
          return `${JSON.stringify({ ...JSON.parse(orderText('shirt', key)), key })}\n`;
        });
        writeFileSync(join(folder, `${name}.jsonl`), orders.join(''));
        const results = `${name}.results.jsonl`;
        const ended = await run([
          'batch',
          'ship',
          `${name}.jsonl`,
          '--concurrency',
          '2',
          '--results',
          results,
          '-q',
        ]);
        expect(ended).toMatchObject({ code: 0, stderr: '' });
        for (const line of readFileSync(join(folder, results), 'utf8').trim().split('\n')) {
          const { key, state, shipmentId } = JSON.parse(line);
          created.push(`${key} ${state} ${shipmentId}`);
        }
      }
      return created;
    }
    const shown = (
      await Promise.all(Array.from({ length: SOAK.writers }, (_, writer) => write(writer)))
    ).flat();
    for (const { child, ended } of checkpointers) {
      child.kill('SIGKILL');
      expect(await ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    }
    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const rows = database
      .prepare("SELECT key, state, json_extract(ids, '$.shipment') AS id FROM bookings WHERE key <> 'FIRST'")
      .all();
    database.close();
    expect(rows.map(({ key, state, id }) => `${key} ${state} ${id}`).sort()).toEqual(shown.sort());
    expect(shown.length).toBe(SOAK.writers * SOAK.rounds * SOAK.records);
  });
});
