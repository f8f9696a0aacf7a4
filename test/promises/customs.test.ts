// Numbers that say that VAT was paid: where a default is filled in, where it is left out, and what is doubted of goods.
import { expect } from 'vitest';
import { changed } from '../contract/rig.ts';
import { jsonLines } from '../rig/batch.ts';
import type { Ran, Rig } from '../rig/command.ts';
import { amazon, ebay, etsy, soldOrders, woocommerce } from '../rig/exports.ts';
import { shopRig } from '../rig/profile.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { ASKED, BOOKED, orderWith } from './orders.ts';
import { each, promises } from './promise.ts';

const IOSS = 'IM0123456789';
const UK = 'GB123456789';
const NUMBERS = { iossNumber: IOSS, marketplaceNumber: UK };

interface Order {
  country?: string;
  zip?: string;
  value?: number;
  currency?: string;
}

const orderOf = ({ country = 'DE', zip = '10115', value = 25, currency = 'EUR' }: Order, more: object = {}) =>
  changed(SHIPMENT, {
    'receiver.address.country.code': country,
    'receiver.address.zipCode': zip,
    items: [{ ...(SHIPMENT.items as object[])[0], quantity: 1, unitPrice: value, totalPrice: value }],
    'customs.totalGoodsValue': value,
    'customs.currency': currency,
    ...more,
  });

/** A profile with both numbers, and an order. */
const shop =
  (order: Order, settings: object = {}) =>
  async () => {
    const rig = await shopRig({ ...NUMBERS, ...settings });
    rig.file('order.json', orderOf(order));
    return rig;
  };

const DRY = 'ship order.json --dry-run';
/** The numbers of the body that is shown. */
const numbers =
  (...wanted: (string | undefined)[]) =>
  ({ stdout }: { stdout: string }) => {
    const { iossNumber, marketplaceNumber } = JSON.parse(stdout).body.customs;
    expect([iossNumber, marketplaceNumber]).toEqual(wanted);
  };

const to = (where: string, country: string, zip: string, ...wanted: (string | undefined)[]) => ({
  says: `the numbers of a profile to ${where}`,
  run: DRY,
  rig: shop({ country, zip, ...(country === 'GB' && !/^bt/i.test(zip) && { currency: 'GBP' }) }),
  also: numbers(...wanted),
});

const BRITAIN = { country: 'GB', zip: 'M1 1AE' };
const worth = (order: Order, settings: object, ioss?: string, marketplace?: string) => ({
  rig: shop(order, settings),
  also: numbers(ioss, marketplace),
});

