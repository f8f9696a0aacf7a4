// The next commands to type, of which messages speak.
import { LEGS, type Leg } from '../contract/operations.ts';
import type { CommandWords } from '../errors.ts';
import { AT_WORK_MINUTES } from '../journal/booking.ts';
import { commandText } from '../text.ts';

/** What the journal has of a booking. */
export const showCommand = (id: string, targetFlags: readonly string[]): CommandWords => [
  'waybill',
  'history',
  'show',
  id,
  ...targetFlags,
];

/** What to ask about a booking that may exist, and when the answer counts. `show`: the command that shows it. */
export const askProvider = (show: CommandWords): string =>
  `Ask the provider of the service whether it exists: \`${commandText(show)}\` shows what was sent. Wait until ${AT_WORK_MINUTES} minutes after it was sent before you believe that it does not: a carrier may still be at work on it`;

/** The exact `label` command for shipments, at the same service. */
export const labelCommand = (
  ids: Partial<Record<Leg, string>>,
  targetFlags: readonly string[],
): CommandWords => [
  'waybill',
  'label',
  ...LEGS.flatMap(leg => (ids[leg] === undefined ? [] : [`--${leg}`, ids[leg]])),
  ...targetFlags,
];
