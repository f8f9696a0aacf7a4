// Candidates from the journal: reading it changes nothing, and is as fast with many bookings.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../src/host/sqlite.ts';
import { SCHEMA } from '../../src/journal/sqlite/file.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, fill, UNKNOWN } from '../rig/journal.ts';
import { offered, offeredValues } from '../rig/service.ts';

const ORDER = resolve('fixtures/orders/shirt-no-carrier.json');
const SHIP = ['ship', '-f', ORDER, '--carrier', 'EXP', '--chargeable-weight', '1', '-q', '--key'];
/** That the same content was booked before is told with -q, too. */
const TOLD = /^(warning: the same receiver, goods and parcels were booked .*\n)?$/;

let rig: Rig;
const ship = async (key: string, ...more: string[]): Promise<string> => {
  const { exitCode, stdout, stderr } = await rig.run([...SHIP, key, ...more]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(TOLD) });
  return stdout.trim();
};

beforeEach(async () => {
  rig = await createRig();
});

const EVIL = 'my $(touch y) `x` "q"';

test('what was booked at this address is offered by key and by id, the newest first', async () => {
  const [one, other] = [await ship('ORDER-1'), await ship(EVIL)];
  await ship('TRIED', '--sandbox');
  await rig.run(`label ${one}`);
  const [, , older = ''] = (await rig.run('history list --operation ship -q')).stdout.split('\n');
  const table: [line: string, candidates: string[]][] = [
    ['ship --key ', [EVIL, 'ORDER-1']],
    ['ship --sandbox --key ', ['TRIED']],
    ['track --key=ORD', ['--key=ORDER-1']],
    ['track --key ORDER-1 --key ', [EVIL]],
    ['label --key order', []],
    ['webhook create --key ', []],
    ['track ', [EVIL, 'ORDER-1', other, one]],
    [`track ${one} `, [EVIL, other]],
    ['track ORDER-1 ', [EVIL, other]],
    ['label ', [EVIL, other]],
    ['label --reprint ', [EVIL, 'ORDER-1', other, one]],
    // It may be typed again, to have its file.
    ['label ORD', ['ORDER-1']],
    ['papers ', [EVIL, 'ORDER-1', other, one]],
    [`label --international ${one.slice(0, -1)}`, [one]],
    ['webhook get s', []],
    [`history show ${older.slice(0, -2)}`, [older]],
    ['ship --like ORD', ['ORDER-1']],
    [`ship --like=${older.slice(0, -2)}`, [`--like=${older}`]],
    ['ship-dual --like ', []],
    ['ship --carrier ', ['cheapest', 'fastest', 'EXP', 'ECO']],
    ['ship-dual --international ', ['EXP', 'ECO']],
  ];
  for (const [line, candidates] of table)
    expect([line, await offeredValues(rig, ...line.split(' '))]).toEqual([line, candidates]);
  const { description } = await offered(rig, ['ship', '--key', '']);
  expect(description['ORDER-1']).toBe('ship, created, 2026-03-02');
  const elsewhere = { WAYBILL_BASE_URL: 'https://other.example' };
  expect((await offered(rig, ['ship', '--key', ''], elsewhere)).values).toEqual([]);
  // What is settled needs no settling.
  const settled = await offeredValues(rig, 'history', 'resolve', '');
  expect(settled).toContain('--created');
  expect(settled).not.toContain(older);
});

test('track offers what is under way, and none of them what exists no more', async () => {
  const [one, other] = [await ship('ORDER-1'), await ship('ORDER-2')];
  await rig.later(9 * 24 * 60 * 60 * 1000);
  expect((await rig.run(`track ${one}`)).exitCode).toBe(0);
  expect(await offeredValues(rig, 'track', '')).toEqual(['ORDER-2', other]);
  expect(await offeredValues(rig, 'track', '--key', '')).toEqual(['ORDER-2']);
  expect(await offeredValues(rig, 'label', '')).toEqual(['ORDER-2', 'ORDER-1', other, one]);
  await rig.run('history cancelled ORDER-2 --reason asked');
  expect(await offeredValues(rig, 'label', '')).toEqual(['ORDER-1', one]);
});

test('a booking whose process is gone is offered as unknown, and to be resolved', async () => {
  await fill(rig, 'state', [bookingAt(rig, 1, { ...UNKNOWN, state: 'pending', code: null })]);
  const { description } = await offered(rig, ['history', 'resolve', '']);
  expect(description['K-1']).toBe('ship, unknown, 2026-03-02');
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

  /** As many bookings as that, `K1` and on, like the one that is there; of that account, as SQL. */
  async function filled(count: number, account = 'account'): Promise<void> {
    const store = await openStore(join(state(), 'journal.db'), { durability: 'normal', schema: SCHEMA });
    const columns =
      'address, operation, key_space, fingerprint, state, profile, sandbox, at, lease_until, holder, request';
    store.run(
      `INSERT INTO bookings (id, key, key_id, account, ${columns})
       WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       SELECT 'bk_' || i, 'K' || i, 'K' || i, ${account}, ${columns} FROM n, bookings`,
    );
    store.close();
  }

  test('that is full of another account still gives what this one booked', async () => {
    await ship('K-OURS');
    await filled(1500, "'theirs'");
    expect(await offeredValues(rig, 'ship', '--key', '')).toEqual(['K-OURS']);
    expect(await offeredValues(rig, 'ship', '--key', 'K')).toEqual(['K-OURS']);
  });

  test('with many bookings gives only some candidates, and those that begin as what is typed', async () => {
    await ship('A');
    await filled(5000);
    expect((await offeredValues(rig, 'ship', '--key', '')).length).toBe(200);
    expect(await offeredValues(rig, 'ship', '--key', 'K4321')).toEqual(['K4321']);
    // Behind everything that is looked back to where nothing is typed.
    expect(await offeredValues(rig, 'ship', '--key', 'A')).toEqual(['A']);
  });
});
