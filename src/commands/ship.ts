import type { Command } from 'commander';
import { TEXT, WHOLE_NUMBER, YES_OR_NO } from '../batch/record-options.ts';
import { recordedResult, requestJob } from '../batch/run/job.ts';
import { factsOfBooked, proposedFacts } from '../booking/facts.ts';
import { fingerprint } from '../booking/fingerprint.ts';
import type { Outcome } from '../booking/outcome.ts';
import { priceBound } from '../carriers/booked-price.ts';
import {
  type Bounds,
  boundOf,
  type CarrierChoice,
  carrierOptions,
  misspeltPick,
} from '../carriers/choose.ts';
import { priceWords } from '../carriers/proposals.ts';
import { isResolved, proposalFor, resolveCarrier, unresolvedIn } from '../carriers/resolve.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { defineRequest, type ReadyRequest } from '../forms/define-request.ts';
import { isMade, needsAcceptance } from '../journal/booking.ts';
import { Json } from '../json.ts';
import { labelAfter, labelBefore } from '../labels/after-shipment.ts';
import { finishLabels, finishOne } from '../labels/finish.ts';
import { type LabelFileOptions, labelFileOptions, requireLabel } from '../labels/flags.ts';
import { type LabelFiles, prepareFiles } from '../labels/save.ts';
import { bookOnce } from '../orders/book-once.ts';
import { readyToBook, toReceiver } from '../orders/confirm.ts';
import type { BookingOptions } from '../orders/flags.ts';
import { type ShipmentOptions, shipmentCommand } from '../orders/shipment-flags.ts';
import { money } from '../output/money.ts';
import type { View } from '../output/print.ts';
import { pairs } from '../output/table.ts';
import type { Act } from '../session/command.ts';
import { addPage } from '../session/page.ts';
import type { Session } from '../session/session.ts';
import { labelsIn, whereWords } from '../views/labels.ts';

type ShipOptions = ShipmentOptions & CarrierChoice & LabelFileOptions & BookingOptions;

const operation = OPERATIONS.createShipment;

/** `batch map` shows its first order with it. */
export const SHIP = shipmentCommand<ShipOptions>({
  operation,
  unresolved: ['chargeableWeight'],
  options: command =>
    labelFileOptions(carrierOptions(command)).option(
      '--label',
      'make the label right after, with a second booking',
    ),
  fromOptions: (_, { carrier }) => (carrier === undefined ? {} : { carrier: { id: carrier } }),
  // A bound says nothing of what is booked.
  fingerprint: (given, { service }) => fingerprint({ body: given, service }),
  check(options, body) {
    if (body === undefined) requireLabel(options, options.label ?? false);
  },
  warnings: body => misspeltPick(textAt(body, 'carrier.id')),
});

const boundsOf = ({ service, maxPrice, maxDays }: ShipOptions): Bounds => ({ service, maxPrice, maxDays });

export function define(command: Command, act: Act): void {
  defineRequest(command, act, SHIP, {
    loadForm: async options => (await import('../forms/ship.ts')).shipForm(boundsOf(options)),
    preview: unresolvedIn,
    async run(session, options, request) {
      const files = prepareFiles(session, options);
      await session.client(operation);
      const { label: isLabelled = false } = options;
      const bounds = boundsOf(options);
      const order = {
        ...{ ...request, bounds, label: isLabelled, files },
        body: new Json(request.body),
        isComplete: isResolved(request.body, bounds),
      };
      const { booked, failure, label } = await shipped(session, order);
      const { outcome } = booked;
      if (isMade(outcome))
        await session.printer.result(withLabel(outcome.body, label?.body), view(outcome, label));
      if (failure) throw failure;
      if (label) await finishLabels(session, operation, files, label);
    },
  });
  addPage(command, {
    examples: [
      '# Book an example order and its label. The same command again sends nothing.',
      'waybill schema ship --example > order.json',
      'waybill ship -f order.json --key ORDER-1001 --carrier fastest --max-price 60EUR --label --download labels',
      '# Book another order like it, with another parcel.',
      'waybill ship --like ORDER-1001 --key ORDER-1001-B --package 1.5kg@30x20x10cm',
    ],
    output: {
      table: 'the shipment and its label',
      quiet: 'the shipment id',
      json: 'the answer of the service; with --label the label is under "label"',
    },
    asks: ['createShipment', 'proposal', 'createLabels'],
    exits: {
      not_found:
        'no carrier matches, the service does not know it (404), or the journal has no booking for --like',
      partial:
        'the shipment was created but its label was not made, or the label was not saved; the message names the command that completes it',
      over_price:
        'the shipment was created, but for more than --max-price or in another currency; so again on each rerun until `waybill history accept`',
    },
  });
}

/** A shipment to be booked, before a proposal has filled in the rest. */
interface ShipOrder extends Pick<ReadyRequest, 'parts' | 'identity'> {
  body: Json;
  /** Is there nothing for a proposal to fill in? */
  isComplete: boolean;
  proposals?: unknown;
  bounds: Bounds;
  label: boolean;
  files: LabelFiles | undefined;
}

