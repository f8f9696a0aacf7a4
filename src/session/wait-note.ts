import type { Booking } from '../journal/booking.ts';
import type { Holder } from '../journal/holder.ts';
import { LEASE_MS } from '../journal/leases.ts';
import type { Diagnostics } from '../output/diagnostics.ts';

/** Says, once in a command, for which booking of another process it waits, and for how long. */
export function createWaitNote({ note }: Pick<Diagnostics, 'note'>): (booking: Booking) => void {
  let isSaid = false;
  return ({ id, key, holder }) => {
    if (isSaid) return;
    isSaid = true;
    void note(
      `waiting for another process (${processWords(holder)}), which is sending booking ${id}${key === null ? '' : ` with the key ${JSON.stringify(key)}`}. If that process has ended, this takes at most ${LEASE_MS / 1000} seconds, and then the booking is unknown. Ctrl-C ends the waiting; nothing is sent twice if you run the command again`,
    );
  };
}

const processWords = ({ user, host, process }: Holder): string =>
  `${process} of ${user === undefined ? '' : `${user} on `}${host}`;
