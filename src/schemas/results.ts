import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { actor, overPrice, place, run } from './booking.ts';
import { error } from './error.ts';
import { maybe } from './maybe.ts';

const STATES = [
  ...['created', 'partial', 'rejected', 'not_sent', 'unknown', 'invalid', 'duplicate'],
  ...['estimated', 'done', 'failed'],
] as const;

const text = (description: string) => maybe(description, z.string());

/** A line of the results of a batch. */
export const resultLine = z.object({
  operation: about('ship, ship-dual, label, track, quote or rates', z.string()),
  place,
  key: text('The key of the record'),
  line: about('Its line in the input, from 1', z.int()),
  state: about(
    'What became of it: as a booking, or invalid, duplicate, estimated, done, failed',
    z.enum(STATES),
  ),
  exitCode: maybe('The exit code that its command would have; null if it was not started', z.int()),
  sent: about('Was it sent in this run?', z.boolean()),
  sandbox: about('Was it the sandbox?', z.boolean()),
  shipmentId: text('The shipment; of a pair the international one'),
  domesticShipmentId: text('Of a pair: the domestic shipment'),
  trackingNumber: text('Of its label'),
  domesticTrackingNumber: text('Of the domestic label'),
  carrier: text('The id of its carrier'),
  price: about('As the service sent it: a number, or text', z.unknown()),
  currency: text('Of the price'),
  overPrice,
  mended: about('Was it booked from another file, in which it was mended?', z.boolean()),
  status: z.exactOptional(text('track: its status')),
  milestone: z.exactOptional(text('track: its newest milestone')),
  statusAt: z.exactOptional(text('track: since when, as the service sent it')),
  labelFile: text('The path of the saved label'),
  run,
  actor,
  result: z.exactOptional(about('The answer of the service', z.unknown())),
  error: z.exactOptional(
    z.extend(error, { exitCode: maybe('As that of the line: null if it was not started', z.int()) }),
  ),
});

export type ResultLine = z.infer<typeof resultLine>;
