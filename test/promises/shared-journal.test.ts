import { expect } from 'vitest';
import { created, jsonLines, orders } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { machine } from '../rig/journal.ts';
import { describeShared, ownDatabase, type SharedPlace, sharedPlace } from '../rig/postgres.ts';
import { BOOKED, live, SHIP, scripted, withEnv, wrapped } from './begin.ts';
import { FILES } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

/** A journal in PostgreSQL with the order A-1, and then this happens to it. `machine`: which one goes on. */
const after =
  (change: (place: SharedPlace) => unknown = () => {}, { name = 'state', env = {} } = {}) =>
  async (): Promise<Rig> => {
    const place = await sharedPlace();
    const rig = await createRig({
      files: FILES,
      journalLost: true,
      env: { WAYBILL_JOURNAL: place.address, ...env },
    });
    for (const _ of ['booked', 'seen again']) await rig.run(SHIP);
    await change(place);
    return name === 'state' ? rig : wrapped(rig, machine(rig, name));
  };

const NEXT = 'ship eva.json --key A-2';
const other = { name: 'other' };
const elsewhere = ({ ask }: SharedPlace) => ask("UPDATE waybill_schema SET system = '1'");
const failedOver = ({ ask }: SharedPlace) => ask("UPDATE waybill_schema SET timeline = '000000AA'");
const putBack = ({ ask }: SharedPlace) => ask('DELETE FROM made; DELETE FROM bookings');
const dropped = ({ ask }: SharedPlace) =>
  ask(
    'DO $$ BEGIN EXECUTE format($f$DROP SCHEMA %1$I CASCADE; CREATE SCHEMA %1$I$f$, current_schema); END $$',
  );
const RESTORED = "history check --restored --reason 'the hook failed over'";

const refused = (says: string, rig: () => Promise<Rig>, stderr: string | RegExp): Promised => ({
  says: `It is refused before anything is sent: ${says}`,
  rig,
  run: NEXT,
  exit: 10,
  sent: [],
  stderr: ['nothing was sent', stderr],
});

/** The address for a role that may only do this. */
const as = (rights: string) => async (): Promise<Rig> => {
  const place = await sharedPlace();
  const rig = await createRig({ files: FILES, journalLost: true, env: { WAYBILL_JOURNAL: place.address } });
  await rig.run(SHIP);
  await place.ask(`DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor;
      GRANT ${rights} ON ALL TABLES IN SCHEMA %I TO pg_monitor', current_schema, current_schema); END $$`);
  const url = new URL(place.address);
  url.searchParams.set('options', `${url.searchParams.get('options')} -crole=pg_monitor`);
  return withEnv(rig, { WAYBILL_JOURNAL: url.href });
};

/** A database whose search path leads elsewhere. */
async function misled(): Promise<Rig> {
  const database = await ownDatabase();
  await database.ask('CREATE SCHEMA elsewhere');
  await database.ask(`ALTER DATABASE ${database.name} SET search_path = elsewhere, public`);
  const env = { WAYBILL_JOURNAL: database.address };
  return { ...(await createRig({ files: FILES, journalLost: true, env })), ...database } as Rig;
}

async function schemasOf(rig: Rig): Promise<string[]> {
  const { ask } = rig as unknown as SharedPlace;
  const rows = await ask<{ name: string }>(
    "SELECT schemaname AS name FROM pg_tables WHERE tablename = 'bookings'",
  );
  return rows.map(({ name }) => name);
}

/** A batch beside which a folder has that name. */
const unwritable = (name: string) => async (): Promise<Rig> => {
  const { address } = await sharedPlace();
  return scripted(key => created(key), {
    files: { 'orders.jsonl': jsonLines(orders(2)), [`${name}/x`]: '' },
    env: { WAYBILL_JOURNAL: address },
  })();
};

/** A production service, and a shared journal that nobody has used. */
async function inCi(): Promise<Rig> {
  const [rig, { address }] = [await live(), await sharedPlace()];
  return withEnv(rig, { WAYBILL_JOURNAL: address, CI: 'true' });
}

