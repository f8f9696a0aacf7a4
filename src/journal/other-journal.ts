// The journal of another machine, in a file: read, and never changed.
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Leg } from '../contract/operation.ts';
import { Failure, messageOf } from '../errors.ts';
import { openReadOnly, openStore, type Store } from '../sqlite.ts';
import type { Booking, BookingWithLabels } from './journal.ts';
import { bookingFrom, COLUMNS, type Row } from './row.ts';
import { MIGRATIONS } from './sqlite/schema.ts';

/** A booking, and the legs whose label files are with it. */
export interface BookingWithFiles extends BookingWithLabels {
  files: Leg[];
}

export interface OtherJournal {
  size: number;
  /** All of them, the first booked first, so many at a time; none of them pending. Throws `storage`. */
  pages(): Generator<BookingWithFiles[]>;
  label(id: string, leg: Leg): Uint8Array | undefined;
  close(): void;
}

const PAGE = 500;

/**
 * Opens it. `copy`: where it may be copied to, for as long as it is open. Throws `usage` for what is no journal, and for
 * one of a newer version; `storage` where it cannot be read.
 */
export async function openOtherJournal(file: string, copy: string, now: number): Promise<OtherJournal> {
  const refuse = (why: string) => new Failure('usage', `${file} ${why}; nothing was imported`);
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure('storage', `${file} cannot be read: ${messageOf(error)}; run it again to go on`);
    }
  };
  const store = await opened(file, copy);

  try {
    guarded(() => {
      const [{ version } = { version: 0 }] = store.all<{ version: number }>(
        'SELECT user_version AS version FROM pragma_user_version',
      );
      const tables = store.all<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE name IN ('bookings', 'labels', 'label_files')",
      );
      if (tables.length < 3) throw refuse('is a database, but no journal of waybill');
      if (version > MIGRATIONS.length)
        throw refuse(
          `was written by a newer version of waybill (${version}, not ${MIGRATIONS.length}). Update waybill on this machine, and import it then`,
        );
    });
  } catch (error) {
    store.close();
    throw error;
  }

  const has = (column: string) =>
    store
      .all<{ name: string }>("SELECT name FROM pragma_table_info('bookings')")
      .some(({ name }) => name === column);
  // The first version did not know it.
  const columns = guarded(() => (has('source') ? COLUMNS : COLUMNS.replace(' source,', ' NULL AS source,')));
  const [{ size } = { size: 0 }] = guarded(() =>
    store.all<{ size: number }>('SELECT count(*) AS size FROM bookings'),
  );

  function page(after: number): (Row & { number: number })[] {
    return store.all(
      `SELECT number, ${columns} FROM bookings WHERE number > ? ORDER BY number LIMIT ${PAGE}`,
      after,
    );
  }

  function kept(rows: readonly Row[]): BookingWithFiles[] {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const claims = store.all<{ booking: string; leg: Leg; shipment: string }>(
      'SELECT booking, leg, shipment FROM labels WHERE booking IN (SELECT value FROM json_each(?))',
      ids,
    );
    const files = store.all<{ booking: string; leg: Leg }>(
      'SELECT booking, leg FROM label_files WHERE booking IN (SELECT value FROM json_each(?))',
      ids,
    );
    const [claimsOf, filesOf] = [grouped(claims), grouped(files)];
    return rows.map(row => {
      const booking = settled(bookingFrom(row), now);
      return {
        booking,
        labels: (claimsOf.get(row.id) ?? []).map(({ leg, shipment }) => ({ leg, shipment })),
        files: (filesOf.get(row.id) ?? []).map(({ leg }) => leg),
      };
    });
  }

  return {
    size,
    *pages() {
      for (let rows = guarded(() => page(0)); rows.length > 0; ) {
        const last = rows.at(-1)?.number ?? 0;
        yield guarded(() => kept(rows.map(({ number: _, ...row }) => row)));
        rows = guarded(() => page(last));
      }
    },
    label(id, leg) {
      const [row] = guarded(() =>
        store.all<{ pdf: string }>('SELECT pdf FROM label_files WHERE booking = ? AND leg = ?', id, leg),
      );
      return row && Buffer.from(row.pdf, 'base64');
    },
    close: () => store.close(),
  };
}

const grouped = <One extends { booking: string }>(list: readonly One[]): Map<string, One[]> => {
  const groups = new Map<string, One[]>();
  for (const one of list) groups.set(one.booking, [...(groups.get(one.booking) ?? []), one]);
  return groups;
};

/** Nothing here can tell whether what was being sent there arrived. */
const settled = (booking: Booking, now: number): Booking =>
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

/** What a machine that stopped has written last lies beside the file, and is not read without being written into it. */
async function opened(file: string, copy: string): Promise<Pick<Store, 'all' | 'close'>> {
  const isTorn = hasBytes(`${file}-wal`) && !hasBytes(`${file}-shm`);
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
  };
  try {
    if (!isTorn) return await openReadOnly(file);
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
    if (isTorn) remove();
    throw new Failure(
      'usage',
      `${file} cannot be opened as a journal: ${messageOf(error)}; nothing was imported`,
    );
  }
}
