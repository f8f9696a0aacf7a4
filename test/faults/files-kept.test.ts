// Damaged files, links and folders in place of the config and the journal.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { expect } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { SHIPMENT } from '../rig/service.ts';
import { type Fault, runFaults } from './fault.ts';
import { at, leftAlone, makePipe } from './files-rig.ts';

const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
const CONFIG = 'config/config.json';
const JOURNAL = 'state/journal.db';

/** Rows for a command that reads the config and for one that changes it. */
const config = (when: string, sees: Fault['sees'], put: (path: string) => void): Fault[] => {
  const row = { exit: 10, sees: [/the config \S+config\.json/, ...sees], path: CONFIG, put };
  return [
    leftAlone({ ...row, when: `${when} and a request is made`, argv: QUOTE }),
    leftAlone({
      ...row,
      when: `${when} and a profile is added`,
      argv: 'profile add shop --base-url https://api.example',
    }),
  ];
};

const damaged = (when: string, text: string | Uint8Array, ...sees: string[]): Fault[] =>
  config(`the config ${when}`, ['is damaged and was not changed', ...sees, 'nothing was sent'], path =>
    writeFileSync(path, text),
  );

/** The same for the journal: nothing is booked without a record. */
const journal = (when: string, sees: Fault['sees'], put: (path: string) => void, argv = 'ship -f -'): Fault =>
  leftAlone({ when, exit: 10, sees: [/the journal \S+journal\.db/, ...sees], path: JOURNAL, argv, put });

const newer = (path: string): void => {
  const database = new Database(path);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE bookings (id TEXT); PRAGMA user_version = 99;');
  database.close();
};

const profileWith = (credentials: unknown): string =>
  JSON.stringify({ profiles: { shop: { baseUrl: 'https://api.example', credentials } } });

/** A file in place of a folder of the command. */
const noFolder = (when: string, variable: string, argv: string, sees: Fault['sees'], put = true): Fault => ({
  when,
  sees,
  exit: 10,
  skip: !put && !existsSync('/sys') && 'there is no folder that root cannot write to',
  async happen() {
    const rig = await createRig({ journalLost: true });
    const place = join(rig.folder, 'ours');
    if (put) writeFileSync(place, 'a file');
    const folder = put ? join(place, 'deep') : '/sys/waybill';
    const ran = await rig.run(argv, { env: { [variable]: folder }, stdin: '{}' });
    expect([ran.requests, ran.stdout, at(place)]).toEqual([[], '', put ? { text: 'a file' } : 'nothing']);
    return ran;
  },
});

const SHIP = 'ship -f order.json --key K';

/** Damages the journal after a booking. Neither that booking nor another one is sent. */
const brokenLater = (when: string, spoil: (path: string) => void, sees: Fault['sees']): Fault => ({
  when,
  sees,
  exit: 10,
  async happen() {
    const rig: Rig = await createRig({ journalLost: true });
    rig.file('order.json', SHIPMENT);
    expect((await rig.run(SHIP)).exitCode).toBe(0);
    const path = join(rig.folder, JOURNAL);
    const database = new Database(path);
    // Otherwise everything is in the WAL too and is read from there.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    spoil(path);
    const before = at(path);
    const ran = await rig.run(SHIP);
    expect([ran.requests, at(path)]).toEqual([[], before]);
    return ran;
  },
});

