import { anyText, country, note, optional, strict, text } from './shapes.ts';

// Service document §2.1: sender, receiver, invoice. The dual body shape has a few fields more than the single.

const names = {
  firstName: text('First name'),
  lastName: text('Last name'),
  companyName: note('Company'),
  identityNumber: note('Identity number of the person'),
  taxNumber: note('Tax number'),
  email: text('E-mail address'),
  phone: strict({
    code: text('Phone country code, such as +90'),
    number: text('Phone number without the country code'),
  }),
};

const address = {
  line1: text('Street and number'),
  city: text('City'),
  // Some countries have none, so that it may be blank; but it has to be there.
  zipCode: anyText('Postal code, kept as text'),
  country: strict({
    code: country('Country code, ISO 3166-1 alpha-2'),
    name: note('Country name'),
  }),
};

const receiverAddress = {
  ...address,
  line2: note('Second address line'),
  nationalShortAddress: note(
    'National short address: only for shipments to Saudi Arabia, where it is required',
  ),
};

const dualAddress = {
  cityCode: note('City code (dual shipments only)'),
  district: note('District (dual shipments only)'),
};

export const sender = strict({ ...names, address: strict(address) });
export const receiver = strict({ ...names, address: strict(receiverAddress) });
export const invoice = optional(sender);

export const dualSender = strict({ ...names, address: strict({ ...address, ...dualAddress }) });
export const dualReceiver = strict({ ...names, address: strict({ ...receiverAddress, ...dualAddress }) });
export const dualInvoice = optional(
  strict({
    ...names,
    address: strict({ ...address, ...dualAddress }),
    taxOffice: note('Tax office (dual shipments only)'),
  }),
);

/** Fields of a body that are a whole person: replaced as one, so that two people are never mixed. */
export const PARTIES = ['sender', 'receiver', 'invoice'] as const;
export type PartyRole = (typeof PARTIES)[number];
