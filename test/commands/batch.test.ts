// Many records: what the next run sends, in both kinds of journal, and the operations that only read.
import { expect, test } from 'vitest';
import { jsonLines, keys, linesIn, orders, shop, summaryOf } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { posted, proposing } from '../rig/service.ts';

const SHIP = 'batch ship orders.jsonl';

test('A quote that no carrier takes has neither carrier nor price, also if there is one proposal alone', async () => {
  const rig = await shop([{ originCountry: 'tr', destinationCountry: 'DE', package: '2x1.5kg@30x20x10cm' }]);
  for (const isValid of [false, true]) {
    const { env } = await proposing({ id: 'EXP', price: 9, isValid });
    const { cost } = summaryOf(await rig.run('batch quote orders.jsonl --json', { env }));
    expect(cost).toEqual(isValid ? { EUR: 9 } : {});
    const [line] = linesIn(rig, 'orders.quote.jsonl');
    expect([line?.carrier, line?.price]).toEqual(isValid ? ['EXP', 9] : [null, null]);
  }
});

test('batch track reads by id and by key; what is not found fails alone: exit 9, also if that is all', async () => {
  const rig = await shop(orders(1));
  await rig.run(SHIP);
  const [{ shipmentId: id } = { shipmentId: '' }] = linesIn(rig);
  rig.file('ids.jsonl', jsonLines([{ id }, { key: 'ORDER-1' }, { id: 'NONE' }]));
  const some = await rig.run('batch track ids.jsonl --json');
  expect([some.exitCode, posted(some)]).toEqual([9, []]);
  expect(summaryOf(some)).toMatchObject({ states: { done: 2, failed: 1 } });
  const lines = linesIn(rig, 'ids.track.jsonl').sort((first, second) => first.line - second.line);
  expect(lines).toMatchObject([
    { key: null, state: 'done', sent: true, shipmentId: id, result: { id } },
    { key: 'ORDER-1', state: 'done', sent: true, shipmentId: id },
    { state: 'failed', exitCode: 4, error: { code: 'not_found', httpStatus: 404 } },
  ]);
  rig.file('ids.jsonl', jsonLines(keys(9).map(key => ({ id: `NONE-${key}` }))));
  const none = await rig.run('batch track ids.jsonl --json');
  expect([none.exitCode, none.requests.length]).toEqual([9, 9]);
  expect(summaryOf(none)).toMatchObject({ states: { failed: 9 }, stopped: null });
});

test.each([
  ['batch label', 'night.csv', 'order,Total\nA,1\nB,2\n'],
  ['batch track', 'night.csv', 'order,Total\nA,1\nB,2\n'],
  ['batch track', 'ids.jsonl', '{"id":"S-1","domestic":"yes"}'],
  ['batch track', 'ids.jsonl', '{"id":17}'],
  // The sandbox has no rates, and production is not used for it.
  [
    'batch rates --sandbox',
    'orders.jsonl',
    '{"data":{"countryFrom":"TR","countryTo":"DE"},"package":"1@1x1x1"}',
  ],
])('%s refuses a file that means nothing to it, with nothing sent: %s, %s', async (command, name, text) => {
  const rig = await createRig({ files: { [name]: text } });
  expect(await rig.run(`${command} ${name}`)).toMatchObject({ exitCode: 2, requests: [] });
});
