// What each command does for a record of a batch.

import { TEXT, WHOLE_NUMBER, YES_OR_NO } from '../../batch/record-options.ts';
import { bookingMeans, type Job, placedResult, requestJob } from '../../batch/run/job.ts';
import { recordedResult } from '../../batch/run/result-line.ts';
import { LEGS } from '../../contract/operation.ts';
import { OPERATIONS, type OperationCommand } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import { boundIn } from '../../contract/read.ts';
import { flag, optional, strict, text } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { answerOf, type Facts, NO_FACTS, proposedFacts } from '../../journal/answer.ts';
import { needsAcceptance, shipmentsToLabel } from '../../journal/booking.ts';
import { Json } from '../../json.ts';
import { knownLabels, labelBefore } from '../../labels/make.ts';
import { finishOne } from '../../labels/print.ts';
import { type LegLabels, wantsFiles } from '../../labels/save.ts';
import { buildRequest, type RequestParts } from '../../order/build.ts';
import { proposalFor } from '../../order/carrier.ts';
import { validate } from '../../order/check.ts';
import { targetFlags } from '../../order/command-line.ts';
import { bookedShipments, labelBody } from '../../order/find.ts';
import { fingerprint } from '../../order/key.ts';
import type { Order, Sources } from '../../order/order.ts';
import { offersIn } from '../../order/proposals.ts';
import { newestStatus, trackingNumberOf } from '../../output/shipment.ts';
import { LABEL, labelled } from '../label.ts';
import { askingOf } from '../means.ts';
import { QUOTE, quoted } from '../quote.ts';
import { RATES } from '../rates.ts';
import { SHIP, shipped, withLabel } from '../ship.ts';
import { SHIP_DUAL, shippedPair } from '../ship-dual.ts';
import type { Shipment } from '../track/shipment-list.ts';
import { bodyOrError, commonFailure, readAll, refuseNoId, shipmentsNamed } from '../track.ts';

const quoteJob = requestJob(QUOTE, {
  requiresKey: false,
  start: (_, options) => ({
    async perform(desk, { body, key }) {
      const result = await quoted(askingOf(desk), options, body.value, key);
      const [only, other] = offersIn(result);
      // Among several, the one that would be booked is not known.
      return { result, facts: proposedFacts(other === undefined ? only : undefined), saved: {} };
    },
  }),
});

const ratesJob = requestJob(RATES, {
  requiresKey: false,
  start: () => ({
    perform: async ({ service }, { body, key }) => ({
      result: await service.read(RATES.operation, { body: body.value, key }),
      facts: NO_FACTS,
      saved: {},
    }),
  }),
});

export const shipJob = requestJob(SHIP, {
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
      allowed: 'an amount above 0 with a currency such as 20EUR',
      parse: boundIn,
    },
    maxDays: { description: 'no proposal that may take more days', ...WHOLE_NUMBER },
    label: { description: 'make the label right after the shipment', ...YES_OR_NO },
  },
  start: (_, _all) => ({
    hasFollowUp: ({ label }) => label ?? false,
    isPlain: ({ label }) => !label,
    async perform(desk, order, files) {
      const means = bookingMeans(desk);
      const { booking, failure, label } = await shipped(order, files, means);
      const placed = placedResult({ booking, failure });
      return {
        ...placed,
        result: withLabel(answerOf(booking).body, label?.body),
        facts: { ...placed.facts, labels: { ...placed.facts.labels, ...label?.labels } },
        saved: label?.saved ?? {},
        pages: label?.pages,
        isUnlabelled: label?.failure !== undefined,
        failure: failure ?? (label && (await finishOne(SHIP.operation, files, label, means))),
      };
    },
    async recorded({ means, globals }, _order, booking) {
      if (booking?.state !== 'created') return undefined;
      // It gets no label before its price is accepted.
      const label = needsAcceptance(booking) ? { labels: {} } : means && (await labelBefore(booking, means));
      if (label === undefined) return undefined;
      const { labels, failure } = label;
      const known = recordedResult(booking, targetFlags({ globals }), labels);
      return failure ? { ...known, failure, isUnlabelled: true } : known;
    },
    async estimate(desk, order) {
      const received = await proposalFor(order, askingOf(desk));
      return { result: received, facts: proposedFacts(received), saved: {} };
    },
  }),
});

const pairJob = requestJob(SHIP_DUAL, {
  requiresKey: true,
  bounds: ['maxPrice'],
  recordOptions: {
    maxPrice: {
      description: 'what it counts with against a limit',
      allowed: 'an amount above 0 with a currency such as 40EUR',
      parse: boundIn,
    },
  },
  start: (_, options) => ({
    // The labels come with the booking; they may still have to be saved.
    hasFollowUp: () => wantsFiles(options),
    isPlain: (_, files) => files === undefined,
    async perform(desk, order, files) {
      const means = bookingMeans(desk);
      const { booking, labels } = await shippedPair(order, files, means);
      return {
        ...placedResult({ booking }),
        saved: labels.saved,
        pages: labels.pages,
        failure: await finishOne(SHIP_DUAL.operation, files, labels, means),
      };
    },
    recorded: async (desk, _, booking) =>
      booking?.state === 'created' ? recordedResult(booking, targetFlags(desk)) : undefined,
  }),
});

