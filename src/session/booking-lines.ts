// What a command says of its bookings: to programs a line each on stderr, to a person what it waits for.
import type { Booking } from '../journal/booking.ts';
import type { Holder } from '../journal/leases.ts';
import { LEASE_MS } from '../journal/leases.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import type { BookingLine } from '../schemas.ts';
import { placeText } from './address.ts';

export interface BookingLines {
  /** A booking was sent, or its recorded answer is shown. `labelled`: shipments that it labels. */
  note(booking: Booking, sent: boolean, labelled?: readonly string[]): void;
  /** A label of that booking was saved. */
  addFile(id: string, path: string): void;
  /** Writes those that were noted since. */
  tell(): Promise<void>;
}

export function createBookingLines({ booking }: Pick<Diagnostics, 'booking'>): BookingLines {
  const lines = new Map<string, BookingLine>();
  const added = (all: readonly string[], more: readonly string[]) => [...new Set([...all, ...more])];
  return {
    note(booking, sent, labelled = []) {
      if (booking.state === 'not_sent') return;
      const line = lineOf(booking, sent, labelled);
      // The labels of two shipments may be one booking.
      const { shipmentIds = [] } = lines.get(line.id) ?? {};
      lines.set(line.id, { ...line, shipmentIds: added(shipmentIds, line.shipmentIds) });
    },
    addFile(id, path) {
      const line = lines.get(id);
      if (line) lines.set(id, { ...line, labelFiles: added(line.labelFiles, [path]) });
    },
    async tell() {
      const told = [...lines.values()];
      lines.clear();
      for (const line of told) await booking(line);
    },
  };
}

function lineOf(booking: Booking, sent: boolean, labelled: readonly string[]): BookingLine {
  const { id, operation, key, state, overPrice, ids, labels, files, run, actor } = booking;
  const { subscription: _, ...shipments } = ids;
  const made = Object.values(shipments);
  return {
    id,
    operation,
    place: placeText(booking),
    key,
    state: state === 'pending' ? 'unknown' : state,
    sent,
    overPrice,
    shipmentIds: made.length > 0 ? made : [...labelled],
    trackingNumbers: Object.values(labels).flatMap(({ trackingNumber }) => trackingNumber ?? []),
    labelFiles: Object.values(files),
    run,
    actor,
  };
}

/** Of a record of a batch: its line of the results says it. */
export const NO_BOOKING_LINES: BookingLines = { note() {}, addFile() {}, async tell() {} };

/** Says, once in a command, for which booking of another process it waits, and for how long. */
export function createWaitNote({ note }: Pick<Diagnostics, 'note'>): (booking: Booking) => void {
  let isSaid = false;
  return ({ id, key, holder }) => {
    if (isSaid) return;
    isSaid = true;
    void note(
      `waiting for another process (${processWords(holder)}), which is sending booking ${id}${key === null ? '' : ` with the key ${JSON.stringify(key)}`}. If that process has ended, this takes at most ${LEASE_MS / 1000} seconds, and then the booking is unknown. Ctrl-C ends the waiting; nothing is sent twice if you run the command again`,
    );
  };
}

const processWords = ({ user, host, process }: Holder): string =>
  `${process} of ${user === undefined ? '' : `${user} on `}${host}`;
