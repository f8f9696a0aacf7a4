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
import { expect, test } from 'vitest';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { posted, SHIPMENT } from '../rig/service.ts';

type Sees = string | RegExp;
type Put = (path: string) => void;

const SHIP = 'ship -f order.json --key K';
const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
const ADD = 'profile add shop --base-url https://api.example';

/** The content at a path, to detect a change: bytes, names, or the target of a link. */
function at(path: string): unknown {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'nothing';
  if (stat.isSymbolicLink()) return { link: readlinkSync(path) };
  if (stat.isDirectory()) return { names: readdirSync(path).sort() };
  return stat.isFile() ? { text: readFileSync(path, 'latin1') } : 'neither file nor folder';
}

const text =
  (content: string | Uint8Array): Put =>
  path =>
    writeFileSync(path, content);
const linkTo =
  (target: string): Put =>
  path =>
    symlinkSync(target, path);
const folder: Put = path => void mkdirSync(path);

/** The command says it, and ends with 10. */
function expectTold({ exitCode, stderr }: Ran, sees: readonly Sees[]): void {
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 10 });
  for (const words of sees) expect(stderr).toMatch(words);
}

const CUT = text(`{"profiles":{"shop":{"credentials":{"kind":"token","token":"${SECRET}`);
const NEWER = { shop: { baseUrl: 'https://a.example', credentials: { kind: 'passkey' } } };
/** Nobody is sent to another folder, where the journal would be empty. */
const NO_OTHER_FOLDER = /Repair its disk or rights: (?!.*WAYBILL_STATE_DIR)/s;

test.each<[what: string, path: string, put: Put, argv: string, sees: Sees]>([
  ['a config that is cut off', 'config.json', CUT, QUOTE, 'is damaged and was not changed'],
  ['a config that is cut off', 'config.json', CUT, ADD, 'is damaged and was not changed'],
  ['a config in UTF-16', 'config.json', text(Buffer.from('\ufeff{}', 'utf16le')), QUOTE, 'in UTF-8'],
  ['a config that is a list', 'config.json', text('[]'), QUOTE, 'not a JSON object'],
  ['a newer config', 'config.json', text(JSON.stringify({ profiles: NEWER })), QUOTE, 'a newer version'],
  ['a word where a value is due', 'config.json', text('{"token":"wb-secret", "x": y}'), QUOTE, 'is damaged'],
  [
    'Latin-1',
    'config.json',
    text(Buffer.from('{"profiles":{"M\u00fcller":{}}}', 'latin1')),
    QUOTE,
    'in UTF-8',
  ],
  ['a profile of text', 'config.json', text('{"profiles":{"work":"s"}}'), ADD, 'is damaged'],
  [
    'an address that is a number',
    'config.json',
    text('{"profiles":{"work":{"baseUrl":5}}}'),
    QUOTE,
    'is damaged',
  ],
  [
    'a bare credential',
    'config.json',
    text(`{"profiles":{"work":{"credentials":"${SECRET}"}}}`),
    QUOTE,
    'is damaged',
  ],
  [
    'a credential without a token',
    'config.json',
    text('{"profiles":{"w":{"credentials":{"kind":"token"}}}}'),
    QUOTE,
    'is damaged',
  ],
  ['a link to a config', 'config.json', linkTo('other.json'), ADD, 'is not a plain file'],
  ['a folder for a config', 'config.json', folder, QUOTE, 'is not a plain file'],
  ['a pipe', 'config.json', path => void execFileSync('mkfifo', [path]), QUOTE, 'is not a plain file'],
  ['a journal that links to nothing', 'journal.db', linkTo('/nowhere'), 'ship -f -', 'which is not followed'],
  ['a -wal that is a link', 'journal.db', path => linkTo('/nowhere')(`${path}-wal`), 'ship -f -', 'symbolic'],
  ['a folder for a journal', 'journal.db', folder, 'ship -f -', NO_OTHER_FOLDER],
])('%s is told and not changed, and nothing is sent', async (_, name, put, argv, sees) => {
  const rig = await createRig({ journalLost: true });
  const place = join(rig.folder, name === 'config.json' ? 'config' : 'state', name);
  mkdirSync(dirname(place), { recursive: true });
  put(place);
  const before = at(place);
  const ran = await rig.run(argv, { stdin: JSON.stringify(SHIPMENT) });
  expectTold(ran, [/the (config|journal) \S+/, sees]);
  expect([at(place), ran.requests, ran.stdout]).toEqual([before, [], '']);
});

interface Used {
  rig: Rig;
  /** `journal.db` */
  file: string;
}

