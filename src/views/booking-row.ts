import { factsOf } from '../booking/facts.ts';
import { type Booking, exitCodeOf } from '../journal/journal.ts';

/** A booking as `history list` shows it: scripts rely on its names. */
export interface HistoryRow {
  id: string;
  operation: string;
  key: string | null;
  state: string;
  /** ISO 8601. */
  at: string;
  profile: string | null;
  address: string;
  shipmentIds: string[];
  trackingNumbers: string[];
  carrier: string | null;
  price: unknown;
  currency: string | null;
  labelFile: string | null;
  exitCode: number | null;
  /** Each is `null` if it was not recorded. */
  bookedBy: { user: string | null; host: string | null; version: string | null };
}

export function historyRow(booking: Booking): HistoryRow {
  const { id, operation, key, state, at, profile, address, files, holder } = booking;
  const { ids, labels, carrier, price, currency } = factsOf(booking);
  const { subscription: _, ...shipments } = ids;
  return {
    id,
    operation,
    key,
    state,
    at: new Date(at).toISOString(),
    profile,
    address,
    shipmentIds: Object.values(shipments),
    trackingNumbers: Object.values(labels).flatMap(label => label.trackingNumber ?? []),
    carrier,
    price,
    currency,
    labelFile: files.international ?? files.domestic ?? null,
    exitCode: exitCodeOf(booking),
    bookedBy: { user: holder.user ?? null, host: holder.host || null, version: holder.version ?? null },
  };
}