describeShared('With a shared journal', () => {
  promises('What one machine has booked', [
    ...each({ rig: after(() => {}, other), sent: [] }, [
      { says: 'A key is booked once, on whatever machine', run: SHIP },
      {
        says: 'Other input is a duplicate on another machine as well',
        run: 'ship gift.json --key A-1 --json',
        exit: 2,
        error: { code: 'duplicate' },
      },
    ]),
    ...each({ rig: inCi, run: SHIP }, [
      {
        says: 'In CI against production a shared journal that does not exist yet is exit 10',
        exit: 10,
        sent: [],
        stderr: '--new-journal',
      },
      {
        says: 'In CI against production a shared journal is the cure',
        after: [{ line: 'history check --new-journal', env: { CI: '' } }],
        sent: [BOOKED],
      },
    ]),
    {
      says: 'Its tables are in a schema of their own, wherever the search path of the database leads',
      rig: misled,
      run: SHIP,
      sent: [BOOKED],
      also: async (_, rig) => expect(await schemasOf(rig)).toEqual(['waybill']),
    },
    {
      says: 'A schema that the address names has the tables',
      rig: async () => {
        const rig = await misled();
        const { ask, address } = rig as unknown as Awaited<ReturnType<typeof ownDatabase>>;
        await ask('CREATE SCHEMA shipping');
        return withEnv(rig, { WAYBILL_JOURNAL: `${address}?options=-csearch_path%3Dshipping` });
      },
      run: SHIP,
      sent: [BOOKED],
      also: async (_, rig) => expect(await schemasOf(rig)).toEqual(['shipping']),
    },
    {
      says: 'A batch needs no folder that can be written',
      rig: unwritable('orders.results.jsonl'),
      run: 'batch ship orders.jsonl --json',
      json: { results: null, states: { created: 2 } },
      stderr: '"warning":',
    },
    {
      says: 'A results file that was named is exit 10 where it cannot be written',
      rig: unwritable('r.jsonl'),
      run: 'batch ship orders.jsonl --results r.jsonl',
      exit: 10,
      stderr: 'nothing was sent',
    },
  ]);

  promises('A shared journal that cannot keep its promise', [
    refused('bookings that this machine has seen are gone', after(putBack), 'has lost'),
    refused('its tables were dropped', after(dropped), 'has lost its tables'),
    refused(
      'it is on another server than the one that it recorded',
      after(elsewhere),
      'history check --restored',
    ),
    refused('also for a machine that never saw it', after(elsewhere, other), 'history check --restored'),
    refused('a standby took over', after(failedOver), 'history check --restored'),
    refused(
      'without its unique indexes',
      after(({ ask }) => ask('DROP INDEX one_key')),
      'unique index',
    ),
    refused(
      'with an invalid index',
      after(({ ask }) =>
        ask("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'one_key'::regclass"),
      ),
      'not valid',
    ),
    refused(
      'with indexes of another collation than "C"',
      after(({ ask }) => ask('ALTER TABLE bookings ALTER COLUMN key_id TYPE text COLLATE "default"')),
      'collation',
    ),
    {
      says: 'With WAYBILL_REQUIRE_JOURNAL a database without our tables is exit 10',
      rig: async () => {
        const { address } = await sharedPlace();
        return createRig({ files: FILES, env: { WAYBILL_JOURNAL: address, WAYBILL_REQUIRE_JOURNAL: '1' } });
      },
      run: SHIP,
      exit: 10,
      sent: [],
      stderr: '--new-journal',
    },
    refused('without a right that will be needed', as('SELECT'), 'lacks'),
    ...each({ says: 'After a failover one word is enough for all' }, [
      { rig: after(failedOver), after: [RESTORED], run: SHIP, sent: [] },
      { rig: after(failedOver), after: [RESTORED], run: NEXT, sent: [BOOKED] },
      { rig: after(elsewhere, other), after: [RESTORED], run: NEXT, sent: [BOOKED] },
    ]),
    {
      says: 'With WAYBILL_JOURNAL_FAILOVER=lossless another timeline is a note',
      rig: after(failedOver, { env: { WAYBILL_JOURNAL_FAILOVER: 'lossless' } }),
      run: `${NEXT} --json`,
      stderr: '"note":',
      sent: [BOOKED],
    },
    {
      says: 'That vouches for no booking that was seen and is gone',
      rig: after(putBack, { env: { WAYBILL_JOURNAL_FAILOVER: 'lossless' } }),
      run: NEXT,
      exit: 10,
      sent: [],
    },
    {
      says: '`history check` names from when bookings may be missing',
      rig: after(failedOver),
      run: `${RESTORED} --json`,
      json: { missingSince: expect.any(String), restorations: [{ reason: 'the hook failed over' }] },
    },
    {
      says: '`history check` names the engine and its version',
      rig: after(),
      run: 'history check --json',
      json: { shared: true, engine: expect.stringMatching(/^PostgreSQL \d/) },
    },
    {
      says: '`history backup` is done by the program of the database',
      rig: after(),
      run: 'history backup copy.db',
      exit: 2,
      stderr: 'pg_dump',
    },
    ...each({ says: 'What only reads needs no right but to read the tables', rig: as('SELECT') }, [
      'history list',
      'history show A-1',
      'history summary',
      'track A-1',
      { run: 'history check --json', json: { canBook: false } },
    ]),
    {
      says: 'Looking at a database without our tables makes none: `history check --strict` is exit 10 each time',
      rig: async () => createRig({ env: { WAYBILL_JOURNAL: (await sharedPlace()).address } }),
      after: ['history check', 'history list', { line: 'history check --strict', exit: 10 }],
      run: 'history check --strict',
      exit: 10,
      stderr: /no journal at .*WAYBILL_JOURNAL/s,
    },
    {
      says: '--new-journal goes on with one that was emptied',
      rig: after(({ ask }) => ask('TRUNCATE bookings, labels, listed, made, given, facts, label_files')),
      run: `${NEXT} --new-journal`,
      sent: [BOOKED],
    },
    {
      says: 'One that was emptied is read with a warning',
      rig: after(({ ask }) => ask('TRUNCATE bookings, labels, listed, made, given, facts, label_files')),
      run: 'history list --json',
      stdout: /^\[\]\n$/,
      stderr: 'has lost its bookings',
    },
  ]);
});
