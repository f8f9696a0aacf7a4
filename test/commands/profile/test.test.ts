import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { BARE } from '../../rig/profile.ts';
import { cannedService, errorOf, fixture, PROPOSALS, sent } from '../../rig/service.ts';

const ID = 'waybill-profile-test-0';
const RATES = '/api/v1/shipping/rates';
const SHIPMENT = `/v1/shipments/${ID}`;
const DOMESTIC = `/v1/shipments/domestic/${ID}`;
const SUBSCRIPTION = `/webhooks/subscriptions/${ID}`;

const GONE = { status: 404, body: { message: 'nothing has this id' } };
/** A service whose answers are those of the service document. */
const DOCUMENTED = {
  [PROPOSALS]: { status: 201, body: fixture('v1/carriers/proposal/POST/full.201.json') },
  [RATES]: { status: 200, body: fixture('api/v1/shipping/rates/POST/full.200.json') },
  [SHIPMENT]: GONE,
  [DOMESTIC]: GONE,
  [SUBSCRIPTION]: GONE,
};

const offer = (changes: Record<string, unknown>) => ({
  ...{ id: 'EXP', name: 'Express', serviceType: 'express', isValid: true, deliveryTime: '1-3 days' },
  ...{ currency: 'EUR', price: 12.5, kg: 1, ...changes },
});
const DETAIL = fixture('v1/shipments/{shipmentId}/GET/delivered.200.json');

async function tested(changes: Record<string, { status: number; body: unknown }>, flags = '') {
  const rig = await createRig();
  const { env, seen } = await cannedService({ ...DOCUMENTED, ...changes });
  const ran = await rig.run(`profile test --retries 0 --json ${flags}`, { env });
  const report = ran.stdout === '' ? undefined : JSON.parse(ran.stdout);
  /** What was found, by request. */
  const found = Object.fromEntries(
    (report?.operations ?? []).map(({ request, result, message }: Record<string, string>) => [
      request,
      [result, message],
    ]),
  );
  return { ...ran, report, found, seen };
}

const NOTHING = ['ok', 'nothing has the id that was asked for'];

test('an answer in another form can be worked with, and so can an id that is refused', async () => {
  const { exitCode, found } = await tested({
    [PROPOSALS]: {
      status: 200,
      body: {
        data: {
          proposals: [offer({ price: '12.50', deliveryTime: '1-2 weeks' }), offer({ isValid: 'yes' })],
          chargeableWeight: '3',
        },
      },
    },
    [SUBSCRIPTION]: { status: 422, body: { message: 'not the form of an id' } },
    [SHIPMENT]: { status: 200, body: { ...DETAIL, id: ID } },
  });
  expect(exitCode).toBe(0);
  expect(found[`POST ${PROPOSALS}`]).toEqual(['ok', '1 of 2 proposals can be booked']);
  expect(found['GET /webhooks/subscriptions/{subscriptionId}']).toEqual(NOTHING);
  expect(found['GET /v1/shipments/{shipmentId}']).toEqual(['ok', `something has the id ${ID}`]);
});

test('a wrong path that answers 404 with a page is no answer of the service: check the address', async () => {
  const page = { status: 404, body: '<html><title>Not Found</title></html>' };
  const everywhere = Object.fromEntries(Object.keys(DOCUMENTED).map(path => [path, page]));
  const all = await tested(everywhere);
  expect([all.exitCode, all.report]).toEqual([4, undefined]);
  expect(errorOf(all).message).toMatch(
    /A web page is not an answer of the service: check the address, http:/,
  );
  const one = await tested({ [SHIPMENT]: page });
  expect([one.exitCode, one.found['GET /v1/shipments/{shipmentId}']?.[0]]).toEqual([9, 'failed']);
  expect(one.found['GET /v1/shipments/domestic/{shipmentId}']).toEqual(NOTHING);
});

test.each([
  ['a scope that is missing', SUBSCRIPTION, { status: 403, body: { message: 'no scope' } }, '403'],
  ['a path that is not there', PROPOSALS, GONE, '404'],
  ['proposals that are no list', PROPOSALS, { status: 201, body: { proposals: {} } }, 'proposals'],
])('%s for one operation does not hide the others: exit 9', async (_, path, answer, words) => {
  const { exitCode, stderr, report } = await tested({ [path]: answer });
  expect([exitCode, report.ok]).toEqual([9, false]);
  expect(report.operations.filter(({ result }: { result: string }) => result === 'failed')).toHaveLength(1);
  const { code, issues } = errorOf({ stderr, exitCode });
  expect([code, issues]).toEqual([
    'partial',
    [expect.objectContaining({ message: expect.stringContaining(words) })],
  ]);
});

test('at a sandbox the operations that have none are skipped, and production is not asked', async () => {
  const rig = await createRig();
  const ran = await rig.run('profile test --sandbox --json');
  expect(ran.exitCode).toBe(0);
  expect(sent(ran).toSorted()).toEqual(
    [`GET /sandbox${SHIPMENT}`, `GET /sandbox${DOMESTIC}`, `POST /sandbox${PROPOSALS}`].toSorted(),
  );
  const skipped = JSON.parse(ran.stdout).operations.filter(
    ({ result }: { result: string }) => result === 'skipped',
  );
  expect(skipped.map(({ request }: { request: string }) => request)).toEqual([
    `POST ${RATES}`,
    'GET /webhooks/subscriptions/{subscriptionId}',
  ]);
});

test('for people it is a table, and with -q one word or the requests that failed', async () => {
  const rig = await createRig({ env: BARE });
  const demo = await rig.run('profile test demo');
  expect(demo.stdout).toMatchInlineSnapshot(`
    "ok: demo; credentials: built in

    REQUEST                                       ANSWER  RESULT
    POST /v1/carriers/proposal                    201     2 of 2 proposals can be booked
    POST /api/v1/shipping/rates                   200     it can be read
    GET /v1/shipments/{shipmentId}                404     nothing has the id that was asked for
    GET /v1/shipments/domestic/{shipmentId}       404     nothing has the id that was asked for
    GET /webhooks/subscriptions/{subscriptionId}  404     nothing has the id that was asked for
    "
  `);
  expect((await rig.run('profile test demo -q')).stdout).toBe('ok\n');
  const service = await cannedService({ ...DOCUMENTED, [PROPOSALS]: GONE });
  const env = { ...service.env, WAYBILL_TOKEN: 'demo' };
  const failed = await rig.run('profile test', { env });
  expect(failed.stdout).toMatch(/^http:\S+; credentials: a token.*\n\nREQUEST .*\nPOST \S+ +404 +failed\n/);
  expect(failed.stderr).toMatch(
    /^error: profile test: 1 of 5 operations[\s\S]*POST \/v1\/carriers\/proposal/,
  );
  expect((await rig.run('profile test -q', { env })).stdout).toBe(`POST ${PROPOSALS}\n`);
});
