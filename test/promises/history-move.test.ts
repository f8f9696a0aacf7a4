// How a shop that began with a journal of its own machine grows into a team: `history move ADDRESS`.
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import { describeShared, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { BOOKED, SHIP, wrapped } from './begin.ts';
import { FILES, HOOK } from './orders.ts';
import { each, promises } from './promise.ts';
import { productionRig } from './rigs.ts';

const MOVE = 'history move ADDRESS';
const NEXT = 'ship eva.json --key A-2';
/** For a run: the place is that of all machines. */
const SHARED = { WAYBILL_JOURNAL: 'ADDRESS' };

interface Team extends Rig {
  place: SharedPlace;
}

/** In words and variables ADDRESS is that of an empty place of a database, and ELSEWHERE that of another one. */
async function named(rig: Rig): Promise<Team> {
  const [place, elsewhere] = [await sharedPlace(), await sharedPlace()];
  const written = (word: string) =>
    word.replace('ADDRESS', place.address).replace('ELSEWHERE', elsewhere.address);
  const env = (given: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, written(value)]));
  const run: Rig['run'] = (argv, options = {}) =>
    rig.run((Array.isArray(argv) ? argv : argv.split(' ')).map(written), {
      ...options,
      env: env(options.env),
    });
  return { ...wrapped(rig, run), place };
}

/** A-1 is booked in the journal of this machine, and then this happens. */
const shop =
  (then: (team: Team) => unknown = () => {}, options: RigOptions = {}) =>
  async (): Promise<Team> => {
    const team = await named(await createRig({ files: FILES, ...options }));
    expect(await team.run(SHIP)).toMatchObject({ exitCode: 0 });
    await then(team);
    return team;
  };

const ran = (line: string, env: Record<string, string> = {}) => ({ line, env });
const moved = shop(({ run }) => run(MOVE));
/** Another desk booked this in the shared journal. */
const booked = (line: string) => (team: Team) =>
  team.run(line, { env: { ...SHARED, WAYBILL_STATE_DIR: join(team.folder, 'desk') } });
const production = async () => {
  const team = await named(await productionRig({ files: FILES })());
  expect(await team.run(SHIP)).toMatchObject({ exitCode: 0 });
  return team;
};
const MOVED = /were moved to postgres:.*WAYBILL_JOURNAL .*waybill profile set NAME journal=.*history move/s;

