// Tells what happens during a command, each event once: in the log, with --verbose, and, for bookings, to programs.
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { type Booking, existsAs, type Labelled, LEASE_MS } from '../booking/booking.ts';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import type { Host } from '../host.ts';
import { parseJson } from '../json.ts';
import type { BookingLine } from '../output/columns.ts';
import type { Diagnostics, Printer } from '../output/print.ts';
import type { LogLine } from '../output/schemas.ts';
import { safeJson } from '../output/text.ts';
import { recordedProfile, type Target } from '../profile/target.ts';
import type { Message, Notice } from '../say/notices.ts';
import { personWords } from '../say/person.ts';
import { attemptText, type WireFault, wireFaultText } from '../say/service.ts';
import type { Exchange } from '../service/response.ts';
import type { WireEvent } from '../service/service.ts';
import type { Outgoing, Purpose } from '../service/transport.ts';
import { systemCode, unwritableBecause } from '../system-errors.ts';
import { isOwnFile } from './files.ts';
import { flagOrVariable, type Globals, showsExchange } from './globals.ts';

/** What each booking and each line of the log is recorded with. */
export interface RunAndActor {
  /** The run of the command; `null` if nothing names the run. */
  run: string | null;
  /** Who runs the command. */
  actor: string;
}

/** A line of the log, without the fields that every line has. */
type LogEntry = Pick<LogLine, 'event' | 'level'> & Partial<Omit<LogLine, 'notice'>> & { notice?: Notice };

export interface Events {
  log(entry: LogEntry): void;
  wire(event: WireEvent): void;
  /** Tells the user, once, that this command waits for a booking that another process is sending. */
  noteWait(booking: Booking): void;
  /** The name of the file of --log. */
  readonly logName: string | undefined;
  /** Does stderr show every request to a person? */
  readonly isVerbose: boolean;
  /** Is every request told, on stderr or in the log? */
  readonly isWatched: boolean;
  close(): void;
}

/**
 * Throws `storage` if the log cannot be written, `usage` if the file cannot be a log. `knownTarget`: gives `undefined` as long as the
 * command has asked for no target.
 */
export function createEvents(
  host: Host,
  globals: Pick<Globals, 'log' | 'verbose'>,
  diagnostics: Pick<Diagnostics, 'trace' | 'note' | 'warn'>,
  who: RunAndActor,
  knownTarget: () => Target | undefined,
): Events {
  const { trace, note, warn } = diagnostics;
  const name = flagOrVariable(globals, host.env, 'log');
  // A new log could take the place of the journal, and an existing empty file could be a part of the journal.
  if (name !== undefined && isOwnFile(absolutePath(name, host), host))
    throw new Failure('usage', { kind: 'log-is-own-file', path: name });
  const isVerbose = showsExchange(globals, host.env);
  const file = name === undefined ? undefined : openLogFile(name, host, notice => void warn(notice));
  let isWaitTold = false;
  const log = (entry: LogEntry) => {
    const { level, event, notice, ...facts } = entry;
    const target = knownTarget();
    file?.write(
      safeJson({
        time: new Date(host.now()).toISOString(),
        level,
        event,
        run: who.run,
        actor: who.actor,
        process: host.process.id,
        ...NOTHING_KNOWN,
        ...(target && { profile: recordedProfile(target), sandbox: target.sandbox }),
        ...facts,
        ...(notice && { notice: ownFacts(notice) as { kind: string } }),
      } satisfies LogLine),
    );
  };
  return {
    logName: name,
    isVerbose,
    isWatched: isVerbose || name !== undefined,
    log,
    wire(event) {
      if (event.event !== 'sending') log(entryOf(event));
      // If this process is killed, the operator of the service can still find the request.
      else if (event.request.purpose.booking !== undefined && event.request.purpose.requestId !== undefined)
        log({ level: 'info', event: 'sending', ...purposeNames(event.request.purpose) });
      if (!isVerbose) return;
      if (event.event === 'retry') return void note({ kind: 'trying-again', ...event.retry });
      const { redactor } = event.request.purpose;
      if (redactor === undefined) return;
      if (event.event === 'sending') void trace(shownRequest(event.request, redactor));
      else void trace(shownExchange(event.request, event.exchange, redactor));
    },
    noteWait({ id, key, holder: { process, user, host: machine } }) {
      if (isWaitTold) return;
      isWaitTold = true;
      const mostSeconds = LEASE_MS / 1000;
      void note({ kind: 'waiting-for-process', process, user, machine, booking: id, key, mostSeconds });
    },
    close: () => file?.close(),
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

/**
 * The fields of a notice whose texts are ours, or name a booking. The text of any other field may come from a customer or from the
 * service, and is not written to a log.
 */
const OWN_TEXTS: ReadonlySet<string> = new Set(
  `kind operation command booking otherBooking key otherKey shipment shipments state code at until freeAt leg legs option options
  variable setting doubt like fault problem because of passes breaks carrier currency amount limit path fields missing`.split(
    /\s+/,
  ),
);

/** A notice without texts that are not ours. `name`: the field that has the value. */
function ownFacts(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return OWN_TEXTS.has(name) ? value : undefined;
  if (Array.isArray(value)) return value.flatMap(element => ownFacts(element, name) ?? []);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, ownFacts(inner, field)]));
}

