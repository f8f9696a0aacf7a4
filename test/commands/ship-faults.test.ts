// What a booking does without a credential, an answer in time, or a place for its result; and if its proposals fail. What it
// does with each answer is in test/booking/wire-table.ts.
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../src/emulator/faults.ts';
import { createRig } from '../rig/command.ts';
import { cannedService, DUAL, errorOf, PROPOSALS, SHIPMENT, sent, UNDECIDED } from '../rig/service.ts';

const ship = ['ship', JSON.stringify(SHIPMENT), '/v1/shipments'] as const;
const dual = ['ship-dual', JSON.stringify({ ...DUAL, label: true }), '/v2/shipments'] as const;
const label = ['label', JSON.stringify({ international: 'NONE' }), '/v2/carriers/create'] as const;
const BOOKINGS = [ship, dual, label];

const faulty = (fault: string) => createRig({ faults: [parseFault(`${fault}:1`)] });

describe.each(BOOKINGS)('%s', (command, stdin, path) => {
  const once = [`POST ${path}`];
  const book = `${command} -f - --json`;

  test('is unknown if no answer comes in the time that --timeout gives', async () => {
    const rig = await createRig();
    const { env, seen, received } = await cannedService({});
    const ran = await rig.run(`${book} --timeout 5`, { stdin, env, patience: received(1) });
    expect(errorOf(ran)).toMatchObject({ code: 'outcome_unknown', exitCode: 8 });
    expect(errorOf(ran).message).toContain('no complete answer within 5 s');
    expect(errorOf(ran).message).toContain('It may exist and cost money');
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
