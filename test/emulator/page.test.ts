// docs/emulator.md describes each fault, the transit times and the scopes. These facts are compared with the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../src/emulator/settings.ts';
import { openWorld } from '../../src/emulator/world.ts';
import { FAILURES } from '../../src/exit-codes.ts';
import { createRig } from '../rig/command.ts';
import { temporaryFolder } from '../rig/profile.ts';

const page = readFileSync('docs/emulator.md', 'utf8');

/** The cells of the lines below the heading of the table whose first column has this name. */
function table(first: string): string[][] {
  const [, after = ''] = page.split(new RegExp(`^\\| ${first} \\|.*\\n\\|[-|]+\\n`, 'm'));
  const [body = ''] = after.split(/^(?!\|)/m);
  return body
    .trim()
    .split('\n')
    .map(line => line.slice(1, -1).split('|'))
    .map(cells => cells.map(cell => cell.trim()));
}

/** `done`, or the `code` of a failure in backticks. */
const exitOf = (cell = ''): number =>
  cell === 'done' ? 0 : FAILURES[cell.slice(1, -1) as keyof typeof FAILURES].exit;

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('the page of the emulator', () => {
  const rows = table('kind').flatMap(([kinds, , happened = '', quote, ship]) =>
    quoted(kinds).map(kind => ({ kind, happened, quote: exitOf(quote), ship: exitOf(ship) })),
  );

  test('describes every fault', () => {
    const told = rows.map(({ kind }) => kind).filter(kind => !/^\d/.test(kind));
    expect(told).toEqual(expect.arrayContaining(Object.keys(FAULTS)));
    expect(told.length).toBe(Object.keys(FAULTS).length);
  });

  test.each(rows)('says what happens to $kind', async ({ kind, happened, quote, ship }) => {
    const fault = { kind: /^\d+$/.test(kind) ? Number(kind) : kind, probability: 1 };
    const folder = temporaryFolder();
    const data = join(folder, 'world.db');
    const rig = await createRig({ faults: [fault], sleep: async () => {}, data });
    const order = rig.file('order.json', (await rig.run('schema ship --example')).stdout);
    expect((await rig.run('quote --from TR --to DE --package 1kg@10x10x10 --retries 0')).exitCode).toBe(
      quote,
    );
    const booked = await rig.run(`ship -f ${order} --carrier EXP --chargeable-weight 1 --retries 0`);
    expect(booked.exitCode).toBe(ship);
    const store = await openWorld(data);
    const made = store.first<{ number: number }>('SELECT count(*) AS number FROM shipments');
    store.close();
    expect(made?.number).toBe(happened === 'no' ? 0 : 1);
  });
});
