import type { Job } from '../../batch/run/job.ts';
import { NO_FACTS } from '../../booking/facts.ts';
import type { Leg } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import { flag, optional, strict, text } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { validate } from '../../request/validate.ts';
import { bodyOrError, failureOf, readAll, refuseNoId, trackedShipments } from './read.ts';

const { getShipment, getDomesticShipment } = OPERATIONS;

const READ = { rules: { economyCarriers: [], serviceOnLoopback: false }, allowUnknown: false };

interface TrackRecord {
  /** Left out if the key names it. */
  id?: string | undefined;
  domestic: boolean;
}

const fields = strict({
  id: optional(text('Shipment id; left out if the key is that of a booking')),
  domestic: optional(flag('Is it a domestic shipment?')),
});

export const job: Job<{ domestic?: boolean }> = {
  operation: getShipment,
  fields,
  requiresKey: false,
  options: command => command.option('--domestic', 'they are domestic shipments'),
  start: async (_, { domestic: allDomestic = false }) => ({
    hasFollowUp: false,
    async prepare(_session, { key, value }) {
      const issues = await validate({ body: fields, rules: [] }, value, READ);
      if (issues.length > 0)
        throw new Failure('invalid_request', 'track: the record is not valid; nothing was sent', { issues });
      const id = textAt(value, ['id']);
      if (id === undefined && key === undefined)
        throw new Failure('invalid_request', 'track: a record needs a shipment id, or the key of a booking', {
          issues: [{ path: 'id', message: 'is required, or the key of a booking' }],
        });
      if (id !== undefined) refuseNoId(getShipment, id);
      const domestic = value.domestic === undefined ? allDomestic : value.domestic === true;
      const body: TrackRecord = { id, domestic };
      return { body, fingerprint: '' };
    },
    async perform(session, { key, body }) {
      const { id, domestic } = body as TrackRecord;
      const tracked = await trackedShipments(session, {
        domestic,
        ids: id === undefined ? [] : [id],
        keys: id === undefined && key !== undefined ? [key] : [],
      });
      const legs = tracked.map((one): [string, Leg] => [
        one.id,
        one.operation === getDomesticShipment ? 'domestic' : 'international',
      ]);
      const shipments = await readAll(session, tracked);
      const failure = failureOf(shipments);
      const [only, other] = shipments;
      if (failure && other === undefined) throw failure;
      const bodies = shipments.map(bodyOrError);
      const numbers = bodies.map(one => textAt(one, 'tracking.trackingNumber'));
      return {
        result: only && other === undefined ? bodies[0] : bodies,
        facts: {
          ...NO_FACTS,
          ids: Object.fromEntries(legs.map(([shipment, leg]) => [leg, shipment])),
          labels: Object.fromEntries(
            legs.map(([, leg], index) => [
              leg,
              { made: true, ...(numbers[index] && { trackingNumber: numbers[index] }) },
            ]),
          ),
          carrier: textAt(bodies[0], 'carrier.name') ?? null,
        },
        saved: {},
        failure,
      };
    },
  }),
};
