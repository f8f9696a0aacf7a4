import { type Booking, exitCodeOf } from '../booking/journal.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { parseJson } from '../http/words.ts';

/** A booking as `history list` shows it: its names are a promise to scripts. */
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
}

export function historyRow(booking: Booking): HistoryRow {
  const { id, operation, key, state, at, profile, address, ids, labels, files, request } = booking;
  const carrier = getAt(parseJson(booking.answer ?? ''), ['carrier']);
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
    carrier:
      textAt(carrier, ['id']) ??
      textAt(request, 'carrier.id') ??
      textAt(request, 'carriers.international.id') ??
      null,
    price: getAt(carrier, ['price']) ?? null,
    currency: textAt(carrier, ['currency']) ?? null,
    labelFile: files.international ?? files.domestic ?? null,
    exitCode: exitCodeOf(booking),
  };
}