/** The printer, which now also writes a line to the log for each notice. */
export function loggedPrinter(printer: Printer, events: Pick<Events, 'log'>): Printer {
  const logged = (event: 'warning' | 'note', message: Message) => {
    if (typeof message !== 'string')
      events.log({ event, level: event === 'note' ? 'info' : 'warning', notice: message });
  };
  return {
    ...printer,
    note(message, lines) {
      logged('note', message);
      return printer.note(message, lines);
    },
    warn(message, options) {
      logged('warning', message);
      return printer.warn(message, options);
    },
  };
}

function entryOf(event: Exclude<WireEvent, { event: 'sending' }>): LogEntry {
  if (event.event === 'retry') {
    const { status = null, wait } = event.retry;
    return {
      level: 'warning',
      event: 'retry',
      ...purposeNames(event.purpose),
      httpStatus: status,
      wait: Math.round(wait),
      error: personWords(attemptText(event.retry)),
    };
  }
  const { request, exchange, ms } = event;
  const status = exchange.kind === 'answer' ? exchange.status : null;
  const { fault = null } = exchange;
  // A redirect of the link to a label is followed, and is no fault. A redirect of a booking says nothing about the booking.
  const isFine = status !== null && status < (request.purpose.booking === undefined ? 400 : 300);
  return {
    level: fault === null && isFine ? 'info' : 'warning',
    event: 'request',
    ...purposeNames(request.purpose),
    httpStatus: status,
    durationMs: Math.round(ms),
    error: fault && wireWords(fault),
  };
}

const purposeNames = ({ operation, key, booking, attempt, requestId }: Purpose) => ({
  operation,
  key: key ?? null,
  booking: booking ?? null,
  attempt,
  requestId: requestId ?? null,
});

// What --verbose shows: a part of an exchange with its secrets masked, for people and as a JSON line.

type Redactor = NonNullable<Purpose['redactor']>;

function shownRequest(request: Outgoing, redactor: Redactor) {
  const { method, url, headers, body, purpose } = request;
  const address = redactor.text(url.href);
  const { text, json } = masked('>', `${method} ${address}`, { headers, text: body ?? '' }, redactor);
  return { text, json: { request: { ...attemptIds(purpose), method, url: address, ...json } } };
}

function shownExchange(request: Outgoing, exchange: Exchange, redactor: Redactor) {
  const names = attemptIds(request.purpose);
  const fault = exchange.fault ? wireWords(exchange.fault) : null;
  if (exchange.kind === 'none') {
    const { sent } = exchange;
    return {
      text: `< no answer: ${fault} (${sent ? '' : 'not '}sent)`,
      json: { response: { ...names, status: null, sent, fault } },
    };
  }
  const { status } = exchange;
  const head = `${status}${fault === null ? '' : ` (${fault})`}`;
  const { text, json } = request.purpose.isSecret
    ? { text: `< ${head} (its body is not shown)` }
    : masked('<', head, exchange, redactor);
  return { text, json: { response: { ...names, status, sent: true, fault, ...json } } };
}

