// One booking of each kind, for all scenarios.
import { readFileSync } from 'node:fs';

export interface Job {
  name: string;
  argv: readonly string[];
  stdin: string;
  /** The key by which the witness counts it. */
  key: string;
  /** The exit codes of another run while it is unknown, and when it is booked. */
  whileUnknown: 8 | 2;
  booked: 0 | 2;
  /** Does the service give it an id? */
  hasId: boolean;
  /** The options of `history resolve` for what the witness created. */
  created(id: string): string[];
}

/** An order whose key is the receiver's first name, so that the body has it. */
export function orderText(name: string, key: string): string {
  const order = JSON.parse(readFileSync(`fixtures/orders/${name}.json`, 'utf8'));
  return JSON.stringify({ ...order, receiver: { ...order.receiver, firstName: key } });
}

const KEYED = { whileUnknown: 8, booked: 0, hasId: true } as const;
const FLAGS = ['--json', '--retries', '1'];

/** `spelling`: the key of the command, if it is not that of the witness. */
export const ship = (key: string, spelling = key): Job => ({
  name: 'ship',
  argv: ['ship', '-f', '-', '--key', spelling, ...FLAGS],
  stdin: orderText('shirt', key),
  key,
  ...KEYED,
  created: id => ['--created', id],
});

export const shipDual = (key: string): Job => ({
  name: 'ship-dual --label',
  argv: ['ship-dual', '-f', '-', '--key', key, '--label', ...FLAGS],
  stdin: orderText('dual', key),
  key,
  ...KEYED,
  created: id => ['--created', id, '--domestic', `${id}-domestic`],
});

/** It has one attempt. */
export const shipOnce = (key: string): Job => ({
  ...ship(key),
  name: 'ship --retries 0',
  argv: ['ship', '-f', '-', '--key', key, '--json', '--retries', '0'],
});

/** Known again by its input: the journal finds its twin. */
export const shipWithoutKey = (key: string): Job => ({
  ...ship(key),
  name: 'ship without a key',
  argv: ['ship', '-f', '-', ...FLAGS],
  whileUnknown: 2,
  booked: 2,
});

/** Its key is the shipment, which another tool booked. */
export const label = (key: string): Job => ({
  name: 'label',
  argv: ['label', '--international', key, ...FLAGS],
  stdin: '',
  key,
  ...KEYED,
  hasId: false,
  created: () => ['--created', key],
});

/** One command with two bookings: the shipment and then its label, which is the one that is checked. */
export const shipAndLabel = (key: string): Job => {
  const { argv, stdin } = ship(key);
  const shipment = `S-${key}-1`;
  return { ...label(shipment), name: 'ship --label', argv: [...argv, '--label'], stdin };
};
