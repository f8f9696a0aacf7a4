import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';

export const historyCheck = z.object({
  journal: about('Its file, or its address without a password', z.string()),
  shared: about('Do other machines write to it?', z.boolean()),
  bookings: about('How many bookings it has', z.int()),
  unknown: about('Of them, those whose outcome is unknown', z.int()),
  bytes: about('Its size', z.int()),
});

/** What `history check` prints. */
export type HistoryCheck = z.infer<typeof historyCheck>;
