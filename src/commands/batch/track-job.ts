import type { Job } from '../../batch/run/job.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import { optional, requiredText, strict, trueOrFalse } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { Json } from '../../json.ts';
import { validate } from '../../order/check.ts';
import { newestStatus, trackingNumberOf } from '../../output/shipment.ts';
import { type ShownFacts, shipmentFacts } from '../../output/told.ts';
import { flag } from '../../session/flags.ts';
import { bodyOrError, commonFailure, readAll, refuseNoId, type Shipment, shipmentsNamed } from '../track.ts';

const LENIENT = { rules: { economyCarriers: [], serviceOnLoopback: false }, allowUnknown: false };

const TRACKED = strict({
  id: optional(
    requiredText('Shipment id; left out if the key is that of a booking', { sample: 'SHIPMENT_ID' }),
  ),
  domestic: optional(trueOrFalse('Is it a domestic shipment?')),
});

export const trackJob: Job<{ domestic?: boolean }> = {
  operation: OPERATIONS.getShipment,
  fields: TRACKED,
  requiresKey: false,
  ignoresOthers: true,
  flags: { domestic: flag('--domestic', 'they are domestic shipments') },
  start: async (_, options) => ({
    hasFollowUp: () => false,
    async prepare(_, record) {
      const { key, value } = record;
      const issues = validate({ body: TRACKED, rules: [] }, value, LENIENT);
      if (issues.length > 0)
        throw new Failure('invalid_request', 'track: the record is not valid', { issues });
      const id = textAt(value, ['id']);
      if (id === undefined && key === undefined)
        throw new Failure('invalid_request', 'track: a record needs a shipment id, or the key of a booking', {
          issues: [{ path: 'id', message: 'is required, or the key of a booking' }],
        });
      if (id !== undefined) refuseNoId({ id, leg: 'international', booking: undefined });
      const domestic = (value.domestic === undefined ? options.domestic : value.domestic) === true;
      return { body: new Json({ id, domestic }), needsProposal: false, fingerprint: '' };
    },
    orderOf({ key, body, fingerprint }) {
      return { operation: OPERATIONS.getShipment, key, body, fingerprint };
    },
    async perform(session, order) {
      const { key } = order;
      const body = order.body.value;
      const id = textAt(body, ['id']);
      const ids = id === undefined ? [] : [id];
      // Without an id, the journal finds the shipments by the key.
      const keys = id === undefined && key !== undefined ? [key] : [];
      const wanted = await shipmentsNamed(session, ids, keys, getAt(body, ['domestic']) === true);
      const shipments = await readAll(session, wanted);
      const failure = commonFailure(shipments);
      if (failure && shipments.length === 1) throw failure;
      const bodies = shipments.map(bodyOrError);
      return {
        result: bodies.length === 1 ? bodies[0] : bodies,
        facts: trackFacts(shipments),
        tracking: newestStatus(shipments[0]?.content),
        failure,
      };
    },
  }),
};

function trackFacts(shipments: readonly Shipment[]): ShownFacts {
  const carrier = textAt(shipments[0]?.content, 'carrier.name') ?? null;
  const ofLegs = <T>(factOf: (shipment: Shipment) => T) =>
    Object.fromEntries(shipments.map(shipment => [shipment.leg, factOf(shipment)]));
  const labels = ofLegs(({ content }) => {
    const trackingNumber = trackingNumberOf(content);
    return { made: true, ...(trackingNumber && { trackingNumber }) };
  });
  return {
    ...shipmentFacts(
      ofLegs(({ id }) => id),
      labels,
    ),
    carrier,
  };
}
