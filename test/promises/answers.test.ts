import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { jsonLines, orders } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { errorOf, PROPOSALS } from '../rig/service.ts';
import { served } from '../rig/sockets.ts';
import {
  answering,
  BOOKED,
  bookingOf,
  charging,
  failing,
  files,
  offering,
  pairing,
  QUOTED,
  SHIP,
  shipping,
} from './begin.ts';
import { HOOK, PARCEL } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

const QUOTE = `quote ${PARCEL}`;
const TRACKED = {
  id: 'S-1',
  status: [{ status: 'on_its_way', milestone: 'in_transit', date: '2026-03-02T10:00:00Z' }],
  odd: { deep: [1, null] },
};
const two = answering({
  '/v1/shipments/S-1': { status: 200, body: TRACKED },
  '/v1/shipments/S-2': { status: 200, body: { ...TRACKED, id: 'S-2' } },
  '/v1/shipments/S-3': { status: 404, body: {} },
});
const LABEL = { success: true, international: { success: true, label: 'https://a.example/l.pdf' } };
const label = answering({ '/v2/carriers/create': { status: 200, body: LABEL } });
const PAIR = { international: { shipment: { id: 'I-1' } }, domestic: { shipment: { id: 'D-1' } } };
const hook = (data: object) =>
  answering({ '/webhooks/subscriptions': { status: 201, body: { success: true, data } } });
const HOOKED = { id: 'W-1', secret: 'given-once-1', token: 'given-once-2' };

const AB = offering({ id: 'A', price: 1 }, { id: 'B', price: 2 });

promises('stdout and stderr', [
  {
    says: 'A warning goes to stderr, and stdout is the result alone',
    rig: files,
    run: `${SHIP} --set customs.totalGoodsValue=1 --json`,
    stderr: '"warning":',
    json: { carrier: { id: 'EXP' } },
  },
  ...each({ rig: files }, [
    { says: 'Progress goes to stderr', run: `${SHIP} --label --json`, json: { label: { success: true } } },
    {
      says: 'What was chosen is told on stderr',
      run: 'ship open.json --carrier EXP --key A-1 --json',
      stderr: 'chargeable weight',
      json: { carrier: { id: 'EXP' } },
    },
  ]),
  ...each({ says: 'An error is one paragraph: what happened, why, what to do next', stdout: /^$/ }, [
    { run: 'track gone', exit: 4, stderr: /^error: track: .*404.*\n$/ },
    {
      rig: failing('500'),
      run: SHIP,
      exit: 8,
      stderr: /^error: ship: sent, but .*answered 500.*`waybill history show bk_\w+`.*\n$/,
    },
  ]),
]);

