// Starts several runners of one batch at the same time. With a shared journal they behave like several machines.
//   node bench/runners.mjs COUNT FOLDER COMMAND…     ends with 0 where all of them did
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const [count, folder, program, ...args] = process.argv.slice(2);
const isShared = process.env.WAYBILL_JOURNAL !== undefined;

for (let runner = 1; runner <= Number(count); runner += 1) {
  const env = {
    ...process.env,
    ...(isShared && { WAYBILL_STATE_DIR: join(folder, `state-${runner}`) }),
  };
  const child = spawn(program, [...args, '--results', join(folder, `results-${runner}.jsonl`)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.once('error', () => {
    process.exitCode = 1;
  });
  child.once('exit', code => {
    if (code !== 0) process.exitCode = 1;
  });
}
