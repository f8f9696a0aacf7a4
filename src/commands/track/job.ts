// `track` for each record of a batch.
import type { Job } from '../../batch/run/job.ts';
import { type BookedFacts, NO_FACTS } from '../../booking/facts.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import { flag, optional, strict, text } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { Json } from '../../json.ts';
import { validate } from '../../request/validate.ts';
import { newestStatus, trackingNumberOf } from '../../views/shipment.ts';
import { bodyOrError, failureOf, readAll, refuseNoId, type Shipment, trackedShipments } from './read.ts';

const READ = { rules: { economyCarriers: [], serviceOnLoopback: false }, allowUnknown: false };

const fields = strict({
  id: optional(text('Shipment id; left out if the key is that of a booking', { sample: 'SHIPMENT_ID' })),
  domestic: optional(flag('Is it a domestic shipment?')),
});

export const job: Job<{ domestic?: boolean }> = {
  operation: OPERATIONS.getShipment,
  fields,
  requiresKey: false,
  ignoresOthers: true,
  options: command => command.option('--domestic', 'they are domestic shipments'),
  start: async (_, { domestic: allDomestic = false }) => ({
    hasFollowUp: () => false,
    async prepare(_, { key, value }) {
      const issues = validate({ body: fields, rules: [] }, value, READ);
      if (issues.length > 0)
        throw new Failure('invalid_request', 'track: the record is not valid; nothing was sent', { issues });
      const id = textAt(value, ['id']);
      if (id === undefined && key === undefined)
        throw new Failure('invalid_request', 'track: a record needs a shipment id, or the key of a booking', {
          issues: [{ path: 'id', message: 'is required, or the key of a booking' }],
        });
      if (id !== undefined) refuseNoId({ id, leg: 'international' });
      const domestic = value.domestic === undefined ? allDomestic : value.domestic === true;
      return { body: new Json({ id, domestic }), isComplete: true, fingerprint: '' };
    },
    async perform(session, { key, body: { value: body } }) {
      const id = textAt(body, ['id']);
      const ids = id === undefined ? [] : [id];
      // The id is left out if the key names it.
      const keys = id === undefined && key !== undefined ? [key] : [];
      const tracked = await trackedShipments(session, ids, keys, getAt(body, ['domestic']) === true);
      const shipments = await readAll(session, tracked);
      const failure = failureOf(shipments);
      if (failure && shipments.length === 1) throw failure;
      const [first] = shipments;
      const bodies = shipments.map(bodyOrError);
      const result = bodies.length === 1 ? bodies[0] : bodies;
      return {
        result,
        facts: factsOf(shipments),
        tracking: newestStatus(first?.content),
        saved: {},
        failure,
      };
    },
  }),
};

function factsOf(shipments: readonly Shipment[]): BookedFacts {
  const carrier = textAt(shipments[0]?.content, 'carrier.name') ?? null;
  const facts: BookedFacts = { ...NO_FACTS, ids: {}, labels: {}, carrier };
  for (const { id, leg, content } of shipments) {
    const trackingNumber = trackingNumberOf(content);
    facts.ids[leg] = id;
    facts.labels[leg] = { made: true, ...(trackingNumber && { trackingNumber }) };
  }
  return facts;
}
