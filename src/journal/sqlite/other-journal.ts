// The journal file of another machine: it is read, and never changed.
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Leg } from '../../contract/operation.ts';
import { Failure, messageOf } from '../../errors.ts';
import { openReadOnly, openStore, type ReadOnlyStore } from '../../sqlite.ts';
import type { Booking, BookingWithLabels } from '../journal.ts';
import { bookingFrom, COLUMNS, type Row } from '../row.ts';
import { MIGRATIONS } from './schema.ts';

/** A booking, and the legs whose label files come with it. */
export interface BookingWithFiles extends BookingWithLabels {
  files: Leg[];
}

export interface OtherJournal {
  size: number;
  /** All bookings, oldest first, in pages; none of them is pending. Throws `storage`. */
  pages(): Generator<BookingWithFiles[]>;
  label(id: string, leg: Leg): Uint8Array | undefined;
  close(): void;
}

const PAGE = 500;

/**
 * Opens it. `copy`: a path for a copy, if it needs one while it is open. Throws `usage` if it is not a journal, or was
 * written by a newer version; `storage` if it cannot be read.
 */
export async function openOtherJournal(file: string, copy: string, now: number): Promise<OtherJournal> {
  const store = await opened(file, copy);
  const { all } = store;
  function guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure('storage', `${file} cannot be read: ${messageOf(error)}; run it again to go on`);
    }
  }
  const columnsOf = (table: string) =>
    all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);
  const count = (sql: string) => all<{ n: number }>(sql)[0]?.n ?? 0;

  function check(): void {
    const version = count('SELECT user_version AS n FROM pragma_user_version');
    const problem = ['bookings', 'labels', 'label_files'].some(table => columnsOf(table).length === 0)
      ? 'is a database, but no journal of waybill'
      : version > MIGRATIONS.length
        ? `was written by a newer version of waybill (${version}, not ${MIGRATIONS.length}). Update waybill on this machine, then import it`
        : undefined;
    if (problem !== undefined) throw new Failure('usage', `${file} ${problem}; nothing was imported`);
  }

  function reader(): OtherJournal {
    check();
    const size = count('SELECT count(*) AS n FROM bookings');
    // The first version had no source.
    const columns = columnsOf('bookings').includes('source')
      ? COLUMNS
      : COLUMNS.replace(' source,', ' NULL AS source,');

    function page(after: number): (Row & { number: number })[] {
      return all(
        `SELECT number, ${columns} FROM bookings WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
        after,
      );
    }

    /** What a table has for bookings, by booking. */
    function grouped<One>(table: string, columns: string, ids: string): Map<string, One[]> {
      const groups = new Map<string, One[]>();
      for (const { booking, ...one } of all<One & { booking: string }>(
        `SELECT booking, ${columns} FROM ${table} WHERE booking IN (SELECT value FROM json_each(?))`,
        ids,
      ))
        groups.set(booking, [...(groups.get(booking) ?? []), one as One]);
      return groups;
    }

    function withLabels(rows: readonly Row[]): BookingWithFiles[] {
      const ids = JSON.stringify(rows.map(({ id }) => id));
      const labels = grouped<{ leg: Leg; shipment: string }>('labels', 'leg, shipment', ids);
      const files = grouped<{ leg: Leg }>('label_files', 'leg', ids);
      return rows.map(row => ({
        booking: notPending(bookingFrom(row), now),
        labels: labels.get(row.id) ?? [],
        files: (files.get(row.id) ?? []).map(({ leg }) => leg),
      }));
    }

    return {
      size,
      *pages() {
        for (let rows = guarded(() => page(0)); rows.length > 0; ) {
          const last = rows.at(-1)?.number ?? 0;
          yield guarded(() => withLabels(rows.map(({ number: _, ...row }) => row)));
          rows = guarded(() => page(last));
        }
      },
      label(id, leg) {
        const [row] = guarded(() =>
          all<{ pdf: string }>('SELECT pdf FROM label_files WHERE booking = ? AND leg = ?', id, leg),
        );
        return row && Buffer.from(row.pdf, 'base64');
      },
      close: () => store.close(),
    };
  }

  try {
    return guarded(reader);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** This machine cannot know whether a booking that was being sent on the other one arrived. */
const notPending = (booking: Booking, now: number): Booking =>
  booking.state !== 'pending'
    ? booking
    : {
        ...booking,
        state: 'unknown',
        code: 'outcome_unknown',
        why: `it was being sent by process ${booking.holder.process} on ${booking.holder.host} when its journal was imported`,
        settledAt: now,
      };

const hasBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** After a crash the last writes are in a file beside it, and SQLite reads them only by merging them: into a copy. */
async function opened(file: string, copy: string): Promise<ReadOnlyStore> {
  const needsMerge = hasBytes(`${file}-wal`) && !hasBytes(`${file}-shm`);
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  };
  try {
    if (!needsMerge) return await openReadOnly(file);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`);
    const store = await openStore(copy, { durability: 'normal', migrations: MIGRATIONS });
    return {
      all: store.all,
      close() {
        store.close();
        remove();
      },
    };
  } catch (error) {
    if (needsMerge) remove();
    throw new Failure(
      'usage',
      `${file} cannot be opened as a journal: ${messageOf(error)}; nothing was imported`,
    );
  }
}
