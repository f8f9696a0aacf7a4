import { answerOf } from '../booking/answer.ts';
import { type Booking, isMade } from '../booking/booking.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import type { labelAfter } from '../labels/make.ts';
import type { LabelOutput } from '../labels/save.ts';
import { boundsIn } from '../order/bounds.ts';
import { fingerprint, type ShipmentOptions, shipmentCommand } from '../order/build.ts';
import { CARRIER_FLAGS, needsProposal, unresolvedIn } from '../order/carrier.ts';
import { type CarrierChoice, misspeltPick } from '../order/carrier-choice.ts';
import { type Desk, openDesk } from '../order/desk.ts';
import { type BookingOptions, LABEL_FLAGS, type LabelFileOptions, requireLabel } from '../order/options.ts';
import type { Order, Placed } from '../order/order.ts';
import { place } from '../order/place.ts';
import type { View } from '../output/print.ts';
import { toldTime } from '../output/shipment.ts';
import { pairs } from '../output/table.ts';
import { bookingFacts } from '../output/told.ts';
import { say } from '../say/sentence.ts';
import { codeWords, money, partyWords } from '../say/words.ts';
import { flag, grouped } from '../session/flags.ts';
import type { Session } from '../session/session.ts';
import { declareRequest, EXIT_UNKNOWN } from './request-command.ts';

type ShipOptions = ShipmentOptions & CarrierChoice & LabelFileOptions & BookingOptions;

const operation = OPERATIONS.createShipment;

/** The request of `ship`; `batch` and `batch map` build their requests with it, too. */
export const SHIP = shipmentCommand<ShipOptions>({
  operation,
  hasWayBack: true,
  unresolved: ['chargeableWeight'],
  flags: {
    ...CARRIER_FLAGS,
    ...LABEL_FLAGS,
    ...grouped('Label:', { label: flag('--label', 'make the label right after, with a second booking') }),
  },
  fromOptions: (_, options) => (options.carrier ? { carrier: { id: options.carrier } } : {}),
  // The fingerprint leaves out a bound of the price, which says nothing of what is booked.
  fingerprint: (body, options) => fingerprint({ body, service: options.service }),
  check(options, body) {
    // A rule may ask for the label; whether it does is known only with the body.
    if (body === undefined) requireLabel(options, options.label || typeof options.rules === 'string');
  },
  terms: options => ({ bounds: boundsIn(options), thenLabel: options.label }),
  needsProposal,
  warnings: body => misspeltPick(textAt(body, 'carrier.id')),
});

export const command = declareRequest(
  SHIP,
  {
    preview: unresolvedIn,
    async run(session, options, order) {
      requireLabel(options, order.thenLabel ?? false);
      // The code for labels is loaded only if a label is made.
      const files = order.thenLabel
        ? (await import('../labels/save.ts')).prepareFiles(session, options)
        : undefined;
      await session.service.check(operation);
      const desk = await openDesk(session, options);
      const { label, ...placed } = await bookAndLabel(order, files, desk, () => session.bookingLines.tell());
      await showBooked(session, placed, label);
      if (label) await (await import('../labels/finish.ts')).finishLabels(operation, files, label, desk);
    },
    show: showBooked,
  },
  {
    about:
      'Without a terminal it asks nothing: it books an order that is complete at once, and ends with exit 2 for any other.',
    examples: [
      '# Book an example order and its label. The same command again sends nothing.',
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
      '# Book another order like it, with another parcel.',
      'waybill ship --like ORDER-1001 --key ORDER-1001-B --package 1.5kg@30x20x10cm',
      '# Have an order sent back: sender and receiver change places.',
      'waybill ship --like ORDER-1001 --swap --key RETURN-1001 --carrier cheapest',
      '# Look at an order and its price first, then book exactly that.',
      'waybill ship -f order.json --key ORDER-1001-C --carrier fastest --plan plan.json',
      'waybill ship -f plan.json',
    ],
    output: {
      table: 'the shipment and its label',
      quiet: 'the shipment id',
      json: 'the answer of the service; with --label the label is under "label"',
    },
    exits: {
      not_found:
        'no carrier matches, that of a plan is dearer now, the service does not know it (404), or the journal has no booking for --like',
      outcome_unknown: EXIT_UNKNOWN,
      partial:
        'the shipment was created but its label was not made or not saved; the message names the command that completes it',
      over_price:
        'the shipment was created, but above --max-price; so again on each rerun until `waybill history accept REF`',
    },
  },
);

