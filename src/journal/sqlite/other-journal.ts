// The journal file of another machine: it is read, and never changed.
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Leg } from '../../contract/operations.ts';
import { Failure, messageOf } from '../../errors.ts';
import { makeFolder } from '../../host/folder.ts';
import { openReadOnly, openStore, type ReadOnlyStore } from '../../host/sqlite.ts';
import type { Booking, BookingWithLabels } from '../booking.ts';
import { bookingFrom, type Row, SCHEMA_VERSION, selectedOf } from '../tables.ts';

/** A booking, and the legs whose label files come with it. */
export interface BookingWithFiles extends BookingWithLabels {
  files: Leg[];
}

interface OtherJournal {
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
      throw new Failure('storage', `${file} cannot be read: ${messageOf(error)}; run it again to continue`);
    }
  }
  const columnsOf = (table: string) =>
    all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);
  const count = (sql: string) => all<{ n: number }>(sql)[0]?.n ?? 0;

  function reader(): OtherJournal {
    const version = count('SELECT user_version AS n FROM pragma_user_version');
    const problem = ['bookings', 'labels', 'label_files'].some(table => columnsOf(table).length === 0)
      ? 'is a database, but not a journal of waybill'
      : version > SCHEMA_VERSION
        ? `was written by a newer version of waybill (its tables have number ${version}, not ${SCHEMA_VERSION}). Update waybill on this machine, then import it`
        : undefined;
    if (problem !== undefined) throw new Failure('usage', `${file} ${problem}; nothing was imported`);

    const size = count('SELECT count(*) AS n FROM bookings');
    const columns = selectedOf(columnsOf('bookings'));
    const printedAt = columnsOf('labels').includes('printed_at') ? 'printed_at' : 'NULL';

    const page = (after: number) =>
      all<Row & { number: number; claims: string; legs: string }>(
        `SELECT number, ${columns},
           (SELECT json_group_array(json_object('leg', leg, 'shipment', shipment, 'printedAt', ${printedAt}))
            FROM labels WHERE booking = bookings.id) AS claims,
           (SELECT json_group_array(leg) FROM label_files WHERE booking = bookings.id) AS legs
         FROM bookings WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
        after,
      ).map(({ number, claims, legs, ...row }) => ({
        number,
        booking: taken(bookingFrom(row), now),
        labels: JSON.parse(claims),
        files: JSON.parse(legs),
      }));

    return {
      size,
      *pages() {
        let rows = guarded(() => page(0));
        while (rows.length > 0) {
          yield rows;
          const last = rows.at(-1)?.number ?? 0;
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

/**
 * A booking as it is taken over. Older journals have settlements without a reason and a run. Whether one that was being sent on
 * the other machine arrived, this one cannot know.
 */
function taken(booking: Booking, now: number): Booking {
  const settlements = booking.settlements.map(one => ({
    ...one,
    reason: one.reason ?? null,
    run: one.run ?? null,
  }));
  if (booking.state !== 'pending') return { ...booking, settlements };
  const { process, host } = booking.holder;
  const why = `it was being sent by process ${process} on ${host} when its journal was imported`;
  return { ...booking, settlements, state: 'unknown', code: 'outcome_unknown', why, settledAt: now };
}

const hasBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** After a crash the last writes are in a file beside it, and SQLite reads them only by merging them: into a copy. */
async function opened(file: string, copy: string): Promise<ReadOnlyStore> {
  const needsMerge = hasBytes(`${file}-wal`) && !hasBytes(`${file}-shm`);
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  };
  try {
    if (!needsMerge) return await openReadOnly(file);
    makeFolder(dirname(copy), 0o700);
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`);
    const store = await openStore(copy, { durability: 'normal' });
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
