// Measures one process from start to exit: its time and its peak memory.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// A process cannot read the peak memory of another one that has ended. GNU time can, because it waits for it.
const TIME = '/usr/bin/time';

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

/** Runs it and gives `{ ms }`. Throws if it fails. */
export function timed([program, ...args], { folder, env, input }) {
  const begun = performance.now();
  const { status, signal, error, stderr } = spawnSync(program, args, { cwd: folder, env, input });
  const ms = performance.now() - begun;
  if (status !== 0) throw new Error(`it ended with ${status ?? signal ?? error}: ${stderr}`);
  return { ms };
}

/** The same with `memory` in KiB, of its largest process; null without GNU time. */
export function weighed(command, { folder, ...settings }) {
  if (!canWeigh(folder)) return { ...timed(command, { folder, ...settings }), memory: null };
  const told = join(folder, 'memory');
  const { ms } = timed([TIME, '-f', '%M', '-o', told, ...command], { folder, ...settings });
  return { ms, memory: Number(readFileSync(told, 'utf8')) };
}

let weighs;

function canWeigh(folder) {
  weighs ??=
    spawnSync(TIME, ['-f', '%M', '-o', join(folder, 'memory'), process.execPath, '-e', '0']).status === 0;
  return weighs;
}

/** The median. For an even number of values it is the mean of the two in the middle; for no values null. */
export function median(numbers) {
  if (numbers.length === 0) return null;
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
