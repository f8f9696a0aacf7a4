// What an agent reads has no flags: it has tools and their arguments, and what a person must do says so in words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unspokenWords } from '../../src/say/agent.ts';
import { commandOf, connected } from '../rig/agent.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { asProduction } from '../rig/production.ts';
import { PROPOSALS } from '../rig/service.ts';
import { http } from '../rig/sockets.ts';
import { limitedRig, replying, servedRig } from './rigs.ts';

const request = JSON.parse(readFileSync('fixtures/orders/shirt-no-carrier.json', 'utf8'));
const QUOTE = {
  originCountry: 'TR',
  destinationCountry: 'DE',
  packages: [{ quantity: 1, weight: 1, dimensions: { width: 10, length: 10, height: 10 } }],
};
const ORDER = { key: 'A-1', request, carrier: 'EXP' };
const FLAG = /(?<![\w-])--[a-z]/;

const json = (status: number, body: unknown) => http(status, JSON.stringify(body));
const offer = (price: unknown = 10) => ({
  ...{ id: 'EXP', name: 'Express', serviceType: 'express', isValid: true, deliveryTime: '1-3 days' },
  ...{ price, currency: 'EUR' },
});
const offered = (...proposals: object[]) => json(201, { chargeableWeight: 4.8, proposals });
const shipment = (more: object = {}) => ({
  id: 'S-1',
  carrier: { id: 'EXP', price: 10, currency: 'EUR' },
  ...more,
});
/** Answers to proposals, bookings, labels and reads. */
const service = (
  booked: string | readonly string[] = json(201, shipment()),
  proposals: string = offered(offer()),
  labelled: string = json(200, { success: true, international: { success: true, trackingNumber: 'T-1' } }),
) =>
  servedRig(
    replying({
      [`POST ${PROPOSALS}`]: proposals,
      'POST /v1/shipments': booked,
      'POST /v2/carriers/create': labelled,
      'GET /v1/shipments/S-9': json(404, { message: 'gone' }),
      'GET /v1/shipments/none': json(404, { message: 'gone' }),
    }),
  );

type Calls = readonly (readonly [tool: string, given: object])[];
interface Met {
  rig: () => Promise<Rig>;
  argv?: string;
  env?: Record<string, string>;
  calls: Calls;
  says?: 'accept' | 'decline';
}

const SHIP: Calls = [['ship', ORDER]];
const LABEL: Calls = [...SHIP, ['label', { refs: ['A-1'] }]];
const whole = (...answers: string[]) => ({ rig: service(answers), calls: SHIP });

