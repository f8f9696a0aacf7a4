// How a booking of a process that does not continue comes to count as lost, in both journals.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { lacking } from '../rig/needs.ts';
import { inSharedPlace, type JournalKind } from '../rig/postgres.ts';
import { onStage, type Stage } from './stage.ts';

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

export interface Losing {
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
  const database = new Database(file, { timeout: 10_000 });
  database.exec(`UPDATE bookings SET at = at - ${HOURS_MS}, lease_until = lease_until - ${HOURS_MS}`);
  database.close();
}
