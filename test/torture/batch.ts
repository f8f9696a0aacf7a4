// A batch on a stage: its orders, its runs and their results.
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orderText } from './jobs.ts';
import type { RunOptions, Stage, Started } from './stage.ts';

/** The part of a results line that is compared with the witness. */
export interface Line {
  key: string;
  state: string;
  shipmentId: string | null;
  /** Was it sent in this run? */
  sent: boolean;
}

export interface BatchOptions {
  records: number;
  concurrency: number;
}

export interface Batch {
  keys: readonly string[];
  concurrency: number;
  start(options?: RunOptions & { results?: string }): Started;
  /** The complete lines. */
  lines(results?: string): Line[];
  /** Cuts the end of the results, as a power loss may: they are not synced. `keep`: from 0 to 1. */
  cutResults(keep: number): void;
}

const RESULTS = 'results.jsonl';

export function batchOn({ folder, start }: Stage, { records, concurrency }: BatchOptions): Batch {
  const keys = Array.from({ length: records }, (_, index) => `K${index}`);
  const order = (key: string) => JSON.stringify({ ...JSON.parse(orderText('shirt', key)), key });
  writeFileSync(join(folder, 'orders.jsonl'), keys.map(key => `${order(key)}\n`).join(''));
  const text = (results: string) => {
    const path = join(folder, results);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const always = ['batch', 'ship', 'orders.jsonl', '--concurrency', String(concurrency), '--retries', '1'];
  return {
    keys,
    concurrency,
    start: ({ results = RESULTS, ...options } = {}) =>
      start([...always, '--results', results, '--json'], options),
    lines: (results = RESULTS) =>
      text(results)
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    cutResults(keep) {
      const all = Buffer.from(text(RESULTS));
      // Anywhere, in the middle of a line too.
      if (all.length > 0) truncateSync(join(folder, RESULTS), Math.floor(all.length * keep));
    },
  };
}
