// What shell completion reads of the journal: without changing it, creating it or waiting for a lock.
import { identityBeginning } from '../../contract/key.ts';
import { openReadOnly } from '../../sqlite.ts';
import type { Booking } from '../booking.ts';

export type BookingSummary = Pick<
  Booking,
  'id' | 'address' | 'account' | 'operation' | 'keySpace' | 'key' | 'state' | 'at' | 'ids'
> & { carriers: string[] };

export interface ReadOnlyView {
  /**
   * The newest bookings; with a prefix those of which the id, the key or an id from the service begins with it. They are a
   * few hundred at most.
   */
  find(prefix: string): BookingSummary[];
  close(): void;
}

// Sorts after every text that begins with the prefix.
const END = `char(${0x10ffff})`;
const begins = (column: string) => `${column} >= ? AND ${column} < ? || ${END} LIMIT 200`;

const BY_PREFIX = `SELECT * FROM (SELECT number FROM bookings WHERE ${begins('key_id')})
  UNION SELECT * FROM (SELECT number FROM bookings WHERE ${begins('id')})
  UNION SELECT number FROM (SELECT booking FROM made WHERE ${begins('made.id')}) JOIN bookings ON id = booking`;
const NEWEST = 'SELECT number FROM bookings ORDER BY number DESC LIMIT 1000';

const read = (
  numbers: string,
) => `SELECT id, address, account, operation, key_space AS "keySpace", key, state, at, ids,
    json_array(json_extract(request, '$.carrier.id'), json_extract(request, '$.carriers.international.id'),
      json_extract(request, '$.carriers.domestic.id')) AS carriers
  FROM bookings WHERE number IN (${numbers}) ORDER BY number DESC`;

type Found = Omit<BookingSummary, 'ids' | 'carriers'> & { ids: string; carriers: string };

/** Rejects if the file is not a readable journal. */
export async function openReadOnlyView(file: string): Promise<ReadOnlyView> {
  const store = await openReadOnly(file);
  return {
    find(prefix) {
      const key = identityBeginning(prefix);
      const found =
        prefix === ''
          ? store.all<Found>(read(NEWEST))
          : store.all<Found>(read(BY_PREFIX), ...[key, key, prefix, prefix, prefix, prefix]);
      return found.map(row => ({
        ...row,
        ids: JSON.parse(row.ids),
        carriers: (JSON.parse(row.carriers) as unknown[]).filter(one => typeof one === 'string'),
      }));
    },
    close: () => store.close(),
  };
}
