// What shell completion reads of the journal: without changing it, creating it or waiting for a lock.
import { identityBeginning } from '../../contract/key.ts';
import { openReadOnly } from '../../sqlite.ts';
import type { Booking, Scope } from '../booking.ts';

export type BookingSummary = Pick<Booking, 'id' | 'operation' | 'key' | 'state' | 'at' | 'ids'>;

/** Each list begins with the newest if the prefix is empty; none is longer than a few hundred. */
export interface ReadOnlyView {
  keys(scope: Scope, keySpace: string, prefix: string): BookingSummary[];
  /** Bookings of which an id from the service begins with the prefix. */
  made(scope: Scope, prefix: string): BookingSummary[];
  /** Bookings of any scope whose own id or key begins with the prefix. */
  bookings(prefix: string): BookingSummary[];
  /** Ids of booked carriers. */
  carriers(scope: Scope): string[];
  close(): void;
}

const MOST = 200;
/**
 * The newest of the last thousand bookings. With an index SQLite would read all bookings of the account; without one this
 * takes a millisecond among a million bookings.
 */
const newest = (where: string) =>
  `bookings NOT INDEXED WHERE ${where} AND number > (SELECT MAX(number) FROM bookings) - 1000 ORDER BY number DESC`;
const COLUMNS = 'bookings.id, operation, key, state, at, ids';
const MINE = 'address = ? AND account = ?';
// Sorts after every text that begins with the prefix.
const END = `char(${0x10ffff})`;

/** Rejects if the file is not a readable journal. */
export async function openReadOnlyView(file: string): Promise<ReadOnlyView> {
  const store = await openReadOnly(file);
  const find = (rest: string, ...values: string[]): BookingSummary[] =>
    store
      .all<Omit<BookingSummary, 'ids'> & { ids: string }>(
        `SELECT ${COLUMNS} FROM ${rest} LIMIT ${MOST}`,
        ...values,
      )
      .map(row => ({ ...row, ids: JSON.parse(row.ids) }));
  const begins = (column: string) => `${column} >= ? AND ${column} < ? || ${END}`;

  return {
    keys({ address, account }, keySpace, prefix) {
      const mine = [address, account, keySpace];
      const where = `${MINE} AND key_space = ? AND key_id IS NOT NULL`;
      const beginning = identityBeginning(prefix);
      return beginning === ''
        ? find(newest(where), ...mine)
        : find(
            `bookings WHERE ${where} AND ${begins('key_id')} ORDER BY key_id`,
            ...mine,
            beginning,
            beginning,
          );
    },
    made({ address, account }, prefix) {
      if (prefix === '') return find(newest(MINE), address, account);
      const ids = `SELECT id AS made, booking FROM made WHERE ${begins('id')} LIMIT 1000`;
      // CROSS JOIN makes SQLite begin with the few ids.
      return find(
        `(${ids}) CROSS JOIN bookings ON bookings.id = booking WHERE ${MINE}`,
        ...[prefix, prefix, address, account],
      );
    },
    bookings(prefix) {
      const beginning = identityBeginning(prefix);
      if (beginning === '') return find(newest('TRUE'));
      return [
        ...find(`bookings WHERE ${begins('key_id')} ORDER BY key_id`, beginning, beginning),
        ...find(`bookings WHERE ${begins('id')} ORDER BY id`, prefix, prefix),
      ];
    },
    carriers: ({ address, account }) =>
      store
        .all<{ one: unknown; international: unknown; domestic: unknown }>(
          `SELECT DISTINCT json_extract(request, '$.carrier.id') AS one,
             json_extract(request, '$.carriers.international.id') AS international,
             json_extract(request, '$.carriers.domestic.id') AS domestic
           FROM (SELECT request FROM ${newest(MINE)} LIMIT ${MOST})`,
          ...[address, account],
        )
        .flatMap(({ one, international, domestic }) =>
          [one, international, domestic].filter(id => typeof id === 'string'),
        ),
    close: () => store.close(),
  };
}