promises('A number of a profile', [
  ...each({ says: 'is filled in where it belongs and nowhere else' }, [
    to('the EU', 'DE', '10115', IOSS, undefined),
    to('Northern Ireland, which counts as the EU', 'GB', 'BT1 5GS', IOSS, undefined),
    to('Great Britain', 'GB', 'SW1A 1AA', undefined, UK),
    to('Turkey', 'TR', '34710', undefined, undefined),
    to('the United States', 'US', '10001', undefined, undefined),
    to('Switzerland', 'CH', '8001', undefined, undefined),
    to('the Canaries', 'ES', '35001', undefined, undefined),
    to('Ceuta', 'ES', '51001', undefined, undefined),
    to('Melilla', 'ES', '52001', undefined, undefined),
    to('the mainland of Spain', 'ES', '28001', IOSS, undefined),
    to('Åland', 'FI', '22100', undefined, undefined),
    to('Heligoland', 'DE', '27498', undefined, undefined),
    to('Livigno', 'IT', '23041', undefined, undefined),
    to('Réunion', 'FR', '97400', undefined, undefined),
    to('Jersey', 'GB', 'JE2 3AB', undefined, undefined),
    to('Northern Ireland in small letters', 'GB', 'bt1 5gs', IOSS, undefined),
    to('Majorca', 'ES', '07001', IOSS, undefined),
    to('Tenerife', 'ES', '38001', undefined, undefined),
    to('Helsinki', 'FI', '00100', IOSS, undefined),
    to('Åland by its own code', 'AX', '22100', undefined, undefined),
    to('Heligoland with the letter of its country', 'DE', 'D-27498', undefined, undefined),
    to('Büsingen', 'DE', '78266', undefined, undefined),
    to('Martinique by its own code', 'MQ', '97200', undefined, undefined),
    to('Monaco', 'MC', '98000', IOSS, undefined),
  ]),
  ...each({ says: 'holds up to a value of the goods', run: DRY }, [
    worth({ value: 150 }, {}, IOSS),
    worth({ value: 150.01 }, {}),
    worth({ ...BRITAIN, value: 135, currency: 'GBP' }, {}, undefined, UK),
    worth({ ...BRITAIN, value: 135.01, currency: 'GBP' }, {}),
  ]),
  ...each({ says: 'whose bound is a setting', run: DRY }, [
    worth({ value: 165, currency: 'USD' }, { iossLimit: '150EUR,165USD' }, IOSS),
    worth({ value: 166, currency: 'USD' }, { iossLimit: '150EUR,165USD' }),
    worth({ value: 100 }, { iossLimit: '90EUR' }),
    worth({ ...BRITAIN, value: 170, currency: 'USD' }, { marketplaceLimit: '135GBP,170USD' }, undefined, UK),
  ]),
  ...each(
    { says: 'in a currency that no bound names it is refused, with the setting to give', exit: 2, sent: [] },
    [
      {
        run: 'ship order.json',
        rig: shop({ currency: 'USD' }),
        stderr: '`waybill profile set shop iossLimit=150EUR,AMOUNTUSD`',
      },
      {
        run: 'ship order.json',
        rig: shop({ ...BRITAIN, currency: 'EUR' }),
        stderr: '`waybill profile set shop marketplaceLimit=135GBP,AMOUNTEUR`',
      },
    ],
  ),
  {
    says: 'that is left out for the value of the goods has a note',
    rig: shop({ value: 180 }),
    run: DRY,
    stderr: 'customs.iossNumber is left out: it covers goods up to 150 EUR, and these are worth 180 EUR',
  },
  ...each({ says: 'that is left out for the place where it goes has a note, in one line' }, [
    ...[
      [
        'US',
        '10118',
        'is left out: it holds for goods to the VAT territory of the EU; customs.marketplaceNumber is left out',
      ],
      ['CH', '8001', 'is left out: it holds for goods to the VAT territory of the EU'],
      ['ES', '35001', 'is left out: it holds for goods to the VAT territory of the EU'],
    ].flatMap(([country = '', zip = '', words = ''], index) =>
      [
        DRY,
        ...(index === 0
          ? [
              'ship order.json --carrier EXP --chargeable-weight 5',
              'ship order.json --max-price 90EUR --plan plan.json',
            ]
          : []),
      ].map(run => ({
        run,
        rig: shop({ country, zip }),
        also: ({ stderr }: Ran) =>
          expect(
            stderr.split('\n').filter(line => line.includes(`customs.iossNumber ${words}`)),
          ).toHaveLength(1),
      })),
    ),
    {
      run: 'ship order.json --json',
      rig: shop({ country: 'US', zip: '10118' }),
      stderr: '{"note":"customs.iossNumber is left out: it holds for goods to the VAT territory of the EU; ',
    },
    {
      run: 'ship-dual dual.json',
      rig: async () => {
        const rig = await shop({})();
        rig.file(
          'dual.json',
          changed(DUAL, { 'receiver.address.country.code': 'CH', 'receiver.address.zipCode': '8001' }),
        );
        return rig;
      },
      stderr: 'customs.iossNumber is left out: it holds for goods',
    },
  ]),
  ...each(
    {
      says: 'that is left out has no note with -q, nor where the order has the other one',
      lacks: 'left out',
    },
    [
      { run: 'ship order.json -q', rig: shop({ country: 'US', zip: '10118' }) },
      { run: 'ship order.json', rig: shop({}) },
    ],
  ),
  {
    says: 'that is left out leaves the economy carrier out',
    rig: shop({ value: 180 }, { economyCarriers: ['ECO'] }),
    run: 'ship order.json --carrier ECO --chargeable-weight 5',
    exit: 2,
    stderr: 'customs.iossNumber',
    sent: [],
  },
  {
    says: 'the cheapest is another one then',
    rig: shop({ value: 180 }, { economyCarriers: ['ECO'] }),
    run: 'ship order.json --carrier cheapest',
    body: { carrier: { id: 'EXP' } },
  },
  {
    says: 'needs no bound in a currency of an order to which it does not belong',
    rig: shop({ country: 'US', zip: '10001', currency: 'CAD' }),
    run: DRY,
    also: numbers(undefined, undefined),
  },
]);

/** Without carrier and weight, which come from a proposal. */
const OPEN = { carrier: undefined, chargeableWeight: undefined };

