// The bookings of a journal of this machine move into a shared one: all that belongs to them, each once, and nothing is written here
// from then on.
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { LEASE_MS } from '../../src/booking/booking.ts';
import { LEGS, OPERATIONS } from '../../src/contract/operations.ts';
import type { Database } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import { lookAtMove, moveBookings } from '../../src/journal/move.ts';
import { openPostgres } from '../../src/journal/postgres/database.ts';
import { openSqlite } from '../../src/journal/sqlite/database.ts';
import { type Restoring, TABLES } from '../../src/journal/tables.ts';
import {
  booked,
  claimed,
  ended,
  intentOf,
  type JournalRig,
  journalRig,
  label,
  localHost,
  NOON,
  ofLeg,
  SCOPE,
  settingsFor,
  settle,
  sharedHost,
  ship,
} from '../rig/journal.ts';
import { describeShared, emptiedPlace, type SharedPlace } from '../rig/postgres.ts';

const ADDRESS = 'postgres://waybill@db.example/waybill';
const own = { host: 'here', process: 9, start: '1' };

interface Move extends JournalRig {
  /** The booking that is there. */
  first: string;
  place: SharedPlace;
  source: Database;
  target: Database;
  /** The journal of all machines. */
  shared: Journal;
  /** Moves all. Gives how many were copied, and the paths of what was left out. */
  move(): Promise<[copied: number, leftOut: string[]]>;
}

async function moving(restored?: Restoring): Promise<Move> {
  const [rig, place] = [await journalRig('local'), await emptiedPlace()];
  const ids = { shipment: 'S-first' };
  const first = await booked(rig.journal, ship({ key: 'first' }), 'created', { ids });
  const processes = { own, isAlive: () => undefined };
  const opening = { evenMoved: true, ...(restored && { restored }) };
  const source = await openSqlite(
    rig.where,
    processes,
    localHost(() => NOON),
    opening,
  );
  const target = await openPostgres(settingsFor(place.address), processes, sharedHost(), LEASE_MS);
  onTestFinished(async () => {
    await source.close();
    await target.close();
  });
  const move: Move['move'] = async () => {
    const { copied, leftOut } = await moveBookings(source, target, ADDRESS, () => {});
    return [copied, leftOut.map(({ path }) => path)];
  };
  return { ...rig, first, place, source, target, shared: new Journal(target), move };
}

type Cells = Record<string, unknown>;

/** A table, without the numbers that the journal gives anew. */
const cells = (rows: readonly Cells[], numbers: ReadonlyMap<unknown, unknown>, table: string) =>
  rows
    .map(({ number, ...row }) =>
      table === 'lists' ? { number: Number(number), ...row } : { of: numbers.get(String(number)), ...row },
    )
    .map(row => JSON.stringify(row, (_, cell) => (/^\d+$/.test(String(cell)) ? Number(cell) : cell)))
    .sort();

/** All rows of all tables of both, by the names of the tables. */
const TIME = '(SELECT -at FROM lists AS list WHERE list.name = T.name AND list.number = T.number) AS number';
const LISTS_ELSEWHERE: Readonly<Record<string, string>> = {
  lists: `name, ${TIME.replaceAll('T.', 'lists.')}, at, person, run, writing, writing_by, writing_until`,
  listed: `booking, name, ${TIME.replaceAll('T.', 'listed.')}`,
};

async function tablesOf({ where, place }: Move): Promise<[here: object, there: object]> {
  const file = new DatabaseSync(where, { readOnly: true });
  const here: Record<string, unknown> = {};
  const there: Record<string, unknown> = {};
  for (const table of Object.keys(TABLES)) {
    const query = `SELECT * FROM ${table}`;
    // The target has lists of its own with numbers from 1: those of another machine have their time.
    const moved = table.startsWith('list') ? query.replace('*', LISTS_ELSEWHERE[table] ?? '*') : query;
    const idsOf = (rows: Cells[]) =>
      table === 'found_by' ? new Map(rows.map(({ number, id }) => [String(number), id])) : new Map();
    const ids = 'SELECT number, id FROM bookings';
    here[table] = cells(
      file.prepare(moved).all() as Cells[],
      idsOf(file.prepare(ids).all() as Cells[]),
      table,
    );
    there[table] = cells(await place.ask<Cells>(query), idsOf(await place.ask<Cells>(ids)), table);
  }
  file.close();
  return [here, there];
}

async function fillWithAll({ journal }: Move): Promise<void> {
  const pair = await booked(journal, intentOf(OPERATIONS.createDualShipment, { key: 'pair' }), 'created', {
    ids: { international: 'I-1', domestic: 'D-1' },
    labels: { international: { made: true, trackingNumber: 'T-1' }, domestic: { made: true } },
  });
  // More than one statement takes along.
  const large = Buffer.alloc(400_000, '%PDF');
  for (const leg of LEGS) await journal.saveLabel(pair, leg, large, `/labels/${leg}.pdf`);
  const hook = intentOf(OPERATIONS.createSubscription, { key: 'hook' });
  await booked(journal, hook, 'created', { ids: { subscription: 'sub_1' }, answer: '{"secret":"s"}' });
  await booked(journal, ship({ key: 'lost' }), 'unknown');
  const denied = await booked(journal, ship({ key: 'denied' }), 'unknown');
  await settle(journal, denied, 'rejected', {}, { reason: 'support' });
  await booked(journal, label(['S-first']), 'created', {
    ids: {},
    labels: { international: { made: true } },
  });
  const prints = await journal.claimPrints(SCOPE, [ofLeg('S-first')], false);
  await journal.endPrints(prints, [ofLeg('S-first')]);
  const list = await journal.lists.record('handover', { by: 'anna', run: null }, [pair]);
  if (list) await journal.lists.end(list, true);
}

