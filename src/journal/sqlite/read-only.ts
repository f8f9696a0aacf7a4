// A look at what the journal knows, for those who only want names out of it: nothing is settled, made or waited for.

import type { Ids } from '../../journal/journal.ts';
import { openReadOnly } from '../../sqlite.ts';
import type { Scope, State } from '../journal.ts';

export interface BookingSummary {
  /** The id of the booking in the journal. */
  id: string;
  operation: string;
  key: string | null;
  state: State;
  /** ms since 1970. */
  at: number;
  ids: Ids;
}

/** The newest first where nothing is typed, else those that begin so; never more than a few hundred. */
export interface ReadOnlyView {
  keys(scope: Scope, keySpace: string, prefix: string): BookingSummary[];
  /** Those whose shipments, pairs or subscriptions have ids that begin so. */
  made(scope: Scope, prefix: string): BookingSummary[];
  /** Those whose own id, or key, begins so, wherever they were booked. */
  bookings(prefix: string): BookingSummary[];
  /** Ids of carriers that were booked. */
  carriers(scope: Scope): string[];
  close(): void;
}

const MOST = 200;
/**
 * The newest of the last thousand for which that is so. By an index SQLite would go through all of an account: with a
 * million bookings it is a millisecond this way.
 */
const newest = (where: string) =>
  `bookings NOT INDEXED WHERE ${where} AND number > (SELECT MAX(number) FROM bookings) - 1000 ORDER BY number DESC`;
const COLUMNS = 'bookings.id, operation, key, state, at, ids';
const MINE = 'address = ? AND account = ?';
// No text that begins with a word is behind the word with the last character of all.
const END = `char(${0x10ffff})`;

/** Rejects where the file is no journal that can be read. */
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
      const where = `${MINE} AND key_space = ? AND key IS NOT NULL`;
      return prefix === ''
        ? find(newest(where), ...mine)
        : find(`bookings WHERE ${where} AND ${begins('key')} ORDER BY key`, ...mine, prefix, prefix);
    },
    made({ address, account }, prefix) {
      if (prefix === '') return find(newest(MINE), address, account);
      const ids = `SELECT id AS made, booking FROM made WHERE ${begins('id')} LIMIT 1000`;
      // The few ids first, whatever SQLite thinks.
      return find(
        `(${ids}) CROSS JOIN bookings ON bookings.id = booking WHERE ${MINE}`,
        ...[prefix, prefix, address, account],
      );
    },
    bookings: prefix =>
      prefix === ''
        ? find(newest('TRUE'))
        : [
            ...find(`bookings WHERE ${begins('key')} ORDER BY key`, prefix, prefix),
            ...find(`bookings WHERE ${begins('id')} ORDER BY id`, prefix, prefix),
          ],
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
