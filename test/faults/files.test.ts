// Files and folders that are damaged, lost, or in the way. A journal that lost what it held is told, before a command or while
// one books: nothing is sent again without a word.
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
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
import { createRig, type Ran, type Rig, type RunOptions } from '../rig/command.ts';
import { type End, type Fault, fault, runFaults } from '../rig/fault.ts';
import { SECRET } from '../rig/oracles.ts';
import { cannedService, posted, SHIPMENT } from '../rig/service.ts';
import { http, type Raw, type Reply, rawServer, script } from '../rig/sockets.ts';

const SHIP = 'ship -f order.json --key K';
const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
const LABEL = 'label --international S-1';

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

const newer: Put = path => {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE bookings (id TEXT); PRAGMA user_version = 99;');
  database.close();
};

/** A journal with two bookings. All of it is in one file, as after a checkpoint. */
async function used(): Promise<{ rig: Rig; memory: Memory }> {
  const rig = await createRig({ journalLost: true, files: { 'order.json': SHIPMENT } });
  const folder = join(rig.folder, 'state');
  const file = join(folder, 'journal.db');
  const older = join(rig.folder, 'older.db');
  for (const key of ['A', 'K']) {
    if (existsSync(file)) copyFileSync(file, older);
    expect((await rig.run(`ship -f order.json --key ${key}`)).exitCode).toBe(0);
    const database = new DatabaseSync(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  return { rig, memory: { folder, file, older } };
}

interface Memory {
  folder: string;
  /** `journal.db` */
  file: string;
  /** A copy of it from before its last booking. */
  older: string;
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
  config('empty', text(''), DAMAGED),
  config('cut off', text(CUT), DAMAGED),
  config('cut off', text(CUT), DAMAGED, ADD),
  config('UTF-16', text(Buffer.from('\ufeff{}', 'utf16le')), 'not a JSON object in UTF-8'),
  config('a list', text('[]'), 'not a JSON object'),
  config('of a newer version', text(NEWER), 'or was written by a newer version of waybill'),
  config('a link to a file', linkTo('other.json'), 'is not a plain file'),
  config('a link to a file', linkTo('other.json'), 'is not a plain file', ADD),
  config('a folder', path => mkdirSync(path), 'is not a plain file'),
  config('a pipe without a writer', pipe, 'is not a plain file'),
  journal('no database', text('not a database, whatever its name says. '.repeat(100)), 'cannot be opened'),
  journal('of a newer version', newer, 'was written by a newer version of waybill'),
  journal('of a newer version', newer, 'was written by a newer version of waybill', 'history list'),
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
  spoilt(
    'one bit of a text away from what it was',
    all => all.replace('"host"', '\u00a2host"'),
    /it is damaged: the text "holder" of bk_\w+ is not UTF-8.*from a backup/s,
  ),
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
const putBack = ({ file, older }: Memory) => {
  without(file, '-wal', '-shm');
  copyFileSync(older, file);
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

/** `--new-journal` goes on, and the next command needs it no more. */
const goesOn = async (rig: Rig) => {
  expect(posted(await rig.run(`${SHIP} --new-journal`))).toHaveLength(1);
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
};
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
  loss('it was emptied', emptied, EMPTY, { after: goesOn }),
  loss('it was emptied, in CI against production', emptied, EMPTY, { env: IN_CI }),
  loss('it was emptied, and is listed', emptied, EMPTY, { argv: 'history list', after: stillLost }),
  loss('it was deleted, its marker was not', ({ file }) => without(file, '', '-wal', '-shm'), EMPTY, {
    after: stillLost,
  }),
  loss(
    // What a booking meets then is in test/session/put-back.test.ts.
    'an older copy is listed: what is left is shown with a warning',
    putBack,
    [0, /"warning":.*has lost bookings/],
    { argv: 'history list --json', after: stillLost },
  ),
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
    'there is none, and one is required',
    ({ folder }) => rmSync(folder, { recursive: true }),
    [...NONE, 'WAYBILL_REQUIRE_JOURNAL is set'],
    { env: { WAYBILL_REQUIRE_JOURNAL: '1' }, after: goesOn },
  ),
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

// Labels: links to forbidden addresses, what is no PDF, files in the way, and names that a file must not get.

const PDF = `%PDF-1.7\n${'label '.repeat(100)}\n%%EOF\n`;
const MAKE = 'POST /v2/carriers/create';

interface Download {
  /** The link in the answer, if it does not lead to the label server. */
  link?: string;
  /** What the label server answers; else the PDF. */
  reply?: string | Reply;
  /** Prepares the folder of labels. */
  before?(folder: string): void;
  after?(folder: string, server: Raw): void;
  options?(server: Raw): RunOptions;
  more?: string;
}

/** Runs `label --download` and checks its output and its folder. */
async function download({
  link,
  reply = http(200, PDF),
  before,
  after,
  options,
  more = '',
}: Download): Promise<Ran> {
  const server = await rawServer(typeof reply === 'string' ? script(reply) : reply);
  const label = { success: true, trackingNumber: 'T-1', label: link ?? new URL('/l.pdf', server.url).href };
  const body = { success: true, international: label };
  const { env, seen } = await cannedService({ '/v2/carriers/create': { status: 200, body } });
  const rig = await createRig({ journalLost: true, env });
  const folder = join(rig.folder, 'labels');
  mkdirSync(folder);
  before?.(folder);
  const ran = await rig.run(`${LABEL} --download labels ${more}`, options?.(server));
  // The label is paid for, so it is shown even if its file is not saved.
  expect(ran.stdout).toContain('T-1');
  expect(seen).toEqual([MAKE]);
  for (const request of server.requests) expect(request).not.toMatch(/authorization|demo|cookie/i);
  // No incomplete file remains.
  expect(readdirSync(folder).filter(name => name.includes('waybill'))).toEqual([]);
  after?.(folder, server);
  return ran;
}

/** The label exists, must not be made again, and can be had later. */
const MADE: End = [
  9,
  'the international label was made, but not saved',
  'Do not make it again',
  /`waybill label --international S-1 --download \S+` saves this one|ask the service for its file/,
];

/** What the label server does, so many times. */
const answered = (
  when: string,
  reply: string | Reply,
  times: number,
  why: string | RegExp,
  more: Download = {},
): Fault =>
  fault(`the link of a label ${when}`, [...MADE, why], () =>
    download({
      reply,
      after(folder, server) {
        expect(server.requests).toHaveLength(times);
        expect(readdirSync(folder)).toEqual([]);
      },
      ...more,
    }),
  );
const LATE = { more: '--retries 0', options: (server: Raw) => ({ patience: server.received(1) }) };

runFaults('links of labels', [
  // Each link that is not followed is in test/service/network.test.ts.
  fault(
    'the link of a label leads to the credentials of a cloud',
    [...MADE, 'its link leads to the metadata service of a cloud, but the service is not there'],
    () =>
      download({
        link: 'https://169.254.169.254/l.pdf',
        after: (_, server) => expect(server.connections()).toBe(0),
      }),
  ),
  answered('is an empty file', http(200), 1, 'what its link leads to is none of a PDF'),
  answered('is a server that asks for a credential', http(401), 1, 'its link was answered with 401'),
  answered('is a server that fails', http(503), 4, 'its link was answered with 503'),
  answered('is half of a PDF', socket => socket.end(http(200, PDF).slice(0, 200)), 4, /closed|reset/),
  answered('does not answer until the deadline', () => {}, 1, 'no complete answer within 30 s', LATE),
  answered(
    'does not end until the deadline',
    socket => socket.write(http(200, PDF, { 'content-length': '999999' })),
    1,
    'no complete answer within 30 s',
    LATE,
  ),
  answered(
    'is more than 20 MiB',
    socket => {
      socket.write('HTTP/1.1 200 Word\r\ncontent-length: 22000000\r\n\r\n%PDF-1.7\n');
      socket.write(Buffer.alloc(22_000_000));
    },
    1,
    'larger than 20971520 bytes',
    { more: '--retries 0' },
  ),
  {
    ...answered('fails, and the user presses Ctrl-C', http(503), 1, 'stopped by SIGINT', {
      options: () => ({ onWait: ({ interrupt }) => interrupt('SIGINT') }),
    }),
    exit: 130,
  },
]);

/** The name of the file is taken: the label gets a number, and what is there does not change. */
const taken = (what: string, put: (path: string) => void): Fault =>
  fault(`${what} has the name of the label`, [0, /^label saved: \S+S-1-2\.pdf$/m], () => {
    let before: unknown;
    return download({
      before(folder) {
        put(join(folder, 'S-1.pdf'));
        before = at(join(folder, 'S-1.pdf'));
      },
      after: folder =>
        expect(['S-1.pdf', 'S-1-2.pdf'].map(name => at(join(folder, name)))).toEqual([before, { text: PDF }]),
    });
  });

/** A name that a file must not have, from the shipment id of the service or from the key of the user. */
const named = (by: 'id' | 'key', name: string, file: string): Fault =>
  fault(
    `the ${by} ${JSON.stringify(name.slice(0, 30))} is saved as ${file.slice(0, 30)}`,
    [0, /^label saved: /m],
    async () => {
      const server = await rawServer(script(http(200, PDF)));
      const label = { success: true, label: server.url.href, trackingNumber: 'T-1' };
      const { env } = await cannedService({
        '/v1/shipments': { status: 201, body: { id: by === 'id' ? name : 'S-1' } },
        '/v2/carriers/create': { status: 200, body: { success: true, international: label } },
      });
      const rig = await createRig({ env, files: { 'order.json': SHIPMENT } });
      const key = by === 'key' ? [`--key=${name}`] : [];
      const ran = await rig.run(['ship', '-f', 'order.json', '--label', '--download', 'a/labels', ...key]);
      const made = readdirSync(join(rig.folder, 'a'), { recursive: true });
      expect(made).toEqual(['labels', `labels/${file}`]);
      return ran;
    },
  );

// A file of other bytes, one of the same, and a file in the place of the folder are in test/labels/save.test.ts.
runFaults('files of labels', [
  taken('half of it', text(PDF.slice(0, 100))),
  taken('a pipe that nobody writes to', pipe),
  taken('a link to nothing', linkTo('../out.pdf')),
  taken('a link to the same label', path => {
    writeFileSync(join(dirname(path), '../kept.pdf'), PDF);
    symlinkSync('../kept.pdf', path);
  }),
  fault(
    'a thousand files have its name',
    [9, 'there are too many files named S-1 in', 'Its link is http'],
    () =>
      download({
        before(folder) {
          for (let number = 1; number < 1000; number += 1)
            writeFileSync(join(folder, number === 1 ? 'S-1.pdf' : `S-1-${number}.pdf`), '');
        },
      }),
  ),
  named('id', '..', '_.pdf'),
  named('id', '../../../evil', '__.._.._evil.pdf'),
  named('id', '..\\..\\evil', '__.._evil.pdf'),
  named('id', 'x'.repeat(200), `${'x'.repeat(100)}.pdf`),
  named('id', 'S\u202efdp.exe', 'S_fdp.exe.pdf'),
  named('id', '-rf', '-rf.pdf'),
  named('key', '2026/03/17', '2026_03_17.pdf'),
  named('key', 'заказ-7', '_____-7.pdf'),
  inTheWay('labels is a link', 'a', linkTo('gone'), `${LABEL} --download a`, [10, 'labels cannot be saved']),
]);
