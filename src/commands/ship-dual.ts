import { answerOf } from '../booking/answer.ts';
import { type Booking, isMade, unlabelledLegs } from '../booking/booking.ts';
import { LEGS, OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { Failure } from '../errors.ts';
import { finishLabels } from '../labels/finish.ts';
import { labelsOfPair } from '../labels/make.ts';
import { type LabelOutput, labelsView, prepareFiles, type SavedLabels, saveLabels } from '../labels/save.ts';
import { type ShipmentOptions, shipmentCommand } from '../order/build.ts';
import { parsePrice } from '../order/carrier.ts';
import { type Desk, openDesk } from '../order/desk.ts';
import { type BookingOptions, LABEL_FLAGS, type LabelFileOptions, requireLabel } from '../order/options.ts';
import type { Bounds, Order } from '../order/order.ts';
import { place } from '../order/place.ts';
import { flag, grouped } from '../session/flags.ts';
import type { Session } from '../session/session.ts';
import { declareRequest, EXIT_UNKNOWN } from './request-command.ts';

type DualOptions = ShipmentOptions & LabelFileOptions & BookingOptions & Pick<Bounds, 'maxPrice'>;

const operation = OPERATIONS.createDualShipment;

export const SHIP_DUAL = shipmentCommand<DualOptions>({
  operation,
  flags: {
    ...grouped('Carrier:', {
      maxPrice: flag(
        '--max-price <price>',
        'what both legs may cost together, such as 40EUR: limits and the prices of the answer are held against it',
        { read: parsePrice },
      ),
    }),
    ...LABEL_FLAGS,
    ...grouped('Label:', {
      label: flag('--label', 'make the carrier labels in the same call (needs scope shipment:label)'),
    }),
  },
  fromOptions: (_, options) => (options.label ? { label: true } : {}),
  check(options, body) {
    // A file may ask for labels, too: this is known only with the body.
    if (body !== undefined) requireLabel(options, hasLabel(body));
  },
  terms: options => ({ bounds: { maxPrice: options.maxPrice } }),
  warnings: pickWarnings,
});

/** Warns of `cheapest` and `fastest`: `ship` would choose a proposal, but `ship-dual` sends the word as the id of a carrier. */
function pickWarnings(body: unknown): string[] {
  const words = LEGS.map(leg => textAt(body, ['carriers', leg, 'id'])).filter(id =>
    /^(cheapest|fastest)$/i.test(id ?? ''),
  );
  return [...new Set(words)].map(
    word => `ship-dual accepts only carrier ids; ${JSON.stringify(word)} is sent as one`,
  );
}

const hasLabel = (body: unknown): boolean => getAt(body, ['label']) === true;

export const command = declareRequest(
  SHIP_DUAL,
  {
    async run(session, options, order) {
      const files = prepareFiles(session, options);
      await session.service.check(operation);
      const desk = await openDesk(session, options);
      const { booking, labels } = await bookPair(order, files, desk);
      await printPair(session, booking, labels);
      await finishLabels(operation, files, labels, desk);
    },
    async show(session, placed) {
      if (isMade(placed.booking)) await printPair(session, placed.booking);
      if (placed.failure) throw placed.failure;
    },
  },
  {
    examples: [
      '# Book an example pair with both labels.',
      'waybill schema ship-dual --example > pair.json',
      'waybill ship-dual -f pair.json --key PAIR-1001 --international EXP --domestic DOM --label --download labels',
      '# Book another pair like it, for the same receiver, with another parcel.',
      'waybill ship-dual --like PAIR-1001 --key PAIR-1001-B --package 1.5kg@30x20x10cm',
    ],
    output: {
      table: 'one line for each leg, with its label',
      quiet: 'both shipment ids, the international one first',
      json: 'the answer of the service',
    },
    exits: {
      not_found: 'the journal has no booking for --like',
      outcome_unknown: EXIT_UNKNOWN,
      partial: 'only one leg or one label was made, or a label was not saved',
      over_price:
        'the pair was created, but above --max-price; so again on each rerun until `waybill history accept REF`',
    },
  },
);

async function printPair(session: Session, booking: Booking, labels?: PairLabels): Promise<void> {
  const { body, content } = labels ?? answerOf(booking);
  const { saved = {} } = labels ?? {};
  await session.printer.result(body, {
    ...labelsView(content, saved, booking.ids),
    record: session.bookingLines.record,
  });
}

/** The saved labels of a pair. `body`: the answer that is printed. */
type PairLabels = SavedLabels & { body: unknown };

/** Books the pair, and saves its labels. Throws if nothing was made. */
export async function bookPair(
  order: Order,
  files: LabelOutput | undefined,
  desk: Desk,
): Promise<{ booking: Booking; labels: PairLabels }> {
  const placed = await place(order, desk);
  const { booking, sent, failure } = placed;
  if (!isMade(booking)) throw failure;
  const asked = unlabelledLegs(operation, order.body.value, {});
  // The labels of an earlier booking are looked up only to be saved: without files the recorded answer is shown, with its exit code.
  const isLookedUp = !sent && files !== undefined && asked.length > 0;
  const made = isLookedUp ? await labelsOfPair(placed, asked, desk) : labelsOfAnswer(booking, failure);
  return { booking, labels: await saveLabels(files, made, order.key, desk) };
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
