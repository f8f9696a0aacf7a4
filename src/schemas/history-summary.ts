import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { maybe } from './maybe.ts';

const count = (description: string) => about(description, z.int());

/** One group of `history summary`. */
export const historySummary = z.object({
  group: maybe('The day, or the word of --by; null if it is not known', z.string()),
  shipments: count('Shipments that were booked'),
  labels: count('Labels that were made'),
  cost: about('The cost by currency', z.record(z.string(), z.number())),
  withoutPrice: count('Shipments without a price, which are not in the cost'),
  overPrice: count('Bookings above --max-price whose price is not accepted'),
  unlabelled: count('Shipments without a label; one whose label is unknown is not counted'),
  unknown: count('Bookings whose outcome is unknown'),
});

export type HistorySummary = z.infer<typeof historySummary>;
