// That the bench runs, and what it prints and writes; how fast anything is, no test can say. It runs in
// `npm run test:torture` alone.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from './rig/profile.ts';
import { FULL } from './torture/size.ts';

const bench = (...args: string[]) => promisify(execFile)(process.execPath, ['bench/run.mjs', ...args]);

interface Row {
  part: string;
  name: string;
  runs?: number;
  absent?: string;
  median?: number;
  min?: number;
  max?: number;
  comparisons: { to: string; ratio: number | null; goal?: string; verdict?: string }[];
}

const START_UP = [
  'node -e 0',
  'waybill --version',
  'waybill --help',
  'waybill quote',
  'waybill track',
  'waybill track, no journal',
  'waybill ship',
];
const PEERS = ['gh --version', 'gh --help', 'stripe post', 'curl --version', 'npm --version'];
const FLEET = ['one runner', 'eight runners'].flatMap(many => [`${many}, SQLite`, `${many}, PostgreSQL`]);
const LONG = [
  ...['ship', 'track', 'history show KEY', 'history list', 'history list --search'].flatMap(name =>
    ['10', '1,000'].map(size => `${name}, ${size} bookings`),
  ),
  ...['waybill history prune', 'longest wait of another writer', 'peak memory'],
];
const BULK = [
  'undici pool',
  'bare loop',
  'waybill batch ship',
  'xargs -P 32 curl',
  '32 ÷ 50 ms',
  '4 ÷ 50 ms',
];

test.runIf(FULL)(
  'the bench prints a table and writes down the same figures, with the machine they are from',
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'results.json');
    const { stdout, stderr } = await bench('--quick', '--results', file);
    expect(stderr).toBe('');

    const text = readFileSync(file, 'utf8');
    const { machine, versions, options, rows } = JSON.parse(text) as Record<string, object> & { rows: Row[] };
    expect(Object.keys(machine ?? {})).toEqual('date cpu cores memoryGiB platform node syncMs'.split(' '));
    expect(Object.keys(versions ?? {})).toEqual('waybill undici gh stripe curl npm'.split(' '));
    expect(options).toEqual({ only: null, quick: true, large: false, huge: false });
    // It is committed.
    expect(text).not.toContain(process.cwd());

    expect(new Set(rows.map(({ name }) => name))).toEqual(
      new Set([...START_UP, ...PEERS, ...BULK, ...FLEET, ...LONG]),
    );
    for (const { part, name, runs, absent, median = 0, min = 0, max = 0, comparisons } of rows) {
      expect(stdout).toContain(part);
      expect(stdout).toContain(`  ${name} `);
      if (absent === undefined) {
        expect(runs).toBeGreaterThan(0);
        expect([min, median, max]).toEqual([min, median, max].toSorted((a, b) => a - b));
      }
      for (const { ratio, goal, verdict } of comparisons) {
        const verdicts = ratio === null ? /^nothing claimed, not / : /^(not )?met$/;
        if (goal) expect(verdict).toMatch(verdicts);
        if (goal) expect(stdout).toContain(`${goal}: ${verdict}`);
      }
    }
    const goals = rows.flatMap(({ name, comparisons }) =>
      comparisons.flatMap(({ to, goal }) => (goal ? [`${name} ${goal} × ${to}`] : [])),
    );
    expect(goals).toEqual([
      'waybill --version ≤ 1.2 × node -e 0',
      'waybill --version < 1 × gh --version',
      'waybill --help ≤ 1.4 × node -e 0',
      'waybill --help < 1 × gh --help',
      'waybill quote ≤ 3 × node -e 0',
      'waybill quote < 0.8 × stripe post',
      'waybill track ≤ 3 × node -e 0',
      'waybill track, no journal ≤ 3 × node -e 0',
      'waybill ship ≤ 4 × node -e 0',
      'waybill --help ≤ 1.15 × node -e 0',
      'waybill quote ≤ 1.5 × node -e 0',
      'waybill batch ship ≥ 0.33 × bare loop',
      'waybill batch ship ≥ 7 × xargs -P 32 curl',
      'waybill batch ship ≤ 1.3 × bare loop',
      'waybill batch ship ≥ 0.9 × undici pool',
      'waybill batch ship ≥ 0.9 × undici pool',
      'one runner, PostgreSQL ≥ 0.7 × one runner, SQLite',
      'ship, 1,000 bookings ≤ 1.1 × ship, 10 bookings',
      'track, 1,000 bookings ≤ 1.1 × track, 10 bookings',
      'history show KEY, 1,000 bookings ≤ 1.1 × history show KEY, 10 bookings',
      'history list, 1,000 bookings ≤ 1.1 × history list, 10 bookings',
      'history list, 1,000 bookings < 5 × waybill --version',
      'history list --search, 1,000 bookings < 5 × waybill --version',
    ]);
  },
);

test('an option that it does not know is refused before anything is measured', async () => {
  await expect(bench('--only', 'nothing')).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'bench: --only takes startup, bulk, fleet or journal, not nothing\n',
  });
});
