import { amount, type Fields, listOf, note, oneOf, part, text } from './shapes.ts';

// Service document §2.1: the goods, and what customs need to know about them.

export const packagesOf = <T extends Fields>(fields: T) =>
  listOf('Packages, in groups of equal pieces', part('Equal pieces', fields));

export const pieces = {
  quantity: amount('Number of pieces'),
  weight: amount('Weight of a piece in kilograms'),
};

export const packages = packagesOf({
  ...pieces,
  dimensions: part('Dimensions of a piece', {
    width: amount('Width'),
    length: amount('Length'),
    height: amount('Height'),
    unit: text('Unit of the dimensions, such as cm'),
  }),
});

export const items = listOf(
  'The goods, listed for customs',
  part('An item: equal goods', {
    description: text('What it is, in words a customs officer understands'),
    hsCode: text('HS code (customs tariff number)'),
    countryOfOrigin: text('Country where the goods were made'),
    quantity: amount('Number of units'),
    unitPrice: amount('Price of a unit, in the currency of customs'),
    totalPrice: amount('Price of all units, in the currency of customs'),
  }),
);

export const customs = part('What customs need to know about all goods', {
  totalGoodsValue: amount('Value of all goods, in the currency'),
  currency: text('Currency of the value, such as EUR'),
  iossNumber: note('IOSS number: mandatory for the economy carrier to EU countries'),
  marketplaceNumber: note('Marketplace number: mandatory for the economy carrier to the UK'),
});

export const type = oneOf('What is shipped', {
  package: 'parcel or box',
  document: 'documents or papers',
});

export const category = oneOf('Why it is shipped', {
  gift: '',
  sample: '',
  'micro export': '',
  sales: '',
  document: '',
});

export const deliveryType = oneOf('Who pays duties and taxes', {
  DAP: 'duties and taxes paid by receiver; default',
  DDP: 'duties and taxes paid by sender; additional carrier DDP processing fees may apply',
});
