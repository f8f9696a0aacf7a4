// Scenarios for a process that is stopped while it books. Its booking comes to count as lost, in both journals, another process
// settles it as not created, and the first one continues.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { lacking } from '../rig/needs.ts';
import { inSharedPlace, type JournalKind } from '../rig/postgres.ts';
import type { Ended } from '../rig/process.ts';
import { batchOn, type Line } from './batch.ts';
import { ending, shownBy } from './breaches.ts';
import { type Job, type Scenario, ship } from './scenarios.ts';
import { history, onStage, type RunOptions, type Stage, type Started } from './stage.ts';
import { STOPS } from './steps.ts';

export interface Loss {
  journal: JournalKind;
  /**
   * `aged`: its record is made older, and the clock of its process goes on if `FAKETIME` is there. `waited`: its lease ends;
   * a lease of this machine does not while the process is there. `clock`: the clock of the other process is two hours ahead.
   */
  by: 'aged' | 'waited' | 'clock';
}

const HOURS_MS = 3 * 60 * 60 * 1000;
/** Longer than the lease of a shared journal. */
const LEASE_MS = 63_000;

/** Debian's library that changes the clock of a process, in the folder of any architecture; `undefined` if it is not there. */
const FAKETIME = readdirSync('/usr/lib')
  .map(folder => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
  .find(path => existsSync(path));

/** Why no clock can be moved here, if so. */
export const noClocks = lacking(FAKETIME !== undefined, 'libfaketime is not installed');

/** The environment of a process with another clock. Its timers stay true. `clock`: such as `+2h`, or a file that says so. */
export const atTime = (clock: string | { file: string }): Record<string, string> => ({
  LD_PRELOAD: FAKETIME ?? '',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  NO_FAKE_STAT: '1',
  ...(typeof clock === 'string'
    ? { FAKETIME: clock }
    : { FAKETIME_TIMESTAMP_FILE: clock.file, FAKETIME_NO_CACHE: '1' }),
});

interface Losing {
  /** The commands have the clock of the process that is stopped. */
  stage: Stage;
  /** The same stage, where the commands have the clock of the other process. */
  other: Stage;
  /** Resolves when the pending bookings count as lost for the other process. */
  lose(): Promise<void>;
}

/** Calls `act` on a stage with that journal. */
export function onLosingStage<T>(
  command: string,
  { journal, by }: Loss,
  act: (losing: Losing) => Promise<T>,
): Promise<T> {
  const losing = (stage: Stage, age: () => unknown): Losing => {
    const clock = join(stage.folder, 'clock');
    const goesOn = by === 'aged' && FAKETIME !== undefined;
    if (goesOn) writeFileSync(clock, '+0');
    return {
      stage: withEnvironment(stage, goesOn ? atTime({ file: clock }) : {}),
      other: withEnvironment(stage, by === 'clock' ? atTime('+2h') : {}),
      async lose() {
        if (by === 'waited') await sleep(LEASE_MS);
        if (by !== 'aged') return;
        await age();
        if (goesOn) writeFileSync(clock, `+${HOURS_MS / 1000}`);
      },
    };
  };
  if (journal === 'local')
    return onStage(command, stage => act(losing(stage, () => age(join(stage.folder, 'state/journal.db')))));
  return inSharedPlace(place =>
    onStage(command, stage => act(losing(stage, () => place.age(HOURS_MS))), {
      WAYBILL_JOURNAL: place.address,
    }),
  );
}

const withEnvironment = (stage: Stage, env: Record<string, string>): Stage => ({
  ...stage,
  start: (argv, options) => stage.start(argv, { ...options, env: { ...env, ...options?.env } }),
  run: (argv, options) => stage.run(argv, { ...options, env: { ...env, ...options?.env } }),
});

function age(file: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  database.exec(`UPDATE bookings SET at = at - ${HOURS_MS}, lease_until = lease_until - ${HOURS_MS}`);
  database.close();
}

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
  for (;;) {
    if (end) throw new Error(`it ended, and was not stopped: ${ending(end)}`);
    const line = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    if (line[line.lastIndexOf(')') + 2] === 'T') return;
    await sleep(10);
  }
}

export interface Stop {
  at: Moment;
  lost: Loss;
  /** Whether the other process then books the same. */
  again: boolean;
  job?: (key: string) => Job;
  /** What a person says in the end about the booking whose answer came late. */
  late?: 'created' | 'not created';
}

/** What the runs of a scenario did, with checks that collect the broken promises. */
interface Story extends Losing {
  job: Job;
  /** The booking of the stopped process. */
  id: string;
  /** What it made, if it made something. */
  made: string;
  /** The run that booked the same again. */
  second?: Ended;
  back: Ended;
  check(holds: boolean, otherwise: string): void;
  exits(run: Ended, code: number, what: string): void;
  /** Runs the command as the other process. */
  again(): Promise<Ended>;
}

