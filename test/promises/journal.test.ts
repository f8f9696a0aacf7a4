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
import { bookingAt, claimed, fill, inJournal, labelAt, said, ship, UNKNOWN } from '../rig/journal.ts';
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
const versioned = (version: number) =>
  after(file => {
    const database = new DatabaseSync(file);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  });
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
/** With results of another machine beside it. */
const withResults = async () => {
  const rig = await putBack('backup')();
  const created = { operation: 'ship', key: 'K-9', state: 'created', shipmentId: 'S-9' };
  rig.file('lines.jsonl', `${JSON.stringify({ ...created, place: rig.address })}\n`);
  return rig;
};
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
  refused('of a newer version', versioned(9999)),
  refused('of an earlier state of development', versioned(1)),
  ...each({ exit: 10, sent: [] }, [
    ...each({ says: 'It is refused by each command that would change it', rig: putBack('backup') }, [
      SHIP,
      `${NEXT} --new-journal`,
      { run: `${NEXT} --dry-run --json`, json: { method: 'POST', journal: { state: 'new' } } },
      {
        run: 'batch ship orders.jsonl',
        after: [{ write: { 'orders.jsonl': { key: 'K', ...FILES['eva.json'] } } }],
      },
      'webhook create --url https://a.example/hook --event shipment.status.updated --secret-file secret',
      { run: 'history import lines.jsonl --done none', rig: withResults },
      'label A-1',
      'history resolve A-1 --not-created --reason x',
      'history accept A-1',
      'history cancelled A-1 --reason x',
      'history handover -y',
      'history export --for csv -y',
      'history prune --older-than 0s',
      'history check',
    ]),
    ...each(
      { says: 'With WAYBILL_REQUIRE_JOURNAL a journal that does not exist yet is exit 10', rig: files },
      [
        { run: SHIP, env: { WAYBILL_REQUIRE_JOURNAL: '1' }, files: { 'state/journal.db': null } },
        { run: 'history check', env: { WAYBILL_REQUIRE_JOURNAL: '1' } },
      ],
    ),
  ]),
  ...each({ says: 'Reading a copy warns', rig: putBack('backup'), stderr: /history check --restored/ }, [
    'history list',
    'history show A-1',
    'history summary',
  ]),
  ...each({ rig: putBack('backup') }, [
    {
      says: 'That a journal was put back is recorded, with from when bookings may be missing',
      run: `${RESTORED} --actor anna --json`,
      json: {
        missingSince: expect.stringMatching(/^2026-03-02T09:00:00/),
        restorations: [{ by: 'anna', reason: 'disk of Monday' }],
      },
    },
    { says: 'Then it goes on, and knows what it has', after: [RESTORED], run: SHIP, sent: [] },
    { says: 'Then it books again', after: [RESTORED], run: 'ship eva.json --key E-1', sent: [BOOKED] },
  ]),
  { says: '--restored needs --reason', rig: putBack('copy'), run: 'history check --restored', exit: 2 },
  {
    says: '--new-journal goes on with one that was emptied',
    rig: after(file => without(file, '', '-wal', '-shm')),
    run: `${NEXT} --new-journal`,
    sent: [BOOKED],
  },
  ...each({ says: 'No command that settles makes one', rig: files, files: { 'state/journal.db': null } }, [
    { run: 'history resolve K-1 --not-created --reason x', exit: 4 },
    { run: 'history accept K-1', exit: 4 },
    { run: 'history cancelled K-1 --reason x', exit: 4 },
    'history handover -y',
    'history export --for csv -y',
    'history prune --older-than 0s',
  ]),
  ...each({ rig: files, env: { WAYBILL_REQUIRE_JOURNAL: '1' }, sent: [BOOKED] }, [
    { says: '--new-journal beats it', run: `${SHIP} --new-journal` },
    { says: 'A journal that exists needs no word', after: [SHIP], run: NEXT },
  ]),
  {
    says: '`history check` says from when bookings may be missing, and who said that this is known',
    rig: putBack('copy'),
    after: [`${RESTORED} --actor anna`],
    run: 'history check',
    stdout: /^Bookings made after .* may be missing: anna said so at .* \(disk of Monday\)\.$/m,
  },
]);

const waits = recorded(rig => [
  bookingAt(rig, 1),
  bookingAt(rig, 2, UNKNOWN),
  bookingAt(rig, 3, { overPrice: true, maxPrice: '5 EUR' }),
]);

