// A file of JSON lines that several processes may share: each write appends whole lines.
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Failure, systemCode, unwritableBecause } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';

export interface LogFile {
  write(line: string): void;
  /** Gives the lines to the system now, so that no end of this process loses them. */
  flush(): void;
  close(): void;
}

// A pipe without a reader must not stop the command. Windows has no such flag.
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/** Under systemd it is a socket, which cannot be opened by this name. */
const STDERR = '/dev/stderr';

/** In characters. If the disk stays full, older lines are dropped. */
const MOST_WAITING = 1024 * 1024;

/**
 * Lines that are written in one turn of the event loop go to the system at once, so that a batch needs few writes, and a
 * process that is killed loses no more than the lines of one turn. Throws `storage` if the file cannot be opened;
 * `onFault` gets the reason, once, if it cannot be written later.
 */
export function openLogFile(
  name: string,
  host: Pick<Host, 'cwd' | 'turn'>,
  onFault: (why: string) => void,
): LogFile {
  const file = opened(name, host);
  let waiting = '';
  // The file ends with a part of a line.
  let isTorn = false;
  let isScheduled = false;
  let isTold = false;

  function flush(): void {
    isScheduled = false;
    if (waiting === '') return;
    const start = isTorn ? '\n' : '';
    const bytes = Buffer.from(start + waiting);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(file, bytes, written);
      waiting = '';
      isTorn = false;
    } catch (error) {
      const whole = bytes.lastIndexOf('\n', written - 1) + 1;
      isTorn = written === 0 ? isTorn : written > whole;
      waiting = bytes.subarray(written === 0 ? start.length : whole).toString();
      if (waiting.length > MOST_WAITING) waiting = waiting.slice(waiting.indexOf('\n', -MOST_WAITING) + 1);
      // The reader of a pipe may just be slow.
      if (systemCode(error) !== 'EAGAIN') tell(unwritableBecause(error));
    }
  }

  function tell(why: string): void {
    if (!isTold) onFault(why);
    isTold = true;
  }

  return {
    flush,
    write(line) {
      waiting += `${line}\n`;
      if (isScheduled) return;
      isScheduled = true;
      void host.turn().then(flush);
    },
    close() {
      flush();
      if (waiting !== '') tell('its reader did not take every line');
      if (name !== STDERR) closeSync(file);
    },
  };
}

function opened(name: string, host: Pick<Host, 'cwd'>): number {
  if (name === STDERR) return 2;
  try {
    // Not readable for everybody: there are order numbers in it.
    return openSync(absolutePath(name, host), FLAGS, 0o640);
  } catch (error) {
    throw new Failure(
      'storage',
      `the log ${name} cannot be written: ${unwritableBecause(error)}; nothing was sent. Name another file with --log or WAYBILL_LOG`,
      {},
      { cause: error },
    );
  }
}
