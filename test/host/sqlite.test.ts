import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/host/sqlite.ts';
import { temporaryFolder } from '../rig/profile.ts';

/** A process that begins to write a new database, in the way that its second argument says. */
const MAKER = `const { DatabaseSync } = require('@photostructure/sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec(process.argv[2]);
  process.stdout.write('begun');
  setTimeout(() => database.exec('COMMIT'), 300);`;

test.each([
  'BEGIN IMMEDIATE',
  'BEGIN IMMEDIATE; CREATE TABLE other (one)',
  'PRAGMA journal_mode = WAL; BEGIN IMMEDIATE',
])('who opens a new database waits for another process that makes it: %s', async how => {
  const file = join(temporaryFolder(), 'new.db');
  const maker = spawn(process.execPath, ['-e', MAKER, file, how]);
  const ended = once(maker, 'exit');
  await once(maker.stdout, 'data');
  const store = await openStore(file, {
    durability: 'full',
    schema: { version: 3, create: 'CREATE TABLE own (one)' },
  });
  expect(store.all('SELECT one FROM own')).toEqual([]);
  store.close();
  expect(await ended).toEqual([0, null]);
});