promises('JSON', [
  {
    says: "JSON is the service's own body, every field kept, unknown ones too",
    rig: shipping({ id: 'S-1', odd: { deep: [1, null, '0.10'] }, ok: true }),
    run: `${SHIP} --json`,
    also: ({ stdout }) =>
      expect(JSON.parse(stdout)).toEqual({ id: 'S-1', odd: { deep: [1, null, '0.10'] }, ok: true }),
  },
  {
    says: 'JSON of a read is the body as well',
    rig: two,
    run: 'track S-1 -o json',
    also: ({ stdout }) => expect(JSON.parse(stdout)).toEqual(TRACKED),
  },
  {
    says: 'JSON of proposals keeps each field',
    rig: offering({ id: 'A', price: 1, odd: 'x' }),
    run: `${QUOTE} --json`,
    json: { chargeableWeight: 5, proposals: [{ id: 'A', odd: 'x' }] },
  },
  {
    says: 'JSON of several shipments is an array, a failed one with its id and error',
    rig: two,
    run: 'track S-2 S-3 S-1 --json',
    exit: 9,
    error: { code: 'partial' },
    json: [{ id: 'S-2' }, { id: 'S-3', error: { code: 'not_found', exitCode: 4 } }, { id: 'S-1' }],
  },
  {
    says: 'JSON of a batch is the summary',
    rig: { files: { 'orders.jsonl': jsonLines(orders(2)) } },
    run: 'batch ship orders.jsonl --json',
    json: { operation: 'ship', records: 2, sent: 2, states: { created: 2 }, exitCode: 0 },
  },
  ...each({ says: 'jsonl is a line each' }, [
    { rig: two, run: 'track S-1 S-2 -o jsonl', stdout: /^\{"id":"S-1",.*\}\n\{"id":"S-2",.*\}\n$/ },
    { rig: AB, run: `${QUOTE} -o jsonl`, stdout: /^\{.*"id":"A".*\}\n\{.*"id":"B".*\}\n$/ },
    { rig: shipping({ id: 'S-1' }), run: `${SHIP} -o jsonl`, stdout: /^\{"id":"S-1"\}\n$/ },
  ]),
  ...each({ says: 'csv is a header and a row each' }, [
    {
      rig: shipping({ id: 'S-1', carrier: { id: 'EXP', price: '0.10' } }),
      run: `${SHIP} -o csv`,
      stdout: /^id,carrier\.id,carrier\.price\r?\nS-1,EXP,0\.10\r?\n$/,
    },
    { rig: AB, run: `${QUOTE} -o csv`, stdout: /^.*\bid\b.*\r?\n.*\bA\b.*\r?\n.*\bB\b.*\r?\n$/ },
  ]),
  ...each(
    { says: 'text is values with tabs between them, with the name of what they are part of', exit: 0 },
    [
      {
        rig: offering({ id: 'A', price: 1, name: 'a' }, { id: 'B', price: 2, name: 'b' }),
        run: `${QUOTE} -o text`,
        stdout: /^5\nPROPOSALS\t.*\bA\b.*\nPROPOSALS\t.*\bB\b.*\n$/,
      },
      {
        rig: shipping({ id: 71, carrier: { id: 'EXP', price: '0.10' } }),
        run: `${SHIP} -o text`,
        stdout: /^71\nCARRIER\tEXP\t0\.10\n$/,
      },
      {
        rig: pairing({
          domestic: { shipment: { id: 'D' } },
          international: { shipment: { id: 'I' } },
          more: 1,
        }),
        run: 'ship-dual pair.json --key P-1 -o text',
        stdout: /^1\nSHIPMENT\tD\nSHIPMENT\tI\n$/,
      },
      {
        rig: pairing({ domestic: { shipment: { id: 'D' } }, international: { shipment: { id: 'I' } } }),
        run: 'ship-dual pair.json --key P-1 -o text --query *.shipment.id',
        stdout: /^D\tI\n$/,
      },
    ],
  ),
  ...['=1+1', '+1+1', '-1+1', '@SUM(1)'].map(note => ({
    says: `csv neutralises a formula of a spreadsheet (${note})`,
    rig: shipping({ id: 'S-1', note }),
    run: `${SHIP} -o csv`,
    stdout: `S-1,'${note}`,
  })),
]);

const LONG = 'A very long name of a carrier that fits no narrow terminal, whatever is left out of it';

promises('A table', [
  ...each({ run: QUOTE }, [
    {
      says: 'A table has text of the service without control characters',
      rig: offering({ id: 'A', price: 1, name: '\u001b[31mred\u202e\u0007' }),
      stdout: 'red',
      lacks: ['\u001b', '\u202e', '\u0007'],
    },
    {
      says: 'Width follows the terminal',
      rig: offering({ id: 'A', price: 1, name: LONG }),
      terminal: true,
      columns: 60,
      env: { NO_COLOR: '1' },
      also: ({ stdout }) =>
        expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60),
    },
    { says: 'Piped, nothing is cut', rig: offering({ id: 'A', price: 1, name: LONG }), stdout: LONG },
  ]),
  {
    says: 'A command in a message is longer than the terminal is wide rather than broken, so that it can be copied',
    run: 'history show A-9',
    terminal: true,
    columns: 15,
    exit: 4,
    stderr: '`waybill history list`',
  },
  {
    says: 'A message has text of the service without control characters',
    rig: answering({ '/v1/shipments': { status: 422, body: { message: 'no \u001b[31mstreet\u202e' } } }),
    run: SHIP,
    exit: 5,
    stderr: 'street',
    lacks: ['\u001b', '\u202e'],
  },
]);

