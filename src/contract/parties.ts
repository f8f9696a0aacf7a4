import { anyText, country, note, optional, part, text } from './shapes.ts';

// Service document §2.1: sender, receiver, invoice. The dual body shape has a few fields more than the single.

const names = () => ({
  firstName: text('First name', { sample: ['Ada', 'Jonas'] }),
  lastName: text('Last name', { sample: ['Yilmaz', 'Weber'] }),
  companyName: note('Company'),
  identityNumber: note('Identity number of the person'),
  taxNumber: note('Tax number'),
  email: text('E-mail address', {
    sample: ['ada@example.com', 'jonas@example.com'],
    means: 'e-mail address',
  }),
  phone: part('Telephone', {
    code: text('Phone country code, such as +90', { sample: ['+90', '+49'], means: 'dialling code' }),
    number: text('Phone number without the country code', {
      sample: '5550001122',
      means: 'phone number',
    }),
  }),
});

const address = () => ({
  line1: text('Street and number', { sample: ['Istiklal Cd. 1', 'Torstrasse 1'] }),
  city: text('City', { sample: ['Istanbul', 'Berlin'] }),
  // It may be blank, because some countries have none; but it must be there.
  zipCode: anyText('Postal code, kept as text', {
    sample: ['34433', '10119'],
    means: 'postal code',
    countryAt: 'country.code',
  }),
  country: part('Country', {
    code: country('Country code, ISO 3166-1 alpha-2', { sample: ['TR', 'DE'] }),
    name: note('Country name'),
  }),
});

const receiverAddress = () => ({
  ...address(),
  line2: note('Second address line'),
  nationalShortAddress: note(
    'National short address: only for shipments to Saudi Arabia, where it is required',
    { means: 'short address', countryAt: 'country.code' },
  ),
});

const dualAddress = () => ({
  cityCode: note('City code (dual shipments only)'),
  district: note('District (dual shipments only)'),
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
      taxOffice: note('Tax office (dual shipments only)'),
    }),
    INVOICE,
  ),
);

/** A party that is saved for any role: every field that a party of any request can have. */
export const savedParty = part('Who sends, receives or pays', () => ({
  ...person({ ...receiverAddress(), ...dualAddress() }),
  taxOffice: note('Tax office (dual shipments only)'),
}));

/** Fields of a body that are a whole person: replaced as one, so that two people are never mixed. */
export const PARTIES = ['sender', 'receiver', 'invoice'] as const;
export type PartyRole = (typeof PARTIES)[number];