/** Three orders: to the EU, above the bound, and to the United States. */
async function several(): Promise<Rig> {
  const rig = await shopRig({ ...NUMBERS, economyCarriers: ['ECO'] });
  const orders = {
    EU: {},
    DEAR: { value: 400 },
    US: { country: 'US', zip: '10001', value: 30, currency: 'USD' },
  };
  rig.file(
    'orders.jsonl',
    jsonLines(Object.entries(orders).map(([key, order]) => ({ key, ...(orderOf(order, OPEN) as object) }))),
  );
  return rig;
}

/** The same without a profile. */
async function plain(): Promise<Rig> {
  const rig = await several();
  rig.file('numbers.json', { columns: {}, constants: { 'customs.iossNumber': IOSS } });
  await rig.run('profile set shop iossNumber= marketplaceNumber=');
  return rig;
}

/** Only the order to the EU, below the bound, has it. */
const sentNumbers = ({ requests }: Ran) =>
  expect(
    requests
      .filter(({ path }) => path === '/v1/shipments')
      .map(({ body }) => JSON.parse(body).customs)
      .map(({ totalGoodsValue, iossNumber }) => [totalGoodsValue, iossNumber]),
  ).toEqual([
    [25, IOSS],
    [400, undefined],
    [30, undefined],
  ]);

const PRODUCTS =
  'Code,HS,Origin,Grams\nTS-M,610910,TR,180\nCAP,650500,TR,90\nSCARF,621410,TR,60\nMUG,691110,TR,400\nSOAP,340111,TR,110\n';
const SKUS = { etsy: 'SKU', woocommerce: 'SKU', amazon: 'sku', ebay: 'Custom Label' };
const PHONE = { 'receiver.phone.code': '+49', 'receiver.phone.number': '3023125001' };

/** The export of a shop with one order to Germany, its map, and a profile with an IOSS number. */
const exported =
  (name: keyof typeof SKUS, more: object = {}) =>
  async (): Promise<Rig> => {
    const rig = await shopRig(NUMBERS);
    const sold = soldOrders().slice(0, 1);
    const texts = {
      etsy: etsy(sold),
      woocommerce: woocommerce(sold, 0),
      amazon: amazon(sold),
      ebay: ebay(sold),
    };
    rig.file('export.csv', texts[name]);
    rig.file('products.csv', PRODUCTS);
    rig.file('sender.json', SHIPMENT.sender);
    rig.file('shop.json', {
      extends: name,
      lookup: {
        ...{ file: 'products.csv', by: SKUS[name], key: 'Code' },
        columns: { HS: 'items[].hsCode', Origin: 'items[].countryOfOrigin', Grams: 'packages[0].weight' },
      },
      transform: { Grams: 'g' },
      constants: {
        ...{ 'packages[0].dimensions.length': '30', 'packages[0].dimensions.width': '20' },
        ...{ 'packages[0].dimensions.height': '10' },
        ...{ 'customs.currency': 'EUR', 'receiver.email': 'buyer@example.com', ...PHONE },
        ...more,
      },
    });
    return rig;
  };

const SELL =
  'batch ship export.csv --map ./shop.json --sender sender.json --type package --category sales --carrier EXP';
const declared =
  (number: unknown) =>
  ({ requests }: { requests: { path: string; body: string }[] }) => {
    const sent = requests
      .filter(({ path }) => path === '/v1/shipments')
      .map(({ body }) => JSON.parse(body).customs.iossNumber);
    expect(sent).toEqual([number]);
  };

