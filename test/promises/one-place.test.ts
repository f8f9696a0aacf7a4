// One machine books one place (address and account) in one journal, and keeps that journal on a disk of its own.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rig } from '../rig/command.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { ELSEWHERE } from '../rig/production.ts';
import { BOOKED, live, SHIP, withEnv, wrapped } from './begin.ts';
import { FILES, HOOK } from './orders.ts';
import { each, promises } from './promise.ts';
import { productionRig } from './rigs.ts';

const NEXT = 'ship eva.json --key A-2';
const RESTORED = ['history', 'check', '--restored', '--reason', 'the old disk is gone'];
const LOCAL = { WAYBILL_JOURNAL: '' };
/** Another place at the same service. */
const OTHER = { WAYBILL_BASE_URL: `${ELSEWHERE}/sandbox`, WAYBILL_SANDBOX_BASE_URL: '' };

const begun = productionRig({ files: FILES, journalLost: true });

/** A production service where A-1 was booked with one journal, and where all that follows has the other one. */
const booked =
  (first: 'local' | 'shared' = 'shared', then: (rig: Rig, place: SharedPlace) => unknown = () => {}) =>
  async (): Promise<Rig> => {
    const [rig, place] = [await begun(), await sharedPlace()];
    rig.file('orders.jsonl', `${JSON.stringify({ ...FILES['eva.json'], key: 'A-2' })}\n`);
    const shared = { WAYBILL_JOURNAL: place.address };
    const [one, other] = first === 'local' ? [LOCAL, shared] : [shared, LOCAL];
    const ran = await rig.run(SHIP, { env: one });
    expect(ran).toMatchObject({ exitCode: 0 });
    await then(rig, place);
    return withEnv(rig, other);
  };

const memoryOf = ({ folder }: Pick<Rig, 'folder'>): string => {
  const places = join(folder, 'state/places');
  const [name = 'none'] = readdirSync(places);
  return join(places, name);
};
const lost = ({ folder }: Rig, ...ends: string[]) => {
  for (const end of ends) rmSync(join(folder, `state/journal.db${end}`), { force: true });
};
const dropped = ({ ask }: SharedPlace) =>
  ask(
    'DO $$ BEGIN EXECUTE format($f$DROP SCHEMA %1$I CASCADE; CREATE SCHEMA %1$I$f$, current_schema); END $$',
  );
/** The same journal for all that follows, too. */
const same =
  (first: 'local' | 'shared', then: (rig: Rig, place: SharedPlace) => unknown) => async (): Promise<Rig> => {
    const [rig, place] = [await begun(), await sharedPlace()];
    const desk = withEnv(rig, first === 'local' ? LOCAL : { WAYBILL_JOURNAL: place.address });
    for (const _ of ['booked', 'seen again']) expect(await desk.run(SHIP)).toMatchObject({ exitCode: 0 });
    await then(rig, place);
    return desk;
  };

