import { type ErrorStatus, LEGS, type Leg, type OperationId } from '../contract/operations.ts';
import { proposalBody, ratesBody } from '../contract/proposals.ts';
import type { Issue } from '../contract/shapes.ts';
import { dualShipmentBody, labelsBody, shipmentBody } from '../contract/shipments.ts';
import { retryPolicyOf, subscriptionBody } from '../contract/subscriptions.ts';
import type { Store } from '../host/sqlite.ts';
import {
  type Carrier,
  CURRENCY,
  carrierById,
  chargeableWeight,
  countPieces,
  internationalCarriers,
  MAX_KG,
  MAX_PIECES,
  type Pieces,
  priceCents,
  refusal,
} from './carriers.ts';
import {
  addLabel,
  addShipment,
  addSubscription,
  findShipment,
  findSubscription,
  type Goods,
  isoDate,
  type Party,
  randomText,
  type StoredShipment,
  type Subscription,
  shipmentStatus,
  trackingOf,
  type World,
} from './world.ts';

/** A request that is allowed and valid, for an operation to carry out. */
interface OperationCall {
  store: Store;
  world: World;
  /** The values in the path, by the names of its placeholders. */
  parameters: Readonly<Record<string, string>>;
  /** The body, checked against schema and rules of the operation's row in the contract. */
  body: unknown;
  allows(scope: string): boolean;
  /** The address of this world (production or sandbox), for links. */
  base: string;
  /** The legs for which a fault prevents the label. */
  failLabels: ReadonlySet<Leg>;
  /** The present time, in ms since 1970. */
  now: number;
  random(): number;
}

