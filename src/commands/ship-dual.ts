import type { Command } from 'commander';
import { answerOf } from '../booking/answer.ts';
import { type Booking, isMade, unlabelledLegs } from '../booking/booking.ts';
import { LEGS, OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Failure } from '../errors.ts';
import { labelsOfPair } from '../labels/make.ts';
import { finishLabels } from '../labels/print.ts';
import { type LabelOutput, labelsView, prepareFiles, type SavedLabels, saveLabels } from '../labels/save.ts';
import { type ShipmentOptions, shipmentCommand } from '../order/build.ts';
import { parsePrice } from '../order/carrier.ts';
import {
  type BookingOptions,
  type LabelFileOptions,
  labelFileOptions,
  requireLabel,
} from '../order/options.ts';
import type { Bounds, Means, Order } from '../order/order.ts';
import { place } from '../order/place.ts';
import type { Act } from '../session/command.ts';
import type { Session } from '../session/session.ts';
import { meansToBook } from './means.ts';
import { defineRequest } from './request.ts';

type DualOptions = ShipmentOptions & LabelFileOptions & BookingOptions & Pick<Bounds, 'maxPrice'>;

const operation = OPERATIONS.createDualShipment;

export const SHIP_DUAL = shipmentCommand<DualOptions>({
  operation,
  options: command =>
    labelFileOptions(
      command
        .optionsGroup('Carrier:')
        .option(
          '--max-price <price>',
          'what both legs may cost together, such as 40EUR: limits and the prices of the answer are held against it',
          parsePrice,
        ),
    ).option('--label', 'make the carrier labels in the same call (needs scope shipment:label)'),
  fromOptions: (_, options) => (options.label ? { label: true } : {}),
  check(options, body) {
    // A file may ask for labels, too.
    if (body !== undefined) requireLabel(options, hasLabel(body));
  },
  terms: ({ maxPrice }) => ({ bounds: { maxPrice } }),
  warnings: pickWarnings,
});

/** `ship` would choose among proposals; here the word is sent as the id of a carrier. */
function pickWarnings(body: unknown): string[] {
  const words = LEGS.map(leg => textAt(body, ['carriers', leg, 'id'])).filter(id =>
    /^(cheapest|fastest)$/i.test(id ?? ''),
  );
  return [...new Set(words)].map(
    word => `ship-dual accepts only carrier ids; ${JSON.stringify(word)} is sent as one`,
  );
}

const hasLabel = (body: unknown): boolean => getAt(body, ['label']) === true;

export function define(command: Command, act: Act): void {
  defineRequest(command, act, SHIP_DUAL, {
    loadForm: async () => (await import('../forms/ship.ts')).dualForm,
    async run(session, options, order) {
      const files = prepareFiles(session, options);
      await session.service.check(operation);
      const means = await meansToBook(session, options);
      const { booking, labels } = await shippedPair(order, files, means);
      await print(session, booking, labels);
      await finishLabels(operation, files, labels, means);
    },
    async show(session, { booking, failure }) {
      if (isMade(booking)) await print(session, booking);
      if (failure) throw failure;
    },
  });
}

async function print(
  { printer, bookingLines }: Session,
  booking: Booking,
  labels?: PairLabels,
): Promise<void> {
  const { body, content } = labels ?? answerOf(booking);
  const { saved = {} } = labels ?? {};
  await printer.result(body, {
    ...labelsView(content, saved, booking.ids),
    record: bookingLines.record,
  });
}

/** `body`: what is printed. */
type PairLabels = SavedLabels & { body: unknown };

/** Books the pair, and saves its labels. Throws if nothing was made. */
export async function shippedPair(
  order: Order,
  files: LabelOutput | undefined,
  means: Means,
): Promise<{ booking: Booking; labels: PairLabels }> {
  const placed = await place(order, means);
  const { booking, sent, failure } = placed;
  if (!isMade(booking)) throw failure;
  const asked = unlabelledLegs(operation, order.body.value, {});
  // Only for files: without them the recorded answer is shown, with its exit code.
  const isLookedUp = !sent && files !== undefined && asked.length > 0;
  const made = isLookedUp ? await labelsOfPair(placed, asked, means) : labelsOfAnswer(booking, failure);
  return { booking, labels: await saveLabels(files, made, order.key, means) };
}

const labelsOfAnswer = (booking: Booking, failure: Failure | undefined) => {
  const { id, ids, labels } = booking;
  return {
    ...answerOf(booking),
    ids,
    labels,
    failure,
    bookings: { international: id, domestic: id },
  };
};