runFaults('files of the command', [
  ...damaged('is empty', ''),
  ...damaged('is blank', '\n\n'),
  ...damaged(
    'is cut off',
    `{"profiles":{"shop":{"credentials":{"kind":"token","token":"${SECRET}`,
    'not JSON',
  ),
  ...damaged(
    'was edited by hand and has a typo',
    profileWith({ kind: 'token', token: SECRET }).replace('}', ',}'),
  ),
  ...damaged('is UTF-16', Buffer.from(`\ufeff${profileWith(undefined)}`, 'utf16le'), 'not JSON in UTF-8'),
  ...damaged('is a list', '[]', 'not a JSON object'),
  ...damaged(
    'is of a newer version and has an unknown kind of credentials',
    profileWith({ kind: 'passkey', secret: SECRET }),
    'profiles.shop.credentials',
    'or was written by a newer version of waybill',
  ),
  ...config('the config is a symbolic link to a file', ['is not a plain file'], path => {
    writeFileSync(join(dirname(path), 'other.json'), '{"profiles":{}}');
    symlinkSync('other.json', path);
  }),
  ...config('the config is a symbolic link to nothing', ['is not a plain file'], path =>
    symlinkSync('/nowhere/config.json', path),
  ),
  ...config('the config is a folder', ['is not a plain file'], path => mkdirSync(path)),
  ...config('the config is a pipe without a writer', ['is not a plain file'], path => makePipe(path)),
  journal('the journal is no database', ['cannot be opened', 'nothing was sent'], path =>
    writeFileSync(path, 'not a database, whatever its name says. '.repeat(100)),
  ),
  journal(
    'the journal is no database and `history list` runs',
    ['cannot be opened'],
    path => writeFileSync(path, 'not a database, whatever its name says. '.repeat(100)),
    'history list',
  ),
  journal(
    'the journal is of a newer version',
    ['was written by a newer version of waybill', 'nothing was sent'],
    newer,
  ),
  journal(
    'the journal is of a newer version and `history list` runs',
    ['was written by a newer version of waybill'],
    newer,
    'history list',
  ),
  journal('the journal is a symbolic link', ['is a symbolic link, which is not followed'], path => {
    newer(join(dirname(path), 'other.db'));
    symlinkSync('other.db', path);
  }),
  journal('the journal is a symbolic link to nothing', ['is a symbolic link, which is not followed'], path =>
    symlinkSync('/nowhere/journal.db', path),
  ),
  journal('the companion file of the journal is a symbolic link', ['is a symbolic link'], path =>
    symlinkSync('/nowhere/wal', `${path}-wal`),
  ),
  journal('the journal is a folder', ['cannot be opened', 'nothing was sent'], path => mkdirSync(path)),
  brokenLater(
    'the journal is cut to its first page',
    path => {
      const { text } = at(path) as { text: string };
      writeFileSync(path, text.slice(0, 4096), 'latin1');
    },
    [/the journal \S+journal\.db cannot be opened: .*malformed/, 'nothing was sent'],
  ),
  brokenLater(
    'the pages of the journal are overwritten',
    path => {
      const { text } = at(path) as { text: string };
      writeFileSync(path, text.slice(0, 100) + '\u00ff'.repeat(text.length - 100), 'latin1');
    },
    [/the journal \S+journal\.db cannot be/, 'nothing was sent'],
  ),
  brokenLater(
    'one bit of a text in the journal is flipped',
    path => {
      const { text } = at(path) as { text: string };
      const place = text.indexOf('"host"');
      writeFileSync(path, `${text.slice(0, place)}\u00a2${text.slice(place + 1)}`, 'latin1');
    },
    [
      /the journal \S+journal\.db cannot be read: it is damaged: the text "holder" of bk_\w+ is not UTF-8/,
      'from a backup',
    ],
  ),
  noFolder(
    'a file is where the folder of the config should be',
    'WAYBILL_CONFIG_DIR',
    'profile add shop --base-url https://api.example',
    ['the config', /ENOTDIR|EEXIST/],
  ),
  noFolder(
    'the folder of the config cannot be written to',
    'WAYBILL_CONFIG_DIR',
    'profile add shop --base-url https://api.example',
    ['the config', 'cannot be written', /EPERM|EROFS|EACCES/],
    false,
  ),
  noFolder(
    'a file is where the folder of the journal should be',
    'WAYBILL_STATE_DIR',
    'label --international S-1',
    ['the journal', 'cannot be opened', 'nothing was sent'],
  ),
  noFolder(
    'the folder of the journal cannot be written to',
    'WAYBILL_STATE_DIR',
    'label --international S-1',
    ['the journal', 'cannot be opened', 'nothing was sent'],
    false,
  ),
]);
