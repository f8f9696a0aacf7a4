// Runs before each test file of scripts/conditions.mjs: the function that its conditions call.
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

/** A condition that is forced may end no loop. */
const MOST_CALLS = 200_000;

const { active, reports } = JSON.parse(readFileSync(process.env.WAYBILL_CONDITIONS, 'utf8'));
const reached = new Set();
let calls = 0;
globalThis.__condition = (number, value) => {
  if (active === null) {
    reached.add(number);
    return value;
  }
  if (number !== active.number) return value;
  calls += 1;
  if (calls > MOST_CALLS) throw new Error('a loop without an end');
  return active.forced;
};

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which fixtures are wanted: none
afterAll(({}, suite) => {
  if (active === null)
    appendFileSync(reports, `${JSON.stringify({ file: suite.file.filepath, numbers: [...reached] })}\n`);
});
