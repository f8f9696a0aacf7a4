// What the tests of the history share: journals that were filled elsewhere, and batches of two machines at one service.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Booking, BookingWithLabels, Holder, Journal } from '../../../src/journal/journal.ts';
import { openJournal } from '../../../src/journal/sqlite/journal.ts';
import type { Ran, Rig, RunOptions } from '../../rig/command.ts';

/** Who booked, as this version writes it down. */
export const ANNA: Holder = { host: 'desk', process: 7, start: '1', user: 'anna', version: '9.9.9' };

/** A booking as a journal has it: `number` is its shipment, `S-1`, and its key, `K-1`. */
export const bookingAt = (rig: Rig, number: number, more: Partial<Booking> = {}): Booking => ({
  ...{ id: `bk_${String(number).padStart(32, '0')}`, address: rig.address, account: '' },
  ...{ operation: 'ship', keySpace: 'shipment', key: `K-${number}`, fingerprint: 'f', source: null },
  ...{ state: 'created', code: null, why: '', httpStatus: 201, profile: null, sandbox: false },
  ...{ at: rig.clock.now + number, settledAt: rig.clock.now + number, request: { of: number } },
  answer: `{"id":"S-${number}","carrier":{"id":"EXP","price":12.4,"currency":"EUR"}}`,
  ...{ ids: { shipment: `S-${number}` }, labels: {}, files: {}, holder: ANNA },
  ...more,
});

/** Works in a journal of its own process; `folder`: its state folder, in that of the rig. */
export async function inJournal<T>(
  rig: Rig,
  folder: string,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  const file = join(rig.folder, folder, 'journal.db');
  mkdirSync(dirname(file), { recursive: true });
  const processes = { own: ANNA, isAlive: () => true };
  const journal = await openJournal(file, processes, { now: () => rig.clock.now, turn: async () => {} });
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

export const fill = (rig: Rig, folder: string, bookings: readonly (Booking | BookingWithLabels)[]) =>
  inJournal(rig, folder, journal =>
    journal.importBookings(bookings.map(one => ('booking' in one ? one : { booking: one, labels: [] }))),
  );

/** The same folder and service, as a machine whose state is in that folder. */
export const machine =
  (rig: Rig, folder: string) =>
  (argv: string | string[], { env, ...options }: RunOptions = {}): Promise<Ran> =>
    rig.run(argv, { ...options, env: { WAYBILL_STATE_DIR: join(rig.folder, folder), ...env } });
