import { deskOf, requestJob } from '../../batch/run/job.ts';
import { shipmentsToLabel } from '../../booking/booking.ts';
import { LEGS } from '../../contract/operations.ts';
import { Json } from '../../json.ts';
import { finishRecord } from '../../labels/finish.ts';
import { knownLabels } from '../../labels/make.ts';
import type { SavedLabels } from '../../labels/save.ts';
import { buildRequest, fingerprint, type RequestParts } from '../../order/build.ts';
import { bookedShipments, labelBody } from '../../order/find.ts';
import { wantsFiles } from '../../order/options.ts';
import type { Order } from '../../order/order.ts';
import { type ShownFacts, shipmentFacts } from '../../output/told.ts';
import type { Session } from '../../session/session.ts';
import { LABEL, makeAndSaveLabels } from '../label/request.ts';

/** The body of a record; if the record has only a key, a body with the shipments of that key. Throws `not_found`. */
async function bodyOfRecord(session: Session, parts: RequestParts, order: Order): Promise<unknown> {
  if (order.body.value !== null) return order.body.value;
  const { ids } = await bookedShipments(session, order.key ?? '');
  return (await buildRequest(session, { ...parts, record: labelBody(ids) })).body;
}

function labelFacts(
  body: unknown,
  savedLabels: Pick<SavedLabels, 'labels'> & Partial<SavedLabels>,
): ShownFacts {
  const ids = Object.fromEntries(shipmentsToLabel(body).map(({ leg, shipment }) => [leg, shipment]));
  return shipmentFacts(ids, savedLabels.labels, savedLabels.saved);
}

export const labelJob = requestJob(LABEL, {
  requiresKey: false,
  ignoresOthers: true,
  start: (parts, options) => ({
    hasFollowUp: () => wantsFiles(options),
    async prepare(session, record) {
      // The key of a record without a shipment id names the shipment. The key is looked up when it is the record's turn.
      const ids = LEGS.flatMap(leg => [options[leg], record.value[leg]]);
      if (record.key !== undefined && ids.every(id => id === undefined))
        return { body: new Json(null), needsProposal: false, fingerprint: '' };
      const { body } = await buildRequest(session, { ...parts, record: record.value });
      return { body: new Json(body), needsProposal: false, fingerprint: fingerprint(body) };
    },
    async recorded(session, order) {
      const body = await bodyOfRecord(session, parts, order);
      const { desk } = session;
      const labels = desk && (await knownLabels(shipmentsToLabel(body), desk));
      return labels && { facts: labelFacts(body, { labels }) };
    },
    async perform(session, order, files) {
      const body = await bodyOfRecord(session, parts, order);
      const desk = deskOf(session);
      const made = await makeAndSaveLabels({ ...order, body: new Json(body) }, files, desk);
      return {
        result: made.body,
        facts: labelFacts(body, made),
        pages: made.pages,
        newLabels: made.fresh.length,
        ...(await finishRecord(LABEL.operation, files, made, desk)),
      };
    },
  }),
});
