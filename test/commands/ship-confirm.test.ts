// A booking against production asks first on a terminal. The address need not exist: on No nothing is sent to it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orders, shop } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { asProduction, ELSEWHERE, production } from '../rig/production.ts';
import { DUAL, SHIPMENT } from '../rig/service.ts';

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
])('%s in production names what a yes at a terminal is for', async (command, body, summary) => {
  const rig = await createRig();
  const { atTerminal, tries } = await production();
  const left = await rig.run(`${command} --retries 0`, { ...atTerminal, stdin: JSON.stringify(body) });
  expect(left.asked).toEqual([`Book this? ${summary}`]);
  expect(left).toMatchObject({ exitCode: 130, stdout: '' });
  expect(tries()).toBe(0);
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
