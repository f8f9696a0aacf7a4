// The service document (§2, §4, §7, §8), written out by hand. Never derive it from src/contract: that is what is held
// against it. A `?` ends the path of a field that is not required where its parent is there.
import type { OperationId } from '../../src/contract/operations.ts';

/** What a field holds: one of the words, or the values that it may have. */
export type Holds =
  | 'text'
  /** Text that may be blank: not every country has postal codes. */
  | 'any text'
  | 'number'
  | 'boolean'
  | 'country'
  | 'time'
  /** A number, or a string: the document does not say which. */
  | 'price'
  | 'object'
  | 'list'
  | 'map'
  | readonly string[];
export type Fields = Readonly<Record<string, Holds>>;

const packages = (number: Holds): Fields => ({
  packages: 'list',
  'packages[]': 'object',
  'packages[].quantity': number,
  'packages[].weight': number,
  'packages[].dimensions': 'object',
  'packages[].dimensions.width': number,
  'packages[].dimensions.length': number,
  'packages[].dimensions.height': number,
});

export const under = (parent: string, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, holds]) => [`${parent}.${name}`, holds]));

export const PARTY: Fields = {
  firstName: 'text',
  lastName: 'text',
  'companyName?': 'text',
  'identityNumber?': 'text',
  'taxNumber?': 'text',
  email: 'text',
  phone: 'object',
  'phone.code': 'text',
  'phone.number': 'text',
  address: 'object',
  'address.line1': 'text',
  'address.city': 'text',
  'address.zipCode': 'any text',
  'address.country': 'object',
  'address.country.code': 'country',
  'address.country.name?': 'text',
};
export const RECEIVER: Fields = {
  ...PARTY,
  'address.line2?': 'text',
  'address.nationalShortAddress?': 'text',
};
export const DUAL: Fields = { 'address.cityCode?': 'text', 'address.district?': 'text' };

export const GOODS: Fields = {
  type: ['package', 'document'],
  category: ['gift', 'sample', 'micro export', 'sales', 'document'],
  deliveryType: ['DAP', 'DDP'],
  ...packages('number'),
  'packages[].dimensions.unit': 'text',
  items: 'list',
  'items[]': 'object',
  'items[].description': 'text',
  'items[].hsCode': 'text',
  'items[].countryOfOrigin': 'text',
  'items[].quantity': 'number',
  'items[].unitPrice': 'number',
  'items[].totalPrice': 'number',
  customs: 'object',
  'customs.totalGoodsValue': 'number',
  'customs.currency': 'text',
  'customs.iossNumber?': 'text',
  'customs.marketplaceNumber?': 'text',
};

export const STATUS: Fields = {
  status: 'list',
  'status[]': 'object',
  'status[].status': 'text',
  'status[].date': 'time',
  'status[].milestone': 'text',
};

export const DETAIL: Fields = {
  id: 'text',
  carrier: 'object',
  'carrier.name': 'text',
  'carrier.price': 'price',
  'carrier.currency': 'text',
  ...packages('text'),
  ...STATUS,
  tracking: 'object',
  'tracking.trackingNumber': 'text',
  'tracking.events': 'list',
  'tracking.events[]': 'object',
  'tracking.events[].status': 'text',
  'tracking.events[].description': 'text',
  'tracking.events[].location': 'text',
  'tracking.events[].date': 'text',
  'tracking.events[].milestone': 'text',
  sender: 'object',
  'sender.firstName': 'text',
  'sender.lastName': 'text',
  'sender.city': 'text',
  receiver: 'object',
  'receiver.firstName': 'text',
  'receiver.lastName': 'text',
};

export const LABEL: Fields = {
  success: 'boolean',
  operation: 'text',
  carrier: 'text',
  trackingNumber: 'text',
};

export const leg = (name: string, label: Fields): Fields => ({
  [name]: 'object',
  [`${name}.shipment`]: 'object',
  [`${name}.shipment.id`]: 'text',
  [`${name}.shipment.carrier`]: 'object',
  [`${name}.shipment.carrier.id`]: 'text',
  [`${name}.shipment.carrier.name`]: 'text',
  [`${name}.shipment.createdAt`]: 'time',
  // Its shape without `label: true` is not shown.
  [`${name}.label?`]: 'object',
  ...under(`${name}.label`, label),
});

export const EVENTS = ['shipment.status.updated', 'shipment.milestone.updated'];

export const RETRY: Fields = {
  // Not shown for an answer to a request that gave none.
  'retryPolicy?': 'object',
  'retryPolicy.maxRetries?': 'number',
  'retryPolicy.initialDelayMs?': 'number',
  'retryPolicy.backoffMultiplier?': 'number',
  'retryPolicy.maxDelayMs?': 'number',
};

export const SUBSCRIPTION: Fields = {
  success: 'boolean',
  data: 'object',
  ...under('data', {
    id: 'text',
    url: 'text',
    events: 'list',
    'events[]': 'text',
    'headers?': 'map',
    ...RETRY,
    isActive: 'boolean',
    createdAt: 'time',
  }),
};

interface Documented {
  section: string;
  request: string;
  sandbox: boolean;
  contract: boolean;
  success: number;
  errors: readonly number[];
  /** Requests a minute. */
  limit?: number;
  body: Fields;
  answer: Fields;
}

