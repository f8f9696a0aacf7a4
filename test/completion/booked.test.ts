// Candidates from the journal: reading it changes nothing, and is as fast with many bookings.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openReadOnlyView } from '../../src/journal/sqlite/read-only.ts';
import { SCHEMA } from '../../src/journal/sqlite/schema.ts';
import { openStore } from '../../src/sqlite.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { offered, offeredValues } from '../rig/service.ts';

const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');
const SHIP = ['ship', '-f', ORDER, '--carrier', 'EXP', '--chargeable-weight', '1', '-q', '--key'];

let rig: Rig;
const ship = async (key: string, ...more: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await rig.run([...SHIP, key, ...more]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trim();
};

beforeEach(async () => {
  rig = await createRig();
});

describe('keys', () => {
  test('are offered unchanged, the newest first, with the state of their bookings', async () => {
    await ship('ORDER-1');
    await ship('my $(touch y) `x` "q"');
    const { values: keys, description } = await offered(rig, ['ship', '--key', '']);
    expect(keys).toEqual(['my $(touch y) `x` "q"', 'ORDER-1']);
    expect(description['ORDER-1']).toBe('ship, created, 2026-03-02');
    expect(await offeredValues(rig, 'track', '--key=ORD')).toEqual(['--key=ORDER-1']);
    expect(await offeredValues(rig, 'label', '--key', 'order')).toEqual([]);
    expect(await offeredValues(rig, 'track', '--key', 'ORDER-1', '--key', '')).toEqual([
      'my $(touch y) `x` "q"',
    ]);
  });

  test('are those of the address and the account of the command line', async () => {
    await ship('LIVE');
    await ship('TRIED', '--sandbox');
    expect(await offeredValues(rig, 'ship', '--key', '')).toEqual(['LIVE']);
    expect(await offeredValues(rig, 'ship', '--sandbox', '--key', 'T')).toEqual(['TRIED']);
    expect(
      (await offered(rig, ['ship', '--key', ''], { WAYBILL_BASE_URL: 'https://other.example' })).values,
    ).toEqual([]);
    expect(await offeredValues(rig, 'webhook', 'create', '--key', '')).toEqual([]);
  });
});

test('shipment ids are offered to track and label, each id once', async () => {
  const [one, other] = [await ship('A'), await ship('B')];
  expect(await offeredValues(rig, 'track', '')).toEqual([other, one]);
  expect(await offeredValues(rig, 'track', one, '')).toEqual([other]);
  expect(await offeredValues(rig, 'label', '--international', one.slice(0, -1))).toEqual([one]);
  expect(await offeredValues(rig, 'webhook', 'get', 's')).toEqual([]);
});

test('bookings are offered by key and by id; history resolve offers only unknown ones', async () => {
  await ship('A');
  const [id = ''] = (await rig.run('history list -q')).stdout.split('\n');
  expect(await offeredValues(rig, 'history', 'show', '')).toEqual(['A', id]);
  expect(await offeredValues(rig, 'history', 'show', id.slice(0, 8))).toEqual([id]);
  const settled = await offeredValues(rig, 'history', 'resolve', '');
  expect(settled).toContain('--created');
  expect(settled).not.toContain(id);
});

test('ship --like is offered what ship booked, by key and by id', async () => {
  const shipment = await ship('A');
  await rig.run(`label ${shipment}`);
  const [id = ''] = (await rig.run('history list --operation ship -q')).stdout.split('\n');
  expect(await offeredValues(rig, 'ship', '--like', '')).toEqual(['A', id]);
  expect(await offeredValues(rig, 'ship', `--like=${id.slice(0, 8)}`)).toEqual([`--like=${id}`]);
  expect(await offeredValues(rig, 'ship-dual', '--like', '')).toEqual([]);
});

test('carriers are cheapest and fastest, those of bookings, and the economy carrier', async () => {
  await ship('A');
  expect(await offeredValues(rig, 'ship', '--carrier', '')).toEqual(['cheapest', 'fastest', 'EXP', 'ECO']);
  expect(await offeredValues(rig, 'ship-dual', '--international', '')).toEqual(['EXP', 'ECO']);
  const bare = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
  const demo = await offered(rig, ['--profile', 'demo', 'ship', '--carrier', ''], bare);
  expect(demo.values).toEqual(['cheapest', 'fastest', 'ECO', 'EXP', 'DOM']);
});

describe('the journal', () => {
  const state = () => join(rig.folder, 'state');
  const snapshot = () =>
    readdirSync(state()).map(name => {
      const path = join(state(), name);
      // What readers and writers tell each other of their locks is in the other one.
      return name.endsWith('-shm') ? [name] : [name, statSync(path).mtimeMs, readFileSync(path, 'base64')];
    });

  test('is not changed, byte for byte', async () => {
    await ship('A');
    const before = snapshot();
    expect(await offeredValues(rig, 'ship', '--key', '')).toEqual(['A']);
    expect(snapshot()).toEqual(before);
  });

  test('that another command has open is read with its last changes', async () => {
    await ship('A');
    const file = join(state(), 'journal.db');
    const open = await openStore(file, { durability: 'full', schema: SCHEMA });
    open.run("UPDATE bookings SET key = 'B', key_id = 'B'");
    expect(await offeredValues(rig, 'ship', '--key', '')).toEqual(['B']);
    open.close();
  });

  test('is not read if a shared journal is set, and that one is not opened', async () => {
    await ship('A');
    const shared = { WAYBILL_JOURNAL: 'postgres://127.0.0.1:1/none' };
    expect((await offered(rig, ['ship', '--key', ''], shared)).values).toEqual([]);
    rig.file('config/config.json', {
      profiles: { far: { baseUrl: rig.address, journal: 'postgres://127.0.0.1:1/none' } },
    });
    expect(await offeredValues(rig, '--profile', 'far', 'history', 'show', '')).not.toContain('A');
    expect(await offeredValues(rig, 'history', 'show', '')).toContain('A');
  });

  test('that is damaged gives no candidates', async () => {
    mkdirSync(state());
    writeFileSync(
      join(state(), 'journal.db'),
      'no database at all, but long enough to be taken for one'.repeat(100),
    );
    expect(await offeredValues(rig, 'ship', '--key', '')).toEqual([]);
  });

  test('with many bookings is read through an index, and only some candidates are given', async () => {
    await ship('A');
    const file = join(state(), 'journal.db');
    const store = await openStore(file, { durability: 'normal', schema: SCHEMA });
    const columns =
      'address, account, operation, key_space, fingerprint, state, profile, sandbox, at, lease_until, holder, request';
    store.run(
      `INSERT INTO bookings (id, key, key_id, ${columns})
       WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       SELECT 'bk_' || i, 'K' || i, 'K' || i, ${columns} FROM n, bookings WHERE key = 'A'`,
    );
    store.close();
    expect((await offeredValues(rig, 'ship', '--key', '')).length).toBe(200);
    expect(await offeredValues(rig, 'ship', '--key', 'K4321')).toEqual(['K4321']);
    // Behind everything that is looked back to where nothing is typed.
    expect(await offeredValues(rig, 'ship', '--key', 'A')).toEqual(['A']);
    const look = await openReadOnlyView(file);
    expect(look.bookings('K').length).toBeLessThanOrEqual(400);
    look.close();
  });
});
