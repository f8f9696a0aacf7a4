// The fields of a shipment as its forms ask for them, in the order in which a person thinks of them.
import Big from 'big.js';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { getAt, listAt, textAt } from '../contract/paths.ts';
import type { AskedFields } from './engine/form.ts';

const PACKAGE: AskedFields = {
  quantity: { usual: '1' },
  weight: {},
  'dimensions.length': { title: (path, body) => `Length in ${unitAt(path, body)}` },
  'dimensions.width': { title: (path, body) => `Width in ${unitAt(path, body)}` },
  'dimensions.height': { title: (path, body) => `Height in ${unitAt(path, body)}` },
};

/** Of a party; it may be a body of its own. */
export const PARTY: AskedFields = {
  firstName: {},
  lastName: {},
  companyName: {},
  email: {},
  'address.country.code': { title: 'Country' },
  'phone.code': {
    title: 'Phone country code',
    derived: (path, body) =>
      DIALLING_CODES.get(textAt(body, path.replace(/phone\.code$/, 'address.country.code')) ?? ''),
    follows: true,
  },
  'phone.number': { title: 'Phone number without the country code' },
  'address.line1': {},
  'address.line2': {},
  'address.zipCode': { title: 'Postal code' },
  'address.city': {},
  'address.nationalShortAddress': {
    title: 'National short address (Saudi Arabia)',
    hint: 'Four letters and four digits that name a building in Saudi Arabia, such as RRRD2929. The receiver finds it in the national address service of the Saudi post. Nothing can be sent there without it: ask the receiver.',
  },
};

const ITEM: AskedFields = {
  description: {},
  hsCode: {
    hint: 'The number of the goods in the customs tariff: 6 to 10 digits, dots allowed, such as 610910 for cotton T-shirts. The maker of the goods or a customs broker knows it, and the tariff of the customs office finds it by words. Customs may hold goods with a wrong one.',
  },
  countryOfOrigin: {},
  quantity: {},
  unitPrice: { title: (_, body) => `Price of a unit in ${currencyOf(body)}` },
  totalPrice: {
    title: (_, body) => `Price of all units in ${currencyOf(body)}`,
    derived(path, body) {
      const at = (name: string) => getAt(body, path.replace(/\w+$/, name));
      return product(at('quantity'), at('unitPrice'));
    },
  },
};

export const under = (parent: string, fields: AskedFields): AskedFields =>
  Object.fromEntries(Object.entries(fields).map(([name, asked]) => [`${parent}.${name}`, asked]));

/** What and how heavy, from whom, to whom, contents and customs, the carrier. */
export const SHIPMENT: AskedFields = {
  type: {},
  ...under('packages[]', PACKAGE),
  ...under('sender', PARTY),
  ...under('receiver', PARTY),
  category: {},
  deliveryType: {
    hint: 'DAP: the carrier asks the receiver for duties and taxes before it delivers. DDP: you are charged for them, and perhaps a fee of the carrier. If you agreed on nothing with the receiver, it is DAP.',
  },
  'customs.currency': {},
  ...under('items[]', ITEM),
  'customs.totalGoodsValue': {
    title: (_, body) => `Value of all goods in ${currencyOf(body)}`,
    derived: (_, body) => sumOfTotals(body),
  },
  carrier: {},
  'carriers.international': {},
  'carriers.domestic': {},
  'customs.iossNumber': {
    hint: 'The number of the EU scheme for VAT on imports (IOSS): IM and ten digits. It says that the VAT of goods up to 150 EUR was paid when they were sold to the EU. The marketplace that sold them has one; your own comes from the tax office of an EU country or from an IOSS intermediary. Without one, go back and choose a carrier that does not need it: the receiver then pays VAT on import.',
  },
  'customs.marketplaceNumber': {
    hint: 'The number under which a marketplace pays the VAT of goods up to 135 GBP that it sold to the UK. The marketplace shows it with the order or in its tax settings. Without one, go back and choose a carrier that does not need it.',
  },
  chargeableWeight: {},
  ...under('invoice', PARTY),
};

export const SHIPMENT_GROUPS = {
  sender: 'Sender',
  receiver: 'Receiver',
  invoice: 'Invoice',
  'packages[]': 'Package',
  'items[]': 'Item',
};

const unitAt = (path: string, body: unknown): string => textAt(body, path.replace(/\.\w+$/, '.unit')) ?? 'cm';

const currencyOf = (body: unknown): string => textAt(body, 'customs.currency') ?? 'the currency of customs';

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