promises('Quiet output', [
  ...each({ stderr: /^$/ }, [
    { says: 'Quiet, `quote` is the ids of carriers', rig: AB, run: `${QUOTE} -q`, stdout: /^A\nB\n$/ },
    {
      says: 'Quiet, `ship` is the id of the shipment',
      rig: shipping({ id: 'S-1' }),
      run: `${SHIP} -q`,
      stdout: /^S-1\n$/,
    },
    {
      says: 'Quiet, `ship-dual` is both ids, the international one first',
      rig: pairing(PAIR),
      run: 'ship-dual pair.json --key P-1 -q',
      stdout: /^I-1\nD-1\n$/,
    },
    {
      says: 'Quiet, `label` is links',
      rig: label,
      run: 'label --international S-1 -q',
      stdout: /^https:\/\/a\.example\/l\.pdf\n$/,
    },
    {
      says: 'Quiet, `label` is files where they are saved',
      rig: files,
      after: [SHIP],
      run: 'label --key A-1 --download labels -q',
      stdout: /^\S*labels\/A-1\.pdf\n$/,
      files: { 'labels/A-1.pdf': /^%PDF-/ },
    },
    ...each({ run: 'track S-1 -q' }, [
      { says: 'Quiet, `track` is the newest milestone', rig: two, stdout: /^in_transit\n$/ },
      {
        says: 'Quiet, the newest milestone is the newest by its date',
        rig: answering({
          '/v1/shipments/S-1': {
            status: 200,
            body: {
              id: 'S-1',
              status: [
                { status: 'b', milestone: 'delivered', date: '2026-03-02T10:00:00Z' },
                { status: 'a', milestone: 'in_transit', date: '2026-03-01T10:00:00Z' },
              ],
            },
          },
        }),
        stdout: /^delivered\n$/,
      },
    ]),
    { says: 'Quiet, `webhook create` is the id', rig: hook(HOOKED), run: `${HOOK} -q`, stdout: /^W-1\n$/ },
  ]),
]);

