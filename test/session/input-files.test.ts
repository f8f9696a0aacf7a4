// A file that cannot be read or does not fit: the message names it as it was given.
import { expect, test } from 'vitest';
import { jsonLines, order } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

test.each([
  ['batch ship nope.csv', 'the file nope.csv cannot be read: there is no such file; nothing was sent', 2],
  [
    'batch ship orders.jsonl --map nope.json',
    'the file nope.json cannot be read: there is no such file; ',
    2,
  ],
  ['ship -f nope.json', 'the file nope.json cannot be read: there is no such file; nothing was sent', 2],
  ['ship ORDER-1', 'the file ORDER-1 cannot be read: there is no such file; nothing was sent', 2],
  ['ship -f config', 'the file config cannot be read: it is a folder; nothing was sent', 10],
  [
    'batch ship orders.jsonl --results no/x.jsonl',
    'no/x.jsonl cannot be written: there is no such folder',
    10,
  ],
  ['batch ship orders.jsonl --failed no/x.csv', 'no/x.csv cannot be written: there is no such folder', 10],
])('`%s` names the path as given, and the reason in a sentence', async (argv, says, exitCode) => {
  const rig = await createRig({ files: { 'orders.jsonl': jsonLines([order('A')]), 'config/x': '' } });
  const ran = await rig.run(argv);
  expect(ran).toMatchObject({ exitCode, requests: [] });
  expect(ran.stderr).toContain(says);
  expect(ran.stderr).not.toMatch(new RegExp(`ENOENT|EISDIR|${rig.folder}`));
});

test('a journal that is there and cannot be opened sends nobody to another folder, where it would be empty', async () => {
  const rig = await createRig({ files: { 'state/journal.db/x': '' } });
  const ran = await rig.run('ship -f - --json', { stdin: JSON.stringify(SHIPMENT) });
  expect(ran).toMatchObject({ exitCode: 10, requests: [] });
  expect(errorOf(ran).message).toMatch(
    /cannot be opened: .*; nothing was sent\. Repair its disk or its rights: /,
  );
  expect(errorOf(ran).message).not.toContain('WAYBILL_STATE_DIR');
});