promises('In a batch', [
  {
    says: 'what is left out is told once, with how many orders take another carrier',
    rig: several,
    run: 'batch ship orders.jsonl --carrier cheapest',
    stderr: 'The economy carrier does not take 1 of them',
    also: ({ stderr }) => expect(stderr.match(/are left out where they do not hold/g)).toHaveLength(1),
  },
  ...each({ says: 'sales of a marketplace never take the number of the profile' }, [
    { run: SELL, rig: exported('etsy'), also: declared(undefined) },
    { run: SELL, rig: exported('amazon'), also: declared('IM4420001201') },
    { run: SELL, rig: exported('ebay'), also: declared('IM2760000742') },
  ]),
  {
    says: 'but one that the map sets',
    rig: exported('etsy', { 'customs.iossNumber': 'IM3720000224' }),
    run: SELL,
    also: declared('IM3720000224'),
  },
  ...each({ says: 'a number for all orders goes where it holds', also: sentNumbers }, [
    { run: `batch ship orders.jsonl --carrier EXP --concurrency 1 --ioss-number ${IOSS}`, rig: plain },
    { run: 'batch ship orders.jsonl --carrier EXP --concurrency 1 --map ./numbers.json', rig: plain },
  ]),
  {
    says: 'what a map gives all orders has a note where it does not hold, with one that the order has',
    rig: async () => {
      const rig = await plain();
      const own = {
        ...(orderOf({ value: 300 }, { ...OPEN, 'customs.iossNumber': IOSS }) as object),
        key: 'OWN',
      };
      rig.file('orders.jsonl', jsonLines([own]));
      return rig;
    },
    run: 'batch ship orders.jsonl --carrier EXP --map ./numbers.json',
    body: { customs: { iossNumber: IOSS } },
    stderr:
      'warning: line 1, OWN: customs.iossNumber stays in the order, although it covers goods up to 150 EUR',
  },
  { says: 'sales of an own shop take it', rig: exported('woocommerce'), run: SELL, also: declared(IOSS) },
]);

/** An order without carrier, numbers and weight; ECO takes 27.50 EUR and needs a number to the EU and to Britain. */
const numberless = (order: Order) => ({
  files: { 'order.json': orderOf(order, OPEN), 'orders.jsonl': orderOf(order, { ...OPEN, key: 'A-1' }) },
});
const DEAR = numberless({ value: 378 });
const ABOVE = 'but it covers goods up to 150 EUR, and these are worth 378 EUR';
const CHEAP = 'ship order.json --carrier cheapest --max-price 30EUR';

promises('Nobody is told to give a customs number that may not be declared', [
  ...each({ rig: DEAR, lacks: '--ioss-number' }, [
    {
      says: 'What needs one is no carrier within the bounds: why not, and the cheapest that may be booked, are told',
      run: CHEAP,
      exit: 4,
      stderr: [
        'no carrier that may be booked offers this for 30.00 EUR or less',
        /The cheapest that may be booked is EXP \(.*52\.90 EUR\)/,
        ABOVE,
      ],
      sent: [ASKED],
    },
    {
      says: 'So is a record of a batch',
      run: 'batch ship orders.jsonl --carrier cheapest --max-price 30EUR',
      exit: 9,
      stderr: /cheapest\s+that\s+may\s+be\s+booked\s+is\s+EXP/,
    },
    {
      says: 'Without a bound the cheapest that may be booked is taken',
      run: 'ship order.json --carrier cheapest',
      body: { carrier: { id: 'EXP' } },
      stderr: [/ECO .* is left out/, ABOVE],
    },
    {
      says: 'A carrier that is named is refused with the reason',
      run: 'ship order.json --carrier ECO',
      exit: 2,
      stderr: `${ABOVE}: choose another carrier`,
      sent: [],
    },
  ]),
  ...each(
    { says: 'It is one to a place where the number does not hold', run: 'ship order.json --carrier ECO' },
    [
      { rig: numberless({ country: 'ES', zip: '35001' }), lacks: '--ioss-number' },
      { rig: numberless({ country: 'GB', zip: 'BT1 5GS', currency: 'GBP' }), lacks: '--marketplace-number' },
      {
        rig: numberless({ country: 'GB', zip: 'M1 1AE', currency: 'GBP', value: 136 }),
        lacks: '--marketplace-number',
      },
    ],
  ).map(row => ({ ...row, exit: 2, stderr: /is required .*, but .*: choose another carrier/, sent: [] })),
  {
    says: 'One that holds for the goods is asked for',
    rig: numberless({ value: 150 }),
    run: 'ship order.json --carrier ECO',
    exit: 2,
    stderr: /customs\.iossNumber.* is required .*--ioss-number/s,
  },
]);

const NOT_HERE = /^warning: customs\.\w+ stays in the order, although .*: leave it out/m;

