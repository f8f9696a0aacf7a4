// Everything inside `result`, ids as numbers, API keys, legs of a pair without their parts, labels at a path that needs the keys.
import type { Spoken } from './journeys.ts';
import { type Body, CARRIER_NUMBERS } from './service.ts';

const TIMES: Readonly<Record<string, string>> = { ECO: '5-7', EXP: '48 hours' };

/** A leg with shipment and label in one. */
const flat = ({ shipment, label }: Body): Body => ({ ...label, ...shipment });

export const NUMERIC: Spoken = {
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
