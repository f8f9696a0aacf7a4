// A batch that is killed again and again, and the memory of a long one.
import { closeSync, createReadStream, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../rig/build.ts';
import { titled } from '../rig/needs.ts';
import { bareEnvironment, spawned } from '../rig/process.ts';
import { batchKilled, batchKilledAt } from './batch.ts';
import { orderText } from './scenarios.ts';
import { BATCH, CONCURRENCIES, notFull, SEED } from './size.ts';
import { onStage } from './stage.ts';
import { NOTES, PROBES, STEPS } from './steps.ts';

const { records, kills } = BATCH;
const size = { records, kills, seed: SEED };

describe(`A batch of ${records} that is killed ${kills} times loses no record, books none twice, and reports each unknown (TORTURE_SEED=${SEED})`, () => {
  test.concurrent.each(CONCURRENCIES)('with %i requests in flight', async concurrency => {
    const command = await build();
    expect(await batchKilled(command, { ...size, concurrency, power: false })).toEqual([]);
  });

  test.concurrent.each(CONCURRENCIES)('with %i requests in flight, with power losses', async concurrency => {
    const command = await build(NOTES);
    expect(await batchKilled(command, { ...size, concurrency, power: true })).toEqual([]);
  });
});

describe.skipIf(notFull)(titled('A batch that is killed at a step', notFull), () => {
  test.each(
    STEPS.filter(({ name }) => name !== 'shown').flatMap(({ name }) =>
      [1, 5, 12].flatMap(nth => [false, true].map(power => ({ name, nth, power }))),
    ),
  )('$name, pass $nth, power loss: $power', async ({ name, nth, power }) => {
    expect(await batchKilledAt(name, nth, { power })(await build(PROBES))).toEqual([]);
  });
});

// From stdin, half of that ends before V8's heap has its size.
const FEW = 20_000;
const MANY = 1_000_000;
const BYTES_OF_KEY = 24;

function writeOrders(path: string, records: number): void {
  const file = openSync(path, 'w');
  const order = orderText('shirt', 'Anna').slice(1);
  for (let from = 0; from < records; from += 1000)
    writeSync(
      file,
      Array.from({ length: 1000 }, (_, index) => `{"key":"K${from + index}",${order}\n`).join(''),
    );
  closeSync(file);
}

/** The peak memory in KiB of a dry run of the file, read while the process runs. */
async function peakOf(command: string, folder: string, path: string, stdin: boolean): Promise<number> {
  const words = ['batch', 'ship', stdin ? '-' : path, '--format', 'jsonl', '--dry-run', '--json'];
  const { child, ended } = spawned(process.execPath, [command, ...words], {
    cwd: folder,
    env: { ...bareEnvironment(folder), WAYBILL_BASE_URL: 'http://127.0.0.1:9', WAYBILL_TOKEN: 't' },
    stdin: { open: true },
  });
  if (stdin) createReadStream(path).pipe(child.stdin);
  else child.stdin.end();
  let peak = 0;
  const look = () => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  };
  // The line is missing for a process that has ended and is not yet waited for.
  const looking = setInterval(look, 10);
  child.once('exit', () => clearInterval(looking));
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return peak;
}

const lack = process.platform === 'linux' ? notFull : 'only Linux tells the memory of a process';

test.skipIf(lack).each([
  ['a file', false],
  ['stdin', true],
])(
  titled('A million records from %s need as much memory as twenty thousand, but for their keys', lack),
  async (_, stdin) => {
    const command = await build();
    const [few = 0, many = 0] = await onStage(command, async ({ folder }) => {
      const peaks: number[] = [];
      for (const records of [FEW, MANY]) {
        const path = join(folder, `${records}.jsonl`);
        writeOrders(path, records);
        peaks.push(await peakOf(command, folder, path, stdin));
      }
      return peaks;
    });
    process.stdout.write(`${FEW} records: ${few} KiB; ${MANY}: ${many} KiB\n`);
    expect(few).toBeGreaterThan(0);
    const keys = (BYTES_OF_KEY * MANY) / 1024;
    expect((many - keys) / few).toBeLessThan(1.2);
  },
);
