// How a request is built: the profile's defaults, a file, flags, --set, an earlier order; and how it is shown.
import { expect, onTestFinished } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig, type Rig, type RigOptions } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { bodyOf, cannedService, DUAL, fixture, SHIPMENT, UNDECIDED } from '../rig/service.ts';
import { doubtful } from '../rig/settling.ts';
import { event } from '../rig/sockets.ts';
import { ASKED, BOOKED, FILES, orderWith, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const LABELLED = [...BOOKED, 'POST /v2/carriers/create'];
const person = (more: Record<string, unknown>) => changed(SHIPMENT.sender, more);

/** A profile with these settings, and the order without some fields as `order.json`. */
const shop =
  (settings: Record<string, unknown>, without: string[] = [], more: RigOptions['files'] = {}) =>
  async () => {
    const rig = await shopRig(settings);
    const less = changed(SHIPMENT, Object.fromEntries(without.map(path => [path, undefined])));
    for (const [name, content] of Object.entries({ ...FILES, 'order.json': less, ...more }))
      rig.file(name, content);
    return rig;
  };

const DRY = 'ship order.json --dry-run';
const WITHIN_GB = {
  'order.json': changed(SHIPMENT, {
    'receiver.address.country.code': 'GB',
    'receiver.address.zipCode': 'SW1A 1AA',
    'customs.currency': 'GBP',
  }),
};

promises('Defaults of a profile', [
  ...each(
    { says: 'a field comes from the profile', run: DRY },
    [
      ['currency', 'USD', 'customs.currency'],
      ['type', 'document', 'type'],
      ['category', 'gift', 'category'],
      ['deliveryType', 'DDP', 'deliveryType'],
      ['sender', SHIPMENT.sender, 'sender'],
      ['receiver', SHIPMENT.receiver, 'receiver'],
      ['invoice', person({ firstName: 'Bill' }), 'invoice'],
      ['iossNumber', 'IM0123456789', 'customs.iossNumber'],
    ].map(([setting, value, path]) => ({
      rig: shop({ [`${setting}`]: value }, [`${path}`]),
      json: { body: changed({}, { [`${path}`]: value }) },
    })),
  ),
  {
    says: 'so does the number for Great Britain',
    rig: shop({ marketplaceNumber: 'GB123' }, [], WITHIN_GB),
    run: DRY,
    json: { body: { customs: { marketplaceNumber: 'GB123' } } },
  },
  ...each({ says: 'an option comes from the profile' }, [
    {
      run: 'ship open.json --dry-run',
      rig: shop({ carrier: 'EXP' }),
      json: { body: { carrier: { id: 'EXP' } }, unresolved: ['chargeableWeight'] },
    },
    { run: 'ship open.json --carrier fastest', rig: shop({ maxPrice: '1EUR' }), exit: 4, sent: [ASKED] },
    { run: 'ship open.json --carrier EXP', rig: shop({ maxDays: '2' }), exit: 4, sent: [ASKED] },
    { run: 'ship order.json', rig: shop({ label: true }), sent: LABELLED },
    { run: 'ship-dual pair.json --dry-run', rig: shop({ label: true }), json: { body: { label: true } } },
  ]),
  ...each({ says: 'a --no-… beats it' }, [
    {
      run: 'ship open.json --no-carrier',
      rig: shop({ carrier: 'EXP' }),
      exit: 2,
      stderr: 'carrier',
      sent: [],
    },
    {
      run: 'ship open.json --carrier fastest --no-max-price',
      rig: shop({ maxPrice: '1EUR' }),
      sent: [ASKED, ...BOOKED],
    },
    {
      run: 'ship open.json --carrier EXP --no-max-days',
      rig: shop({ maxDays: '2' }),
      sent: [ASKED, ...BOOKED],
    },
    { run: 'ship order.json --no-label', rig: shop({ label: true }), sent: BOOKED },
  ]),
  {
    says: 'whoami shows them',
    rig: shop({
      currency: 'USD',
      carrier: 'cheapest',
      maxPrice: '60EUR',
      maxDays: '5',
      label: true,
      sender: SHIPMENT.sender,
    }),
    run: 'profile whoami --json',
    json: {
      defaults: {
        ...{ currency: 'USD', carrier: 'cheapest', maxPrice: '60EUR', maxDays: '5', label: true },
        sender: SHIPMENT.sender,
      },
    },
  },
  {
    says: 'those that it gives are told in one note',
    rig: shop({ carrier: 'cheapest', maxPrice: '900EUR', maxDays: '99', label: true }),
    run: 'ship open.json --key A-1',
    stderr: 'the profile shop gives --carrier cheapest --max-price 900EUR --max-days 99 --label;',
  },
  ...each({ says: 'a carrier of the order or of a flag beats it, and is no default', lacks: 'the profile' }, [
    { run: DRY, rig: shop({ carrier: 'cheapest' }), json: { body: { carrier: { id: 'EXP' } } } },
    {
      run: 'ship open.json --set carrier.id=DHL --dry-run',
      rig: shop({ carrier: 'cheapest' }),
      json: { body: { carrier: { id: 'DHL' } } },
    },
  ]),
  {
    says: '--no-label beats it for a pair, too',
    rig: shop({ label: true }),
    run: 'ship-dual pair.json --no-label --dry-run',
    lacks: '"label"',
  },
]);

promises('A file', [
  ...each(
    {
      says: 'it is the request in the shape of the service',
      rig: { files: FILES },
      sent: BOOKED,
      body: SHIPMENT,
    },
    [
      'ship -f order.json',
      'ship --file order.json',
      'ship order.json',
      { run: 'ship -f -', stdin: JSON.stringify(SHIPMENT) },
      { run: 'ship -', stdin: JSON.stringify(SHIPMENT) },
    ],
  ),
  ...each(
    {
      says: 'so of every command that builds one',
      rig: {
        files: {
          'parcel.json': fixture('v1/carriers/proposal/POST/minimal.request.json'),
          'rated.json': fixture('api/v1/shipping/rates/POST/minimal.request.json'),
          'hook.json': { url: 'https://shop.example.com/hook', events: ['shipment.status.updated'] },
          'pair.json': DUAL,
        },
      },
    },
    [
      { run: 'quote parcel.json', sent: [ASKED] },
      { run: 'rates rated.json', sent: ['POST /api/v1/shipping/rates'] },
      { run: 'ship-dual pair.json', sent: ['POST /v2/shipments'] },
      { run: 'webhook create hook.json', sent: ['POST /webhooks/subscriptions'] },
    ],
  ),
  {
    says: 'it may be a plan',
    rig: { files: FILES },
    after: ['ship open.json --carrier EXP --key A-1 --plan plan.json'],
    run: 'ship plan.json',
    body: { ...UNDECIDED, carrier: { id: 'EXP' } },
  },
]);

promises('The stronger layer wins', [
  {
    says: 'a file beats the profile',
    rig: shop({ category: 'gift' }),
    run: DRY,
    json: { body: { category: 'sales' } },
  },
  ...each({ rig: { files: FILES } }, [
    { says: 'a flag beats the file', run: `${DRY} --category gift`, json: { body: { category: 'gift' } } },
    {
      says: '--set beats the flag',
      run: `${DRY} --category gift --set category=sample`,
      json: { body: { category: 'sample' } },
    },
  ]),
  ...each({ says: 'a party is replaced whole', lacks: 'Saved Ltd' }, [
    { run: DRY, rig: shop({ sender: person({ companyName: 'Saved Ltd' }) }) },
    {
      run: `${DRY} --sender me.json`,
      rig: shop({ sender: person({ companyName: 'Saved Ltd' }) }, ['sender']),
    },
    {
      run: `${DRY} --receiver you.json`,
      rig: shop({}, [], { 'order.json': changed(SHIPMENT, { 'receiver.companyName': 'Saved Ltd' }) }),
    },
  ]),
  {
    says: 'packages are replaced whole',
    rig: orderWith({ 'packages[1]': (SHIPMENT.packages as unknown[])[0] }),
    run: `${DRY} --package 2x1kg@30x20x10cm`,
    json: { body: { packages: [{ quantity: 2, weight: 1 }] } },
  },
  {
    says: 'items are replaced whole',
    rig: orderWith({ 'items[1]': (SHIPMENT.items as unknown[])[0] }),
    run: `${DRY} --item description=Tea,hsCode=090210,countryOfOrigin=TR,quantity=1,unitPrice=5`,
    json: { body: { items: [{ description: 'Tea' }] } },
  },
  {
    says: '--set alone reaches inside, and the rest stays',
    rig: shop({ sender: person({ companyName: 'Saved Ltd' }) }, ['sender']),
    run: `${DRY} --set sender.firstName=Eva --set packages[0].weight=7`,
    json: {
      body: {
        sender: { firstName: 'Eva', companyName: 'Saved Ltd' },
        packages: [{ quantity: 1, weight: 7 }],
      },
    },
  },
  {
    says: 'null and an empty text are stronger, too',
    rig: shop({ category: 'sales', currency: 'EUR' }, [], {
      'order.json': changed(SHIPMENT, { category: null, 'customs.currency': '' }),
    }),
    run: 'ship order.json --json',
    exit: 2,
    error: { issues: [{ path: 'category' }, { path: 'customs.currency' }] },
    sent: [],
  },
]);

promises('--set', [
  ...each({ says: 'the value has the type of its field', rig: { files: FILES } }, [
    {
      run: `${DRY} --set receiver.address.zipCode=00123`,
      json: { body: { receiver: { address: { zipCode: '00123' } } } },
    },
    {
      run: `${DRY} --set receiver.address.city=Bonn`,
      json: { body: { receiver: { address: { city: 'Bonn' } } } },
    },
    { run: `${DRY} --set 'items[0].hsCode=610910'`, json: { body: { items: [{ hsCode: '610910' }] } } },
    { run: `${DRY} --set items[0].quantity=3`, json: { body: { items: [{ quantity: 3 }] } } },
    { run: `${DRY} --set packages[0].weight=.5`, json: { body: { packages: [{ weight: 0.5 }] } } },
    { run: `${DRY} --set carrier.id=true`, json: { body: { carrier: { id: 'true' } } } },
    { run: 'ship-dual pair.json --dry-run --set label=true', json: { body: { label: true } } },
    {
      run: [
        'ship',
        'order.json',
        '--dry-run',
        '--set',
        'receiver.phone={"code":"+49","number":"3011122233"}',
      ],
      json: { body: { receiver: { phone: { code: '+49', number: '3011122233' } } } },
    },
  ]),
  {
    says: 'it is repeatable',
    rig: { files: FILES },
    run: `${DRY} --set receiver.firstName=Eva --set receiver.lastName=Weber`,
    json: { body: { receiver: { firstName: 'Eva', lastName: 'Weber', email: 'anna.beispiel@example.com' } } },
  },
  ...each({ says: 'any other form is refused', rig: { files: FILES }, exit: 2, sent: [] }, [
    'ship order.json --set receiver.firstName',
    'ship order.json --set =Eva',
    'ship order.json --set items[0.hsCode=1',
    'ship order.json --set items[0].quantity=many',
  ]),
  ...each(
    {
      says: 'it keeps the rest of a party of the profile',
      json: { body: { receiver: changed(SHIPMENT.receiver, { 'address.city': 'Bonn' }) } },
    },
    [
      {
        run: `${DRY} --set receiver.address.city=Bonn`,
        rig: shop({ receiver: SHIPMENT.receiver }, ['receiver']),
      },
      {
        run: `${DRY} --receiver @anna --set receiver.address.city=Bonn`,
        rig: shop({ parties: { anna: SHIPMENT.receiver } }, ['receiver']),
      },
    ],
  ),
]);

promises('What may be left out', [
  {
    says: 'without delivery terms it is DAP',
    rig: orderWith({ deliveryType: undefined }),
    run: 'ship order.json',
    body: { deliveryType: 'DAP' },
  },
  {
    says: 'totals of items and of goods are what pieces and prices make, in decimals',
    rig: orderWith({
      ...{ 'items[0].quantity': 3, 'items[0].unitPrice': 0.1, 'items[0].totalPrice': undefined },
      'customs.totalGoodsValue': undefined,
    }),
    run: DRY,
    json: { body: { items: [{ totalPrice: 0.3 }], customs: { totalGoodsValue: 0.3 } } },
  },
  {
    says: 'without a unit it is cm',
    rig: orderWith({ 'packages[0].dimensions.unit': undefined }),
    run: 'ship order.json',
    body: { packages: [{ dimensions: { unit: 'cm' } }] },
  },
  ...each({ says: 'an operation without a unit gets none', lacks: /unit|deliveryType/ }, [
    `quote ${PARCEL} --dry-run`,
    `rates ${PARCEL} --dry-run`,
  ]),
  {
    says: 'what only a pair has is left out of a saved party, with a note',
    rig: shop({ sender: person({ 'address.district': 'Kadikoy' }) }, ['sender']),
    run: DRY,
    stderr: 'sender.address.district',
    lacks: 'Kadikoy',
  },
  {
    says: 'and a pair has it',
    rig: shop({ sender: person({ 'address.district': 'Kadikoy' }) }, [], {
      'pair.json': changed(DUAL, { sender: undefined }),
    }),
    run: 'ship-dual pair.json --dry-run',
    json: { body: { sender: { address: { district: 'Kadikoy' } } } },
  },
]);

const LIKE = 'ship --like A-1 --key A-2';
const BEFORE = ['ship order.json --key A-1'];

/** An order A-1 that a service never answers: another process is sending it. */
async function pending(): Promise<Rig> {
  const { env, received } = await cannedService({});
  const rig = await createRig({ env, files: FILES });
  const [patience, end] = event();
  const first = rig.run('ship order.json --key A-1', { patience });
  onTestFinished(async () => {
    end();
    await first;
  });
  await received(1);
  return rig;
}

/** An order A-1 whose outcome is unknown. */
async function unknown(): Promise<Rig> {
  const rig = await doubtful({ files: FILES });
  await rig.failing('ship order.json --key A-1');
  await rig.failing('label --international S-1');
  return rig;
}

/** The service does not take it. */
const REJECTED = { line: 'ship order.json --key A-1 --carrier NONE --chargeable-weight 1', exit: 5 };

promises('--like', [
  {
    says: 'it begins with an earlier order, whose weight is asked for again',
    rig: { files: FILES },
    after: BEFORE,
    run: LIKE,
    sent: [ASKED, ...BOOKED],
    body: { ...UNDECIDED, carrier: { id: 'EXP' }, chargeableWeight: 5 },
  },
  {
    says: 'a pair may begin with a pair',
    rig: { files: FILES },
    after: ['ship-dual pair.json --key A-1'],
    run: 'ship-dual --like A-1 --key A-2',
    sent: ['POST /v2/shipments'],
  },
  ...each({ rig: { files: FILES }, after: BEFORE }, [
    { says: 'it needs a key', run: 'ship --like A-1', exit: 2, stderr: '--key', sent: [] },
    {
      says: 'totals of items and of goods are summed again',
      run: `${LIKE} --set items[0].quantity=3`,
      body: { items: [{ quantity: 3, totalPrice: 37.5 }], customs: { totalGoodsValue: 37.5 } },
    },
    {
      says: 'a flag of one field of a party changes that field',
      run: `${LIKE} --set receiver.firstName=Eva`,
      body: { receiver: { ...(SHIPMENT.receiver as object), firstName: 'Eva' } },
    },
  ]),
  {
    says: 'it takes the place of the profile’s defaults',
    rig: shop({}),
    after: [...BEFORE, 'profile set shop invoice=me.json'],
    run: LIKE,
    also: ran => expect(bodyOf(ran)).not.toHaveProperty('invoice'),
  },
  ...each({ rig: { files: FILES } }, [
    {
      says: 'it says which order stays booked, and how it is cancelled',
      after: BEFORE,
      run: LIKE,
      stderr: /^starts from "A-1" \(bk_\w+\) of .*stays booked.*`waybill history cancelled bk_\w+/,
    },
    ...each({ says: 'one that was cancelled or rejected is said to be that', lacks: 'stays booked' }, [
      { after: [...BEFORE, 'history cancelled A-1 --reason asked'], run: LIKE, stderr: '(cancelled)' },
      { after: [REJECTED], run: `${LIKE} --carrier EXP`, stderr: '(rejected)' },
    ]),
  ]),
  ...each({ after: BEFORE }, [
    {
      says: 'file, flags and --set are stronger',
      rig: { files: { ...FILES, 'more.json': { category: 'gift', deliveryType: 'DDP' } } },
      run: `${LIKE} -f more.json --delivery-type DAP --carrier fastest --set receiver.address.city=Bonn --dry-run`,
      json: {
        body: { category: 'gift', deliveryType: 'DAP', receiver: { address: { city: 'Bonn' } } },
        unresolved: ['carrier.id', 'chargeableWeight'],
      },
    },
    ...each({ says: 'a total that was another one stays', run: `${LIKE} --set items[0].quantity=3` }, [
      { rig: orderWith({ 'items[0].totalPrice': 99 }), body: { items: [{ totalPrice: 99 }] } },
      { rig: orderWith({ 'customs.totalGoodsValue': 200 }), body: { customs: { totalGoodsValue: 200 } } },
    ]),
    {
      says: 'a flag gives it what the profile does not',
      rig: shop({}),
      run: `${LIKE} --invoice me.json`,
      also: ran => expect(bodyOf(ran)).toHaveProperty('invoice'),
    },
  ]),
  ...each({ rig: { files: FILES }, sent: [] }, [
    { says: 'again it shows the recorded answer', after: [...BEFORE, LIKE], run: LIKE },
    ...each({ says: 'it is refused before anything is sent', after: BEFORE }, [
      { run: 'ship --like A-1 --dry-run', exit: 2, stderr: '--key' },
      { run: 'ship --like A-9 --key A-2', exit: 4, stderr: '`waybill history list`' },
      { run: 'ship --like A-1 --key A-1', exit: 2, stderr: 'is the key of that order itself' },
      { after: [...BEFORE, LIKE], run: `${LIKE} --category gift`, exit: 2, stderr: 'other input' },
      { run: 'ship-dual --like A-1 --key A-2', exit: 2, stderr: '`waybill ship`' },
      { after: ['ship-dual pair.json --key A-1'], run: LIKE, exit: 2, stderr: '`waybill ship-dual`' },
      { rig: pending, after: [], run: LIKE, exit: 2, stderr: 'is being sent at this moment' },
      {
        after: [...BEFORE, { later: 1000 }, 'history prune --older-than 0d --yes'],
        run: LIKE,
        exit: 2,
        stderr: 'because it was pruned',
      },
      { rig: unknown, after: [], run: `${LIKE} --strict`, exit: 2, stderr: 'may exist' },
    ]),
  ]),
  {
    says: 'one whose outcome is unknown is a start, with a warning that this is another one',
    rig: unknown,
    run: LIKE,
    stderr: /^warning: "A-1" \(bk_\w+\) of .*may exist.*books another one/m,
    sent: [ASKED, ...BOOKED],
  },
  ...each({ says: 'the same key is free again', rig: { files: FILES } }, [
    { after: [REJECTED], run: 'ship --like A-1 --key A-1 --carrier EXP' },
    {
      after: ['ship order.json --key A-1 --sandbox'],
      run: 'ship --like A-1 --key A-1',
      stderr: '/sandbox of 2 Mar 2026',
    },
  ]),
]);

const NEW = { state: 'new', booking: null };
const url = (path: string) => expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:\\d+${path}$`));

const BOOKED_ID = { booking: expect.stringMatching(/^bk_/) };

promises('--dry-run', [
  ...each(
    {
      says: 'it shows the request, sends nothing and shows no credential',
      rig: { files: FILES },
      sent: [],
      lacks: 'authorization',
    },
    [
      {
        run: 'ship order.json --dry-run',
        json: { method: 'POST', url: url('/v1/shipments'), body: SHIPMENT, unresolved: [], journal: NEW },
      },
      {
        run: 'ship-dual pair.json --dry-run',
        json: { method: 'POST', url: url('/v2/shipments'), unresolved: [], journal: NEW },
      },
      {
        run: 'label --international S-1 --dry-run',
        json: {
          method: 'POST',
          url: url('/v2/carriers/create'),
          body: { international: 'S-1' },
          journal: NEW,
        },
      },
      {
        run: `quote ${PARCEL} --dry-run`,
        json: {
          method: 'POST',
          url: url('/v1/carriers/proposal'),
          body: { originCountry: 'TR' },
          unresolved: [],
        },
      },
      {
        run: `rates ${PARCEL} --dry-run`,
        json: {
          method: 'POST',
          url: url('/api/v1/shipping/rates'),
          body: { data: { countryFrom: 'TR' } },
          unresolved: [],
        },
      },
    ],
  ),
  {
    says: 'unresolved is what a proposal would have to tell',
    rig: { files: FILES },
    run: 'ship open.json --carrier cheapest --dry-run',
    json: { unresolved: ['carrier.id', 'chargeableWeight'] },
  },
  { says: 'it validates', rig: orderWith({ type: 'letter' }), run: DRY, exit: 2, stderr: 'type', sent: [] },
  ...each(
    { says: 'it tells what is known of the key, and refuses what the journal would refuse', sent: [] },
    [
      { run: `${DRY} --key A-1`, rig: { files: FILES }, json: { journal: NEW } },
      {
        run: `${DRY} --key A-1`,
        rig: { files: FILES },
        after: BEFORE,
        json: { journal: { state: 'booked', ...BOOKED_ID } },
        stderr: 'it is booked already: without --dry-run its recorded answer is shown',
      },
      {
        run: `${DRY} --key A-1 --category gift`,
        rig: { files: FILES },
        after: BEFORE,
        exit: 2,
        json: { body: { category: 'gift' }, journal: { state: 'duplicate', ...BOOKED_ID } },
      },
      {
        run: DRY,
        rig: { files: FILES },
        after: ['ship order.json'],
        exit: 2,
        json: { journal: { state: 'duplicate', ...BOOKED_ID } },
      },
      { run: `${DRY} --key A-1`, rig: pending, json: { journal: { state: 'pending', ...BOOKED_ID } } },
      {
        run: `${DRY} --key A-1`,
        rig: unknown,
        exit: 8,
        json: { journal: { state: 'unknown', ...BOOKED_ID } },
      },
      {
        run: 'label --international S-1 --dry-run',
        rig: unknown,
        exit: 8,
        json: { journal: { state: 'unknown', ...BOOKED_ID } },
      },
      {
        run: 'label A-1 --dry-run',
        rig: { files: FILES },
        after: ['ship order.json --key A-1 --label'],
        json: { journal: { state: 'booked', ...BOOKED_ID } },
      },
    ],
  ),
  ...each({ rig: { files: FILES } }, [
    ...each({ says: 'it tells what is known of an order under another key', after: BEFORE }, [
      {
        run: `${DRY} --key A-2`,
        json: { journal: NEW },
        stderr:
          /^warning: .* with the key "A-1" \(bk_\w+, created\)\. This would be a second parcel; to repeat the first one, use its key\./m,
      },
      { run: `${DRY} --key A-2 --strict`, exit: 2, json: { journal: { state: 'duplicate', ...BOOKED_ID } } },
      { run: `${DRY} --allow-duplicate`, json: { journal: NEW } },
      { run: `${DRY} --key 1.23457E+17`, exit: 2, json: { journal: NEW } },
    ]),
    { says: 'it makes no journal', run: `${DRY} --key A-1`, files: { 'state/journal.db': null } },
  ]),
  {
    says: 'it makes no folder for labels',
    run: 'label --international S-1 --dry-run --download labels',
    files: { labels: null },
  },
]);
