// Services that answer in their own way where the service document leaves something open; see dialect-journeys.ts.
import { journeys, type Spoken } from './dialect-journeys.ts';
import { type Body, CARRIER_NUMBERS } from './dialect-service.ts';

const TOKEN = 'anadolu-token';

const TURKISH_WORDS: Readonly<Record<string, { serviceType: string; deliveryTime: string }>> = {
  ECO: { serviceType: 'EKONOMİ', deliveryTime: '1-2 weeks' },
  EXP: { serviceType: 'EKSPRES', deliveryTime: '3 business days' },
};

/** Cheaper and faster than any other, and not for these packages. */
const REFUSED = {
  id: 'UCUZ',
  name: 'Ucuz Kargo',
  serviceType: 'EKONOMİ',
  isValid: false,
  reasons: ['the parcel is too heavy for this carrier'],
  deliveryTime: '1 day',
  currency: 'EUR',
  price: '1.00',
  kg: '4.8',
};

const texts = (body: Body, ...names: string[]): Body => ({
  ...body,
  ...Object.fromEntries(names.map(name => [name, String(body[name])])),
});

const priced = (body: Body): Body => ({ ...body, carrier: texts(body.carrier, 'price') });

/** Everything inside `data`, numbers as text, Turkish words, a fetched token in a header of its own, labels behind redirects. */
const TURKISH: Spoken = {
  coding: 'gzip',
  connect: address => ({
    add: [
      ...['profile', 'add', 'shop', '--base-url', address, '--token-url', '/kimlik/belge'],
      ...['--client-header', 'X-Client-Secret=@env:CLIENT_SECRET'],
      ...['--auth-header', 'X-Belge', '--auth-scheme', ''],
    ],
    settings: ['tokenField=sonuc.belge', 'expiryField=sonuc.saniye'],
    env: { CLIENT_SECRET: 'gizli' },
  }),
  knows: headers => headers['x-belge'] === TOKEN,
  tokens: {
    path: '/kimlik/belge',
    give: headers =>
      headers['x-client-secret'] === 'gizli' ? { sonuc: { belge: TOKEN, saniye: '3600' } } : undefined,
  },
  answers: {
    proposals: body => ({
      ...texts(body, 'chargeableWeight'),
      proposals: [
        REFUSED,
        ...body.proposals.map((one: Body) => ({ ...texts(one, 'price', 'kg'), ...TURKISH_WORDS[one.id] })),
      ],
    }),
    rates: body => ({ ...body, proposals: body.proposals.map((one: Body) => texts(one, 'price')) }),
    ship: body => texts(priced(body), 'chargeableWeight'),
    shipment: priced,
    domestic: priced,
  },
  // §4.8, §4.9: a subscription is inside `data` already.
  envelope: (body, operation) =>
    operation.startsWith('subscri') ? body : { success: true, message: null, data: body },
  refusal: (status, message) => ({ success: false, message, code: `HATA_${status}`, data: null }),
  label: ({ origin, name }) => `${origin}/etiket/${name}`,
  beforeFile: path =>
    path.startsWith('/etiket/')
      ? { status: 302, location: path.replace('/etiket/', '/depo/') }
      : path.startsWith('/depo/')
        ? { status: 307, location: `..${path.replace('/depo/', '/dosya/')}` }
        : undefined,
  expected: {
    inside: 'data',
    carriers: { cheapest: 'ECO', fastest: 'EXP', domestic: 'DOM' },
    offers: { all: 3, bookable: 2 },
    refusal: 'the parcel is too heavy for this carrier',
    service: 'ekonomi',
    // Two weeks are more than 13 days, and three business days more than two.
    days: { forFastest: 13, forNone: 2 },
    files: asked => asked.every(({ isKnown }) => !isKnown),
  },
};

const CAPITAL_WORDS: Readonly<Record<string, { serviceType: string; deliveryTime: string }>> = {
  ECO: { serviceType: 'Economy', deliveryTime: '2 - 3 Weeks' },
  EXP: { serviceType: 'EXPRESS', deliveryTime: '30 Hours' },
};

const offer = (id: string, isValid: unknown, price: unknown, deliveryTime: string) => ({
  ...{ id, name: `Carrier ${id}`, serviceType: 'EXPRESS', currency: 'EUR', kg: 4.8 },
  ...{ isValid, price, deliveryTime },
});

/** A shipment inside `shipment`, service types in capitals, prices as text, the bare token, labels in the answer itself. */
const CAPITAL: Spoken = {
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
        ...body.proposals.map((one: Body) => ({
          ...one,
          ...CAPITAL_WORDS[one.id],
          price: one.price.toFixed(2),
        })),
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

const TIMES: Readonly<Record<string, string>> = { ECO: '5-7', EXP: '48 hours' };

/** A leg with shipment and label in one. */
const flat = ({ shipment, label }: Body): Body => ({ ...label, ...shipment });

/** Everything inside `result`, ids as numbers, API keys, legs of a pair without their parts, labels at a path that needs the keys. */
const NUMERIC: Spoken = {
  coding: 'deflate',
  isNumeric: true,
  connect: address => ({
    add: [
      ...['profile', 'add', 'shop', '--base-url', address],
      ...['--header', 'X-Api-Key=@env:API_KEY', '--header', 'X-Customer=@env:CUSTOMER'],
    ],
    env: { API_KEY: 'key-of-the-shop', CUSTOMER: '4711' },
  }),
  knows: headers => headers['x-api-key'] === 'key-of-the-shop' && headers['x-customer'] === '4711',
  answers: {
    proposals: body => ({
      ...body,
      proposals: [
        ...body.proposals.map((one: Body) => ({ ...one, deliveryTime: TIMES[one.id] })),
        // Without `isValid` nothing says that it can be booked.
        {
          id: 'NEW',
          name: 'New Carrier',
          serviceType: 'express',
          deliveryTime: '1 hour',
          currency: 'EUR',
          price: 2,
        },
      ],
    }),
    pair: body => ({
      success: body.success,
      international: flat(body.international),
      domestic: flat(body.domestic),
    }),
    subscribe: body => body.data,
    subscription: body => body.data,
  },
  envelope: result => ({ status: 'OK', result }),
  refusal: (status, message) => ({ status: 'ERROR', error: { number: status, message } }),
  label: ({ name }) => `/files/${name}`,
  beforeFile: (_, isKnown) => (isKnown ? undefined : { status: 401 }),
  expected: {
    inside: 'result',
    carriers: {
      cheapest: String(CARRIER_NUMBERS.ECO),
      fastest: String(CARRIER_NUMBERS.EXP),
      domestic: String(CARRIER_NUMBERS.DOM),
    },
    offers: { all: 3, bookable: 2 },
    service: 'ECONOMY',
    days: { forFastest: 2, forNone: 1 },
    // Without the keys, which may go to the service alone, and once more with them.
    files: asked =>
      asked.every(
        ({ line, isKnown }, index) => isKnown === (index % 2 === 1) && line.startsWith('GET /files/'),
      ),
  },
};

journeys('of a third kind: a shipment inside shipment, labels as base64', CAPITAL);
journeys('numeric: all inside result, ids as numbers', NUMERIC);
journeys('Turkish: all inside data, numbers as text', TURKISH);
