// What a form leaves alone: stdout, a dry run, and everybody who cannot be asked.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import {
  answering,
  asked,
  BOOK,
  choiceOf,
  continuing,
  ids,
  NO_CARRIER,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { ELSEWHERE, production } from '../rig/production.ts';
import { errorOf } from '../rig/service.ts';

describe('--dry-run on a terminal', () => {
  test('asks for everything, sends nothing at all, and shows the request', async () => {
    const rig = await createRig({ env: { WAYBILL_TOKEN: '' } });
    const ran = await answering(rig, 'ship --dry-run', { ...BOOK, review: 'submit' });

    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    const { chargeableWeight: ___, ...body } = SHIPMENT_BODY;
    expect(JSON.parse(ran.stdout)).toEqual({
      journal: { state: 'new', booking: null },
      method: 'POST',
      url: `${rig.address}/v1/shipments`,
      body,
      unresolved: ['chargeableWeight'],
    });
    expect(choiceOf(asked(ran, 'review'), 'submit')?.name).toBe('Show the request');
    expect(ids(ran)).not.toContain('keep');
  });
});

test('with --json stdout holds only the answer of the service, and nothing when the person leaves', async () => {
  const rig = await createRig();
  const left = await answering(rig, 'ship --json', { ...BOOK, review: 'leave' });
  expect(left.stdout).toBe('');
  expect(errorOf(left)).toMatchObject({
    code: 'interrupted',
    exitCode: 130,
    message: expect.stringMatching(/`waybill ship -f .* continues it$/),
  });
  const ran = await answering(rig, 'ship --json', BOOK);
  expect(JSON.parse(ran.stdout)).toMatchObject({ id: expect.stringMatching(/^shp_/), chargeableWeight: 1 });
  for (const line of ran.stderr.split('\n').filter(Boolean)) expect(typeof JSON.parse(line)).toBe('object');
});

describe('if prompts are off', () => {
  const MANNERS = [
    ['--no-input', 'ship --no-input', { terminal: true }],
    ['CI', 'ship', { terminal: true, env: { CI: 'true' } }],
    ['no terminal', 'ship', { terminal: false }],
  ] as const;

  test.each(MANNERS)(
    '%s: exit 2, every missing field is named with its flag, and nothing is asked',
    async (_, argv, options) => {
      const rig = await createRig();
      const ran = await rig.run(`${argv} --json --type package`, options);

      expect(ran).toMatchObject({ exitCode: 2, questions: [], requests: [], stdout: '' });
      const { issues } = errorOf(ran);
      expect(issues).toContainEqual({ path: 'sender', message: 'is required (--sender)' });
      for (const { message } of issues) expect(message).toMatch(/\(--[\w-]+.*\)$/);
    },
  );
});

test('production asks "Book this?" after the review, and No keeps the draft', async () => {
  const { env, tries } = await production();
  const rig = await createRig();
  rig.file('order.json', {
    ...NO_CARRIER,
    carriers: { international: { id: 'EXP' }, domestic: { id: 'DOM' } },
  });
  const ran = await answering(
    rig,
    ['ship-dual', '-f', 'order.json', '--set', 'sender.lastName='],
    { 'sender.lastName': 'Example', review: 'submit', confirm: 'no' },
    { env },
  );
  expect(ids(ran)).toEqual(['sender.lastName', 'review', 'confirm']);
  expect(ran.asked).toEqual([`Book this? EXP and DOM to Anna Example (Dresden, DE) (${ELSEWHERE})`]);
  expect(ran.exitCode).toBe(130);
  expect(tries()).toBe(0);
  expect(continuing(ran)).toMatch(/^ship-dual -f /);
});
