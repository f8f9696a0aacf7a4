import type { Leg } from '../contract/operation.ts';
import type { Store } from '../sqlite.ts';
import type { Carrier, Pieces } from './carriers.ts';
import { type EffectInput, isoDate } from './effect.ts';
import { freshId } from './ids.ts';
import { announce } from './subscriptions.ts';
import type { World } from './wire.ts';

/** What label and detail need of a sender or receiver. */
export interface Party {
  firstName: string;
  lastName: string;
  companyName?: string | undefined;
  phone: { code: string; number: string };
  address: {
    line1: string;
    line2?: string | undefined;
    district?: string | undefined;
    nationalShortAddress?: string | undefined;
    city: string;
    zipCode: string;
    country: { code: string };
  };
}

export interface Goods {
  packages: readonly Pieces[];
  sender: Party;
  receiver: Party;
}

/** Times in milliseconds since 1970, the price in cents of a euro. */
export interface Shipment {
  id: string;
  world: World;
  leg: Leg;
  carrier: string;
  cents: number;
  goods: Goods;
  createdAt: number;
  deliveredAt: number | null;
}

/** The two states that §3 shows; each is both status and milestone. */
const PENDING = 'pending_arrival_at_warehouse';
export const DELIVERED = 'delivered';

/** Stores a new shipment and announces its first status. To be called in a transaction. */
export function addShipment(
  { store, world, now, random }: EffectInput,
  carrier: Carrier,
  goods: Goods,
  cents: number,
): Shipment {
  const isTaken = (taken: string) => store.first('SELECT 1 FROM shipments WHERE id = ?', taken) !== undefined;
  const id = freshId('shp', random, isTaken);
  const { leg, id: by } = carrier;
  store.run(
    'INSERT INTO shipments (id, world, leg, carrier, cents, goods, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[id, world, leg, by, cents, JSON.stringify(goods), now],
  );
  announce(store, { world, shipmentId: id, status: PENDING, at: now });
  return { id, world, leg, carrier: by, cents, goods, createdAt: now, deliveredAt: null };
}

const COLUMNS = 'id, world, leg, carrier, cents, goods, created_at AS createdAt, delivered_at AS deliveredAt';

function find(store: Store, where: string, ...values: readonly string[]): Shipment | undefined {
  const row = store.first<Omit<Shipment, 'goods'> & { goods: string }>(
    `SELECT ${COLUMNS} FROM shipments ${where}`,
    ...values,
  );
  return row && { ...row, goods: JSON.parse(row.goods) };
}

/** The shipment of that id, if it is in this world and of this leg. */
export const findShipment = (store: Store, world: World, leg: Leg, id: string): Shipment | undefined =>
  find(store, 'WHERE id = ? AND world = ? AND leg = ?', id, world, leg);

export const findLabelled = (store: Store, world: World, tracking: string): Shipment | undefined =>
  find(store, 'JOIN labels ON shipment = id WHERE tracking = ? AND world = ?', tracking, world);

/** `status[]` of §2.2, oldest first. */
export function statusOf({ createdAt, deliveredAt }: Shipment) {
  const entry = (status: string, at: number) => ({ status, date: isoDate(at), milestone: status });
  const pending = entry(PENDING, createdAt);
  return deliveredAt === null ? [pending] : [pending, entry(DELIVERED, deliveredAt)];
}

/** Makes a label for a leg, with a tracking number of its own. To be called in a transaction. */
export function addLabel(store: Store, { id, carrier }: Shipment): string {
  store.run('INSERT INTO labels (shipment) VALUES (?)', id);
  const number =
    store.first<{ number: number }>('SELECT max(number) AS number FROM labels WHERE shipment = ?', id)
      ?.number ?? 0;
  const tracking = `${carrier}${String(number).padStart(10, '0')}`;
  store.run('UPDATE labels SET tracking = ? WHERE number = ?', tracking, number);
  return tracking;
}

/** The newest tracking number of a shipment; empty before it has a label. */
export const trackingOf = (store: Store, id: string): string =>
  store.first<{ tracking: string }>(
    'SELECT tracking FROM labels WHERE shipment = ? ORDER BY number DESC LIMIT 1',
    id,
  )?.tracking ?? '';
