// A refusal whose body is a whole record: what it names may have been made, unless another order of the journal has it.
import { expect } from 'vitest';
import { jsonLines, linesIn, order } from '../rig/batch.ts';
import { PROPOSALS } from '../rig/service.ts';
import { http } from '../rig/sockets.ts';
import { BOOKED, LABELLED, PAIRED, SHIP } from './begin.ts';
import { FILES, HOOK } from './orders.ts';
import { each, promises } from './promise.ts';
import { replying, servedRig } from './rigs.ts';

const record = (id: string) => ({
  id,
  carrier: { id: 'EXP', name: 'Express', price: 12.4, currency: 'EUR' },
  status: [{ status: 'created', date: '2026-03-02T12:00:00Z', milestone: 'created' }],
  createdAt: '2026-03-02T12:00:00Z',
});
const answer = (status: number, body: unknown) => http(status, JSON.stringify(body));
const made = (id: string) => answer(201, record(id));
const refused = (status: number, body: unknown) => answer(status, body);

/** A service that answers the bookings of `ship` so, one after the other. */
const shipping = (...answers: string[]) =>
  servedRig(replying({ 'POST /v1/shipments': answers }), { files: FILES });
const answering = (path: string, ...answers: string[]) =>
  servedRig(replying({ [`POST ${path}`]: answers }), { files: FILES });

const A = `${SHIP} --set receiver.firstName=Ann`;
const B = 'ship order.json --key A-2 --set receiver.firstName=Bea';

const leg = (id: string) => ({ shipment: { id, carrier: { id: 'EXP' }, createdAt: '2026-03-02T12:00:00Z' } });

promises('A refusal whose body is a whole record that no other order has is unknown', [
  ...each({ says: 'With any status of a refusal', exit: 8, sent: [BOOKED] }, [
    ...[400, 401, 403, 404, 409, 422, 429].map(status => ({
      run: `${A} --json`,
      rig: shipping(refused(status, { message: 'exists', ...record('S-9') })),
      error: { code: 'outcome_unknown', created: null, retry: 'never', httpStatus: status },
      stderr: 'S-9 at id',
    })),
  ]),
  ...each({ exit: 8, sent: [BOOKED] }, [
    ...each({ says: 'Inside of one envelope', stderr: /S-9 at (data|result|shipment)\.id/ }, [
      ...['data', 'result', 'shipment'].map(name => ({
        run: `${A} --json`,
        rig: shipping(refused(409, { id: 'req-1', error: 'duplicate', [name]: record('S-9') })),
      })),
    ]),
    ...each({ says: 'Deeper or in a list it is the whole of it', stderr: /ids in it: S-9/ }, [
      ...[
        [record('S-9')],
        { error: record('S-9') },
        { errors: [{ code: 'conflict', shipment: record('S-9') }] },
        { error: { details: [{ existing: record('S-9') }] } },
        { error: { code: 'conflict', data: record('S-9') } },
        { orders: [record('S-9'), record('S-8')] },
      ].map(body => ({ run: `${A} --json`, rig: shipping(refused(409, body)) })),
    ]),
  ]),
  ...each({ says: 'Deeper an error that only looks like one is none', exit: 5, sent: [BOOKED] }, [
    ...[
      { errors: [{ id: 'E-9', createdAt: '2026-03-02T12:00:00Z' }] },
      { error: { id: 'E-9', status: 'conflict', carrier: 'EXP' } },
      { error: { items: [{ id: 'E-9', carrier: { id: 'EXP' } }] } },
    ].map(body => ({ run: `${A} --json`, rig: shipping(refused(409, body)) })),
  ]),
  ...each({ says: 'Some of its parts are enough', exit: 8, sent: [BOOKED] }, [
    ...['carrier', 'status', 'createdAt'].map(part => ({
      run: `${A} --json`,
      rig: shipping(refused(422, { id: 'S-9', [part]: record('S-9')[part as 'status'] })),
    })),
  ]),
  ...each({ says: 'Of a pair, also if only one leg is whole', exit: 8, sent: [PAIRED], stderr: /I-9/ }, [
    ...[
      { international: leg('I-9'), domestic: leg('D-9') },
      { error: 'domestic failed', international: leg('I-9') },
      { data: { international: leg('I-9').shipment } },
    ].map(body => ({
      run: 'ship-dual pair.json --key P-1',
      rig: answering('/v2/shipments', refused(422, body)),
    })),
  ]),
  {
    says: 'Of a label it is a leg with success and a tracking number',
    rig: answering(
      '/v2/carriers/create',
      refused(409, { international: { success: true, operation: 'create', trackingNumber: 'T-9' } }),
    ),
    run: 'label --international S-9',
    exit: 8,
    stderr: 'T-9 at international.trackingNumber',
    sent: [LABELLED],
  },
  {
    says: 'Of a subscription it is its id and its url',
    rig: answering(
      '/webhooks/subscriptions',
      refused(409, { data: { id: 'W-9', url: 'https://a.example' } }),
    ),
    run: HOOK,
    exit: 8,
    stderr: 'W-9 at data.id',
  },
  {
    says: 'The same command again sends nothing',
    rig: shipping(refused(409, record('S-9')), made('S-10')),
    after: [{ line: A, exit: 8 }],
    run: A,
    exit: 8,
    sent: [],
  },
  {
    says: 'What an order that is refused in doubt names is kept from no order that is answered with it',
    rig: shipping(refused(409, record('S-9')), made('S-9')),
    after: [{ line: A, exit: 8 }],
    run: `${B} -q`,
    stdout: 'S-9\n',
  },
  {
    says: 'A person who looked says what it was',
    rig: shipping(refused(409, record('S-9'))),
    after: [{ line: A, exit: 8 }],
    run: 'history resolve A-1 --created S-9 --unchecked --json',
    json: { state: 'created', shipmentIds: ['S-9'] },
  },
  {
    says: 'history show names what it may be',
    rig: shipping(refused(409, { message: 'exists', ...record('S-9') })),
    after: [{ line: A, exit: 8 }],
    run: 'history show A-1',
    stdout: ['unknown', 'S-9'],
  },
]);