describeShared('One machine', () => {
  promises('In production a place that was booked in one journal is not booked in another', [
    ...each(
      {
        says: 'neither in a local one after a shared one',
        rig: booked('shared'),
        exit: 10,
        sent: [],
        stderr: [
          /is booked in the journal postgres:.* This command has .*journal\.db, which lacks those bookings/,
          'history check --restored',
        ],
        files: { 'state/journal.db': null },
      },
      [
        SHIP,
        NEXT,
        `${NEXT} --new-journal`,
        `${NEXT} --dry-run`,
        'ship-dual pair.json --key A-3',
        'batch ship orders.jsonl',
        'label --international S-1',
        HOOK,
        'history check',
        'history check --new-journal',
      ],
    ),
    ...each(
      {
        says: 'nor in a shared one after a local one',
        rig: booked('local'),
        exit: 10,
        sent: [],
        stderr: [
          /is booked in the journal .*journal\.db since .* This command has postgres:\S+, which lacks those bookings/,
          'history check --restored',
        ],
      },
      [SHIP, `${NEXT} --new-journal`, 'batch ship orders.jsonl', `${NEXT} --dry-run`, 'history check'],
    ),
    {
      says: 'nor in another schema of the same database, whose tables are not made for that',
      rig: async () => {
        const second = await sharedPlace();
        const rig = await booked('shared')();
        return withEnv({ ...rig, ask: second.ask } as Rig, { WAYBILL_JOURNAL: second.address });
      },
      run: `${NEXT} --new-journal`,
      exit: 10,
      sent: [],
      stderr: 'is booked in the journal postgres:',
      also: async (_, rig) => {
        const { ask } = rig as unknown as SharedPlace;
        expect(await ask('SELECT FROM pg_tables WHERE schemaname = current_schema')).toEqual([]);
      },
    },
    ...each({ says: 'reads go on', rig: booked('shared'), sent: [], lacks: 'lacks those bookings' }, [
      'history list',
      'history summary',
      { run: 'history show A-1', exit: 4 },
      'profile whoami',
    ]),
    { says: 'a sandbox is no production', rig: booked('shared'), run: `${SHIP} --sandbox` },
    { says: 'another place is another one', rig: booked('shared'), run: SHIP, env: OTHER },
    {
      says: 'the same journal under another path is the same one',
      rig: async () => {
        const rig = await same('local', ({ folder }) =>
          symlinkSync(join(folder, 'state'), join(folder, 'linked')),
        )();
        return withEnv(rig, { WAYBILL_STATE_DIR: join(rig.folder, 'linked') });
      },
      run: NEXT,
      sent: [BOOKED],
    },
    ...each({ says: 'a person says that the old journal is gone', rig: booked('shared'), sent: [BOOKED] }, [
      { run: NEXT, after: [RESTORED] },
      { run: 'batch ship orders.jsonl', after: [RESTORED] },
    ]),
    {
      says: 'which is told, and recorded',
      rig: booked('local'),
      run: RESTORED,
      stderr: /is booked in the journal postgres:.* from now on, not in .*journal\.db/,
      stdout: 'the old disk is gone',
      sent: [],
    },
    {
      says: 'then the old one is refused',
      rig: booked('local'),
      after: [RESTORED],
      run: NEXT,
      env: LOCAL,
      exit: 10,
      stderr: 'is booked in the journal postgres:',
      sent: [],
    },
    {
      says: 'also by a run that goes on with it: what it has not claimed yet is not booked',
      rig: async () => {
        const rig = await same('shared', () => {})();
        const order = FILES['eva.json'];
        const orders = ['A-2', 'A-3'].map(key =>
          JSON.stringify({ ...order, key, receiver: { ...order.receiver, lastName: key } }),
        );
        rig.file('orders.jsonl', `${orders.join('\n')}\n`);
        // As another command writes it that says so meanwhile.
        const onRequest = () => {
          const remembered = JSON.parse(readFileSync(memoryOf(rig), 'utf8'));
          writeFileSync(
            memoryOf(rig),
            JSON.stringify({ ...remembered, identity: 'jr_0', name: 'elsewhere' }),
          );
        };
        return wrapped(rig, (argv, options) => rig.run(argv, { ...options, onRequest }));
      },
      run: 'batch ship orders.jsonl --concurrency 1',
      exit: 10,
      sent: [BOOKED],
      stderr: 'is booked in the journal elsewhere',
    },
    {
      says: 'what is said for another place does not count for this one',
      rig: booked('shared'),
      after: [
        { line: SHIP, env: OTHER },
        { line: RESTORED, env: OTHER },
      ],
      run: NEXT,
      exit: 10,
      sent: [],
    },
  ]);

  promises('What a machine remembers of a place', [
    {
      says: 'is read by its user alone',
      rig: same('shared', () => {}),
      run: 'history check',
      also: (_, rig) => {
        expect(statSync(memoryOf(rig)).mode & 0o777).toBe(0o600);
        expect(readFileSync(memoryOf(rig), 'utf8')).toMatch(/"identity":"jr_[0-9a-f]{32}","name":"postgres:/);
      },
    },
    ...each(
      {
        says: 'is never ignored where it is damaged',
        rig: same('shared', rig => writeFileSync(memoryOf(rig), '{"identity":')),
        exit: 10,
        sent: [],
        stderr: ['state/places/', 'history check --restored'],
      },
      [NEXT, `${NEXT} --new-journal`, `${NEXT} --dry-run`, 'history check', 'batch ship orders.jsonl'],
    ),
    {
      says: 'nor where it is a link',
      rig: same('shared', rig => {
        const text = readFileSync(memoryOf(rig));
        const file = memoryOf(rig);
        rmSync(file);
        writeFileSync(join(rig.folder, 'copy'), text);
        symlinkSync(join(rig.folder, 'copy'), file);
      }),
      run: NEXT,
      exit: 10,
      sent: [],
      stderr: 'state/places/',
    },
    {
      says: 'is written again when a person says which journal counts',
      rig: same('shared', rig => writeFileSync(memoryOf(rig), '')),
      after: [RESTORED],
      run: NEXT,
      sent: [BOOKED],
    },
    {
      says: 'is nothing where the state folder cannot be written, with a shared journal',
      rig: same('shared', rig => rig.file('file', '')),
      run: NEXT,
      env: { WAYBILL_STATE_DIR: '/dev/null/state' },
      sent: [BOOKED],
    },
    ...each({ says: 'follows a local journal that was lost in its own place', sent: [BOOKED] }, [
      { rig: same('local', rig => lost(rig, '', '-wal', '-shm')), run: `${NEXT} --new-journal` },
      {
        rig: same('local', rig => lost(rig, '', '-wal', '-shm')),
        after: ['history check --new-journal'],
        run: NEXT,
      },
      { rig: same('local', rig => lost(rig, '', '-wal', '-shm', '-count')), run: `${NEXT} --new-journal` },
    ]),
    ...each({ says: 'follows a shared journal that was lost in its own place', sent: [BOOKED] }, [
      { rig: same('shared', (_, place) => dropped(place)), run: `${NEXT} --new-journal` },
      {
        rig: same('shared', (_, place) => dropped(place)),
        after: ['history check --new-journal'],
        run: NEXT,
      },
    ]),
    ...each(
      {
        says: 'misses a journal that is gone without a trace',
        rig: same('local', rig => lost(rig, '', '-wal', '-shm', '-count')),
        exit: 10,
        sent: [],
        stderr: ['was booked in it', '--new-journal'],
      },
      [NEXT, 'history check'],
    ),
    {
      says: 'is nothing of an order that was refused before it was claimed',
      rig: live,
      after: [
        { line: 'ship eva.json --key A-2 --carrier NONE --set receiver.address.country.code=XX', exit: 2 },
      ],
      run: 'history check',
      files: { 'state/places': null },
    },
  ]);
});

const onDisk = (fileSystem: number) => ({ fileSystem });
const [NFS, SMB, CIFS, SMB2, CEPH, LUSTRE] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x00c36400, 0x0bd00bd0];
const [FUSE, NINE, EXT4, OVERLAY] = [0x65735546, 0x01021997, 0xef53, 0x794c7630];
const LOOPBACK = { files: FILES };

