// What a command says of its bookings: to programs a line each on stderr, to a person what it waits for.

import { type Booking, existsAs, type Holder, LEASE_MS } from '../journal/booking.ts';
import type { BookingLine } from '../output/columns.ts';
import type { Diagnostics } from '../output/print.ts';

export interface BookingLines {
  /** A booking was sent, or its recorded answer is shown. `labelled`: shipments that it labels. */
  note(booking: Booking, sent: boolean, labelled?: readonly string[]): void;
  /** A label of that booking was saved. */
  addFile(id: string, path: string): void;
  /** Is one of them booked, or may it be? */
  hasBooked(): boolean;
  /** Writes those that were noted since. */
  tell(): Promise<void>;
  /** All of them, a shipment with its labels, as `-o record` shows them. `ids`: only these. */
  records(ids?: Iterable<string>): Promise<BookingLine[]>;
  /** The record if there is one, as mostly; else the list of them. */
  record(): Promise<BookingLine | BookingLine[]>;
}

/** What was noted of a booking: the labels of two shipments may be one booking. */
interface Noted {
  all: { booking: Booking; labelled: readonly string[] }[];
  sent: boolean;
  files: string[];
}

export function createBookingLines({ booking: tellLine }: Pick<Diagnostics, 'booking'>): BookingLines {
  const noted = new Map<string, Noted>();
  const untold = new Set<string>();

  async function lines(ids: Iterable<string>): Promise<BookingLine[]> {
    const wanted = [...new Set(ids)].flatMap(id => noted.get(id) ?? []);
    if (wanted.length === 0) return [];
    // Few commands book, and it takes time to load.
    const { BOOKING, columnRow, toldOrder } = await import('../output/columns.ts');
    return wanted.flatMap(({ all, sent, files }): BookingLine[] => {
      const rows = all.map(({ booking, labelled }) => {
        // Nobody waits for its outcome any more.
        const known = booking.state === 'pending' ? { ...booking, ...LEFT } : booking;
        const row = columnRow(BOOKING, toldOrder({ booking: known, labels: [] }, sent));
        // A booking that was pruned does not say what it labels.
        return row.shipmentIds.length > 0 ? row : { ...row, shipmentIds: [...labelled] };
      });
      const last = rows.at(-1);
      if (last === undefined) return [];
      const shipmentIds = [...new Set(rows.flatMap(row => row.shipmentIds))];
      return [{ ...last, shipmentIds, labelFiles: [...new Set([...last.labelFiles, ...files])] }];
    });
  }

  async function records(ids: Iterable<string> = noted.keys()): Promise<BookingLine[]> {
    const all = await lines(ids);
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
  }

  return {
    note(booking, sent, labelled = []) {
      if (booking.state === 'not_sent') return;
      const before = noted.get(booking.id) ?? { all: [], sent: false, files: [] };
      noted.set(booking.id, {
        ...before,
        all: [...before.all, { booking, labelled }],
        sent: sent || before.sent,
      });
      untold.add(booking.id);
    },
    addFile(id, path) {
      const one = noted.get(id);
      if (one === undefined) return;
      one.files.push(path);
      untold.add(id);
    },
    hasBooked: () =>
      [...noted.values()].some(({ all }) => all.some(({ booking }) => existsAs(booking.state) !== false)),
    async tell() {
      const told = [...untold];
      untold.clear();
      for (const line of await lines(told)) await tellLine(line, existsAs(line.state));
    },
    records,
    async record() {
      const all = await records();
      return all.length === 1 && all[0] ? all[0] : all;
    },
  };
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