/** Books, and makes the label if it is wanted. */
async function shipped(session: Session, order: ShipOrder) {
  const { parts, bounds, identity, proposals, label, files } = order;
  let proposed: string | undefined;
  const ready = (body: Json) => ({ body, summary: () => summaryOf(body.value, proposed, label) });
  const complete = async () => {
    // Refuses, before the service is asked for proposals, what needs no proposal to be refused.
    await readyToBook(session, operation);
    const { body, proposal } = await resolveCarrier(session, parts, order.body.value, bounds, proposals);
    proposed = proposal && priceWords(proposal);
    return ready(new Json(body));
  };
  const sent = order.isComplete ? ready(order.body) : complete;
  const bound = priceBound(bounds.maxPrice);
  const { booked, failure } = await bookOnce(session, operation, identity, sent, bound);
  if (bound && booked.sent && isMade(booked.outcome) && booked.overPrice === null)
    await session.printer.warn(bound.doubt(booked.outcome.content), { always: true });
  // The service charges what its response says.
  const price = proposed && bookedPrice(booked.outcome.content);
  if (price !== undefined && price !== proposed)
    await session.printer.warn(`the proposal said ${proposed}, but the shipment was booked for ${price}`);
  const id = booked.outcome.ids.shipment;
  if (failure?.code === 'over_price' && label) return { booked, failure: withoutLabel(failure) };
  if (failure || id === undefined || !label) return { booked, failure };
  // Making the label may take minutes. A person who stops it must know what is booked.
  await session.printer.note(`shipment ${id} is booked; making its label`);
  await session.bookingLines.tell();
  return { booked, failure, label: await labelAfter(session, id, files, identity) };
}

/** A label costs money, too, and makes it harder to take the shipment back. */
const withoutLabel = ({ code, message, facts }: Failure): Failure =>
  new Failure(
    code,
    `${message}. Its label was not made: once the price is accepted, the same command makes it`,
    facts,
  );

/** What a person confirms. */
const summaryOf = (body: unknown, proposed: string | undefined, label: boolean): string =>
  [
    `${textAt(body, 'carrier.id')} ${toReceiver(body)}`,
    proposed,
    `${getAt(body, ['chargeableWeight'])} kg chargeable`,
    label && 'with a label',
  ]
    .filter(Boolean)
    .join(', ');

const withLabel = (body: unknown, label: unknown): unknown =>
  label === undefined ? body : { ...(body as object), label };

export const job = requestJob(SHIP, {
  requiresKey: true,
  hasEstimate: true,
  bounds: ['maxPrice', 'maxDays'],
  recordOptions: {
    carrier: {
      description: 'carrier id, or cheapest or fastest of the proposals that can be booked',
      path: 'carrier.id',
    },
    service: { description: 'only a proposal of this service type', ...TEXT },
    maxPrice: {
      description: 'no proposal above this',
      allowed: 'an amount with a currency such as 20EUR',
      parse: boundOf,
    },
    maxDays: { description: 'no proposal that may take more days', ...WHOLE_NUMBER },
    label: { description: 'make the label right after the shipment', ...YES_OR_NO },
  },
  start: parts => ({
    hasFollowUp: ({ label }) => label ?? false,
    isComplete: (body, options) => isResolved(body, boundsOf(options)),
    async perform(session, { body, isComplete, identity, options }, files) {
      const { label: isLabelled = false } = options;
      const bounds = boundsOf(options);
      const order = { parts, body, isComplete, bounds, identity, label: isLabelled, files };
      const { booked, failure, label } = await shipped(session, order);
      const { outcome, run, actor } = booked;
      return {
        ...{ run, actor, result: withLabel(outcome.body, label?.body) },
        facts: {
          ...factsOfBooked(booked, body),
          labels: { ...outcome.labels, ...label?.labels },
        },
        saved: label?.saved ?? {},
        pages: label?.pages,
        isUnlabelled: label?.failure !== undefined,
        failure: failure ?? (label && (await finishOne(session, operation, files, label))),
      };
    },
    async recorded(session, _, booking) {
      if (booking?.state !== 'created') return undefined;
      // It gets no label before its price is accepted.
      const label = needsAcceptance(booking) ? { labels: {} } : await labelBefore(session, booking);
      if (label === undefined) return undefined;
      const { labels, failure } = label;
      const known = recordedResult(operation, booking, labels);
      return failure ? { ...known, failure, isUnlabelled: true } : known;
    },
    async estimate(session, { body, options }) {
      const { received } = await proposalFor(session, parts, body.value, boundsOf(options));
      return { result: received, facts: proposedFacts(received), saved: {} };
    },
  }),
});

type LabelAfter = Awaited<ReturnType<typeof labelAfter>>;

const view = ({ ids, content }: Outcome, label: LabelAfter | undefined): View<unknown> => ({
  essential: () => [ids.shipment],
  table(_, look) {
    const weight = getAt(content, ['chargeableWeight']);
    const carrier = getAt(content, ['carrier']);
    return pairs(look, [
      ['Shipment', ids.shipment],
      [
        'Carrier',
        joined(textAt(carrier, ['name']) ?? read(readId, getAt(carrier, ['id'])), bookedPrice(content)),
      ],
      ['From', place(getAt(content, ['sender']))],
      ['To', place(getAt(content, ['receiver']))],
      ['Chargeable weight', weight === undefined ? undefined : `${weight} kg`],
      ['Status', textAt(content, 'status[0].status')],
      ['Created', textAt(content, ['createdAt'])],
      ...labelsIn(label?.content, label?.saved).flatMap((made): [string, string | undefined][] => [
        ['Tracking number', made.trackingNumber],
        ['Label', whereWords(made)],
      ]),
    ]);
  },
});

/** `12.40 EUR`, if the response says it. */
function bookedPrice(content: unknown): string | undefined {
  const carrier = getAt(content, ['carrier']);
  return money(getAt(carrier, ['price']), textAt(carrier, ['currency']));
}

const place = (party: unknown) => joined(textAt(party, ['city']), textAt(party, ['country']));

const joined = (...parts: (string | undefined)[]) => parts.filter(part => part !== undefined).join(', ');
