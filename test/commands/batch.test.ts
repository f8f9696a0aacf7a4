// Each record is booked once, has one line in the results, and is not sent again.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bookedIn, ends, jsonLines, keys, linesIn, order, orders, shop, summaryOf } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { describeBoth } from '../rig/postgres.ts';
import { errorOf, posted, proposing, sent } from '../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';
const FIELDS =
  'operation place key line state exitCode sent sandbox shipmentId domesticShipmentId trackingNumber domesticTrackingNumber carrier price currency overPrice mended labelFile run actor journal recorded'.split(
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
      /^ship,http:[^,]+,"A,""1""",1,created,0,true,false,\w+,,,,EXP,[\d.]+,EUR,,false,,,an unknown user@test,jr_[0-9a-f]{32},true,$/,
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

const PARCEL = { originCountry: 'tr', destinationCountry: 'DE', package: '2x1.5kg@30x20x10cm' };

async function withRecords(...records: unknown[]) {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines(records) } });
  return rig;
}

test('quote asks for the proposals of each record, which needs no key, and books nothing', async () => {
  const rig = await withRecords(PARCEL, { key: 'B', ...PARCEL, destinationCountry: 'US' });
  const ran = await rig.run('batch quote orders.jsonl --json');
  expect(ran.exitCode).toBe(0);
  expect(sent(ran)).toEqual(Array(2).fill('POST /v1/carriers/proposal'));
  const lines = linesIn(rig, 'orders.quote.jsonl').sort((one, other) => one.line - other.line);
  expect(lines).toMatchObject([
    { key: null, line: 1, state: 'done', exitCode: 0, sent: true, result: { proposals: [{}, {}] } },
    { key: 'B', line: 2, state: 'done', exitCode: 0, sent: true },
  ]);
  expect(summaryOf(ran)).toMatchObject({ records: 2, sent: 2, states: { done: 2 } });
  expect(JSON.parse((await rig.run('history list --json')).stdout)).toEqual([]);
});

test('a quote that no carrier takes has neither carrier nor price, also if there is one proposal alone', async () => {
  const rig = await withRecords(PARCEL);
  for (const isValid of [false, true]) {
    const { env } = await proposing({ id: 'EXP', price: 9, isValid });
    const { cost } = summaryOf(await rig.run('batch quote orders.jsonl --json', { env }));
    expect(cost).toEqual(isValid ? { EUR: 9 } : {});
    const [line] = linesIn(rig, 'orders.quote.jsonl');
    expect([line?.carrier, line?.price]).toEqual(isValid ? ['EXP', 9] : [null, null]);
  }
});

test('rates asks for the rates of each record; the sandbox has none, and production is not used for it', async () => {
  const rig = await withRecords({ data: { countryFrom: 'TR', countryTo: 'DE' }, package: '1kg@10x10x10' });
  const ran = await rig.run('batch rates orders.jsonl');
  expect([ran.exitCode, sent(ran)]).toEqual([0, ['POST /api/v1/shipping/rates']]);
  expect(linesIn(rig, 'orders.rates.jsonl')).toMatchObject([
    { state: 'done', sent: true, result: { success: true } },
  ]);
  expect(await rig.run('batch rates orders.jsonl --sandbox')).toMatchObject({ exitCode: 2, requests: [] });
});

