// A file of JSON lines that several processes may share: each write appends whole lines.
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { Failure, systemCode, unwritableBecause } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';

export interface LogFile {
  write(line: string): void;
  /** Gives the lines to the system now, so that no end of this process loses them. */
  flush(): void;
  /** Waits for a slow reader, for a while. */
  close(): Promise<void>;
}

// A pipe without a reader must not stop the command. Windows has no such flag.
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
const TO_PIPE = constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/** Under systemd it is a socket, which cannot be opened by this name. */
const STDERR = '/dev/stderr';

/** They hold the result, or would be a file with a strange name. */
const NO_LOGS = ['', '-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

/** How every line of a log begins. */
const BEGINNING = '{"time":"';

/** In characters. If the disk stays full, older lines are dropped. */
const MOST_WAITING = 1024 * 1024;

/** In ms: at the end a reader that takes nothing for so long is not waited for any more. */
const PATIENCE = 10_000;
const LOOK = 20;

/**
 * Lines that are written in one turn of the event loop go to the system at once, so that a batch needs few writes, and a
 * process that is killed loses no more than the lines of one turn. Throws `usage` for what no log can be, `storage` if the
 * file cannot be opened, or is no log; `onFault` gets the reason, once, if it cannot be written later.
 */
export function openLogFile(
  name: string,
  host: Pick<Host, 'cwd' | 'turn' | 'sleep'>,
  onFault: (why: string) => void,
): LogFile {
  const { file, isFile } = opened(name, host);
  let waiting = '';
  // The file ends with a part of a line, perhaps that of an earlier process.
  let isTorn = isFile && !endsWhole(file);
  let isSlow = false;
  let isScheduled = false;
  let isTold = false;

  function tell(why: string): void {
    if (!isTold) onFault(why);
    isTold = true;
  }

  function flush(): void {
    isScheduled = false;
    isSlow = false;
    try {
      while (waiting !== '') append();
    } catch (error) {
      isSlow = systemCode(error) === 'EAGAIN';
      if (!isSlow || waiting.length > MOST_WAITING)
        tell(isSlow ? 'its reader is too slow' : unwritableBecause(error));
      if (waiting.length > MOST_WAITING) waiting = waiting.slice(waiting.indexOf('\n', -MOST_WAITING) + 1);
    }
  }

  function append(): void {
    // A file takes all lines at once. A pipe takes a line as a whole or not at all.
    const end = isFile ? waiting.length : waiting.indexOf('\n') + 1;
    const bytes = Buffer.from((isTorn ? '\n' : '') + waiting.slice(0, end));
    const written = writeSync(file, bytes);
    const whole = bytes.lastIndexOf('\n', written - 1) + 1;
    // If the disk is full, a line may be cut. It is written once more, on a line of its own.
    isTorn = whole < written;
    waiting = bytes.subarray(whole).toString() + waiting.slice(end);
  }

  return {
    flush,
    write(line) {
      waiting += `${line}\n`;
      if (isScheduled) return;
      isScheduled = true;
      void host.turn().then(flush);
    },
    async close() {
      flush();
      for (let waited = 0; isSlow && waited < PATIENCE; waited += LOOK) {
        const { length } = waiting;
        await host.sleep(LOOK);
        flush();
        if (waiting.length < length) waited = 0;
      }
      if (waiting !== '') tell('its reader did not take every line');
      // A turn that is still to come must not write them into a file that is opened by then under the same number.
      waiting = '';
      if (name !== STDERR) closeSync(file);
    },
  };
}

function opened(name: string, host: Pick<Host, 'cwd'>): { file: number; isFile: boolean } {
  if (name === STDERR) return { file: 2, isFile: false };
  if (NO_LOGS.includes(name.trim()))
    throw new Failure(
      'usage',
      `--log cannot be ${JSON.stringify(name)}: stdout is for the result; nothing was sent. Give it the name of a file, or ${STDERR}`,
    );
  const path = absolutePath(name, host);
  let file: number;
  let isFile: boolean;
  let isOurs: boolean;
  try {
    ({ file, isFile } = openFile(path));
    isOurs = !isFile || beginsAsLog(file);
  } catch (error) {
    throw refuse(name, unwritableBecause(error), error);
  }
  if (isOurs) return { file, isFile };
  closeSync(file);
  throw refuse(name, 'there is another file of this name, which is not a log of waybill');
}

function openFile(path: string): { file: number; isFile: boolean } {
  const present = statSync(path, { throwIfNoEntry: false });
  const isFile = present === undefined || present.isFile();
  // Not readable for everybody: there are order numbers in it.
  return { file: openSync(path, isFile ? FLAGS : TO_PIPE, 0o640), isFile };
}

/** Is it empty, or a log? An input that is named by mistake must not be written to. */
function beginsAsLog(file: number): boolean {
  const bytes = Buffer.alloc(BEGINNING.length);
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return length === 0 || bytes.toString('utf8', 0, length) === BEGINNING;
}

function endsWhole(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last.toString() === '\n';
}

const refuse = (name: string, why: string, cause?: unknown): Failure =>
  new Failure(
    'storage',
    `the log ${name} cannot be written: ${why}; nothing was sent. Name another file with --log or WAYBILL_LOG`,
    {},
    { cause },
  );
