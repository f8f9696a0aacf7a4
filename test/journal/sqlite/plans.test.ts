// How the commands of a long journal read it: by its indexes. A table that is read whole takes a second of a million bookings.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test, vi } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { SHIPMENT } from '../../rig/service.ts';

/** The statements that a command prepared. */
const statements = vi.hoisted(() => new Set<string>());

vi.mock(import('@photostructure/sqlite'), async load => {
  const engine = await load();
  class Recording extends engine.DatabaseSync {
    override prepare(statement: string) {
      statements.add(statement);
      return super.prepare(statement);
    }
  }
  return { ...engine, DatabaseSync: Recording };
});

/** What is short in any journal: the indexes of what waits for a person, lists, and what persons said of the journal. */
const SHORT =
  /INDEX (unsettled|dear|key_holders)\b|^SCAN (lists|restorations|copied|journal_identity|json_each|late|moved|CONSTANT ROW|\(subquery|sqlite_master|indexes|keys|tables|pragma)/;

test.each([
  'history summary --since 1d',
  'history summary --by carrier',
  'history export --for csv --since 1d',
  'history export --for csv --since 1d --yes',
  'history list --limit 20',
  'history list --since 7d --until today',
  'history list --search Ada',
  'history list --state unknown',
  'history check',
  'history show K-3',
  'history show S-3',
  'label K-3',
  'papers K-3 --download .',
])('%s reads no table of a long journal whole', async command => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT } });
  for (let number = 0; number < 4; number += 1)
    await rig.run(`ship order.json --key K-${number} --label --allow-duplicate`);
  statements.clear();
  await rig.run(command);
  const prepared = [...statements];
  const database = new DatabaseSync(join(rig.folder, 'state', 'journal.db'));
  const steps = prepared
    .filter(statement => /^\s*(SELECT|UPDATE|DELETE)\b/.test(statement))
    .flatMap(statement =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .all()
        .map(row => String((row as { detail: string }).detail)),
    );
  database.close();
  expect(steps.some(step => step.startsWith('SEARCH bookings'))).toBe(true);
  // Of a day nothing older is read: from the newest back without an end would be the whole table, too.
  const isWhole = (step: string) =>
    (step.startsWith('SCAN') && !SHORT.test(step)) ||
    (command.includes('--since') && step.endsWith('(rowid<?)'));
  expect(steps.filter(isWhole)).toEqual([]);
});
