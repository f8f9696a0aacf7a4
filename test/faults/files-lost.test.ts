// A journal that lost what it held, before a command or while one books: nothing is sent again without a word.
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect } from 'vitest';
import { createRig, type Rig, type RunOptions } from '../rig/command.ts';
import { posted, SHIPMENT } from '../rig/service.ts';
import { type Fault, runFaults } from './fault.ts';
import { at } from './files-rig.ts';

const SHIP = 'ship -f order.json --key K';
const RESTORED = 'history check --restored --reason known';

interface Memory {
  folder: string;
  /** `journal.db` */
  file: string;
  /** A copy of it from before its last booking. */
  older: string;
}

/** A journal with two bookings. All of it is in one file, as after a checkpoint. */
async function used(): Promise<{ rig: Rig; memory: Memory }> {
  const rig = await createRig({ journalLost: true });
  rig.file('order.json', SHIPMENT);
  const folder = join(rig.folder, 'state');
  const file = join(folder, 'journal.db');
  const older = join(rig.folder, 'older.db');
  for (const key of ['A', 'K']) {
    if (existsSync(file)) copyFileSync(file, older);
    expect((await rig.run(`ship -f order.json --key ${key}`)).exitCode).toBe(0);
    merge(file);
  }
  return { rig, memory: { folder, file, older } };
}

