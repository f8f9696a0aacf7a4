import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { STATES } from '../journal/booking.ts';
import { maybe } from './maybe.ts';

export const state = about('What became of the booking', z.enum(STATES));
export const place = about(
  'Where: the address of the service, followed by " account " and the account if there is one; or demo',
  z.string(),
);
export const overPrice = maybe(
  'Is its price above --max-price, or not comparable with it? null without --max-price or a price',
  z.boolean(),
);
export const run = maybe('Which run booked it, as --run', z.string());
export const actor = maybe('Who booked it, as --actor', z.string());

const booking = z.object({
  id: about('Its id in the journal', z.string()),
  operation: about('ship, ship-dual, label or webhook-create', z.string()),
  place,
  key: maybe("The caller's own name for it", z.string()),
  state,
  sent: about('Was it sent by this command? Else its recorded answer is shown again', z.boolean()),
  overPrice,
  shipmentIds: about('The shipments that it made or labelled', z.array(z.string())),
  trackingNumbers: about('Those of its labels', z.array(z.string())),
  labelFiles: about('The paths of the saved labels', z.array(z.string())),
  run,
  actor,
});

export type BookingLine = z.infer<typeof booking>;

/** The line on stderr of each booking. */
export const bookingLine = z.object({ booking });
