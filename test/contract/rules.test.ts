import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleContext } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { setAt } from '../../src/contract/paths.ts';
import { type Example, faults, REQUESTS, STRICT, without } from './rig.ts';

const OPEN: RuleContext = { economyCarriers: [], serviceOnLoopback: true };

function request(name: string): Example {
  const found = REQUESTS.find(example => example.name === `${name}.request.json`);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** Faults of the example with some of its fields set to something else. */
function faultsWith(name: string, changes: Record<string, unknown>, context = STRICT): string[] {
  const { operation, body } = request(name);
  const changed = Object.entries(changes).reduce<unknown>(
    (copy, [path, value]) =>
      setAt(
        copy,
        path.split('.').map(part => (/^\d+$/.test(part) ? Number(part) : part)),
        value,
      ),
    body,
  );
  return faults(operation, changed, context);
}

const SHIPS = ['v1/shipments/POST', 'v2/shipments/POST'];

describe.each(SHIPS)('%s: the short address of a receiver in Saudi Arabia', folder => {
  const short = 'receiver.address.nationalShortAddress';

  test('is required and must not be blank', () => {
    const { operation, body } = request(`${folder}/saudi`);
    expect(faults(operation, without(body, short.split('.')))).toEqual([short]);
    for (const blank of ['', '  \n'])
      expect(faultsWith(`${folder}/saudi`, { [short]: blank })).toEqual([short]);
  });

  test('is not required of a sender there or of a receiver in another country', () => {
    expect(faultsWith(`${folder}/minimal`, { 'sender.address.country.code': 'SA' })).toEqual([]);
    expect(faultsWith(`${folder}/minimal`, { 'receiver.address.country.code': 'AE' })).toEqual([]);
  });

  test('is required with any carrier', () => {
    expect(faultsWith(`${folder}/minimal`, { 'receiver.address.country.code': 'SA' }, OPEN)).toEqual([short]);
  });
});

describe.each([
  ['v1/shipments/POST/eu-ioss', 'v1/shipments/POST/uk-marketplace', 'carrier.id'],
  [
    'v2/shipments/POST/eu-ioss-label',
    'v2/shipments/POST/uk-marketplace-label-false',
    'carriers.international.id',
  ],
])('%s: the economy carrier', (eu, uk, carrier) => {
  test.each(['DE', 'FR', 'IE', 'HR', 'GR', 'CY'])('needs the IOSS number to %s', code => {
    const there = { 'receiver.address.country.code': code };
    expect(faultsWith(eu, there)).toEqual([]);
    for (const blank of [undefined, '', '  '])
      expect(faultsWith(eu, { ...there, 'customs.iossNumber': blank })).toEqual(['customs.iossNumber']);
  });

  test.each(['GB', 'US', 'CH', 'NO', 'TR', 'IS', 'XK'])('needs no IOSS number to %s', code => {
    const there = { 'receiver.address.country.code': code, 'customs.iossNumber': undefined };
    expect(faultsWith(eu, { ...there, 'customs.marketplaceNumber': 'MP-1' })).toEqual([]);
  });

  test('needs the marketplace number to the United Kingdom', () => {
    for (const blank of [undefined, '', '  '])
      expect(faultsWith(uk, { 'customs.marketplaceNumber': blank })).toEqual(['customs.marketplaceNumber']);
  });

  test.each(['IE', 'GG', 'JE', 'IM', 'US'])('needs no marketplace number to %s', code => {
    const there = { 'receiver.address.country.code': code, 'customs.marketplaceNumber': undefined };
    expect(faultsWith(uk, { ...there, 'customs.iossNumber': 'IM0123456789' })).toEqual([]);
  });

  test('is the carrier that the profile names exactly; other carriers need no number', () => {
    const bare = { 'customs.iossNumber': undefined };
    for (const id of ['EXP', 'eco', 'ECO ', 'ECONOMY'])
      expect(faultsWith(eu, { ...bare, [carrier]: id })).toEqual([]);
    expect(faultsWith(eu, bare, OPEN)).toEqual([]);
    expect(
      faultsWith(eu, { ...bare, [carrier]: 'id-7' }, { ...STRICT, economyCarriers: ['ECO', 'id-7'] }),
    ).toEqual(['customs.iossNumber']);
  });

  test('needs the number by destination, not by origin', () => {
    expect(faultsWith(uk, { 'sender.address.country.code': 'DE' })).toEqual([]);
  });
});

test('the economy carrier needs no number as the domestic carrier', () => {
  expect(faultsWith('v2/shipments/POST/minimal', { 'carriers.domestic.id': 'ECO' })).toEqual([]);
});

describe('a document in a proposal', () => {
  const atLimit = 'v1/carriers/proposal/POST/document-at-limit';

  test('weighs at most 2.5 kg', () => {
    expect(faultsWith(atLimit, { 'packages.0.weight': 2.5 })).toEqual([]);
    for (const weight of [2.500001, 2.6, 31])
      expect(faultsWith(atLimit, { 'packages.0.weight': weight })).toEqual(['packages[0].weight']);
  });

  test('is exactly one piece', () => {
    for (const quantity of [0, 0.5, 2])
      expect(faultsWith(atLimit, { 'packages.0.quantity': quantity })).toEqual(['packages[0].quantity']);
  });

  test('has its problems reported for each package, weight and number at once', () => {
    const fat = { quantity: 2, weight: 3, dimensions: { width: 1, length: 1, height: 1 } };
    expect(faultsWith(atLimit, { 'packages.1': fat })).toEqual([
      'packages[1].quantity',
      'packages[1].weight',
    ]);
  });

  test('is recognized only by its packageType', () => {
    const heavy = { 'packages.0.weight': 31, 'packages.0.quantity': 3 };
    expect(faultsWith(atLimit, { ...heavy, packageType: 'package' })).toEqual([]);
    expect(faultsWith(atLimit, { ...heavy, packageType: undefined })).toEqual([]);
    // §8 limits proposals alone: a shipment of documents may weigh more.
    expect(faultsWith('v1/shipments/POST/document', heavy)).toEqual([]);
  });
});

describe('labels', () => {
  test('need at least one shipment', () => {
    expect(faults(OPERATIONS.createLabels, {})).toEqual(['']);
    expect(faults(OPERATIONS.createLabels, { international: undefined, domestic: undefined })).toEqual(['']);
    expect(faults(OPERATIONS.createLabels, { domestic: 'd' })).toEqual([]);
    expect(faults(OPERATIONS.createLabels, { international: '' })).toEqual(['international']);
  });
});

describe('the address of a webhook', () => {
  const urlFaults = (url: unknown, context = STRICT) =>
    faultsWith('webhooks/subscriptions/POST/minimal', { url }, context);

  test.each(['https://a.example', 'HTTPS://A.example/x?y=1#z', 'https://[::1]:8443/', 'https://127.0.0.1/'])(
    '%s is accepted',
    url => {
      expect(urlFaults(url)).toEqual([]);
    },
  );

  test.each([
    'http://a.example',
    'ftp://a.example',
    'a.example/hooks',
    '//a.example',
    'javascript:alert(1)',
    'https://',
    'https:a.example',
    'https:/a.example',
    ' https://a.example',
    'https://a.example ',
    'https://a.exa\nmple',
    'https://a b',
    'https://a.example/x y',
    '',
    '  ',
  ])('%j is refused for any address of the service', url => {
    expect(urlFaults(url)).toEqual(['url']);
    expect(urlFaults(url, OPEN)).toEqual(['url']);
  });

  test.each(['http://localhost:3000/x', 'http://127.0.0.1', 'http://127.9.9.9', 'http://[::1]:80/x'])(
    '%s is accepted only if the service is on loopback too',
    url => {
      expect(urlFaults(url)).toEqual(['url']);
      expect(urlFaults(url, OPEN)).toEqual([]);
    },
  );

  test.each([
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://127.0.0.1@a.example',
  ])('%s is not on loopback', url => {
    expect(urlFaults(url, OPEN)).toEqual(['url']);
  });
});

describe('the headers of a webhook', () => {
  const headerFaults = (headers: unknown) => faultsWith('webhooks/subscriptions/POST/minimal', { headers });

  test('must have names that begin with X-', () => {
    expect(headerFaults({ 'X-Shop': 'tshirts', 'X-a_b.c': '' })).toEqual([]);
    for (const name of ['Authorization', 'x-shop', 'XShop', ' X-Shop', 'X-Sh op', 'X-Shop:', 'X-\n', ''])
      expect(headerFaults({ [name]: 'v' })).toEqual([name === '' ? 'headers.' : `headers.${name}`]);
  });

  test('must have values of one line of text', () => {
    for (const value of ['a\nb', 'a\r\nX-Other: b', 'a\0', 1, null, ['a']])
      expect(headerFaults({ 'X-Shop': value })).toEqual(['headers.X-Shop']);
  });
});

test('no rule throws an error for any body', () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
  for (const { rules } of Object.values(OPERATIONS))
    for (const rule of rules)
      fc.assert(
        fc.property(
          fc.oneof(
            anything,
            fc.record({ packageType: fc.constant('document'), packages: anything }),
            fc.record({ url: fc.string() }),
            fc.record({ receiver: anything, customs: anything, carrier: anything }),
          ),
          fc.boolean(),
          (body, serviceOnLoopback) => {
            expect(Array.isArray(rule.check(body, { ...STRICT, serviceOnLoopback }))).toBe(true);
          },
        ),
      );
});

test('every rule has a description', () => {
  for (const { rules } of Object.values(OPERATIONS))
    for (const { description } of rules) expect(description).toMatch(/^\S.*\.$/);
});