const SAID = { by: 'anna', reason: 'the disk of Monday', run: null };

describeShared('A move', () => {
  test('takes all rows of the tables of bookings as they were', async () => {
    const rig = await moving(SAID);
    await fillWithAll(rig);
    expect(await rig.move()).toEqual([6, []]);
    const [here, there] = await tablesOf(rig);
    // What was said of that journal is no word on this one.
    expect(there).toEqual({ ...here, restorations: [] });
    for (const [table, rows] of Object.entries(here)) expect([table, rows]).not.toEqual([table, []]);
  });

  test('takes pages of bookings, in their order, and a second move adds nothing', async () => {
    const rig = await moving();
    const keys = Array.from({ length: 450 }, (_, index) => `K-${index}`);
    for (const key of keys)
      await booked(rig.journal, ship({ key }), 'created', { ids: { shipment: `S-${key}` } });
    expect(await rig.move()).toEqual([451, []]);
    expect(await rig.move()).toEqual([0, []]);
    const rows = await rig.place.ask<{ key: string }>('SELECT key FROM bookings ORDER BY number');
    expect(rows.map(({ key }) => key)).toEqual(['first', ...keys]);
    const [here, there] = await tablesOf(rig);
    expect(there).toEqual(here);
  });

  test('in two processes at once copies each booking once', async () => {
    const rig = await moving();
    for (let index = 0; index < 300; index += 1)
      await booked(rig.journal, ship({ key: `K-${index}` }), 'rejected');
    const ends = await Promise.all([rig.move(), rig.move()]);
    expect(ends.reduce((sum, [copied]) => sum + copied, 0)).toBe(301);
    expect(await lookAtMove(rig.source, rig.target)).toMatchObject({ bookings: 301, there: 301, issues: [] });
  });

  test('leaves out what another machine has booked there since it was looked at, and tells it', async () => {
    const rig = await moving();
    await booked(rig.journal, ship({ key: 'twice' }), 'created', { ids: { shipment: 'S-here' } });
    await booked(rig.shared, ship({ key: 'twice' }), 'created', { ids: { shipment: 'S-there' } });
    await booked(rig.shared, ship({ key: 'of another' }), 'created', { ids: { shipment: 'S-first' } });
    const told = ['key twice', 'shipment S-first'];
    expect(await rig.move()).toEqual([1, told]);
    expect(await rig.move()).toEqual([0, ['key twice']]);
    expect(await rig.shared.named('twice')).toMatchObject([{ ids: { shipment: 'S-there' } }]);
  });

  test.each([
    [
      'a booking that is being sent',
      ({ journal }: Move) => claimed(journal, ship({ key: 'sent' })),
      ['sent'],
    ],
    [
      'a label that is being printed',
      async ({ journal }: Move) => {
        await booked(journal, label(['S-first']), 'created', {
          ids: {},
          labels: { international: { made: true } },
        });
        await journal.claimPrints(SCOPE, [ofLeg('S-first')], false);
      },
      ['S-first'],
    ],
    [
      'a list that was not written to its end',
      ({ journal, first }: Move) => journal.lists.record('toCsv', { by: 'anna', run: null }, [first]),
      ['toCsv 1'],
    ],
  ])('is prevented by %s, and nothing is written', async (_, begin, paths) => {
    const rig = await moving();
    await begin(rig);
    const look = await lookAtMove(rig.source, rig.target);
    expect(look.issues.map(({ path }) => path)).toEqual(paths);
    await expect(rig.move()).rejects.toMatchObject({ code: 'usage', facts: { issues: look.issues } });
    expect(await rig.place.ask('SELECT id FROM bookings')).toEqual([]);
    await booked(rig.journal, ship({ key: 'next' }));
  });

  test('goes on without a process that is gone', async () => {
    const rig = await moving();
    const id = await claimed(await rig.other(5), ship({ key: 'gone' }));
    await rig.dies(5);
    expect(await (await rig.other(6)).byId(id)).toMatchObject({ state: 'unknown' });
    expect(await rig.move()).toEqual([2, []]);
    expect(await rig.shared.byId(id)).toMatchObject({ state: 'unknown' });
  });

  test('and a claim at one moment: one of them wins, and the other one says so', async () => {
    for (let round = 0; round < 5; round += 1) {
      const rig = await moving();
      const [claim, move] = await Promise.allSettled([rig.journal.claim(ship({ key: 'next' })), rig.move()]);
      expect([claim.status, move.status].sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  test('keeps every other process from writing here, also one that has the journal open', async () => {
    const rig = await moving();
    const id = await booked(rig.journal, ship({ key: 'doubt' }), 'unknown');
    await rig.move();
    const refused = { code: 'storage', message: expect.stringContaining(`were moved to ${ADDRESS}`) };
    for (const write of [
      () => rig.journal.claim(ship({ key: 'next' })),
      () => settle(rig.journal, id, 'rejected'),
      () => rig.journal.recordOutcome(id, ended('created')),
      () => rig.journal.prune(NOON + LEASE_MS),
    ])
      await expect(write()).rejects.toMatchObject(refused);
    expect(await rig.journal.byId(id)).toMatchObject({ state: 'unknown' });
    const [here, there] = await tablesOf(rig);
    expect(there).toEqual(here);
  });

  test('goes to one journal', async () => {
    const rig = await moving();
    await rig.move();
    const elsewhere = { ...rig.target, identity: 'jr_0' };
    const refused = { facts: { issues: [{ path: 'ADDRESS' }] } };
    await expect(moveBookings(rig.source, elsewhere, ADDRESS, () => {})).rejects.toMatchObject(refused);
  });
});
