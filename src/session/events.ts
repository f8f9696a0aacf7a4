// What happens during a command is told here, once: for the log, and for --verbose.
import { Failure } from '../errors.ts';
import { absolutePath } from '../folder.ts';
import type { Host } from '../host.ts';
import { retryWords } from '../http/retry.ts';
import type { Exchange, Purpose } from '../http/transport.ts';
import { shownExchange, shownRequest, type WireEvent } from '../http/watch.ts';
import type { Diagnostics } from '../output/diagnostics.ts';
import { safeJson } from '../output/safe.ts';
import { setting } from '../profile/environment.ts';
import type { LogLine } from '../schemas.ts';
import type { Globals } from './globals.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { isOwnFile } from './own-files.ts';
import type { RunAndActor } from './run-and-actor.ts';

/** A line of the log, without what every line has. */
export type LogEntry = Pick<LogLine, 'event' | 'level'> & Partial<LogLine>;

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
  const log = (entry: LogEntry) =>
    file?.write(
      safeJson({
        ...{ time: new Date(host.now()).toISOString(), level: entry.level, event: entry.event, run, actor },
        ...{ process: host.process.id, ...NOTHING_KNOWN, ...entry },
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
  ...{ operation: null, key: null, booking: null, attempt: null, httpStatus: null },
  ...{ durationMs: null, wait: null, error: null, requestId: null },
};

function entryOf(event: Exclude<WireEvent, { event: 'sending' }>): LogEntry {
  if (event.event === 'retry') {
    const { purpose, retry } = event;
    const { status = null, wait, why } = retry;
    return {
      ...{ level: 'warning', event: 'retry', ...namesOf(purpose) },
      ...{ httpStatus: status, wait: Math.round(wait), error: why },
    };
  }
  const { request, exchange, ms } = event;
  const { status, fault } = resultOf(exchange);
  // A redirect of a label's link is followed, and one of a booking says nothing about it.
  const isFine = status !== null && status < (request.purpose.booking === undefined ? 400 : 300);
  return {
    ...{ level: fault === null && isFine ? 'info' : 'warning', event: 'request' },
    ...namesOf(request.purpose),
    ...{ httpStatus: status, durationMs: Math.round(ms), error: fault },
  };
}

const namesOf = ({ operation, key, booking, attempt, requestId }: Purpose) => ({
  ...{ operation, key: key ?? null, booking: booking ?? null, attempt, requestId: requestId ?? null },
});

const resultOf = (exchange: Exchange) => ({
  status: exchange.kind === 'answer' ? exchange.status : null,
  fault: exchange.fault ?? null,
});
