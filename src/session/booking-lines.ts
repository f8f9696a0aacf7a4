// What a command says of its bookings: to programs a line each on stderr, to a person what it waits for.
import { BOOKING, type BookingLine, rowOf, toldOf } from '../columns.ts';
import { type Booking, existsAs } from '../journal/booking.ts';
import { type Holder, LEASE_MS } from '../journal/leases.ts';
import type { Diagnostics } from '../output/diagnostics.ts';

export interface BookingLines {
  /** A booking was sent, or its recorded answer is shown. `labelled`: shipments that it labels. */
  note(booking: Booking, sent: boolean, labelled?: readonly string[]): void;
  /** A label of that booking was saved. */
  addFile(id: string, path: string): void;
  /** Writes those that were noted since. */
  tell(): Promise<void>;
  /** All of them, a shipment with its labels, as `-o record` shows them. `ids`: only these. */
  records(ids?: Iterable<string>): BookingLine[];
  /** The same, which is mostly one. */
  record(): BookingLine | BookingLine[];
}

export function createBookingLines({ booking }: Pick<Diagnostics, 'booking'>): BookingLines {
  const lines = new Map<string, BookingLine>();
  const untold = new Set<string>();
  const added = (all: readonly string[], more: readonly string[]) => [...new Set([...all, ...more])];
  const keep = (line: BookingLine) => {
    lines.set(line.id, line);
    untold.add(line.id);
  };
  const records = (ids: Iterable<string> = lines.keys()): BookingLine[] => {
    const all = [...new Set(ids)].flatMap(id => lines.get(id) ?? []);
    const isLabelOf = (label: BookingLine, order: BookingLine) =>
      label.operation === 'label' &&
      order.operation !== 'label' &&
      label.shipmentIds.some(id => order.shipmentIds.includes(id));
    return all
      .filter(line => !all.some(order => isLabelOf(line, order)))
      .map(order => {
        const made = [order, ...all.filter(line => isLabelOf(line, order))];
        return {
          ...order,
          trackingNumbers: [...new Set(made.flatMap(one => one.trackingNumbers))],
          labelFiles: [...new Set(made.flatMap(one => one.labelFiles))],
        };
      });
  };
  return {
    note(booking, sent, labelled = []) {
      if (booking.state === 'not_sent') return;
      const line = lineOf(booking, sent, labelled);
      // The labels of two shipments may be one booking.
      const { shipmentIds = [], sent: wasSent = false } = lines.get(line.id) ?? {};
      keep({ ...line, sent: sent || wasSent, shipmentIds: added(shipmentIds, line.shipmentIds) });
    },
    addFile(id, path) {
      const line = lines.get(id);
      if (line) keep({ ...line, labelFiles: added(line.labelFiles, [path]) });
    },
    async tell() {
      const told = [...untold].flatMap(id => lines.get(id) ?? []);
      untold.clear();
      for (const line of told) await booking(line, existsAs(line.state));
    },
    records,
    record() {
      const all = records();
      return all.length === 1 && all[0] ? all[0] : all;
    },
  };
}

/** `labelled`: the shipments that it labels, of a booking that was pruned. */
function lineOf(booking: Booking, sent: boolean, labelled: readonly string[]): BookingLine {
  const order = {
    // Nobody waits for its outcome any more.
    booking: booking.state === 'pending' ? { ...booking, ...LEFT } : booking,
    labels: [],
  };
  const line = rowOf(BOOKING, toldOf(order, sent));
  return line.shipmentIds.length > 0 ? line : { ...line, shipmentIds: [...labelled] };
}

const LEFT = { state: 'unknown', code: 'outcome_unknown' } as const;

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
