import { bookingMeans, requestJob } from '../../batch/run/job.ts';
import { shipmentsToLabel } from '../../booking/booking.ts';
import { LEGS } from '../../contract/operations.ts';
import { Json } from '../../json.ts';
import { knownLabels } from '../../labels/make.ts';
import { finishRecord } from '../../labels/print.ts';
import type { SavedLabels } from '../../labels/save.ts';
import { buildRequest, fingerprint, type RequestParts } from '../../order/build.ts';
import { bookedShipments, labelBody } from '../../order/find.ts';
import { wantsFiles } from '../../order/options.ts';
import type { Order, Sources } from '../../order/order.ts';
import { type Facts, shipmentFacts } from '../../output/told.ts';
import { LABEL, labelled } from '../label.ts';

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

function labelFacts(
  body: unknown,
  { labels, saved }: Pick<SavedLabels, 'labels'> & Partial<SavedLabels>,
): Facts {
  const ids = Object.fromEntries(shipmentsToLabel(body).map(({ leg, shipment }) => [leg, shipment]));
  return shipmentFacts(ids, labels, saved);
}

export const labelJob = requestJob(LABEL, {
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
      return labels && { facts: labelFacts(body, { labels }) };
    },
    async perform(desk, order, files) {
      const body = await bodyOfRecord(desk, parts, order);
      const means = bookingMeans(desk);
      const made = await labelled({ ...order, body: new Json(body) }, files, means);
      return {
        result: made.body,
        facts: labelFacts(body, made),
        pages: made.pages,
        newLabels: made.fresh.length,
        ...(await finishRecord(LABEL.operation, files, made, means)),
      };
    },
  }),
});