export const DOCUMENT: Readonly<Record<OperationId, Documented>> = {
  createDualShipment: {
    section: '4.1',
    request: 'POST /v2/shipments',
    sandbox: true,
    contract: false,
    success: 201,
    errors: [400, 401],
    body: {
      'label?': 'boolean',
      ...GOODS,
      sender: 'object',
      ...under('sender', { ...PARTY, ...DUAL }),
      receiver: 'object',
      ...under('receiver', { ...RECEIVER, ...DUAL }),
      'invoice?': 'object',
      ...under('invoice', { ...PARTY, ...DUAL, 'taxOffice?': 'text' }),
      carriers: 'object',
      'carriers.international': 'object',
      'carriers.international.id': 'text',
      'carriers.domestic': 'object',
      'carriers.domestic.id': 'text',
    },
    answer: {
      success: 'boolean',
      ...leg('international', { ...LABEL, labelPdf: 'text' }),
      ...leg('domestic', LABEL),
    },
  },
  createShipment: {
    section: '4.2',
    request: 'POST /v1/shipments',
    sandbox: true,
    contract: true,
    success: 201,
    errors: [400, 401, 422, 500],
    body: {
      ...GOODS,
      sender: 'object',
      ...under('sender', PARTY),
      receiver: 'object',
      ...under('receiver', RECEIVER),
      'invoice?': 'object',
      ...under('invoice', PARTY),
      chargeableWeight: 'number',
      carrier: 'object',
      'carrier.id': 'text',
    },
    answer: {
      id: 'text',
      carrier: 'object',
      'carrier.id': 'text',
      'carrier.name': 'text',
      'carrier.price': 'number',
      'carrier.currency': 'text',
      sender: 'object',
      'sender.country': 'text',
      'sender.city': 'text',
      receiver: 'object',
      'receiver.country': 'text',
      'receiver.city': 'text',
      chargeableWeight: 'number',
      ...STATUS,
      createdAt: 'time',
    },
  },
  proposal: {
    section: '4.3',
    request: 'POST /v1/carriers/proposal',
    sandbox: true,
    contract: true,
    success: 201,
    errors: [400, 401, 422, 500],
    body: {
      originCountry: 'country',
      destinationCountry: 'country',
      'postalCode?': 'text',
      'packageType?': ['package', 'document'],
      ...packages('number'),
    },
    answer: {
      proposals: 'list',
      'proposals[]': 'object',
      'proposals[].id': 'text',
      'proposals[].name': 'text',
      'proposals[].serviceType': 'text',
      'proposals[].isValid': 'boolean',
      'proposals[].deliveryTime': 'text',
      'proposals[].currency': 'text',
      'proposals[].price': 'number',
      'proposals[].kg': 'number',
      chargeableWeight: 'number',
    },
  },
  rates: {
    section: '4.4',
    request: 'POST /api/v1/shipping/rates',
    sandbox: false,
    contract: true,
    success: 200,
    errors: [400, 404, 500],
    body: {
      data: 'object',
      'data.packages': 'list',
      'data.packages[]': 'object',
      'data.packages[].height': 'number',
      'data.packages[].width': 'number',
      'data.packages[].lengthCm': 'number',
      'data.packages[].piece': 'number',
      'data.packages[].pieceWeight': 'number',
      'data.countryFrom': 'country',
      'data.countryTo': 'country',
      'data.postalCode?': 'text',
    },
    answer: {
      success: 'boolean',
      proposals: 'list',
      'proposals[]': 'object',
      'proposals[].companyId': 'text',
      'proposals[].companyName': 'text',
      'proposals[].serviceType': 'text',
      'proposals[].deliveryTime': 'text',
      'proposals[].price': 'text',
      'proposals[].currency': 'text',
      'proposals[].data': 'object',
    },
  },
  getDomesticShipment: {
    section: '4.5',
    request: 'GET /v1/shipments/domestic/{shipmentId}',
    sandbox: true,
    contract: true,
    success: 200,
    errors: [401, 404, 500],
    body: {},
    answer: { ...DETAIL, 'receiver.city': 'text' },
  },
  getShipment: {
    section: '4.6',
    request: 'GET /v1/shipments/{shipmentId}',
    sandbox: true,
    contract: true,
    success: 200,
    errors: [401, 404, 500],
    body: {},
    answer: { ...DETAIL, 'receiver.country': 'text' },
  },
  createLabels: {
    section: '4.7',
    request: 'POST /v2/carriers/create',
    sandbox: true,
    contract: false,
    success: 200,
    errors: [400, 401],
    body: { 'domestic?': 'text', 'international?': 'text' },
    answer: {
      success: 'boolean',
      'international?': 'object',
      ...under('international', { ...LABEL, label: 'text' }),
      'domestic?': 'object',
      ...under('domestic', LABEL),
    },
  },
  createSubscription: {
    section: '4.8',
    request: 'POST /webhooks/subscriptions',
    sandbox: false,
    contract: false,
    success: 201,
    errors: [400, 401, 429],
    limit: 20,
    body: { url: 'text', events: 'list', 'events[]': EVENTS, 'headers?': 'map', ...RETRY },
    answer: { ...SUBSCRIPTION, 'data.secret': 'text', 'data.token': 'text' },
  },
  getSubscription: {
    section: '4.9',
    request: 'GET /webhooks/subscriptions/{subscriptionId}',
    sandbox: false,
    contract: false,
    success: 200,
    errors: [401, 404],
    body: {},
    answer: { ...SUBSCRIPTION, 'data.updatedAt': 'time' },
  },
};
