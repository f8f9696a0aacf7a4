// A second witness: a service that numbers its shipments, those of each leg by themselves, as the service document allows. The
// emulator gives every shipment an id of its own.
import { textAt } from '../../src/contract/paths.ts';
import { createRig, type RigOptions } from './command.ts';
import { PDF } from './labels.ts';
import { http, rawServer } from './sockets.ts';

const LEGS = ['international', 'domestic'] as const;

/**
 * A rig whose service numbers each leg from 101. `sameId`: it answers every order with that id. `lost`: the pair for the receiver
 * of that first name is made, and answered with a 500.
 */
export async function numberedService({
  sameId,
  lost,
  ...options
}: RigOptions & { sameId?: string; lost?: string } = {}) {
  const numbers = { international: 100, domestic: 100 };
  const receivers = { international: new Map<string, unknown>(), domestic: new Map<string, unknown>() };
  const delivered = new Set<string>();
  /** `POST /v1/shipments`, of bookings alone. */
  const booked: string[] = [];
  /** `international 101` for each label that was made. */
  const labels: string[] = [];
  const next = (leg: (typeof LEGS)[number], body: unknown) => {
    numbers[leg] += 1;
    const id = sameId ?? String(numbers[leg]);
    receivers[leg].set(id, { firstName: textAt(body, 'receiver.firstName'), lastName: 'Beispiel' });
    return id;
  };
  const { url } = await rawServer((socket, request) => {
    const [head = '', text = ''] = request.split('\r\n\r\n');
    const [method, path = ''] = head.split(' ', 2);
    const answer = (status: number, body: unknown) => socket.write(http(status, JSON.stringify(body)));
    const bare = path.replace(/^\/sandbox/, '');
    if (method === 'GET') {
      const id = bare.split('/').at(-1) ?? '';
      const leg = bare.includes('/domestic/') ? 'domestic' : 'international';
      const receiver = receivers[leg].get(id);
      const milestone = delivered.has(`${leg} ${id}`) ? 'delivered' : 'in_transit';
      const status = [{ status: milestone, date: '2026-03-02T10:00:00Z', milestone }];
      const shipment = { id, receiver, status, tracking: { trackingNumber: `${leg.charAt(0)}${id}` } };
      return void answer(receiver ? 200 : 404, receiver ? shipment : {});
    }
    const body = JSON.parse(text);
    if (bare === '/v1/shipments') {
      booked.push(bare);
      return void answer(201, { id: next('international', body) });
    }
    if (bare === '/v2/shipments') {
      booked.push(bare);
      const leg = (name: (typeof LEGS)[number]) => ({ shipment: { id: next(name, body) } });
      const made = { international: leg('international'), domestic: leg('domestic') };
      if (textAt(body, 'receiver.firstName') === lost) return void answer(500, {});
      return void answer(200, { success: true, ...made });
    }
    const made = LEGS.filter(leg => body[leg] !== undefined).map(leg => {
      labels.push(`${leg} ${body[leg]}`);
      const label = Buffer.concat([PDF, Buffer.from(`%${leg} ${body[leg]}\n%%EOF\n`)]).toString('base64');
      return [leg, { success: true, trackingNumber: `${leg.charAt(0)}${body[leg]}`, label }];
    });
    return void answer(200, { success: true, ...Object.fromEntries(made) });
  });
  const rig = await createRig({
    ...options,
    env: {
      WAYBILL_BASE_URL: url.origin,
      WAYBILL_SANDBOX_BASE_URL: `${url.origin}/sandbox`,
      ...options.env,
    },
  });
  return {
    rig,
    booked,
    labels,
    /** That shipment is at the end of its journey. */
    deliver: (leg: (typeof LEGS)[number], id: string) => void delivered.add(`${leg} ${id}`),
  };
}
