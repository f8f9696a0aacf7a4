import { Failure } from '../errors.ts';

/** The number of the schema in both databases. Both refuse tables that have another one. */
export const SCHEMA_VERSION = 10;

/** How a journal is opened that may be new, or have lost bookings that it held. */
export interface Opening {
  /** It is used as it is, and forgets what it lost: `--new-journal`. */
  asNew?: boolean;
  /** It is not made if there is none yet. */
  mustExist?: boolean;
  /** Gets the failure of a journal that has lost bookings and can still be used. Otherwise that failure is thrown. */
  onLost?(failure: Failure): void;
}

/** For a journal that must not have lost anything. */
export const refuse = (failure: Failure): never => {
  throw failure;
};

/** The failure of a journal whose tables are not of this version. `cure`: what to do about older ones. */
export function wrongVersion(journal: string, version: number, cure: string): Failure {
  const [age, advice] =
    version > SCHEMA_VERSION ? ['a newer', 'To use it, update waybill on this machine'] : ['an older', cure];
  return new Failure(
    'storage',
    `the journal ${journal} was written by ${age} version of waybill (its tables have number ${version}, not ${SCHEMA_VERSION}); nothing was sent. ${advice}`,
  );
}

/** The failure of a journal that has lost bookings. `cure`: how they are put back. */
export const lostBookings = (journal: string, what: string, cure: string): Failure =>
  new Failure(
    'storage',
    `the journal ${journal} ${what}. A key that was lost with them would be booked again; nothing was sent. ${cure}. --new-journal continues with what is there: then waybill does not know the keys of those bookings`,
  );
