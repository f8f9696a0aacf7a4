import type { Leg } from '../contract/operation.ts';
import { CURRENCY, carrierById } from './carriers.ts';
import { type Effect, isoDate, notFound } from './effect.ts';
import { findShipment, type Goods, type Shipment, statusOf, trackingOf } from './shipments.ts';

/** §4.6 and §4.5: the two differ in the leg, and in what they tell of the receiver's place. */
export const readShipment =
  (leg: Leg, receiverPlace: 'country' | 'city'): Effect =>
  ({ store, world, parameters }) => {
    const shipment = findShipment(store, world, leg, parameters.shipmentId ?? '');
    if (shipment === undefined) return notFound;
    const { sender, receiver, packages } = shipment.goods;
    return {
      body: {
        id: shipment.id,
        // "Numeric values are rendered as strings" stands with the packages; a price is a number elsewhere.
        carrier: {
          name: carrierById(shipment.carrier)?.name ?? shipment.carrier,
          price: shipment.cents / 100,
          currency: CURRENCY,
        },
        packages: packages.map(({ quantity, weight, dimensions: { width, length, height } }) => ({
          quantity: String(quantity),
          weight: String(weight),
          dimensions: { width: String(width), length: String(length), height: String(height) },
        })),
        status: statusOf(shipment),
        tracking: { trackingNumber: trackingOf(store, shipment.id), events: events(shipment) },
        sender: person(sender, 'city'),
        receiver: person(receiver, receiverPlace),
      },
    };
  };

const person = ({ firstName, lastName, address }: Goods['sender'], placeField: 'country' | 'city') => ({
  firstName,
  lastName,
  [placeField]: placeField === 'country' ? address.country.code : address.city,
});

// §3 shows one tracking event: a capitalised delivered text.
const events = ({ deliveredAt, goods }: Shipment) =>
  deliveredAt === null
    ? []
    : [
        {
          status: 'Delivered',
          description: 'The shipment was delivered to the receiver.',
          location: goods.receiver.address.city,
          date: isoDate(deliveredAt),
          milestone: 'delivered',
        },
      ];
