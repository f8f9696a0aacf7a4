// A config and a journal that are damaged, lost, or something else. That a journal lost what it held is told, before a command or
// while one books: nothing is sent again without a word. More of that is in promises/journal.
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { createRig, type Rig, type RunOptions } from '../rig/command.ts';
import { type End, type Fault, fault, runFaults } from '../rig/fault.ts';
import { SECRET } from '../rig/oracles.ts';
import { posted, SHIPMENT } from '../rig/service.ts';

const SHIP = 'ship -f order.json --key K';
const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';

/** The content at a path, to detect a change: bytes, names, or the target of a link. */
function at(path: string): unknown {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'nothing';
  if (stat.isSymbolicLink()) return { link: readlinkSync(path) };
  if (stat.isDirectory()) return { names: readdirSync(path).sort() };
  return stat.isFile() ? { text: readFileSync(path, 'latin1') } : 'neither file nor folder';
}

type Put = (path: string) => void;
const text =
  (content: string | Uint8Array): Put =>
  path =>
    writeFileSync(path, content);
const linkTo =
  (target: string): Put =>
  path =>
    symlinkSync(target, path);
const pipe: Put = path => void execFileSync('mkfifo', [path]);

// In the place of the config and the journal.

/** Something is in the way: it is reported and not changed, and nothing is sent. */
const inTheWay = (when: string, path: string, put: Put, argv: string, end: End): Fault =>
  fault(`${when}: ${argv}`, end, async () => {
    const rig = await createRig({ journalLost: true });
    const place = join(rig.folder, path);
    mkdirSync(dirname(place), { recursive: true });
    put(place);
    const before = at(place);
    const ran = await rig.run(argv, { stdin: JSON.stringify(SHIPMENT) });
    expect([at(place), ran.requests, ran.stdout]).toEqual([before, [], '']);
    return ran;
  });

const config = (when: string, put: Put, words: string, argv = QUOTE): Fault =>
  inTheWay(`the config is ${when}`, 'config/config.json', put, argv, [10, /the config \S+\.json/, words]);
const journal = (when: string, put: Put, words: string | RegExp, argv = 'ship -f -'): Fault =>
  inTheWay(`the journal is ${when}`, 'state/journal.db', put, argv, [10, /the journal \S+\.db/, words]);

const ADD = 'profile add shop --base-url https://api.example';
const DAMAGED = 'is damaged and was not changed';
const CUT = `{"profiles":{"shop":{"credentials":{"kind":"token","token":"${SECRET}`;
const NEWER = JSON.stringify({
  profiles: { shop: { baseUrl: 'https://a.example', credentials: { kind: 'passkey' } } },
});

/** A journal with two bookings. All of it is in one file, as after a checkpoint. */
async function used(): Promise<{ rig: Rig; memory: Memory }> {
  const rig = await createRig({ journalLost: true, files: { 'order.json': SHIPMENT } });
  const folder = join(rig.folder, 'state');
  const file = join(folder, 'journal.db');
  for (const key of ['A', 'K']) {
    expect((await rig.run(`ship -f order.json --key ${key}`)).exitCode).toBe(0);
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  return { rig, memory: { folder, file } };
}

interface Memory {
  folder: string;
  /** `journal.db` */
  file: string;
}

/** Damages the journal after a booking. Neither that booking nor another one is sent. */
const spoilt = (when: string, spoil: (text: string) => string, words: string | RegExp): Fault =>
  fault(
    `the journal, after a booking, is ${when}`,
    [10, /the journal \S+journal\.db cannot be/, words],
    async () => {
      const { rig, memory } = await used();
      writeFileSync(memory.file, spoil(readFileSync(memory.file, 'latin1')), 'latin1');
      const before = at(memory.file);
      const ran = await rig.run(SHIP);
      expect([ran.requests, at(memory.file)]).toEqual([[], before]);
      return ran;
    },
  );

runFaults('files of the command', [
  config('cut off', text(CUT), DAMAGED),
  config('cut off', text(CUT), DAMAGED, ADD),
  config('UTF-16', text(Buffer.from('\ufeff{}', 'utf16le')), 'not a JSON object in UTF-8'),
  config('a list', text('[]'), 'not a JSON object'),
  config('of a newer version', text(NEWER), 'or was written by a newer version of waybill'),
  config('a link to a file', linkTo('other.json'), 'is not a plain file', ADD),
  config('a folder', path => mkdirSync(path), 'is not a plain file'),
  config('a pipe without a writer', pipe, 'is not a plain file'),
  journal('a link to nothing', linkTo('/nowhere/journal.db'), 'is a symbolic link, which is not followed'),
  journal('fine, and its -wal a link', path => symlinkSync('/nowhere', `${path}-wal`), 'is a symbolic link'),
  // Nobody is sent to another folder, where it would be empty.
  journal(
    'a folder',
    path => mkdirSync(path),
    /cannot be opened: .*; nothing was sent\. Repair its disk or its rights: (?!.*WAYBILL_STATE_DIR)/s,
  ),
  spoilt('cut to its first page', all => all.slice(0, 4096), 'malformed'),
  spoilt('overwritten', all => all.slice(0, 100) + '\u00ff'.repeat(all.length - 100), 'nothing was sent'),
]);

// A journal that lost something.

interface Loss extends Pick<RunOptions, 'env'> {
  argv?: string;
  after?(rig: Rig, memory: Memory): Promise<void>;
}

/** The loss is told, and nothing is sent. */
const loss = (
  when: string,
  lose: (memory: Memory) => void,
  end: End,
  { argv = SHIP, env = {}, after }: Loss = {},
): Fault =>
  fault(when, end, async () => {
    const { rig, memory } = await used();
    lose(memory);
    const ran = await rig.run(argv, { env });
    expect(posted(ran)).toEqual([]);
    await after?.(rig, memory);
    return ran;
  });

/** Removes these files of the journal. */
const without = (file: string, ...ends: string[]) => {
  for (const end of ends) rmSync(`${file}${end}`, { force: true });
};
const emptied = ({ file }: Memory) => {
  // A new file, because the commands before have not ended: their process is that of the tests.
  without(file, '', '-wal', '-shm');
  writeFileSync(file, '');
};
const marker =
  (put: Put) =>
  ({ file }: Memory) => {
    without(file, '-count');
    put(`${file}-count`);
  };

const EMPTY: End = [
  10,
  /the journal \S+journal\.db is missing or empty, but it held bookings/,
  'nothing was sent',
  '--new-journal',
];
const NONE: End = [10, /there is no journal at \S+journal\.db yet/, 'nothing was sent', '--new-journal'];
const NO_MARKER = /journal\.db-count, .*cannot be used: /;
const IN_CI = { CI: '1', WAYBILL_BASE_URL: 'https://service.invalid' };
const RESTORED = 'history check --restored --reason known';

/** The journal is complete: once a person says so it goes on, and knows its keys. */
const goesOnWithAll = async (rig: Rig, { file }: Memory) => {
  expect((await rig.run(RESTORED)).exitCode).toBe(0);
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
  expect(readFileSync(`${file}-count`, 'utf8')).toMatch(/^0+2 /);
};
const stillLost = async (rig: Rig) =>
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 10, requests: [] });

