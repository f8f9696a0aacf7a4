// The programs of docs/audit.md, each run under the audit by the language that it is written in.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonLines, orders } from '../rig/batch.ts';
import { notInstalled, titled } from '../rig/needs.ts';
import { bareEnvironment, builtCommand, spawned } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';

const PAGE = readFileSync('docs/audit.md', 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
  /** `ship.mjs`: the first line names the file. */
  file: /^(?:\/\/|#) (\w+\.\w+)/.exec(text)?.[1],
}));

const command = builtCommand();

/** What a fleet divides among its runners. */
const ORDERS = 24;

/** Nothing listens there, and `fetch` refuses it not by itself, as it does port 1. */
const UNUSED = 'http://127.0.0.1:2';

/** A folder with the programs of the page and an order. */
function desk() {
  const folder = temporaryFolder();
  for (const { file, text } of BLOCKS) if (file) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'order.json'), JSON.stringify(SHIPMENT));
  writeFileSync(join(folder, 'orders.jsonl'), jsonLines(orders(ORDERS)));
  const env = { ...bareEnvironment(folder), NODE: process.execPath, COMMAND: command() };
  return { folder, env };
}

/** Runs a script of bash under the audit. */
async function audited(script: string, ...faults: string[]) {
  const { folder, env } = desk();
  const flags = faults.flatMap(fault => ['--fault', fault]);
  const words = ['emulator', '--port', '0', '--audit', 'audit.json', ...flags, '--', 'bash', '-c', script];
  const ended = await spawned(process.execPath, [command(), ...words], { env, cwd: folder }).ended;
  const report = JSON.parse(readFileSync(join(folder, 'audit.json'), 'utf8'));
  const entries = join(folder, 'booked');
  return { ...ended, report, booked: existsSync(entries) ? readdirSync(entries) : [] };
}

test('the client that the page begins with buys three times, and is told so in these words', async () => {
  const { code, stderr, report } = await audited(
    '"$NODE" "$COMMAND" schema ship --example > order.json; "$NODE" naive.mjs',
    'reset-after:first2@createShipment',
  );
  expect(code).toBe(9);
  const masked = (text: string) =>
    text.replace(/shp_\w+/g, 'SHP').replace(/\d\d:\d\d:\d\d\.\d+|\d+(\.\d)? m?s(?= after)/g, 'TIME');
  const shown = BLOCKS.find(({ text }) => text.startsWith('Audit of'))?.text;
  expect(masked(stderr)).toBe(masked(shown ?? ''));
  // The report of the page has the fields of a real one.
  const fields = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(fields)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fields(inner)]))
        : '';
  const example = JSON.parse(BLOCKS.find(({ language }) => language === 'json')?.text ?? '');
  expect(fields(example)).toEqual(fields(report));
});

test('a fleet of batches over one journal is clean, whatever becomes of its answers, also when all of it runs again', async () => {
  const fleet = `for runner in 1 2 3; do
    "$NODE" "$COMMAND" batch ship orders.jsonl --label --max-unknown 99 --results "results.$runner.jsonl" -q &
  done; wait`;
  const ended = '"$NODE" "$COMMAND" history list --limit 99 --query "[].state" -o text';
  const { code, stdout, report } = await audited(
    `${fleet}; ${fleet}; ${ended}`,
    'reset-after:first5@createShipment',
    'truncate:first3@createLabels',
  );
  const states = stdout.split(/\s/).filter(state => ['created', 'unknown', 'partial'].includes(state));
  expect([code, report]).toEqual([0, { booked: [], repeated: [], labels: [] }]);
  expect(states.length).toBeGreaterThanOrEqual(ORDERS);
  expect(new Set(states)).toContain('unknown');
});

/** After these nobody knows; after the others the order is not booked, and is booked when the program runs again. */
const UNKNOWN = ['reset-after', 'truncate', 'html', 'reset-before', '500', '302'];

describe.each([
  ['"$NODE" ship.mjs', 'bash'],
  ['python3 ship.py', 'python3'],
  ['bash ship.sh', 'curl'],
])('%s', (program, needed) => {
  const lack = notInstalled(needed);
  const script = `${program} 'A/1 ß' order.json; echo "exit $?"; ${program} 'A/1 ß' order.json`;

  test.skipIf(lack)(titled('books an order once, and knows it again', lack), async () => {
    const { code, stdout, report, booked } = await audited(script);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^(shp_\w+)\nexit 0\n\1\n$/)]);
    expect([report.booked, booked.length]).toEqual([[], 1]);
  });

  test.skipIf(lack).each([...UNKNOWN, '429', '422'])(titled('is clean after %s', lack), async fault => {
    const { code, stdout, report, booked } = await audited(script, `${fault}:first1`);
    const isUnknown = UNKNOWN.includes(fault);
    expect([code, stdout.trim()]).toEqual(
      isUnknown ? [8, 'exit 8'] : [0, expect.stringMatching(/^exit 1\nshp_\w+$/)],
    );
    expect([report, booked.length]).toEqual([{ booked: [], repeated: [], labels: [] }, 1]);
  });

  test.skipIf(lack)(titled('of two processes at one moment one sends', lack), async () => {
    const both = `(${program} A order.json & ${program} A order.json; wait) 2>/dev/null; ${program} A order.json`;
    const { code, report } = await audited(both);
    expect([code, report.booked, report.repeated]).toEqual([0, [], []]);
  });

  test.skipIf(lack)(titled('forgets an order that it could not send', lack), async () => {
    const { folder, env } = desk();
    const options = { env: { ...env, WAYBILL_BASE_URL: UNUSED, WAYBILL_TOKEN: 'demo' }, cwd: folder };
    const { code, stderr } = await spawned('bash', ['-c', `${program} A order.json`], options).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('A is not booked')]);
    expect(readdirSync(join(folder, 'booked'))).toEqual([]);
  });
});
