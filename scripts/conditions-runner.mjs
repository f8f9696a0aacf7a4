// Runs the tests of scripts/conditions.mjs: each as it is, and then once for each change that is planned for it and that no test has
// noticed yet.
import { appendFileSync, readFileSync } from 'node:fs';
import { VitestTestRunner } from 'vitest/runners';
import { getFn } from 'vitest/suite';

/** A condition that is forced may end no loop. */
const MOST_CALLS = 200_000;

const { plan, reports } = JSON.parse(readFileSync(process.env.WAYBILL_CONDITIONS, 'utf8'));
const report = line => appendFileSync(reports, `${JSON.stringify(line)}\n`);
const reached = new Set();
const noticed = new Set();
let forced;
let calls = 0;
globalThis.__condition = (number, value) => {
  if (forced === undefined) {
    reached.add(number);
    return value;
  }
  if (number !== forced.number) return value;
  calls += 1;
  if (calls > MOST_CALLS) throw new Error('a loop without an end');
  return forced.value;
};

/** Gives what the test failed with. */
async function failureOf(test) {
  let failure;
  const run = async step => {
    try {
      await step();
    } catch (error) {
      failure ??= error;
    }
  };
  await run(getFn(test));
  const finish = test.onFinished ?? [];
  test.onFinished = [];
  for (const step of finish.reverse()) await run(() => step(test.context));
  // What is registered while a test ends is never run, as vitest does it.
  test.onFinished = [];
  return failure;
}

export default class extends VitestTestRunner {
  async runTask(test) {
    reached.clear();
    const failure = await failureOf(test);
    if (failure) throw failure;
    if (plan === null) {
      report({ id: test.id, numbers: [...reached] });
      return;
    }
    for (const change of plan[test.id] ?? []) {
      if (noticed.has(change.name)) continue;
      [forced, calls] = [change, 0];
      const noticing = await failureOf(test);
      forced = undefined;
      if (!noticing) continue;
      // A test that cannot run twice in one process says nothing.
      if (await failureOf(test)) return;
      noticed.add(change.name);
      report({ change: change.name, test: `${test.file.name} > ${test.name}` });
    }
  }
}
