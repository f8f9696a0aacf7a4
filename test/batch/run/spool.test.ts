import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSpool, type QueuedRecord } from '../../../src/batch/run/spool.ts';
import { Json } from '../../../src/json.ts';

// The fields of a `Json` are private, and so never compared.
const bodyOf = (record: QueuedRecord | undefined) => record?.body.value;

async function spoolRig() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-spool-'));
  const spool = await openSpool(join(folder, 'state', 'spool.db'));
  onTestFinished(() => {
    spool.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { spool, folder };
}

const waiting = (line: number): QueuedRecord => ({
  line,
  key: line % 2 ? `K${line}` : undefined,
  body: new Json({ receiver: { lastName: 'Özgür' }, line }),
  isComplete: line % 2 === 0,
  fingerprint: `f${line}`,
  source: `s${line}`,
  text: line % 3 ? `text ${line}` : undefined,
});

test('gives each record once, in the order in which it was added', async () => {
  const { spool } = await spoolRig();
  const all = Array.from({ length: 250 }, (_, index) => waiting(index + 2));
  spool.add(all.slice(0, 120));
  spool.add(all.slice(120));
  expect(spool.size).toBe(250);
  const taken = all.map(() => spool.next());
  expect(taken).toEqual(all);
  expect(taken.map(bodyOf)).toEqual(all.map(bodyOf));
  expect(spool.next()).toBeUndefined();
});

test('gives records that are longer than one read of the file, and records added meanwhile', async () => {
  const { spool } = await spoolRig();
  const long = { ...waiting(1), body: new Json('ü\n€'.repeat(60_000)) };
  spool.add([long, waiting(2), long]);
  const taken = [spool.next(), spool.next()];
  expect(taken).toEqual([long, waiting(2)]);
  expect(taken.map(bodyOf)).toEqual([long, waiting(2)].map(bodyOf));
  spool.add([waiting(3)]);
  expect([spool.next(), spool.next(), spool.next()]).toEqual([long, waiting(3), undefined]);
  spool.add([waiting(4)]);
  expect(spool.next()).toEqual(waiting(4));
});

test('gives a record that was put back after all others, and does not count it twice', async () => {
  const { spool } = await spoolRig();
  spool.add([waiting(1), waiting(2)]);
  spool.putBack({ ...(spool.next() as QueuedRecord), wasPutBack: true });
  expect(spool.size).toBe(2);
  expect([spool.next(), spool.next(), spool.next()]).toEqual([
    waiting(2),
    { ...waiting(1), wasPutBack: true },
    undefined,
  ]);
});

test('gives the line on which a key was noted before', async () => {
  const { spool } = await spoolRig();
  expect(
    spool.noteKeys([
      { key: 'A', line: 1 },
      { key: 'B', line: 2 },
      { key: 'A', line: 3 },
    ]),
  ).toEqual([undefined, undefined, 1]);
  expect(spool.noteKeys([{ key: 'B', line: 9 }])).toEqual([2]);
});

test('leaves no orders in the folder, even if the process ends now', async () => {
  const { spool, folder } = await spoolRig();
  spool.add([waiting(1)]);
  expect(existsSync(join(folder, 'state'))).toBe(true);
  expect(readdirSync(join(folder, 'state'))).toEqual([]);
  expect(spool.next()?.line).toBe(1);
});
