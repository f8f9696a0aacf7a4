// What the columns of a booking hold, as schemas: `waybill schema` publishes them, and types are made of them. A command itself loads only
// the types.

import * as z from 'zod/mini';
import { STATES, WHY_NOT } from '../booking/booking.ts';
import { about, anyText } from '../contract/shapes.ts';
import { RECORD_STATES } from './told.ts';

// Each call makes a schema of its own: a schema that is described twice has the later description in both places.
export const exactOptional = z.exactOptional;
export const number = (description: string) => about(description, z.int());
export const time = (description: string) => about(description, z.iso.datetime());
export const textList = (description: string) => about(description, z.array(z.string()));
export const yesOrNo = (description: string) => about(description, z.boolean());
export const anything = (description: string) => about(description, z.unknown());
/** A field that is `null` if its value is not known. */
export const maybe = <T extends z.ZodMiniType>(description: string, schema: T) =>
  about(description, z.nullable(schema));
export const maybeText = (description: string) => maybe(description, z.string());
export const maybeNumber = (description: string) => maybe(description, z.int());
export const maybeTime = (description: string) => maybe(description, z.iso.datetime());

export const CHOICE = z.object({
  rule: maybeText('The rule that fits the order; null without rules, if none fits, and after prune'),
  proposals: about(
    'The proposals that were looked at, the one that is taken first',
    z.array(
      z.object({
        carrier: maybeText('The id of its carrier'),
        price: anything('As the service sent it: a number, or text'),
        currency: maybeText('Of the price'),
        days: maybe('The most days that it may take', z.number()),
        why: maybe('Why it is not taken; null of the one that is', z.enum(WHY_NOT)),
      }),
    ),
  ),
  bound: maybeText('The price that none might pass, by rule, option, profile or limit, such as 20 EUR'),
});

export const FIELDS = {
  operation: anyText('ship, ship-dual, label or webhook-create; in results also track, quote, rates'),
  place: anyText('The address of the service, then " account " and the account if there is one; or demo'),
  sandbox: yesOrNo('Was it the sandbox?'),
  key: maybeText("The caller's own name for it; of a label that of its shipment"),
  exitCode: maybeNumber(
    'The exit code of the booking or record; null while it is being sent, and if it was not started',
  ),
  sent: yesOrNo('Was it sent in this run? Else its recorded answer is shown again'),
  run: maybeText('Which run booked it, as --run'),
  actor: maybeText('Who booked it, as --actor'),
  carrier: maybeText('The id of its carrier'),
  price: anything('As the service sent it: a number, or text'),
  currency: maybeText('Of the price'),
  overPrice: maybe(
    'Is its price above --max-price, or not comparable? null without --max-price or a price',
    z.boolean(),
  ),
  choice: maybe('Why this carrier; null if neither a rule nor a proposal was asked', CHOICE),
  shipmentId: maybeText('The shipment; of a pair the international one'),
  domesticShipmentId: maybeText('Of a pair: the domestic shipment'),
  trackingNumber: maybeText('Of its label'),
  domesticTrackingNumber: maybeText('Of the domestic label'),
  labelFile: maybeText('The path of the saved label'),
  shipmentIds: textList('Its shipments, the international one first, or those that it labels'),
  trackingNumbers: textList('Those of its labels, in the same order'),
  labelFiles: textList('The paths of the saved labels'),

  // Columns of the history.
  id: anyText('Its id in the journal'),
  state: about('What became of the booking', z.enum(STATES)),
  profile: maybeText('The profile that it was booked with'),
  address: anyText('The address of the service; demo is the emulator'),
  httpStatus: maybeNumber('The status of the answer'),
  at: time('When it was booked, in UTC'),
  receiver: about(
    'Who gets it',
    z.object({
      name: maybeText('Name'),
      city: maybeText('City'),
      country: maybeText('Code of the country'),
    }),
  ),
  receiverName: maybeText('Who gets it'),
  country: maybeText('Code of the country of the receiver'),
  reason: maybeText('Why it is not created'),
  bookedBy: about(
    'The process that booked',
    z.object({
      user: exactOptional(maybeText('Its user')),
      host: maybeText('Its machine'),
      version: exactOptional(maybeText('Its version of waybill')),
      process: exactOptional(number('show: its number')),
      start: exactOptional(anyText('show: when it began, by its system')),
      space: exactOptional(anyText('show: where its number means something')),
    }),
  ),
  settlements: about(
    'What persons said about it, oldest first',
    z.array(
      z.object({
        at: time('When, in UTC'),
        by: anyText('Who'),
        reason: maybeText('Why'),
        run: maybeText('In which run'),
        state: about('What was said', z.enum(['created', 'rejected', 'reopened', 'accepted', 'cancelled'])),
        ids: about('The ids that the booking has by it', z.record(z.string(), z.string())),
        sameAs: exactOptional(anyText('The booking whose shipment it is, too')),
        evidence: exactOptional(anything('show: what the service told then, or null')),
      }),
    ),
  ),
  // `null` for a booking that is unknown again: a file that is given back unchanged must not repeat what a person said wrongly.
  resolution: maybeText('What a person said that it is'),

  // Columns of the results of a batch.
  line: number('Its line in the input, from 1'),
  mended: yesOrNo('Was it booked from a file of --failed?'),
  journal: maybeText('The identity of the journal of this run; null if it had none'),
  recorded: yesOrNo('false: what became of it could not be written to the journal'),
  recordState: about(
    'What became of it: as a booking, or invalid, duplicate, estimated, done, failed',
    z.enum(RECORD_STATES),
  ),
  status: exactOptional(maybeText('track: its status')),
  milestone: exactOptional(maybeText('track: its newest milestone')),
  statusAt: exactOptional(maybeText('track: since when, as the service sent it')),
};
