import type { Command } from 'commander';
import type { Leg } from '../contract/operation.ts';
import { OPERATIONS } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { flag, optional, strict, text } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { NO_FACTS } from './booked-facts.ts';
import type { Job } from './job.ts';
import { bodyOrError, failureOf, readAll, refuseNoId, trackedShipments } from './track-reading.ts';

const { getShipment, getDomesticShipment } = OPERATIONS;

interface TrackJobOptions {
  domestic?: boolean;
}

/** The shipments of a record, and as which leg each is read. */
type Legs = [id: string, leg: Leg][];

export const job: Job<TrackJobOptions> = {
  operation: getShipment,
  fields: strict({
    id: optional(text('Shipment id; left out where the key is that of a booking')),
    domestic: optional(flag('Is it a domestic shipment?')),
  }),
  keyed: false,
  options: (command: Command) => command.option('--domestic', 'they are domestic shipments'),
  async prepare(session, { domestic = false }, { key, value }) {
    const id = textAt(value, ['id']);
    if (id === undefined && key === undefined)
      throw new Failure('invalid_request', 'track: a record needs a shipment id, or the key of a booking', {
        issues: [{ path: 'id', message: 'is required, or the key of a booking' }],
      });
    const tracked = await trackedShipments(
      session,
      { domestic: value.domestic === undefined ? domestic : value.domestic === true },
      id === undefined ? [] : [id],
      id === undefined && key !== undefined ? [key] : [],
    );
    for (const one of tracked) refuseNoId(one.operation, one.id);
    const body: Legs = tracked.map(one => [
      one.id,
      one.operation === getDomesticShipment ? 'domestic' : 'international',
    ]);
    return { body, fingerprint: '' };
  },
  async perform(session, _, { body }) {
    const legs = body as Legs;
    const readings = await readAll(
      session,
      legs.map(([id, leg]) => ({ id, operation: leg === 'domestic' ? getDomesticShipment : getShipment })),
    );
    const failure = failureOf(readings);
    const [only, other] = readings;
    if (failure && other === undefined) throw failure;
    const bodies = readings.map(bodyOrError);
    const numbers = bodies.map(one => textAt(one, 'tracking.trackingNumber'));
    return {
      result: only && other === undefined ? bodies[0] : bodies,
      facts: {
        ...NO_FACTS,
        ids: Object.fromEntries(legs.map(([id, leg]) => [leg, id])),
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
};
