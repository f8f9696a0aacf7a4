// The files of a journal of this machine: what says that it was used and is where it was opened, and text in it that is not
// UTF-8, as one flipped bit on a disk makes it. The engine would give other characters and say nothing.
import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/host/sqlite.ts';
import { openReadOnlyView } from '../../../src/journal/sqlite/read-only.ts';
import { createRig } from '../../rig/command.ts';
import { booked, claimed, journalRig, ship } from '../../rig/journal.ts';
import { temporaryFolder } from '../../rig/profile.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

/** How many bookings it says that there were. */
const count = (where: string) => Number(readFileSync(`${where}-count`, 'utf8').split(' ')[0]);

test('the marker is a private file, made with the first booking, with the number of the newest', async () => {
  const { journal, where } = await journalRig();
  await journal.list({});
  expect(existsSync(`${where}-count`)).toBe(false);
  await booked(journal, ship({ key: 'A' }));
  expect([count(where), statSync(`${where}-count`).mode & 0o777]).toEqual([1, 0o600]);
  await Promise.all(['B', 'C', 'D'].map(key => claimed(journal, ship({ key }))));
  expect(count(where)).toBe(4);
});

test.each(['', '\n', '\0'.repeat(16), '000000000000001 0000000000\n', undefined])(
  'a marker that a power failure left as %j, or that is behind, is written again',
  async text => {
    const { journal, where, other } = await journalRig();
    for (const key of ['A', 'B']) await booked(journal, ship({ key }));
    if (text === undefined) rmSync(`${where}-count`);
    else writeFileSync(`${where}-count`, text);
    await other(2);
    expect(count(where)).toBe(2);
  },
);

test('a marker that cannot be written stops no booking', async () => {
  const { journal, where } = await journalRig();
  writeFileSync(`${where}-elsewhere`, '');
  await journal.list({});
  // In place of the file there is a link, which is not followed.
  symlinkSync(`${where}-elsewhere`, `${where}-count`);
  await booked(journal, ship({ key: 'A' }));
  expect(readFileSync(`${where}-elsewhere`, 'utf8')).toBe('');
});

test.each([
  ['deleted', (where: string) => rmSync(where)],
  ['moved with its folder', (where: string) => renameSync(dirname(where), `${dirname(where)}-moved`)],
])(
  'nothing is claimed or read in a journal that was %s, and the new one there is left alone',
  async (_, change) => {
    const { journal, where, other } = await journalRig();
    const id = await claimed(journal, ship({ key: 'A' }));
    change(where);
    rmSync(`${where}-count`, { force: true });
    rmSync(`${where}-reserve`, { force: true });
    const fresh = await other(2);
    await booked(fresh, ship({ key: 'B' }));
    for (const work of [journal.claim(ship({ key: 'C' })), journal.list({}), journal.byId(id)])
      await expect(work).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining('it was deleted, moved or replaced while in use'),
      });
    await journal.close();
    expect(existsSync(`${where}-wal`)).toBe(true);
    expect((await fresh.list({})).map(({ key }) => key)).toEqual(['B']);
  },
);

function spoil(file: string, change: string): void {
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(change);
  database.close();
}

const BYTES = "CAST(x'4bff' AS TEXT)";

/** As a booking has it. */
const nameOf = (column: string) => column.replace(/_[a-z]/g, ([, letter = '']) => letter.toUpperCase());

const TEXTS =
  'id address account operation key_space key fingerprint source state profile holder request code why answer ids labels files';

test.each(TEXTS.split(' '))('a damaged %s is named, and no booking with it is shown', async column => {
  const { journal, where } = await journalRig();
  const id = await booked(journal, ship({ key: 'K' }));
  spoil(where, `PRAGMA foreign_keys = OFF; UPDATE bookings SET ${column} = ${BYTES}`);
  const message =
    column === 'id' ? 'the text "id" is not UTF-8' : `the text "${nameOf(column)}" of ${id} is not UTF-8`;
  await expect(journal.list({})).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringMatching(new RegExp(`cannot be read: it is damaged: ${message}. Put it back`)),
  });
});

const JSON_COLUMNS = 'holder ids labels milestones files request';

test.each([
  ['state', "'createe'"],
  ['operation', "'shiq'"],
  ['code', "'outcome'"],
  ...JSON_COLUMNS.split(' ').flatMap(column => [`'{"a":'`, "'7'", "'[]'"].map(json => [column, json])),
  ...['at', 'settled_at', 'http_status'].flatMap(column => [
    [column, '-1'],
    [column, '253402300800000'],
  ]),
])('a %s that is %s is named', async (column, value) => {
  const { journal, where } = await journalRig();
  const id = await booked(journal, ship({ key: 'K' }));
  spoil(where, `UPDATE bookings SET ${column} = ${value}`);
  await expect(journal.byId(id)).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining(`it is damaged: "${nameOf(column)}" of booking ${id}`),
    notice: {
      kind: 'journal-file-failed',
      problem: 'damaged',
      why: { fault: 'damaged', part: 'column', column: nameOf(column), booking: id },
    },
  });
});

