// The options that every command takes, and the variables that replace them.
import { expect } from 'vitest';
import { jsonLines, order, scriptedService } from '../rig/batch.ts';
import { createRig, type Rig } from '../rig/command.ts';
import { BARE, shopRig } from '../rig/profile.ts';
import { cannedService, errorOf, proposing } from '../rig/service.ts';
import { event, http, script } from '../rig/sockets.ts';
import { BOOKED, config, FILES, HOOK, orderWith, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';
import { servedRig } from './rigs.ts';

/** Two profiles; the current one is the first. */
const TWO = {
  env: BARE,
  files: config({ one: { baseUrl: 'https://one.example' }, two: { baseUrl: 'https://two.example' } }),
};

promises('--profile', [
  ...each({ rig: TWO }, [
    { says: 'without it, it is the current profile', run: 'profile whoami --json', json: { profile: 'one' } },
    {
      says: 'it names the profile',
      run: 'profile whoami --profile two --json',
      json: { profile: 'two', address: 'https://two.example' },
    },
    {
      says: 'WAYBILL_PROFILE names it too',
      run: 'profile whoami --json',
      env: { WAYBILL_PROFILE: 'two' },
      json: { profile: 'two' },
    },
  ]),
  {
    says: 'the flag beats the variable',
    rig: TWO,
    run: 'profile whoami --profile one --json',
    env: { WAYBILL_PROFILE: 'two' },
    json: { profile: 'one' },
  },
]);

const SANDBOXED = 'ship order.json --key A-1 --sandbox';
const BATCH = 'batch ship orders.jsonl --sandbox';
const TO_SANDBOX = ['POST /sandbox/v1/shipments'];

promises('--sandbox', [
  ...each(
    { says: 'it uses the address of the sandbox, and says so', rig: { files: FILES }, stderr: /^sandbox: /m },
    [
      { run: `quote ${PARCEL} --sandbox`, sent: ['POST /sandbox/v1/carriers/proposal'] },
      { run: 'ship order.json --sandbox', sent: TO_SANDBOX },
      { run: 'ship-dual pair.json --sandbox', sent: ['POST /sandbox/v2/shipments'] },
      { run: 'label --international S-1 --sandbox', exit: 5, sent: ['POST /sandbox/v2/carriers/create'] },
      { run: 'track S-1 --sandbox', exit: 4, sent: ['GET /sandbox/v1/shipments/S-1'] },
      { run: 'track S-1 --domestic --sandbox', exit: 4, sent: ['GET /sandbox/v1/shipments/domestic/S-1'] },
    ],
  ),
  ...each(
    {
      says: 'it says so where nothing is sent, too',
      rig: { files: { ...FILES, 'orders.jsonl': jsonLines([order('A-1'), order('A-2')]) } },
      stderr: /^sandbox: /m,
      sent: [],
    },
    [
      'ship order.json --sandbox --dry-run',
      'label --international S-1 --sandbox --dry-run',
      'batch ship orders.jsonl --sandbox --dry-run',
      { after: [SANDBOXED], run: SANDBOXED },
      { after: [BATCH], run: BATCH },
      { after: [BATCH], run: 'label --key A-1 --key A-2 --sandbox --dry-run' },
      { after: ['ship order.json --key A-1 --label --sandbox'], run: 'label --key A-1 --sandbox' },
    ],
  ),
  {
    says: 'and says it once',
    rig: { files: { 'orders.jsonl': jsonLines([order('A-1'), order('A-2')]) } },
    run: 'batch ship orders.jsonl --sandbox',
    also: ({ stderr }) => expect(stderr.match(/^sandbox: /gm)).toHaveLength(1),
  },
  {
    says: 'WAYBILL_SANDBOX=1 does the same',
    rig: { files: FILES },
    run: 'ship order.json',
    env: { WAYBILL_SANDBOX: '1' },
    stderr: /^sandbox: /m,
    sent: TO_SANDBOX,
  },
  {
    says: 'for programs it is a line of JSON',
    rig: { files: FILES },
    run: 'ship order.json --sandbox --json',
    stderr: /^\{"note":"sandbox: /m,
  },
  {
    says: '--no-sandbox beats the variable',
    rig: { files: FILES },
    run: 'ship order.json --no-sandbox',
    env: { WAYBILL_SANDBOX: '1' },
    sent: BOOKED,
    lacks: 'sandbox: ',
  },
  {
    says: 'a profile may use it, and --no-sandbox beats that',
    rig: () => shopRig({ sandbox: true }),
    run: 'track S-1 --no-sandbox',
    exit: 4,
    sent: ['GET /v1/shipments/S-1'],
  },
  {
    says: 'proposals for a booking are asked for there, too',
    rig: { files: FILES },
    run: 'ship open.json --carrier fastest --sandbox',
    sent: ['POST /sandbox/v1/carriers/proposal', ...TO_SANDBOX],
  },
]);

promises('--output', [
  { says: 'it is a table by default, also for a pipe', run: `quote ${PARCEL}`, stdout: /^CARRIER +NAME / },
  ...each(
    { says: 'json is the answer of the service', json: { proposals: [{ id: 'ECO' }, { id: 'EXP' }] } },
    [
      `quote ${PARCEL} --output json`,
      `quote ${PARCEL} -o json`,
      `quote ${PARCEL} --json`,
      { run: `quote ${PARCEL}`, env: { WAYBILL_OUTPUT: 'json' } },
    ],
  ),
  {
    says: 'text with --query is bare values',
    run: `quote ${PARCEL} --query proposals[].id -o text`,
    stdout: /^ECO\tEXP\n$/,
  },
  ...each(
    {
      says: 'record of a booking is our own object, the one in the line on stderr',
      rig: { files: FILES },
      also: ({ stdout, stderr }) =>
        expect(stderr.split('\n').map(line => line && JSON.parse(line))).toContainEqual({
          booking: JSON.parse(stdout),
        }),
    },
    [
      {
        run: 'ship order.json --key A-1 -o record',
        json: { operation: 'ship', key: 'A-1', state: 'created', exitCode: 0 },
      },
      {
        run: 'ship-dual pair.json --key P-1 --label -o record',
        json: { operation: 'ship-dual', key: 'P-1' },
      },
      {
        after: ['ship order.json --key A-1'],
        run: 'label A-1',
        env: { WAYBILL_OUTPUT: 'record' },
        json: { operation: 'label', key: 'A-1', sent: true },
      },
      { run: `${HOOK} -o record`, json: { operation: 'webhook-create', price: null, shipmentIds: [] } },
    ],
  ),
  {
    says: 'record of a shipment with its label is one object',
    rig: { files: FILES },
    run: 'ship order.json --key A-1 --label --download out -o record',
    json: {
      ...{ operation: 'ship', key: 'A-1', trackingNumbers: [expect.any(String)] },
      labelFiles: [expect.stringContaining('out/A-1.pdf')],
    },
  },
  {
    says: 'record of what was booked before is what is recorded',
    rig: { files: FILES },
    after: ['ship order.json --key A-1'],
    run: 'ship order.json --key A-1 -o record --query [key,price,sent]',
    also: ({ stdout }) => expect(JSON.parse(stdout)).toEqual(['A-1', 52.9, false]),
  },
  {
    says: 'record of several is an array',
    rig: { files: FILES },
    after: ['ship order.json --key A-1', 'ship order.json --key A-2 --allow-duplicate'],
    run: 'label A-1 A-2 -o record',
    json: [{ operation: 'label' }, { operation: 'label' }],
  },
  ...each({ says: 'record of what only reads is json' }, [
    { run: `quote ${PARCEL} -o record`, json: { chargeableWeight: 1.5 } },
    { run: `rates ${PARCEL} -o record`, json: { success: true } },
  ]),
  {
    says: 'any other format is refused',
    run: `quote ${PARCEL} -o yaml`,
    exit: 2,
    stderr: 'jsonl',
    sent: [],
  },
]);

promises('--query', [
  {
    says: 'it is JMESPath over the JSON result, and implies JSON',
    run: ['quote', ...PARCEL.split(' '), '--query', 'proposals[?price < `25`].{carrier: id}'],
    json: [{ carrier: 'ECO' }],
  },
  {
    says: 'it selects of a booking as well',
    rig: { files: FILES },
    run: 'ship order.json --query carrier.id',
    stdout: /^"EXP"\n$/,
  },
]);

/** A service whose answer to an order has no price. */
const unpriced = async () =>
  createRig({ env: (await proposing({ id: 'EXP', price: 10 })).env, files: FILES });

promises('--quiet', [
  {
    says: 'it shows only the essential value, a line each',
    run: `rates ${PARCEL} --quiet`,
    stdout: /^company-101\ncompany-102\n$/,
    lacks: 'warning',
  },
  {
    says: 'nothing else is said of what went well',
    rig: orderWith({ 'receiver.email': 'nobody' }),
    run: 'ship order.json --sandbox -q',
    also: ({ stderr }) => expect(stderr).toBe(''),
  },
  { says: 'an error is shown', run: 'track gone -q', exit: 4, stderr: 'error: ' },
  {
    says: 'so is a price that cannot be held against its bound',
    rig: unpriced,
    run: 'ship order.json --max-price 20EUR -q',
    stderr: /^warning: .*cannot be compared with --max-price/m,
  },
  {
    says: 'so is the same order under another key',
    rig: { files: FILES },
    after: ['ship order.json --key A-1'],
    run: 'ship order.json --key A-2 -q',
    stderr: /^warning: .*A-1/m,
  },
]);

/** What a person sees who leaves. */
const LEAVING = { terminal: true, answers: () => undefined };

promises('--no-input', [
  ...each({ ...LEAVING, run: 'quote --from TR', exit: 130 }, [
    {
      says: 'a terminal is asked for what is missing',
      run: 'quote --from TR --package 1@1x1x1',
      also: ({ questions }) => expect(questions.map(({ id }) => id)).toContain('destinationCountry'),
    },
    { says: 'CI that is not true changes nothing', env: { CI: 'false' } },
  ]),
  ...each({ says: 'nobody is asked', exit: 2, stderr: 'is required', sent: [], terminal: true }, [
    'quote --from TR --no-input',
    { run: 'quote --from TR', env: { CI: 'true' } },
    { run: 'quote --from TR', env: { CI: '1' } },
    { run: 'quote --from TR', piped: true },
    { run: 'quote --from TR', terminal: false },
  ]),
  {
    says: 'where a value is wrong, a terminal is not asked for the rest',
    run: 'quote --from TR --set packages[0].weight=many',
    terminal: true,
    exit: 2,
    stderr: ['many', 'destinationCountry'],
    also: ({ questions }) => expect(questions).toEqual([]),
  },
  {
    says: 'each field that is missing is named with its flag',
    run: 'ship --type package --no-input --json',
    exit: 2,
    error: { issues: expect.arrayContaining([{ path: 'sender', message: 'is required (--sender)' }]) },
    also(ran) {
      for (const { message } of errorOf(ran).issues) expect(message).toMatch(/\(--[\w-]+.*\)$/);
    },
  },
]);

/** A service that answers an order with another carrier. */
const otherCarrier = async () =>
  createRig({
    env: (
      await cannedService({
        '/v1/shipments': {
          status: 201,
          body: { id: 'S-1', carrier: { id: 'OTHER', price: 1, currency: 'EUR' } },
        },
      })
    ).env,
    files: FILES,
  });

promises('--strict', [
  ...each(
    {
      says: 'a warning is an error, before anything is sent',
      rig: orderWith({ 'customs.totalGoodsValue': 7 }),
      exit: 2,
      stderr: 'customs.totalGoodsValue is 7',
      sent: [],
    },
    ['ship order.json --strict', 'ship order.json --strict --key A-1', 'ship order.json --strict --dry-run'],
  ),
  {
    says: 'without it, it is a warning',
    rig: orderWith({ 'customs.totalGoodsValue': 7 }),
    run: 'ship order.json',
    stderr: /^warning: customs\.totalGoodsValue is 7/,
    sent: BOOKED,
  },
  {
    says: 'a warning that comes after a booking stays one',
    rig: otherCarrier,
    run: 'ship order.json --strict',
    stderr: /^warning: .*OTHER/m,
  },
]);

/** A service that never answers: each deadline ends when a request has arrived. */
async function silent(): Promise<Rig> {
  const [answering, answer] = event();
  let arrived = () => {};
  const rig = await createRig({
    latency: 1,
    sleep: () => {
      arrived();
      return answering;
    },
    files: FILES,
  });
  return {
    ...rig,
    async run(argv, options) {
      const patience = new Promise<void>(resolve => {
        arrived = resolve;
      });
      const ran = await rig.run(argv, { ...options, patience });
      answer();
      return ran;
    },
  };
}

promises('--timeout', [
  ...each({ says: 'it is the time for one attempt of a read', rig: silent, exit: 7 }, [
    { run: 'track S-1 --retries 0', stderr: 'within 30 s' },
    { run: 'track S-1 --retries 0 --timeout 2.5', stderr: 'within 2.5 s' },
    { run: 'track S-1 --retries 0', env: { WAYBILL_TIMEOUT: '7' }, stderr: 'within 7 s' },
    { run: 'track S-1 --retries 0 --timeout 9', env: { WAYBILL_TIMEOUT: '7' }, stderr: 'within 9 s' },
    { run: 'track S-1 --retries 0 --timeout 5m', stderr: 'within 300 s' },
    { run: 'track S-1 --retries 0', env: { WAYBILL_TIMEOUT: '2h' }, stderr: 'within 7200 s' },
  ]),
  ...each({ says: 'a booking has 180 seconds, and the variable is for reads only', rig: silent, exit: 8 }, [
    { run: 'ship order.json', stderr: 'within 180 s' },
    { run: 'ship order.json', env: { WAYBILL_TIMEOUT: '7' }, stderr: 'within 180 s' },
    { run: 'ship-dual pair.json', env: { WAYBILL_TIMEOUT: '7' }, stderr: 'within 180 s' },
    { run: HOOK, env: { WAYBILL_TIMEOUT: '7' }, stderr: 'within 180 s' },
  ]),
  {
    says: 'the flag counts for a booking, too, and a short one makes an unknown',
    rig: silent,
    run: 'ship order.json --timeout 9 --retries 5 --json',
    exit: 8,
    error: { code: 'outcome_unknown', httpStatus: null, message: expect.stringContaining('within 9 s') },
    also: ({ waits }) => expect(waits).toEqual([]),
  },
  ...each({ says: 'what is no length of time is refused', exit: 2, sent: [] }, [
    'track S-1 --timeout 0',
    'track S-1 --timeout soon',
  ]),
]);

const FAILING = { faults: [{ kind: 503, probability: 1 }], files: FILES };
const asked = (count: number) => Array.from({ length: count }, () => 'GET /v1/shipments/S-1');

/** A service that refuses each request, and asks to wait so many seconds. */
const refusing = (status: number, seconds: string) =>
  servedRig(() => script(http(status, '', { 'retry-after': seconds })), { files: FILES });

/** A service that refuses the first attempt, and asks to wait so many seconds. */
const limited = async (seconds: string): Promise<Rig> => {
  const { env } = await scriptedService((_, attempt) =>
    attempt === 1
      ? { status: 429, headers: { 'retry-after': seconds } }
      : { status: 201, body: { id: 'S-1' } },
  );
  return createRig({ env, files: { 'order.json': (({ key, ...rest }) => rest)(order('A-1')) } });
};

promises('--retries', [
  ...each({ says: 'so many further attempts follow one that failed', rig: FAILING, exit: 7 }, [
    { run: 'track S-1', sent: asked(4) },
    { run: 'track S-1 --retries 1', sent: asked(2) },
    { run: 'track S-1 --retries 0', sent: asked(1) },
    { run: 'track S-1', env: { WAYBILL_RETRIES: '2' }, sent: asked(3) },
    { run: 'track S-1', env: { WAYBILL_RETRIES: '0' }, sent: asked(1) },
    { run: 'track S-1 --retries 1', env: { WAYBILL_RETRIES: '0' }, sent: asked(2) },
  ]),
  {
    says: 'a label that may exist is not sent again',
    rig: FAILING,
    run: 'label --international S-1 --retries 3',
    exit: 8,
    sent: ['POST /v2/carriers/create'],
  },
  {
    says: 'Retry-After is honoured up to 60 seconds',
    rig: () => limited('60'),
    run: 'ship order.json',
    also: ({ waits }) => expect(waits).toEqual([60_000]),
  },
  {
    says: 'a longer one is not waited for',
    rig: () => limited('61'),
    run: 'ship order.json',
    exit: 6,
    also: ({ waits }) => expect(waits).toEqual([]),
  },
  ...each(
    {
      says: 'the error says when to come again, where the service says it',
      error: { retry: 'later', retryAt: '2026-03-02T09:02:00.000Z' },
    },
    [
      { run: 'ship order.json --key A-1 --json', rig: refusing(429, '120'), exit: 6 },
      { run: 'ship open.json --carrier fastest --json', rig: refusing(503, '120'), exit: 7 },
      { run: 'label --international S-1 --json', rig: refusing(429, '120'), exit: 6 },
      { run: 'track S-1 --json', rig: refusing(429, '120'), exit: 6 },
      { run: 'track S-1 --json', rig: refusing(503, '120'), exit: 7 },
      { run: 'track S-1 S-2 --json', rig: refusing(429, 'Mon, 02 Mar 2026 09:02:00 GMT'), exit: 6 },
    ],
  ),
  {
    says: 'and where it does not, the error does not either',
    run: 'track S-1 --retries 0 --json',
    rig: FAILING,
    exit: 7,
    also: ran => expect(errorOf(ran)).not.toHaveProperty('retryAt'),
  },
  {
    says: 'what may exist is not for later',
    run: 'ship order.json --key A-1 --json',
    rig: refusing(503, '120'),
    exit: 8,
    error: { retry: 'never' },
    also: ran => expect(errorOf(ran)).not.toHaveProperty('retryAt'),
  },
  ...each({ says: 'what is no number of attempts is refused', exit: 2, sent: [] }, [
    'track S-1 --retries -1',
    'track S-1 --retries many',
  ]),
  ...each(
    {
      says: 'a service that asks to wait each time is asked four times',
      rig: refusing(429, '5'),
      exit: 6,
      stderr: 'wait 5 s',
      also: ({ waits }) => expect(waits).toEqual([5000, 5000, 5000]),
    },
    ['ship order.json --key A-1', 'track S-1'],
  ),
  {
    says: 'a read waits as a service that is not there for now asks',
    rig: refusing(503, '60'),
    run: 'track S-1 --retries 1',
    exit: 7,
    also: ({ waits }) => expect(waits).toEqual([60_000]),
  },
]);
