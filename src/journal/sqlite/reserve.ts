import { closeSync, constants, lstatSync, openSync, unlinkSync, writeSync } from 'node:fs';
import type { Host } from '../../host.ts';

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

export function reserveIn(path: string, { turn }: Pick<Host, 'turn'>): Reserve {
  // Known for a turn: those that are claimed together need one look at the file.
  let isHeld = false;
  return {
    hold() {
      if (isHeld) return;
      if (lstatSync(path, { throwIfNoEntry: false })?.size !== BYTES) fill(path);
      isHeld = true;
      void turn().then(() => {
        isHeld = false;
      });
    },
    release() {
      isHeld = false;
      try {
        unlinkSync(path);
      } catch {
        // It was let go of before, or nobody may.
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