/** A journal with two bookings. All of it is in one file, as after a checkpoint. */
async function used(): Promise<Used> {
  const rig = await createRig({ journalLost: true, files: { 'order.json': SHIPMENT } });
  const file = join(rig.folder, 'state', 'journal.db');
  for (const key of ['A', 'K']) {
    expect((await rig.run(`ship -f order.json --key ${key}`)).exitCode).toBe(0);
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  return { rig, file };
}

test.each<[how: string, spoil: (all: string) => string, sees: Sees]>([
  ['cut to its first page', all => all.slice(0, 4096), 'malformed'],
  ['overwritten', all => all.slice(0, 100) + '\u00ff'.repeat(all.length - 100), 'nothing was sent'],
])(
  'of a journal that was %s after a booking neither that one nor another is sent',
  async (_, spoil, sees) => {
    const { rig, file } = await used();
    writeFileSync(file, spoil(readFileSync(file, 'latin1')), 'latin1');
    const before = at(file);
    const ran = await rig.run(SHIP);
    expectTold(ran, [/the journal \S+journal\.db cannot be/, sees]);
    expect([ran.requests, at(file)]).toEqual([[], before]);
  },
);

/** Removes these files of the journal. */
const without = (file: string, ...ends: string[]) => {
  for (const end of ends) rmSync(`${file}${end}`, { force: true });
};
/** A new file, because the commands before have not ended: their process is that of the tests. */
const emptied = (file: string) => {
  without(file, '', '-wal', '-shm');
  writeFileSync(file, '');
};
const marker =
  (put: Put): Put =>
  file => {
    without(file, '-count');
    put(`${file}-count`);
  };
const giveAway: Put = path => chownSync(path, 12345, 12345);

/** The journal stays lost. */
const stillLost = async ({ rig }: Used) =>
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 10, requests: [] });
/** The journal is complete: once a person says so it goes on, and knows its keys. */
const goesOn = async ({ rig, file }: Used) => {
  expect((await rig.run('history check --restored --reason known')).exitCode).toBe(0);
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
  expect(readFileSync(`${file}-count`, 'utf8')).toMatch(/^0+2 /);
};

const LOST = /the journal \S+journal\.db is missing or empty, but it held bookings/;
const NO_MARKER = /the count of bookings \S+journal\.db-count cannot be used: /;

test.each<
  [how: string, lose: Put, sees: readonly Sees[], then?: (used: Used) => Promise<void>, argv?: string]
>([
  ['that was emptied, and is listed', emptied, [LOST, '--new-journal'], stillLost, 'history list'],
  [
    'that is an empty database now',
    file => {
      without(file, '', '-wal', '-shm');
      new DatabaseSync(file).exec('CREATE TABLE t (a)');
    },
    [/it held 2, now 0/, '--new-journal'],
  ],
  ['whose marker is damaged', marker(text('twelve\n')), [NO_MARKER, 'it is damaged'], goesOn],
  ['whose marker is a folder', marker(folder), [NO_MARKER, 'it is not a plain file']],
  ['whose marker is a link', marker(linkTo('elsewhere')), [NO_MARKER, 'it is not a plain file']],
])('of a journal %s the loss is told, and nothing is sent', async (_, lose, sees, then, argv = SHIP) => {
  const memory = await used();
  lose(memory.file);
  const ran = await memory.rig.run(argv);
  expectTold(ran, ['nothing was sent', ...sees]);
  expect(posted(ran)).toEqual([]);
  await then?.(memory);
});

test.skipIf(process.getuid?.() !== 0)(
  'a journal or a marker that belongs to another user is not used',
  async () => {
    const marked = await used();
    giveAway(`${marked.file}-count`);
    expectTold(await marked.rig.run(SHIP), ['belongs to another user than the journal', 'nothing was sent']);
    await goesOn(marked);
    const { rig, file } = await used();
    giveAway(file);
    expectTold(await rig.run(SHIP), ['(id 12345), not root', 'nothing was sent', 'WAYBILL_STATE_DIR']);
  },
);

test('an empty file of nobody is no journal, in CI against production', async () => {
  const { rig, file } = await used();
  emptied(file);
  without(file, '-count');
  const ran = await rig.run(SHIP, { env: { CI: '1', WAYBILL_BASE_URL: 'https://service.invalid' } });
  expectTold(ran, [/there is no journal at \S+journal\.db yet/, 'nothing was sent', '--new-journal']);
});

test.each<[how: string, change: Put]>([
  ['with its folder', file => rmSync(dirname(file), { recursive: true })],
  ['by moving its folder', file => renameSync(dirname(file), `${dirname(file)}-moved`)],
  ['alone', file => rmSync(file)],
  ['with its log', file => rmSync(`${file}-wal`)],
  [
    'for a copy',
    file => {
      copyFileSync(file, `${file}-copy`);
      renameSync(`${file}-copy`, file);
    },
  ],
])('a booking in flight whose journal is taken away %s is told with its id', async (_, change) => {
  const { rig, file } = await used();
  const ran = await rig.run('ship -f order.json --key NEW -q', { onRequest: () => change(file) });
  // The message is for either case: the journal may be gone with the booking, or come back.
  expectTold(ran, [
    /it was deleted, moved or replaced/,
    'Keep this message',
    `booked as ${ran.stdout.trim()}. The journal could not record this: `,
    /as unknown, and .* A journal without it books it again: `waybill history import FILE`/,
  ]);
  expect(posted(ran)).toHaveLength(1);
});
