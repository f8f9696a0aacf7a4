import * as z from 'zod/mini';
import { readFilled, readId } from './read.ts';
import {
  amount,
  anyText,
  choice,
  country,
  type Fields,
  listOf,
  loose,
  optional,
  optionalText,
  part,
  requiredText,
  strict,
  trueOrFalse,
} from './shapes.ts';

// Service document §2.1: the goods, and what customs need to know about them.

export const packagesField = <T extends Fields>(fields: () => T) =>
  listOf('Packages, in groups of equal pieces', part('Equal pieces', fields), { flag: '--package' });

export const pieces = () => ({
  quantity: amount('Number of pieces', { sample: 2, assumed: 1 }),
  weight: amount('Weight of a piece in kilograms', { sample: 1.5 }),
});

export const sides = (unit: '' | ' in centimetres') => ({
  width: amount(`Width${unit}`, { sample: 20 }),
  length: amount(`Length${unit}`, { sample: 30 }),
  height: amount(`Height${unit}`, { sample: 10 }),
});

export const packages = packagesField(() => ({
  ...pieces(),
  dimensions: part('Dimensions of a piece', {
    ...sides(''),
    unit: requiredText('Unit of the dimensions, such as cm', { sample: 'cm', assumed: 'cm' }),
  }),
}));

