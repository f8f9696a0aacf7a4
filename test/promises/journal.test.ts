import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt, UNKNOWN } from '../rig/journal.ts';
import { BOOKED, DAY, files, recorded, SHIP } from './begin.ts';
import { FILES } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

const journalOf = ({ folder }: Pick<Rig, 'folder'>) => join(folder, 'state/journal.db');

/** A journal with the order A-1, and then this happens to it. */
const after =
  (change: (file: string, rig: Rig) => unknown, more = {}) =>
  async (): Promise<Rig> => {
    const rig = await createRig({ ...files, ...more, journalLost: true });
    await rig.run(SHIP);
    const database = new DatabaseSync(journalOf(rig));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    await change(journalOf(rig), rig);
    return rig;
  };
const without = (file: string, ...ends: string[]) => {
  for (const end of ends) rmSync(`${file}${end}`, { force: true });
};
const NEXT = 'ship eva.json --key A-2';
const refused = (
  says: string,
  rig: () => Promise<Rig>,
  stderr: Promised['stderr'] = /journal/,
): Promised => ({
  says: `Before anything is sent a journal is refused: ${says}`,
  rig,
  run: NEXT,
  exit: 10,
  sent: [],
  stderr: [/nothing was sent/, ...(Array.isArray(stderr) ? stderr : [stderr])],
});

/** One that was made between the orders. */
const putBack = (how: 'copy' | 'backup') =>
  after(async (file, rig) => {
    const older = join(rig.folder, 'older.db');
    if (how === 'copy') copyFileSync(file, older);
    else await rig.run(['history', 'backup', older]);
    await rig.later(1000);
    await rig.run('ship eva.json --key E-1');
    without(file, '', '-wal', '-shm');
    copyFileSync(older, file);
  });
const RESTORED = "history check --restored --reason 'disk of Monday'";

promises('A journal that cannot keep its promise', [
  refused(
    'emptied where it was not',
    after(file => {
      without(file, '-wal', '-shm', '');
      writeFileSync(file, '');
    }),
  ),
  refused(
    'deleted where it was not',
    after(file => without(file, '', '-wal', '-shm')),
  ),
  refused('put back to an older state', putBack('copy'), 'history check --restored'),
  refused('a copy that `history backup` made', putBack('backup'), 'history check --restored'),
  refused(
    'one file under two paths',
    after((file, { folder }) => {
      mkdirSync(join(folder, 'other'));
      linkSync(file, join(folder, 'other/journal.db'));
    }),
  ),
  refused(
    'unreadable',
    after(file => writeFileSync(file, 'no database '.repeat(900))),
  ),
  refused(
    'of a newer version',
    after(file => {
      const database = new DatabaseSync(file);
      database.exec('PRAGMA user_version = 9999');
      database.close();
    }),
  ),
  refused(
    'of an earlier state of development',
    after(file => {
      const database = new DatabaseSync(file);
      database.exec('PRAGMA user_version = 1');
      database.close();
    }),
  ),
  ...each(
    {
      says: 'It is refused by each command that would change it',
      rig: putBack('backup'),
      exit: 10,
      sent: [],
    },
    [
      SHIP,
      'label A-1',
      'history resolve A-1 --not-created --reason x',
      'history accept A-1',
      'history cancelled A-1 --reason x',
      'history handover -y',
      'history export --for csv -y',
      'history prune --older-than 0s',
      'history check',
    ],
  ),
  ...each(
    { says: 'Reading a copy warns', rig: putBack('backup'), exit: 0, stderr: /history check --restored/ },
    ['history list', 'history show A-1', 'history summary'],
  ),
  ...(['copy', 'backup'] as const).flatMap(how => [
    {
      says: 'That a journal was put back is recorded, with from when bookings may be missing',
      rig: putBack(how),
      run: `${RESTORED} --actor anna --json`,
      exit: 0,
      json: {
        missingSince: expect.stringMatching(/^2026-03-02T09:00:00/),
        restorations: [{ by: 'anna', reason: 'disk of Monday' }],
      },
    },
    {
      says: 'Then it goes on, and knows what it has',
      rig: putBack(how),
      after: [RESTORED],
      run: SHIP,
      exit: 0,
      sent: [],
    },
    {
      says: 'Then it books again',
      rig: putBack(how),
      after: [RESTORED],
      run: 'ship eva.json --key E-1',
      exit: 0,
      sent: [BOOKED],
    },
  ]),
  { says: '--restored needs --reason', rig: putBack('copy'), run: 'history check --restored', exit: 2 },
  {
    says: '--new-journal goes on with one that was emptied',
    rig: after(file => without(file, '', '-wal', '-shm')),
    run: `${NEXT} --new-journal`,
    exit: 0,
    sent: [BOOKED],
  },
  ...each(
    {
      says: 'With WAYBILL_REQUIRE_JOURNAL a journal that does not exist yet is exit 10',
      rig: files,
      exit: 10,
      sent: [],
    },
    [
      { run: SHIP, env: { WAYBILL_REQUIRE_JOURNAL: '1' }, files: { 'state/journal.db': null } },
      { run: 'history check', env: { WAYBILL_REQUIRE_JOURNAL: '1' } },
    ],
  ),
  {
    says: '--new-journal beats it',
    rig: files,
    env: { WAYBILL_REQUIRE_JOURNAL: '1' },
    run: `${SHIP} --new-journal`,
    exit: 0,
    sent: [BOOKED],
  },
  {
    says: 'A journal that exists needs no word',
    rig: files,
    env: { WAYBILL_REQUIRE_JOURNAL: '1' },
    after: [SHIP],
    run: NEXT,
    exit: 0,
    sent: [BOOKED],
  },
  ...['WAYBILL_STATE_DIR', 'WAYBILL_CONFIG_DIR'].map(name => ({
    says: `${name} is absolute, else exit 2`,
    rig: files,
    env: { [name]: 'state' },
    run: SHIP,
    exit: 2,
    sent: [],
    stderr: name,
  })),
  {
    says: '`history check` says from when bookings may be missing, and who said that this is known',
    rig: putBack('copy'),
    after: [`${RESTORED} --actor anna`],
    run: 'history check',
    exit: 0,
    stdout: /^Bookings made after .* may be missing: anna said so at .* \(disk of Monday\)\.$/m,
  },
]);

