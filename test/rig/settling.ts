// Bookings whose outcome is unknown, and the shipments that the service made of them.
import { createRig, type Rig, type RigOptions } from './command.ts';
import { elsewhere } from './journal.ts';
import { errorOf, SHIPMENT, switchable } from './service.ts';

interface Order {
  firstName?: string;
  country?: string;
}

export const orderFor = ({ firstName = 'Anna', country = 'DE' }: Order = {}) => {
  const { receiver, ...order } = structuredClone(SHIPMENT) as typeof SHIPMENT & {
    receiver: { address: object };
  };
  const address = { ...receiver.address, country: { code: country } };
  return JSON.stringify({ ...order, receiver: { ...receiver, firstName, address } });
};

export interface Doubtful extends Rig {
  /** Runs a command while the service fails. */
  failing: Rig['run'];
  /** Books with a key; gives the id of the booking, which is unknown. */
  unknown(key: string, order?: Order): Promise<string>;
  /** A shipment that the service knows, and this journal does not. */
  shipment(order?: Order): Promise<string>;
  /** `history show` as JSON. */
  shown(ref: string): Promise<Record<string, unknown>>;
}

/** A service that does not answer bookings, unless another machine books. */
export async function doubtful(options: RigOptions = {}, fault = '500'): Promise<Doubtful> {
  const { faults, random, turn } = switchable(fault);
  const rig = await createRig({ faults, random, ...options });
  const failing: Rig['run'] = async (...given) => {
    turn('on');
    const ran = await rig.run(...given);
    turn('off');
    return ran;
  };
  return {
    ...rig,
    failing,
    async unknown(key, order) {
      const ran = await failing(['ship', '-f', '-', '--key', key, '--json'], { stdin: orderFor(order) });
      return errorOf(ran).booking ?? '';
    },
    async shipment(order) {
      const options = { stdin: orderFor(order), env: elsewhere(rig) };
      return (await rig.run('ship -f - -q --allow-duplicate', options)).stdout.trim();
    },
    shown: async ref => JSON.parse((await rig.run(['history', 'show', ref, '--json'])).stdout),
  };
}