function merge(file: string): void {
  const database = new Database(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Removes these files of the journal. */
const without = (file: string, ...ends: string[]) => {
  for (const end of ends) rmSync(`${file}${end}`, { force: true });
};

interface Loss {
  when: string;
  lose(memory: Memory): void;
  sees: Fault['sees'];
  argv?: string;
  env?: RunOptions['env'];
  exit?: number;
  skip?: Fault['skip'];
  /** Does the loss leave nothing that can be shown, so that no file changes? */
  nothingLeft?: boolean;
  after?(rig: Rig, memory: Memory): void | Promise<void>;
}

/** A row: the loss is told, and nothing is sent. */
const loss = ({
  when,
  lose,
  sees,
  argv = SHIP,
  env = {},
  exit = 10,
  skip = false,
  nothingLeft,
  after,
}: Loss): Fault => ({
  when,
  sees,
  exit,
  skip,
  async happen() {
    const { rig, memory } = await used();
    lose(memory);
    const before = contents(memory.folder);
    const ran = await rig.run(argv, { env });
    expect(posted(ran)).toEqual([]);
    if (nothingLeft) expect(contents(memory.folder)).toEqual(before);
    await after?.(rig, memory);
    return ran;
  },
});

const contents = (folder: string) => names(folder).map(name => [name, at(join(folder, name))]);

const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

const EMPTY = [
  /the journal \S+journal\.db is missing or empty, but it held bookings/,
  'nothing was sent',
  '--new-journal',
];
const FEWER = [
  /journal\.db has lost bookings: the newest is number 1, and it held 2/,
  'nothing was sent',
  'waybill history check --restored --reason TEXT',
];

const empty = ({ file }: Memory) => {
  // A new file, because the commands before have not ended: their process is that of the tests.
  without(file, '', '-wal', '-shm');
  writeFileSync(file, '');
};
const putBack = ({ file, older }: Memory) => {
  without(file, '-wal', '-shm');
  copyFileSync(older, file);
};
const marker =
  (text: string) =>
  ({ file }: Memory) =>
    writeFileSync(`${file}-count`, text);

/** `--new-journal` goes on, and the next command needs it no more. */
const goesOn = async (rig: Rig) => {
  expect(posted(await rig.run(`${SHIP} --new-journal`))).toHaveLength(1);
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
};

/** `--new-journal` is for a journal that is gone. */
const goesOnOncePutBack = async (rig: Rig) => {
  expect(await rig.run(`${SHIP} --new-journal`)).toMatchObject({ exitCode: 10, requests: [] });
  expect((await rig.run(RESTORED)).exitCode).toBe(0);
  expect(posted(await rig.run(SHIP))).toHaveLength(1);
  expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
};

const BEFORE: readonly Fault[] = [
  loss({ when: 'the journal was emptied', lose: empty, sees: EMPTY, nothingLeft: true, after: goesOn }),
  loss({
    when: 'the journal was emptied, in CI against production',
    lose: empty,
    sees: EMPTY,
    nothingLeft: true,
    env: { CI: '1', WAYBILL_BASE_URL: 'https://service.invalid' },
  }),
  loss({
    when: 'the journal was deleted without the files beside it',
    lose: ({ file }) => without(file, '', '-wal', '-shm'),
    sees: EMPTY,
    nothingLeft: true,
  }),
  loss({
    when: 'a journal of a version without a marker was emptied',
    lose: memory => {
      empty(memory);
      without(memory.file, '-count');
    },
    sees: EMPTY,
    nothingLeft: true,
    after: goesOn,
  }),
  loss({
    when: 'an emptied journal is listed',
    lose: empty,
    sees: EMPTY,
    argv: 'history list',
    nothingLeft: true,
  }),
  loss({
    when: 'an older copy of the journal was put back',
    lose: putBack,
    sees: FEWER,
    after: goesOnOncePutBack,
  }),
  loss({
    when: 'an older copy of the journal is listed: what is left is shown with a warning',
    lose: putBack,
    argv: 'history list --json',
    exit: 0,
    sees: ['"warning":', /has lost bookings: the newest is number 1/],
    // A warning changes nothing: the next booking is refused.
    after: async rig => expect(await rig.run(SHIP)).toMatchObject({ exitCode: 10, requests: [] }),
  }),
  loss({
    when: 'the journal was replaced by an empty database',
    lose: memory => {
      without(memory.file, '', '-wal', '-shm');
      new Database(memory.file).exec('VACUUM');
      new Database(memory.file).exec('CREATE TABLE t (a)');
    },
    sees: [/has lost bookings: the newest is number 0, and it held 2/, 'nothing was sent', '--new-journal'],
  }),
  loss({
    when: 'the marker of the journal is damaged',
    lose: marker('twelve\n'),
    sees: [
      /journal\.db-count, which says how many .* cannot be used: it is damaged: it does not have two numbers/,
      'nothing was sent',
    ],
    after: goesOnWithAll(),
  }),
  loss({
    when: 'the marker of the journal is a folder',
    lose: ({ file }) => {
      without(file, '-count');
      mkdirSync(`${file}-count`);
    },
    sees: [/journal\.db-count, .* cannot be used: EISDIR/, 'nothing was sent'],
  }),
  loss({
    when: 'the marker of the journal is a link',
    lose: ({ file }) => {
      without(file, '-count');
      symlinkSync('elsewhere', `${file}-count`);
    },
    sees: [/journal\.db-count, .* cannot be used: ELOOP/, 'nothing was sent'],
    after: goesOnWithAll(),
  }),
  loss({
    when: 'the marker of the journal belongs to another user',
    skip: process.getuid?.() !== 0 && 'only root can give a file to somebody else',
    lose: ({ file }) => chownSync(`${file}-count`, 12345, 12345),
    sees: ['it belongs to another user than the journal', 'nothing was sent'],
    after: goesOnWithAll(),
  }),
];

/** The journal is complete: once a person says so it goes on, and knows its keys. */
function goesOnWithAll() {
  return async (rig: Rig, { file }: Memory) => {
    expect((await rig.run(RESTORED)).exitCode).toBe(0);
    expect(await rig.run(SHIP)).toMatchObject({ exitCode: 0, requests: [] });
    expect(readFileSync(`${file}-count`, 'utf8')).toMatch(/^0+2 /);
  };
}

/** While a booking is in flight: it was made, so its id is told, and that the journal does not know it. */
const inFlight = (when: string, change: (memory: Memory) => void): Fault => ({
  when: `${when} while a booking is in flight`,
  exit: 10,
  sees: [
    /it was booked as \S+\. The journal could not record this: .*it was deleted, moved or replaced/,
    'Keep this message',
  ],
  async happen() {
    const { rig, memory } = await used();
    const ran = await rig.run('ship -f order.json --key NEW -q', {
      onRequest: () => change(memory),
    });
    expect(posted(ran)).toHaveLength(1);
    const id = ran.stdout.trim();
    expect(ran.stderr).toContain(`it was booked as ${id}.`);
    return ran;
  },
});

const DURING: readonly Fault[] = [
  inFlight('the state folder is deleted', ({ folder }) => rmSync(folder, { recursive: true })),
  inFlight('the state folder is moved', ({ folder }) => renameSync(folder, `${folder}-moved`)),
  inFlight('the journal is deleted', ({ file }) => rmSync(file)),
  inFlight('the log of the journal is deleted', ({ file }) => rmSync(`${file}-wal`)),
  inFlight('the journal is replaced by a copy', ({ file }) => {
    copyFileSync(file, `${file}-copy`);
    renameSync(`${file}-copy`, file);
  }),
];

const NONE = [/there is no journal at \S+journal\.db yet/, 'nothing was sent', '--new-journal'];

const REQUIRED: readonly Fault[] = [
  loss({
    when: 'there is no journal, and one is required',
    lose: ({ folder }) => rmSync(folder, { recursive: true }),
    env: { WAYBILL_REQUIRE_JOURNAL: '1' },
    sees: [...NONE, 'WAYBILL_REQUIRE_JOURNAL is set'],
    after: goesOn,
  }),
  loss({
    when: 'the journal is an empty file of nobody, in CI against production',
    lose: memory => {
      empty(memory);
      without(memory.file, '-count', '-reserve');
    },
    env: { CI: '1', WAYBILL_BASE_URL: 'https://service.invalid' },
    sees: NONE,
  }),
];

runFaults('a journal that lost something', [...BEFORE, ...DURING, ...REQUIRED]);
