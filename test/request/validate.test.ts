import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/contract/fields.ts';
import { parsePath, setAt } from '../../src/contract/paths.ts';
import { missingIn } from '../../src/request/validate.ts';
import { bodyOf, issuesOf, schemaOf, WITH_BODY } from '../contract/rig.ts';

const REQUIRED = WITH_BODY.flatMap(({ id }) =>
  fieldsOf(schemaOf(id))
    .filter(field => field.required && !field.pattern.endsWith('[]'))
    .map(({ pattern, kind }) => ({ id, kind, path: pattern.replaceAll('[]', '[0]') }))
    .filter(({ path }) => !/^(invoice|retryPolicy)\./.test(path)),
);

test.each(REQUIRED)('$id: $path is required', async ({ id, kind, path }) => {
  // A missing object is reported as its required fields, except those that are filled in.
  const inside = ({ path: other, kind: of }: (typeof REQUIRED)[number]) =>
    of !== 'object' && other.startsWith(`${path}.`) && !/\[|\.unit$/.test(other.slice(path.length));
  const paths = REQUIRED.filter(
    field => field.id === id && (kind === 'object' ? inside(field) : field.path === path),
  );
  expect(paths.length).toBeGreaterThan(0);
  expect(await issuesOf(id, bodyOf(id, { [path]: undefined }))).toEqual(
    paths.map(field => ({ path: field.path, message: expect.stringMatching(/^is required(: .* or .*)?$/) })),
  );
});

test('the message for a missing field names its flag', async () => {
  const flagFor = (path: string) => (path === 'receiver' ? '--receiver' : undefined);
  const given = bodyOf('createShipment', { receiver: undefined, type: undefined });
  expect(await issuesOf('createShipment', given, { flagFor })).toEqual([
    { path: 'type', message: 'is required: package or document' },
    { path: 'receiver', message: 'is required (--receiver)' },
  ]);
});

test('a field is missing if it has no value or a blank one, not if it is wrong', async () => {
  const given = bodyOf('createShipment', {
    type: 'pakage',
    category: undefined,
    packages: undefined,
    'receiver.email': ' ',
    'customs.totalGoodsValue': -1,
    'items[0].quantity': null,
  });
  const told = await issuesOf('createShipment', given);
  expect(missingIn(told, given).map(issue => issue.path)).toEqual(['category', 'packages', 'receiver.email']);
  expect(missingIn(await issuesOf('createLabels', {}), {})).toHaveLength(1);
});

test('a missing object without a flag is reported as its required fields', async () => {
  const flags: Record<string, string> = { sender: '--sender', 'customs.currency': '--currency' };
  const given = bodyOf('createShipment', {
    sender: undefined,
    customs: undefined,
    'receiver.phone': undefined,
  });
  expect(await issuesOf('createShipment', given, { flagFor: path => flags[path] })).toEqual([
    { path: 'customs.totalGoodsValue', message: 'is required' },
    { path: 'customs.currency', message: 'is required (--currency)' },
    { path: 'sender', message: 'is required (--sender)' },
    { path: 'receiver.phone.code', message: 'is required' },
    { path: 'receiver.phone.number', message: 'is required' },
  ]);
});

test('a field that a rule requires is reported with its flag, a wrong value without', async () => {
  const flagFor = (path: string) => (path === '' ? '--one or --other' : `--set ${path}=VALUE`);
  const path = 'receiver.address.nationalShortAddress';
  const given = bodyOf('createShipment', { 'receiver.address.country.code': 'SA', [path]: undefined });
  expect(await issuesOf('createShipment', given, { flagFor })).toEqual([
    { path, message: `is required for a receiver in Saudi Arabia (--set ${path}=VALUE)` },
  ]);
  const [wrong] = await issuesOf('createSubscription', bodyOf('createSubscription', { url: 'ftp://a' }), {
    flagFor,
  });
  expect(wrong?.message).not.toContain('--set');
  expect((await issuesOf('createLabels', {}, { flagFor }))[0]?.message).toMatch(/ \(--one or --other\)$/);
});

test('all problems are reported at once, each with its path, the given value and the allowed values', async () => {
  const given = bodyOf('createShipment', {
    type: 'pakage',
    category: 'micro-export',
    deliveryType: 'dap',
    reciever: 1,
    'items[0].hsCode': 610910,
    'items[0].quantity': '2',
    'packages[0].weight': -1,
    'packages[0].dimensions.width': '1,5',
    'customs.currency': ' ',
    'customs.iossNumber': 5,
    'sender.address.country.code': 'UK',
    'receiver.address.country.code': 'Germany',
    'receiver.adress': {},
    'carrier.id': null,
  });
  const told = await issuesOf('createShipment', given);
  const allowed = 'gift, sample, micro export, sales, document';
  expect(new Map(told.map(({ path, message, suggestion }) => [path, [message, suggestion]]))).toEqual(
    new Map([
      ['type', ['must be one of package, document, not "pakage"', 'package']],
      ['category', [`must be one of ${allowed}, not "micro-export"`, 'micro export']],
      ['deliveryType', ['must be one of DAP, DDP, not "dap"', 'DAP']],
      ['reciever', [expect.stringContaining('is not a field of the service document'), 'receiver']],
      ['items[0].hsCode', ['must be text, not 610910', undefined]],
      ['items[0].quantity', ['must be a number, not "2"', undefined]],
      ['packages[0].weight', ['must not be negative, not -1', undefined]],
      [
        'packages[0].dimensions.width',
        ['must be a number with a dot for its decimals, not "1,5"', undefined],
      ],
      ['customs.currency', ['must not be empty', undefined]],
      ['customs.iossNumber', ['must be text, not 5', undefined]],
      ['sender.address.country.code', ['must be an ISO country code such as DE, not "UK"', 'GB']],
      [
        'receiver.address.country.code',
        ['must be an ISO country code such as DE, not "Germany"; the code of Germany is DE', 'DE'],
      ],
      ['receiver.adress', [expect.stringContaining('--allow-unknown'), 'address']],
      ['carrier.id', ['must be text, not null', undefined]],
    ]),
  );
});

test.each([
  ['packages', [], 'needs at least one entry'],
  ['packages', {}, 'must be a list, not {}'],
  ['items[0]', 'T-shirt', 'must be an object, not "T-shirt"'],
  ['customs', [], 'must be an object, not []'],
  ['chargeableWeight', true, 'must be a number, not true'],
  ['receiver', null, 'must be an object, not null'],
])('%s of %j %s', async (path, value, message) => {
  expect(await issuesOf('createShipment', bodyOf('createShipment', { [path]: value }))).toEqual([
    { path, message },
  ]);
});

test.each([Number.POSITIVE_INFINITY, Number.NaN])('a weight of %d must be finite', async weight => {
  const given = setAt(bodyOf('createShipment'), ['chargeableWeight'], weight);
  expect(await issuesOf('createShipment', given)).toEqual([
    { path: 'chargeableWeight', message: `must be a finite number, not ${weight}` },
  ]);
});

test('a hole in a list is reported as a missing element', async () => {
  const given = setAt(bodyOf('createShipment'), ['packages', 1, 'weight'], 1);
  const paths = (await issuesOf('createShipment', given)).map(issue => issue.path);
  expect(paths).toEqual([
    'packages[1].quantity',
    ...['width', 'length', 'height'].map(side => `packages[1].dimensions.${side}`),
  ]);
  const holes = setAt(bodyOf('createShipment', { items: [] }), ['items', 1], {});
  expect((await issuesOf('createShipment', holes))[0]).toEqual({ path: 'items[0]', message: 'is required' });
});

test('--allow-unknown accepts unknown fields and nothing else', async () => {
  const given = bodyOf('createShipment', { insurance: { amount: 5 }, 'receiver.note': 'x', type: 'pakage' });
  const told = await issuesOf('createShipment', given, { allowUnknown: true });
  expect(told.map(issue => issue.path)).toEqual(['type']);
});

test.each(['__proto__', 'constructor', 'toString'])('a field named %s is unknown too', async name => {
  const given = JSON.parse(
    JSON.stringify(bodyOf('createShipment')).replace(/^\{/, `{"${name}":{"type":"x"},`),
  );
  expect(await issuesOf('createShipment', given)).toMatchObject([{ path: name }]);
});

test('a receiver in Saudi Arabia needs a national short address, others do not', async () => {
  const path = 'receiver.address.nationalShortAddress';
  const to = (code: string, short?: string) =>
    issuesOf(
      'createShipment',
      bodyOf('createShipment', { 'receiver.address.country.code': code, [path]: short }),
    );
  expect(await to('SA')).toEqual([{ path, message: 'is required for a receiver in Saudi Arabia' }]);
  expect(await to('SA', ' ')).toHaveLength(1);
  expect(await to('SA', 'RRRD2929')).toEqual([]);
  expect(await to('AE')).toEqual([]);
});

test.each(['createShipment', 'createDualShipment'] as const)(
  '%s: the economy carrier needs an IOSS number to the EU and a marketplace number to the UK',
  async id => {
    const carrier = id === 'createShipment' ? 'carrier.id' : 'carriers.international.id';
    const to = (code: string, changes: Record<string, unknown> = {}) =>
      issuesOf(id, bodyOf(id, { [carrier]: 'ECO', 'receiver.address.country.code': code, ...changes }), {
        rules: { economyCarriers: ['ECO'] },
      });
    expect((await to('DE')).map(issue => issue.path)).toEqual(['customs.iossNumber']);
    expect((await to('GB')).map(issue => issue.path)).toEqual(['customs.marketplaceNumber']);
    expect(await to('US')).toEqual([]);
    expect(await to('DE', { 'customs.iossNumber': 'IM0123456789' })).toEqual([]);
    expect(await to('GB', { 'customs.marketplaceNumber': 'M1' })).toEqual([]);
    expect(await to('DE', { [carrier]: 'EXP' })).toEqual([]);
    expect(await to('DE', { 'customs.iossNumber': 5 })).toEqual([
      { path: 'customs.iossNumber', message: 'must be text, not 5' },
    ]);
  },
);

test('documents of a proposal weigh at most 2.5 kg and are one piece each', async () => {
  const quote = (quantity: number, weight: number, packageType = 'document') =>
    issuesOf(
      'proposal',
      bodyOf('proposal', { packageType, 'packages[0].quantity': quantity, 'packages[0].weight': weight }),
    );
  expect(await quote(1, 2.5)).toEqual([]);
  expect(await quote(2, 2.51, 'package')).toEqual([]);
  expect(await quote(2, 2.51)).toEqual([
    { path: 'packages[0].quantity', message: 'must be exactly 1 for a document, not 2' },
    { path: 'packages[0].weight', message: 'must be at most 2.5 kg for a document, not 2.51' },
  ]);
});

test('labels need at least one id', async () => {
  expect(await issuesOf('createLabels', {})).toHaveLength(1);
  expect(await issuesOf('createLabels', { domestic: 'D1' })).toEqual([]);
});

test('a subscription has an https address, known events, X- headers and the policy of the document', async () => {
  const given = bodyOf('createSubscription', {
    url: 'http://127.0.0.1:9/hook',
    events: ['shipment.status.update'],
    headers: { Authorization: 'x', 'X-Two-Lines': 'a\nb', 'X-Number': 1, 'X-Good': 'y' },
    retryPolicy: { maxRetries: -1, maxDelay: 5 },
  });
  const told = await issuesOf('createSubscription', given);
  expect(told.map(issue => issue.path).sort()).toEqual([
    'events[0]',
    'headers.Authorization',
    'headers.X-Number',
    'headers.X-Two-Lines',
    'retryPolicy.maxDelay',
    'retryPolicy.maxRetries',
    'url',
  ]);
  expect(told.find(issue => issue.path === 'events[0]')?.suggestion).toBe('shipment.status.updated');
  expect(told.find(issue => issue.path === 'retryPolicy.maxDelay')?.suggestion).toBe('maxDelayMs');
  const local = { rules: { serviceOnLoopback: true } };
  expect(
    await issuesOf('createSubscription', bodyOf('createSubscription', { url: 'http://[::1]/' }), local),
  ).toEqual([]);
});

test('a body of any shape gives issues and never a crash, and no two issues are the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WITH_BODY), fc.jsonValue(), async ({ id }, given) => {
      const told = await issuesOf(id, given);
      expect(told.length).toBeGreaterThan(0);
      expect(new Set(told.map(issue => JSON.stringify(issue))).size).toBe(told.length);
    }),
  );
});

test('any field with a value of another type is reported with its path and the given value', async () => {
  const leaf = WITH_BODY.flatMap(({ id }) =>
    fieldsOf(schemaOf(id))
      .filter(field => field.required && (field.kind === 'text' || field.kind === 'number'))
      .map(field => ({ id, field, path: field.pattern.replaceAll('[]', '[0]') })),
  ).filter(({ path }) => !path.startsWith('invoice.'));
  const wrong = fc.oneof(
    fc.boolean(),
    fc.constant(null),
    fc.object({ maxKeys: 1 }),
    fc.array(fc.nat(), { maxLength: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...leaf), wrong, async ({ id, field, path }, value) => {
      const given = setAt(bodyOf(id), parsePath(path) ?? [], value);
      const kind = field.kind === 'text' ? 'text' : 'a number';
      expect(await issuesOf(id, given)).toEqual([
        {
          path,
          message: expect.stringContaining(`must be ${kind}, not ${JSON.stringify(value).slice(0, 60)}`),
        },
      ]);
    }),
  );
});
