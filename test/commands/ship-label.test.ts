// `ship --label` and `ship-dual --label`, where a label fails: the shipment exists, and the command that is named makes its label.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { cannedService, errorOf, SHIPMENT } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const BOTH = ['POST /v1/shipments', 'POST /v2/carriers/create'];
const BOOK = 'ship -f - --label --json';

/** The command that a message names, as an argv. */
const named = (message: string) => /`waybill (label --.*)`$/.exec(message)?.[1] ?? 'nothing';

describeBoth('Where the label fails', journal => {
  test.each([
    [400, 'partial', 9],
    [302, 'outcome_unknown', 8],
    [500, 'outcome_unknown', 8],
  ])('with %i the shipment is shown, and it is %s: exit %i', async (status, code, exitCode) => {
    const rig = await createRig({ journal });
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: "it's" } },
      '/v2/carriers/create': { status, body: { message: 'no' } },
    });
    const ran = await rig.run(BOOK, { stdin, env });
    expect(JSON.parse(ran.stdout)).toEqual({ id: "it's" });
    expect(errorOf(ran)).toMatchObject({ code, exitCode, operation: 'ship', httpStatus: status });
    expect(named(errorOf(ran).message)).toBe(`label --international 'it'\\''s'`);
    expect(seen).toEqual(BOTH);
    if (exitCode === 8) expect(errorOf(ran).message).toContain('`waybill track');
  });

  test('of too many requests, the same command with its key makes the label later, and one without a key never', async () => {
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/carriers/create': { status: 429, body: {} },
    });
    const rig = await createRig({ journal, env });
    const keyed = `${BOOK} --key K --retries 0`;
    const error = { code: 'partial', exitCode: 9, httpStatus: 429, created: true };
    const next = [['waybill', 'label', '--international', 'S-1']];
    for (let time = 0; time < 2; time += 1)
      expect(errorOf(await rig.run(keyed, { stdin }))).toMatchObject({ ...error, retry: 'later', next });
    expect(seen).toEqual([...BOTH, ...BOTH.slice(1)]);
    const elsewhere = await createRig({ journal, env });
    const unkeyed = await elsewhere.run(`${BOOK} --retries 0`, { stdin });
    expect(errorOf(unkeyed)).toMatchObject({ ...error, retry: 'never' });
  });

  test('the command that is named leads to the same service', async () => {
    const rig = await createRig({ journal });
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/carriers/create': { status: 400, body: {} },
    });
    const credentials = { kind: 'token', token: 'x' };
    const shop = { baseUrl: env.WAYBILL_BASE_URL, sandbox: true, credentials };
    rig.file('config/config.json', { profiles: { 'my shop': shop } });
    const ran = await rig.run([...BOOK.split(' '), '--profile', 'my shop', '--no-sandbox'], { stdin });
    expect(named(errorOf(ran).message)).toBe("label --international S-1 --profile 'my shop' --no-sandbox");
    expect(seen).toEqual(BOTH);
  });
});
