// Each record is booked once, has one line in the results, and is not sent again.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bookedIn, ends, jsonLines, keys, linesIn, order, orders, shop, summaryOf } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { errorOf } from '../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';
const FIELDS =
  'operation place key line state exitCode sent sandbox shipmentId domesticShipmentId trackingNumber domesticTrackingNumber carrier price currency overPrice mended labelFile run actor'.split(
    ' ',
  );

describe('A run', () => {
  test('books each record once, under its key, and prints a summary on stdout', async () => {
    const rig = await shop(orders(7));
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran.exitCode).toBe(0);
    expect(bookedIn(ran)).toEqual(keys(7));
    const summary = summaryOf(ran);
    expect(summary).toMatchObject({
      ...{ operation: 'ship', input: 'orders.jsonl', results: 'orders.results.jsonl', failed: null },
      ...{ sandbox: false, dryRun: false, records: 7, sent: 7, toSend: 7, already: 0 },
      ...{ states: { created: 7 }, stopped: null, exitCode: 0 },
    });
    const prices = linesIn(rig).map(({ price }) => Number(price));
    expect(Number(summary.cost.EUR)).toBeCloseTo(
      prices.reduce((sum, price) => sum + price, 0),
      2,
    );
    const history = await rig.run('history list --json');
    expect(JSON.parse(history.stdout).map(({ key }: { key: string }) => key)).toEqual(
      expect.arrayContaining(keys(7)),
    );
  });

  test('writes one line for each record, with these fields in this order', async () => {
    const rig = await shop(orders(3));
    await rig.run(SHIP);
    const lines = linesIn(rig);
    for (const line of lines) {
      expect(Object.keys(line)).toEqual([...FIELDS, 'result']);
      expect(line).toMatchObject({
        ...{ state: 'created', exitCode: 0, sent: true, sandbox: false, carrier: 'EXP', labelFile: null },
        ...{ domesticShipmentId: null, trackingNumber: null, domesticTrackingNumber: null, currency: 'EUR' },
        shipmentId: (line.result as { id: string }).id,
        price: (line.result as { carrier: { price: number } }).carrier.price,
      });
    }
    expect(lines.map(({ key, line }) => `${key} ${line}`).sort()).toEqual([
      'ORDER-1 1',
      'ORDER-2 2',
      'ORDER-3 3',
    ]);
  });

  test('writes results that only this user may read', async () => {
    const rig = await shop(orders(1));
    await rig.run(SHIP);
    expect(statSync(join(rig.folder, 'orders.results.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('writes CSV if the name of the results ends with .csv', async () => {
    const rig = await shop([order('A,"1"')]);
    expect((await rig.run(`${SHIP} --results ends.csv`)).exitCode).toBe(0);
    const [head, line] = readFileSync(join(rig.folder, 'ends.csv'), 'utf8').split(/\r?\n/);
    expect(head).toBe([...FIELDS, 'error'].join(','));
    expect(line).toMatch(
      /^ship,http:[^,]+,"A,""1""",1,created,0,true,false,\w+,,,,EXP,[\d.]+,EUR,,false,,,an unknown user@test,$/,
    );
  });

  test('reads its records from stdin, and names the results after the operation', async () => {
    const rig = await createRig();
    const ran = await rig.run('batch ship - --format jsonl -q', { stdin: jsonLines(orders(2)) });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'ship.results.jsonl\n' });
    expect(bookedIn(ran)).toEqual(keys(2));
  });

  test('of no records succeeds, and sends nothing', async () => {
    const rig = await shop([]);
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(summaryOf(ran)).toMatchObject({ records: 0, sent: 0, states: {} });
    expect(linesIn(rig)).toEqual([]);
  });
});

describeBoth('The next run', journal => {
  test('sends nothing, and gives the recorded outcome of each record', async () => {
    const rig = await shop(orders(5), { journal });
    await rig.run(SHIP);
    const before = linesIn(rig);
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran).toMatchObject({ exitCode: 0, requests: [] });
    expect(summaryOf(ran)).toMatchObject({
      ...{ records: 5, sent: 0, toSend: 0, already: 5, states: { created: 5 }, cost: {} },
    });
    const byLine = before.toSorted((one, other) => one.line - other.line);
    expect(linesIn(rig)).toEqual(byLine.map(line => ({ ...line, sent: false })));
  });

  test('sends only the record that was added since, wherever it is in the file', async () => {
    const rig = await shop(orders(4), { journal });
    await rig.run(SHIP);
    rig.file('orders.jsonl', jsonLines([order('NEW'), ...orders(4)]));
    const ran = await rig.run(`${SHIP} --json`);
    expect(bookedIn(ran)).toEqual(['NEW']);
    expect(summaryOf(ran)).toMatchObject({ records: 5, sent: 1, already: 4 });
    expect(linesIn(rig).map(({ key, line, sent }) => [key, line, sent])).toEqual([
      ...keys(4).map((key, index) => [key, index + 2, false]),
      ['NEW', 1, true],
    ]);
  });

  test('replaces the results, and --results puts them elsewhere', async () => {
    const rig = await shop(orders(3), { journal });
    await rig.run(SHIP);
    rig.file('orders.jsonl', jsonLines(orders(1)));
    await rig.run(`${SHIP} --results other.jsonl`);
    expect(linesIn(rig)).toHaveLength(3);
    await rig.run(SHIP);
    expect([linesIn(rig).length, linesIn(rig, 'other.jsonl').length]).toEqual([1, 1]);
  });

  test('reports a changed record as a duplicate, which stops nothing: exit 9', async () => {
    const rig = await shop(orders(2), { journal });
    await rig.run(SHIP);
    rig.file(
      'orders.jsonl',
      jsonLines([order('ORDER-1', { category: 'gift' }), order('ORDER-2'), order('NEW')]),
    );
    const ran = await rig.run(`${SHIP} --json`);
    expect(bookedIn(ran)).toEqual(['NEW']);
    expect(errorOf(ran)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(ends(linesIn(rig))).toEqual([
      'NEW created 0 true',
      'ORDER-1 duplicate 2 false',
      'ORDER-2 created 0 false',
    ]);
    expect(linesIn(rig).find(({ state }) => state === 'duplicate')?.error).toMatchObject({
      code: 'duplicate',
      booking: expect.stringMatching(/^bk_/),
    });
  });
});

describeBoth('A key', journal => {
  test('that `ship --key` booked before with the same input is already booked', async () => {
    const rig = await shop(orders(2), { journal });
    const { key, ...body } = order('ORDER-1');
    const single = await rig.run(`ship -f - --key ${key} -q`, { stdin: JSON.stringify(body) });
    const ran = await rig.run(`${SHIP} --json`);
    expect(ran.exitCode).toBe(0);
    expect(bookedIn(ran)).toEqual(['ORDER-2']);
    expect(summaryOf(ran)).toMatchObject({ already: 1, sent: 1 });
    expect(linesIn(rig).find(line => line.key === key)?.shipmentId).toBe(single.stdout.trim());
  });

  test('that a batch booked is booked for `ship --key` as well', async () => {
    const rig = await shop(orders(1), { journal });
    await rig.run(SHIP);
    const { key, ...body } = order('ORDER-1');
    const ran = await rig.run(`ship -f - --key ${key} -q`, { stdin: JSON.stringify(body) });
    expect(ran).toMatchObject({ exitCode: 0, requests: [], stdout: `${linesIn(rig)[0]?.shipmentId}\n` });
  });
});