describeShared('history move', () => {
  promises('It takes the bookings of this machine into a shared journal', [
    {
      says: 'all of them, and says where they are',
      rig: shop(({ run }) => run(NEXT)),
      run: `${MOVE} --json`,
      sent: [],
      json: { bookings: 2, moved: 2, there: 2, places: [{ bookings: 2 }], issues: [] },
      stderr: 'profile set NAME journal=',
    },
    {
      says: 'a person reads it',
      rig: shop(),
      run: MOVE,
      stdout: /^1 booking of .*journal\.db moved into/,
    },
    ...each({ says: 'what is there is known', rig: moved, env: SHARED, sent: [] }, [
      { run: `${SHIP} --json`, stdout: '"id"' },
      { run: 'ship gift.json --key A-1', exit: 2 },
      { run: 'history list -q', stdout: /^bk_\w+\n$/ },
      { run: 'history list --search Anna --json', json: [{ key: 'A-1' }] },
    ]),
    {
      says: 'with labels, which are made once',
      rig: shop(({ run }) => run('label A-1 --download first')),
      after: [MOVE],
      run: 'label A-1 --download out',
      env: SHARED,
      sent: [],
      files: { 'out/A-1.pdf': '%PDF' },
    },
    {
      says: 'with secrets',
      rig: shop(({ run }) => run(`${HOOK} --key hook`)),
      after: [MOVE],
      run: 'history show hook --show-secret --json',
      env: SHARED,
      stdout: '"secret":',
    },
    {
      says: 'with what is unknown, which a person settles there',
      rig: shop(undefined, { faults: [] }),
      after: [MOVE],
      run: 'history cancelled A-1 --reason moved --json',
      env: SHARED,
      json: { state: 'cancelled' },
    },
    {
      says: 'in their order, the newest first',
      rig: shop(({ run }) => run(NEXT)),
      after: [MOVE, ran('ship eva.json --key A-3 --allow-duplicate', SHARED)],
      run: 'history list --json',
      env: SHARED,
      json: [{ key: 'A-3' }, { key: 'A-2' }, { key: 'A-1' }],
    },
    {
      says: 'whatever journal is named otherwise',
      rig: shop(),
      run: `${MOVE} --json`,
      env: SHARED,
      json: { moved: 1 },
      lacks: 'to book with it',
    },
    {
      says: 'beside what others have booked there',
      rig: shop(booked(NEXT)),
      after: [MOVE],
      run: 'history list --json',
      env: SHARED,
      json: [{ key: 'A-1' }, { key: 'A-2' }],
    },
    ...each(
      {
        rig: shop(async ({ file, run }) => {
          file('orders.jsonl', `${JSON.stringify({ ...FILES['eva.json'], key: 'A-2' })}\n`);
          await run('batch ship orders.jsonl');
        }),
        env: SHARED,
        sent: [],
      },
      [
        {
          says: 'results of earlier batches name the journal of this machine',
          after: [MOVE],
          run: 'batch ship orders.jsonl',
          exit: 2,
          stderr: 'history import orders.results.jsonl',
        },
        {
          says: 'an import finds all of them known',
          after: [MOVE],
          run: 'history import orders.results.jsonl --done none --json',
          json: { taken: 0, settled: 0, known: 1, held: 0 },
        },
        {
          says: 'then the batch goes on',
          after: [MOVE, ran('history import orders.results.jsonl --done none', SHARED)],
          run: 'batch ship orders.jsonl --json',
          json: { states: { created: 1 } },
        },
      ],
    ),
    {
      says: 'but for those of demo, which go on here',
      rig: shop(({ run }) => run('ship order.json --key D-1 --profile demo')),
      after: [MOVE],
      run: 'ship eva.json --key D-2 --profile demo',
    },
    {
      says: 'once: the same again copies nothing',
      rig: moved,
      run: `${MOVE} --json`,
      json: { bookings: 1, moved: 0, there: 1 },
    },
  ]);

  promises('Then nothing is booked here', [
    {
      says: 'nor settled with the profile demo, whose own bookings stay',
      rig: moved,
      run: 'history cancelled A-1 --reason x --profile demo',
      exit: 10,
      stderr: /booking bk_\w+ was moved to postgres:.*resolve it there/,
    },
    ...each(
      { says: 'every command that would write is exit 10', rig: moved, exit: 10, sent: [], stderr: MOVED },
      [
        SHIP,
        NEXT,
        `${NEXT} --new-journal`,
        `${NEXT} --dry-run`,
        'ship-dual pair.json --key A-3',
        'label --international S-1',
        HOOK,
        'history cancelled A-1 --reason x',
        'history prune --older-than 0s',
        'history check',
      ],
    ),
    ...each({ says: 'what only reads goes on, and says so', rig: moved, stderr: MOVED }, [
      'history list',
      'history show A-1',
      'history summary',
      'history backup copy.db',
    ]),
    {
      says: 'until a person says that this journal counts',
      rig: moved,
      after: ["history check --restored --reason 'the-team-is-dissolved'"],
      run: NEXT,
      sent: [BOOKED],
    },
  ]);

  promises('The machine books in the shared journal from then on', [
    {
      says: 'before, a place that was booked here is refused there',
      rig: production,
      run: NEXT,
      env: SHARED,
      exit: 10,
      sent: [],
    },
    ...each({ rig: production, after: [MOVE] }, [
      { says: 'then it is booked there without more words', run: NEXT, env: SHARED, sent: [BOOKED] },
      { says: 'and no more here', run: NEXT, exit: 10, sent: [], stderr: MOVED },
    ]),
    {
      says: 'a profile that gets the journal is asked nothing',
      rig: shop(({ run, address }) =>
        run(`profile add live --base-url ${address} --token-stdin`, { stdin: 'demo' }),
      ),
      after: [
        ran('ship eva.json --key A-2 --profile live', { WAYBILL_BASE_URL: '', WAYBILL_TOKEN: '' }),
        MOVE,
      ],
      run: 'profile set live journal=ADDRESS',
    },
  ]);

  promises('What prevents it is listed, and nothing is moved', [
    ...each({ says: 'a key that is booked there', rig: shop(booked('ship eva.json --key A-1')), exit: 2 }, [
      {
        run: `${MOVE} --json`,
        error: {
          code: 'usage',
          issues: [
            {
              path: 'key A-1',
              message: expect.stringMatching(/bk_\w+ has it here, and bk_\w+ has it there/),
            },
          ],
        },
      },
      { run: `${MOVE} --dry-run --json`, json: { moved: 0, there: 0, issues: [{ path: 'key A-1' }] } },
      { run: MOVE, stderr: 'key A-1' },
    ]),
    {
      says: 'then this machine goes on',
      rig: shop(booked('ship eva.json --key A-1')),
      after: [ran(MOVE)].map(step => ({ ...step, exit: 2 })),
      run: NEXT,
      sent: [BOOKED],
    },
    {
      says: 'a label that was made there, too',
      rig: async () => {
        const team = await shop()();
        const [{ shipmentIds }] = await team.json('history list');
        for (const env of [{}, { ...SHARED, WAYBILL_STATE_DIR: join(team.folder, 'desk') }])
          await team.run(`label --international ${shipmentIds[0]}`, { env });
        return team;
      },
      run: `${MOVE} --json`,
      exit: 2,
      error: { issues: [{ path: expect.stringMatching(/^label of shipment /) }] },
    },
    {
      says: 'bookings that this journal has lost',
      rig: shop(
        async team => {
          await booked('ship eva.json --key A-1')(team);
          const [file, copy] = [join(team.folder, 'state/journal.db'), join(team.folder, 'copy.db')];
          await team.run('history backup copy.db');
          for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
          copyFileSync(copy, file);
        },
        { journalLost: true },
      ),
      run: `${MOVE} --json`,
      exit: 10,
      error: {
        code: 'storage',
        issues: [{ message: expect.stringContaining('is a backup of') }, { path: 'key A-1' }],
      },
    },
    {
      says: 'that this journal is gone',
      rig: shop(({ folder }) => rmSync(join(folder, 'state/journal.db')), { journalLost: true }),
      run: MOVE,
      exit: 10,
      stderr: 'is missing or empty',
    },
    {
      says: 'a move to another journal',
      rig: moved,
      run: 'history move ELSEWHERE --json',
      exit: 2,
      error: {
        issues: [{ path: 'ADDRESS', message: expect.stringContaining('were moved to postgres:') }],
      },
    },
    {
      says: 'the address has a password',
      rig: shop(),
      run: 'history move postgres://waybill:s3cret-word@127.0.0.1/test',
      exit: 2,
      stderr: 'PGPASSWORD',
      lacks: 's3cret',
    },
    {
      says: 'it is no address of a journal',
      rig: shop(),
      run: 'history move mysql://db/x',
      exit: 2,
      stderr: 'postgres://',
    },
    { says: 'there is nothing to move', rig: async () => named(await createRig()), run: MOVE, exit: 4 },
    {
      says: 'only a person may do it',
      rig: shop(({ file, address }) =>
        file('config/config.json', {
          current: 'live',
          profiles: { live: { baseUrl: address, policy: { resolve: 'terminal' } } },
        }),
      ),
      run: MOVE,
      env: { WAYBILL_BASE_URL: '', WAYBILL_TOKEN: '' },
      exit: 2,
      stderr: 'policy.resolve=terminal',
    },
    ...each({ rig: production, env: { CI: 'true' } }, [
      { says: 'in CI, there are no tables yet', run: MOVE, exit: 10, stderr: '--new-journal' },
      { says: 'which --new-journal makes', run: `${MOVE} --new-journal` },
    ]),
    {
      says: '--dry-run makes no tables',
      rig: shop(),
      run: `${MOVE} --dry-run --json`,
      json: { bookings: 1, moved: 0, there: 0, issues: [] },
      also: async (_, rig) => {
        const { ask } = (rig as Team).place;
        expect(await ask('SELECT FROM pg_tables WHERE schemaname = current_schema')).toEqual([]);
      },
    },
    ...each({ rig: shop(), run: MOVE, terminal: true }, [
      {
        says: 'a person says no',
        answer: false,
        exit: 130,
        also: async (_, { run }) => expect(await run(NEXT)).toMatchObject({ exitCode: 0 }),
      },
      { says: 'a person says yes', answer: true, stdout: 'moved into' },
    ]),
  ]);
});