promises('A number that is given for one order', [
  ...each({ says: 'where it does not belong is a warning, and is sent', stderr: NOT_HERE, sent: BOOKED }, [
    {
      run: `ship order.json --ioss-number ${IOSS}`,
      rig: { files: { 'order.json': orderOf({ value: 200 }) } },
      body: { customs: { iossNumber: IOSS } },
    },
    {
      run: `ship order.json --ioss-number ${IOSS}`,
      rig: { files: { 'order.json': orderOf({ country: 'CH', zip: '8001' }) } },
      stderr:
        /, although it holds for goods to the VAT territory of the EU, and this order goes to CH: leave it out/,
    },
    {
      run: `ship order.json --ioss-number ${IOSS}`,
      rig: { files: { 'order.json': orderOf({ country: 'ES', zip: '35001' }) } },
      stderr: /, and this order goes to a part of ES outside it: leave it out/,
    },
    { run: `ship order.json --marketplace-number ${UK}`, rig: { files: { 'order.json': orderOf({}) } } },
    {
      run: 'ship order.json',
      rig: { files: { 'order.json': orderOf({ value: 200 }, { 'customs.iossNumber': IOSS }) } },
    },
  ]),
  {
    says: 'where it belongs is none',
    rig: { files: { 'order.json': orderOf({}) } },
    run: `ship order.json --ioss-number ${IOSS}`,
    lacks: 'warning',
  },
]);

promises('Goods', [
  ...each({ says: 'that are worth nothing are a warning', stderr: /^warning: .* is 0/m, sent: BOOKED }, [
    { run: 'ship order.json', rig: orderWith({ 'customs.totalGoodsValue': 0 }) },
    { run: 'ship order.json', rig: orderWith({ 'items[0].unitPrice': 0, 'items[0].totalPrice': 0 }) },
  ]),
  ...each(
    {
      says: 'whose description has no three letters are a warning',
      stderr: /^warning: items\[0\]\.description/m,
      sent: BOOKED,
    },
    ['1', '10115 B', 'XL', '42-7'].map(text => ({
      run: 'ship order.json',
      rig: orderWith({ 'items[0].description': text }),
    })),
  ),
  ...each(
    { says: 'with a word are none', lacks: 'warning', sent: BOOKED },
    ['Tea', '3 x çay'].map(text => ({
      run: 'ship order.json',
      rig: orderWith({ 'items[0].description': text }),
    })),
  ),
]);

promises('A post office box', [
  ...each(
    { says: 'is a warning', stderr: /^warning: receiver\.address\.line\d .*post office box/m, sent: BOOKED },
    ['P.O. Box 77', 'PO Box 7', 'Postfach 12 34', 'BP 412', 'Apartado 33'].map(text => ({
      run: 'ship order.json',
      rig: orderWith({ 'receiver.address.line1': text }),
    })),
  ),
  {
    says: 'in the second line, too',
    rig: orderWith({ 'receiver.address.line2': 'P.O. Box 77' }),
    run: 'ship order.json',
    stderr: 'post office box',
  },
  {
    says: 'is none for the economy carrier',
    rig: orderWith({
      'receiver.address.line1': 'P.O. Box 77',
      'carrier.id': 'ECO',
      'customs.iossNumber': IOSS,
    }),
    run: 'ship order.json',
    lacks: 'post office box',
  },
  {
    says: 'is one for the carrier that was chosen, too',
    rig: orderWith({ 'receiver.address.line1': 'P.O. Box 77', 'carrier.id': 'cheapest' }),
    run: 'ship order.json',
    stderr: 'post office box, to which EXP',
  },
  ...each(
    {
      says: 'is no advice to book the economy carrier where its customs number may not be declared',
      run: 'ship order.json',
      stderr: /ask the receiver for a street$/m,
    },
    [
      { 'items[0].unitPrice': 90, 'items[0].totalPrice': 180, 'customs.totalGoodsValue': 180 },
      { 'receiver.address.country.code': 'ES', 'receiver.address.zipCode': '35001' },
    ].flatMap(changes =>
      ['EXP', 'cheapest'].map(id => ({
        rig: orderWith({ ...changes, 'receiver.address.line1': 'P.O. Box 77', 'carrier.id': id }),
      })),
    ),
  ),
  {
    says: 'is one where it may be, or where none is needed',
    rig: orderWith({ 'receiver.address.line1': 'P.O. Box 77' }),
    run: 'ship order.json',
    stderr: 'ask the receiver for a street, or book the economy carrier',
  },
]);

const zip = (country: string, code: unknown) =>
  orderWith({ 'receiver.address.country.code': country, 'receiver.address.zipCode': code });
const cell = (country: string, code: unknown) => ({
  files: {
    'orders.jsonl': {
      key: 'A-1',
      ...(changed(SHIPMENT, {
        'receiver.address.country.code': country,
        'receiver.address.zipCode': code,
      }) as object),
    },
  },
});

