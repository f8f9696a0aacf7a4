// What every output shows of an order, and of a record of a batch: the source of the columns of all outputs, and of the tools for agents.

import { carrierOf, chargeOf } from '../booking/answer.ts';
import { type Booking, type Ids, labelledIds, scopeText } from '../booking/booking.ts';
import type { BookedOrder, CountedBooking, LabelMaker, ListedBooking } from '../booking/questions.ts';
import { bookingExitCode } from '../booking/standing.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { currencyNamed, read, readId, toldPrice } from '../contract/read.ts';

export type ByLeg = Partial<Record<Leg, string>>;

export interface ShownFacts {
  /** The ids of shipments that were booked or read; for a booking of labels the shipments that get them. */
  shipments: ByLeg;
  tracking: ByLeg;
  /** The legs whose labels exist. */
  labelled: readonly Leg[];
  /** The paths of saved labels. */
  files: ByLeg;
  carrier: string | null;
  /** The price as the service sent it, even if it is 0 or less. It is shown, and never added up. */
  price: unknown;
  currency: string | null;
  overPrice: boolean | null;
}

export const NO_FACTS: ShownFacts = {
  shipments: {},
  tracking: {},
  labelled: [],
  files: {},
  carrier: null,
  price: null,
  currency: null,
  overPrice: null,
};

/** What outputs show of shipments whose order is not known: ids, tracking numbers, labels; neither carrier nor price. */
export function shipmentFacts(ids: Ids, labels: Booking['labels'], files: ByLeg = {}): ShownFacts {
  const { international = ids.shipment, domestic } = ids;
  return {
    ...NO_FACTS,
    shipments: byLeg(leg => ({ international, domestic })[leg]),
    tracking: byLeg(leg => labels[leg]?.trackingNumber),
    labelled: LEGS.filter(leg => labels[leg]?.made),
    files,
  };
}

export function bookingFacts(
  booking: CountedBooking,
  labels = booking.labels,
  files = booking.files,
): ShownFacts {
  const { price, currency } = chargeOf(booking);
  return {
    ...shipmentFacts({ ...labelledIds(booking), ...booking.ids }, labels, files),
    carrier: carrierOf(booking),
    price: toldPrice(price),
    currency,
    overPrice: booking.overPrice,
  };
}

/** The booking that made the label of a leg, the newest first; a label that was made with a pair is in the booking of the pair. */
export const labelMaker = (order: BookedOrder<LabelMaker>, leg: Leg): LabelMaker | undefined =>
  [...order.labels.flatMap(label => (label.leg === leg ? label.booking : [])), order.booking].find(
    maker => maker.labels[leg]?.made,
  );

/** What every list shows of an order: its names, and what was booked. */
export interface OrderFacts extends ShownFacts {
  /** The key of the order; a booking of labels has the key of its order, by which a person knows it. */
  key: string | null;
  /** The shipment that a person or an invoice names; of a pair the international shipment. */
  shipmentId: string | null;
  trackingNumber: string | null;
  /** Has each shipment of the order a label? */
  isLabelled: boolean;
}

// The facts are computed once, because several columns read them.
const facts = new WeakMap<BookedOrder<CountedBooking>, OrderFacts>();

/** What is shown of an order: its booking, and the labels that other bookings made of it. */
export function orderFacts(order: BookedOrder<CountedBooking>): OrderFacts {
  const known = facts.get(order) ?? describedFacts(order);
  facts.set(order, known);
  return known;
}

function describedFacts(order: BookedOrder<CountedBooking>): OrderFacts {
  const { booking, labelOf } = order;
  const makers = byLeg(leg => labelMaker(order, leg));
  const ownFacts = bookingFacts(
    booking,
    byLeg(leg => makers[leg]?.labels[leg]),
    byLeg(leg => makers[leg]?.files[leg]),
  );
  const { shipments, tracking, labelled } = ownFacts;
  return {
    ...ownFacts,
    carrier: ownFacts.carrier ?? (labelOf ? carrierOf(labelOf) : null),
    key: booking.key ?? labelOf?.key ?? null,
    shipmentId: shipments.international ?? shipments.domestic ?? null,
    trackingNumber: tracking.international ?? tracking.domestic ?? null,
    isLabelled: LEGS.every(leg => shipments[leg] === undefined || labelled.includes(leg)),
  };
}

/** What an order would cost with a proposal. */
export const proposedFacts = (proposal: unknown): ShownFacts => ({
  ...NO_FACTS,
  carrier: read(readId, getAt(proposal, ['id'])) ?? null,
  price: toldPrice(getAt(proposal, ['price'])) ?? null,
  currency: currencyNamed(textAt(proposal, ['currency'])) ?? null,
});

function byLeg<T>(ofLeg: (leg: Leg) => T | undefined): Partial<Record<Leg, T>> {
  const values: Partial<Record<Leg, T>> = {};
  for (const leg of LEGS) {
    const value = ofLeg(leg);
    if (value !== undefined) values[leg] = value;
  }
  return values;
}

/** What is told of every booking, and of every record of a batch, even if the record has no booking. */
export interface Told extends Pick<Booking, 'sandbox' | 'run' | 'actor'> {
  operation: string;
  place: string;
  key: string | null;
  exitCode: number | null;
  /** Did this command, or this run of a batch, send the booking? */
  sent: boolean;
  facts: ShownFacts;
}

export interface ToldOrder<B = Booking> extends Told {
  order: BookedOrder<B>;
}

export const RECORD_STATES = [
  'created',
  'partial',
  'rejected',
  'not_sent',
  'unknown',
  'invalid',
  'duplicate',
  'held',
  'estimated',
  'done',
  'failed',
] as const;

/** A record of a batch, as it is told. */
export interface ToldRecord extends Told {
  state: (typeof RECORD_STATES)[number];
  /** The line of the record in the input, from 1. */
  line: number;
  /** Was the record booked from another file, in which its fault was corrected? */
  mended: boolean;
  /** `journal`: the identity of the journal of this run, or `null`. `recorded`: could it record what became of the record? */
  journal: string | null;
  recorded: boolean;
  /** What was read of the shipment, in a batch that tracks. */
  tracking?: Record<'status' | 'milestone' | 'statusAt', string | null> | undefined;
}

export const toldOrder = <B extends ListedBooking>(order: BookedOrder<B>, sent = false): ToldOrder<B> => {
  const { operation, sandbox, run, actor } = order.booking;
  const facts = orderFacts(order);
  return {
    operation,
    place: scopeText(order.booking),
    sandbox,
    key: facts.key,
    exitCode: bookingExitCode(order.booking),
    sent,
    run,
    actor,
    facts,
    order,
  };
};
