import { closeSync, constants, lstatSync, openSync, unlinkSync, writeSync } from 'node:fs';
import type { Host } from '../../host.ts';

/** Enough for the outcomes of all bookings that a batch is sending; a usual response has two kilobytes. */
const BYTES = 1024 * 1024;

/**
 * Disk space that a file reserves while something is being booked. It is released if the outcome does not fit on the
 * disk: a disk that fills up must not lose the id of a shipment, or a secret that the service gives once.
 */
export function reserveIn(path: string, { turn }: Pick<Host, 'turn'>) {
  // Valid for one turn: bookings that are claimed together need one look at the file.
  let isHeld = false;
  return {
    /** Reserves the space. Throws the system's error if there is none. */
    hold() {
      if (isHeld) return;
      if (lstatSync(path, { throwIfNoEntry: false })?.size !== BYTES) fill(path);
      isHeld = true;
      void turn().then(() => {
        isHeld = false;
      });
    },
    /** Frees the space for the next write. */
    release() {
      isHeld = false;
      try {
        unlinkSync(path);
      } catch {
        // It was released before, or may not be removed.
      }
    },
  };
}

function fill(path: string): void {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    const room = Buffer.alloc(BYTES);
    for (let done = 0; done < BYTES; ) done += writeSync(file, room, done);
  } finally {
    closeSync(file);
  }
}
