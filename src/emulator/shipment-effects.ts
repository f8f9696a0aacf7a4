import { dualShipmentBody, shipmentBody } from '../contract/shipments.ts';
import {
  type Carrier,
  CURRENCY,
  carrierById,
  chargeableWeight,
  international,
  MAX_KG,
  priceCents,
  takes,
} from './carriers.ts';
import { type Call, type Effect, type EffectResult, invalid, isoDate } from './effect.ts';
import { makeLabel, succeeded } from './label-effects.ts';
import { addShipment, type Goods, type Shipment, statusOf } from './shipments.ts';
import type { Leg } from './wire.ts';

/** §4.2: one international shipment, billed by the chargeable weight that the caller states. */
export const createShipment: Effect = call => {
  const body = shipmentBody.parse(call.body);
  const carrier = fitting(body.carrier.id, 'international', body);
  if (carrier === undefined) return unfitting('carrier.id', body.carrier.id);
  if (body.chargeableWeight > MAX_KG) return invalid('chargeableWeight', `must be at most ${MAX_KG} kg`);
  const shipment = book(call, carrier, body, body.chargeableWeight);
  return {
    body: {
      id: shipment.id,
      carrier: { id: carrier.id, name: carrier.name, price: shipment.cents / 100, currency: CURRENCY },
      sender: place(body.sender),
      receiver: place(body.receiver),
      chargeableWeight: body.chargeableWeight,
      status: statusEntries(shipment),
      createdAt: isoDate(shipment.createdAt),
    },
  };
};

/** §4.1 with its rules 1 to 3: labels come along where they are asked for and the token has the scope. */
export const createDualShipment: Effect = call => {
  const body = dualShipmentBody.parse(call.body);
  const kg = chargeableWeight(body.packages);
  if (!(kg <= MAX_KG)) return invalid('packages', `must weigh at most ${MAX_KG} kg in all`);
  const { international: abroad, domestic } = body.carriers;
  const first = fitting(abroad.id, 'international', body);
  if (first === undefined) return unfitting('carriers.international.id', abroad.id);
  const second = fitting(domestic.id, 'domestic', body);
  if (second === undefined) return unfitting('carriers.domestic.id', domestic.id);
  const labelled = body.label === true && call.allows('shipment:label');
  const leg = (carrier: Carrier) => {
    const shipment = book(call, carrier, body, kg);
    return {
      shipment: {
        id: shipment.id,
        carrier: { id: carrier.id, name: carrier.name },
        createdAt: isoDate(shipment.createdAt),
      },
      ...(labelled && { label: makeLabel(call, shipment, 'labelPdf') }),
    };
  };
  const legs = { international: leg(first), domestic: leg(second) };
  const labels = Object.values(legs).flatMap(({ label }) => (label ? [label] : []));
  return { body: { success: succeeded(labels), ...legs } };
};

function book(call: Call, carrier: Carrier, { packages, sender, receiver }: Goods, kg: number): Shipment {
  const goods = { packages, sender, receiver };
  const cents = priceCents(carrier, kg, receiver.address.zipCode);
  return addShipment(call.store, { world: call.world, carrier, cents, goods, now: call.now }, call.random);
}

function fitting(id: string, leg: Leg, { packages, sender, receiver }: Goods): Carrier | undefined {
  const carrier = carrierById(id);
  if (carrier?.leg !== leg || !takes(carrier, packages)) return undefined;
  const abroad = international(sender.address.country.code, receiver.address.country.code);
  return leg === 'domestic' || abroad.includes(carrier) ? carrier : undefined;
}

const unfitting = (path: string, id: string): EffectResult =>
  invalid(path, `${JSON.stringify(id)} is no carrier for this leg, these countries and these packages`);

const place = ({ address }: Goods['sender']) => ({ country: address.country.code, city: address.city });

/** `status[]` of §2.2. */
export const statusEntries = (shipment: Shipment) =>
  statusOf(shipment).map(({ status, at }) => ({ status, date: isoDate(at), milestone: status }));