/** The last of the steps: it was asked, and is sent whatever happens then. */
const isAsked = (at: Moment): boolean => typeof at === 'object' && at.step === STOPS.at(-1);

export function stopped({ at, lost, again, job = ship, late = 'created' }: Stop): Scenario {
  return command =>
    onLosingStage(command, lost, async losing => {
      const broken: string[] = [];
      const story = await storyOf(losing, job('K'), at, again, broken);
      const { witness } = story.stage;
      const { key } = story.job;
      const sent = witness.sent(key);
      const isSent = at === 'in flight' || isAsked(at);
      if (!isSent) await nothingIsSent(story);
      else if (again) await bothAreTold(story, late);
      else await answerCounts(story);
      const more = witness.sent(key) - sent;
      const first = !isSent && !again ? 1 : 0;
      if (more !== first) broken.push(`booked twice: ${key} was sent ${more} times afterwards, not ${first}`);
      return broken;
    });
}

async function storyOf(
  losing: Losing,
  job: Job,
  at: Moment,
  again: boolean,
  broken: string[],
): Promise<Story> {
  const { stage, other } = losing;
  const { witness } = stage;
  const { argv, stdin, key } = job;
  const check: Story['check'] = (holds, otherwise) => void (holds || broken.push(otherwise));
  const exits: Story['exits'] = (run, code, what) =>
    check(run.code === code, `wrong exit code of ${what}, not ${code}: ${ending(run)}`);
  const run = () => other.run(argv, { stdin });

  const first = await stoppedAt(stage, at, [key], options => stage.start(argv, { stdin, ...options }));
  const sent = witness.sent(key);
  await losing.lose();
  exits(await run(), job.whileUnknown, 'a run while the first is stopped');
  const unknown = await history(other, '--state', 'unknown');
  check(unknown.length === 1, `${unknown.length} are listed as unknown, not 1`);
  const id = unknown[0]?.id ?? '';
  exits(await resolve(other, id, ...NOT_CREATED), 0, 'history resolve');
  const second = again ? await run() : undefined;
  if (second) exits(second, 0, 'the run that books it again');

  witness.release();
  first.child.kill('SIGCONT');
  const back = await first.ended;
  const wanted = sent + (again ? 1 : 0) + (isAsked(at) ? 1 : 0);
  const made = witness.created(key)[isAsked(at) && again ? 1 : 0] ?? '';
  check(
    witness.sent(key) === wanted,
    `booked twice: ${key} was sent ${witness.sent(key)} times, not ${wanted}`,
  );
  return { ...losing, job, id, made, ...(second && { second }), back, check, exits, again: run };
}

/** It was settled before the first byte, or between two attempts: the command answers as any other with this key. */
async function nothingIsSent({ job, second, back, stage, check, exits, again }: Story): Promise<void> {
  if (second) {
    exits(back, job.booked, 'the stopped run');
    check(back.code !== 0 || shownBy(back) === shownBy(second), `another answer is shown: ${ending(back)}`);
  } else {
    exits(back, 7, 'the stopped run');
    check(/"unavailable"/.test(back.stderr) && /is not sent/.test(back.stderr), ending(back));
    exits(await again(), 0, 'the next run');
  }
  const { length } = stage.witness.created(job.key);
  check(length === 1, `booked twice: ${length} were created, not 1`);
}

/** Its answer came after it was settled, and nobody booked it again. */
async function answerCounts({ job, id, made, back, other, check, exits, again }: Story): Promise<void> {
  exits(back, 0, 'the stopped run');
  check(
    /"kind":"answered-after-settlement"/.test(back.stderr),
    `lost: it is not said that it was settled: ${ending(back)}`,
  );
  const listed = await history(other);
  const shown = await other.run(['history', 'show', id, '--json']);
  check(
    listed.length === 1 && listed[0]?.state === 'created' && (!job.hasId || shown.stdout.includes(made)),
    `lost: ${made} was created, and the journal says ${ending(shown)}`,
  );
  const next = await again();
  exits(next, job.booked, 'the next run');
  check(next.code !== 0 || shownBy(next) === shownBy(back), `another answer is shown: ${ending(next)}`);
}

