// A booking against production asks first on a terminal. The address need not exist: on No nothing is sent to it.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { ELSEWHERE, production } from '../rig/production.ts';
import { DUAL, errorOf, SHIPMENT, UNDECIDED } from '../rig/service.ts';

const COMMANDS: [string, unknown, string][] = [
  ['ship -f -', SHIPMENT, 'EXP to Anna Beispiel (Berlin, DE), 4.8 kg chargeable'],
  ['ship -f - --label', SHIPMENT, 'EXP to Anna Beispiel (Berlin, DE), 4.8 kg chargeable, with a label'],
  ['ship-dual -f -', DUAL, 'EXP and DOM to Anna Beispiel (Berlin, DE)'],
  ['ship-dual -f - --label', DUAL, 'EXP and DOM to Anna Beispiel (Berlin, DE), with labels'],
  ['label -f -', { international: 'I', domestic: 'D' }, 'label for international I and domestic D'],
];

describe.each(COMMANDS)('%s', (command, body, summary) => {
  const stdin = JSON.stringify(body);

  test('asks, and without a yes nothing is sent', async () => {
    const rig = await createRig();
    const { atTerminal, tries } = await production();
    const ran = await rig.run(command, { ...atTerminal, stdin });
    expect(ran.asked).toEqual([`Book this? ${summary} (${ELSEWHERE})`]);
    expect(ran).toMatchObject({ exitCode: 130, stdout: '', waits: [], requests: [] });
    expect(ran.stderr).toContain('nothing was booked');
    expect(tries()).toBe(0);
  });

  test('sends on a yes', async () => {
    const rig = await createRig();
    const { atTerminal, tries } = await production();
    const ran = await rig.run(`${command} --retries 0`, { ...atTerminal, stdin, answer: true });
    expect(ran.asked).toHaveLength(1);
    expect(ran).toMatchObject({ exitCode: 7, stdout: '', requests: [] });
    expect(tries()).toBe(1);
  });

  test('does not ask with --yes, and not without a terminal', async () => {
    const rig = await createRig();
    const { atTerminal, env, tries } = await production();
    for (const ran of [
      await rig.run(`${command} --retries 0 --yes`, { ...atTerminal, stdin }),
      await rig.run(`${command} --retries 0 -y`, { ...atTerminal, stdin }),
      await rig.run(`${command} --retries 0`, { env, stdin }),
    ])
      expect(ran).toMatchObject({ exitCode: 7, asked: [], requests: [] });
    expect(tries()).toBe(3);
  });

  test('is refused if prompts are off and --yes is missing: exit 2', async () => {
    const rig = await createRig();
    const { atTerminal, env, tries } = await production();
    for (const ran of [
      await rig.run(`${command} --no-input`, { ...atTerminal, stdin }),
      await rig.run(command, { ...atTerminal, stdin, env: { ...env, CI: 'true' } }),
    ]) {
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', asked: [], waits: [], requests: [] });
      expect(ran.stderr).toContain('nothing was sent. Add --yes to go ahead');
    }
    expect(tries()).toBe(0);
  });

  test('does not ask on loopback, nor in the sandbox', async () => {
    const rig = await createRig();
    const loopback = await rig.run(command, { stdin, terminal: true });
    expect(loopback.asked).toEqual([]);
    expect(loopback.requests.length).toBeGreaterThan(0);
    const { atTerminal, tries } = await production();
    const sandbox = await rig.run(`${command} --sandbox --retries 0`, { ...atTerminal, stdin });
    expect(sandbox).toMatchObject({ exitCode: 7, asked: [] });
    expect(tries()).toBe(1);
  });
});

test('the question names the profile', async () => {
  const rig = await createRig();
  rig.file('config/config.json', {
    profiles: { shop: { baseUrl: ELSEWHERE, credentials: { kind: 'token', token: 'x' } } },
  });
  const ran = await rig.run('label --international I --profile shop', { terminal: true });
  expect(ran.asked).toEqual([`Book this? label for international I (profile shop, ${ELSEWHERE})`]);
  expect(ran).toMatchObject({ waits: [], requests: [] });
});

test('what cannot be confirmed does not even ask for proposals', async () => {
  const rig = await createRig();
  const { atTerminal, tries } = await production();
  const ran = await rig.run('ship -f - --carrier fastest --no-input --retries 0 --json', {
    ...atTerminal,
    stdin: JSON.stringify(UNDECIDED),
  });
  expect(errorOf(ran)).toMatchObject({ code: 'usage', exitCode: 2, operation: 'ship' });
  expect(ran.requests).toEqual([]);
  expect(tries()).toBe(0);
});

test('reads and dry runs never ask', async () => {
  const rig = await createRig();
  const { atTerminal, tries } = await production();
  const quote = await rig.run('quote --from TR --to DE --package 1@1x1x1 --retries 0', atTerminal);
  expect(quote).toMatchObject({ exitCode: 7, asked: [] });
  expect(tries()).toBe(1);
  const dry = await rig.run('ship -f - --dry-run', { ...atTerminal, stdin: JSON.stringify(SHIPMENT) });
  expect(dry).toMatchObject({ exitCode: 0, asked: [], requests: [] });
  expect(tries()).toBe(1);
});
