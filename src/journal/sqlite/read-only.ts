// What shell completion reads of the journal: without changing it, creating it or waiting for a lock.
import { statSync } from 'node:fs';
import type { Booking, Scope } from '../../booking/booking.ts';
import { identityBeginning } from '../../contract/key.ts';
import { openReadOnly } from '../../host/sqlite.ts';

export type BookingSummary = Pick<
  Booking,
  'id' | 'operation' | 'keySpace' | 'key' | 'state' | 'at' | 'ids'
> & { carriers: string[] };

export interface ReadOnlyView {
  /**
   * The newest bookings, of one address and account if they are given; with a prefix those of which the id, the key or an
   * id from the service begins with it. They are a few hundred at most.
   */
  find(prefix: string, scope?: Scope): BookingSummary[];
  close(): void;
}

// Sorts after every text that begins with the prefix.
const END = `char(${0x10ffff})`;
const MOST = 200;

/** The numbers of the bookings whose `column` begins with a prefix. */
const begins = (from: string, column: string, at: string) =>
  `SELECT * FROM (SELECT number FROM ${from} WHERE ${column} >= ? AND ${column} < ? || ${END} AND ${at} LIMIT ${MOST})`;

const byPrefix = (at: string) =>
  [
    begins('bookings', 'key_id', at),
    begins('bookings', 'bookings.id', at),
    begins('made JOIN bookings ON bookings.id = booking', 'made.shipment', at),
    begins('given JOIN bookings ON bookings.id = booking', 'given.name', at),
  ].join(' UNION ');
const newest = (at: string) => `SELECT number FROM bookings WHERE ${at} ORDER BY number DESC LIMIT ${MOST}`;

const read = (numbers: string) => `SELECT id, operation, key_space AS "keySpace", key, state, at, ids,
    json_array(json_extract(request, '$.carrier.id'), json_extract(request, '$.carriers.international.id'),
      json_extract(request, '$.carriers.domestic.id')) || '' AS carriers
  FROM bookings WHERE number IN (${numbers}) ORDER BY number DESC`;

type Found = Omit<BookingSummary, 'ids' | 'carriers'> & { ids: string; carriers: string };

/** Rejects if the file is not a readable journal. */
export async function openReadOnlyView(file: string): Promise<ReadOnlyView> {
  // SQLite would make one that is not there.
  if (statSync(file).size === 0) throw new Error('it is empty');
  const store = await openReadOnly(file);
  return {
    find(prefix, scope) {
      const at = scope === undefined ? 'true' : 'bookings.address = ? AND bookings.account = ?';
      const place = scope === undefined ? [] : [scope.address, scope.account];
      const begins = [identityBeginning(prefix), prefix, prefix, prefix];
      const found =
        prefix === ''
          ? store.all<Found>(read(newest(at)), ...place)
          : store.all<Found>(read(byPrefix(at)), ...begins.flatMap(start => [start, start, ...place]));
      return found.map(row => ({
        ...row,
        ids: JSON.parse(row.ids),
        carriers: (JSON.parse(row.carriers) as unknown[]).filter(one => typeof one === 'string'),
      }));
    },
    close: () => store.close(),
  };
}