/** An error that is answered in place of a result. `invalid`: 422 if the row of the operation lists it, else 400. */
export class Refusal extends Error {
  readonly status: ErrorStatus | 'invalid';
  readonly details: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ErrorStatus | 'invalid', details: readonly Issue[] = [], headers = {}) {
    super(String(status));
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

const invalid = (path: string, message: string): Refusal => new Refusal('invalid', [{ path, message }]);

/**
 * What each operation does, in a transaction of its own: it gives the body of the answer, or throws a Refusal. Everything else about an
 * operation is in its row of the contract.
 */
export const HANDLERS: Readonly<Record<OperationId, (call: OperationCall) => unknown>> = {
  /** §4.3: every international carrier; with `isValid: false` and a reason if a piece is too heavy for the carrier. */
  proposal(call) {
    const { originCountry, destinationCountry, postalCode, packages } = proposalBody.parse(call.body);
    const kg = weighed(packages, 'packages');
    const proposals = internationalCarriers(originCountry, destinationCountry).map(carrier => {
      const reason = refusal(carrier, packages);
      return {
        id: carrier.id,
        name: carrier.name,
        serviceType: carrier.serviceType,
        isValid: reason === undefined,
        ...(reason !== undefined && { reason }),
        deliveryTime: carrier.deliveryTime,
        currency: CURRENCY,
        price: priceCents(carrier, kg, destinationCountry, postalCode) / 100,
        kg,
      };
    });
    return { proposals, chargeableWeight: kg };
  },

  /** §4.4: only carriers that take the packages, because this answer has no `isValid`. 404 if there is none. */
  rates(call) {
    const { data } = ratesBody.parse(call.body);
    const packages = data.packages.map(({ piece, pieceWeight, width, lengthCm, height }) => ({
      quantity: piece,
      weight: pieceWeight,
      dimensions: { width, length: lengthCm, height },
    }));
    const kg = weighed(packages, 'data.packages');
    const carriers = internationalCarriers(data.countryFrom, data.countryTo).filter(
      carrier => refusal(carrier, packages) === undefined,
    );
    if (carriers.length === 0) throw new Refusal(404);
    return {
      success: true,
      proposals: carriers.map(carrier => ({
        companyId: carrier.companyId,
        companyName: carrier.name,
        serviceType: carrier.serviceType.charAt(0).toUpperCase() + carrier.serviceType.slice(1),
        deliveryTime: carrier.deliveryTime,
        price: (priceCents(carrier, kg, data.countryTo, data.postalCode) / 100).toFixed(2),
        currency: CURRENCY,
        data,
      })),
    };
  },

  /** §4.2: one international shipment. Its price follows the chargeable weight that the caller gives. */
  createShipment(call) {
    const body = shipmentBody.parse(call.body);
    const carrier = carrierFor(body, 'international', body.carrier.id, 'carrier.id');
    limitPieces(body.packages);
    if (body.chargeableWeight > MAX_KG) throw invalid('chargeableWeight', `must be at most ${MAX_KG} kg`);
    const shipment = bookShipment(call, carrier, body, body.chargeableWeight);
    const place = (party: Party) => ({ country: party.address.country.code, city: party.address.city });
    return {
      id: shipment.id,
      carrier: { id: carrier.id, name: carrier.name, price: shipment.cents / 100, currency: CURRENCY },
      sender: place(body.sender),
      receiver: place(body.receiver),
      chargeableWeight: body.chargeableWeight,
      status: shipmentStatus(shipment),
      createdAt: isoDate(shipment.createdAt),
    };
  },

  /** §4.1 with its rules 1 to 3: labels are made if the request asks for them, and the token has the scope. */
  createDualShipment(call) {
    const body = dualShipmentBody.parse(call.body);
    limitPieces(body.packages);
    const kg = weighed(body.packages, 'packages');
    const { international, domestic } = body.carriers;
    const abroad = carrierFor(body, 'international', international.id, 'carriers.international.id');
    const inland = carrierFor(body, 'domestic', domestic.id, 'carriers.domestic.id');
    const isLabelled = body.label === true && call.allows('shipment:label');
    const bookLeg = (carrier: Carrier) => {
      const shipment = bookShipment(call, carrier, body, kg);
      return {
        shipment: {
          id: shipment.id,
          carrier: { id: carrier.id, name: carrier.name },
          createdAt: isoDate(shipment.createdAt),
        },
        ...(isLabelled && { label: makeLabel(call, shipment, 'labelPdf') }),
      };
    };
    const legs = { international: bookLeg(abroad), domestic: bookLeg(inland) };
    return { success: hasSucceeded([legs.international.label, legs.domestic.label]), ...legs };
  },

  /**
   * §4.7. Each call makes new labels with new tracking numbers: the service does not remember what was paid.
   * An unknown id is a 400, the only error that the row has for it, and no label is made.
   */
  createLabels(call) {
    const body = labelsBody.parse(call.body);
    const shipments = LEGS.flatMap(leg => {
      const id = body[leg];
      if (id === undefined) return [];
      const shipment = findShipment(call.store, call.world, leg, id);
      if (shipment === undefined) throw invalid(leg, `there is no ${leg} shipment ${JSON.stringify(id)}`);
      return [shipment];
    });
    const labels = shipments.map(shipment => [shipment.leg, makeLabel(call, shipment, 'label')] as const);
    return { success: hasSucceeded(labels.map(([, label]) => label)), ...Object.fromEntries(labels) };
  },

  /** §4.6: the record of an international shipment. */
  getShipment: call => detail(call, 'international', ({ address }) => ({ country: address.country.code })),

  /** §4.5: the record of a domestic shipment. */
  getDomesticShipment: call => detail(call, 'domestic', ({ address }) => ({ city: address.city })),

  /** §4.8: a new subscription. Only this answer has secret and token. */
  createSubscription(call) {
    const { store, body, now, random } = call;
    const { url, events, headers = {}, retryPolicy } = subscriptionBody.parse(body);
    const retry = retryPolicyOf(retryPolicy);
    const added = addSubscription(store, { url, events, headers, retry, createdAt: now }, random);
    const secret = `whsec_${randomText(32, random)}`;
    const token = `whtok_${randomText(32, random)}`;
    return { success: true, data: { ...subscriptionData(added), secret, token } };
  },

  /** §4.9: the record of a subscription. */
  getSubscription(call) {
    const subscription = findSubscription(call.store, call.parameters.subscriptionId ?? '');
    if (subscription === undefined) throw new Refusal(404);
    // No operation changes a subscription: it was last changed when it was made.
    return {
      success: true,
      data: { ...subscriptionData(subscription), updatedAt: isoDate(subscription.createdAt) },
    };
  },
};

/** The chargeable weight of packages in kilograms. A weight above the maximum is refused. `path`: the field of the packages. */
function weighed(packages: readonly Pieces[], path: string): number {
  const kg = chargeableWeight(packages);
  if (!(kg <= MAX_KG)) throw invalid(path, `must weigh at most ${MAX_KG} kg in all`);
  return kg;
}

function limitPieces(packages: readonly Pieces[]): void {
  if (countPieces(packages) > MAX_PIECES)
    throw invalid('packages', `must be at most ${MAX_PIECES} pieces in all`);
}

/** The carrier with an id, if it takes these goods on this leg. `path`: the field of the id. */
function carrierFor(goods: Goods, leg: Leg, id: string, path: string): Carrier {
  const { packages, sender, receiver } = goods;
  const carrier = carrierById(id);
  const abroad = internationalCarriers(sender.address.country.code, receiver.address.country.code);
  const isPossible =
    carrier?.leg === leg &&
    refusal(carrier, packages) === undefined &&
    (leg === 'domestic' || abroad.includes(carrier));
  if (!isPossible)
    throw invalid(
      path,
      `${JSON.stringify(id)} is not a carrier for this leg, these countries and these packages`,
    );
  return carrier;
}

function bookShipment(call: OperationCall, carrier: Carrier, body: Goods, kg: number): StoredShipment {
  const { store, world, now, random } = call;
  const { packages, sender, receiver } = body;
  const { country, zipCode } = receiver.address;
  const cents = priceCents(carrier, kg, country.code, zipCode);
  const goods = { packages, sender, receiver };
  return addShipment(
    store,
    { world, leg: carrier.leg, carrier: carrier.id, cents, goods, createdAt: now },
    random,
  );
}

interface Label {
  success: boolean;
  operation: 'create';
  carrier: string;
  trackingNumber?: string;
}

/** Makes the label for a leg, unless a fault prevents it. Only the label of an international leg has a link (§4.1, §4.7). */
function makeLabel(call: OperationCall, shipment: StoredShipment, linkField: 'label' | 'labelPdf'): Label {
  const { store, base, failLabels, random } = call;
  const { leg, carrier } = shipment;
  if (failLabels.has(leg)) return { success: false, operation: 'create', carrier };
  const trackingNumber = addLabel(store, shipment, random);
  return {
    success: true,
    operation: 'create',
    carrier,
    trackingNumber,
    ...(leg === 'international' && { [linkField]: `${base}/labels/${trackingNumber}.pdf` }),
  };
}

/** Has the request as a whole succeeded? Yes, unless every label that it asked for failed. */
const hasSucceeded = (labels: readonly (Label | undefined)[]): boolean =>
  labels.some(label => label?.success !== false);

/** The detail record of §2.2. `receiverPlace`: what the record tells of the place of the receiver. */
function detail(call: OperationCall, leg: Leg, receiverPlace: (receiver: Party) => Record<string, string>) {
  const { store, world, parameters } = call;
  const shipment = findShipment(store, world, leg, parameters.shipmentId ?? '');
  if (shipment === undefined) throw new Refusal(404);
  const { deliveredAt, goods } = shipment;
  const { sender, receiver } = goods;
  // §3 shows a single tracking event, whose status is "Delivered" with a capital letter.
  const delivered = deliveredAt !== null && {
    status: 'Delivered',
    description: 'The shipment was delivered to the receiver.',
    location: receiver.address.city,
    date: isoDate(deliveredAt),
    milestone: 'delivered',
  };
  return {
    id: shipment.id,
    // The price is a number: "Numeric values are rendered as strings" stands only with the packages, and a price is a number elsewhere.
    carrier: {
      name: carrierById(shipment.carrier)?.name ?? shipment.carrier,
      price: shipment.cents / 100,
      currency: CURRENCY,
    },
    packages: goods.packages.map(({ quantity, weight, dimensions: { width, length, height } }) => ({
      quantity: String(quantity),
      weight: String(weight),
      dimensions: { width: String(width), length: String(length), height: String(height) },
    })),
    status: shipmentStatus(shipment),
    tracking: { trackingNumber: trackingOf(store, shipment), events: delivered ? [delivered] : [] },
    sender: { firstName: sender.firstName, lastName: sender.lastName, city: sender.address.city },
    receiver: { firstName: receiver.firstName, lastName: receiver.lastName, ...receiverPlace(receiver) },
  };
}

const subscriptionData = ({ id, url, events, headers, retry, createdAt }: Subscription) => ({
  id,
  url,
  events,
  headers,
  retryPolicy: retry,
  isActive: true,
  createdAt: isoDate(createdAt),
});
