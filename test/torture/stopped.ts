// Scenarios for a process that is stopped while it books. Its booking counts as lost, another process settles it as not
// created, and the first one continues.
import type { Ended } from '../rig/process.ts';
import { ending, shownBy } from './breaches.ts';
import { type Job, ship } from './jobs.ts';
import { type Losing, type Loss, onLosingStage } from './lost.ts';
import type { Scenario } from './scenarios.ts';
import { history } from './stage.ts';
import { STOPS } from './steps.ts';
import { type Moment, stoppedAt } from './stopping.ts';

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
    check(/"unavailable"/.test(back.stderr) && /nothing was sent/.test(back.stderr), ending(back));
    exits(await again(), 0, 'the next run');
  }
  const { length } = stage.witness.created(job.key);
  check(length === 1, `booked twice: ${length} were created, not 1`);
}

/** Its answer came after it was settled, and nobody booked it again. */
async function answerCounts({ job, id, made, back, other, check, exits, again }: Story): Promise<void> {
  exits(back, 0, 'the stopped run');
  check(/resolved by/.test(back.stderr), `lost: it is not said that it was settled: ${ending(back)}`);
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