const wireWords = (fault: WireFault): string => personWords(wireFaultText(fault));

const attemptIds = ({ operation, attempt, requestId }: Purpose) => ({
  operation,
  attempt,
  requestId: requestId ?? null,
});

function masked(
  sign: string,
  head: string,
  message: { headers: Record<string, string>; text: string },
  redactor: Redactor,
) {
  const shown = redactor.headers(message.headers);
  const body = redactor.body(message.text);
  const lines = [head, ...Object.entries(shown).map(([name, value]) => `${name}: ${value}`)];
  return {
    text: [...lines.map(line => `${sign} ${line}`), ...(body === '' ? [] : [body])].join('\n'),
    json: { headers: shown, body: body === '' ? null : (parseJson(body) ?? body) },
  };
}

// The file of --log: JSON lines. Several processes may share it, because each write appends whole lines.

interface LogFile {
  /** Writes the line at once, so that the line is not lost however this process ends. */
  write(line: string): void;
  close(): void;
}

// Non-blocking, because a pipe without a reader must not stop the command. Windows has no such flag.
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
const TO_PIPE = constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/** Stderr as a log is written to by its number: under systemd stderr is a socket, which cannot be opened by this name. */
const STDERR = '/dev/stderr';

/** Names that no log can have: stdout holds the result, and the others would be a file with a strange name. */
const NO_LOGS = ['', '-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

/** How every line of a log begins. */
const BEGINNING = '{"time":"';

/** In ms: how long a write waits for a reader of the log that takes nothing. Much shorter than the lease of a claim. */
const PATIENCE = 5000;
const LOOK = 20;
/** Memory that never changes: waiting for a change of it pauses a write. */
const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));

/**
 * Throws `usage` for a name that no log can have, `storage` if the file cannot be opened, or is no log. If a later write fails,
 * there is a warning, and the log ends there.
 */
function openLogFile(name: string, host: Pick<Host, 'cwd'>, warn: (notice: Notice) => void): LogFile {
  const { file, isTorn } = openLog(name, host);
  let before = isTorn ? '\n' : '';
  let isOver = false;
  return {
    write(line) {
      let rest = Buffer.from(`${before}${line}\n`);
      before = '';
      for (let waited = 0; rest.length > 0 && !isOver; )
        try {
          rest = rest.subarray(writeSync(file, rest));
          waited = 0;
        } catch (error) {
          const isSlow = systemCode(error) === 'EAGAIN';
          if (isSlow && waited < PATIENCE) {
            Atomics.wait(NEVER_CHANGED, 0, 0, LOOK);
            waited += LOOK;
            continue;
          }
          isOver = true;
          const why = isSlow ? undefined : unwritableBecause(error);
          warn({ kind: 'log-ended', path: name, why });
        }
    },
    close() {
      // No write may follow: the system gives the number of a closed file to the next file that is opened.
      isOver = true;
      if (name !== STDERR) closeSync(file);
    },
  };
}

/** Opens the file of the log. `isTorn`: the file ends with a part of a line, perhaps written by an earlier process. */
function openLog(name: string, host: Pick<Host, 'cwd'>): { file: number; isTorn: boolean } {
  if (name === STDERR) return { file: 2, isTorn: false };
  if (NO_LOGS.includes(name.trim())) throw new Failure('usage', { kind: 'log-is-stdout', path: name });
  try {
    const path = absolutePath(name, host);
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
    // The file is not readable for everybody, because order numbers are in it.
    const file = openSync(path, isFile ? FLAGS : TO_PIPE, 0o640);
    const size = isFile ? fstatSync(file).size : 0;
    if (size === 0) return { file, isTorn: false };
    // Only a log is written to, and not, for example, an input file that is named by mistake.
    if (bytesAt(file, 0, BEGINNING.length) === BEGINNING)
      return { file, isTorn: bytesAt(file, size - 1, 1) !== '\n' };
    closeSync(file);
  } catch (error) {
    const why = unwritableBecause(error);
    throw new Failure('storage', { kind: 'log-unwritable', path: name, why }, {}, { cause: error });
  }
  throw new Failure('storage', { kind: 'log-is-other-file', path: name });
}

function bytesAt(file: number, at: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, length, at));
}

