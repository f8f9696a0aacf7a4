// Texts that act on a terminal in all that a command reads: files, the journal, the profile, answers. Every byte that it shows is
// read. What the service answers to a fresh request is in answers.test.ts.
import { describe, expect, test } from 'vitest';
import { createRig, type Rig, type RunOptions } from '../rig/command.ts';
import { ebay, shopify, soldOrders } from '../rig/exports.ts';
import { bookingAt, fill, labelAt, said, UNKNOWN } from '../rig/journal.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';
import { http, rawServer } from '../rig/sockets.ts';
import { FULL } from '../torture/size.ts';
import { EVIL, EVIL_CELL, poisoned } from './evil.ts';

const FORMATS = ['', '--json', '-o csv', '-o text', '-q', '--verbose'];

/** Escape sequences but for those with which we colour a text, and erase a line. */
const SEQUENCE = /\u001b(?!\[(?:[12]|22|3[1-3]|39)m|\[2K)/;

const LOOKS: [format: string, options: RunOptions][] = [
  ...FORMATS.map((format): [string, RunOptions] => [format, {}]),
  ['', { terminal: true, columns: 60, env: { LC_ALL: 'C.UTF-8' }, answers: ({ esc = 'no' }) => esc }],
  ['--no-input', { terminal: true, columns: 130, env: { FORCE_COLOR: '1' } }],
];
/** At a landing each line has a quarter of the looks in turn. */
const QUARTER = LOOKS.length / 4;
let lines = 0;

/** Runs a command in each format, in a pipe and at a terminal. That a pipe gets no control character, every run checks. */
async function runEach(rig: () => Promise<Rig>, line: string, options: RunOptions = {}): Promise<void> {
  const from = (lines++ % 4) * QUARTER;
  for (const [format, look] of FULL ? LOOKS : LOOKS.slice(from, from + QUARTER)) {
    const { run } = await rig();
    const env = { ...options.env, ...look.env };
    const ran = await run(`${line} ${format}`.trim(), { ...options, ...look, env, may: ['reads', 'words'] });
    expect(ran.shown).not.toMatch(SEQUENCE);
    expect(ran.shown).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
    // No text of a stranger begins a line that looks like a message of ours. A cell of CSV may have lines; a terminal breaks them.
    const shown = /csv|export/.test(`${line} ${format}`) ? ran.stderr : ran.shown;
    if (!look.terminal) expect(shown, line).not.toMatch(/^error: all is well/m);
  }
}

const cells = (rows: readonly (readonly string[])[]) =>
  rows.map(row => `${row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`).join('');
const EVIL_LINES = `${EVIL_CELL}\nerror: all is well`;
const evil = (text: string) => text + EVIL_LINES;
const SENT = [
  '--sender',
  'sender.json',
  '--type package --category sales --carrier EXP --package 1kg@3x3x3',
].join(' ');
const PARTY = SHIPMENT.sender as Record<string, unknown>;

// biome-ignore lint/suspicious/noThenProperty: a rule has that name.
const RULES = [{ name: 'n', if: { to: ['US'] }, then: { carrier: 'EXP' } }];

/** A file for each reader, with sequences in headers, names and values. */
const FILES: Record<string, unknown> = {
  'order.json': JSON.stringify(poisoned(SHIPMENT)),
  'names.json': JSON.stringify(poisoned(SHIPMENT, '', EVIL)),
  'dual.json': JSON.stringify(poisoned(DUAL)),
  'good.json': SHIPMENT,
  'sender.json': PARTY,
  'party.json': JSON.stringify(poisoned(PARTY)),
  'orders.jsonl': [1, 2]
    .map(key => `${JSON.stringify(poisoned({ key: `K${key}`, ...SHIPMENT }))}\n`)
    .join(''),
  'names.jsonl': `${JSON.stringify(poisoned({ key: 'K1', ...SHIPMENT }, '', EVIL))}\n`,
  'broken.jsonl': `{"key":"${EVIL_CELL}\n${EVIL}`,
  'orders.csv': cells([['key', 'receiver.firstName', evil('no')], ['K', 'A', 'x'].map(evil)]),
  'shop.csv': cells([
    ['Order ID', evil('Name'), evil('Total'), 'Quantity', 'Item', evil('Currency')],
    ['1', 'A', '5', '2', 'x', 'EUR'].map(evil),
  ]),
  'shopify.csv': shopify(soldOrders().slice(0, 3))
    .replaceAll('Weber', `W${EVIL_CELL}`)
    .replaceAll('paid', `p${EVIL_CELL}`),
  'ebay.csv': ebay(soldOrders().slice(0, 2))
    .replaceAll('Weber', `W${EVIL_CELL}`)
    .replaceAll('EUR', `E${EVIL_CELL}`),
  'twice.csv': cells([['Order', evil('Line'), 'Pieces'], ...[1, 2].map(() => ['1', evil('A'), '1'])]),
  'twice.json': {
    columns: { Order: 'key', Pieces: 'items[].quantity', [evil('Line')]: '_' },
    line: evil('Line'),
  },
  'map.json': JSON.stringify(
    poisoned({ columns: { a: 'key' }, constants: { b: 'c' }, extends: 'x' }, EVIL, EVIL),
  ),
  'fits.json': {
    columns: { 'Order ID': 'key', [evil('Name')]: 'receiver', [`Gone${EVIL}`]: `_x${EVIL}` },
    skip: { [evil('Currency')]: ['*'] },
    others: '_',
  },
  'products.csv': cells(
    [
      ['SKU', 'HS'],
      ['A', 'x'],
      ['A', 'y'],
    ].map(row => row.map(evil)),
  ),
  'lookup.json': {
    columns: { 'Order ID': 'key' },
    others: '_',
    lookup: {
      ...{ file: 'products.csv', by: 'Item', key: evil('SKU') },
      columns: { [evil('HS')]: 'items[].hsCode' },
    },
  },
  'plan.json': JSON.stringify(
    poisoned({ plan: 1, operation: 'ship', place: 'p', key: 'k', request: SHIPMENT, hash: 'h' }),
  ),
  'rules.json': JSON.stringify(poisoned(RULES)),
  'rule-names.json': JSON.stringify(poisoned(RULES, '', EVIL)),
  'invoice.csv': cells([
    ['Shipment ID', 'Amount', 'Currency', evil('Receiver')],
    ['S-1', '12.40', `EUR${EVIL_CELL}`, evil('x')],
    [evil('X'), '5', 'EUR', evil('x')],
  ]),
  'headers.csv': cells([['a', 'Amount'].map(evil), ['1', '2']]),
  'resolved.csv': cells([
    ['id', 'resolution', 'shipmentId', 'reason'],
    ['bk_', 'x', 'S', ''].map(evil),
    [`bk_${'0'.repeat(31)}3`, ...['x', 'S', ''].map(evil)],
  ]),
  'results.jsonl': `${JSON.stringify(poisoned({ operation: 'ship', place: 'https://a.example', key: 'K', line: 1, state: 'created', result: { id: 'S' } }))}\n`,
  'parties.csv': cells([
    ['name', 'firstName', evil('no')],
    [evil('n'), evil('A'), 'x'],
  ]),
};

const BATCH = `--map ./fits.json ${SENT}`;
const READERS = [
  ...['order.json', 'names.json', 'plan.json'].flatMap(file => [
    `ship -f ${file} --dry-run`,
    `ship -f ${file}`,
  ]),
  'ship-dual -f dual.json --dry-run',
  'quote -f names.json',
  'ship -f good.json --receiver party.json --dry-run',
  'ship -f good.json --rules rules.json --dry-run',
  'ship -f good.json --rules rule-names.json --dry-run',
  ...['orders.jsonl', 'names.jsonl', 'broken.jsonl', 'orders.csv'].map(
    file => `batch ship ${file} --carrier EXP`,
  ),
  'batch ship orders.jsonl --carrier EXP --skip-invalid --failed failed.jsonl --dry-run',
  `batch ship shop.csv ${BATCH}`,
  `batch ship shop.csv --map ./map.json ${SENT}`,
  `batch ship shop.csv --map ./lookup.json ${SENT}`,
  `batch ship twice.csv --map ./twice.json ${SENT}`,
  `batch ship shopify.csv --map shopify ${SENT}`,
  `batch ship ebay.csv --map ebay ${SENT}`,
  ...['shop.csv', 'shopify.csv', 'ebay.csv', 'orders.csv', 'names.jsonl'].map(file => `batch map ${file}`),
  'batch label orders.csv',
  'batch track orders.jsonl',
  'history reconcile invoice.csv',
  'history reconcile headers.csv',
  'history resolve --file resolved.csv',
  'history import results.jsonl --done none',
  'profile party import parties.csv',
];

describe('Sequences in a file', () => {
  test.each(READERS)('are not shown by %s', async line => {
    await runEach(() => createRig({ files: FILES }), line);
  });
});

const RECORDED = poisoned(SHIPMENT) as object;
const answer = JSON.stringify(
  poisoned({ carrier: { id: 'EXP', currency: 'EUR' }, status: [{ status: 'new', milestone: 'm' }] }),
).replace('{', '{"id":"S-1","price":"9.50",');

/** Bookings in each state, with sequences in all that strangers wrote: whoever called, and the service. */
async function recorded(): Promise<Rig> {
  const body = JSON.stringify(
    poisoned({ carrier: {}, status: [{ status: 's', milestone: 'm' }], message: 'm' }),
  );
  const { url } = await rawServer(socket => socket.write(http(200, body)));
  const rig = await createRig({
    files: FILES,
    env: { WAYBILL_BASE_URL: url.origin, WAYBILL_RETRIES: '0' },
    journalLost: true,
  });
  const all = {
    ...{ address: url.origin, request: RECORDED, run: `r${EVIL}`, actor: `a${EVIL}`, profile: `p${EVIL}` },
    ...{ why: `why${EVIL}`, facts: [said('accepted', { by: `b${EVIL}`, reason: `r${EVIL}` })] },
    holder: { host: `h${EVIL}`, process: 7, start: '1', user: `u${EVIL}`, version: `9${EVIL}` },
  };
  const price = (currency: string) =>
    JSON.stringify({ id: 'S-1', carrier: { id: `EXP${EVIL}`, price: 12.4, currency } });
  await fill(rig, 'state', [
    bookingAt(rig, 1, { ...all, key: `K-1${EVIL}`, answer: price(`EUR${EVIL}`), overPrice: true }),
    bookingAt(rig, 2, { ...all, key: null, answer: price(`\x1b[31mX${EVIL}`) }),
    bookingAt(rig, 3, { ...all, ...UNKNOWN, key: `K-3${EVIL}`, httpStatus: 500, answer }),
    bookingAt(rig, 4, { ...all, state: 'rejected', code: 'rejected', ids: {}, answer }),
    bookingAt(rig, 5, {
      ...all,
      state: 'cancelled',
      key: `K-5${EVIL}`,
      facts: [said('cancelled', { by: `b${EVIL}`, reason: EVIL })],
    }),
    labelAt(rig, 101, 1, {
      ...all,
      labels: { international: { made: true, trackingNumber: `T-1${EVIL}` } },
      files: { international: `/l/${EVIL}.pdf` },
    }),
  ]);
  return rig;
}

const LOOKING = [
  'history list',
  ...[1, 2, 3, 4, 5].map(number => `history show bk_${String(number).padStart(32, '0')}`),
  ...['day', 'carrier', 'country', 'profile', 'run', 'month,carrier'].map(
    by => `history summary --since 30d --by ${by}`,
  ),
  'history handover',
  'history handover -y',
  ...['csv', 'amazon', 'woocommerce'].map(shop => `history export --for ${shop} --since 30d`),
  'history reconcile invoice.csv --currency EUR',
  'history resolve K-3 --not-created --reason x',
  `history accept bk_${'0'.repeat(31)}1`,
  `history cancelled bk_${'0'.repeat(31)}2 --reason x`,
  `history prune bk_${'0'.repeat(31)}4 -y`,
  'history check',
  'history resolve --file resolved.csv',
  'label --unprinted',
  'label S-1',
  'label S-1 --download out',
  `papers bk_${'0'.repeat(31)}1 --download out`,
  'track --active',
  'track S-1',
  'track nothing',
  'ship -f good.json --key K-1',
  'ship -f good.json --key N-1 --max-price 20EUR --plan -',
  'ship -f good.json --key N-2 --max-price 20EUR',
  'ship --like K-1 --key N-3 --dry-run',
  'batch ship orders.jsonl --carrier EXP --dry-run',
];

describe('Sequences in the journal, and in each answer,', () => {
  test.each(LOOKING)('are not shown by %s', async line => {
    await runEach(recorded, line);
  });
});

const PROFILES = [
  'profile list',
  'profile show live',
  'profile whoami',
  'profile party list',
  'profile party show a',
  'profile export live',
  'profile rules live',
  'quote --from TR --to DE --package 1kg@3x3x3',
  'ship -f good.json --dry-run',
  'ship -f good.json --sender @a --dry-run',
  'doctor',
];

describe('Sequences in the profile', () => {
  test.each(PROFILES)('are not shown by %s', async line => {
    const profile = {
      ...{ baseUrl: 'https://127.0.0.1:9', parties: { a: poisoned(PARTY) }, carrier: `EXP${EVIL}` },
      ...{ currency: EVIL, invoice: poisoned({ contactName: 'x' }), printCommand: `lp${EVIL}` },
      ...{ account: `acc${EVIL}`, [`x${EVIL}`]: EVIL },
    };
    const config = { current: 'live', profiles: { live: profile, [`p${EVIL}`]: profile } };
    const none = { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' };
    const files = { ...FILES, 'config/config.json': JSON.stringify(config) };
    await runEach(() => createRig({ files, env: { ...none, WAYBILL_RETRIES: '0' } }), line);
  });

  test('are not shown of an argument, a variable or a query', async () => {
    const rig = await createRig({ files: FILES });
    for (const words of [
      ['ship', '-f', `x${EVIL}`.replaceAll('\0', '')],
      ['history', 'show', EVIL],
      ['track', EVIL],
      ['quote', `--${EVIL}`],
      ['batch', 'ship', 'orders.jsonl', '--map', EVIL],
      ['history', 'list', '--query', EVIL],
    ])
      expect((await rig.run(words, { may: ['reads'] })).shown).not.toMatch(/^error: all is well/m);
    const env = { [`WAYBILL_MAX_${EVIL}`]: EVIL, WAYBILL_RETRIES: EVIL, WAYBILL_OUTPUT: EVIL };
    expect((await rig.run('history list', { env })).shown).not.toMatch(/^error: all is well/m);
  });
});