promises(
  'A refusal whose body is a whole record that another order has stays rejected, and names that order',
  [
    ...each({ says: 'With any status of a refusal', after: [A], sent: [BOOKED] }, [
      ...[
        [400, 5, 'rejected'],
        [401, 3, 'unauthorized'],
        [404, 4, 'not_found'],
        [409, 5, 'rejected'],
        [422, 5, 'rejected'],
        [429, 6, 'rate_limited'],
      ].map(([status = 0, exit = 0, code]) => ({
        run: `${B} --json`,
        rig: shipping(made('S-9'), refused(Number(status), { message: 'exists', ...record('S-9') })),
        exit: Number(exit),
        error: { code, created: false, httpStatus: status },
        stderr: /\(shipment S-9 in it is that of another order, .*A-1.*bk_\w+\); nothing was created/,
      })),
    ]),
    ...each({ says: 'Also deeper', after: [A], exit: 5, sent: [BOOKED], stderr: /that of another order/ }, [
      ...[{ error: { shipment: record('S-9') } }, [record('S-9')]].map(body => ({
        run: `${B} --json`,
        rig: shipping(made('S-9'), refused(409, body)),
      })),
    ]),
    {
      says: 'Its key is free again',
      rig: shipping(made('S-9'), refused(409, record('S-9')), made('S-10')),
      after: [A, { line: B, exit: 5 }],
      run: `${B} -q`,
      stdout: 'S-10\n',
    },
    {
      says: 'In the sandbox as well',
      rig: servedRig(replying({ 'POST /sandbox/v1/shipments': [made('S-9'), refused(409, record('S-9'))] }), {
        files: FILES,
        flags: '--token-stdin',
      }),
      after: [`${A} --sandbox`],
      run: `${B} --sandbox`,
      exit: 5,
    },
    {
      says: 'A domestic shipment of that number is another one',
      rig: servedRig(
        replying({
          'POST /v2/shipments': answer(201, {
            success: true,
            international: leg('I-9'),
            domestic: leg('S-9'),
          }),
          'POST /v1/shipments': refused(409, record('S-9')),
        }),
        { files: FILES },
      ),
      after: ['ship-dual pair.json --key P-1'],
      run: B,
      exit: 8,
    },
    {
      says: "Of a pair of which one leg is nobody's, that one may have been made",
      rig: servedRig(
        replying({
          'POST /v1/shipments': made('S-9'),
          'POST /v2/shipments': refused(409, { international: leg('S-9'), domestic: leg('D-9') }),
        }),
        { files: FILES },
      ),
      after: [A],
      run: 'ship-dual pair.json --key P-1',
      exit: 8,
    },
    {
      says: 'A subscription that was created before is named',
      rig: answering(
        '/webhooks/subscriptions',
        answer(201, {
          success: true,
          data: { id: 'W-9', url: 'https://a.example', secret: 's', token: 't' },
        }),
        refused(409, { data: { id: 'W-9', url: 'https://a.example' } }),
      ),
      after: [`${HOOK} --key H-1`],
      run: 'webhook create --url https://b.example --event shipment.status.updated --key H-2',
      exit: 5,
      stderr: /subscription W-9 in it is that of another order, "H-1"/,
    },
    {
      says: 'In a 429 that names something else besides, nobody knows what that is',
      rig: shipping(made('S-9'), refused(429, { ...record('S-9'), shipmentId: 'S-10' })),
      after: [A],
      run: B,
      exit: 8,
      sent: [BOOKED],
    },
    ...each({ says: 'A refusal that only names an id stays rejected, with what to look at', exit: 5 }, [
      ...[
        { error: 'duplicate', shipmentId: 'S-9' },
        { error: 'duplicate', id: 'S-9' },
        { id: 'S-9', status: 409, title: 'Conflict' },
        { id: 'S-9', status: 'error', message: 'no' },
        { id: 'S-9', carrier: ['is unknown'] },
      ].map(body => ({ run: A, rig: shipping(refused(409, body)) })),
    ]),
  ],
);

