// What is said of an audit by the emulator.
import { numbered } from '../text.ts';
import { flag, pattern, type Saying, say, stranger, type Text } from './sentence.ts';

interface Counts {
  path: string;
  orders: number;
  labels: number;
  /** The next three: how many orders were booked twice, shipments labelled twice, and requests repeated. */
  bookedTwice: number;
  labelledTwice: number;
  repeated: number;
}

const TO_MEND = say`${pattern('waybill help audit')} says how to mend it`;

const twiceWords = (counts: Counts): string =>
  [
    counts.bookedTwice > 0 && `${numbered(counts.bookedTwice, 'order')} booked more than once`,
    counts.labelledTwice > 0 && `${numbered(counts.labelledTwice, 'shipment')} with more than one label`,
    counts.repeated > 0 &&
      `${numbered(counts.repeated, 'request')} sent again after the first one had its effect`,
  ]
    .filter(Boolean)
    .join(', ') || 'nothing twice';

const unfit = (path: string, why: Text): Saying => ({
  what: say`${flag('--audit')} cannot be ${stranger(path)}, ${why}`,
  toDo: say`Name another file`,
});

export const EMULATOR = {
  'audit-counted': (counts: Counts): Saying => ({
    what: say`Audit of ${numbered(counts.orders, 'order')} and ${numbered(counts.labels, 'label')}: ${twiceWords(counts)}`,
    toDo: say`${counts.path} has it as JSON`,
  }),
  'audit-saw-nothing': (): Saying => ({
    what: say`no booking reached the emulator, so the audit knows nothing of the client`,
    toDo: say`The client finds the emulator at the address in WAYBILL_BASE_URL, and sends the token in WAYBILL_TOKEN`,
  }),
  'audit-lost-nothing': (): Saying => ({
    what: say`no answer to a booking was lost, so the audit does not know what the client does then`,
    toDo: say`${flag('--fault', 'reset-after:first1@createShipment')} loses the first one`,
  }),
  /** `ended`: the exit code of the client, the command that was audited. */
  'audit-repeated': (notice: { repeated: number; ended: number }): Saying => ({
    what: say`${numbered(notice.repeated, 'booking')} sent again after an answer that the client did not get: each may be a second parcel${notice.ended === 0 ? '' : `; the client itself ended with ${notice.ended}`}`,
    toDo: TO_MEND,
  }),
  'audit-twice': (notice: { orders: number; shipments: number }): Saying => ({
    what: say`${numbered(notice.orders, 'order')} booked more than once and ${numbered(notice.shipments, 'shipment')} with more than one label, which ${flag('--strict')} does not allow`,
    toDo: TO_MEND,
  }),
  'audit-is-other-file': (notice: { path: string }): Saying =>
    unfit(notice.path, say`a file that is there and is no earlier audit`),
  'audit-is-data': (notice: { path: string }): Saying =>
    unfit(notice.path, say`the file of ${flag('--data')}`),
};