// What programs are told of the bookings of a command: a line each on stderr.

export interface BookingLines {
  /** A booking was sent, or its recorded answer is shown. */
  note(booking: Booking, sent: boolean, labelled: Labelled): void;
  /** A label of the booking with this id was saved. */
  addFile(id: string, path: string): void;
  /** Is one of the noted bookings booked, or may it be booked? */
  hasBooked(): boolean;
  /** Writes a line for each booking that was noted since the last call. */
  tell(): Promise<void>;
  /** All noted bookings, each shipment with its labels, as `-o record` shows a booking. `ids`: only these bookings. */
  records(ids?: Iterable<string>): Promise<BookingLine[]>;
  /** The record of the booking, if exactly one was noted; else the list of the records. */
  record(): Promise<BookingLine | BookingLine[]>;
}

/** What was noted of a booking. One booking may make the labels of two shipments, and is then noted for each. */
interface Noted {
  all: { booking: Booking; labelled: Labelled }[];
  sent: boolean;
  files: string[];
}

export function createBookingLines(diagnostics: Pick<Diagnostics, 'booking'>): BookingLines {
  const noted = new Map<string, Noted>();
  const untold = new Set<string>();

  async function lines(ids: Iterable<string>): Promise<BookingLine[]> {
    const wanted = [...new Set(ids)].flatMap(id => noted.get(id) ?? []);
    if (wanted.length === 0) return [];
    // Loaded only here: few commands book, and the module takes time to load.
    const { BOOKING, bookingRow } = await import('../output/columns.ts');
    return wanted.flatMap(({ all, sent, files }): BookingLine[] => {
      const rows = all.map(({ booking, labelled }) => {
        // The outcome of a pending booking is not awaited any more.
        const known = booking.state === 'pending' ? { ...booking, ...LEFT } : booking;
        const row = bookingRow(BOOKING, known, sent);
        const key = row.key ?? labelled.key;
        // A pruned booking does not say which shipments its labels belong to: then the noted shipments are told.
        return {
          ...row,
          key,
          shipmentIds: row.shipmentIds.length > 0 ? row.shipmentIds : [...labelled.shipments],
        };
      });
      const last = rows.at(-1);
      if (last === undefined) return [];
      const shipmentIds = [...new Set(rows.flatMap(row => row.shipmentIds))];
      return [{ ...last, shipmentIds, labelFiles: [...new Set([...last.labelFiles, ...files])] }];
    });
  }

  async function records(ids: Iterable<string> = noted.keys()): Promise<BookingLine[]> {
    const all = await lines(ids);
    const isLabelOf = (label: BookingLine, order: BookingLine) =>
      label.operation === 'label' &&
      order.operation !== 'label' &&
      label.shipmentIds.some(id => order.shipmentIds.includes(id));
    return all
      .filter(line => !all.some(order => isLabelOf(line, order)))
      .map(order => {
        const made = [order, ...all.filter(line => isLabelOf(line, order))];
        return {
          ...order,
          trackingNumbers: [...new Set(made.flatMap(line => line.trackingNumbers))],
          labelFiles: [...new Set(made.flatMap(line => line.labelFiles))],
        };
      });
  }

  return {
    note(booking, sent, labelled) {
      if (booking.state === 'not_sent') return;
      const before = noted.get(booking.id) ?? { all: [], sent: false, files: [] };
      noted.set(booking.id, {
        ...before,
        all: [...before.all, { booking, labelled }],
        sent: sent || before.sent,
      });
      untold.add(booking.id);
    },
    addFile(id, path) {
      const one = noted.get(id);
      if (one === undefined) return;
      one.files.push(path);
      untold.add(id);
    },
    hasBooked: () =>
      [...noted.values()].some(({ all }) => all.some(({ booking }) => existsAs(booking.state) !== false)),
    async tell() {
      const told = [...untold];
      untold.clear();
      for (const line of await lines(told)) await diagnostics.booking(line, existsAs(line.state));
    },
    records,
    async record() {
      const all = await records();
      return all.length === 1 && all[0] ? all[0] : all;
    },
  };
}

const LEFT = { state: 'unknown', code: 'outcome_unknown' } as const;
