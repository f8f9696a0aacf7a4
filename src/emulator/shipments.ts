import type { Carrier, Pieces } from './carriers.ts';
import { freshId } from './ids.ts';
import type { Store } from './store.ts';
import { announce } from './subscriptions.ts';
import type { Leg, World } from './wire.ts';

/** The stored part of a sender or receiver: label and detail need no more. */
export interface Party {
  firstName: string;
  lastName: string;
  companyName?: string | undefined;
  address: {
    line1: string;
    line2?: string | undefined;
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

interface Row extends Omit<Shipment, 'goods' | 'createdAt' | 'deliveredAt'> {
  goods: string;
  created_at: number;
  delivered_at: number | null;
}

/** The two states that §3 shows; each is both status and milestone. */
export const PENDING = 'pending_arrival_at_warehouse';
export const DELIVERED = 'delivered';

/** Stores a new shipment and announces its first status. To be called in a transaction. */
export function addShipment(
  store: Store,
  made: { world: World; carrier: Carrier; cents: number; goods: Goods; now: number },
  random: () => number,
): Shipment {
  const { world, carrier, cents, goods, now } = made;
  const id = freshId(
    'shp',
    random,
    taken => store.all('SELECT 1 FROM shipments WHERE id = ?', taken).length > 0,
  );
  store.run(
    'INSERT INTO shipments (id, world, leg, carrier, cents, goods, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[id, world, carrier.leg, carrier.id, cents, JSON.stringify(goods), now],
  );
  announce(store, { world, shipmentId: id, status: PENDING, at: now });
  return {
    id,
    world,
    leg: carrier.leg,
    carrier: carrier.id,
    cents,
    goods,
    createdAt: now,
    deliveredAt: null,
  };
}

/** The shipment of that id, if it is in this world and of this leg. */
export function findShipment(store: Store, world: World, leg: Leg, id: string): Shipment | undefined {
  const row = store.first<Row>(
    'SELECT * FROM shipments WHERE id = ? AND world = ? AND leg = ?',
    id,
    world,
    leg,
  );
  return row && fromRow(row);
}

const fromRow = ({ goods, created_at, delivered_at, ...rest }: Row): Shipment => ({
  ...rest,
  goods: JSON.parse(goods) as Goods,
  createdAt: created_at,
  deliveredAt: delivered_at,
});

/** Each entry of `status[]` (§2.2), oldest first. */
export function statusOf({ createdAt, deliveredAt }: Shipment): { status: string; at: number }[] {
  const pending = { status: PENDING, at: createdAt };
  return deliveredAt === null ? [pending] : [pending, { status: DELIVERED, at: deliveredAt }];
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

export function findLabelled(store: Store, world: World, tracking: string): Shipment | undefined {
  const row = store.first<Row>(
    'SELECT shipments.* FROM shipments JOIN labels ON labels.shipment = shipments.id WHERE tracking = ? AND world = ?',
    tracking,
    world,
  );
  return row && fromRow(row);
}