promises('A postal code', [
  ...each({ says: 'is empty where there are none', lacks: 'warning', sent: BOOKED }, [
    { run: 'ship order.json', rig: zip('AE', '') },
    { run: 'ship order.json', rig: zip('HK', '') },
    { run: 'ship order.json', rig: zip('AE', undefined) },
    { run: 'batch ship orders.jsonl', rig: cell('AE', '') },
  ]),
  ...each(
    {
      says: 'is empty with a warning where none is required',
      stderr: /warning: .*receiver\.address\.zipCode is empty/,
      sent: BOOKED,
    },
    [
      { run: 'ship order.json', rig: zip('CL', '') },
      { run: 'batch ship orders.jsonl', rig: cell('CL', '') },
    ],
  ),
  ...each(
    { says: 'is missing where it is empty and one is required', exit: 2, stderr: 'zipCode', sent: [] },
    [
      { run: 'ship order.json', rig: zip('DE', '') },
      { run: 'ship order.json', rig: zip('JP', ' ') },
      { run: 'batch ship orders.jsonl', rig: cell('DE', '') },
    ],
  ),
  ...each({ says: 'of a proposal and of rates is compared with the country of destination' }, [
    {
      run: 'quote --from TR --to DE --postal-code 1 --package 1@1x1x1',
      stderr: 'postalCode is "1", which is not a postal code, such as 10115',
    },
    {
      run: 'rates --from TR --to FR --postal-code A --package 1@1x1x1',
      stderr: 'data.postalCode is "A", which is not a postal code, such as 75001',
    },
  ]),
]);

const hs = (from: string, fromZip: string, country: string, code: string) =>
  orderWith({
    ...{ 'items[0].hsCode': '', 'sender.address.country.code': from, 'sender.address.zipCode': fromZip },
    ...{ 'receiver.address.country.code': country, 'receiver.address.zipCode': code },
  });

promises('An HS code', [
  ...each({ says: 'may be empty within one customs territory, of which the EU is one' }, [
    { run: 'ship order.json --dry-run', rig: hs('FR', '75001', 'DE', '10115') },
    { run: 'ship order.json --dry-run', rig: hs('DE', '20095', 'DE', '10115') },
  ]),
  ...each({ says: 'is required between two', exit: 2, stderr: 'items[0].hsCode', sent: [] }, [
    { run: 'ship order.json', rig: hs('TR', '34710', 'DE', '10115') },
    { run: 'ship order.json', rig: hs('GB', 'SW1A 1AA', 'DE', '10115') },
    { run: 'ship order.json', rig: hs('ES', '35001', 'DE', '10115') },
  ]),
]);

const DAMAGED: [text: string, words: string][] = [
  ['O&#39;Brien', 'has HTML entities'],
  ['M&uuml;ller', 'has HTML entities'],
  ['MÃ¼nchen', 'was read in the wrong encoding'],
  ['StraÃŸe', 'was read in the wrong encoding'],
];
const FIELD = 'receiver.companyName';

promises('Text that was converted in the wrong way', [
  ...each(
    { says: 'is a warning with its field and the cure', sent: BOOKED },
    DAMAGED.map(([text, words]) => ({
      run: 'ship order.json',
      rig: orderWith({ [FIELD]: text }),
      stderr: [`warning: ${FIELD} is ${JSON.stringify(text)}, which ${words}`, /: (write|correct) /],
    })),
  ),
  {
    says: 'in a batch with its order',
    rig: {
      files: {
        'orders.jsonl': { key: '#1001', ...(changed(SHIPMENT, { [FIELD]: 'O&#39;Brien' }) as object) },
      },
    },
    run: 'batch ship orders.jsonl',
    stderr: `warning: line 1, #1001: ${FIELD} is "O&#39;Brien"`,
  },
  {
    says: 'is read as what it means through a built-in map',
    rig: async () => {
      const rig = await exported('etsy')();
      const sold = soldOrders().slice(1, 2);
      rig.file('export.csv', etsy(sold));
      return rig;
    },
    run: SELL,
    lacks: '&#39;',
    also: ({ requests }) => expect(requests.at(-1)?.body).toContain("O'Brien"),
  },
  ...each(
    { says: 'is none of these', lacks: 'warning', sent: BOOKED },
    ['AT&T', 'Tom & Jerry; Sons', 'CAFÉ–BAR', 'Ångström'].map(text => ({
      run: 'ship order.json',
      rig: orderWith({ [FIELD]: text }),
    })),
  ),
]);
