// The fields of a shipment as its forms ask for them: their order, their labels, their likely values.
import Big from 'big.js';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { getAt, listAt, textAt } from '../contract/paths.ts';

/** The fields of a party, by their paths within it. */
export const PARTY = [
  ...['firstName', 'lastName', 'companyName', 'email', 'address.country.code', 'phone.code', 'phone.number'],
  ...['address.line1', 'address.line2', 'address.zipCode', 'address.city', 'address.nationalShortAddress'],
];
const PACKAGE = ['quantity', 'weight', 'dimensions.length', 'dimensions.width', 'dimensions.height'];
const ITEM = ['description', 'hsCode', 'countryOfOrigin', 'quantity', 'unitPrice', 'totalPrice'];

/** What and how heavy, from whom, to whom, contents and customs, the carrier. */
export const SHIPMENT_ORDER = [
  'type',
  ...PACKAGE.map(name => `packages[].${name}`),
  ...['sender', 'receiver'].flatMap(role => PARTY.map(name => `${role}.${name}`)),
  ...['category', 'deliveryType', 'customs.currency'],
  ...ITEM.map(name => `items[].${name}`),
  'customs.totalGoodsValue',
  ...['carrier', 'carriers.international', 'carriers.domestic', 'customs', 'chargeableWeight', 'invoice'],
];

export const SHIPMENT_GROUPS = {
  sender: 'Sender',
  receiver: 'Receiver',
  invoice: 'Invoice',
  'packages[]': 'Package',
  'items[]': 'Item',
};

// Shorter than in help, and with the unit or the currency that applies.
const LABELS: readonly [suffix: string, label: string | ((path: string, body: unknown) => string)][] = [
  ['.dimensions.length', (path, body) => `Length in ${unitAt(path, body)}`],
  ['.dimensions.width', (path, body) => `Width in ${unitAt(path, body)}`],
  ['.dimensions.height', (path, body) => `Height in ${unitAt(path, body)}`],
  ['.address.country.code', 'Country'],
  ['.phone.code', 'Phone country code'],
  ['.phone.number', 'Phone number without the country code'],
  ['.address.zipCode', 'Postal code'],
  ['.nationalShortAddress', 'National short address (Saudi Arabia)'],
  ['.countryOfOrigin', 'Country where the goods were made'],
  ['.unitPrice', (_, body) => `Price of a unit in ${currencyOf(body)}`],
  ['.totalPrice', (_, body) => `Price of all units in ${currencyOf(body)}`],
  ['customs.totalGoodsValue', (_, body) => `Value of all goods in ${currencyOf(body)}`],
];

export function shipmentLabel(path: string, body: unknown): string | undefined {
  // A party may be the whole body, too.
  const label = LABELS.find(([suffix]) => `.${path}`.endsWith(suffix))?.[1];
  return typeof label === 'function' ? label(path, body) : label;
}

// What each field is, where one gets it, and what to do without it.
const HINTS: readonly (readonly [suffix: string, hint: string])[] = [
  [
    '.hsCode',
    'The number of the goods in the customs tariff: 6 to 10 digits, dots allowed, such as 610910 for cotton T-shirts. The maker of the goods or a customs broker knows it, and the tariff of the customs office finds it by words. Customs may hold goods with a wrong one.',
  ],
  [
    '.iossNumber',
    'The number of the EU scheme for VAT on imports (IOSS): IM and ten digits. It says that the VAT of goods up to 150 EUR was paid when they were sold to the EU. The marketplace that sold them has one; your own comes from the tax office of an EU country or from an IOSS intermediary. Without one, go back and choose a carrier that does not need it: the receiver then pays VAT on import.',
  ],
  [
    '.marketplaceNumber',
    'The number under which a marketplace pays the VAT of goods up to 135 GBP that it sold to the UK. The marketplace shows it with the order or in its tax settings. Without one, go back and choose a carrier that does not need it.',
  ],
  [
    '.nationalShortAddress',
    'Four letters and four digits that name a building in Saudi Arabia, such as RRRD2929. The receiver finds it in the national address service of the Saudi post. Nothing can be sent there without it: ask the receiver.',
  ],
  [
    '.deliveryType',
    'DAP: the carrier asks the receiver for duties and taxes before it delivers. DDP: you are charged for them, and perhaps a fee of the carrier. If you agreed on nothing with the receiver, it is DAP.',
  ],
];

export const fieldHint = (path: string): string | undefined =>
  HINTS.find(([suffix]) => `.${path}`.endsWith(suffix))?.[1];

const unitAt = (path: string, body: unknown): string => textAt(body, path.replace(/\.\w+$/, '.unit')) ?? 'cm';

const currencyOf = (body: unknown): string => textAt(body, 'customs.currency') ?? 'the currency of customs';

/** What follows from other fields (dialling code, totals), and what is usual. */
export function suggestion(path: string, body: unknown): string | undefined {
  const at = (name: string) => getAt(body, path.replace(/\w+$/, name));
  if (/(^|\.)phone\.code$/.test(path))
    return DIALLING_CODES.get(textAt(body, path.replace(/phone\.code$/, 'address.country.code')) ?? '');
  if (path.endsWith('].totalPrice')) return product(at('quantity'), at('unitPrice'));
  if (path === 'customs.totalGoodsValue') return sumOfTotals(body);
  if (path === 'deliveryType') return 'DAP';
  return /^packages\[\d+\]\.quantity$/.test(path) ? '1' : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const product = (quantity: unknown, price: unknown): string | undefined =>
  isNumber(quantity) && isNumber(price) ? Big(quantity).times(price).toString() : undefined;

/** Of the items that have a total: an item that is being added gets one later. */
function sumOfTotals(body: unknown): string | undefined {
  const totals = listAt(body, 'items')
    .map(item => getAt(item, ['totalPrice']))
    .filter(isNumber);
  return totals.length > 0
    ? totals.reduce<Big>((sum, total) => sum.plus(total), Big(0)).toString()
    : undefined;
}
