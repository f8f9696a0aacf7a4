// The flags that a command has for itself: prices, and what gives the fields of an order.
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig } from '../rig/command.ts';
import { proposing, SHIPMENT } from '../rig/service.ts';
import { ASKED, BOOKED, FILES, orderWith, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const ROUTE = '--from TR --to DE';
const SIDES = '--weight 1.5 --length 30 --width 20 --height 10';
const PACKAGE = { quantity: 1, weight: 1.5, dimensions: { length: 30, width: 20, height: 10 } };
const RATED = { piece: 1, pieceWeight: 1.5, lengthCm: 30, width: 20, height: 10 };

promises('quote and rates', [
  ...each({ says: 'a flag of quote is a field of the request' }, [
    { run: `quote ${PARCEL}`, body: { originCountry: 'TR', destinationCountry: 'DE' } },
    { run: `quote ${PARCEL} --postal-code 10115`, body: { postalCode: '10115' } },
    { run: `quote ${ROUTE} --package 1.5kg@30x20x10cm`, body: { packages: [PACKAGE] } },
    {
      run: `quote ${ROUTE} --package 1.5kg@30x20x10cm --package 2x1kg@10x10x10cm`,
      body: { packages: [PACKAGE, { quantity: 2, weight: 1 }] },
    },
    { run: `quote ${ROUTE} ${SIDES}`, body: { packages: [PACKAGE] } },
    { run: `quote ${ROUTE} ${SIDES} --quantity 3`, body: { packages: [{ ...PACKAGE, quantity: 3 }] } },
    { run: `quote ${PARCEL} --type package`, body: { packageType: 'package' } },
    { run: `quote ${PARCEL} --type document`, body: { packageType: 'document' } },
  ]),
  ...each({ says: 'a flag of rates is a field of the request' }, [
    { run: `rates ${PARCEL}`, body: { data: { countryFrom: 'TR', countryTo: 'DE' } } },
    { run: `rates ${PARCEL} --postal-code 10115`, body: { data: { postalCode: '10115' } } },
    { run: `rates ${ROUTE} --package 1.5kg@30x20x10cm`, body: { data: { packages: [RATED] } } },
    {
      run: `rates ${ROUTE} --package 1.5kg@30x20x10cm --package 2x1kg@10x10x10cm`,
      body: { data: { packages: [RATED, { piece: 2, pieceWeight: 1 }] } },
    },
    { run: `rates ${ROUTE} ${SIDES}`, body: { data: { packages: [RATED] } } },
    { run: `rates ${ROUTE} ${SIDES} --quantity 3`, body: { data: { packages: [{ ...RATED, piece: 3 }] } } },
  ]),
  ...each({ says: 'a package is described once and whole', exit: 2, sent: [] }, [
    `quote ${PARCEL} --weight 2`,
    `quote ${ROUTE} --weight 2 --length 30`,
    `rates ${PARCEL} --weight 2`,
    `rates ${ROUTE} --quantity 2`,
  ]),
  ...each({ says: 'what is shipped is one of two', exit: 2, stderr: ['package', 'document'], sent: [] }, [
    `quote ${PARCEL} --type letter`,
    'ship --type letter',
  ]),
  ...each({ says: 'what quote alone has, rates refuses', exit: 2, sent: [] }, [
    `rates ${PARCEL} --cheapest`,
    `rates ${PARCEL} --fastest`,
    `rates ${PARCEL} --sort price`,
    `rates ${PARCEL} --service express`,
    `rates ${PARCEL} --type document`,
  ]),
]);

/** Proposals of which the cheapest and fastest is not valid. */
const partlyValid = async () =>
  createRig({
    env: (
      await proposing(
        { id: 'BAD', price: 1, isValid: false, deliveryTime: '1 day' },
        { id: 'SLOW', price: 5, deliveryTime: '5-7 days' },
        { id: 'FAST', price: 9, deliveryTime: '1-3 days' },
      )
    ).env,
  });

const IDS = '--query proposals[].id -o text';

promises('Proposals', [
  ...each({ says: 'a service type is any word, and case does not matter', stdout: /^EXP\n$/ }, [
    `quote ${PARCEL} --service express -q`,
    `quote ${PARCEL} --service EXPRESS -q`,
  ]),
  {
    says: 'one that no carrier has is not found, and those that there are are named',
    run: `quote ${PARCEL} --service overnight`,
    exit: 4,
    stderr: ['economy', 'express'],
  },
  ...each({ says: 'they are sorted' }, [
    { run: `quote ${PARCEL} --sort price ${IDS}`, stdout: /^ECO\tEXP\n$/ },
    { run: `quote ${PARCEL} --sort speed ${IDS}`, stdout: /^EXP\tECO\n$/ },
    { run: `quote ${PARCEL} --sort carrier ${IDS}`, stdout: /^ECO\tEXP\n$/ },
  ]),
  {
    says: 'any other order is refused',
    run: `quote ${PARCEL} --sort weight`,
    exit: 2,
    stderr: 'speed',
    sent: [],
  },
  ...each({ says: 'they are narrowed in every format', lacks: 'EXP' }, [
    { run: `quote ${PARCEL} --cheapest`, stdout: /^ECO /m },
    { run: `quote ${PARCEL} --cheapest --json`, json: { proposals: [{ id: 'ECO' }] } },
    { run: `quote ${PARCEL} --cheapest -o jsonl`, stdout: /^\{"id":"ECO".*\n$/ },
    { run: `quote ${PARCEL} --cheapest -o csv`, stdout: /^id,.*\r\nECO,.*\r\n$/ },
    { run: `quote ${PARCEL} --cheapest -q`, stdout: /^ECO\n$/ },
    { run: `quote ${PARCEL} --cheapest ${IDS}`, stdout: /^ECO\n$/ },
  ]),
  ...each({ says: 'so is the fastest', lacks: 'ECO' }, [
    { run: `quote ${PARCEL} --fastest --json`, json: { proposals: [{ id: 'EXP' }] } },
    { run: `quote ${PARCEL} --fastest -q`, stdout: /^EXP\n$/ },
  ]),
  ...each({ says: 'only valid ones are chosen', rig: partlyValid }, [
    { run: `quote ${PARCEL} --cheapest -q`, stdout: /^SLOW\n$/ },
    { run: `quote ${PARCEL} --fastest -q`, stdout: /^FAST\n$/ },
    { run: `quote ${PARCEL} -q`, stdout: /^SLOW\nFAST\n$/ },
  ]),
  { says: 'one of them, not both', run: `quote ${PARCEL} --cheapest --fastest`, exit: 2, sent: [] },
]);

const SPEC = 'description=Tea,hsCode=090210,countryOfOrigin=TR,quantity=2,unitPrice=5';
const TEA = { description: 'Tea', hsCode: '090210', countryOfOrigin: 'TR', quantity: 2, unitPrice: 5 };

/** A flag, the field that it gives, and its value. */
const FIELDS: [flag: string, word: string, path: string, value: unknown][] = [
  ['--type', 'document', 'type', 'document'],
  ['--category', 'micro export', 'category', 'micro export'],
  ['--delivery-type', 'DDP', 'deliveryType', 'DDP'],
  [
    '--package',
    '2x1kg@30x20x10cm',
    'packages',
    [{ quantity: 2, weight: 1, dimensions: { length: 30, unit: 'cm' } }],
  ],
  ['--item', SPEC, 'items', [{ ...TEA, totalPrice: 10 }]],
  ['--total-goods-value', '99', 'customs.totalGoodsValue', 99],
  ['--currency', 'USD', 'customs.currency', 'USD'],
  ['--ioss-number', 'IM0123456789', 'customs.iossNumber', 'IM0123456789'],
  ['--marketplace-number', 'GB1', 'customs.marketplaceNumber', 'GB1'],
  ['--sender', 'you.json', 'sender', SHIPMENT.receiver],
  ['--receiver', 'me.json', 'receiver', SHIPMENT.sender],
  ['--invoice', 'me.json', 'invoice', SHIPMENT.sender],
];

promises('ship and ship-dual', [
  ...each(
    { says: 'a flag is a field of the request', rig: { files: FILES } },
    FIELDS.map(([flag, word, path, value]) => ({
      run: ['ship', 'order.json', '--dry-run', flag, word],
      json: { body: changed({}, { [path]: value }) },
    })),
  ),
  ...each({ rig: { files: FILES } }, [
    {
      says: 'a pair has the same flags',
      run: ['ship-dual', 'pair.json', '--dry-run', ...FIELDS.map(([flag, word]) => `${flag}=${word}`)],
      json: { body: changed({}, Object.fromEntries(FIELDS.map(([, , path, value]) => [path, value]))) },
    },
    {
      says: 'flags alone are a whole order',
      run: `ship --type package --category sales --package 1kg@30x20x10cm --item ${SPEC} --currency EUR --sender me.json --receiver you.json --carrier EXP --chargeable-weight 1`,
      sent: BOOKED,
    },
    ...each({ says: '--package and --item are repeatable' }, [
      {
        run: 'ship order.json --dry-run --package 1@1x1x1 --package 2@2x2x2',
        json: { body: { packages: [{ weight: 1 }, { weight: 2 }] } },
      },
      {
        run: `ship order.json --dry-run --item ${SPEC} --item ${SPEC.replace('Tea', 'Soap')}`,
        json: { body: { items: [{ description: 'Tea' }, { description: 'Soap' }] } },
      },
    ]),
    { says: '--key names the booking', run: 'ship order.json --key A-1 -o record', json: { key: 'A-1' } },
  ]),
  ...each({ says: '--allow-duplicate books the same content once more', rig: { files: FILES } }, [
    { after: ['ship order.json'], run: 'ship order.json --allow-duplicate', sent: BOOKED },
    {
      after: ['ship-dual pair.json'],
      run: 'ship-dual pair.json --allow-duplicate',
      sent: ['POST /v2/shipments'],
    },
  ]),
  ...each({ says: '--label makes the label', rig: { files: FILES } }, [
    { run: 'ship order.json --label', sent: [...BOOKED, 'POST /v2/carriers/create'] },
    { run: 'ship-dual pair.json --label', sent: ['POST /v2/shipments'], body: { label: true } },
  ]),
  ...each({ says: '--download saves it', rig: { files: FILES }, files: { 'out/A-1.pdf': /^%PDF/ } }, [
    'ship order.json --key A-1 --label --download out',
    'ship-dual pair.json --key A-1 --label --download out',
  ]),
  ...each({ says: '--print prints it', rig: { files: FILES }, printed: ['A-1.pdf'] }, [
    'ship order.json --key A-1 --label --print',
    'ship-dual pair.json --key A-1 --label --print',
  ]),
  ...each({ says: 'both need --label', rig: { files: FILES }, exit: 2, stderr: '--label', sent: [] }, [
    'ship order.json --download out',
    'ship order.json --print',
    'ship-dual pair.json --download out',
    'ship-dual pair.json --print',
  ]),
]);

const IOSS = '--ioss-number IM0123456789';

promises('The carrier of ship', [
  ...each({ says: 'is one by its id, the cheapest, or the fastest', rig: { files: FILES } }, [
    { run: `ship open.json --carrier EXP`, body: { carrier: { id: 'EXP' } } },
    { run: `ship open.json --carrier cheapest ${IOSS}`, body: { carrier: { id: 'ECO' } } },
    { run: `ship open.json --carrier fastest ${IOSS}`, body: { carrier: { id: 'EXP' } } },
  ]),
  ...each({ says: 'keeps the bounds', rig: { files: FILES } }, [
    { run: `ship open.json --carrier cheapest --service express ${IOSS}`, body: { carrier: { id: 'EXP' } } },
    { run: `ship open.json --carrier cheapest --max-days 3 ${IOSS}`, body: { carrier: { id: 'EXP' } } },
    { run: `ship open.json --carrier fastest --max-price 30EUR ${IOSS}`, body: { carrier: { id: 'ECO' } } },
    {
      run: `ship open.json --carrier EXP --max-price 52.90eur --max-days 3 --service express`,
      body: { carrier: { id: 'EXP' } },
    },
    {
      run: `ship open.json --carrier cheapest --max-price 27.50EUR ${IOSS}`,
      body: { carrier: { id: 'ECO' } },
    },
  ]),
  ...each({ says: 'is none where no proposal keeps them', rig: { files: FILES }, exit: 4, sent: [ASKED] }, [
    'ship open.json --carrier EXP --service economy',
    'ship open.json --carrier EXP --max-price 5EUR',
    ...['60EUR', '60USD'].map(price => ({
      run: `ship open.json --carrier NONE --max-price ${price}`,
      stderr: /there is no carrier NONE among the proposals\b.* Proposals: .*EXP \(/,
    })),
    'ship open.json --carrier EXP --max-price 500USD',
    'ship open.json --carrier EXP --max-days 2',
    `ship open.json --carrier cheapest --max-price 27.49EUR ${IOSS}`,
    {
      run: 'ship open.json --carrier EXP --max-price 52.89EUR',
      stderr: 'ECO (economy, 5-7 days, 27.50 EUR)',
    },
    { run: 'ship open.json --carrier NONE --max-days 9', stderr: 'ECO (economy, 5-7 days, 27.50 EUR)' },
  ]),
  {
    says: 'a bound that cannot be read is refused',
    rig: { files: FILES },
    run: 'ship open.json --carrier EXP --max-days soon',
    exit: 2,
    sent: [],
  },
  ...each({ rig: { files: FILES } }, [
    {
      says: 'a weight that is left out is taken from a proposal for the same packages, and shown',
      run: 'ship open.json --carrier EXP',
      stderr: '5 kg',
      sent: [ASKED, ...BOOKED],
      body: { chargeableWeight: 5 },
      also: ({ requests }) =>
        expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
          packages: [{ quantity: 1, weight: 3.2, dimensions: { width: 30, length: 40, height: 20 } }],
        }),
    },
    {
      says: 'with id and weight no proposal is asked for',
      run: 'ship open.json --carrier EXP --chargeable-weight 4.8',
      sent: BOOKED,
      body: { chargeableWeight: 4.8 },
    },
    ...each({ says: 'an id of the order is stronger, and so is a weight' }, [
      {
        run: 'ship order.json --carrier cheapest --set carrier.id=NEW',
        exit: 5,
        sent: BOOKED,
        body: { carrier: { id: 'NEW' }, chargeableWeight: 4.8 },
      },
      { run: 'ship order.json --carrier fastest', sent: [ASKED, ...BOOKED], body: { chargeableWeight: 4.8 } },
    ]),
    ...each({ says: 'a weight that no proposal tells is not asked for', exit: 2, sent: [] }, [
      { run: 'ship open.json --carrier EXP --set packages[0].dimensions.unit=in', stderr: 'must be cm' },
      { run: 'ship open.json --carrier EXP --type document', stderr: '--chargeable-weight KG' },
    ]),
    ...each({ says: 'what is probably none is sent, with a warning', exit: 5, sent: [ASKED, ...BOOKED] }, [
      { run: 'ship open.json --carrier fastst', stderr: /^warning: .*did you mean fastest\?/m },
      { run: 'ship open.json --carrier NONE', stderr: /^warning: .*NONE is not among the proposals/m },
    ]),
    {
      says: 'a weight below that of the packages is a warning',
      run: 'ship order.json --package 30kg@60x40x40cm --dry-run',
      stderr: /^warning: chargeableWeight is 4\.8, but the packages weigh 30 kg/m,
      sent: [],
    },
  ]),
  ...each({ says: 'ship-dual has no such flag', rig: { files: FILES }, exit: 2, sent: [] }, [
    'ship-dual pair.json --carrier EXP',
    'ship-dual pair.json --chargeable-weight 5',
    'ship-dual pair.json --service express',
    'ship-dual pair.json --max-days 3',
  ]),
]);

promises('The carriers of ship-dual', [
  ...each({ says: 'are given by flags', rig: { files: FILES } }, [
    {
      run: 'ship-dual pair.json --dry-run --international I-2',
      json: { body: { carriers: { international: { id: 'I-2' } } } },
    },
    {
      run: 'ship-dual pair.json --dry-run --domestic D-2',
      json: { body: { carriers: { domestic: { id: 'D-2' } } } },
    },
  ]),
  ...each(
    { says: 'are ids: what ship takes for a wish is a warning', rig: { files: FILES }, stderr: /"fastest"/ },
    [
      {
        run: 'ship-dual pair.json --international fastest',
        exit: 5,
        body: { carriers: { international: { id: 'fastest' } } },
      },
      { run: 'ship-dual pair.json --international fastest --strict', exit: 2, sent: [] },
    ],
  ),
  ...each({ says: 'ship has no such flag', rig: orderWith({}), exit: 2, sent: [] }, [
    'ship order.json --international EXP',
    'ship order.json --domestic DOM',
  ]),
]);
