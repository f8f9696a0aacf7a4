// What happens during a command is told here, once: for the log, and for --verbose.
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { Failure, systemCode, unwritableBecause } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { parseJson } from '../json.ts';
import type { Diagnostics } from '../output/print.ts';
import type { LogLine } from '../output/schemas.ts';
import { safeJson } from '../output/text.ts';
import { setting } from '../profile/environment.ts';
import type { Exchange } from '../service/response.ts';
import { retryWords, type WireEvent } from '../service/service.ts';
import type { Outgoing, Purpose } from '../service/transport.ts';
import { isOwnFile } from './files.ts';
import type { Globals } from './globals.ts';
import type { RunAndActor } from './run-and-actor.ts';

/** A line of the log, without what every line has. */
type LogEntry = Pick<LogLine, 'event' | 'level'> & Partial<LogLine>;

export interface Events {
  log(entry: LogEntry): void;
  wire(event: WireEvent): void;
  /** The file of --log. */
  readonly logName: string | undefined;
  /** Does a person read every request on stderr? */
  readonly isVerbose: boolean;
  /** Does anybody read of every request, there or in the log? */
  readonly isWatched: boolean;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

/** Throws `storage` if the log cannot be written, `usage` if it can be none. */
export function createEvents(
  host: Host,
  globals: Pick<Globals, 'log' | 'verbose'>,
  { trace, note, warn }: Pick<Diagnostics, 'trace' | 'note' | 'warn'>,
  { run, actor }: RunAndActor,
): Events {
  const name = globals.log ?? setting(host.env, 'WAYBILL_LOG');
  // A log that is new would take the place of the journal, and an empty file could be a part of it.
  if (name !== undefined && isOwnFile(absolutePath(name, host), host))
    throw new Failure(
      'usage',
      `--log cannot be ${JSON.stringify(name)}: that is a file of waybill's journal or config; nothing was sent. Name another file with --log or WAYBILL_LOG`,
    );
  const isVerbose = globals.verbose === true || setting(host.env, 'WAYBILL_DEBUG') !== undefined;
  const file: LogFile | undefined =
    name === undefined
      ? undefined
      : openLogFile(
          name,
          host,
          why => void warn(`the log ${name} cannot be written: ${why}. The command continues without it`),
        );
  const log = ({ level, event, ...facts }: LogEntry) =>
    file?.write(
      safeJson({
        time: new Date(host.now()).toISOString(),
        level,
        event,
        run,
        actor,
        process: host.process.id,
        ...NOTHING_KNOWN,
        ...facts,
      } satisfies LogLine),
    );
  return {
    logName: name,
    isVerbose,
    isWatched: isVerbose || name !== undefined,
    log,
    wire(event) {
      if (event.event !== 'sending') log(entryOf(event));
      // If this process is killed, the operator of the service can still find the request.
      else if (event.request.purpose.booking !== undefined && event.request.purpose.requestId !== undefined)
        log({ level: 'info', event: 'sending', ...namesOf(event.request.purpose) });
      if (!isVerbose) return;
      if (event.event === 'retry') return void note(retryWords(event.retry));
      const shown =
        event.event === 'sending'
          ? shownRequest(event.request)
          : shownExchange(event.request, event.exchange);
      if (shown) void trace(shown);
    },
    close: async () => file?.close(),
  };
}

const NOTHING_KNOWN = {
  profile: null,
  sandbox: null,
  operation: null,
  key: null,
  booking: null,
  attempt: null,
  httpStatus: null,
  durationMs: null,
  wait: null,
  carrier: null,
  price: null,
  currency: null,
  shipmentId: null,
  error: null,
  requestId: null,
};

function entryOf(event: Exclude<WireEvent, { event: 'sending' }>): LogEntry {
  if (event.event === 'retry') {
    const { status = null, wait, why } = event.retry;
    return {
      level: 'warning',
      event: 'retry',
      ...namesOf(event.purpose),
      httpStatus: status,
      wait: Math.round(wait),
      error: why,
    };
  }
  const { request, exchange, ms } = event;
  const status = exchange.kind === 'answer' ? exchange.status : null;
  const { fault = null } = exchange;
  // A redirect of a label's link is followed, and one of a booking says nothing about it.
  const isFine = status !== null && status < (request.purpose.booking === undefined ? 400 : 300);
  return {
    level: fault === null && isFine ? 'info' : 'warning',
    event: 'request',
    ...namesOf(request.purpose),
    httpStatus: status,
    durationMs: Math.round(ms),
    error: fault,
  };
}

const namesOf = ({ operation, key, booking, attempt, requestId }: Purpose) => ({
  operation,
  key: key ?? null,
  booking: booking ?? null,
  attempt,
  requestId: requestId ?? null,
});

// What --verbose shows.

/** A part of an exchange with its secrets masked: for people, and as a JSON line. */
interface Shown {
  text: string;
  json: object;
}

function shownRequest({ method, url, headers, body = '', purpose }: Outgoing): Shown | undefined {
  const { redactor } = purpose;
  if (redactor === undefined) return undefined;
  const parts = { headers: redactor.headers(headers), body: redactor.body(body) };
  const address = redactor.text(url.href);
  return {
    text: written('>', `${method} ${address}`, parts),
    json: { request: { ...idsOf(purpose), method, url: address, ...inJson(parts) } },
  };
}

function shownExchange({ purpose }: Outgoing, exchange: Exchange): Shown | undefined {
  const { redactor, isSecret } = purpose;
  if (redactor === undefined) return undefined;
  const names = idsOf(purpose);
  if (exchange.kind === 'none') {
    const { fault, sent } = exchange;
    return {
      text: `< no answer: ${fault} (${sent ? '' : 'not '}sent)`,
      json: { response: { ...names, status: null, sent, fault } },
    };
  }
  const { status, fault = null } = exchange;
  const head = `${status}${fault === null ? '' : ` (${fault})`}`;
  if (isSecret)
    return {
      text: `< ${head} (its body is not shown)`,
      json: { response: { ...names, status, sent: true, fault } },
    };
  const parts = { headers: redactor.headers(exchange.headers), body: redactor.body(exchange.text) };
  return {
    text: written('<', head, parts),
    json: { response: { ...names, status, sent: true, fault, ...inJson(parts) } },
  };
}

const idsOf = ({ operation, attempt, requestId }: Purpose) => ({
  operation,
  attempt,
  requestId: requestId ?? null,
});

interface Parts {
  headers: Record<string, string>;
  body: string;
}

const inJson = ({ headers, body }: Parts) => ({
  headers,
  body: body === '' ? null : (parseJson(body) ?? body),
});

const written = (sign: string, head: string, { headers, body }: Parts): string =>
  [
    `${sign} ${head}`,
    ...Object.entries(headers).map(([name, value]) => `${sign} ${name}: ${value}`),
    ...(body === '' ? [] : [body]),
  ].join('\n');

// The file of --log: JSON lines. Several processes may share it, because each write appends whole lines.

interface LogFile {
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
function openLogFile(
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
