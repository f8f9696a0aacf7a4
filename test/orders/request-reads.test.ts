// What quote and rates do when the wire or the service fails.
import { describe, expect, test } from 'vitest';
import { parseFault } from '../../src/emulator/faults.ts';
import { createRig } from '../rig/command.ts';
import { errorOf, sent } from '../rig/service.ts';

const READS = [
  ['quote', '/v1/carriers/proposal'],
  ['rates', '/api/v1/shipping/rates'],
] as const;

describe.each(READS)('%s', (command, path) => {
  const read = `${command} --from TR --to DE --package 1@10x10x10 --json`;
  const request = `POST ${path}`;

  test.each([
    ['500', 'unavailable', 7, 4],
    ['truncate', 'unavailable', 7, 4],
    ['429', 'rate_limited', 6, 4],
    ['200', 'rejected', 5, 1],
    ['302', 'unavailable', 7, 1],
    ['422', 'rejected', 5, 1],
    ['401', 'unauthorized', 3, 1],
    ['404', 'not_found', 4, 1],
  ])('after %s is %s, exit %i, after %i requests', async (fault, code, exitCode, times) => {
    const rig = await createRig({ faults: [parseFault(`${fault}:1`)] });
    const ran = await rig.run(read);
    expect(errorOf(ran)).toMatchObject({ code, exitCode, operation: command, booking: null });
    expect(ran.stdout).toBe('');
    expect(sent(ran)).toEqual(Array(times).fill(request));
    expect(ran.waits).toHaveLength(times - 1);
  });

  test('is well when a retry helps', async () => {
    let failures = 2;
    const rig = await createRig({
      faults: [parseFault('503:0.5')],
      random: () => (failures-- > 0 ? 0 : 0.9),
    });
    const ran = await rig.run(read);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.requests.map(({ answered }) => answered)).toEqual([503, 503, command === 'quote' ? 201 : 200]);
  });

  test('is tried as often as --retries says', async () => {
    const rig = await createRig({ faults: [parseFault('500:1')] });
    expect((await rig.run(`${read} --retries 0`)).requests).toHaveLength(1);
    expect((await rig.run(`${read} --retries 1`)).requests).toHaveLength(2);
    expect((await rig.run(read, { env: { WAYBILL_RETRIES: '2' } })).requests).toHaveLength(3);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is stopped by %s: exit %i', async (signal, exitCode) => {
    const rig = await createRig({ faults: [parseFault('500:1')] });
    const ran = await rig.run(read, { onWait: ({ interrupt }) => interrupt(signal) });
    expect(errorOf(ran)).toMatchObject({ code: 'interrupted', exitCode });
    expect(ran.requests).toHaveLength(1);
  });

  test('shows a person what failed, where and why, in one paragraph', async () => {
    const rig = await createRig({ faults: [parseFault('500:1')] });
    const ran = await rig.run(read.replace(' --json', ''));
    expect(ran.stderr).toBe(
      `error: ${command}: ${rig.address} answered 500 (the service failed): injected: 500\n`,
    );
  });

  test('without any address names the demo: exit 3', async () => {
    const rig = await createRig({
      env: { WAYBILL_BASE_URL: '', WAYBILL_SANDBOX_BASE_URL: '', WAYBILL_TOKEN: '' },
    });
    const ran = await rig.run(read);
    expect(errorOf(ran)).toMatchObject({ code: 'unauthorized', exitCode: 3 });
    expect(errorOf(ran).message).toContain(`waybill ${command} --profile demo`);
  });

  test('cannot be shown on a disk that is full: exit 10', async () => {
    const rig = await createRig();
    const ran = await rig.run(read, { stdoutFault: new Error('ENOSPC') });
    expect(errorOf(ran)).toMatchObject({ code: 'storage', exitCode: 10 });
  });
});