const waits = recorded(rig => [
  bookingAt(rig, 1),
  bookingAt(rig, 2, UNKNOWN),
  bookingAt(rig, 3, { overPrice: true, maxPrice: '5 EUR' }),
]);

promises('history check', [
  {
    says: 'It says how large it is',
    rig: files,
    after: [SHIP],
    run: 'history check --json',
    exit: 0,
    json: { exists: true, canBook: true, bookings: 1, unknown: 0, bytes: expect.any(Number), waiting: [] },
  },
  {
    says: 'It says what is wrong: exit 10',
    rig: putBack('copy'),
    run: 'history check',
    exit: 10,
    stderr: 'has lost bookings',
  },
  {
    says: 'It says what waits for a person, and is exit 0 without --strict',
    rig: waits,
    run: 'history check --json',
    exit: 0,
    json: {
      waiting: [
        { why: 'unknown', key: 'K-2' },
        { why: 'over_price', key: 'K-3' },
      ],
    },
  },
  {
    says: 'With --strict that is exit 9, all of it in JSON',
    rig: waits,
    run: 'history check --strict --json',
    exit: 9,
    error: { code: 'partial' },
    json: {
      waiting: [
        { why: 'unknown', key: 'K-2' },
        { why: 'over_price', key: 'K-3' },
      ],
    },
  },
  {
    says: 'With --strict nothing that waits is exit 0',
    rig: files,
    after: [SHIP],
    run: 'history check --strict',
    exit: 0,
  },
  {
    says: '--strict does not count what --restored has recorded',
    rig: putBack('copy'),
    after: [RESTORED],
    run: 'history check --strict --json',
    exit: 0,
    json: { missingSince: expect.any(String), waiting: [] },
  },
  {
    says: 'It makes no journal',
    run: 'history check',
    exit: 0,
    files: { 'state/journal.db': null },
  },
]);

promises('history backup', [
  {
    says: 'It copies the journal into a file of mode 0600',
    rig: files,
    after: [SHIP],
    run: 'history backup copy.db --json',
    exit: 0,
    json: { file: expect.stringContaining('copy.db'), bytes: expect.any(Number) },
    also: (_, { folder }) => expect(statSync(join(folder, 'copy.db')).mode & 0o777).toBe(0o600),
  },
  {
    says: 'It never replaces a file',
    rig: { files: { ...FILES, 'copy.db': 'mine' } },
    after: [SHIP],
    run: 'history backup copy.db',
    exit: 2,
    files: { 'copy.db': /^mine$/ },
  },
  {
    says: 'The journal goes on beside its copy',
    rig: files,
    after: [SHIP, 'history backup copy.db'],
    run: NEXT,
    exit: 0,
    sent: [BOOKED],
  },
]);

