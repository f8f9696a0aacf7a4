// A file of JSON lines that several processes may share: each write appends whole lines.
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { Failure, systemCode, unwritableBecause } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';

export interface LogFile {
  /** Gives the line to the system at once, so that no end of this process loses it. */
  write(line: string): void;
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

/** Lines for a reader that is too slow. */
const MOST_WAITING = 5000;

/** In ms: at the end a reader that takes nothing for so long is not waited for any more. */
const PATIENCE = 10_000;
const LOOK = 20;

/**
 * Throws `usage` for what no log can be, `storage` if the file cannot be opened, or is no log. `onFault` gets the reason,
 * once, if it cannot be written later: then the log ends there.
 */
export function openLogFile(
  name: string,
  host: Pick<Host, 'cwd' | 'sleep'>,
  onFault: (why: string) => void,
): LogFile {
  const { file, isFile } = opened(name, host);
  // The file ends with a part of a line, perhaps that of an earlier process.
  let isTorn = isFile && !endsWhole(file);
  /** What a pipe had no room for. A pipe takes a line as a whole or not at all, so each is written by itself. */
  let waiting: Buffer[] = [];
  let isOver = false;

  function stop(why: string): void {
    isOver = true;
    waiting = [];
    onFault(why);
  }

  function append(): void {
    try {
      for (let [line] = waiting; line !== undefined; [line] = waiting) {
        const written = writeSync(file, line);
        if (written < line.length) waiting[0] = line.subarray(written);
        else waiting.shift();
      }
    } catch (error) {
      if (systemCode(error) !== 'EAGAIN') stop(unwritableBecause(error));
      else if (waiting.length > MOST_WAITING) stop('its reader is too slow');
    }
  }

  return {
    write(line) {
      if (isOver) return;
      waiting.push(Buffer.from(`${isTorn ? '\n' : ''}${line}\n`));
      isTorn = false;
      append();
    },
    async close() {
      for (let waited = 0; waiting.length > 0 && waited < PATIENCE; waited += LOOK) {
        const { length } = waiting;
        await host.sleep(LOOK);
        append();
        if (waiting.length < length) waited = 0;
      }
      if (waiting.length > 0) stop('its reader did not take every line');
      // The system gives the number of the file to the next one that is opened.
      isOver = true;
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