/** The body of a record; if it only has a key, that of the shipments that have it. Throws `not_found`. */
async function bodyOfRecord(
  sources: Sources,
  parts: RequestParts,
  { key = '', body: { value } }: Order,
): Promise<unknown> {
  if (value !== null) return value;
  const { ids } = await bookedShipments(sources, key);
  return (await buildRequest(sources, { ...parts, record: labelBody(ids) })).body;
}

const labelFacts = (body: unknown, labels: LegLabels['labels']): Facts => {
  const ids = Object.fromEntries(shipmentsToLabel(body).map(({ leg, shipment }) => [leg, shipment]));
  return { ...NO_FACTS, ids, labels };
};

const labelJob = requestJob(LABEL, {
  requiresKey: false,
  ignoresOthers: true,
  start: (parts, { international, domestic, ...options }) => ({
    hasFollowUp: () => wantsFiles(options),
    async prepare(sources, { key, value }) {
      // A key names the shipment if nothing else does. It is looked up when it is the record's turn.
      const ids = [international, domestic, ...LEGS.map(leg => value[leg])];
      if (key !== undefined && ids.every(id => id === undefined))
        return { body: new Json(null), needsProposal: false, fingerprint: '' };
      const { body } = await buildRequest(sources, { ...parts, record: value });
      return { body: new Json(body), needsProposal: false, fingerprint: fingerprint(body) };
    },
    async recorded(desk, order) {
      const body = await bodyOfRecord(desk, parts, order);
      const { means } = desk;
      const labels = means && (await knownLabels(shipmentsToLabel(body), means));
      return labels && { facts: labelFacts(body, labels), saved: {} };
    },
    async perform(desk, order, files) {
      const body = await bodyOfRecord(desk, parts, order);
      const means = bookingMeans(desk);
      const made = await labelled({ ...order, body: new Json(body) }, files, means);
      return {
        result: made.body,
        facts: labelFacts(body, made.labels),
        saved: made.saved,
        pages: made.pages,
        failure: await finishOne(LABEL.operation, files, made, means),
      };
    },
  }),
});

const LENIENT = { rules: { economyCarriers: [], serviceOnLoopback: false }, allowUnknown: false };

const TRACKED = strict({
  id: optional(text('Shipment id; left out if the key is that of a booking', { sample: 'SHIPMENT_ID' })),
  domestic: optional(flag('Is it a domestic shipment?')),
});

const trackJob: Job<{ domestic?: boolean }> = {
  operation: OPERATIONS.getShipment,
  fields: TRACKED,
  requiresKey: false,
  ignoresOthers: true,
  options: command => command.option('--domestic', 'they are domestic shipments'),
  start: async (_, { domestic: allDomestic = false }) => ({
    hasFollowUp: () => false,
    async prepare(_, { key, value }) {
      const issues = validate({ body: TRACKED, rules: [] }, value, LENIENT);
      if (issues.length > 0)
        throw new Failure('invalid_request', 'track: the record is not valid; nothing was sent', { issues });
      const id = textAt(value, ['id']);
      if (id === undefined && key === undefined)
        throw new Failure('invalid_request', 'track: a record needs a shipment id, or the key of a booking', {
          issues: [{ path: 'id', message: 'is required, or the key of a booking' }],
        });
      if (id !== undefined) refuseNoId({ id, leg: 'international', booking: undefined });
      const domestic = value.domestic === undefined ? allDomestic : value.domestic === true;
      return { body: new Json({ id, domestic }), needsProposal: false, fingerprint: '' };
    },
    async perform(desk, { key, body: { value: body } }) {
      const id = textAt(body, ['id']);
      const ids = id === undefined ? [] : [id];
      // The id is left out if the key names it.
      const keys = id === undefined && key !== undefined ? [key] : [];
      const wanted = await shipmentsNamed(desk, ids, keys, getAt(body, ['domestic']) === true);
      const shipments = await readAll(desk, wanted);
      const failure = commonFailure(shipments);
      if (failure && shipments.length === 1) throw failure;
      const bodies = shipments.map(bodyOrError);
      return {
        result: bodies.length === 1 ? bodies[0] : bodies,
        facts: trackFacts(shipments),
        tracking: newestStatus(shipments[0]?.content),
        saved: {},
        failure,
      };
    },
  }),
};

function trackFacts(shipments: readonly Shipment[]): Facts {
  const carrier = textAt(shipments[0]?.content, 'carrier.name') ?? null;
  const facts: Facts = { ...NO_FACTS, ids: {}, labels: {}, carrier };
  for (const { id, leg, content } of shipments) {
    const trackingNumber = trackingNumberOf(content);
    facts.ids[leg] = id;
    facts.labels[leg] = { made: true, ...(trackingNumber && { trackingNumber }) };
  }
  return facts;
}

const JOBS = {
  quote: quoteJob,
  rates: ratesJob,
  ship: shipJob,
  'ship-dual': pairJob,
  label: labelJob,
  track: trackJob,
} satisfies Partial<Record<OperationCommand, Job<never>>>;

/** `name`: a command that a batch can run, as the row of its operation says. */
export const jobNamed = (name: string): Job<object> => JOBS[name as keyof typeof JOBS] as Job<object>;
