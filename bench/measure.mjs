// Measures processes from start to exit, and shows the figures beside those that they are compared with.
import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The path of a program, or nothing if it is not installed. */
export function find(program) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
}

/** Runs `{ command, env, input }`, and throws if it fails. `env` is added to the environment that all have in common. */
export async function run({ command: [program, ...args], env, input }, stage) {
  const settings = { cwd: stage.folder, env: { ...stage.env, ...env }, maxBuffer: Infinity };
  const running = promisify(execFile)(program, args, settings);
  running.child.stdin.end(input);
  await running;
}

/** The time in ms of processes that are started together, until the last one has ended. */
async function timed(runs, stage) {
  const begun = performance.now();
  await Promise.all(runs.map(each => run(each, stage)));
  return { ms: performance.now() - begun };
}

// A process cannot read the peak memory of another one that has ended. GNU time can, because it waits for it.
const TIME = '/usr/bin/time';
const canWeigh = spawnSync(TIME, ['-f', '%M', process.execPath, '-e', '0']).status === 0;

/** The time of one process, and the peak memory in MiB of the largest one that it started, where GNU time is there. */
export async function weighed([{ command, ...rest }], stage) {
  if (!canWeigh) return timed([{ command, ...rest }], stage);
  const told = join(stage.folder, 'memory');
  const { ms } = await timed([{ command: [TIME, '-f', '%M', '-o', told, ...command], ...rest }], stage);
  return { ms, memory: Number(readFileSync(told, 'utf8')) / 1024 };
}

/** A contender that is one process. Without a command it is not installed, and does not run. */
export const contender = (name, command, facts) => ({
  name,
  runs: command && (() => [{ command }]),
  requests: 0,
  ...facts,
});

/**
 * Runs contenders in turns, A B C A B C …, so that a slow phase of the machine slows all of them. Before each round `prepare`
 * of a contender creates its state, and `runs` gives what is started then. This many `requests` must arrive at the server.
 *
 * Gives a map of names to the samples of all rounds. A run that fails or is incomplete is an error.
 */
export async function race(stage, server, contenders, rounds, measure = timed) {
  const samples = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const one of contenders) if (one.runs) samples.get(one.name).push(await sampleOf(one));
  return samples;

  async function sampleOf({ name, runs, requests, prepare }) {
    await prepare?.();
    const before = await server.count();
    const sample = await measure(runs(), stage).catch(error => {
      throw new Error(`${name}: ${error.message}`);
    });
    const arrived = (await server.count()) - before;
    if (arrived !== requests)
      throw new Error(`${name}: ${arrived} requests arrived at the server instead of ${requests}`);
    return { requests, ...sample };
  }
}

/** For an even number of values it is the mean of the two in the middle. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What is read of a sample, by its unit. */
const FIGURES = {
  ms: ({ ms }) => ms,
  'records/s': ({ requests, ms }) => (requests / ms) * 1000,
  MiB: ({ memory }) => memory,
};

const HOLDS = { '<': (a, b) => a < b, '≤': (a, b) => a <= b, '≥': (a, b) => a >= b };

/**
 * Shows one row for each name of `samples`. `goals` has for a name the list of `[other name, sign, bound]` that its ratio to the
 * other must meet. Without goals it is compared with the first name. `absent` says why a name has no samples.
 */
export function show(part, unit, samples, goals = {}, absent = 'not installed') {
  const canMeasure = unit !== 'MiB' || canWeigh;
  const missing = canMeasure ? absent : 'not measured without GNU time';
  const series = new Map(
    [...samples].map(([name, list]) => [name, canMeasure ? list.map(FIGURES[unit]) : []]),
  );
  const [first] = series.keys();
  process.stdout.write(`\n${part}, ${unit}\n`);
  for (const [name, values] of series) {
    if (values.length === 0) {
      showLine(`  ${name}`, '-', '-', '-', '-', missing);
      continue;
    }
    const [comparison = [], ...others] = (goals[name] ?? [[first]])
      .filter(([to]) => to !== name)
      .map(goal => compared(values, series, goal, missing));
    const figures = [median(values), Math.min(...values), Math.max(...values)];
    showLine(`  ${name}`, String(values.length), ...figures.map(shown), ...comparison);
    for (const other of others) showLine('', '', '', '', '', ...other);
  }
}

/** The median of the ratios of all rounds, and whether it meets the goal. */
function compared(values, series, [to, sign, bound], missing) {
  const others = series.get(to);
  const goal = sign ? `${sign} ${bound}: ` : '';
  if (others.length === 0) return [`- × ${to}`, goal && `${goal}nothing claimed, ${missing}`];
  const ratio = median(values.map((value, round) => value / others[round])).toFixed(3);
  // The goal is checked with the rounded value that is shown.
  return [`${ratio} × ${to}`, goal && `${goal}${HOLDS[sign](Number(ratio), bound) ? 'met' : 'not met'}`];
}

const shown = number => number.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const WIDTHS = [44, 4, 11, 11, 11, 44, 0];
const NUMBERS = [1, 2, 3, 4];

function showLine(...cells) {
  const padded = cells.map((cell, at) =>
    NUMBERS.includes(at) ? cell.padStart(WIDTHS[at]) : cell.padEnd(WIDTHS[at]),
  );
  process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
}

export const showHeader = () => showLine('', 'runs', 'median', 'min', 'max', 'ratio', 'goal');
