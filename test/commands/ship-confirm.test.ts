// A booking against production asks first on a terminal. The address need not exist: on No nothing is sent to it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orders, shop } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { asProduction, ELSEWHERE, production } from '../rig/production.ts';
import { DUAL, PROPOSALS, SHIPMENT, sent, UNDECIDED } from '../rig/service.ts';

const ANNA = 'to "Anna Beispiel" ("Berlin", DE)';
const COMMANDS: [string, unknown, string][] = [
  ['ship -f -', SHIPMENT, `the price is not known, EXP, ${ELSEWHERE}; 4.8 kg chargeable; ${ANNA}`],
  [
    'ship -f - --label',
    SHIPMENT,
    `the price is not known, EXP, ${ELSEWHERE}; 4.8 kg chargeable; with a label; ${ANNA}`,
  ],
  ['ship-dual -f -', DUAL, `the price is not known, EXP and DOM, ${ELSEWHERE}; ${ANNA}`],
  ['ship-dual -f - --label', DUAL, `the price is not known, EXP and DOM, ${ELSEWHERE}; with labels; ${ANNA}`],
  [
    'label -f -',
    { international: 'I', domestic: 'D' },
    `a label, ${ELSEWHERE}; of international I and domestic D`,
  ],
];

describe.each(COMMANDS)('%s', (command, body, summary) => {
  const stdin = JSON.stringify(body);

  test('asks, and without a yes nothing is sent', async () => {
    const rig = await createRig();
    const { atTerminal, tries } = await production();
    const ran = await rig.run(command, { ...atTerminal, stdin });
    expect(ran.asked).toEqual([`Book this? ${summary}`]);
    expect(ran).toMatchObject({ exitCode: 130, stdout: '', waits: [], requests: [] });
    expect(ran.stderr).toContain('nothing was sent');
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

  test('is refused where nobody can say yes to what a person sees: exit 2', async () => {
    const rig = await createRig();
    const { atTerminal, tries } = await production();
    const off = await rig.run(`${command} --no-input`, { ...atTerminal, stdin });
    const piped = await rig.run(command, { ...atTerminal, stdin, piped: true });
    for (const [ran, why] of [
      [off, 'prompts are off'],
      [piped, 'stdin is no terminal'],
    ] as const) {
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', asked: [], waits: [], requests: [] });
      expect(ran.stderr).toContain(
        `${summary} needs a yes, and nobody can be asked, because ${why}; nothing was sent. Add --yes to book it`,
      );
      expect(ran.stderr.includes(', or --plan FILE to look at it first')).toBe(command.startsWith('ship'));
    }
    expect(tries()).toBe(0);
    const agreed = await rig.run(`${command} --retries 0 --yes`, { ...atTerminal, stdin, piped: true });
    expect(agreed).toMatchObject({ exitCode: 7, asked: [] });
    expect(tries()).toBe(1);
  });

  test('a terminal of CI is none: it is sent without a question', async () => {
    const rig = await createRig();
    const { atTerminal, env, tries } = await production();
    const ran = await rig.run(`${command} --retries 0 --new-journal`, {
      ...atTerminal,
      stdin,
      env: { ...env, CI: 'true' },
    });
    expect(ran).toMatchObject({ exitCode: 7, asked: [] });
    expect(tries()).toBe(1);
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
  expect(ran.asked).toEqual([`Book this? a label, profile shop, ${ELSEWHERE}; of international I`]);
  expect(ran).toMatchObject({ waits: [], requests: [] });
});

test('the refusal has carrier and price, and a key that is booked is shown without a yes', async () => {
  const rig = await createRig({ files: { 'order.json': UNDECIDED } });
  const live = { terminal: true, env: await asProduction(rig) };
  const order = 'ship -f order.json --key A-1 --carrier fastest';
  const ran = await rig.run(order, { ...live, piped: true });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', asked: [] });
  expect(sent(ran)).toEqual([`POST ${PROPOSALS}`]);
  expect(ran.stderr).toContain(
    `52.90 EUR, EXP, ${ELSEWHERE}; 5 kg chargeable; order "A-1" ${ANNA} needs a yes`,
  );
  expect((await rig.run(`${order} --yes`, { ...live, piped: true })).exitCode).toBe(0);
  expect(await rig.run(order, { ...live, piped: true })).toMatchObject({ exitCode: 0, requests: [] });
});

test('the loop of a shell whose stdin is the list: no order is booked unseen, and a plan is none', async () => {
  const rig = await createRig({ files: { 'order.json': SHIPMENT } });
  const piped = { terminal: true, piped: true, env: await asProduction(rig), stdin: 'A-2\nA-3\n' };
  expect((await rig.run('ship -f order.json --key A-1', piped)).exitCode).toBe(2);
  expect((await rig.run('ship -f order.json --key A-1 --plan plan.json', piped)).exitCode).toBe(0);
  const plan = await rig.run('ship -f plan.json', piped);
  expect(plan).toMatchObject({ exitCode: 2, stdout: '' });
  expect(plan.stderr).toContain('52.90 EUR');
  expect((await rig.run('ship -f plan.json --yes', piped)).exitCode).toBe(0);
});

test('a batch whose records come from stdin asks for --yes, with its counts', async () => {
  const rig = await shop(orders(2));
  const live = { terminal: true, env: await asProduction(rig) };
  const stdin = readFileSync(join(rig.folder, 'orders.jsonl'), 'utf8');
  const batch = 'batch ship - --format jsonl --results r.jsonl';
  const ran = await rig.run(batch, { ...live, piped: true, stdin });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  expect(ran.stderr).toContain('ship for 2 records');
  expect(ran.stderr).toContain('Add --yes to book it, or --dry-run --estimate to see the prices first');
  expect(existsSync(join(rig.folder, 'r.jsonl'))).toBe(false);
  const agreed = await rig.run(`${batch} --yes`, { ...live, piped: true, stdin });
  expect(agreed.exitCode).toBe(0);
  // Nothing is left to book.
  expect((await rig.run(batch, { ...live, piped: true, stdin })).exitCode).toBe(0);
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
