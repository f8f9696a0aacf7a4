// A booking is sent exactly once, whatever the wire does, and every exit code says what became of it.
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../src/emulator/faults.ts';
import { createRig } from '../rig/command.ts';
import {
  cannedService,
  DUAL,
  errorOf,
  PROPOSALS,
  SHIPMENT,
  sent,
  switchable,
  UNDECIDED,
} from '../rig/service.ts';

const ship = ['ship', JSON.stringify(SHIPMENT), '/v1/shipments'] as const;
const dual = ['ship-dual', JSON.stringify({ ...DUAL, label: true }), '/v2/shipments'] as const;
const label = ['label', JSON.stringify({ international: 'NONE' }), '/v2/carriers/create'] as const;
const BOOKINGS = [ship, dual, label];

const faulty = (fault: string) => createRig({ faults: [parseFault(`${fault}:1`)] });

describe.each(BOOKINGS)('%s', (command, stdin, path) => {
  const once = [`POST ${path}`];
  const book = `${command} -f - --json`;

  test.each([
    ...['204', '302', '307', '408', '500', '502', '503', '504'],
    ...['reset-before', 'reset-after', 'truncate', 'html'],
  ])('is sent once and is unknown after %s: exit 8', async fault => {
    // What a label is for must be there before the fault strikes.
    const { faults, random, turn } = switchable(fault);
    const rig = await createRig({ faults, random });
    const international = (await rig.run('ship -f - -q', { stdin: ship[1] })).stdout.trim();
    turn('on');
    const ran = await rig.run(book, {
      stdin: command === 'label' ? JSON.stringify({ international }) : stdin.replace('3.2', '3.1'),
    });
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8, operation: command });
    expect(errorOf(ran).message).toContain('It may exist and cost money');
    expect(ran).toMatchObject({ stdout: '', waits: [] });
    expect(sent(ran)).toEqual(once);
  });

  test('is rejected if the service refuses with a 2xx: exit 5', async () => {
    const rig = await faulty('200');
    const ran = await rig.run(book, { stdin });
    expect(errorOf(ran)).toMatchObject({
      code: 'rejected',
      exitCode: 5,
      operation: command,
      httpStatus: 200,
    });
    expect(sent(ran)).toEqual(once);
  });

  test.each([
    ['400', 'rejected', 5],
    ['401', 'unauthorized', 3],
    ['403', 'unauthorized', 3],
    ['404', 'not_found', 4],
    ['409', 'rejected', 5],
    ['422', 'rejected', 5],
  ])('is sent once and refused after %s: %s, exit %i', async (fault, code, exitCode) => {
    const rig = await faulty(fault);
    const ran = await rig.run(book, { stdin });
    expect(errorOf(ran)).toMatchObject({
      ...{
        code,
        exitCode,
        operation: command,
        httpStatus: Number(fault),
        booking: expect.stringMatching(/^bk_/),
      },
      body: { error: { code: 'injected_fault' } },
    });
    expect(errorOf(ran).message).toContain('nothing was created');
    expect(ran).toMatchObject({ stdout: '', waits: [] });
    expect(sent(ran)).toEqual(once);
  });

  test('is sent again after 429, as that was not processed: exit 6 after the retries', async () => {
    const rig = await faulty('429');
    const ran = await rig.run(book, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'rate_limited', exitCode: 6, httpStatus: 429 });
    expect(sent(ran)).toEqual([...once, ...once, ...once, ...once]);
    expect(ran.waits).toHaveLength(3);
    for (const wait of ran.waits) expect(wait).toBeGreaterThanOrEqual(1000);
    expect(sent(await rig.run(`${book} --retries 0`, { stdin }))).toEqual(once);
  });

  test('is retried if there was no connection: exit 7 after the retries', async () => {
    const rig = await createRig({ env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } });
    const ran = await rig.run(book, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'unavailable', exitCode: 7, httpStatus: null, body: null });
    expect(errorOf(ran).message).toContain('nothing was sent: connection refused');
    expect(ran.waits).toHaveLength(3);
    expect(ran.requests).toEqual([]);
  });

  test('is unknown if no answer comes in time', async () => {
    const rig = await createRig();
    const { env, seen, received } = await cannedService({});
    const ran = await rig.run(`${book} --timeout 5`, { stdin, env, patience: received(1) });
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8 });
    expect(errorOf(ran).message).toContain('no complete answer within 5 s');
    expect(seen).toEqual(once);
  });

  test('is not sent without a credential: exit 3', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: '' } });
    const ran = await rig.run(book, { stdin });
    expect(errorOf(ran)).toMatchObject({ code: 'unauthorized', exitCode: 3, operation: command });
    expect(ran).toMatchObject({ stdout: '', requests: [] });
  });

  test('is not shown on a disk that is full: exit 10, and it says that the work was done', async () => {
    const rig = await createRig();
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { id: 'S' } },
      '/v2/shipments': {
        status: 201,
        body: {
          success: true,
          international: { shipment: { id: 'A' }, label: { success: true } },
          domestic: { shipment: { id: 'B' }, label: { success: true } },
        },
      },
      '/v2/carriers/create': { status: 200, body: { success: true, international: { success: true } } },
    });
    const ran = await rig.run(book, { stdin, env, stdoutFault: new Error('ENOSPC: no space left') });
    expect(errorOf(ran)).toMatchObject({ code: 'storage', exitCode: 10 });
    expect(errorOf(ran).message).toContain('did its work');
    expect(seen).toEqual(once);
  });
});

