// What reads do when the wire or the service fails: quote, rates, and the proposals that ship asks for before it books.
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../src/emulator/faults.ts';
import { createRig } from '../rig/command.ts';
import { errorOf, PROPOSALS, SHIPMENT, sent, UNDECIDED } from '../rig/service.ts';

const PARCEL = '--from TR --to DE --package 1@10x10x10 --json';
const stdin = JSON.stringify(UNDECIDED);

describe.each([
  ['quote', `quote ${PARCEL}`, PROPOSALS],
  ['rates', `rates ${PARCEL}`, '/api/v1/shipping/rates'],
  ['ship', 'ship -f - --carrier fastest --json', PROPOSALS],
])('%s', (command, read, path) => {
  const faulty = (fault: string) => createRig({ faults: [parseFault(`${fault}:1`)] });

  test.each([
    ['500', 'unavailable', 7, 4],
    ['truncate', 'unavailable', 7, 4],
    ['429', 'rate_limited', 6, 4],
    ['302', 'unavailable', 7, 1],
    ['422', 'rejected', 5, 1],
    ['401', 'unauthorized', 3, 1],
    ['404', 'not_found', 4, 1],
  ])('after %s is %s, exit %i, after %i requests', async (fault, code, exitCode, times) => {
    const ran = await (await faulty(fault)).run(read, { stdin });
    expect(errorOf(ran)).toMatchObject({ code, exitCode, operation: command, booking: null });
    if (command === 'ship') expect(errorOf(ran).message).toContain('Nothing was booked');
    expect([ran.stdout, sent(ran), ran.waits.length]).toEqual([
      '',
      Array(times).fill(`POST ${path}`),
      times - 1,
    ]);
  });

  test('is well when a retry helps', async () => {
    let failures = 2;
    const rig = await createRig({
      faults: [parseFault('503:0.5')],
      random: () => (failures-- > 0 ? 0 : 0.9),
    });
    const ran = await rig.run(read, { stdin });
    const [first, second, third] = ran.requests.map(({ answered }) => answered);
    expect([first, second]).toEqual([503, 503]);
    expect([200, 201]).toContain(third);
  });

  test('is stopped by a signal: exit 130 or 143', async () => {
    for (const [signal, exitCode] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const ran = await (await faulty('500')).run(read, {
        stdin,
        onWait: ({ interrupt }) => interrupt(signal),
      });
      expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode });
      expect(sent(ran)).toEqual([`POST ${path}`]);
    }
  });
});

test('A person reads what failed, where and why, in one paragraph', async () => {
  const rig = await createRig({ faults: [parseFault('500:1')] });
  const ran = await rig.run('quote --from TR --to DE --package 1@10x10x10');
  expect(ran.stderr).toBe(`error: quote: ${rig.address} answered 500 (the service failed): injected: 500\n`);
});

test('A result that cannot be shown is exit 10, and it says that the work was done', async () => {
  const rig = await createRig();
  const ran = await rig.run('ship -f - --json', {
    stdin: JSON.stringify(SHIPMENT),
    stdoutFault: new Error('ENOSPC: no space left'),
  });
  expect(errorOf(ran)).toMatchObject({ code: 'storage', exitCode: 10 });
  expect(errorOf(ran).message).toContain('did its work');
  for (const argv of ['--help', '--version', 'schema --openapi'])
    expect((await rig.run(argv, { stdoutFault: new Error('ENOSPC') })).exitCode).toBe(10);
});