const noByte = (_: unknown, { folder }: Rig) => {
  for (const end of ['', '-wal', '-shm', '-count']) {
    const path = join(folder, `state/journal.db${end}`);
    const bytes = existsSync(path) ? readFileSync(path, 'latin1').toLowerCase() : '';
    for (const word of ['beispiel', 'musterstra', '3023125001', 'anna.b'])
      expect([end, bytes]).not.toContain(word);
  }
};
const forgotten = { ...files, journalLost: true };

promises('history prune', [
  ...each(
    {
      says: 'It drops bodies and receivers; no byte of them is in the files',
      rig: forgotten,
      after: [SHIP, { later: 1000 }],
      exit: 0,
    },
    ['history prune --older-than 0s', 'history prune A-1'].map(run => ({
      run,
      also: async (ran: unknown, rig: Rig) => {
        noByte(ran, rig);
        expect(await rig.json('history show A-1')).toMatchObject({
          ...{
            key: 'A-1',
            request: null,
            answer: null,
            receiver: { name: null },
            shipmentIds: [expect.any(String)],
          },
        });
      },
    })),
  ),
  {
    says: 'It drops search words',
    rig: forgotten,
    after: [SHIP, 'history prune A-1'],
    run: 'history list --search beispiel --json',
    exit: 0,
    stdout: /^\[\]\n$/,
  },
  {
    says: 'It drops reasons',
    rig: forgotten,
    after: [SHIP, 'history cancelled A-1 --reason xyzzy-called', 'history prune A-1'],
    run: 'history show A-1 --json',
    exit: 0,
    lacks: 'xyzzy',
  },
  {
    says: 'It keeps keys: nothing is booked again',
    rig: forgotten,
    after: [SHIP, 'history prune A-1'],
    run: `${SHIP} -q`,
    exit: 0,
    sent: [],
  },
  {
    says: 'With a REF it drops that order and no other',
    rig: forgotten,
    after: [SHIP, NEXT, 'history prune A-1'],
    run: 'history show A-2 --json',
    exit: 0,
    json: { request: { type: 'package' } },
  },
  {
    says: 'With a REF it drops all attempts under its key',
    rig: forgotten,
    after: [{ line: `${SHIP} --set carrier.id=NOPE`, exit: 5 }, SHIP],
    run: 'history prune A-1 --json',
    exit: 0,
    json: { pruned: 2 },
  },
  {
    says: 'What is younger stays',
    rig: forgotten,
    after: [SHIP, { later: DAY }],
    run: 'history prune --older-than 365d -q',
    exit: 0,
    stdout: /^0\n$/,
  },
  {
    says: 'An unknown order stays with --older-than',
    rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, at: 1 })], { journalLost: true }),
    run: 'history prune --older-than 365d -q',
    exit: 0,
    stdout: /^0\n$/,
  },
  {
    says: 'An unknown order is pruned where it is named',
    rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, at: 1 })], { journalLost: true }),
    run: 'history prune K-1 -q',
    exit: 0,
    stdout: /^1\n$/,
  },
  {
    says: 'On a terminal it asks before',
    rig: forgotten,
    after: [SHIP],
    run: 'history prune A-1',
    terminal: true,
    exit: 130,
    also: async (_, rig) =>
      expect(await rig.json('history show A-1')).toMatchObject({ request: { type: 'package' } }),
  },
  {
    says: 'A reader that kept them from being cleaned is exit 9',
    rig: async () => {
      const rig = await createRig(forgotten);
      await rig.run(SHIP);
      const reader = new DatabaseSync(journalOf(rig));
      reader.exec('BEGIN');
      reader.prepare('SELECT number FROM bookings').all();
      return { ...rig, run: async (argv, options) => rig.run(argv, options).finally(() => reader.close()) };
    },
    run: 'history prune --older-than 0s --json',
    exit: 9,
    error: { code: 'partial', retry: 'same' },
  },
  ...each({ says: 'It is orders or a time, else exit 2', rig: files, after: [SHIP], exit: 2 }, [
    'history prune',
    'history prune A-1 --older-than 1d',
  ]),
]);
