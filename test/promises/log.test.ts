// `--log`: what a machine is told of a run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LogLine } from '../../src/output/schemas.ts';
import { jsonLines, orders } from '../rig/batch.ts';
import type { Ran, Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { valuesIn } from '../rig/outputs.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, script } from '../rig/sockets.ts';
import { each, promises } from './promise.ts';
import { liveRig, ORDER, servedRig } from './rigs.ts';

const SHIP = 'ship order.json --key A-1 --log log.jsonl';
const logOf = ({ folder }: Rig): LogLine[] =>
  valuesIn(readFileSync(join(folder, 'log.jsonl'), 'utf8')) as LogLine[];

/** The log has a line with these fields. */
const tells =
  (...lines: Record<string, unknown>[]) =>
  (_: Ran, rig: Rig): void => {
    for (const line of lines) expect(logOf(rig)).toContainEqual(expect.objectContaining(line));
  };

const FIELDS = [
  'time level event run actor profile sandbox operation key booking attempt httpStatus durationMs wait carrier',
  'price currency shipmentId error',
].join(' ');

const CREATED = http(201, '{"id":"S-1","carrier":{"id":"EXP","price":20,"currency":"EUR"}}');

promises('--log FILE', [
  {
    says: 'appends JSON lines, each with all fields: for the claim, the request and the outcome of a booking',
    rig: ORDER,
    run: SHIP,
    also: (ran, rig) => {
      for (const line of logOf(rig))
        for (const field of FIELDS.split(' ')) expect(line).toHaveProperty(field);
      tells(
        { event: 'claim', operation: 'ship', key: 'A-1', booking: expect.stringMatching(/^bk_/) },
        { event: 'request', operation: 'ship', httpStatus: 201, attempt: 1, durationMs: expect.any(Number) },
        { event: 'outcome', carrier: 'EXP', price: expect.any(Number), currency: 'EUR' },
        { event: 'outcome', shipmentId: expect.any(String) },
      )(ran, rig);
    },
  },
  {
    says: 'has a line for a read',
    run: 'track gone --log log.jsonl',
    exit: 4,
    also: tells({ event: 'request', operation: 'track', httpStatus: 404 }),
  },
  {
    says: 'has a line for a retry, with its wait',
    rig: servedRig(() => script(http(429, '', { 'retry-after': '7' }), CREATED)),
    run: SHIP,
    also: tells(
      { event: 'retry', wait: 7000, operation: 'ship' },
      { event: 'request', attempt: 2, httpStatus: 201 },
    ),
  },
  {
    says: 'has a line for a label, with its file',
    rig: ORDER,
    run: `${SHIP} --label --download labels`,
    also: tells({ event: 'label', labelFile: expect.stringContaining('A-1.pdf') }),
  },
  {
    says: 'has a line for a settlement',
    rig: servedRig(() => socket => socket.destroy()),
    after: [{ line: 'ship order.json --key A-1', exit: 8 }],
    run: 'history resolve A-1 --not-created --force --reason asked --log log.jsonl',
    also: tells({ event: 'settlement', key: 'A-1' }),
  },
  {
    says: 'has lines for a batch, with its counts, and its records',
    rig: { files: { 'orders.jsonl': jsonLines(orders(2)) } },
    run: 'batch ship orders.jsonl --log log.jsonl',
    also: tells(
      { event: 'claim', key: 'ORDER-1' },
      { event: 'outcome', key: 'ORDER-2' },
      { event: 'batch-start', counts: { toSend: 2, already: 0 } },
      { event: 'batch-end', operation: 'ship', counts: { records: 2, sent: 2, already: 0, created: 2 } },
    ),
  },
  {
    says: 'names run, actor and profile',
    rig: liveRig(),
    run: `${SHIP} --run night --actor anna`,
    also: tells(
      { event: 'claim', run: 'night', actor: 'anna', profile: 'live', sandbox: false },
      { event: 'request', run: 'night', actor: 'anna', profile: 'live', sandbox: false },
    ),
  },
  {
    says: 'tells the sandbox',
    rig: ORDER,
    run: `${SHIP} --sandbox`,
    also: tells({ event: 'claim', sandbox: true }, { event: 'request', sandbox: true }),
  },
  {
    says: 'tells how a command failed',
    rig: servedRig(() => socket => socket.destroy()),
    run: SHIP,
    exit: 8,
    also: tells({ event: 'outcome', level: 'error', error: 'outcome_unknown' }),
  },
  {
    says: 'has a warning, a note and a failure as data, without the words of customers and of the service',
    rig: servedRig(() => script(CREATED, http(422, '{"message":"Anna Weber lives elsewhere"}'))),
    after: [SHIP],
    run: 'ship order.json --key A-2 --log log.jsonl',
    exit: 5,
    also: (ran, rig) => {
      tells(
        { event: 'warning', notice: expect.objectContaining({ kind: 'same-order-other-key', key: 'A-1' }) },
        {
          event: 'end',
          error: 'rejected',
          notice: expect.objectContaining({ kind: 'booking-rejected', operation: 'ship', of: 'booking' }),
        },
      )(ran, rig);
      expect(JSON.stringify(logOf(rig))).not.toMatch(/Weber|elsewhere/);
    },
  },
  {
    says: 'is appended to',
    rig: ORDER,
    after: [SHIP],
    run: 'track A-1 --log log.jsonl',
    also: tells({ event: 'claim' }, { event: 'request', operation: 'track' }),
  },
  {
    says: 'may be named by the environment',
    env: { WAYBILL_LOG: 'log.jsonl' },
    run: 'track gone',
    exit: 4,
    also: tells({ event: 'request' }),
  },
  {
    says: 'is named by the flag, whatever the environment says',
    run: 'track gone --log flag.jsonl',
    env: { WAYBILL_LOG: 'variable.jsonl' },
    exit: 4,
    files: { 'flag.jsonl': '"event":"end"', 'variable.jsonl': null },
  },
  {
    says: 'has no body, nothing of a customer and no secret',
    rig: liveRig(),
    run: `${SHIP} --label --download labels`,
    also: (_, { folder }) => {
      const log = readFileSync(join(folder, 'log.jsonl'), 'utf8');
      const words = JSON.stringify([SHIPMENT.receiver, SHIPMENT.items]).match(/(?<=:")[^"]{4,}(?=")/g) ?? [];
      expect(words.length).toBeGreaterThan(5);
      for (const word of [SECRET, ...words]) expect(log).not.toContain(word);
    },
  },
  {
    says: 'has nothing of a refused request and of a subscription either',
    rig: ORDER,
    after: [
      { line: 'ship order.json --set receiver.firstName=Planted --set type=x --log log.jsonl', exit: 2 },
    ],
    run: 'webhook create --url https://planted.example/hook --event shipment.status.updated --log log.jsonl',
    also: (_, { folder }) =>
      expect(readFileSync(join(folder, 'log.jsonl'), 'utf8')).not.toMatch(/planted|https?:|whsec/i),
  },
  {
    says: 'has the end of a command that a signal stops',
    run: 'track gone --log log.jsonl',
    onRequest: (_, { interrupt }) => interrupt('SIGTERM'),
    exit: 143,
    also: tells({ event: 'end', error: 'interrupted', exitCode: 143 }),
  },
  {
    says: 'has the key of an order in the request for its proposals, too',
    rig: ORDER,
    run: `${SHIP} --max-price 900EUR`,
    also: tells(
      { event: 'request', operation: 'quote', key: 'A-1' },
      { event: 'request', operation: 'ship', key: 'A-1' },
    ),
  },
  {
    says: 'has the key of each record of a batch that only asks',
    rig: {
      files: {
        'routes.csv': 'key,originCountry,destinationCountry,package\nP-1,TR,DE,1@1x1x1\nP-2,TR,FR,1@1x1x1\n',
      },
    },
    run: 'batch quote routes.csv --log log.jsonl',
    also: tells({ event: 'request', key: 'P-1' }, { event: 'request', key: 'P-2' }),
  },
]);

promises('A log that cannot be written', [
  ...each(
    { says: 'at the start is exit 10, and nothing is sent', rig: ORDER, exit: 10, sent: [], stderr: 'log' },
    [
      'ship order.json --key A-1 --log nowhere/log.jsonl',
      'ship order.json --key A-1 --log .',
      'ship order.json --key A-1 --log order.json',
      'track gone --log nowhere/log.jsonl',
    ],
  ),
  {
    says: 'later is one warning, and the booking goes on',
    rig: ORDER,
    run: 'ship order.json --key A-1 --log /dev/full',
    also: ({ stderr }) => expect(stderr.match(/\/dev\/full cannot be written/g)).toHaveLength(1),
  },
  ...each({ exit: 2, sent: [] }, [
    ...each({ says: 'is no file of the journal or the config: exit 2', stderr: '--log cannot be' }, [
      { run: 'track gone --log state/journal.db', rig: ORDER, after: ['ship order.json --key A-1'] },
      { run: 'track gone --log config/config.json', rig: liveRig() },
    ]),
    ...each({ says: 'is not stdout, which is for the result: exit 2', stderr: 'stdout' }, [
      { run: ['track', 'gone', '--log', ''] },
      'track gone --log -',
      'track gone --log /dev/stdout',
    ]),
    ...each(
      {
        says: 'is no other file of a batch: exit 2',
        rig: { files: { 'orders.jsonl': jsonLines(orders(1)) } },
        stderr: 'different files',
      },
      [
        'batch ship orders.jsonl --log orders.results.jsonl',
        'batch ship orders.jsonl --failed left.jsonl --log left.jsonl',
      ],
    ),
  ]),
]);

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const identified = async () => {
  const rig = await liveRig()();
  await rig.run('profile set live requestIdHeader=X-Request-Id');
  return rig;
};

promises('requestIdHeader of a profile', [
  {
    says: 'names a header with an id for each request, which the log has as well',
    rig: identified,
    run: SHIP,
    also: (ran, rig) => {
      const id = ran.requests[0]?.headers['x-request-id'];
      expect(id).toMatch(UUID);
      tells({ event: 'request', requestId: id })(ran, rig);
    },
  },
  {
    says: 'gives each request an id of its own',
    rig: identified,
    run: 'track gone gone-too',
    exit: 4,
    also: ({ requests }) => {
      const ids = requests.map(({ headers }) => headers['x-request-id']);
      expect(new Set(ids).size).toBe(2);
    },
  },
  ...each({ says: 'names no header that has another use', rig: liveRig(), exit: 2 }, [
    'profile set live requestIdHeader=Authorization',
    'profile set live requestIdHeader=content-length',
    'profile set live requestIdHeader=accept',
  ]),
  {
    says: 'gives each attempt an id of its own, too',
    rig: { faults: [{ kind: 503, probability: 1 }] },
    env: { WAYBILL_REQUEST_ID_HEADER: 'X-Request-Id' },
    run: 'track gone --retries 2',
    exit: 7,
    also: ({ requests }) => {
      const ids = requests.map(({ headers }) => headers['x-request-id']);
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) expect(id).toMatch(UUID);
    },
  },
]);
