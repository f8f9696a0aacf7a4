// Fields that operations of the service document share (§2), written out by hand; see document.ts.

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
  packages: 'list',
  'packages[]': 'object',
  'packages[].quantity': 'number',
  'packages[].weight': 'number',
  'packages[].dimensions': 'object',
  'packages[].dimensions.width': 'number',
  'packages[].dimensions.length': 'number',
  'packages[].dimensions.height': 'number',
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
  packages: 'list',
  'packages[]': 'object',
  'packages[].quantity': 'text',
  'packages[].weight': 'text',
  'packages[].dimensions': 'object',
  'packages[].dimensions.width': 'text',
  'packages[].dimensions.length': 'text',
  'packages[].dimensions.height': 'text',
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