promises('The line of a booking', [
  {
    says: 'With JSON output a booking has one line on stderr with all of its facts',
    rig: shipping({ id: 'S-1', carrier: { id: 'EXP', price: 52.9, currency: 'EUR' } }),
    run: `${SHIP} --json --run night --actor anna`,
    also(ran) {
      expect(ran.stderr.match(/^\{"booking":/gm)).toHaveLength(1);
      expect(bookingOf(ran)).toMatchObject({
        ...{ id: expect.stringMatching(/^bk_/), operation: 'ship', place: expect.stringMatching(/^http/) },
        ...{ sandbox: false, key: 'A-1', state: 'created', exitCode: 0, sent: true, carrier: 'EXP' },
        ...{ price: 52.9, currency: 'EUR', overPrice: null, shipmentIds: ['S-1'], trackingNumbers: [] },
        ...{ labelFiles: [], run: 'night', actor: 'anna' },
      });
    },
  },
  {
    says: 'The line of a booking says `sent: false` where the recorded answer is shown again',
    rig: files,
    after: [SHIP],
    run: `${SHIP} --json`,
    sent: [],
    also: ran => expect(bookingOf(ran)).toMatchObject({ sent: false, state: 'created', key: 'A-1' }),
  },
  ...each(
    {
      says: 'The line of a booking comes before that of an error',
      stderr: /\{"booking":.*\n\{"error":.*\n$/,
    },
    [
      { rig: failing('500'), run: `${SHIP} --json`, exit: 8 },
      { rig: charging(499), run: `${SHIP} --max-price 60EUR --json`, exit: 11 },
      { rig: failing('422'), run: `${SHIP} --json`, exit: 5 },
    ],
  ),
  {
    says: 'The line of a booking in the sandbox says so',
    rig: files,
    run: `${SHIP} --sandbox --json`,
    also: ran => expect(bookingOf(ran)).toMatchObject({ sandbox: true, state: 'created' }),
  },
  {
    says: 'The line of a label has its file and tracking number',
    rig: files,
    after: [SHIP],
    run: 'label A-1 --download labels --json',
    also: ran =>
      expect(bookingOf(ran)).toMatchObject({
        ...{ operation: 'label', trackingNumbers: [expect.any(String)] },
        labelFiles: [expect.stringContaining('labels/A-1.pdf')],
      }),
  },
  {
    says: 'A batch has no such lines',
    rig: { files: { 'orders.jsonl': jsonLines(orders(1)) } },
    run: 'batch ship orders.jsonl --json',
    lacks: '{"booking":',
  },
  { says: 'Quiet, there is no such line', rig: files, run: `${SHIP} --json -q`, lacks: '{"booking":' },
  {
    says: 'What was not sent has no such line',
    rig: files,
    run: `${SHIP} --json --retries 0`,
    env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' },
    exit: 7,
    lacks: '{"booking":',
  },
  {
    says: '`ship --label` has a line for the shipment and one for its label',
    rig: files,
    run: `${SHIP} --label --download labels --json`,
    stderr: [
      /^\{"booking":.*"operation":"ship".*"trackingNumbers":\[\],"labelFiles":\[\]/m,
      /^\{"booking":.*"operation":"label".*"key":"A-1".*"sent":true.*A-1\.pdf/m,
    ],
  },
  {
    says: 'The line of a subscription has no shipments',
    run: `${HOOK} --json`,
    also: ran => expect(bookingOf(ran)).toMatchObject({ operation: 'webhook-create', shipmentIds: [] }),
  },
]);

/** Chosen for at most three days. */
const within = (deliveryTime: unknown, days: number, exit: number): Promised => ({
  says: `A delivery time of ${JSON.stringify(deliveryTime)} is ${exit === 0 ? '' : 'not '}within ${days} days`,
  rig: offering({ id: 'A', price: 1, deliveryTime }),
  run: `ship open.json --carrier cheapest --max-days ${days} --key A-1`,
  exit,
  sent: exit === 0 ? [QUOTED, BOOKED] : [QUOTED],
});

promises('How proposals are read', [
  ...[{ a: 1 }, 'none', null, 7].flatMap(proposals =>
    each(
      {
        says: `Proposals that are no list (${JSON.stringify(proposals)}) are exit 7`,
        rig: answering({
          [PROPOSALS]: { status: 201, body: { proposals } },
          '/api/v1/shipping/rates': { status: 200, body: { proposals } },
        }),
        exit: 7,
        error: { code: 'unavailable' },
      },
      [`${QUOTE} --json`, `rates ${PARCEL} --json`],
    ),
  ),
  ...[false, 'true', 1, null, undefined, {}].map(isValid => ({
    says: `A proposal whose isValid is ${JSON.stringify(isValid)} is not bookable`,
    rig: offering({ id: 'BAD', price: 1, isValid }, { id: 'GOOD', price: 9 }),
    run: `${QUOTE} --cheapest -q`,
    stdout: /^GOOD\n$/,
  })),
  within(3, 3, 0),
  within('3', 3, 0),
  within('3 business days', 3, 0),
  within('1 week', 7, 0),
  within('1 week', 6, 4),
  within('72 hours', 3, 0),
  within('73 hours', 3, 4),
  within('49 hours', 3, 0),
  within('49 hours', 2, 4),
  within('1-3 days', 3, 0),
  within('1-4 days', 3, 4),
  within('soon', 99, 4),
  within(null, 99, 4),
  {
    says: 'A delivery time that cannot be read sorts last',
    rig: offering({ id: 'A', price: 1, deliveryTime: 'soon' }, { id: 'B', price: 2, deliveryTime: '9 days' }),
    run: `${QUOTE} --sort speed -q`,
    stdout: /^B\nA\n$/,
  },
  {
    says: 'A price below 0 is probably missing, and is not shown',
    rig: answering({
      '/v1/shipments/S-1': {
        status: 200,
        body: { id: 'S-1', carrier: { name: 'Express', price: -1000, currency: 'EUR' } },
      },
    }),
    run: 'track S-1',
    stdout: /^Carrier +Express$/m,
  },
  {
    says: 'The fastest takes the fewest days at the most',
    rig: offering(
      { id: 'A', price: 1, deliveryTime: '1-9 days' },
      { id: 'B', price: 2, deliveryTime: '2 - 3 days' },
      { id: 'C', price: 3, deliveryTime: '10 days' },
    ),
    run: `${QUOTE} --sort speed -q`,
    stdout: /^B\nA\nC\n$/,
  },
  {
    says: 'Prices are sorted within their currency',
    rig: offering(
      { id: 'A', price: 3, currency: 'USD' },
      { id: 'B', price: 20, currency: 'EUR' },
      { id: 'C', price: '9', currency: 'EUR' },
      { id: 'D', price: 1, currency: 'USD' },
    ),
    run: `${QUOTE} --sort price -q`,
    stdout: /^C\nB\nD\nA\n$/,
  },
  ...each(
    {
      says: 'What is chosen can be booked for this order: another carrier is left out, and said',
      rig: files,
    },
    [
      {
        run: 'ship open.json --carrier cheapest --key A-1',
        body: { carrier: { id: 'EXP' } },
        stderr: /ECO .* is left out: customs\.iossNumber is required/,
      },
      {
        run: 'ship open.json --carrier cheapest --ioss-number IM2760000742 --key A-1',
        body: { carrier: { id: 'ECO' } },
      },
    ],
  ),
  {
    says: 'A price of 0 is not the cheapest where another carrier has a price',
    rig: offering({ id: 'FREE', price: 0 }, { id: 'B', price: 2 }),
    run: `${QUOTE} --cheapest -q`,
    stdout: /^B\n$/,
  },
  {
    says: 'A price of 0 is taken where no other has a price, with a warning',
    rig: offering({ id: 'FREE', price: 0 }, { id: 'B', price: null }),
    run: `${QUOTE} --cheapest -o text --query proposals[].id`,
    stdout: 'FREE',
    stderr: 'FREE',
  },
  ...['EKONOM\u0130', 'EKONOM\u0130'.normalize('NFD'), 'Ekonomi'].map(serviceType => ({
    says: `Words of the service are compared in small letters, without the dot of İ (${serviceType})`,
    rig: offering({ id: 'E', price: 3, serviceType }, { id: 'X', price: 2 }),
    run: `${QUOTE} --service ekonomi -q`,
    stdout: /^E\n$/,
  })),
  ...each({ says: 'Numbers as text and text as numbers are read alike' }, [
    { rig: offering({ id: 17, price: '1.50' }), run: `${QUOTE} --cheapest -q`, stdout: /^17\n$/ },
    {
      rig: offering({ id: 'A', price: '20.00' }),
      run: 'ship open.json --carrier A --max-price 20EUR --key A-1',
    },
    {
      rig: answering({
        [PROPOSALS]: {
          status: 201,
          body: {
            chargeableWeight: '5.5',
            proposals: [{ id: 'A', isValid: true, price: 1, currency: 'EUR' }],
          },
        },
        '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      }),
      run: 'ship open.json --carrier A --key A-1',
      stderr: '5.5 kg',
    },
    {
      rig: shipping({ id: 4711, carrier: { id: 7, price: '12.40', currency: 'EUR' } }),
      run: `${SHIP} -q`,
      stdout: /^4711\n$/,
    },
  ]),
]);

const packed = (coding: string, pack: (text: string) => Buffer) => async () => {
  const address = await served(async (request, response) => {
    await request.toArray();
    response.writeHead(201, { 'content-encoding': coding }).end(pack('{"id":"S-1"}'));
  });
  return createRig({ ...files, env: { WAYBILL_BASE_URL: address } });
};

promises('How the answer of a booking is read', [
  ...each({ run: `${SHIP} -q`, stdout: /^S-1\n$/ }, [
    ...['data', 'result', 'shipment'].map(name => ({
      says: `An id is read inside ${name}`,
      rig: shipping({ success: true, [name]: { id: 'S-1' } }),
    })),
    ...Object.entries({ gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }).map(
      ([coding, pack]) => ({
        says: `A body that comes packed (${coding}) is unpacked`,
        rig: packed(coding, pack),
      }),
    ),
    {
      says: 'An answer of `ship` that names two ids is warned of with both',
      rig: shipping({ id: 'S-1', shipmentId: 'S-9' }),
      stderr: 'S-1 at id and S-9 at shipmentId',
    },
  ]),
  ...each({ run: `${SHIP} --json`, exit: 8, error: { code: 'outcome_unknown' } }, [
    ...[
      { rig: shipping({ shipmentId: 'X-1' }), stderr: 'X-1 at shipmentId' },
      {
        rig: shipping({ data: { id: 'X-1' }, result: { id: 'X-2' } }),
        stderr: 'X-1 at data.id, X-2 at result.id',
      },
      { rig: shipping({ shipments: [{ id: 'X-1' }] }), stderr: 'X-1 at shipments[0].id' },
      { rig: shipping({}) },
      { rig: shipping([{ id: 'X-1' }]), stderr: 'X-1 at [0].id' },
    ].map(row => ({ says: 'Else the booking is unknown, and the ids seen are named', ...row })),
    ...['S-\u0007 1', 'S-\ud83d', 'S-\ufffd9'].map(id => ({
      says: `An id that is no whole text (${JSON.stringify(id)}) makes a booking unknown`,
      rig: shipping({ id }),
    })),
    {
      says: 'An id of more than 200 characters makes a booking unknown, and is named shortened',
      rig: shipping({ id: 'x'.repeat(201) }),
      stderr: /x{59}…\\" of 201 characters/,
      also: ran => expect(errorOf(ran).message).not.toContain('x'.repeat(100)),
    },
    {
      says: 'A body that unpacks beyond the bound is not read: the booking is unknown',
      rig: packed('gzip', () => gzipSync(Buffer.alloc(3_000_000))),
      stderr: 'larger than',
    },
  ]),
  {
    says: 'What is not needed of an answer may be anything',
    rig: shipping({ id: 'S-1', carrier: [7], status: 'odd', receiver: [], createdAt: {} }),
    run: SHIP,
    stdout: 'S-1',
  },
  {
    says: 'A subscription without its secret is exit 9, with what is missing',
    rig: hook({ id: 'W-1', token: 'given-once-2' }),
    run: `${HOOK} --json`,
    exit: 9,
    error: { code: 'partial', created: true, message: expect.stringContaining('the answer has no secret') },
    json: { data: { id: 'W-1' } },
  },
  {
    says: 'An id may have 200 characters',
    rig: shipping({ id: 'é'.repeat(200) }),
    run: `${SHIP} -q`,
    stdout: 'é'.repeat(200),
  },
  {
    says: 'A credential that the service repeats is masked where it is shown',
    rig: shipping({ id: 'S-1', note: `for ${SECRET}` }),
    run: `${SHIP} --json`,
    json: { note: 'for ••••' },
  },
  {
    says: 'A credential that the service repeats is masked where it is kept',
    rig: shipping({ id: 'S-1', note: `for ${SECRET}` }),
    after: [SHIP],
    run: 'history show A-1 --json',
    json: { answer: { note: 'for ••••' } },
  },
  {
    says: 'An answer of `ship` that names another receiver is warned of: the booking is created',
    rig: shipping({ id: 'S-1', receiver: { country: 'FR', city: 'Paris' } }),
    run: SHIP,
    stderr: /warning: .*another receiver, .*FR/,
  },
  {
    says: 'The raw body of an answer that cannot be read is kept',
    rig: failing('html'),
    after: [{ line: SHIP, exit: 8 }],
    run: 'history show A-1 --json',
    json: { state: 'unknown', answer: expect.stringContaining('<') },
  },
  { says: 'Where an id was is said', rig: shipping({ data: { id: 'S-1' } }), run: SHIP, stderr: 'data.id' },
]);