async function showBooked(
  session: Session,
  placed: Pick<Placed, 'booking' | 'failure'>,
  label?: LabelAfter,
): Promise<void> {
  const { printer, bookingLines, host } = session;
  if (isMade(placed.booking))
    await printer.result(withLabel(answerOf(placed.booking).body, label?.body), {
      ...shipmentView(placed.booking, label, host.now()),
      record: bookingLines.record,
    });
  if (placed.failure) throw placed.failure;
}

/** Books an order, and makes its label if that is wanted. `tell`: says what is booked before the label is made. */
export async function bookAndLabel(
  order: Order,
  files: LabelOutput | undefined,
  desk: Desk,
  tell: () => Promise<void> = async () => {},
) {
  const { booking, failure, sent } = await place(order, desk);
  const id = booking.ids.shipment;
  // No label is made above --max-price: a label costs money, too, and makes it harder to cancel the shipment.
  if (failure?.code === 'over_price' && booking.state === 'created' && order.thenLabel) {
    return {
      booking,
      failure: failure.with({
        hint: say`Its label was not made: once the price is accepted, the same command makes it`,
      }),
    };
  }
  if (failure || id === undefined || !order.thenLabel) return { booking, failure };
  const shipment = { leg: 'international', shipment: id } as const;
  if (sent || (await desk.journal.bookingOfLabel(desk.scope(), shipment)) === undefined)
    // Making the label may take minutes. A person who stops it must know what is booked.
    await desk.printer.note(`shipment ${id} is booked; making its label`);
  await tell();
  const make = await import('../labels/make.ts');
  return { booking, failure, label: await make.labelAfter(id, files, order.key, desk) };
}

export const withLabel = (body: unknown, label: unknown): unknown =>
  label === undefined ? body : { ...(body as object), label };

type LabelAfter = Awaited<ReturnType<typeof labelAfter>>;

const shipmentView = (booking: Booking, label: LabelAfter | undefined, now: number): View<unknown> => ({
  essential: () => [booking.ids.shipment],
  async table(_, look) {
    const { content } = answerOf(booking);
    const { price, currency } = bookingFacts(booking);
    const weight = getAt(content, ['chargeableWeight']);
    const carrier = getAt(content, ['carrier']);
    const status = textAt(content, 'status[0].status');
    const rows: [string, string | undefined][] = [
      ...(booking.key === null ? [] : [['Key', booking.key] as [string, string]]),
      ['Shipment', booking.ids.shipment],
      [
        'Carrier',
        withCommas(textAt(carrier, ['name']) ?? read(readId, getAt(carrier, ['id'])), money(price, currency)),
      ],
      ['From', partyWords(getAt(content, ['sender']))],
      ['To', partyWords(getAt(content, ['receiver']))],
      ['Chargeable weight', weight === undefined ? undefined : `${weight} kg`],
      ['Status', status && codeWords(status)],
      ['Created', toldTime(textAt(content, ['createdAt']), now)],
    ];
    if (label) {
      const { labelsIn, whereWords } = await import('../labels/save.ts');
      for (const line of labelsIn(label.content, label.saved))
        rows.push(['Tracking number', line.trackingNumber], ['Label', whereWords(line)]);
    }
    return pairs(look, rows);
  },
});

const withCommas = (...parts: (string | undefined)[]) => parts.filter(part => part !== undefined).join(', ');
