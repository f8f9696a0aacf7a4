// `batch label` and `batch track` read keys and ids: the file of the night can be given to them as it is.
import { expect, test } from 'vitest';
import { ends, linesIn, orders, shop } from '../../rig/batch.ts';
import { createRig } from '../../rig/command.ts';
import { posted } from '../../rig/service.ts';

const CSV = [
  'key,receiver.firstName,items[].hsCode,Total,label',
  'ORDER-1,Anna,610910,12,yes',
  'ORDER-1,,650500,,',
  'ORDER-2,Berta,610910,9,',
].join('\n');

test('Labels are made for the orders of a file with all their columns, which is said once', async () => {
  const rig = await shop(orders(2));
  await rig.run('batch ship orders.jsonl -q');
  rig.file('night.csv', CSV);
  const ran = await rig.run('batch label night.csv --download labels');
  expect(ran.exitCode).toBe(0);
  expect(posted(ran)).toHaveLength(2);
  expect(ends(linesIn(rig, 'night.label.jsonl'))).toEqual([
    'ORDER-1 created 0 true',
    'ORDER-2 created 0 true',
  ]);
  expect(ran.stderr.match(/ignores the rest/g)).toHaveLength(1);
  expect(ran.stderr).toContain(
    'batch label reads key, domestic, international of a record, and ignores the rest: "receiver.firstName", "items[].hsCode", "Total", "label"',
  );
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
