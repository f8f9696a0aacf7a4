import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rig } from '../rig/command.ts';
import { createRig } from '../rig/command.ts';
import { shopRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { BOOKED } from './begin.ts';
import { each, type Promised, promises } from './promise.ts';

const GOODS = {
  'items[].hsCode': '610910',
  'items[].countryOfOrigin': 'TR',
  'items[].description': 'Shirt',
  'customs.currency': 'EUR',
};
const COLUMNS = { Order: 'key', Pieces: 'items[].quantity', Price: 'items[].unitPrice' };
const BOTH =
  '--sender sender.json --receiver receiver.json --type package --category sales --carrier EXP --chargeable-weight 1';
const RUN = `batch ship orders.csv --map ./map.json ${BOTH} --concurrency 1 --json`;
const WEIGHED = `${RUN} --package 1kg@30x20x10cm`;

interface Map {
  columns?: object;
  constants?: object;
  [part: string]: unknown;
}

/** A shop with these rows, a map, and more files. */
const shop =
  (
    text: string | Uint8Array,
    { columns = {}, constants = {}, ...map }: Map = {},
    more: Record<string, unknown> = {},
  ) =>
  async (): Promise<Rig> => {
    const rig = await createRig({
      files: {
        'map.json': { columns: { ...COLUMNS, ...columns }, constants: { ...GOODS, ...constants }, ...map },
        'sender.json': SHIPMENT.sender,
        'receiver.json': SHIPMENT.receiver,
        ...more,
      },
    });
    writeFileSync(join(rig.folder, 'orders.csv'), text);
    return rig;
  };

/** What the only order is booked as. */
const books = (
  says: string,
  rig: () => Promise<Rig>,
  body: unknown,
  more: Partial<Promised> = {},
): Promised => ({ says, rig, run: WEIGHED, body, ...more });
const refuses = (
  says: string,
  rig: () => Promise<Rig>,
  words: string | RegExp,
  more: Partial<Promised> = {},
): Promised => ({ says, rig, run: WEIGHED, exit: 2, sent: [], stderr: words, ...more });

/** An order whose column is transformed into that field. */
const cell = (transform: string, path: string, text: string, more: Map = {}) =>
  shop(`Order;Pieces;Price;Cell\n1;1;5;${text}\n`, {
    columns: { Cell: path, ...more.columns },
    transform: { Cell: transform },
  });
const RECEIVER = 'receiver.address.country.code';
/** No receiver but that of the columns. */
const ALONE = WEIGHED.replace('--receiver receiver.json ', '');
const PERSON = {
  Name: 'receiver',
  Mail: 'receiver.email',
  Tel: 'receiver.phone',
  Street: 'receiver.address.line1',
  City: 'receiver.address.city',
  Zip: 'receiver.address.zipCode',
  Land: RECEIVER,
};
const person = (name: string, tel: string, land: string, more: Map = {}) =>
  shop(
    `Order;Pieces;Price;Name;Mail;Tel;Street;City;Zip;Land\n1;1;5;${name};a@example.com;${tel};Hauptstr. 7;Bonn;53111;${land}\n`,
    { columns: PERSON, transform: { Name: 'name', Tel: 'phone', Land: 'country' }, ...more },
  );

promises('--map', [
  books(
    "It renames a shop's own headers and sets constants",
    shop('Order,Pieces,Price\nA-1,2,12.50\n', { constants: { 'customs.iossNumber': 'IM2760000742' } }),
    {
      items: [{ quantity: 2, unitPrice: 12.5, description: 'Shirt' }],
      customs: { iossNumber: 'IM2760000742' },
    },
    { files: { 'orders.results.jsonl': '"key":"A-1"' } },
  ),
  {
    says: 'A column that nobody knows is refused without it',
    rig: shop('Order,Pieces,Price\nA-1,2,12.50\n'),
    run: `batch ship orders.csv ${BOTH} --json`,
    exit: 2,
    sent: [],
    stderr: 'Pieces',
  },
  {
    says: 'A file is named with a dot or a slash: a word is a built-in map',
    rig: shop('Order,Pieces,Price\nA-1,2,12.50\n', {}, { map: {} }),
    run: `batch ship orders.csv --map map ${BOTH}`,
    exit: 2,
    sent: [],
    stderr: ['there is no built-in map of that name', './map'],
  },
  {
    says: '--no-map beats that of a profile',
    rig: () => shopRig({ map: './map.json' }),
    after: [
      {
        write: {
          'map.json': { columns: { Nr: 'key' } },
          'orders.jsonl': JSON.stringify({ key: 'A-1', ...SHIPMENT }),
        },
      },
    ],
    run: 'batch ship orders.jsonl --no-map',
    sent: [BOOKED],
  },
  {
    says: "A profile's map is used",
    rig: () => shopRig({ map: './map.json' }),
    after: [
      {
        write: {
          'map.json': { columns: { Nr: 'key' } },
          'orders.jsonl': JSON.stringify({ Nr: 'A-1', ...SHIPMENT }),
        },
      },
    ],
    run: 'batch ship orders.jsonl',
    sent: [BOOKED],
  },
  {
    says: '"extends" begins with a built-in map',
    rig: shop('Name,Lineitem quantity,Lineitem name,Lineitem price,Financial Status\n#1,2,Mug,9.90,paid\n', {
      extends: 'shopify',
      columns: { Order: undefined, Pieces: undefined, Price: undefined },
    }),
    run: WEIGHED,
    body: { items: [{ description: 'Mug', quantity: 2, unitPrice: 9.9 }] },
  },
  books(
    'keyPrefix keeps two shops apart',
    shop('Order,Pieces,Price\n1,1,5\n', { keyPrefix: 'woo-' }),
    {},
    { files: { 'orders.results.jsonl': '"key":"woo-1"' } },
  ),
  refuses('What is wrong with a map is told', shop('Order,Pieces,Price\n1,1,5\n', { skipp: {} }), 'skipp'),
  refuses(
    'A column that the map needs and the file lacks is told',
    shop('Order,Pieces,Price\n1,1,5\n', { skip: { Statsu: ['refunded'] } }),
    'Statsu',
  ),
]);

const NO_CURRENCY = { constants: { 'customs.currency': undefined } };
/** An order whose only parcel has a cell in that unit. */
const parcel = (unit: string, field: string, text: string, more: Map = {}) => {
  const size = {
    quantity: '1',
    weight: '1',
    'dimensions.length': '30',
    'dimensions.width': '20',
    'dimensions.height': '10',
  };
  const others = Object.entries(size).filter(([name]) => name !== field);
  return shop(`Order;Pieces;Price;Cell\n1;1;5;${text}\n`, {
    columns: { Cell: `packages[0].${field}` },
    constants: Object.fromEntries(others.map(([name, value]) => [`packages[0].${name}`, value])),
    transform: { Cell: unit },
    ...more,
  });
};
/** What the only order, whose receiver is in its columns, is sent to. */
const receives = (says: string, rig: () => Promise<Rig>, receiver: object) =>
  books(says, rig, { receiver }, { run: ALONE });

promises('Transforms of a map', [
  ...Object.entries({ '$1,234.50': 1234.5, '1.234,50 €': 1234.5, 'EUR 12,00': 12, '12.50': 12.5 }).map(
    ([amount, unitPrice]) =>
      books(
        `money reads ${amount}`,
        shop(`Order;Pieces;Price\n1;1;${amount}\n`, { transform: { Price: 'money' } }),
        { items: [{ unitPrice }] },
      ),
  ),
  books('The currency comes from the sign', shop('Order;Pieces;Price\n1;1;£7.50\n', NO_CURRENCY), {
    customs: { currency: 'GBP' },
  }),
  books(
    'The currency comes from --currency',
    shop('Order;Pieces;Price\n1;1;7.50\n', NO_CURRENCY),
    { customs: { currency: 'USD' } },
    { run: `${WEIGHED} --currency USD` },
  ),
  refuses(
    'An amount that may be two is a problem',
    shop('Order;Pieces;Price\n1;1;1.234\n'),
    'may be 1234 or 1.234',
  ),
  refuses(
    'What a spreadsheet makes of an amount is a problem',
    shop('Order;Pieces;Price\n1;1;12.May\n'),
    'must be an amount',
  ),
  books('html reads entities', cell('html', 'items[].description', '"O&#39;Brien &amp; Co"'), {
    items: [{ description: "O'Brien & Co" }],
  }),
  ...(
    [
      ['Anna Beispiel', 'Anna', 'Beispiel'],
      ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
      ['Weber, Jonas', 'Jonas', 'Weber'],
      ['Mehmet Ali Yılmaz', 'Mehmet Ali', 'Yılmaz'],
    ] as const
  ).map(([name, firstName, lastName]) =>
    receives('A full name becomes first and last name', person(name, '+49 351 1', 'DE'), {
      firstName,
      lastName,
    }),
  ),
  ...Object.entries({ Almanya: 'DE', Germany: 'DE', Österreich: 'AT', 日本: 'JP', DEU: 'DE', uk: 'GB' }).map(
    ([land, code]) =>
      receives(
        "A country's name in any language becomes its code",
        person('Anna Beispiel', '+49 351 1', land),
        { address: { country: { code } } },
      ),
  ),
  refuses('A name of no country is a problem', person('Anna Beispiel', '+49 351 1', 'Atlantis'), 'Atlantis', {
    run: ALONE,
  }),
  ...(
    [
      ['+49 351 5550100', 'DE', '+49', '3515550100'],
      ['0049351-555 0100', 'FR', '+49', '3515550100'],
      ['030 / 555 01 23', 'DE', '+49', '305550123'],
      ['06 5550100', 'IT', '+39', '065550100'],
      ['0664 1234567', 'AT', '+43', '6641234567'],
    ] as const
  ).map(([tel, land, code, number]) =>
    receives(
      'A phone number becomes code and number, a national one by the country of its address',
      person('Anna Beispiel', tel, land),
      { phone: { code, number } },
    ),
  ),
  ...(
    [
      ['g', '350', 0.35],
      ['g', '350 g', 0.35],
      ['lb', '2', 0.90718474],
      ['kg', '1,5', 1.5],
    ] as const
  ).map(([unit, weight, kg]) =>
    books(
      `${unit} becomes kilograms`,
      parcel(unit, 'weight', weight, { decimal: weight.includes(',') ? ',' : '.' }),
      { packages: [{ weight: kg }] },
      { run: RUN },
    ),
  ),
  ...(
    [
      ['mm', '305', 30.5],
      ['in', '12', 30.48],
    ] as const
  ).map(([unit, length, cm]) =>
    books(
      `${unit} becomes centimetres`,
      parcel(unit, 'dimensions.length', length),
      { packages: [{ dimensions: { length: cm } }] },
      { run: RUN },
    ),
  ),
  refuses('A transform that is none is told', cell('contry', RECEIVER, 'DE'), 'contry'),
]);

promises('What spreadsheets write', [
  books(
    'A first line sep=; is obeyed and is no header',
    shop('sep=;\r\nOrder;Pieces;Price\r\nA-1;2;12.50\r\n'),
    {
      items: [{ quantity: 2, unitPrice: 12.5 }],
    },
  ),
  {
    says: 'A key ="00123", or with an apostrophe in front, is what it shows: it is booked once',
    rig: shop('Order,Pieces,Price\n="0012345",2,12.50\n'),
    after: [WEIGHED, { write: { 'orders.csv': "Order,Pieces,Price\n'0012345,2,12.50\n" } }],
    run: WEIGHED,
    sent: [],
    json: { states: { created: 1 } },
  },
]);

const LOOKUP = {
  ...{ file: 'products.csv', by: 'Sku', key: 'SKU' },
  columns: { HS: 'items[].hsCode', grams: 'packages[0].weight' },
};
const SIDES = {
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.height': '10',
};
const TABLE = 'SKU,HS,grams\nA,610910,200\nB,650500,100\n';
const looking = (text: string, map: Map = {}, table = TABLE) =>
  shop(
    text,
    {
      lookup: LOOKUP,
      transform: { grams: 'g' },
      ...map,
      constants: { 'items[].hsCode': undefined, ...SIDES, ...map.constants },
      columns: { Code: 'items[].hsCode', ...map.columns },
    },
    { 'products.csv': table },
  );
const HEAD = 'Order,Pieces,Price,Sku,Code\n';
const lookup = (says: string, text: string, body: unknown, map: Map = {}, table = TABLE) =>
  books(says, looking(text, map, table), body, { run: RUN });
const lacks = (says: string, text: string, words: string, table = TABLE) =>
  refuses(says, looking(text, {}, table), words, { run: RUN });

promises('A product table', [
  lookup('It is joined by SKU', `${HEAD}1,1,5,A,\n`, {
    items: [{ hsCode: '610910' }],
    packages: [{ weight: 0.2 }],
  }),
  lookup('A weight is added up over the items, each times its quantity', `${HEAD}1,2,5,A,\n1,3,5,B,\n`, {
    packages: [{ weight: 0.7 }],
  }),
  lookup('The tare is added', `${HEAD}1,2,5,A,\n`, { packages: [{ weight: 0.55 }] }, { tare: '0.15kg' }),
  lookup('Empty cells only are filled', `${HEAD}1,1,5,A,999999\n`, { items: [{ hsCode: '999999' }] }),
  {
    says: 'Changed since, it makes another order of a record: a duplicate',
    rig: looking(`${HEAD}1,1,5,A,\n`),
    after: [RUN, { write: { 'products.csv': TABLE.replace('610910', '610990') } }],
    run: RUN,
    exit: 9,
    sent: [],
    json: { states: { duplicate: 1 } },
  },
  lookup(
    'A first line sep=; is obeyed in it, and a cell is what it shows',
    `${HEAD}1,1,5,="0012",\n`,
    { items: [{ hsCode: '061090' }] },
    {},
    'sep=;\nSKU;HS;grams\n\'0012;="061090";200\n',
  ),
  lacks('A SKU that is missing is a problem of its record', `${HEAD}1,1,5,X,\n`, '"X'),
  lacks(
    'A quote that swallows a product is refused',
    `${HEAD}1,1,5,A,\n`,
    'line 2: HS begins with a quote on line 2 that only a quote on line 3 ends',
    'SKU,HS,grams\nA,"610910,200\nB,650500",100\n',
  ),
  {
    ...lacks('A SKU that is missing is listed once', `${HEAD}1,1,5,X,\n2,1,5,X,\n`, ''),
    error: { issues: [{ path: expect.stringMatching(/^line 2 and line 3|^all 2/) }] },
  },
  lacks(
    'A row with more cells than its header is a problem',
    `${HEAD}1,1,5,A,\n`,
    'A',
    'SKU,HS,grams\nA,610910,200,9\n',
  ),
  lookup(
    'Equal rows of one SKU are one, and so are rows that differ in what is not looked up, as those of several stocks',
    `${HEAD}1,1,5,A,\n`,
    { items: [{ hsCode: '610910' }], packages: [{ weight: 0.2 }] },
    {},
    'SKU,HS,grams,Location\nA,610910,200,Izmir\nA,610910,200,Izmir\nA,610910,,Berlin\n',
  ),
  lacks(
    'Rows of one SKU that differ in what is looked up are a problem that names both',
    `${HEAD}1,1,5,A,\n`,
    'which has rows in products.csv that say two things: HS is \\"610910\\" and \\"610990\\"',
    `${TABLE}A,610990,200\n`,
  ),
  lookup(
    'They stop nothing where no order has that SKU',
    `${HEAD}1,1,5,A,\n`,
    { items: [{ hsCode: '610910' }] },
    {},
    `${TABLE}C,610990,200\nC,610910,200\n`,
  ),
  {
    says: 'A table that is not there is refused',
    rig: shop(`${HEAD}1,1,5,A,\n`, { lookup: LOOKUP, columns: { Code: '_' } }),
    run: RUN,
    exit: 2,
    sent: [],
    stderr: 'products.csv',
  },
]);

const STATES = 'Order,Pieces,Price,Status,Cancelled\n1,1,5,Refunded,\n2,1,6,paid,2026-11-20\n3,1,7,PAID,\n';
const left = (says: string, map: Map, keys: string[], more: Partial<Promised> = {}): Promised => ({
  says,
  rig: shop(STATES, { columns: { Status: '_', Cancelled: '_' }, ...map }),
  run: WEIGHED,
  also: ran => expect(ran.requests.length).toBe(keys.length),
  json: { leftOut: 3 - keys.length, records: keys.length },
  stderr: `the map leaves out ${3 - keys.length} of 3 orders`,
  ...more,
});

promises('skip and only', [
  left(
    'skip leaves out orders of which a row has one of these cells; case does not matter',
    { skip: { Status: ['refunded'] } },
    ['2', '3'],
  ),
  left('* is any cell', { skip: { Cancelled: ['*'] } }, ['1', '3']),
  left('Several columns count', { skip: { Status: ['refunded'], Cancelled: ['*'] } }, ['3']),
  left('only leaves out the others', { only: { Status: ['paid'] } }, ['2', '3']),
  {
    says: 'On a terminal keys and reasons are told',
    rig: shop(STATES, { columns: { Status: '_', Cancelled: '_' }, skip: { Status: ['refunded'] } }),
    run: WEIGHED.replace('--json', '--dry-run'),
    terminal: true,
    stderr: 'left out: 1: Status is "Refunded"',
  },
  {
    says: 'That all orders are left out is said',
    rig: shop(STATES, { columns: { Status: '_', Cancelled: '_' }, only: { Status: ['lost'] } }),
    run: WEIGHED,
    sent: [],
    stderr: 'leaves out all orders',
  },
]);

const BILLED = {
  'Bill name': 'billing',
  'Bill street': 'billing.address.line1',
  'Bill city': 'billing.address.city',
  'Bill zip': 'billing.address.zipCode',
  'Bill land': 'billing.address.country.code',
};
const billed = (own: string) =>
  shop(
    `Order;Pieces;Price;Name;Mail;Tel;Street;City;Zip;Land;Bill name;Bill street;Bill city;Bill zip;Bill land\n1;1;5;${own};Bernd Zahler;Ring 1;Berlin;10115;DE\n`,
    { columns: { ...PERSON, ...BILLED }, transform: { Name: 'name', 'Bill name': 'name', Tel: 'phone' } },
  );

const declares = (says: string, totalGoodsValue: number, text: string, map: Map = {}) =>
  books(says, shop(text, map), { customs: { totalGoodsValue } });

promises('Who pays, and what is paid', [
  receives(
    "Columns of who pays make the receiver's address where none of its columns has a cell",
    billed(';a@example.com;+49 30 1;;;;'),
    { firstName: 'Bernd', address: { line1: 'Ring 1', city: 'Berlin' } },
  ),
  receives(
    'They make the name where that has none',
    billed(';a@example.com;+49 30 1;Hauptstr. 7;Dresden;01067;DE'),
    { lastName: 'Zahler', address: { line1: 'Hauptstr. 7', city: 'Dresden' } },
  ),
  receives(
    'Two addresses are never mixed',
    billed('Anna Beispiel;a@example.com;+49 30 1;Hauptstr. 7;Dresden;01067;DE'),
    { firstName: 'Anna', address: { line1: 'Hauptstr. 7', city: 'Dresden', zipCode: '01067' } },
  ),
  declares('A discount is of its line, not of a piece', 26, 'Order,Pieces,Price,Off\n1,3,10,4\n', {
    columns: { Off: 'discount' },
  }),
  declares('A discount of the order comes off the value', 25, 'Order,Pieces,Price,Off\n1,1,10,5\n1,1,20,\n', {
    columns: { Off: 'orderDiscount' },
  }),
  declares('A tax that the export tells by line is taken off', 20, 'Order,Pieces,Total,Tax\n1,2,24,4\n', {
    columns: { Price: undefined, Total: 'items[].totalPrice', Tax: 'tax' },
  }),
  declares('A tax at the rate of the map is taken off', 20, 'Order,Pieces,Price\n1,2,12\n', {
    taxIncluded: '20%',
  }),
  declares('Without a value it is the sum of the items', 30, 'Order,Pieces,Price\n1,2,12\n1,1,6\n'),
  {
    ...books(
      'Three address lines become two, and none is lost',
      shop(
        'Order;Pieces;Price;Name;Mail;Tel;One;Two;Three;City;Zip;Land\n1;1;5;Anna Beispiel;a@example.com;+49 30 1;Noten GmbH;c/o Weber;Ring 7;Bonn;53111;DE\n',
        {
          columns: {
            ...PERSON,
            Street: undefined,
            One: 'receiver.address.line1',
            Two: 'receiver.address.line2',
            Three: 'receiver.address.line3',
          },
          transform: { Name: 'name', Tel: 'phone' },
        },
      ),
      { receiver: { address: { line1: 'Noten GmbH', line2: 'c/o Weber, Ring 7' } } },
    ),
    run: ALONE,
  },
  ...(
    [
      ['The state of an address in the USA stands behind its city', 'Austin', 'TX', 'US', 'Austin, TX'],
      ['A city that has its state keeps it', 'Austin, Texas', 'TX', 'US', 'Austin, Texas'],
      ['A city that is called as its state gets it', 'New York', 'NY', 'US', 'New York, NY'],
      ['A state where addresses have none is left out', 'Bonn', 'NRW', 'DE', 'Bonn'],
    ] as const
  ).map(([says, city, state, country, becomes]) => ({
    ...books(
      says,
      shop(
        `Order;Pieces;Price;Name;Mail;Tel;Street;City;State;Zip;Land\n1;1;5;Anna Beispiel;a@example.com;+49 30 123456;Ring 7;"${city}";${state};53111;${country}\n`,
        {
          columns: { ...PERSON, State: 'receiver.address.state' },
          transform: { Name: 'name', Tel: 'phone' },
        },
      ),
      { receiver: { address: { city: becomes } } },
    ),
    run: ALONE,
  })),
  refuses(
    'A tab ends a cell of a file of tabs, in quotes, too',
    shop('Order\tPieces\tPrice\n1\t"1\t1"\t9\n'),
    'line 2',
  ),
]);

const LINES = 'Order,Line,Pieces,Price\n1,A1,1,5\n1,A2,2,5\n';
const lined = (text: string) => shop(text, { line: 'Line', columns: { Line: '_' } });

const NOTES = 'Order;Name;Note;Pieces;Price\n';
const noted = (rows: string) =>
  shop(NOTES + rows, { columns: { Name: 'items[].description', Note: '_' }, skip: { Note: ['cancelled*'] } });

promises('A cell that begins with a quote', [
  refuses(
    'And swallows the next order up to its quote is a problem of its record, which names both lines',
    noted('1;"Shirt;;1;5\n2;Screen 24";;1;5\n3;Cap;;1;5\n'),
    '"line 2: Name","message":"begins with a quote on line 2 that only a quote on line 3 ends, so that rows are in it: remove both, or',
  ),
  {
    says: 'The others are sent with --skip-invalid',
    rig: noted('1;"Shirt;;1;5\n2;Screen 24";;1;5\n3;Cap;;1;5\n'),
    run: `${WEIGHED} --skip-invalid`,
    exit: 9,
    json: { states: { invalid: 1, created: 1 } },
  },
  ...each(
    { says: 'It is one in any column, of whatever rows, and whatever the map leaves out', exit: 2, sent: [] },
    [
      '"1;Shirt;;1;5\n2";Cap;;1;5\n',
      '1;Shirt;;1;"5\n2;Cap;;1;5"\n',
      '1;Shirt;"x;1;5\n2;Cap;y;1;5\n3;Cap;z";1;5\n',
      '1;Shirt;cancelled;1;"5\n2;Cap;;1;5"\n',
      '1;"Shirt;;1;5\n2;Cap;y";1;5\n',
      '1;Shirt;"x;1;5\n2;Cap";;1;5\n',
    ].map(rows => ({ rig: noted(rows), run: WEIGHED, stderr: 'so that rows are in it' })),
  ),
  refuses(
    'One that is never closed is refused with the line on which it begins',
    noted('1;Shirt;;1;5\n2;"Cap;;1;5\n3;Cap;;1;5\n'),
    'orders.csv, line 3: it is not CSV: a quote is never closed',
  ),
  refuses(
    'So is one that ends within a text, with both lines',
    noted('1;Shirt;;1;5\n2;"Cap;;1;5\n3;"Cap";;1;5\n'),
    'orders.csv, line 3: it is not CSV: text follows the closing quote of a cell on line 4',
  ),
  refuses(
    'In the header it is refused, too',
    shop('Order;Pieces;Price;"Note\n1;1;5;x"\n2;1;5;y\n', { others: '_' }),
    'line 1: the first row begins with a quote on line 1 that only a quote on line 2 ends',
  ),
  books(
    'An address or a note of several lines is what it says',
    noted('1;"Shirt, red;\nsize M; of cotton";"1 Main St;\nApt 4;\n"" ground floor""";1;5\n'),
    { items: [{ description: 'Shirt, red;, size M; of cotton' }] },
  ),
]);

promises('A file that was joined twice', [
  books('An order whose lines have ids is booked', lined(LINES), {
    items: [{ quantity: 1 }, { quantity: 2 }],
  }),
  refuses(
    'An order in which one line stands twice is a problem, which names both lines of the file',
    lined(`${LINES}\n1,A1,1,5\n`),
    '"line 2: Line","message":"is \\"A1\\" on lines 2 and 5: it is in the file twice; remove one of them',
  ),
  refuses(
    'It is one also where the map would leave the order out, and where other rows have no id',
    shop(`Order,Line,Pieces,Price,Back\n1,A1,1,5,2\n1,A1,1,5,2\n1,,1,5,2\n`, {
      line: 'Line',
      columns: { Line: '_', Back: '_' },
      skip: { Back: ['*'] },
    }),
    '"line 2: Line","message":"is \\"A1\\" on lines 2 and 3: it is',
  ),
  refuses(
    'So is one whose first row alone has the columns of the order',
    shop('Order;Currency;Pieces;Price\n1;EUR;1;5\n1;;2;5\n1;EUR;1;5\n1;;2;5\n', {
      columns: { Currency: 'customs.currency' },
      constants: { 'customs.currency': undefined },
    }),
    '"line 2: Currency","message":"stands in equal rows on lines 2 and 4: it is in the file twice; remove one of them',
  ),
  books(
    'Elsewhere it is a warning',
    shop('Order,Pieces,Price\n1,1,5\n1,1,5\n'),
    {},
    { stderr: 'two equal rows' },
  ),
  refuses(
    'The warning is exit 2 with --strict',
    shop('Order,Pieces,Price\n1,1,5\n1,1,5\n'),
    'two equal rows',
    {
      run: `${WEIGHED} --strict`,
    },
  ),
  refuses(
    'Rows of an order that do not stand together are a problem',
    shop('Order,Pieces,Price\n1,1,5\n2,1,5\n1,2,5\n'),
    'lines 2 and 4',
  ),
]);

const LATIN = Buffer.from(`Order;Pieces;Price;Cell\n1;1;5;\u00d6mer\n`, 'latin1');

promises('--encoding', [
  {
    ...books('It reads what is no UTF-8', shop(LATIN, { columns: { Cell: 'items[].description' } }), {
      items: [{ description: 'Ömer' }],
    }),
    run: `${WEIGHED} --encoding windows-1254`,
  },
  refuses(
    'Without it the option is named',
    shop(LATIN, { columns: { Cell: 'items[].description' } }),
    '--encoding',
  ),
  refuses(
    'It is the one in which the file is text',
    shop(Buffer.from('Order;Pieces;Price;Cell\n1;1;5;\xdei\xfeli\n', 'latin1')),
    '--encoding windows-1254',
  ),
  {
    ...books(
      'Names that were read in another encoding are a warning that names theirs',
      () => {
        const columns = PERSON;
        const transform = { Name: 'name', Tel: 'phone', Land: 'country' };
        const row = '1;1;5;Ada Yilmaz;a@example.com;+4935100000;Hauptstr. 7;M\x9fnchen;80331;DE';
        const text = `Order;Pieces;Price;${Object.keys(PERSON).join(';')}\n${row}\n`;
        return shop(Buffer.from(text, 'latin1'), { columns, transform })();
      },
      {},
      { stderr: ['MŸnchen', 'München', 'with --encoding macintosh'] },
    ),
    run: `${ALONE} --encoding windows-1252`,
  },
  refuses('An encoding that nobody knows is refused', shop(LATIN), '--encoding', {
    run: `${WEIGHED} --encoding turkish`,
  }),
]);