test.each(BOOKINGS.slice(0, 2))(
  '%s in flight at a SIGTERM is waited for and shown: exit 143',
  async (command, stdin) => {
    const rig = await createRig();
    const ran = await rig.run(`${command} -f - --json`, {
      stdin,
      onRequest: (_, { interrupt }) => interrupt('SIGTERM'),
    });
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode: 143 });
    expect(ran.stdout).toContain('"id"');
    expect(ran.requests).toHaveLength(1);
  },
);

describe('A shipment that was made', () => {
  test('after a reset exists, and the command never booked it twice', async () => {
    const rig = await faulty('reset-after');
    const ran = await rig.run('ship -f -', { stdin: ship[1] });
    expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
    expect(ran.stderr).toMatch(/^error: ship: the booking was sent, but no conclusive answer came/);
    expect(ran.requests).toHaveLength(1);
  });

  test('with words that contradict it is shown, exit 9', async () => {
    const rig = await createRig();
    const { env, seen } = await cannedService({
      '/v1/shipments': { status: 201, body: { success: false, id: 'S-1' } },
    });
    const ran = await rig.run('ship -f - --json --label', { stdin: ship[1], env });
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9, operation: 'ship' });
    expect(errorOf(ran).message).toContain('do not book it again');
    expect(JSON.parse(ran.stdout)).toEqual({ success: false, id: 'S-1' });
    expect(seen).toEqual(['POST /v1/shipments']);
  });

  test('without an id is unknown, and its body is recorded', async () => {
    const rig = await createRig();
    const { env, seen } = await cannedService({ '/v1/shipments': { status: 201, body: { shipment: 7 } } });
    const ran = await rig.run('ship -f - --json', { stdin: ship[1], env });
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8, body: { shipment: 7 } });
    expect(seen).toEqual(['POST /v1/shipments']);
  });
});

describe('The proposals of a shipment', () => {
  const undecided = JSON.stringify(UNDECIDED);
  const command = 'ship -f - --carrier fastest --json';

  test.each([
    ['500', 'unavailable', 7, 4],
    ['reset-before', 'unavailable', 7, 4],
    ['html', 'unavailable', 7, 1],
    ['302', 'unavailable', 7, 1],
    ['429', 'rate_limited', 6, 4],
    ['401', 'unauthorized', 3, 1],
    ['422', 'rejected', 5, 1],
  ])(
    'may be asked for again after %s; nothing is booked without them: %s',
    async (fault, code, exitCode, times) => {
      const rig = await faulty(fault);
      const ran = await rig.run(command, { stdin: undecided });
      expect(errorOf(ran)).toMatchObject({ code, exitCode, operation: 'ship' });
      expect(errorOf(ran).message).toContain('Nothing was booked');
      expect(ran.stdout).toBe('');
      expect(sent(ran)).toEqual(Array(times).fill(`POST ${PROPOSALS}`));
    },
  );

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('are given up at %s, and nothing is booked: exit %i', async (signal, exitCode) => {
    const rig = await faulty('500');
    const ran = await rig.run(command, {
      stdin: undecided,
      onWait: ({ interrupt }) => interrupt(signal),
    });
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode, operation: 'ship' });
    expect(sent(ran)).toEqual([`POST ${PROPOSALS}`]);
  });
});
