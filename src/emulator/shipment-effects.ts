import type { Leg } from '../contract/operation.ts';
import { dualShipmentBody, shipmentBody } from '../contract/shipments.ts';
import {
  type Carrier,
  CURRENCY,
  carrierById,
  chargeableWeight,
  countPieces,
  internationalCarriers,
  MAX_KG,
  MAX_PIECES,
  priceCents,
  refusal,
} from './carriers.ts';
import { type Effect, type EffectInput, type EffectResult, invalid, isoDate } from './effect.ts';
import { makeLabel, succeeded } from './label-effects.ts';
import { addShipment, type Goods, type Shipment, statusOf } from './shipments.ts';

/** §4.2: one international shipment, billed by the chargeable weight that the caller states. */
export const createShipment: Effect = call => {
  const body = shipmentBody.parse(call.body);
  const carrier = findCarrier(body.carrier.id, 'international', body);
  if (carrier === undefined) return noSuchCarrier('carrier.id', body.carrier.id);
  if (countPieces(body.packages) > MAX_PIECES) return tooManyPieces;
  if (body.chargeableWeight > MAX_KG) return invalid('chargeableWeight', `must be at most ${MAX_KG} kg`);
  const shipment = book(call, carrier, body, body.chargeableWeight);
  return {
    body: {
      id: shipment.id,
      carrier: { id: carrier.id, name: carrier.name, price: shipment.cents / 100, currency: CURRENCY },
      sender: place(body.sender),
      receiver: place(body.receiver),
      chargeableWeight: body.chargeableWeight,
      status: statusOf(shipment),
      createdAt: isoDate(shipment.createdAt),
    },
  };
};

/** §4.1 with its rules 1 to 3: labels are made if they are asked for and the token has the scope. */
export const createDualShipment: Effect = call => {
  const body = dualShipmentBody.parse(call.body);
  const kg = chargeableWeight(body.packages);
  if (countPieces(body.packages) > MAX_PIECES) return tooManyPieces;
  if (!(kg <= MAX_KG)) return invalid('packages', `must weigh at most ${MAX_KG} kg in all`);
  const { international: abroad, domestic } = body.carriers;
  const first = findCarrier(abroad.id, 'international', body);
  if (first === undefined) return noSuchCarrier('carriers.international.id', abroad.id);
  const second = findCarrier(domestic.id, 'domestic', body);
  if (second === undefined) return noSuchCarrier('carriers.domestic.id', domestic.id);
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

function book(
  call: EffectInput,
  carrier: Carrier,
  { packages, sender, receiver }: Goods,
  kg: number,
): Shipment {
  const { country, zipCode } = receiver.address;
  const cents = priceCents(carrier, kg, country.code, zipCode);
  return addShipment(call, carrier, { packages, sender, receiver }, cents);
}

function findCarrier(id: string, leg: Leg, { packages, sender, receiver }: Goods): Carrier | undefined {
  const carrier = carrierById(id);
  if (carrier?.leg !== leg || refusal(carrier, packages)) return undefined;
  const abroad = internationalCarriers(sender.address.country.code, receiver.address.country.code);
  return leg === 'domestic' || abroad.includes(carrier) ? carrier : undefined;
}

const noSuchCarrier = (path: string, id: string): EffectResult =>
  invalid(path, `${JSON.stringify(id)} is not a carrier for this leg, these countries and these packages`);

const tooManyPieces = invalid('packages', `must be at most ${MAX_PIECES} pieces in all`);

const place = ({ address }: Goods['sender']) => ({ country: address.country.code, city: address.city });