export const items = listOf(
  'The goods, listed for customs',
  part('An item: equal goods', () => ({
    description: requiredText('What it is, in words a customs officer understands', { sample: 'T-shirt' }),
    hsCode: anyText('HS code: the number that customs have for these goods', {
      sample: '610910',
      means: 'HS code',
    }),
    countryOfOrigin: requiredText('Country where the goods were made', { sample: 'TR', means: 'country' }),
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
  currency: requiredText('Currency of the value, such as EUR', {
    sample: 'EUR',
    means: 'currency',
    flag: '--currency <code>',
    group: CUSTOMS,
    setting: 'currency',
  }),
  iossNumber: optionalText('IOSS number: mandatory for the economy carrier to EU countries', {
    means: 'IOSS number',
    flag: '--ioss-number <number>',
    group: CUSTOMS,
    setting: 'iossNumber',
  }),
  marketplaceNumber: optionalText('Marketplace number: mandatory for the economy carrier to the UK', {
    flag: '--marketplace-number <number>',
    group: CUSTOMS,
    setting: 'marketplaceNumber',
  }),
}));

export const type = choice(
  'What is shipped',
  { package: 'parcel or box', document: 'documents or papers' },
  { flag: '--type <type>', group: SHIPMENT, setting: 'type', isOfShop: true },
);

export const category = choice(
  'Why it is shipped',
  { gift: '', sample: '', 'micro export': '', sales: '', document: '' },
  { sample: 'sales', flag: '--category <category>', group: SHIPMENT, setting: 'category', isOfShop: true },
);

export const deliveryType = choice(
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

// Service document §2.1: sender, receiver, invoice. The dual body shape has a few fields more than the single.

const names = () => ({
  firstName: requiredText('First name', { sample: ['Ada', 'Jonas'] }),
  lastName: requiredText('Last name', { sample: ['Yilmaz', 'Weber'] }),
  companyName: optionalText('Company'),
  identityNumber: optionalText('Identity number of the person'),
  taxNumber: optionalText('Tax number'),
  email: requiredText('E-mail address', {
    sample: ['ada@example.com', 'jonas@example.com'],
    means: 'e-mail address',
  }),
  phone: part('Phone', {
    code: requiredText('Phone country code, such as +90', { sample: ['+90', '+49'], means: 'dialling code' }),
    number: requiredText('Phone number without the country code', {
      sample: '5550001122',
      means: 'phone number',
    }),
  }),
});

const address = () => ({
  line1: requiredText('Street and number', { sample: ['Istiklal Cd. 1', 'Torstrasse 1'] }),
  city: requiredText('City', { sample: ['Istanbul', 'Berlin'] }),
  // The postal code may be blank, because some countries have none; but the field must be there.
  zipCode: anyText('Postal code, kept as text', {
    sample: ['34433', '10119'],
    means: 'postal code',
    countryAt: 'country.code',
  }),
  country: part('Country', {
    code: country('Country code, ISO 3166-1 alpha-2', { sample: ['TR', 'DE'] }),
    name: optionalText('Country name'),
  }),
});

const receiverAddress = () => ({
  ...address(),
  line2: optionalText('Second address line'),
  nationalShortAddress: optionalText(
    'National short address: only for shipments to Saudi Arabia, where it is required',
    { means: 'short address', countryAt: 'country.code' },
  ),
});

const dualAddress = () => ({
  cityCode: optionalText('City code (dual shipments only)'),
  district: optionalText('District (dual shipments only)'),
});

const person = <Address extends ReturnType<typeof address>>(fields: Address) => ({
  ...names(),
  address: part('Address', fields),
});

const SENDER = { flag: '--sender', isOfShop: true };
const RECEIVER = { flag: '--receiver' };
const INVOICE = { flag: '--invoice', isOfShop: true };

export const sender = part('Who sends', () => person(address()), SENDER);
export const receiver = part('Who receives', () => person(receiverAddress()), RECEIVER);
export const invoice = optional(
  part('Billing address; if left out, the sender is used', () => person(address()), INVOICE),
);

export const dualSender = part('Who sends', () => person({ ...address(), ...dualAddress() }), SENDER);
export const dualReceiver = part(
  'Who receives',
  () => person({ ...receiverAddress(), ...dualAddress() }),
  RECEIVER,
);
export const dualInvoice = optional(
  part(
    'Billing address',
    () => ({
      ...person({ ...address(), ...dualAddress() }),
      taxOffice: optionalText('Tax office (dual shipments only)'),
    }),
    INVOICE,
  ),
);

/** A party that is saved for any role: every field that a party of any request can have. */
export const savedParty = part('Who sends, receives or pays', () => ({
  ...person({ ...receiverAddress(), ...dualAddress() }),
  taxOffice: optionalText('Tax office (dual shipments only)'),
}));

/** Fields of a body that are a whole person: replaced as one, so that two people are never mixed. */
export const PARTIES = ['sender', 'receiver', 'invoice'] as const;
export type PartyRole = (typeof PARTIES)[number];

// Service document §2.1, §2.2, §4.1, §4.2, §4.5 to §4.7: bodies and answers of shipments and labels.

const CARRIER = 'Carrier:';

const goods = { type, category, deliveryType, packages, items, customs };

export const shipmentBody = strict(() => ({
  ...goods,
  sender,
  receiver,
  invoice,
  chargeableWeight: amount('Chargeable weight in kilograms: what the price is for', {
    sample: 3,
    flag: '--chargeable-weight <kg>',
    group: CARRIER,
    isOfShop: true,
  }),
  carrier: part(
    'The carrier of the shipment',
    {
      id: requiredText('Carrier id, as a proposal gives it', {
        sample: 'EXP',
        flag: '--carrier',
        setting: 'carrier',
      }),
    },
    { isOfShop: true },
  ),
}));

export const dualShipmentBody = strict(() => ({
  label: optional(
    trueOrFalse('Make the carrier labels in the same call (needs scope shipment:label)', {
      flag: '--label',
      setting: 'label',
    }),
  ),
  ...goods,
  sender: dualSender,
  receiver: dualReceiver,
  invoice: dualInvoice,
  carriers: part('The carriers of both legs', {
    international: part('Carrier of the international leg', {
      id: requiredText('Carrier id of the international leg', {
        sample: 'EXP',
        flag: '--international <carrier>',
        group: CARRIER,
      }),
    }),
    domestic: part('Carrier of the domestic leg', {
      id: requiredText('Carrier id of the domestic leg', {
        sample: 'DOM',
        flag: '--domestic <carrier>',
        group: CARRIER,
      }),
    }),
  }),
}));

const SHIPMENTS = 'Shipments:';

export const labelsBody = strict(() => ({
  domestic: optional(
    requiredText('Domestic shipment id', { flag: '--domestic <shipment>', group: SHIPMENTS }),
  ),
  international: optional(
    requiredText('International shipment id', {
      sample: 'SHIPMENT_ID',
      flag: '--international <shipment>',
      group: SHIPMENTS,
    }),
  ),
}));

/** What the answer with a shipment must have: a record without an id may be that of anything. */
export const shipmentNeeded = loose({ id: readId });

/** An answer with the needed parts in at least one of the legs. */
const someLeg = (needed: z.ZodMiniType) =>
  z.union([loose({ international: needed }), loose({ domestic: needed })]);

export const pairNeeded = someLeg(loose({ shipment: shipmentNeeded }));
export const labelsNeeded = someLeg(loose({}));

const DATED = z.union([z.number(), z.string().check(z.regex(/\d{4}-\d\d-\d\d/))]);
const NAMED = z.union([loose({}), z.string().check(z.regex(/^\S+$/))]);
const DATED_STATES = z.array(loose({})).check(z.minLength(1));

/** A shipment with a part that only the record of a shipment has: many errors, too, have an id, and a status of one word. */
export const shipmentRecord = z.union(
  [{ carrier: NAMED }, { createdAt: DATED }, { status: DATED_STATES }].map(part =>
    loose({ id: readFilled, ...part }),
  ),
);

/** A shipment with id, carrier and dated states: in a list or deep in an answer, errors have some of these parts, too. */
export const wholeShipment = loose({ id: readId, carrier: NAMED, status: DATED_STATES });

const labelRecord = loose({ success: z.literal(true), trackingNumber: readId });

export const labelsRecord = someLeg(labelRecord);
export const pairRecord = z.union([
  someLeg(loose({ shipment: shipmentRecord })),
  someLeg(loose({ shipment: loose({ id: readFilled }), label: labelRecord })),
]);
