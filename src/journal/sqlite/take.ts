// What another journal has of a booking, written down here as it is there.
import type { Store } from '../../sqlite.ts';
import { type BookingWithLabels, HOLDING_STATES, type ImportResult } from '../journal.ts';
import { holding } from './schema.ts';

/** Takes one over, in a transaction of the caller; what is here is never written over. */
export function takeInto(store: Store): (carried: BookingWithLabels) => ImportResult {
  const find = (from: string, ...values: (string | null)[]) =>
    store.first<{ booking: string }>(`SELECT ${from}`, ...values)?.booking;

  return ({ booking, labels }) => {
    const { id, address, account, keySpace, key, ids, request } = booking;
    if (find('id AS booking FROM bookings WHERE id = ?', id) !== undefined) return { kind: 'known' };
    for (const { shipment } of labels) {
      const by = find(
        'booking FROM labels WHERE address = ? AND account = ? AND shipment = ?',
        ...[address, account, shipment],
      );
      if (by !== undefined) return { kind: 'held', by };
    }
    if (key !== null && HOLDING_STATES.includes(booking.state)) {
      const by = find(
        `id AS booking FROM bookings
         WHERE address = ? AND account = ? AND key_space = ? AND key = ? AND state IN (${holding})`,
        ...[address, account, keySpace, key],
      );
      if (by !== undefined) return { kind: 'held', by };
    }
    store.run(
      `INSERT INTO bookings (id, address, account, operation, key_space, key, fingerprint, source, state, profile,
         sandbox, at, settled_at, lease_until, holder, request, code, why, http_status, answer, ids, labels, files)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, address, account, booking.operation, keySpace, key, booking.fingerprint, booking.source],
      ...[booking.state, booking.profile, Number(booking.sandbox), booking.at, booking.settledAt],
      ...[JSON.stringify(booking.holder), request === null ? null : JSON.stringify(request)],
      ...[booking.code, booking.why, booking.httpStatus, booking.answer],
      ...[JSON.stringify(ids), JSON.stringify(booking.labels), JSON.stringify(booking.files)],
    );
    for (const made of Object.values(ids)) store.run('INSERT OR IGNORE INTO made VALUES (?, ?)', made, id);
    for (const { leg, shipment } of labels)
      store.run('INSERT OR IGNORE INTO labels VALUES (?, ?, ?, ?, ?)', address, account, shipment, leg, id);
    return { kind: 'taken' };
  };
}
