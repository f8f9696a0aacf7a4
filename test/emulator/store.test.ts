import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../src/emulator/store.ts';
import { DAY, inProcess, shipmentBody, subscriptionBody } from '../rig/emulator.ts';

let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-emulator-'));
  data = join(folder, 'state', 'world.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('data survive the process, also with the same seed and at another speed', async () => {
  const first = await inProcess({ data });
  const { body: made } = await first.call('POST', '/v1/shipments', shipmentBody());
  await first.close();
  const second = await inProcess({ data, speed: 1000, clock: first.clock });
  const { body: more } = await second.call('POST', '/v1/shipments', shipmentBody());
  expect(more.id).not.toBe(made.id);
  second.clock.pass(DAY / 100);
  const { body } = await second.call('GET', `/v1/shipments/${made.id}`);
  expect(body.status[1].date).toBe('2025-03-05T12:02:52.800Z');
  await second.close();
});

test('the rate limit is stored in the file', async () => {
  const first = await inProcess({ data });
  for (let made = 0; made < 20; made += 1)
    await first.call('POST', '/webhooks/subscriptions', subscriptionBody());
  await first.close();
  const second = await inProcess({ data, clock: first.clock });
  expect((await second.call('POST', '/webhooks/subscriptions', subscriptionBody())).status).toBe(429);
  await second.close();
});

test('the file has no tokens and no secrets of subscriptions, and only its user can read it', async () => {
  const rig = await inProcess({ data, tokens: new Map([['tok-4711', 'all']]) });
  const { body } = await rig.call('POST', '/webhooks/subscriptions', subscriptionBody(), { a: 'tok-4711' });
  await rig.close();
  const kept = [data, `${data}-wal`].map(file => readFileSync(file, 'latin1')).join();
  expect(kept).toContain(body.data.id);
  for (const secret of ['tok-4711', body.data.secret, body.data.token]) expect(kept).not.toContain(secret);
  if (process.platform !== 'win32') expect(statSync(data).mode & 0o777).toBe(0o600);
});

test.each(['WAL', 'DELETE'])(
  'a file of another version, in mode %s, is refused and not changed',
  async mode => {
    const store = await openStore(data);
    store.run('PRAGMA user_version = 99');
    store.all(`PRAGMA journal_mode = ${mode}`);
    store.close();
    const before = readFileSync(data);
    await expect(openStore(data)).rejects.toThrow('newer version');
    expect(readFileSync(data).equals(before)).toBe(true);
  },
);

test('processes that open and write one file at the same time lose nothing', async () => {
  // Plain Node runs no TypeScript: the statements are those of the store.
  const script = `
    const Database = require('libsql');
    const db = new Database(process.argv[1], { timeout: 10000 });
    for (let i = 0; i < 100; i += 1) {
      db.exec('BEGIN IMMEDIATE');
      db.prepare('INSERT INTO labels (shipment) VALUES (?)').run(['shp']);
      db.exec('COMMIT');
    }
  `;
  const store = await openStore(data);
  store.run("INSERT INTO shipments VALUES ('shp', 'production', 'domestic', 'DOM', 1, '{}', 1, NULL)");
  const children = [1, 2].map(
    () =>
      new Promise(resolve =>
        spawn(process.execPath, ['-e', script, data], { stdio: 'inherit' }).once('exit', resolve),
      ),
  );
  for (let i = 0; i < 100; i += 1)
    store.transaction(() => store.run('INSERT INTO labels (shipment) VALUES (?)', 'shp'));
  expect(await Promise.all(children)).toEqual([0, 0]);
  expect(store.first('SELECT count(*) AS n FROM labels')).toMatchObject({ n: 300 });
  store.close();
});