promises('A journal on a file system of a network', [
  ...each(
    {
      says: 'is not booked with',
      rig: LOOPBACK,
      exit: 10,
      sent: [],
      stderr: ['WAYBILL_STATE_DIR', 'WAYBILL_JOURNAL'],
    },
    [NFS, SMB, CIFS, SMB2, CEPH, LUSTRE].map(number => ({ run: SHIP, ...onDisk(number) })),
  ),
  ...each(
    {
      says: 'is refused by each command that books, and is not made',
      rig: {
        files: { ...FILES, 'orders.jsonl': `${JSON.stringify({ ...FILES['eva.json'], key: 'A-2' })}\n` },
      },
      exit: 10,
      sent: [],
      stderr: 'NFS',
      files: { 'state/journal.db': null },
      ...onDisk(NFS),
    },
    [
      `${SHIP} --new-journal`,
      `${SHIP} --dry-run`,
      `${SHIP} --sandbox`,
      'ship-dual pair.json --key A-3',
      'batch ship orders.jsonl',
      'label --international S-1',
      HOOK,
      'history check',
      'history check --new-journal',
    ],
  ),
  ...each({ says: 'is read', rig: LOOPBACK, after: [SHIP], ...onDisk(NFS), lacks: 'NFS' }, [
    'history list',
    'history show A-1',
    'history summary',
  ]),
  {
    says: 'is used where somebody vouches for it',
    rig: LOOPBACK,
    run: SHIP,
    env: { WAYBILL_STATE_FS: 'trusted' },
    sent: [BOOKED],
    lacks: 'warning',
    ...onDisk(NFS),
  },
  ...each({ says: 'no other word vouches for it', exit: 2, stderr: 'WAYBILL_STATE_FS', sent: [] }, [
    { run: SHIP, rig: LOOPBACK, env: { WAYBILL_STATE_FS: '1' }, ...onDisk(EXT4) },
    { run: 'history list', env: { WAYBILL_STATE_FS: 'Trusted' } },
  ]),
  ...each(
    {
      says: 'may be behind FUSE and 9p: a warning',
      rig: LOOPBACK,
      sent: [BOOKED],
      stderr: /^warning: the journal .*WAYBILL_STATE_FS/m,
    },
    [
      { run: SHIP, ...onDisk(FUSE) },
      { run: SHIP, ...onDisk(NINE) },
    ],
  ),
  {
    says: 'may be behind FUSE: history check tells it',
    rig: LOOPBACK,
    after: [SHIP],
    run: 'history check',
    stderr: /^warning: the journal .*FUSE/m,
    ...onDisk(FUSE),
  },
  ...each({ says: 'is none of these', rig: LOOPBACK, sent: [BOOKED], lacks: 'warning' }, [
    { run: SHIP, ...onDisk(EXT4) },
    { run: SHIP, ...onDisk(OVERLAY) },
  ]),
  {
    says: 'is a warning for the demo, which books nothing real',
    rig: { env: { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' }, files: FILES },
    run: `${SHIP} --profile demo`,
    stderr: /^warning: the journal .*NFS/m,
    ...onDisk(NFS),
  },
]);

describeShared('A shared journal', () => {
  promises('A state folder on a file system of a network', [
    {
      says: 'does not matter to a shared journal',
      rig: async () => {
        const [rig, { address }] = [await live(), await sharedPlace()];
        mkdirSync(join(rig.folder, 'state'));
        return withEnv(rig, { WAYBILL_JOURNAL: address });
      },
      run: SHIP,
      sent: [BOOKED],
      lacks: 'warning',
      ...onDisk(NFS),
    },
  ]);
});
