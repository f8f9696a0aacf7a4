import { amount, type Fields, listOf, note, oneOf, part, text } from './shapes.ts';

// Service document §2.1: the goods, and what customs need to know about them.

export const packagesOf = <T extends Fields>(fields: () => T) =>
  listOf('Packages, in groups of equal pieces', part('Equal pieces', fields), { flag: '--package' });

export const pieces = () => ({
  quantity: amount('Number of pieces', { sample: 2 }),
  weight: amount('Weight of a piece in kilograms', { sample: 1.5 }),
});

export const sides = (unit: '' | ' in centimetres') => ({
  width: amount(`Width${unit}`, { sample: 20 }),
  length: amount(`Length${unit}`, { sample: 30 }),
  height: amount(`Height${unit}`, { sample: 10 }),
});

export const packages = packagesOf(() => ({
  ...pieces(),
  dimensions: part('Dimensions of a piece', {
    ...sides(''),
    unit: text('Unit of the dimensions, such as cm', { sample: 'cm', assumed: 'cm' }),
  }),
}));

export const items = listOf(
  'The goods, listed for customs',
  part('An item: equal goods', () => ({
    description: text('What it is, in words a customs officer understands', { sample: 'T-shirt' }),
    hsCode: text('HS code (customs tariff number)', { sample: '610910', means: 'HS code' }),
    countryOfOrigin: text('Country where the goods were made', { sample: 'TR', means: 'country' }),
    quantity: amount('Number of units', { sample: 2 }),
    unitPrice: amount('Price of a unit, in the currency of customs', { sample: 12.5 }),
    totalPrice: amount('Price of all units, in the currency of customs', { sample: 25 }),
  })),
  { flag: '--item' },
);

/** A heading of help. */
export const CUSTOMS = 'Goods and customs:';
const SHIPMENT = 'Shipment:';

export const customs = part('What customs need to know about all goods', () => ({
  totalGoodsValue: amount('Value of all goods, in the currency', {
    sample: 25,
    flag: '--total-goods-value <amount>',
    group: CUSTOMS,
  }),
  currency: text('Currency of the value, such as EUR', {
    sample: 'EUR',
    means: 'currency',
    flag: '--currency <code>',
    group: CUSTOMS,
    setting: 'currency',
  }),
  iossNumber: note('IOSS number: mandatory for the economy carrier to EU countries', {
    means: 'IOSS number',
    flag: '--ioss-number <number>',
    group: CUSTOMS,
  }),
  marketplaceNumber: note('Marketplace number: mandatory for the economy carrier to the UK', {
    flag: '--marketplace-number <number>',
    group: CUSTOMS,
  }),
}));

export const type = oneOf(
  'What is shipped',
  { package: 'parcel or box', document: 'documents or papers' },
  { flag: '--type <type>', group: SHIPMENT, setting: 'type', isOfShop: true },
);

export const category = oneOf(
  'Why it is shipped',
  { gift: '', sample: '', 'micro export': '', sales: '', document: '' },
  { sample: 'sales', flag: '--category <category>', group: SHIPMENT, setting: 'category', isOfShop: true },
);

export const deliveryType = oneOf(
  'Who pays duties and taxes',
  {
    DAP: 'duties and taxes paid by receiver; default',
    DDP: 'duties and taxes paid by sender; additional carrier DDP processing fees may apply',
  },
  {
    assumed: 'DAP',
    flag: '--delivery-type <terms>',
    group: SHIPMENT,
    setting: 'deliveryType',
    isOfShop: true,
  },
);
