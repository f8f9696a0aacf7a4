import * as z from 'zod/mini';
import { LEGS } from '../contract/operation.ts';
import { about } from '../contract/shapes.ts';
import { actor, overPrice, run, state } from './booking.ts';
import { maybe } from './maybe.ts';

const text = (description: string) => maybe(description, z.string());
const moment = z.iso.datetime();
const optional = z.exactOptional;

const settlement = z.object({
  at: about('When, in UTC', moment),
  by: about('Who', z.string()),
  reason: text('Why'),
  run: text('In which run'),
  state: about('What was said', z.enum(['created', 'rejected', 'reopened', 'accepted'])),
  ids: about('The ids that the booking has by it', z.record(z.string(), z.string())),
  evidence: optional(about('show: what the service told then, or null', z.unknown())),
});

const leg = z.enum(LEGS);

const label = z.object({
  made: z.boolean(),
  trackingNumber: optional(z.string()),
  link: optional(z.string()),
});

/** What every command of the history prints of a booking. */
const row = {
  id: about('Its id in the journal', z.string()),
  operation: about('ship, ship-dual, label or webhook-create', z.string()),
  key: text('Its key; of a label that of its shipment'),
  state,
  at: about('When it was booked, in UTC', moment),
  profile: text('The profile that it was booked with'),
  address: about('The address of the service; demo is the emulator', z.string()),
  receiver: about(
    'Who gets it; null in each field if that is not known',
    z.object({ name: text('Name'), city: text('City'), country: text('Code of the country') }),
  ),
  shipmentIds: about(
    'Its shipments, the international one first; of a label what it labels',
    z.array(z.string()),
  ),
  trackingNumbers: about('Those of its labels, in the same order', z.array(z.string())),
  carrier: text('The id of its carrier'),
  price: about('As the service sent it: a number, or text', z.unknown()),
  currency: text('Of the price'),
  overPrice,
  labelFile: text('The path of a saved label'),
  exitCode: maybe('The exit code of the booking; null while it is being sent', z.int()),
  httpStatus: maybe('The status of the answer', z.int()),
  reason: text('Why it is not created'),
  run,
  actor,
  bookedBy: about(
    'The process that booked',
    z.object({
      user: optional(text('Its user')),
      host: text('Its machine'),
      version: optional(text('Its version of waybill')),
      process: optional(about('show: its number', z.int())),
      start: optional(about('show: when it began, by its system', z.string())),
      space: optional(about('show: where its number means something', z.string())),
    }),
  ),
  settlements: about('What persons said about it, oldest first', z.array(settlement)),
};

export const historyRow = z.object(row);
export type HistoryRow = z.infer<typeof historyRow>;

export const historyDetail = z.object({
  ...row,
  account: about('The account of the profile; empty if it has none', z.string()),
  sandbox: about('Was it the sandbox?', z.boolean()),
  maxPrice: text('Its --max-price, such as 20 EUR'),
  settledAt: maybe('When it was known what became of it, in UTC', moment),
  why: about('Why it is not created; empty otherwise', z.string()),
  overtakenBy: text('The booking that has its key, if it was booked again before its own answer came'),
  labels: about('What its own answer says about labels', z.partialRecord(leg, label)),
  files: about('The paths of its saved labels', z.partialRecord(leg, z.string())),
  labelledBy: about('The bookings of its labels', z.array(z.object({ leg, id: z.string(), state }))),
  request: about('What was sent', z.unknown()),
  answer: about('What the service answered, or null', z.unknown()),
});
/** A booking as `history show` prints it. */
export type HistoryDetail = z.infer<typeof historyDetail>;
