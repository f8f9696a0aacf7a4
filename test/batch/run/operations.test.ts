import { describe, expect, test } from 'vitest';
import { ends, jsonLines, keys, linesIn, orders, shop, summaryOf } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { errorOf, posted, sent } from '../../rig/service.ts';

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
