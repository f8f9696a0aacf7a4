import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { created, jsonLines, order, orders } from '../rig/batch.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { bookingAt, labelAt } from '../rig/journal.ts';
import {
  answering,
  BOOKED,
  charging,
  failing,
  files,
  LABELLED,
  QUOTED,
  recorded,
  SHIP,
  scripted,
  shipping,
  signal,
  wrapped,
} from './begin.ts';
import { FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

const ID = expect.stringMatching(/^bk_[0-9a-f]{32}$/);
const nothingIsBooked = async (_: Ran, rig: Rig) =>
  expect(await rig.json('history list --state created')).toEqual([]);

promises('Exit codes', [
  ...each(
    {
      says: '2 `usage` is a wrong command line',
      exit: 2,
      error: { code: 'usage', exitCode: 2, retry: 'after-change', next: [] },
      sent: [],
    },
    [
      'shp --json',
      'ship --kee A-1 --json',
      'history sho --json',
      'batch ship --json',
      'batch webhook orders.csv --json',
    ],
  ),
  ...each(
    {
      says: '2 `invalid_request` is invalid input',
      rig: files,
      exit: 2,
      error: { code: 'invalid_request', exitCode: 2 },
      sent: [],
      also: nothingIsBooked,
    },
    [
      `${SHIP} --json --set receiver.address.country.code=QQ`,
      `${SHIP} --json --set chargeableWeight=-1`,
      'ship-dual pair.json --set carriers.domestic= --key P-1 --json',
      `quote --from TR --to QQ --package 1kg@1x1x1 --json`,
      'webhook create --url http://a.example/x --event shipment.status.updated --json',
    ],
  ),
  ...each({ says: 'A file that is named and is not there is exit 2', rig: files, exit: 2, sent: [] }, [
    'ship -f none.json --key A-1',
    'ship none.json --key A-1',
    `${SHIP} --sender none.json`,
    'batch ship none.csv',
    'batch ship order.json --map ./none.json',
    'batch map none.csv',
    'history import none.jsonl',
    'history reconcile none.csv',
    'history resolve --file none.csv',
  ]),

  ...each(
    {
      says: '3 is a command without a credential',
      rig: { ...files, env: { WAYBILL_TOKEN: '' } },
      exit: 3,
      stderr: 'WAYBILL_TOKEN',
      sent: [],
    },
    [SHIP, 'track S-1', 'label --international S-1', HOOK],
  ),
  ...each(
    {
      says: '3 `unauthorized` is a 401',
      rig: { ...files, env: { WAYBILL_TOKEN: 'wrong' } },
      exit: 3,
      error: {
        ...{ code: 'unauthorized', httpStatus: 401, created: false, retry: 'after-change' },
        message: expect.stringMatching(
          /WAYBILL_TOKEN is not accepted.*; set another one\. `waybill profile whoami` shows/,
        ),
        next: [['waybill', 'profile', 'whoami']],
      },
      lacks: '"note"',
      also: nothingIsBooked,
    },
    [`${SHIP} --json`, 'track S-1 --json', 'label --international S-1 --json', `${HOOK} --json`],
  ),
  ...each(
    {
      says: '3 `unauthorized` is a 403',
      rig: failing('403'),
      exit: 3,
      error: { code: 'unauthorized', httpStatus: 403 },
      also: nothingIsBooked,
    },
    [`${SHIP} --json`, 'track S-1 --json', `quote ${PARCEL} --json`],
  ),

  ...each(
    {
      says: '4 `not_found` is a 404',
      exit: 4,
      error: { code: 'not_found', exitCode: 4, created: false, retry: 'after-change' },
      stdout: /^$/,
    },
    [
      'track gone --json',
      'webhook get gone --json',
      'history show gone --json',
      'label --key gone --json',
      'history accept gone --json',
    ],
  ),
  {
    says: '4 is an order that no carrier offers within its bound: nothing was booked',
    rig: files,
    run: 'ship open.json --carrier cheapest --max-price 1EUR --key A-1 --json',
    exit: 4,
    error: { code: 'not_found', created: false },
    sent: [QUOTED],
    also: nothingIsBooked,
  },
  {
    says: '4 is a route for which `rates` has no carriers',
    run: 'rates --from DE --to DE --package 1@1x1x1 --json',
    exit: 4,
    error: { code: 'not_found', httpStatus: 404, operation: 'rates' },
  },

  ...['400', '405', '409', '410', '422', '451'].map(status => ({
    says: `5 \`rejected\` is any other 4xx, such as ${status}: nothing was created`,
    rig: failing(status),
    run: `${SHIP} --json`,
    exit: 5,
    error: {
      ...{ code: 'rejected', httpStatus: Number(status), created: false },
      ...{ retry: 'after-change', next: [] },
    },
    sent: [BOOKED],
    also: nothingIsBooked,
  })),
  {
    says: '5 is `success: false` with nothing made',
    rig: shipping({ success: false, message: 'no contract' }),
    run: `${SHIP} --json`,
    exit: 5,
    error: { code: 'rejected', created: false, message: expect.stringContaining('no contract') },
    also: nothingIsBooked,
  },

  ...each(
    {
      says: '6 `rate_limited` is a 429 after the retries',
      rig: failing('429'),
      exit: 6,
      error: { code: 'rate_limited', httpStatus: 429, retry: 'later' },
      also: nothingIsBooked,
    },
    [
      { run: `${SHIP} --json`, sent: Array(4).fill(BOOKED) },
      { run: `quote ${PARCEL} --json`, sent: Array(4).fill(QUOTED) },
      { run: 'track S-1 --json --retries 0', sent: ['GET /v1/shipments/S-1'] },
    ],
  ),

  ...each(
    {
      says: '7 `unavailable` is no answer, where nothing can have been created',
      rig: { ...files, env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } },
      exit: 7,
      error: { code: 'unavailable', httpStatus: null, created: false, retry: 'later', next: [] },
      also: nothingIsBooked,
    },
    [
      `${SHIP} --json --retries 0`,
      'track S-1 --json --retries 0',
      'label --international S-1 --json --retries 0',
      `quote ${PARCEL} --json --retries 0`,
    ],
  ),
  ...['302', '408', '500', '503'].flatMap(status =>
    each(
      {
        says: `7 is a read that is answered with ${status}, also before a booking`,
        rig: failing(status),
        exit: 7,
        error: { code: 'unavailable', httpStatus: Number(status), retry: 'later' },
        also: nothingIsBooked,
      },
      ['track S-1 --json --retries 0', 'ship open.json --carrier EXP --key A-1 --json --retries 0'],
    ),
  ),
  ...(
    [
      ['truncate', 7, 'unavailable', 4],
      ['422', 5, 'rejected', 1],
      ['401', 3, 'unauthorized', 1],
      ['404', 4, 'not_found', 1],
    ] as const
  ).map(([kind, exit, code, times]) => ({
    says: `${exit} is what the read before a booking ends with (${kind}): nothing was booked`,
    rig: failing(kind),
    run: 'ship open.json --carrier fastest --key A-1 --json',
    exit,
    error: { code, created: false, booking: null, message: expect.stringContaining('nothing was booked') },
    sent: Array(times).fill(QUOTED),
  })),
  ...each(
    {
      says: '7 is an answer that makes no sense',
      rig: answering({
        '/api/v1/shipping/rates': { status: 200, body: [] },
        '/v1/shipments/S-1': { status: 200, body: 'a page' },
        '/webhooks/subscriptions/1': { status: 200, body: { success: true } },
        '/webhooks/subscriptions/2': { status: 200, body: { data: [] } },
        '/webhooks/subscriptions/3': { status: 200, body: { data: { url: 'https://a.example' } } },
      }),
      exit: 7,
      error: { code: 'unavailable' },
    },
    [
      `rates ${PARCEL} --json`,
      'track S-1 --json --retries 0',
      ...[1, 2, 3].map(id => `webhook get ${id} --json --retries 0`),
    ],
  ),

  ...['302', '408', '500', '502', '503', 'reset-before', 'reset-after', 'truncate', 'html'].map(kind => ({
    says: `8 \`outcome_unknown\` is a booking that was sent, with no conclusive answer (${kind}): it may exist`,
    rig: failing(kind),
    run: `${SHIP} --retries 5 --json`,
    exit: 8,
    error: {
      ...{ code: 'outcome_unknown', created: null, booking: ID, retry: 'never' },
      next: [['waybill', 'history', 'show', ID]],
    },
    sent: [BOOKED],
  })),
  ...each(
    {
      says: '8 is any kind of booking without a conclusive answer',
      rig: failing('500'),
      exit: 8,
      error: { code: 'outcome_unknown', created: null, retry: 'never' },
    },
    ['ship-dual pair.json --key P-1 --json', 'label --international S-1 --json', `${HOOK} --json`],
  ),
  {
    says: '8 is a batch with any such record',
    rig: scripted(key => (key === 'ORDER-2' ? { status: 500 } : created(key)), {
      files: { 'orders.jsonl': jsonLines(orders(3)) },
    }),
    run: 'batch ship orders.jsonl --json',
    exit: 8,
    error: {
      ...{ code: 'outcome_unknown', created: true, retry: 'never' },
      next: [['waybill', 'history', 'list', '--state', 'unknown']],
    },
    json: { states: { created: 2, unknown: 1 } },
  },

  ...each({ says: '9 `partial` is that some of it failed', exit: 9, error: { code: 'partial' } }, [
    {
      says: '9 is records of a batch that failed',
      rig: { files: { 'orders.jsonl': jsonLines([order('A'), order('B', { carrier: { id: 'NOPE' } })]) } },
      run: 'batch ship orders.jsonl --json',
      error: { code: 'partial', retry: 'after-change' },
    },
    {
      says: "9 is one leg's label that was not made",
      rig: failing('label-domestic'),
      run: 'ship-dual pair.json --label --key P-1 --json',
      json: { international: { label: { success: true } } },
    },
    {
      says: '9 is `--max-wait` that is over',
      rig: files,
      after: [SHIP],
      run: 'track --key A-1 --watch --max-wait 60 --json',
      error: { code: 'partial', retry: 'same' },
    },
    {
      says: '9 is a label that was made but not saved',
      rig: answering({
        '/v2/carriers/create': {
          status: 200,
          body: { success: true, international: { success: true, label: 'http://a.example/l.pdf' } },
        },
      }),
      run: 'label --international S-1 --download labels --json',
    },
  ]),
  {
    says: '4 is a `track` of which all ids are missing',
    run: 'track gone lost --json',
    exit: 4,
    error: { code: 'not_found' },
  },
  {
    says: '9 is a shipment without the label that was asked for: the exact label command is named, and never ship again',
    rig: shipping({ id: 'S-1' }, { '/v2/carriers/create': { status: 422, body: { message: 'no' } } }),
    run: `${SHIP} --label --json`,
    exit: 9,
    error: {
      code: 'partial',
      created: true,
      message: expect.stringContaining('waybill label --international S-1'),
      next: [['waybill', 'label', '--international', 'S-1']],
    },
    json: { id: 'S-1' },
    lacks: 'waybill ship',
    sent: [BOOKED, LABELLED],
  },

  ...each({ says: '10 `storage` is what cannot be written or read, or is not ours to use', exit: 10 }, [
    {
      says: '10 is a journal that cannot be read',
      rig: {
        files: { ...FILES, 'state/journal.db': 'no database, whatever its name '.repeat(200) },
        journalLost: true,
      },
      run: SHIP,
      stderr: 'nothing was sent',
      sent: [],
    },
    {
      says: '10 is a config that is damaged',
      rig: { files: { 'config/config.json': '{"profiles":' } },
      run: `quote ${PARCEL}`,
      stderr: 'is damaged',
      sent: [],
    },
    {
      says: '10 is a results file that was named and cannot be written',
      rig: { files: { 'orders.jsonl': jsonLines(orders(1)) } },
      run: 'batch ship orders.jsonl --results none/r.jsonl',
      stderr: 'nothing was sent',
      sent: [],
    },
    {
      says: '10 after a booking says that it was booked, with its id',
      rig: async () => {
        const rig = await createRig({ ...files, journalLost: true });
        const onRequest = () => rmSync(join(rig.folder, 'state'), { recursive: true, force: true });
        return wrapped(rig, (argv, options) => rig.run(argv, { onRequest, ...options }));
      },
      run: `${SHIP} -q`,
      stdout: /^shp_\w+\n$/,
      stderr: [/booked as shp_\w+/, 'The journal could not record this'],
      sent: [BOOKED],
    },
    {
      says: '10 is a plan that cannot be written',
      rig: files,
      run: `${SHIP} --plan none/plan.json`,
      sent: [],
    },
    {
      says: '10 is a list for the courier that cannot be written',
      rig: recorded(rig => [bookingAt(rig, 1), labelAt(rig, 2, 1)]),
      run: 'history handover --pdf none/list.pdf',
    },
    {
      says: '10 is a folder for labels that cannot be made',
      rig: { files: { ...FILES, labels: 'mine' } },
      run: `${SHIP} --label --download labels`,
      sent: [],
    },
    {
      says: '10 is a folder for labels that cannot be made, also of a batch: nothing was booked',
      rig: { files: { 'orders.jsonl': jsonLines(orders(1)), labels: 'mine' } },
      run: 'batch ship orders.jsonl --label --download labels',
      sent: [],
    },
  ]),

  ...each({ says: '11 `over_price` is booked, but above `--max-price`', exit: 11 }, [
    {
      rig: charging(499),
      run: 'ship open.json --carrier EXP --max-price 60EUR --key A-1 --json',
      error: {
        ...{ code: 'over_price', created: true, next: [['waybill', 'history', 'show', ID]] },
        message: expect.stringContaining('waybill history accept bk_'),
      },
      json: { id: 'S-1' },
      sent: [QUOTED, BOOKED],
    },
    {
      says: '11 is a price in a currency that the bound cannot be held against',
      rig: charging(5, 'USD'),
      run: `${SHIP} --max-price 60EUR`,
      stdout: 'S-1',
    },
    {
      says: 'With exit 11 the id is shown, also with -q',
      rig: charging(499),
      run: `${SHIP} --max-price 60EUR -q`,
      stdout: /^S-1\n$/,
    },
    {
      says: '11 is told again on each rerun',
      rig: charging(499),
      after: [{ line: `${SHIP} --max-price 60EUR`, exit: 11 }],
      run: `${SHIP} --max-price 60EUR -q`,
      stdout: /^S-1\n$/,
      sent: [],
    },
    {
      says: '11 is told again also without the bound',
      rig: charging(499),
      after: [{ line: `${SHIP} --max-price 60EUR`, exit: 11 }],
      run: SHIP,
      sent: [],
    },
  ]),
  {
    says: '11 ends with `history accept`',
    rig: charging(499),
    after: [{ line: `${SHIP} --max-price 60EUR`, exit: 11 }, 'history accept A-1'],
    run: `${SHIP} --max-price 60EUR`,
    sent: [],
  },

  ...each(
    {
      says: '12 `over_budget` is a limit that would be passed: nothing was sent',
      exit: 12,
      error: { code: 'over_budget', exitCode: 12, created: false },
      sent: [QUOTED],
      also: nothingIsBooked,
    },
    [
      {
        rig: { ...files, env: { WAYBILL_POLICY_MAX_PRICE: '5EUR' } },
        run: `${SHIP} --json`,
        error: { code: 'over_budget', created: false, retry: 'after-change' },
      },
      { rig: { ...files, env: { WAYBILL_POLICY_MAX_PER_DAY: '5EUR' } }, run: `${SHIP} --json` },
    ],
  ),

  ...(
    [
      ['SIGHUP', 129],
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const
  ).flatMap(([name, exit]) => [
    {
      says: `${exit} \`interrupted\` is ${name}`,
      rig: answering({ '/v1/shipments/S-1': { status: 200, body: { id: 'S-1', status: [] } } }),
      run: 'track S-1 --watch --json',
      onWait: signal(name).onWait,
      exit,
      error: { code: 'interrupted', exitCode: exit, retry: 'same' },
    },
  ]),
  {
    says: 'A signal before the label of a shipment is 130: the shipment was recorded, and is shown',
    rig: files,
    run: `${SHIP} --label --json`,
    onRequest: signal('SIGINT').onRequest,
    exit: 130,
    sent: [BOOKED],
    json: { carrier: { id: 'EXP' } },
    also: async (_, rig) => expect(await rig.json('history list --state created')).toHaveLength(1),
  },
]);