/** Its answer came after the same was booked again: two exist. */
async function bothAreTold(story: Story, late: 'created' | 'not created'): Promise<void> {
  const { job, id, made, second, back, stage, other, check, exits, again } = story;
  exits(back, 8, 'the stopped run');
  // The service gives no id to a label.
  const ids = job.hasId ? stage.witness.created(job.key) : [id];
  for (const one of ids) check(back.stderr.includes(one), `lost: ${one} is not told: ${ending(back)}`);
  const [unknown, ...more] = await history(other, '--state', 'unknown');
  check(
    unknown?.id === id && more.length === 0,
    `lost: ${unknown?.id} and ${more.length} more are listed as unknown`,
  );
  const shown = await other.run(['history', 'show', id, '--json']);
  check(!job.hasId || shown.stdout.includes(made), `lost: ${made} is not in ${ending(shown)}`);
  const answersAsBefore = async () => {
    const next = await again();
    exits(next, job.booked, 'the next run');
    check(next.code !== 0 || shownBy(next) === shownBy(second as Ended), `another answer: ${ending(next)}`);
  };
  await answersAsBefore();
  const options = late === 'created' ? job.created(made) : NOT_CREATED;
  exits(await resolve(other, id, ...options), 0, 'history resolve of the late one');
  const left = await history(other, '--state', 'unknown');
  check(left.length === 0, `still unknown: ${left.map(one => one.id)}`);
  await answersAsBefore();
}

const NOT_CREATED = ['--not-created', '--force', '--reason', 'asked'];

const resolve = (stage: Losing['other'], id: string, ...options: string[]): Promise<Ended> =>
  stage.run(['history', 'resolve', id, ...options, '--json']);

const SIZE = { records: 4, concurrency: 4 };

/** The same for a batch: all of its requests are stopped at the same moment. Gives the broken promises. */
export const batchStopped =
  ({ at, lost, again }: Pick<Stop, 'at' | 'lost' | 'again'>): Scenario =>
  command =>
    onLosingStage(command, lost, async ({ stage, other, lose }) => {
      const { witness } = stage;
      const batch = batchOn(stage, SIZE);
      const { keys } = batch;
      const broken: string[] = [];
      const check = (holds: boolean, otherwise: string) => void (holds || broken.push(otherwise));
      const sent = () => keys.map(key => witness.sent(key)).join();
      const shown = (lines: readonly Line[]) =>
        lines
          .map(({ key, state, shipmentId }) => `${key} ${state} ${shipmentId}`)
          .sort()
          .join('; ');
      const each = (state: string, nth?: number) =>
        keys.map(key => `${key} ${state} ${nth === undefined ? null : `S-${key}-${nth}`}`).join('; ');
      /** Runs it as the other process. */
      async function run(results: string, code: number, wanted: string): Promise<void> {
        const ended = await batchOn(other, SIZE).start({ results }).ended;
        const lines = shown(batch.lines(results));
        check(
          ended.code === code && lines === wanted,
          `${results} ends with ${ending(ended)}, its lines are ${lines}, not ${wanted}`,
        );
      }

      const start = (options: RunOptions) => batch.start({ results: 'first.jsonl', ...options });
      const first = await stoppedAt(stage, at, keys, start);
      await lose();
      await run('unknown.jsonl', 8, each('unknown'));
      const unknown = await history(other, '--state', 'unknown');
      check(unknown.length === keys.length, `${unknown.length} are listed as unknown, not ${keys.length}`);
      for (const { id } of unknown)
        await other.run(['history', 'resolve', id, '--not-created', '--force', '--reason', 'gone', '--json']);
      const nth = at === 'in flight' && again ? 2 : 1;
      if (again) await run('again.jsonl', 0, each('created', nth));

      const before = sent();
      witness.release();
      first.child.kill('SIGCONT');
      const back = await first.ended;
      const lines = shown(batch.lines('first.jsonl'));
      check(sent() === before, `booked twice: sent ${sent()} times, not ${before}`);
      const left = (await history(other, '--state', 'unknown')).map(({ id }) => id).sort();
      if (at === 'in flight' && again) {
        check(back.code === 8, `wrong exit code, not 8: ${ending(back)}`);
        check(/^(K\d unknown S-K\d-1(; )?)+$/.test(lines), `lost: the lines are ${lines}`);
        const ids = unknown.map(({ id }) => id).sort();
        check(left.join() === ids.join(), `lost: unknown are ${left}, not ${ids}`);
      } else if (at === 'in flight' || again) {
        check(back.code === 0, `wrong exit code, not 0: ${ending(back)}`);
        check(lines === each('created', 1), `lost: the lines are ${lines}`);
        check(left.length === 0, `still unknown: ${left}`);
      } else {
        check(back.code !== 0 && back.code !== 8, `wrong exit code: ${ending(back)}`);
        check(lines === each('not_sent'), `the lines are ${lines}`);
      }
      await run('last.jsonl', 0, each('created', nth));
      const { length } = keys.filter(key => witness.created(key).length !== nth);
      check(length === 0, `booked twice: ${length} keys were not created ${nth} times`);
      return broken;
    });
