import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSpool, type QueuedRecord } from '../../../src/batch/run/spool.ts';
import { Json } from '../../../src/json.ts';
import { titled } from '../../rig/needs.ts';

// The fields of a `Json` are private, and so never compared.
const bodyOf = (record: QueuedRecord | undefined) => record?.body.value;

async function spoolRig(mostInMemory: number) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-spool-'));
  const spool = await openSpool({ temporary: folder, platform: 'linux' }, mostInMemory);
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

describe.each([
  ['in memory', 1_000_000],
  ['in a file', 0],
  ['that outgrows the memory', 2000],
])('a spool %s', (_, mostInMemory) => {
  test('gives each record once, in the order in which it was added', async () => {
    const { spool } = await spoolRig(mostInMemory);
    const all = Array.from({ length: 250 }, (_, index) => waiting(index + 2));
    await spool.add(all.slice(0, 120));
    await spool.add(all.slice(120));
    expect(spool.size).toBe(250);
    const taken = all.map(() => spool.next());
    expect(taken).toEqual(all);
    expect(taken.map(bodyOf)).toEqual(all.map(bodyOf));
    expect(spool.next()).toBeUndefined();
  });

  test('gives records that are longer than one read of the file, and records added meanwhile', async () => {
    const { spool } = await spoolRig(mostInMemory);
    const long = { ...waiting(1), body: new Json('ü\n€'.repeat(60_000)) };
    await spool.add([long, waiting(2), long]);
    const taken = [spool.next(), spool.next()];
    expect(taken).toEqual([long, waiting(2)]);
    expect(taken.map(bodyOf)).toEqual([long, waiting(2)].map(bodyOf));
    await spool.add([waiting(3)]);
    expect([spool.next(), spool.next(), spool.next()]).toEqual([long, waiting(3), undefined]);
    await spool.add([waiting(4)]);
    expect(spool.next()).toEqual(waiting(4));
  });

  test('gives a record that was put back after all others, and does not count it twice', async () => {
    const { spool } = await spoolRig(mostInMemory);
    await spool.add([waiting(1), waiting(2)]);
    spool.putBack({ ...(spool.next() as QueuedRecord), wasPutBack: true });
    expect(spool.size).toBe(2);
    expect([spool.next(), spool.next(), spool.next()]).toEqual([
      waiting(2),
      { ...waiting(1), wasPutBack: true },
      undefined,
    ]);
  });

  test('gives the line on which a key was noted before', async () => {
    const { spool } = await spoolRig(mostInMemory);
    expect(
      await spool.noteKeys([
        { key: 'A', line: 1 },
        { key: 'B', line: 2 },
        { key: 'A', line: 3 },
      ]),
    ).toEqual([undefined, undefined, 1]);
    expect(await spool.noteKeys([{ key: 'B', line: 9 }])).toEqual([2]);
  });
});

/** The files of that folder that this process has open. */
const openIn = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });

const noProc = process.platform !== 'linux' && 'only Linux tells which files are open';

test.skipIf(noProc)(
  titled(
    'writes a file only when there is much to keep, and leaves no orders in the folder, even if the process ends now',
    noProc,
  ),
  async () => {
    const { spool, folder } = await spoolRig(3000);
    const all = Array.from({ length: 30 }, (_, index) => waiting(index));
    await spool.add(all.slice(0, 5));
    expect(openIn(folder)).toEqual([]);
    expect(await spool.noteKeys([{ key: 'A', line: 1 }])).toEqual([undefined]);
    for (const record of all.slice(5)) await spool.add([record]);
    expect(openIn(folder)).toEqual([expect.stringMatching(/waybill-[\w-]+\.db \(deleted\)$/)]);
    expect(readdirSync(folder)).toEqual([]);
    expect(await spool.noteKeys([{ key: 'A', line: 9 }])).toEqual([1]);
    expect(all.map(() => spool.next())).toEqual(all);
  },
);

test.each([
  ['linux', 'TMPDIR'],
  ['win32', 'TEMP'],
] as const)(
  'is refused with the variable to set if there is no folder for the file: %s',
  async (platform, variable) => {
    const { folder } = await spoolRig(0);
    const temporary = join(folder, 'missing');
    const spool = await openSpool({ temporary, platform }, 100);
    onTestFinished(() => spool.close());
    await spool.noteKeys([{ key: 'A', line: 1 }]);
    await expect(spool.add([waiting(1)])).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(
        RegExp(`temporary folder ${temporary}: .*; nothing was sent\\. Set ${variable} to the absolute path`),
      ),
    });
  },
);
