// Bookings beside `history prune`, which writes all of the journal anew: both do what they are to do, and nothing is lost.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { orderText, ship } from './scenarios.ts';
import { onStage } from './stage.ts';
import { PROBES } from './steps.ts';
import { stoppedAt } from './stopped.ts';

const RECORDS = 150;

test('A batch beside one prune after the other books all of its records once, and what was pruned is nowhere', async () => {
  const command = await build();
  await onStage(command, async ({ folder, run, start, witness }) => {
    const keys = Array.from({ length: RECORDS }, (_, index) => `Kunde${index}x`);
    const orders = keys.map(key => `${JSON.stringify({ ...JSON.parse(orderText('shirt', key)), key })}\n`);
    writeFileSync(join(folder, 'orders.jsonl'), orders.join(''));
    const batch = start(['batch', 'ship', 'orders.jsonl', '--results', 'done.jsonl', '-q']);
    let isOver = false;
    void batch.ended.finally(() => {
      isOver = true;
    });
    let prunes = 0;
    for (; !isOver; prunes += 1)
      // A batch reads, too: 9 is said where it kept the files from being cleaned.
      expect([0, 9]).toContain((await run(['history', 'prune', '--older-than', '0s', '-q'])).code);
    expect(prunes).toBeGreaterThan(1);
    expect(await batch.ended).toMatchObject({ code: 0, stderr: '' });
    for (const key of keys) expect([key, witness.sent(key)]).toEqual([key, 1]);
    const lines = readFileSync(join(folder, 'done.jsonl'), 'utf8').trim().split('\n');
    expect(lines.filter(line => JSON.parse(line).state === 'created')).toHaveLength(RECORDS);
    expect((await run(['history', 'prune', '--older-than', '0s', '-q'])).code).toBe(0);
    const file = join(folder, 'state/journal.db');
    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(
      database
        .prepare("SELECT count(*) AS n FROM bookings WHERE state = 'created' AND request IS NULL")
        .get(),
    ).toEqual({ n: RECORDS });
    database.close();
    const again = await run(['batch', 'ship', 'orders.jsonl', '--results', 'done.jsonl', '-q']);
    expect([again.code, witness.arrived()]).toEqual([0, RECORDS]);
  });
});

test('An answer that comes while the journal is written anew is recorded when that is done', async () => {
  // Waits for the lock for less than a second at a time, in place of ten.
  const command = await build([
    ...PROBES,
    { at: 'journal opened', code: "store.all('PRAGMA busy_timeout = 100');" },
  ]);
  await onStage(command, async stage => {
    const { argv, stdin, key } = ship('K');
    const started = await stoppedAt(stage, { step: 'answer complete' }, [key], options =>
      stage.start(argv, { stdin, ...options }),
    );
    const database = new DatabaseSync(join(stage.folder, 'state/journal.db'));
    database.exec('BEGIN IMMEDIATE');
    started.child.kill('SIGCONT');
    await sleep(1500);
    expect(started.child.exitCode).toBe(null);
    database.exec('ROLLBACK');
    database.close();
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(stage.witness.sent(key)).toBe(1);
  });
});
