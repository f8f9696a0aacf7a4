// Stops a process at a moment of its booking.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ended } from '../rig/process.ts';
import { ending } from './breaches.ts';
import type { RunOptions, Stage, Started } from './stage.ts';

/** `waiting`: for a second attempt, after a 429. `in flight`: its requests have arrived. Otherwise the name of a step. */
export type Moment = 'waiting' | 'in flight' | { step: string };

/** Starts a command that books these keys, and gives it when it is stopped. */
export async function stoppedAt(
  { witness }: Stage,
  at: Moment,
  keys: readonly string[],
  start: (options: RunOptions) => Started,
): Promise<Started> {
  if (at === 'waiting') for (const key of keys) witness.replies(key, 'later', 'created');
  if (at === 'in flight') for (const key of keys) witness.replies(key, 'held', 'created');
  const started = start(
    // Without a terminal only --verbose tells that a wait begins.
    at === 'waiting'
      ? { env: { WAYBILL_DEBUG: '1' } }
      : at === 'in flight'
        ? {}
        : { step: at.step, stop: true },
  );
  if (at === 'in flight') await Promise.race([witness.arrival(keys.length), started.ended]);
  if (at === 'waiting') await said(started, 'trying again in', keys.length);
  if (typeof at === 'string') started.child.kill('SIGSTOP');
  await isStopped(started);
  if (witness.arrived() > keys.length) throw new Error('it was stopped too late');
  return started;
}

/** Resolves when the process has written this so often on stderr, or has ended. */
function said({ child, ended }: Started, text: string, times: number): Promise<unknown> {
  let all = '';
  const heard = new Promise<void>(done =>
    child.stderr?.on('data', chunk => {
      all += chunk;
      if (all.split(text).length > times) done();
    }),
  );
  return Promise.race([heard, ended]);
}

async function isStopped({ child, ended }: Started): Promise<void> {
  let end: Ended | undefined;
  void ended.then(run => {
    end = run;
  });
  for (let looks = 0; looks < 3000; looks += 1) {
    if (end) throw new Error(`it ended, and was not stopped: ${ending(end)}`);
    const line = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    if (line[line.lastIndexOf(')') + 2] === 'T') return;
    await sleep(10);
  }
  throw new Error('it does not stop');
}