describe('track', () => {
  async function shipped() {
    const rig = await withRecords(...orders(2));
    await rig.run('batch ship orders.jsonl');
    const ids = linesIn(rig).map(({ shipmentId }) => shipmentId ?? '');
    return { rig, ids };
  }

  test('reads shipments by id and by the key of their booking', async () => {
    const { rig, ids } = await shipped();
    rig.file('ids.jsonl', jsonLines([{ id: ids[0] }, { key: 'ORDER-1' }]));
    const ran = await rig.run('batch track ids.jsonl --json');
    expect(ran.exitCode).toBe(0);
    expect(ran.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(linesIn(rig, 'ids.track.jsonl').sort((one, other) => one.line - other.line)).toMatchObject([
      { key: null, state: 'done', sent: true, shipmentId: ids[0], result: { id: ids[0] } },
      { key: 'ORDER-1', state: 'done', sent: true, shipmentId: expect.stringMatching(/\w/) },
    ]);
  });

  test('of unknown ids fails for each of them: exit 9, also if all are unknown', async () => {
    const { rig, ids } = await shipped();
    rig.file('ids.jsonl', jsonLines([{ id: ids[0] }, { id: 'NONE' }]));
    const some = await rig.run('batch track ids.jsonl --json');
    expect(errorOf(some)).toMatchObject({ code: 'partial', exitCode: 9 });
    expect(summaryOf(some)).toMatchObject({ states: { done: 1, failed: 1 } });
    expect(linesIn(rig, 'ids.track.jsonl').find(({ state }) => state === 'failed')).toMatchObject({
      ...{ line: 2, exitCode: 4, sent: true, error: { code: 'not_found', httpStatus: 404 } },
    });
    rig.file('ids.jsonl', jsonLines(keys(9).map(key => ({ id: `NONE-${key}` }))));
    const all = await rig.run('batch track ids.jsonl --json');
    expect([all.exitCode, all.requests.length]).toEqual([9, 9]);
    expect(summaryOf(all)).toMatchObject({ states: { failed: 9 }, stopped: null });
  });

  test.each([{ id: 'S-1', domestic: 'yes' }, { id: 17 }])(
    'refuses a record that means nothing: %j',
    async record => {
      const rig = await withRecords(record);
      const ran = await rig.run('batch track orders.jsonl --json');
      expect(ran).toMatchObject({ exitCode: 2, requests: [] });
      expect(errorOf(ran).issues[0]?.path).toMatch(/^line 1: (id|domestic)/);
    },
  );
});

test('--sandbox goes to the sandbox and marks every line', async () => {
  const rig = await withRecords(...orders(3));
  const ran = await rig.run('batch ship orders.jsonl --sandbox --json');
  expect(new Set(sent(ran))).toEqual(new Set(['POST /sandbox/v1/shipments']));
  expect(summaryOf(ran)).toMatchObject({ sandbox: true, sent: 3 });
  expect(ran.stderr).toContain('sandbox');
  for (const { sandbox } of linesIn(rig)) expect(sandbox).toBe(true);
  await rig.run('batch ship orders.jsonl --sandbox');
  for (const { sandbox, sent: again } of linesIn(rig)) expect([sandbox, again]).toEqual([true, false]);
});

const NIGHT = [
  'key,receiver.firstName,items[].hsCode,Total,label',
  'ORDER-1,Anna,610910,12,yes',
  'ORDER-1,,650500,,',
  'ORDER-2,Berta,610910,9,',
].join('\n');

test('Labels are made for the orders of a file with all their columns', async () => {
  const rig = await shop(orders(2));
  await rig.run('batch ship orders.jsonl -q');
  rig.file('night.csv', NIGHT);
  const ran = await rig.run('batch label night.csv --download labels');
  expect(ran.exitCode).toBe(0);
  expect(posted(ran)).toHaveLength(2);
  expect(ends(linesIn(rig, 'night.label.jsonl'))).toEqual([
    'ORDER-1 created 0 true',
    'ORDER-2 created 0 true',
  ]);
  const strict = await rig.run('batch track night.csv --strict');
  expect(strict.exitCode).toBe(0);
  expect(ends(linesIn(rig, 'night.track.jsonl'))).toEqual(['ORDER-1 done 0 true', 'ORDER-2 done 0 true']);
});

test('A file without keys and ids is refused, whatever else is in it', async () => {
  const rig = await createRig();
  rig.file('night.csv', 'order,Total\nA,1\nB,2\n');
  for (const operation of ['label', 'track'])
    expect(await rig.run(`batch ${operation} night.csv`)).toMatchObject({ exitCode: 2, requests: [] });
});
