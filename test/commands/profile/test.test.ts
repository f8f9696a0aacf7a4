import { expect, test } from 'vitest';
import { createRig } from '../../rig/command.ts';
import { BARE, bareRig } from '../../rig/profile.ts';
import { cannedService, errorOf, fixture, PROPOSALS, sent } from '../../rig/service.ts';
import { UNUSED_PORT } from '../../rig/sockets.ts';

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
const offers = (...list: unknown[]) => ({
  [PROPOSALS]: { status: 201, body: { proposals: list, chargeableWeight: 3 } },
});

async function tested(changes: Record<string, { status: number; body: unknown }>, flags = '') {
  const rig = await createRig();
  const { env, seen } = await cannedService({ ...DOCUMENTED, ...changes });
  const ran = await rig.run(`profile test --retries 0 --json ${flags}`, { env });
  const report = ran.stdout === '' ? undefined : JSON.parse(ran.stdout);
  /** What was found, by request. */
  const found = Object.fromEntries(
    (report?.operations ?? []).map((one: Record<string, unknown[]>) => [
      one.request,
      [
        one.result,
        ...[...(one.problems ?? []), ...(one.differences ?? [])].map(issue =>
          Object.values(issue as object)
            .join(' ')
            .trim(),
        ),
      ],
    ]),
  );
  return { ...ran, report, found, seen };
}

test('each operation that reads is called once, and nothing is booked', async () => {
  const { exitCode, report, seen, found } = await tested({});
  expect([exitCode, report.ok]).toEqual([0, true]);
  const reads = [
    `POST ${PROPOSALS}`,
    `POST ${RATES}`,
    `GET ${SHIPMENT}`,
    `GET ${DOMESTIC}`,
    `GET ${SUBSCRIPTION}`,
  ];
  expect(seen.toSorted()).toEqual(reads.toSorted());
  expect(Object.values(found)).toEqual(Array(5).fill(['as documented']));
});

test('it says which credentials were sent, and not what they contain', async () => {
  const rig = await bareRig();
  const { env } = await cannedService(DOCUMENTED);
  const address = env.WAYBILL_BASE_URL ?? '';
  const asked = async (name: string, flags: string[]) => {
    await rig.run(['profile', 'add', name, '--base-url', address, ...flags], { stdin: 'very-secret' });
    const { stdout, stderr } = await rig.run(`profile test ${name} --json`, { env: { KEY: 'very-secret' } });
    expect(stdout + stderr).not.toContain('very-secret');
    return JSON.parse(stdout).credentials;
  };
  expect(await asked('token', ['--token-stdin', '--auth-header', 'X-Token', '--auth-scheme', ''])).toBe(
    'a token, sent as X-Token: TOKEN',
  );
  expect(await asked('keys', ['--header', 'X-Api-Key=@env:KEY'])).toBe('headers: X-Api-Key (@env:KEY)');
});

test('what is different and is read is named, and is no failure', async () => {
  const { exitCode, report, found } = await tested({
    [PROPOSALS]: {
      status: 200,
      body: {
        data: { proposals: [offer({ price: '12.50', deliveryTime: '1-2 weeks' })], chargeableWeight: '3' },
      },
    },
    [SUBSCRIPTION]: { status: 422, body: { message: 'not the form of an id' } },
  });
  expect([exitCode, report.ok]).toEqual([0, true]);
  expect(found[`POST ${PROPOSALS}`]).toEqual([
    'readable',
    'is answered with 200; the document has 201',
    'is inside `data`',
    'proposals[].price is text; the document has it as a number',
    'chargeableWeight is text; the document has it as a number',
  ]);
  expect(found['GET /webhooks/subscriptions/{subscriptionId}']).toEqual([
    'readable',
    'is answered with 422; the document has 401, 404',
  ]);
});

test('a wrong path that answers 404 with a page is not as documented: check the address', async () => {
  const page = { status: 404, body: '<html><title>Not Found</title></html>' };
  const everywhere = Object.fromEntries(Object.keys(DOCUMENTED).map(path => [path, page]));
  const all = await tested(everywhere);
  expect([all.exitCode, all.report]).toEqual([4, undefined]);
  expect(errorOf(all).message).toMatch(
    /A web page is not an answer of the service: check the address, http:/,
  );
  const one = await tested({ [SHIPMENT]: page });
  expect([one.exitCode, one.found['GET /v1/shipments/{shipmentId}']?.[0]]).toEqual([9, 'not usable']);
  expect(one.found['GET /v1/shipments/domestic/{shipmentId}']).toEqual(['as documented']);
});

test('what a decision cannot use is a problem of that operation: exit 9', async () => {
  const { exitCode, report, found, stderr } = await tested(
    offers(
      offer({ id: 'A', isValid: 'yes' }),
      offer({ id: 'B', deliveryTime: 'soon' }),
      offer({ id: 'C', price: { amount: 3 } }),
      offer({ id: 'D', isValid: false, price: null }),
    ),
  );
  expect([exitCode, report.ok]).toEqual([9, false]);
  expect(found[`POST ${PROPOSALS}`]).toEqual([
    'not usable',
    expect.stringMatching(/^proposals\[\]\.isValid does not allow a booking: isValid is "yes"/),
    expect.stringMatching(/^proposals\[\]\.deliveryTime "soon" cannot be read as a time/),
    expect.stringMatching(/^proposals\[\]\.price is 0, or cannot be read/),
  ]);
  expect(errorOf({ stderr, exitCode })).toMatchObject({ code: 'partial', issues: [{}, {}, {}] });
});