promises('What was refused in doubt is settled by a person alone', [
  {
    says: 'Once it was not created, the key is free',
    rig: shipping(refused(409, record('S-9')), made('S-10')),
    after: [{ line: A, exit: 8 }, 'history resolve A-1 --not-created --force --reason looked'],
    run: `${A} -q`,
    stdout: 'S-10\n',
  },
  {
    says: 'It is no rejected record that a batch tries again',
    rig: servedRig(replying({ 'POST /v1/shipments': [refused(409, record('S-9')), made('S-10')] }), {
      files: { 'orders.jsonl': jsonLines([order('A')]) },
    }),
    after: [{ line: 'batch ship orders.jsonl', exit: 8 }],
    run: 'batch ship orders.jsonl --retry-rejected',
    exit: 8,
    sent: [],
  },
]);

promises('In a batch a refusal is held against the other orders as anywhere', [
  {
    says: 'A record that is in doubt is exit 8, and one that names another order is rejected',
    rig: servedRig(
      () => (socket, request) => {
        if (request.includes(PROPOSALS)) return;
        const key = /Goods (\w+)/.exec(request)?.[1] ?? '';
        const own = refused(409, { message: 'exists', ...record('S-other') });
        socket.write(key === 'A' ? made('S-A') : key === 'B' ? refused(409, record('S-A')) : own);
      },
      { files: { 'orders.jsonl': jsonLines(['A', 'B', 'C'].map(key => order(key))) } },
    ),
    run: 'batch ship orders.jsonl --concurrency 1 --json',
    exit: 8,
    json: { states: { created: 1, rejected: 1, unknown: 1 } },
    also(_, rig) {
      const lines = linesIn(rig);
      expect(lines.map(({ key, state }) => `${key} ${state}`).sort()).toEqual([
        'A created',
        'B rejected',
        'C unknown',
      ]);
      expect(JSON.stringify(lines.find(({ key }) => key === 'B'))).toMatch(/another order.*A.*bk_/);
      expect(JSON.stringify(lines.find(({ key }) => key === 'C'))).toContain('S-other at id');
    },
  },
]);
