// A shipment inside `shipment`, service types in capitals, prices as text, the bare token, labels in the answer itself.
import type { Spoken } from './journeys.ts';
import type { Body } from './service.ts';

const WORDS: Readonly<Record<string, { serviceType: string; deliveryTime: string }>> = {
  ECO: { serviceType: 'Economy', deliveryTime: '2 - 3 Weeks' },
  EXP: { serviceType: 'EXPRESS', deliveryTime: '30 Hours' },
};

const offer = (id: string, isValid: unknown, price: unknown, deliveryTime: string) => ({
  ...{ id, name: `Carrier ${id}`, serviceType: 'EXPRESS', currency: 'EUR', kg: 4.8 },
  ...{ isValid, price, deliveryTime },
});

export const CAPITAL: Spoken = {
  coding: 'br',
  connect: address => ({
    env: { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: 'bare-token', WAYBILL_AUTH_SCHEME: 'none' },
  }),
  knows: headers => headers.authorization === 'bare-token',
  answers: {
    proposals: body => ({
      chargeableWeight: String(body.chargeableWeight),
      proposals: [
        // Free of charge while others have a price, said to be valid in words, and one whose time is no time.
        offer('FREE', true, '0', '3 weeks'),
        offer('WORD', 'true', '0.50', '1 day'),
        offer('SOON', true, '99.90', 'soon'),
        ...body.proposals.map((one: Body) => ({ ...one, ...WORDS[one.id], price: one.price.toFixed(2) })),
      ],
    }),
    // The document has text here.
    rates: body => ({
      ...body,
      proposals: body.proposals.map((one: Body) => ({ ...one, price: Number(one.price) })),
    }),
  },
  envelope: (body, operation) =>
    ['ship', 'shipment', 'domestic'].includes(operation) ? { shipment: body } : body,
  refusal: (_, message) => ({ errors: [{ detail: message }] }),
  label: ({ operation, pdf }) =>
    `${operation === 'pair' ? 'data:application/pdf;base64,' : ''}${pdf.toString('base64')}`,
  expected: {
    inside: undefined,
    carriers: { cheapest: 'ECO', fastest: 'EXP', domestic: 'DOM' },
    offers: { all: 5, bookable: 4 },
    service: 'economy',
    // Three weeks are more than 20 days, and 30 hours more than a day.
    days: { forFastest: 20, forNone: 1 },
    files: asked => asked.length === 0,
  },
};