test('a service that finds a shipment with an id that nothing has is told', async () => {
  const detail = fixture('v1/shipments/{shipmentId}/GET/delivered.200.json');
  const { exitCode, found } = await tested({ [SHIPMENT]: { status: 200, body: { ...detail, id: 17 } } });
  expect(exitCode).toBe(0);
  expect(found['GET /v1/shipments/{shipmentId}']).toEqual([
    'readable',
    'id is a number; the document has it as text',
    `finds something with the id ${ID}`,
  ]);
});

test('a scope that is missing for one operation does not hide the others', async () => {
  const { exitCode, found } = await tested({
    [SUBSCRIPTION]: { status: 403, body: { message: 'no scope' } },
  });
  expect(exitCode).toBe(9);
  expect(found['GET /webhooks/subscriptions/{subscriptionId}']?.[0]).toBe('not usable');
  expect(found[`POST ${PROPOSALS}`]).toEqual(['as documented']);
});

test('a path that is not there is a problem, although an unknown shipment is none', async () => {
  const { exitCode, found } = await tested({ [PROPOSALS]: GONE });
  expect(exitCode).toBe(9);
  expect(found[`POST ${PROPOSALS}`]?.[0]).toBe('not usable');
});

test('no proposals for the sample is no problem, and is said', async () => {
  const { exitCode, found } = await tested(offers());
  expect(exitCode).toBe(0);
  expect(found[`POST ${PROPOSALS}`]).toEqual(['readable', expect.stringContaining('proposals is empty')]);
});

test('credentials that no operation accepts are exit 3, also where rates need none', async () => {
  const refused = { status: 401, body: { message: 'who are you?' } };
  const all = { [PROPOSALS]: refused, [SHIPMENT]: refused, [DOMESTIC]: refused, [SUBSCRIPTION]: refused };
  const { exitCode, stdout, stderr } = await tested(all);
  expect([exitCode, stdout]).toEqual([3, '']);
  expect(errorOf({ stderr, exitCode })).toMatchObject({ code: 'unauthorized', httpStatus: 401 });
});

test('pages of a web site in place of answers, or no answer at all, are exit 7', async () => {
  const page = { status: 200, body: '<html><title>Sign in</title>' };
  const pages = Object.fromEntries(Object.keys(DOCUMENTED).map(path => [path, page]));
  expect((await tested(pages)).exitCode).toBe(7);
  const rig = await createRig({ env: { WAYBILL_BASE_URL: `http://127.0.0.1:${UNUSED_PORT}` } });
  expect((await rig.run('profile test --retries 0')).exitCode).toBe(7);
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

test('for people it is a table with what was found below, and with -q one word or the requests that fail', async () => {
  const rig = await createRig({ env: BARE });
  const demo = await rig.run('profile test demo');
  expect(demo.stdout).toMatchInlineSnapshot(`
    "ok: demo; credentials: built in

    REQUEST                                       ANSWER  RESULT
    POST /v1/carriers/proposal                    201     as documented
    POST /api/v1/shipping/rates                   200     as documented
    GET /v1/shipments/{shipmentId}                404     as documented
    GET /v1/shipments/domestic/{shipmentId}       404     as documented
    GET /webhooks/subscriptions/{subscriptionId}  404     as documented
    "
  `);
  expect((await rig.run('profile test demo -q')).stdout).toBe('ok\n');
  const { env } = await cannedService({ ...DOCUMENTED, ...offers(offer({ deliveryTime: 'soon', kg: '1' })) });
  const other = await rig.run('profile test', { env: { ...env, WAYBILL_TOKEN: 'demo' } });
  expect(other.stdout.replace(/127[.\d:]+/, 'ADDRESS')).toMatchInlineSnapshot(`
    "http://ADDRESS; credentials: a token, sent as authorization: Bearer TOKEN

    REQUEST                                       ANSWER  RESULT
    POST /v1/carriers/proposal                    201     not usable
    POST /api/v1/shipping/rates                   200     as documented
    GET /v1/shipments/{shipmentId}                404     as documented
    GET /v1/shipments/domestic/{shipmentId}       404     as documented
    GET /webhooks/subscriptions/{subscriptionId}  404     as documented

    POST /v1/carriers/proposal: proposals[].kg is text; the document has it as a number
    "
  `);
  expect(other.stderr).toMatch(
    /^error: profile test: 1 of 5 operations[\s\S]*proposals\[\]\.deliveryTime +"soon" cannot be read as a time/,
  );
  expect((await rig.run('profile test -q', { env: { ...env, WAYBILL_TOKEN: 'demo' } })).stdout).toBe(
    `POST ${PROPOSALS}\n`,
  );
});
