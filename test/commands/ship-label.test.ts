// `ship --label`: a second booking right after the first. Whatever becomes of it, the shipment exists.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { bodyOf, cannedService, errorOf, posted, SHIPMENT, sent, switchable } from '../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);
const BOTH = ['POST /v1/shipments', 'POST /v2/carriers/create'];

test('ship --label books the shipment, then its label, and shows both', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - --label --json', { stdin });
  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual(BOTH);
  const { id, label } = JSON.parse(ran.stdout);
  expect(bodyOf(ran)).toEqual({ international: id });
  expect(label).toMatchObject({ success: true, international: { success: true, carrier: 'EXP' } });
  const shown = await rig.run('ship -f - --label --set receiver.firstName=Eva', { stdin });
  expect(shown.stdout).toMatch(/^Tracking number +\S+$/m);
  expect(shown.stdout).toMatch(/^Label +http:\S+\.pdf$/m);
});

test('ship --label --download saves it as the shipment id, and the file is shown', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - --label --download labels', { stdin });
  expect(posted(ran)).toEqual(BOTH);
  const id = /^Shipment +(\S+)$/m.exec(ran.stdout)?.[1];
  expect(readdirSync(`${rig.folder}/labels`)).toEqual([`${id}.pdf`]);
  expect(ran.stdout).toMatch(new RegExp(`^Label +${rig.folder}/labels/${id}\\.pdf$`, 'm'));
  expect(ran.stderr).toBe(
    `shipment ${id} is booked; making its label\nlabel saved: ${rig.folder}/labels/${id}.pdf\n`,
  );
});

describeBoth('Where the label fails', journal => {
  /** The command that a message names, as an argv. */
  const named = (message: string) => /waybill (label --.*)$/.exec(message)?.[1] ?? 'nothing';

  test('the shipment is shown, exit 9, and the command that is named makes the label', async () => {
    const { faults, random, turn } = switchable('label-international');
    const rig = await createRig({ journal, faults, random });
    turn('on');
    const ran = await rig.run('ship -f - --label --json', { stdin });
    const { id, ...rest } = JSON.parse(ran.stdout);
    expect(rest).not.toHaveProperty('label');
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'ship' });
    expect(errorOf(ran).message).toContain(`the shipment ${id} was created`);
    expect(errorOf(ran).message).toContain('Do not book the shipment again');
    expect(named(errorOf(ran).message)).toBe(`label --international ${id}`);
    expect(sent(ran)).toEqual(BOTH);
    turn('off');
    const mended = await rig.run(`${named(errorOf(ran).message)} --json`);
    expect(mended.exitCode).toBe(0);
    expect(sent(mended)).toEqual(BOTH.slice(1));
    expect(bodyOf(mended)).toEqual({ international: id });
    expect(JSON.parse(mended.stdout).international.success).toBe(true);
  });

  test.each([
    [400, 'partial', 9],
    [401, 'partial', 9],
    [404, 'partial', 9],
    [302, 'outcome_unknown', 8],
    [500, 'outcome_unknown', 8],
  ])('with %i the shipment is shown, and it is %s: exit %i', async (status, code, exitCode) => {
    const rig = await createRig({ journal });
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: "it's" } },
      '/v2/carriers/create': { status, body: { message: 'no' } },
    });
    const ran = await rig.run('ship -f - --label --json', { stdin, env });
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
    const keyed = 'ship -f - --key K --label --retries 0 --json';
    const error = { code: 'partial', exitCode: 9, httpStatus: 429, created: true };
    const next = [['waybill', 'label', '--international', 'S-1']];
    for (let time = 0; time < 2; time += 1)
      expect(errorOf(await rig.run(keyed, { stdin }))).toMatchObject({ ...error, retry: 'later', next });
    expect(seen).toEqual([...BOTH, ...BOTH.slice(1)]);
    const other = await createRig({ journal, env });
    const unkeyed = await other.run('ship -f - --label --retries 0 --json', { stdin });
    expect(errorOf(unkeyed)).toMatchObject({ ...error, retry: 'never' });
  });

  test('the command that is named leads to the same service', async () => {
    const rig = await createRig({ journal });
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S-1' } },
      '/v2/carriers/create': { status: 400, body: {} },
    });
    rig.file('config/config.json', {
      profiles: {
        'my shop': {
          ...{ baseUrl: env.WAYBILL_BASE_URL, sandbox: true },
          credentials: { kind: 'token', token: 'x' },
        },
      },
    });
    const ran = await rig.run(
      ['ship', '-f', '-', '--label', '--profile', 'my shop', '--no-sandbox', '--json'],
      {
        stdin,
      },
    );
    expect(named(errorOf(ran).message)).toBe("label --international S-1 --profile 'my shop' --no-sandbox");
    expect(seen).toEqual(BOTH);
  });

  test('because of Ctrl-C before it, the shipment is shown: exit 130', async () => {
    const rig = await createRig({ journal });
    const ran = await rig.run('ship -f - --label --json', {
      stdin,
      onRequest: (_, { interrupt }) => interrupt('SIGINT'),
    });
    expect(sent(ran)).toEqual(['POST /v1/shipments']);
    const { id } = JSON.parse(ran.stdout);
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode: 130, operation: 'ship' });
    expect(named(errorOf(ran).message)).toBe(`label --international ${id}`);
  });
});
