// The moments of a booking at which a test kills, stops or holds the process, in order. Each is a marker in the source.
import type { Insertion } from '../rig/build.ts';

export interface Step {
  name: string;
  /** How many complete requests have arrived by then. */
  sent: 0 | 1;
  /** The exit code if the command runs again. Between claim and outcome the booking is unknown. */
  again: 0 | 8;
}

/** At this step the system has the whole request and sends it even without the process. The probe hears of it from undici. */
export const SENT = 'sent';

export const STEPS: readonly Step[] = [
  { name: 'claim written, not committed', sent: 0, again: 0 },
  { name: 'claim committed', sent: 0, again: 8 },
  { name: 'connected', sent: 0, again: 8 },
  { name: SENT, sent: 1, again: 8 },
  { name: 'answer begun', sent: 1, again: 8 },
  { name: 'answer complete', sent: 1, again: 8 },
  { name: 'outcome written, not committed', sent: 1, again: 8 },
  { name: 'outcome committed', sent: 1, again: 0 },
  { name: 'shown', sent: 1, again: 0 },
];

/** Moments of a process that is stopped before its first byte. At the last one it was asked whether it may send. */
export const STOPS = ['claim committed', 'claim confirmed', 'about to send', 'connected'] as const;

/** The step after a line of a batch is written and before the next record begins. */
export const LINE_WRITTEN = 'line of a batch written';

/** From the record of a list to the mark that it was written. */
export const LISTING = ['list claimed', 'list in place', 'list marked'] as const;

/** While a merged file has no name yet, before and after its labels are claimed; and when it has its name. */
export const MERGING = [
  'merged file drawn',
  'labels of a merged file claimed',
  'merged file in place',
] as const;

/** Around the claim of the results of a batch. */
export const CLAIMING = [
  'folder of a claim made',
  'results claimed',
  'results about to be released',
] as const;

/** Between the last booking of a file that is imported and the note that all of it is. */
export const IMPORTED = 'file imported';

/** While a copy of the journal has no name yet: before it is marked, and before it gets its name. */
export const COPYING = ['copy marked', 'copy not named yet'] as const;

/** While the bookings of a machine are moved: `NAME:N` is of the Nth page. */
export const MOVING = [
  'mark of a move written',
  'source of a move marked',
  'page of a move written',
  'page of a move copied',
  'move copied',
] as const;

export function stepNamed(name: string): Step {
  const found = STEPS.find(one => one.name === name);
  if (!found) throw new Error(`there is no step ${name}`);
  return found;
}

const SYNCHRONOUS = `first('PRAGMA synchronous').synchronous`;

/** Records only what is synced, so that a test can simulate a power loss. */
export const NOTES: readonly Insertion[] = [
  { at: 'transaction committed', code: `tortureCommit(file, ${SYNCHRONOUS});` },
];

const MARKED = new Set([
  ...STEPS.map(({ name }) => name),
  ...STOPS,
  ...LISTING,
  ...COPYING,
  ...MOVING,
  ...MERGING,
  ...CLAIMING,
  LINE_WRITTEN,
  IMPORTED,
]);
MARKED.delete(SENT);

/** Let a test kill the command, hold it, and simulate a power loss. Without their variables the probes do nothing. */
export const PROBES: readonly Insertion[] = [
  ...NOTES,
  ...[...MARKED].map(at => ({ at, code: `tortureStep(${JSON.stringify(at)});` })),
  { at: 'key looked up, not claimed', code: 'await tortureGate();' },
];

/** Where a process of a shared journal holds up the claims of the others: only there is it stopped by itself. */
export const LOCKS_HELD: Insertion = {
  at: 'shared claim has its locks',
  code: "tortureStep('shared claim has its locks');",
};

/** The journal is opened with another version of SQLite, by its name. */
export const OTHER_ENGINE: Insertion = {
  at: 'version of SQLite read',
  code: 'if (process.env.TORTURE_SQLITE) return process.env.TORTURE_SQLITE;',
};

/** Tests of runners that are killed need not wait for a minute. */
export const SHORT_LEASE: Insertion = { at: 'length of a lease asked', code: 'return 3000;' };