const MET: Readonly<Record<string, Met>> = {
  'an outcome that is unknown': whole(json(500, { message: 'oops' })),
  'a refusal that has a record': whole(json(409, { message: 'exists', ...shipment({ status: [{}] }) })),
  'a shipment of another order': {
    rig: service(json(201, shipment())),
    calls: [
      ...SHIP,
      ['ship', { ...ORDER, key: 'B', request: { ...request, category: 'gift' } }],
      ['history', {}],
    ],
  },
  'a price above the bound': {
    rig: service(json(201, shipment({ carrier: { id: 'EXP', price: 99, currency: 'EUR' } }))),
    calls: [
      ['ship', { ...ORDER, maxPrice: '20EUR' }],
      ['history', { ref: 'A-1' }],
      ['ship', { ...ORDER, maxPrice: '20EUR' }],
    ],
  },
  'no proposal within the bounds': {
    rig: service(),
    calls: [
      ['plan', { ...ORDER, maxPrice: '1EUR' }],
      ['plan', { ...ORDER, maxDays: 1 }],
      ['plan', { ...ORDER, service: 'air' }],
      ['plan', { ...ORDER, carrier: 'NONE' }],
      ['ship', { key: 'A-1', request }],
      ['plan', { ...ORDER, maxPrice: 'free' }],
    ],
  },
  'proposals that cannot be read': {
    rig: service(undefined, offered(offer('call us'))),
    calls: [
      ['plan', ORDER],
      ['ship', { ...ORDER, maxPrice: '20EUR' }],
      ['plan', { ...ORDER, carrier: 'cheapest' }],
    ],
  },
  'proposals that fail': {
    rig: service(undefined, json(401, { message: 'who?' })),
    calls: [
      ['plan', ORDER],
      ['ship', { ...ORDER, maxPrice: '20EUR' }],
      ['quote', { request: QUOTE }],
    ],
  },
  'too many requests': whole(http(429, '', { 'retry-after': '120' })),
  'a request that is not valid': {
    rig: createRig,
    calls: [
      ['ship', { ...ORDER, request: { odd: 1 } }],
      ['ship', { ...ORDER, request: { ...request, odd: 1, packages: [] } }],
      ['quote', { request: {} }],
      ['ship', { plan: 'none' }],
      ['ship', { plan: 'none', key: 'A' }],
      ['ship', {}],
      ['order_schema', { operation: 'odd' }],
      ['history', { since: 'never' }],
      ['history', { ref: 'A', search: 'b' }],
      ['ship', { ...ORDER, key: '1.23457E+17' }],
      ['ship', { ...ORDER, key: '' }],
    ],
  },
  'what is not there': {
    rig: service(),
    calls: [
      ['label', { refs: ['none'] }],
      ['track', { refs: ['S-9'] }],
      ['track', { refs: ['S-9', 'S-9'] }],
      ['history', { ref: 'none' }],
      ['label', { refs: ['none', 'S-9'] }],
    ],
  },
  'another input under a key': {
    rig: service(),
    calls: [
      ...SHIP,
      ['ship', { ...ORDER, request: { ...request, category: 'gift' } }],
      ['ship', { ...ORDER, key: 'B-1' }],
    ],
  },
  'the same order under another key while one is unknown': {
    rig: service(json(500, {})),
    calls: [
      ...SHIP,
      ['ship', { ...ORDER, key: 'B-1' }],
      ['plan', { ...ORDER, key: 'B-1' }],
      ['label', { refs: ['A-1'] }],
    ],
  },
  'a label that is refused': {
    rig: service(undefined, undefined, json(400, { message: 'no' })),
    calls: [['ship', { ...ORDER, label: true }], ...LABEL],
  },
  'a label that has no file': { rig: service(), calls: LABEL, argv: 'mcp --download out' },
  'a label that cannot be got': {
    rig: service(
      undefined,
      undefined,
      json(200, {
        success: true,
        international: { success: true, trackingNumber: 'T-1', label: 'http://127.0.0.1:1/l.pdf' },
      }),
    ),
    calls: LABEL,
    argv: 'mcp --download out',
  },
  'warnings that are errors': {
    rig: service(),
    calls: [
      [
        'ship',
        {
          ...ORDER,
          request: {
            ...request,
            receiver: { ...request.receiver, address: { ...request.receiver.address, line1: 'Weg' } },
          },
        },
      ],
      ['ship', { ...ORDER, key: 'B-1' }],
    ],
    argv: 'mcp --strict',
  },
  'a limit of a day': {
    rig: limitedRig({ policy: { maxPerDay: '5EUR' } }),
    calls: [...SHIP, ['plan', ORDER]],
  },
  'a limit without a price': {
    rig: limitedRig({ policy: { maxPerDay: '50EUR' }, offered: [['EXP', 'call us']] }),
    calls: SHIP,
  },
  'a key that is only for a person': {
    rig: limitedRig({ policy: { allowDuplicate: 'terminal' } }),
    calls: [...SHIP, ['ship', { ...ORDER, key: 'B' }]],
  },
  production: { rig: async () => createRig(), calls: [...SHIP, ['label', { refs: ['A-1'] }]] },
  'a person who says no': { rig: service(), calls: SHIP, says: 'decline' },
  'no service': {
    rig: () => createRig({ env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } }),
    calls: [...SHIP, ['quote', { request: QUOTE }], ['track', { refs: ['S-1'] }]],
    argv: 'mcp --retries 0',
  },
  'a journal that is not there': {
    rig: async () => createRig({ journalLost: true }),
    env: { CI: 'true', WAYBILL_REQUIRE_JOURNAL: '1' },
    calls: [...SHIP, ['history', {}]],
  },
  'a journal that is damaged': {
    rig: async () => {
      const rig = await createRig({ journalLost: true });
      await rig.run('history check');
      rig.file('state/journal.db', 'this is no database, and is longer than the head of one'.repeat(20));
      return rig;
    },
    calls: [...SHIP, ['history', {}], ['label', { refs: ['A-1'] }]],
  },
};

const isOurs = (text: string) => !text.startsWith('{"operation":"');

describe('No text of a tool names a flag where an agent meets', () => {
  test.each(Object.entries(MET))('%s', async (name, { rig: begin, argv, env = {}, calls, says }) => {
    const rig = await begin();
    const production = name === 'production' ? await asProduction(rig) : {};
    const { transport } = commandOf(rig, argv, { env: { ...production, ...env } });
    const { call } = await connected(transport, '2026-07-28', says && { says });
    let failures = 0;
    for (const [tool, given] of calls) {
      const { isError, result, told } = await call(tool, given);
      failures += Number(isError);
      for (const text of [JSON.stringify(result), ...told].filter(isOurs))
        expect([tool, text, FLAG.test(text)]).toEqual([tool, text, false]);
    }
    expect(failures).toBeGreaterThan(0);
  });
});

test('Whatever the commands say, an agent reads it without flags', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  );
  const lines = sources.flatMap(name => readFileSync(join('src', name), 'utf8').split('\n'));
  const sentences = lines.filter(line => FLAG.test(line));
  expect(sentences.length).toBeGreaterThan(300);
  for (const line of sentences) expect([line, FLAG.test(unspokenWords(line))]).toEqual([line, false]);
});