const WITHOUT_KEY = `CREATE TABLE spare AS SELECT * FROM labels; DROP TABLE labels; ALTER TABLE spare RENAME TO labels`;

test.each([
  [
    'the index of keys',
    'DROP INDEX one_key',
    'bookings has no unique index for address, account, key_space, key_id',
  ],
  [
    'an index of keys that is unique',
    'DROP INDEX one_key; CREATE INDEX one_key ON bookings (address, account, key_space, key_id) WHERE key_id IS NOT NULL',
    'bookings has no unique index for address, account, key_space, key_id',
  ],
  [
    'an index of keys that leaves out those that were released',
    'DROP INDEX one_key; CREATE UNIQUE INDEX one_key ON bookings (address, account, key_space, key_id)',
    'bookings has no unique index for address, account, key_space, key_id',
  ],
  ['a primary key', WITHOUT_KEY, 'labels has no unique index for address, account, leg, shipment'],
  [
    'the unique index of restorations',
    'CREATE TABLE spare AS SELECT * FROM restorations; DROP TABLE restorations; CREATE TABLE restorations (number INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER, person TEXT, reason TEXT, run TEXT, missing_since INTEGER); INSERT INTO restorations SELECT * FROM spare; DROP TABLE spare',
    'restorations has no unique index for id',
  ],
])('a journal without %s books nothing, and is read with a warning', async (_, change, why) => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT } });
  const ship = (key: string) => rig.run(`ship order.json --key ${key} --allow-duplicate --json`);
  expect((await ship('A-1')).exitCode).toBe(0);
  spoil(join(rig.folder, 'state', 'journal.db'), change);
  const ran = await ship('A-2');
  expect([ran.exitCode, posted(ran)]).toEqual([10, []]);
  expect(errorOf(ran)).toMatchObject({ code: 'storage', message: expect.stringContaining(why) });
  expect((await rig.run('history check --json')).exitCode).toBe(10);
  const list = await rig.run('history list --json');
  expect([list.exitCode, JSON.parse(list.stdout).length]).toEqual([0, 1]);
  expect(list.stderr).toContain(why);
});

test('the index of keys is made again as the error says', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT } });
  const file = join(rig.folder, 'state', 'journal.db');
  expect((await rig.run('ship order.json --key A-1')).exitCode).toBe(0);
  spoil(file, 'DROP INDEX one_key');
  const { message } = errorOf(await rig.run('ship order.json --key A-1 --json'));
  spoil(file, /DROP INDEX.*?(?=\. If)/.exec(message)?.[0] ?? 'none');
  expect((await rig.run('ship order.json --key A-1')).exitCode).toBe(0);
});

test('a damaged key in one index is found by another one, and is not claimed again', async () => {
  const { journal, where } = await journalRig();
  const id = await booked(journal, ship({ key: 'K' }));
  // The index is left without the row, as if its text were another one.
  spoil(
    where,
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_master SET sql = replace(sql, 'key_id IS NOT NULL', 'key_id IS NULL') WHERE name = 'one_key';
     PRAGMA writable_schema = RESET; REINDEX one_key;
     PRAGMA writable_schema = ON;
     UPDATE sqlite_master SET sql = replace(sql, 'key_id IS NULL', 'key_id IS NOT NULL') WHERE name = 'one_key';
     PRAGMA writable_schema = RESET;`,
  );
  expect(await journal.obstacle(ship({ key: 'K' }))).toBeUndefined();
  expect(await journal.claim(ship({ key: 'K' }))).toMatchObject({ kind: 'taken', booking: { id } });
});

test('the view of completion and an import reject, and the labels of a shipment are named', async () => {
  const { journal, where } = await journalRig();
  const id = await booked(journal, ship({ key: 'K' }));
  await journal.saveLabel(id, 'international', Buffer.from('%PDF'), 'one.pdf');
  spoil(where, `UPDATE bookings SET key = ${BYTES}; UPDATE label_files SET pdf = ${BYTES}`);
  const view = await openReadOnlyView(where, () => false);
  expect(() => view.find('')).toThrow('the text "key"');
  view.close();
  await expect(journal.savedLabel(id, 'international')).rejects.toThrow('the text "pdf" is not UTF-8');
});

test('in the data of the emulator it is an error, too; sound text is read as it was written, but for a NUL', async () => {
  const store = await openStore(join(temporaryFolder(), 'data.db'), {
    durability: 'normal',
    schema: { version: 1, create: 'CREATE TABLE words (id TEXT, word TEXT)' },
  });
  const words = ['', 'ü', '\ufeffmark', 'a\0b', '😀'];
  for (const word of words) store.run('INSERT INTO words VALUES (?, ?)', 'W', word);
  expect(store.all<{ word: string }>('SELECT word FROM words').map(({ word }) => word)).toEqual(
    words.map(word => word.replace('\0', '\ufffd')),
  );
  for (const bytes of [BYTES, "CAST(x'4b0041' AS TEXT)"]) {
    store.run('DELETE FROM words');
    store.run(`INSERT INTO words VALUES ('W', ${bytes})`);
    expect(() => store.all('SELECT id, word FROM words')).toThrow('the text "word" of W is not UTF-8');
  }
  store.close();
});