promises('history check', [
  ...each({ rig: files, after: [SHIP] }, [
    {
      says: 'It says how large it is',
      run: 'history check --json',
      json: { exists: true, canBook: true, bookings: 1, unknown: 0, bytes: expect.any(Number), waiting: [] },
    },
    { says: 'With --strict nothing that waits is exit 0', run: 'history check --strict' },
    { says: 'With -q it is the number of bookings', run: 'history check -q', stdout: /^1\n$/ },
  ]),
  ...each({ rig: putBack('copy') }, [
    { says: 'It says what is wrong: exit 10', run: 'history check', exit: 10, stderr: 'has lost bookings' },
    {
      says: '--strict does not count what --restored has recorded',
      after: [RESTORED],
      run: 'history check --strict --json',
      json: { missingSince: expect.any(String), waiting: [] },
    },
  ]),
  ...each(
    {
      rig: waits,
      json: {
        waiting: [
          { why: 'unknown', key: 'K-2' },
          { why: 'over_price', key: 'K-3' },
        ],
      },
    },
    [
      {
        says: 'It says what waits for a person, and is exit 0 without --strict',
        run: 'history check --json',
      },
      {
        says: 'With --strict that is exit 9, all of it in JSON',
        run: 'history check --strict --json',
        exit: 9,
        error: { code: 'partial' },
      },
    ],
  ),
  { says: 'It makes no journal', run: 'history check', files: { 'state/journal.db': null } },
  {
    says: 'A label that is unknown waits, too; what is accepted, cancelled, rejected, or of the demo, does not',
    rig: recorded(rig => {
      const dear = { overPrice: true, maxPrice: '5 EUR' };
      return [
        bookingAt(rig, 1, { ...dear, facts: [said('accepted', { ids: { shipment: 'S-1' } })] }),
        bookingAt(rig, 2, { ...dear, state: 'cancelled' }),
        bookingAt(rig, 3, { state: 'rejected', code: 'rejected', ids: {}, answer: null }),
        labelAt(rig, 4, 3, UNKNOWN),
        bookingAt(rig, 5, { ...UNKNOWN, address: 'demo' }),
      ];
    }),
    run: 'history check --strict --json',
    exit: 9,
    also: ({ stdout }) =>
      expect(JSON.parse(stdout).waiting).toMatchObject([{ why: 'unknown', key: null, operation: 'label' }]),
  },
  {
    says: 'Where the demo is in force, its bookings wait',
    rig: recorded(rig => [bookingAt(rig, 1, UNKNOWN), bookingAt(rig, 2, { ...UNKNOWN, address: 'demo' })]),
    run: 'history check --strict --json --profile demo',
    exit: 9,
    json: { waiting: [{ key: 'K-2' }] },
    error: { next: [['waybill', 'history', 'show', `bk_${'2'.padStart(32, '0')}`, '--profile', 'demo']] },
  },
  {
    says: 'Its text names what waits',
    rig: waits,
    run: 'history check --strict',
    exit: 9,
    stdout: [/unknown: K-2, bk_/, /above its bound: K-3, bk_/],
  },
  {
    says: 'With --strict it is exit 0 once a person has settled all of it',
    rig: waits,
    after: ['history accept K-3', 'history resolve K-2 --created S-22 --unchecked'],
    run: 'history check --strict',
  },
  ...each({ says: 'Where there is no journal, it says so', stderr: /no journal at .*WAYBILL_STATE_DIR/s }, [
    { run: 'history check --json', json: { exists: false, bookings: 0 } },
    { run: 'history check --strict', exit: 10 },
  ]),
]);

