// A batch on another machine: what was imported counts as done, whatever is known of its input.
import { describe, expect, test } from 'vitest';
import { ends, jsonLines, linesIn, order, orders } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { machine } from '../../rig/journal.ts';
import { errorOf, posted, SHIPMENT } from '../../rig/service.ts';

const stdin = JSON.stringify(SHIPMENT);

async function imported(flags = '') {
  const rig = await createRig();
  const [a, b] = [machine(rig, 'a'), machine(rig, 'b')];
  rig.file('orders.jsonl', jsonLines(orders(3)));
  const batch = `batch ship orders.jsonl ${flags} --json`;
  await a(batch);
  await b('history import orders.results.jsonl');
  return { rig, a, b, batch };
}

describe('After the results of another machine were imported', () => {
  test('the same batch sends nothing and is done: exit 0', async () => {
    const { b, batch } = await imported();
    const ran = await b(batch);
    expect([ran.exitCode, ran.requests]).toEqual([0, []]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ sent: 0, already: 3, states: { created: 3 } });
  });

  test('the same batch with --label sends nothing for labels that were made: exit 0', async () => {
    const { b, batch } = await imported('--label');
    const ran = await b(batch);
    expect([ran.exitCode, posted(ran)]).toEqual([0, []]);
  });

  test('only new records of the batch are sent', async () => {
    const { rig, b } = await imported();
    rig.file('orders.jsonl', jsonLines(orders(4)));
    const ran = await b('batch ship orders.jsonl --json');
    expect([ran.exitCode, posted(ran).length]).toEqual([0, 1]);
    expect(ends(linesIn(rig))).toContain('ORDER-4 created 0 true');
  });
});

test('a label that the other machine did not make is made once', async () => {
  const { b } = await imported();
  const labels = 'batch ship orders.jsonl --label --json';
  const ran = await b(labels);
  expect([ran.exitCode, posted(ran)]).toEqual([0, Array(3).fill('POST /v2/carriers/create')]);
  expect(posted(await b(labels))).toEqual([]);
});

test('an imported key shows its answer for any input, says why, and sends nothing', async () => {
  const { b } = await imported();
  for (const change of ['', '--category gift']) {
    const ran = await b(`ship -f - --key ORDER-1 --json ${change}`, { stdin });
    expect([ran.exitCode, ran.requests]).toEqual([0, []]);
    expect(ran.stderr).toContain('imported from a results file');
  }
});

test('an imported key of one operation is a duplicate of the other', async () => {
  const { b } = await imported();
  const dual = '--international EXP --domestic DOM --set carrier= --allow-unknown';
  const ran = await b(`ship-dual -f - --key ORDER-1 --json ${dual}`, { stdin });
  expect([ran.requests, errorOf(ran).code]).toEqual([[], 'duplicate']);
});

test('an order that was changed is not sent again either', async () => {
  const { rig, b } = await imported();
  rig.file('orders.jsonl', jsonLines([order('ORDER-1', { category: 'gift' })]));
  expect((await b('batch ship orders.jsonl')).requests).toEqual([]);
});
