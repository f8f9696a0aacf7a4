// A booking against production asks first on a terminal. The address need not exist: on No nothing is sent to it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orders, shop } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { asProduction, ELSEWHERE, production } from '../rig/production.ts';
import { DUAL, PROPOSALS, SHIPMENT, sent, UNDECIDED } from '../rig/service.ts';

const ANNA = 'to "Anna Beispiel" ("Berlin", DE)';
const LEGS = { international: 'I', domestic: 'D' };

test.each<[string, unknown, string]>([
  ['ship -f -', SHIPMENT, `the price is not known, EXP, ${ELSEWHERE}; 4.8 kg chargeable; ${ANNA}`],
  [
    'ship -f - --label',
    SHIPMENT,
    `the price is not known, EXP, ${ELSEWHERE}; 4.8 kg chargeable; with a label; ${ANNA}`,
  ],
  ['ship-dual -f -', DUAL, `the price is not known, EXP and DOM, ${ELSEWHERE}; ${ANNA}`],
  ['ship-dual -f - --label', DUAL, `the price is not known, EXP and DOM, ${ELSEWHERE}; with labels; ${ANNA}`],
  ['label -f -', LEGS, `a label, ${ELSEWHERE}; of international I and domestic D`],
])('%s sends in production what a person at a terminal said yes to', async (command, body, summary) => {
  const rig = await createRig();
  const stdin = JSON.stringify(body);
  const { atTerminal, env, tries } = await production();
  const run = (flags: string, options: object = {}) =>
    rig.run(`${command} --retries 0 ${flags}`, { ...atTerminal, stdin, ...options });

  const left = await run('');
  expect(left.asked).toEqual([`Book this? ${summary}`]);
  expect(left).toMatchObject({ exitCode: 130, stdout: '' });
  for (const [flags, options] of [
    ['--no-input', {}],
    ['', { piped: true }],
  ] as const) {
    const refused = await run(flags, options);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', asked: [] });
    expect(refused.stderr).toContain(`${summary} needs a yes`);
    expect(refused.stderr.includes('--plan FILE')).toBe(command.startsWith('ship'));
  }
  expect(tries()).toBe(0);

  const agreed = await run('', { answer: true });
  expect([agreed.exitCode, agreed.asked.length, tries()]).toEqual([7, 1, 1]);
  for (const [flags, options] of [
    ['--yes', {}],
    ['-y', { piped: true }],
    ['', { terminal: false }],
    ['--new-journal', { env: { ...env, CI: 'true' } }],
    ['--sandbox', {}],
  ] as const) {
    const before = tries();
    const unasked = await run(flags, options);
    expect([unasked.exitCode, unasked.asked, tries()]).toEqual([7, [], before + 1]);
  }
  const loopback = await rig.run(command, { stdin, terminal: true });
  expect([loopback.asked, loopback.requests.length > 0]).toEqual([[], true]);
});

test('the refusal has carrier and price, and a key that is booked is shown without a yes', async () => {
  const rig = await createRig({ files: { 'order.json': UNDECIDED } });
  const live = { terminal: true, piped: true, env: await asProduction(rig) };
  const order = 'ship -f order.json --key A-1 --carrier fastest';
  const ran = await rig.run(order, live);
  expect([ran.exitCode, sent(ran)]).toEqual([2, [`POST ${PROPOSALS}`]]);
  expect(ran.stderr).toContain(
    `52.90 EUR, EXP, ${ELSEWHERE}; 5 kg chargeable; order "A-1" ${ANNA} needs a yes`,
  );
  expect((await rig.run(`${order} --yes`, live)).exitCode).toBe(0);
  expect(await rig.run(order, live)).toMatchObject({ exitCode: 0, requests: [] });
});

test('a batch whose records come from stdin asks for --yes, with its counts', async () => {
  const rig = await shop(orders(2));
  const stdin = readFileSync(join(rig.folder, 'orders.jsonl'), 'utf8');
  const live = { terminal: true, piped: true, stdin, env: await asProduction(rig) };
  const batch = 'batch ship - --format jsonl --results r.jsonl';
  const ran = await rig.run(batch, live);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] });
  expect(ran.stderr).toMatch(/ship for 2 records.*Add --yes to book it, or --dry-run --estimate/);
  expect(existsSync(join(rig.folder, 'r.jsonl'))).toBe(false);
  expect((await rig.run(`${batch} --yes`, live)).exitCode).toBe(0);
  // Nothing is left to book.
  expect((await rig.run(batch, live)).exitCode).toBe(0);
});

test('reads and dry runs never ask', async () => {
  const rig = await createRig();
  const { atTerminal, tries } = await production();
  const quote = await rig.run('quote --from TR --to DE --package 1@1x1x1 --retries 0', atTerminal);
  expect([quote.exitCode, quote.asked, tries()]).toEqual([7, [], 1]);
  const dry = await rig.run('ship -f - --dry-run', { ...atTerminal, stdin: JSON.stringify(SHIPMENT) });
  expect([dry.exitCode, dry.asked, tries()]).toEqual([0, [], 1]);
});
