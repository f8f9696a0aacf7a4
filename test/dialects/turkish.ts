// Everything inside `data`, numbers as text, Turkish words, a fetched token in a header of its own, labels behind redirects.

import type { Spoken } from './journeys.ts';
import type { Body } from './service.ts';

const TOKEN = 'anadolu-token';

const WORDS: Readonly<Record<string, { serviceType: string; deliveryTime: string }>> = {
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

export const TURKISH: Spoken = {
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
        ...body.proposals.map((one: Body) => ({ ...texts(one, 'price', 'kg'), ...WORDS[one.id] })),
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
