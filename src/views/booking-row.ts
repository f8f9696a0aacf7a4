import { factsOf } from '../booking/facts.ts';
import { type Booking, exitCodeOf } from '../journal/journal.ts';

export type HistoryRow = ReturnType<typeof historyRow>;

/** A booking as `history list` shows it: scripts rely on its names. What was not recorded is `null`. */
export function historyRow(booking: Booking) {
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
