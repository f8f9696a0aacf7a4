// The real journals of the model test: their clocks are given by the test, and each sequence begins with an empty one.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import pg from 'pg';
import { type Holder, LEASE_MS } from '../../src/booking/booking.ts';
import type { Database as JournalDatabase } from '../../src/journal/database.ts';
import { Journal } from '../../src/journal/journal.ts';
import { openPostgres } from '../../src/journal/postgres/database.ts';
import { openSqlite } from '../../src/journal/sqlite/database.ts';
import { SCOPE, settingsFor } from '../rig/journal.ts';
import { inSharedPlace, type JournalKind } from '../rig/postgres.ts';
import type { Model, Process } from './model.ts';

/** What a row says, without making lost bookings unknown. */
interface RawRow {
  id: string;
  state: string;
  ids: string;
  key_holder: string | null;
  /** What persons said, the oldest first. */
  said: string | null;
  /** What came from the service: a settlement must not change it. */
  told: string;
}

/** A journal, opened by processes whose bookings go on when it is opened again. */
export interface World {
  /** Begins a sequence with an empty journal. */
  begin(model: Model, processes: readonly Process[]): Promise<void>;
  journalOf(process: Process): Promise<Journal>;
  reopen(process: Process): Promise<void>;
  /** Does what the process does every third of a lease. */
  renew(process: Process): Promise<void>;
  /** Call it after the model's clock was changed. `elapsed`: the time that passed. */
  clockChanged(elapsed: number): Promise<void>;
  /** Oldest first. */
  rows(): Promise<RawRow[]>;
}

interface Opened {
  journal: Journal;
  /** With their lengths in ms. */
  timers: Map<() => unknown, number>;
  process: Process;
}

const RENEWAL_MS = LEASE_MS / 3;
const ROWS = `SELECT id, state, ids, key_holder,
  (SELECT string_agg(kind, ',' ORDER BY facts.number) FROM facts WHERE facts.booking = bookings.id
    AND kind IN ('confirmed', 'denied', 'reopened', 'accepted', 'cancelled')) AS said,
  COALESCE(answer, '-') || COALESCE(http_status, 0) || why || COALESCE(code, '-') AS told FROM bookings WHERE address = '${SCOPE.address}' ORDER BY number`;
/** The newest booking stays, in another scope: a journal that has lost it would not be opened again. */
const CLEAR = [
  ...['listed', 'lists', 'facts', 'label_files', 'labels', 'made', 'given'].map(
    table => `DELETE FROM ${table}`,
  ),
  'DELETE FROM bookings WHERE number < (SELECT MAX(number) FROM bookings)',
  "UPDATE bookings SET id = 'bk_before', address = 'another', state = 'rejected', key_holder = NULL, has_facts = 0, at = 0",
];

/** What differs between the two. */
interface Place {
  open(own: Holder, host: JournalHost, isGone: (process: number) => boolean): Promise<JournalDatabase>;
  ask(sql: string): Promise<RawRow[]>;
  setClock(now: number): Promise<unknown>;
}

interface JournalHost {
  now(): number;
  monotonic(): number;
  deadline(ms: number, late: () => unknown): () => void;
  sleep(): Promise<void>;
  turn(): Promise<void>;
}

export const withWorld = <T>(kind: JournalKind, act: (world: World) => Promise<T>): Promise<T> =>
  kind === 'local' ? inFile(place => inPlace(place, act)) : inServer(place => inPlace(place, act));

async function inPlace<T>(place: Place, act: (world: World) => Promise<T>): Promise<T> {
  const opened = new Map<number, Opened>();
  let model: Model | undefined;
  let elapsed = 0;

  async function close(number: number): Promise<void> {
    await opened.get(number)?.journal.close();
    opened.delete(number);
  }

  async function open(process: Process): Promise<Opened> {
    const timers: Opened['timers'] = new Map();
    const { number, space } = process;
    const host: JournalHost = {
      now: () => (model?.now ?? 0) + (opened.get(number)?.process ?? process).ahead,
      monotonic: () => elapsed,
      deadline(ms, late) {
        timers.set(late, ms);
        return () => void timers.delete(late);
      },
      // Whoever waits to try again has waited long enough.
      async sleep() {
        for (const [late, ms] of [...timers]) if (ms !== RENEWAL_MS) late();
      },
      turn: async () => {},
    };
    const own = { host: 'here', process: number, start: '1', ...(space !== undefined && { space }) };
    const isGone = (other: number) => (opened.get(other)?.process ?? process).gone;
    const one = { journal: new Journal(await place.open(own, host, isGone)), timers, process };
    opened.set(number, one);
    return one;
  }

  try {
    return await act({
      async begin(begun, processes) {
        // To open a journal takes longer than most sequences, so that each process keeps the one that it has.
        for (const [number, one] of opened) {
          const process = processes.find(other => other.number === number);
          if (process) one.process = process;
          else await close(number);
        }
        [model, elapsed] = [begun, 0];
        for (const process of processes) if (!opened.has(process.number)) await open(process);
        for (const statement of CLEAR) await place.ask(statement);
        await place.setClock(model.now);
      },
      journalOf: async process => (opened.get(process.number) ?? (await open(process))).journal,
      async reopen({ number }) {
        const process = opened.get(number)?.process;
        await close(number);
        if (process) await open(process);
      },
      async renew({ number }) {
        for (const [late, ms] of [...(opened.get(number)?.timers ?? [])]) if (ms === RENEWAL_MS) await late();
      },
      async clockChanged(passed) {
        elapsed += passed;
        await place.setClock(model?.now ?? 0);
      },
      rows: () => place.ask(ROWS),
    });
  } finally {
    for (const number of [...opened.keys()]) await close(number);
  }
}

async function inFile<T>(run: (place: Place) => Promise<T>): Promise<T> {
  // In memory, if the system has such a folder: what is on disk after a loss of power is tested elsewhere.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'waybill-model-'));
  const file = join(folder, 'journal.db');
  let reader: DatabaseSyncInstance | undefined;
  try {
    return await run({
      open(own, host, isGone) {
        const isAlive = ({ process, space }: Holder) =>
          space !== undefined && space === own.space ? !isGone(process) : undefined;
        return openSqlite(file, { own, isAlive }, host);
      },
      async ask(sql) {
        reader ??= new DatabaseSync(file, { timeout: 10_000 });
        return reader.prepare(sql).all() as RawRow[];
      },
      setClock: async () => {},
    });
  } finally {
    reader?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const inServer = <T>(run: (place: Place) => Promise<T>): Promise<T> =>
  inSharedPlace(async ({ address, ask }) => {
    const url = new URL(address);
    const schema = (url.searchParams.get('options') ?? '').split('=')[1];
    // The journal finds this function before that of the system.
    url.searchParams.set('options', `-csearch_path=${schema},pg_catalog`);
    await ask('CREATE UNLOGGED TABLE clock AS SELECT 0::bigint AS ms');
    await ask(`CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT to_timestamp(ms / 1000.0) FROM ${schema}.clock'`);
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return await run({
        open: (own, host) => openPostgres(settingsFor(url.href), { own, isAlive: () => undefined }, host),
        ask: async sql => (await client.query(sql)).rows,
        setClock: now => client.query('UPDATE clock SET ms = $1', [now]),
      });
    } finally {
      await client.end();
    }
  });