promises('history backup', [
  {
    says: 'It copies the journal into a file of mode 0600',
    rig: files,
    after: [SHIP],
    run: 'history backup copy.db --json',
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
    sent: [BOOKED],
  },
  ...each({ says: 'A copy that fails leaves no file', exit: 10, files: { 'copy.db': null } }, [
    { rig: files, after: [SHIP], run: 'history backup no/copy.db' },
    { rig: after(file => writeFileSync(file, 'no database '.repeat(900))), run: 'history backup copy.db' },
  ]),
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
  ...each({ rig: forgotten }, [
    {
      says: 'It drops search words',
      after: [SHIP, 'history prune A-1'],
      run: 'history list --search beispiel --json',
      stdout: /^\[\]\n$/,
    },
    {
      says: 'It drops reasons',
      after: [SHIP, 'history cancelled A-1 --reason xyzzy-called', 'history prune A-1'],
      run: 'history show A-1 --json',
      lacks: 'xyzzy',
    },
    {
      says: 'It keeps keys: nothing is booked again',
      after: [SHIP, 'history prune A-1'],
      run: `${SHIP} -q`,
      sent: [],
    },
    {
      says: 'With a REF it drops that order and no other',
      after: [SHIP, NEXT, 'history prune A-1'],
      run: 'history show A-2 --json',
      json: { request: { type: 'package' } },
    },
    {
      says: 'With a REF it drops all attempts under its key',
      after: [{ line: `${SHIP} --set carrier.id=NOPE`, exit: 5 }, SHIP],
      run: 'history prune A-1 --json',
      json: { pruned: 2 },
    },
  ]),
  ...each({ run: 'history prune --older-than 365d -q', stdout: /^0\n$/ }, [
    { says: 'What is younger stays', rig: forgotten, after: [SHIP, { later: DAY }] },
    {
      says: 'An unknown order stays with --older-than',
      rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, at: 1 })], { journalLost: true }),
    },
  ]),
  {
    says: 'An unknown order is pruned where it is named',
    rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, at: 1 })], { journalLost: true }),
    run: 'history prune K-1 -q',
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
  {
    says: 'It keeps what an order cost, and its tracking number, which names it',
    rig: forgotten,
    after: [`${SHIP} --label`, 'history prune A-1'],
    run: 'history list --json',
    json: [{ price: 52.9, currency: 'EUR', labelFile: null }],
    also: async ({ stdout }, rig) => {
      const [{ trackingNumbers }] = JSON.parse(stdout);
      const invoice = `Tracking number,Amount,Currency\n${trackingNumbers[0]},52.9,EUR\n`;
      expect((await rig.run('history reconcile -', { stdin: invoice })).exitCode).toBe(0);
      expect((await rig.run(`history cancelled ${trackingNumbers[0]} --reason phone`)).exitCode).toBe(0);
    },
  },
  {
    says: 'Its page says what was deleted, and offers no label',
    rig: forgotten,
    after: [`${SHIP} --label`, 'history prune A-1'],
    run: 'history show A-1',
    stdout: /Pruned +its receiver, its goods/,
    lacks: '--download',
  },
  ...each({ says: 'The same key with other input is a duplicate still', rig: forgotten, sent: [], exit: 2 }, [
    { after: [SHIP, 'history prune A-1'], run: `${SHIP} --set receiver.firstName=Eva` },
    {
      rig: recorded(rig => [bookingAt(rig, 1, UNKNOWN)], { journalLost: true, ...files }),
      after: ['history prune K-1'],
      run: 'ship order.json --key K-1',
    },
  ]),
  {
    says: 'An unknown order stays unknown, and what is said of it later is deleted as well',
    rig: recorded(rig => [bookingAt(rig, 1, { ...UNKNOWN, why: 'at Anna Beispiel’s' })], {
      journalLost: true,
    }),
    after: [
      'history prune K-1',
      'history resolve K-1 --created S-1 --unchecked --reason Anna',
      'history prune K-1',
    ],
    run: 'history show K-1 --json',
    json: { state: 'created', request: null },
    lacks: 'Anna',
  },
  {
    says: 'What is being sent is not pruned: exit 2, and nothing is deleted',
    rig: async () => {
      const rig = await createRig(forgotten);
      const scope = { address: rig.address, account: '' };
      await fill(rig, 'state', [bookingAt(rig, 1)]);
      await inJournal(rig, 'state', journal => claimed(journal, ship({ scope, key: 'K-9' })));
      return rig;
    },
    run: 'history prune K-9 K-1 --json',
    exit: 2,
    error: { retry: 'later' },
    also: async (_, rig) => expect(await rig.json('history show K-1')).toMatchObject({ request: { of: 1 } }),
  },
  ...each(
    {
      says: 'It says before which moment it deletes, and a length without a unit is in seconds',
      rig: forgotten,
    },
    [
      {
        after: [SHIP],
        run: 'history prune --older-than 2030-01-01',
        terminal: true,
        exit: 130,
        also: ({ asked }) => expect(asked).toEqual([expect.stringMatching(/ before 1 Jan 2030 [\d:]+\?/)]),
      },
      { after: [SHIP, { later: 60_000 }], run: 'history prune --older-than 90 -q', stdout: /^0\n$/ },
      { after: [SHIP, { later: 60_000 }], run: 'history prune --older-than 50 -q', stdout: /^1\n$/ },
    ],
  ),
]);
