// What shell completion reads of the journal. The read changes and creates nothing, and waits for no lock.
import { statSync } from 'node:fs';
import {
  type Booking,
  type Holder,
  type Ids,
  type LegShipment,
  type Scope,
  shipmentsIn,
} from '../../booking/booking.ts';
import { identityBeginning } from '../../contract/key.ts';
import { openReadOnly } from '../../host/sqlite.ts';
import { indexedShipment } from '../tables.ts';

/** A shipment of a booking, with what completion needs to know about its label and its journey. */
export interface SummedShipment extends LegShipment {
  /** Is the label of the shipment made, or under way? */
  isLabelled: boolean;
  /** The milestones at which the shipment was seen and that may end a journey. */
  milestones: readonly string[];
}

/** A booking as shell completion reads it. `state` is that of now: if its process is gone, it is `unknown`. */
export interface BookingSummary
  extends Pick<Booking, 'id' | 'operation' | 'keySpace' | 'key' | 'state' | 'at' | 'ids'> {
  carriers: string[];
  shipments: readonly SummedShipment[];
}

export interface ReadOnlyView {
  /**
   * The newest bookings, of one address and account if these are given. With a prefix: the bookings whose id, key or id from the service
   * begins with it. They are a few hundred at most.
   */
  find(prefix: string, scope?: Scope): BookingSummary[];
  close(): void;
}

// A character that sorts behind all others: a prefix with it sorts after every text that begins with the prefix.
const END = `char(${0x10ffff})`;
const MOST = 200;

/** The numbers of the bookings whose `column` begins with a prefix. */
const begins = (from: string, column: string, isInScope: string) =>
  `SELECT * FROM (SELECT number FROM ${from} WHERE ${column} >= ? AND ${column} < ? || ${END} AND ${isInScope} LIMIT ${MOST})`;

const byPrefix = (isInScope: string) =>
  [
    begins('bookings', 'key_id', isInScope),
    begins('bookings', 'bookings.id', isInScope),
    begins('made JOIN bookings ON bookings.id = booking', 'made.shipment', isInScope),
    begins('given JOIN bookings ON bookings.id = booking', 'given.name', isInScope),
  ].join(' UNION ');
const newest = (isInScope: string) =>
  `SELECT number FROM bookings WHERE ${isInScope} ORDER BY number DESC LIMIT ${MOST}`;

/** Finds the labels of a booking's shipments by the key of `labels`: there is no index of shipments by booking. */
const LABELLED = `(SELECT json_group_array(labels.leg || ' ' || labels.shipment) FROM labels
    WHERE labels.address = bookings.address AND labels.account = bookings.account
      AND (labels.leg = 'international' AND labels.shipment IN (ids ->> '$.shipment', ids ->> '$.international')
        OR labels.leg = 'domestic' AND labels.shipment = ids ->> '$.domestic'))`;

const selectBookings = (
  numbers: string,
) => `SELECT id, operation, key_space AS "keySpace", key, state, at, ids,
    holder, lease_until AS "leaseUntil", milestones, ${LABELLED} AS labelled,
    json_array(json_extract(request, '$.carrier.id'), json_extract(request, '$.carriers.international.id'),
      json_extract(request, '$.carriers.domestic.id')) || '' AS carriers
  FROM bookings WHERE number IN (${numbers}) ORDER BY number DESC`;

type SummaryRow = Omit<BookingSummary, 'ids' | 'carriers' | 'shipments'> &
  Record<'ids' | 'carriers' | 'holder' | 'milestones' | 'labelled', string> & { leaseUntil: number };

function summaryFrom(
  summary: SummaryRow,
  isGone: (holder: Holder, leaseUntil: number) => boolean,
): BookingSummary {
  const { holder, leaseUntil, ids, carriers, milestones, labelled, ...row } = summary;
  const known: Ids = JSON.parse(ids);
  const [seen, withLabel] = [JSON.parse(milestones), JSON.parse(labelled) as string[]];
  const shipments = shipmentsIn(known).map(shipment => ({
    ...shipment,
    isLabelled: withLabel.includes(indexedShipment(shipment)),
    milestones: seen[indexedShipment(shipment)] ?? [],
  }));
  const isLost = row.state === 'pending' && isGone(JSON.parse(holder), leaseUntil);
  return {
    ...row,
    state: isLost ? 'unknown' : row.state,
    ids: known,
    carriers: (JSON.parse(carriers) as unknown[]).filter(carrier => typeof carrier === 'string'),
    shipments,
  };
}

/** Rejects if the file is not a readable journal. `isGone`: has the process ended that holds a claim, or the lease of the claim? */
export async function openReadOnlyView(
  file: string,
  isGone: (holder: Holder, leaseUntil: number) => boolean,
): Promise<ReadOnlyView> {
  // Without this check SQLite would make a database of a missing or an empty file.
  if (statSync(file).size === 0) throw new Error('it is empty');
  const store = await openReadOnly(file);
  return {
    find(prefix, scope) {
      const isInScope = scope === undefined ? 'true' : 'bookings.address = ? AND bookings.account = ?';
      const place = scope === undefined ? [] : [scope.address, scope.account];
      const begins = [identityBeginning(prefix), prefix, prefix, prefix];
      const found =
        prefix === ''
          ? store.all<SummaryRow>(selectBookings(newest(isInScope)), ...place)
          : store.all<SummaryRow>(
              selectBookings(byPrefix(isInScope)),
              ...begins.flatMap(start => [start, start, ...place]),
            );
      return found.map(row => summaryFrom(row, isGone));
    },
    close: () => store.close(),
  };
}
