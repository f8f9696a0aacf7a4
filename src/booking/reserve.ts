import { closeSync, constants, lstatSync, openSync, unlinkSync, writeSync } from 'node:fs';

/** Enough for the outcomes of a batch that are under way; a usual answer is two kilobytes. */
const BYTES = 1024 * 1024;

/**
 * Room on the disk, held in a file while something is being booked and let go of when its outcome does not fit any more:
 * a disk that fills up in between must not cost us the id of a shipment, or a secret that is given once.
 */
export interface Reserve {
  /** Makes sure of the room. Throws what the system says where there is none. */
  hold(): void;
  /** Gives the room to whoever writes next. */
  release(): void;
}

export const reserveIn = (path: string): Reserve => ({
  hold() {
    if (lstatSync(path, { throwIfNoEntry: false })?.size === BYTES) return;
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const file = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      const room = Buffer.alloc(BYTES);
      for (let done = 0; done < BYTES; ) done += writeSync(file, room, done);
    } finally {
      closeSync(file);
    }
  },
  release() {
    try {
      unlinkSync(path);
    } catch {
      // It was let go of before, or nobody may.
    }
  },
});
