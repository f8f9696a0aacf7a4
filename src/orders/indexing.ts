import { interruption } from '../host/signals.ts';
import type { Session } from '../session/session.ts';

/** After so many ms a person is told why the search takes long. */
const LONG_MS = 1000;

/** Tells a person about a search that first prepares the journal, and ends it when they stop the command. */
export function indexing({
  host,
  printer,
}: Pick<Session, 'host' | 'printer'>): (done: number, all: number) => void {
  const start = host.monotonic();
  let isTold = false;
  return (done, all) => {
    if (host.interrupted.aborted)
      throw interruption(host.interrupted, 'the next search continues to prepare the journal');
    if (host.monotonic() - start < LONG_MS) return;
    if (!isTold)
      void printer.note(
        `preparing the journal for searches, ${all} bookings: only the first search does this`,
      );
    isTold = true;
    void printer.progress(done < all ? `prepared ${done} of ${all}` : '');
  };
}