/** While a booking is in flight: it was made, so its id is told, and that the journal does not know it. */
const inFlight = (when: string, change: (memory: Memory) => void): Fault =>
  fault(
    `while a booking is in flight, ${when}`,
    [10, /it was deleted, moved or replaced/, 'Keep this message'],
    async () => {
      const { rig, memory } = await used();
      const ran = await rig.run('ship -f order.json --key NEW -q', { onRequest: () => change(memory) });
      expect(posted(ran)).toHaveLength(1);
      expect(ran.stderr).toContain(
        `it was booked as ${ran.stdout.trim()}. The journal could not record this: `,
      );
      // The message is for either case: the journal may be gone with the booking, or come back.
      expect(ran.stderr).toMatch(
        /as unknown, and .* If the journal has lost that booking, .*`waybill history import`/,
      );
      return ran;
    },
  );

runFaults('a journal that lost something', [
  loss('it was emptied, and is listed', emptied, EMPTY, { argv: 'history list', after: stillLost }),
  loss(
    'an empty database was put in its place',
    ({ file }) => {
      without(file, '', '-wal', '-shm');
      new DatabaseSync(file).exec('CREATE TABLE t (a)');
    },
    [10, /has lost bookings: the newest is number 0, and it held 2/, 'nothing was sent', '--new-journal'],
  ),
  loss(
    'its marker is damaged',
    marker(text('twelve\n')),
    [10, NO_MARKER, 'does not have two numbers', 'nothing was sent'],
    {
      after: goesOnWithAll,
    },
  ),
  loss(
    'its marker is a folder',
    marker(path => mkdirSync(path)),
    [10, NO_MARKER, 'EISDIR'],
  ),
  loss('its marker is a link', marker(linkTo('elsewhere')), [10, NO_MARKER, 'ELOOP', 'nothing was sent']),
  {
    ...loss(
      'its marker belongs to another user',
      ({ file }) => chownSync(`${file}-count`, 12345, 12345),
      [10, 'it belongs to another user than the journal', 'nothing was sent'],
      { after: goesOnWithAll },
    ),
    skip: process.getuid?.() !== 0 && 'only root can give a file to somebody else',
  },
  {
    ...loss('it belongs to another user, and this is root', ({ file }) => chownSync(file, 12345, 12345), [
      10,
      'belongs to another user (id 12345), and this is root',
      'nothing was sent',
      'WAYBILL_STATE_DIR',
    ]),
    skip: process.getuid?.() !== 0 && 'only root can give a file to somebody else',
  },
  loss(
    'it is an empty file of nobody, in CI against production',
    memory => {
      emptied(memory);
      without(memory.file, '-count');
    },
    NONE,
    { env: IN_CI },
  ),
  inFlight('the state folder is deleted', ({ folder }) => rmSync(folder, { recursive: true })),
  inFlight('the state folder is moved', ({ folder }) => renameSync(folder, `${folder}-moved`)),
  inFlight('the journal is deleted', ({ file }) => rmSync(file)),
  inFlight('the log of the journal is deleted', ({ file }) => rmSync(`${file}-wal`)),
  inFlight('the journal is replaced by a copy', ({ file }) => {
    copyFileSync(file, `${file}-copy`);
    renameSync(`${file}-copy`, file);
  }),
]);
