import * as z from 'zod/mini';
import { about } from '../contract/shapes.ts';
import { maybe } from './maybe.ts';

const moment = z.iso.datetime();

const missingSince = maybe(
  'The time of the last booking before those that may be missing, in UTC; null if no booking was left',
  moment,
);

const restoration = z.object({
  at: about('When, in UTC', moment),
  by: about('Who', z.string()),
  reason: about('Why', z.string()),
  run: maybe('In which run', z.string()),
  missingSince,
});

export const historyCheck = z.object({
  journal: about('Its file, or its address without a password', z.string()),
  shared: about('Do other machines write to it?', z.boolean()),
  bookings: about('How many bookings it has', z.int()),
  unknown: about('Of them, those whose outcome is unknown', z.int()),
  bytes: about('Its size', z.int()),
  missingSince: maybe(
    'Since when bookings may be missing, because it was put back or moved the last time; null too if it never was',
    moment,
  ),
  restorations: about('Each time that somebody recorded that, the oldest first', z.array(restoration)),
});

/** What `history check` prints. */
export type HistoryCheck = z.infer<typeof historyCheck>;
