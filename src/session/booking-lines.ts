// The bookings of a command, for programs: a line each on stderr.
import type { Diagnostics } from '../output/diagnostics.ts';
import type { BookingLine } from '../schemas.ts';

export interface BookingLines {
  note(line: BookingLine): void;
  /** A label of that booking was saved. */
  addFile(id: string, path: string): void;
  /** Writes those that were noted since. */
  tell(): Promise<void>;
}

export function createBookingLines({ booking }: Pick<Diagnostics, 'booking'>): BookingLines {
  const lines = new Map<string, BookingLine>();
  const added = (all: readonly string[], more: readonly string[]) => [...new Set([...all, ...more])];
  return {
    note(line) {
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

/** Of a record of a batch: its line of the results says it. */
export const NO_BOOKING_LINES: BookingLines = { note() {}, addFile() {}, async tell() {} };
