// The first pass over the input of a batch: everything is validated, and compared with the journal, before anything is
// sent.
import { hash } from 'node:crypto';
import type { Issue } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { stopIfInterrupted } from '../../http/client.ts';
import { hasSameInput } from '../../journal/imported.ts';
import type { Booking, Journal } from '../../journal/journal.ts';
import { keyFault } from '../../orders/book-once.ts';
import type { RequestParts } from '../../orders/request.ts';
import type { Session } from '../../session/session.ts';
import type { Input, ParsedRecord, RawRecord } from '../source.ts';
import type { Job, PreparedRecord } from './job.ts';
import { knownBookings } from './known.ts';
import { type RecordSession, recordSessions } from './record-session.ts';
import { type ResultLine, recordedLine, resultLine } from './result-line.ts';
import type { QueuedRecord, Spool } from './spool.ts';

/** Records that are looked up and noted together. */
const CHUNK = 200;

export interface ReadSettings<O> {
  session: Session;
  job: Job<O>;
  options: O;
  input: Input;
  spool: Spool;
  /** Of operations that book. */
  journal: Journal | undefined;
  keyColumn: string;
  /** What a body is built upon; absent for what has none. */
  common: RequestParts | undefined;
  /** What holds for every record beside its text: a record under other options is another one. */
  terms: string;
  retryRejected: boolean;
  /** Keeps the text of records with them. */
  keepText: boolean;
  /** Told of each record whose end is known without sending anything. */
  ended(line: ResultLine, piece: RawRecord): void;
  /** Told of each doubt, with the line. */
  warn(line: number, warning: string): void;
}

/** Reads the whole input; what is left to be sent waits in the spool. Throws what ends the reading. */
export async function readAll<O>(settings: ReadSettings<O>): Promise<void> {
  const { session, job } = settings;
  const reading = { ...settings, sessionFor: recordSessions(session, job, () => {}) };
  let chunk: RawRecord[] = [];
  for await (const piece of settings.input.records) {
    chunk.push(piece);
    if (chunk.length < CHUNK) continue;
    stopIfInterrupted(session.host);
    await readChunk(reading, chunk);
    chunk = [];
  }
  await readChunk(reading, chunk);
}

interface Reading<O> extends ReadSettings<O> {
  sessionFor(): RecordSession;
}

/** A record, as it stands in the input. */
interface Begun extends Pick<PreparedRecord, 'source'> {
  piece: RawRecord;
  /** Of one that has to have a key: what it says. */
  record: ParsedRecord | undefined;
}

interface Read extends Pick<PreparedRecord, 'key' | 'source'> {
  piece: RawRecord;
  /** What is known of it: the booking that this very text made under these terms, else that of its key. */
  booking?: Booking | undefined;
  made: boolean;
  prepared?: Pick<PreparedRecord, 'body' | 'fingerprint'>;
  faults: Issue[];
}

async function readChunk<O>(settings: Reading<O>, pieces: readonly RawRecord[]): Promise<void> {
  const { spool, job, options, input, terms } = settings;
  const goesOn = job.hasFollowUp?.(options) ?? false;
  const begun = pieces.map(
    (piece): Begun => ({
      piece,
      source: sourceOf(terms, piece.text),
      record: job.requiresKey ? input.parse(piece) : undefined,
    }),
  );
  const named = begun.map(({ source, record }) => ({ source, key: record?.key }));
  const bookingOf = await knownBookings(settings, named);
  const read: Read[] = [];
  for (const one of begun) {
    const { piece, source, record } = one;
    const booking = bookingOf({ source, key: record?.key });
    // What was created of the same text needs no second look.
    const made =
      !goesOn &&
      booking?.state === 'created' &&
      booking.source === source &&
      booking.operation === job.operation.command;
    if (made)
      read.push({ piece, source, key: (record ?? input.parse(piece)).key, booking, made, faults: [] });
    else read.push({ ...(await readOne(settings, one)), booking: job.requiresKey ? booking : undefined });
  }
  noteKeys(settings, read);
  const waiting: QueuedRecord[] = [];
  for (const one of read) {
    const line = endOf(settings, one);
    if (line) settings.ended(line, one.piece);
    else if (one.prepared)
      waiting.push({
        ...one.prepared,
        ...{ line: one.piece.line, key: one.key, source: one.source },
        text: settings.keepText ? one.piece.text : undefined,
      });
  }
  spool.add(waiting);
}

const sourceOf = (terms: string, text: string): string => hash('sha256', `${terms}\n${text}`, 'base64');

async function readOne<O>(settings: Reading<O>, { piece, source, record }: Begun): Promise<Read> {
  const { job, options, input, keyColumn } = settings;
  const { key, value, issues: written } = record ?? input.parse(piece);
  const faults = [...written];
  if (job.requiresKey && key === undefined)
    faults.push({ path: keyColumn, message: 'is required: your own name for the order, such as its number' });
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined) faults.push({ path: keyColumn, message: fault });
  const quiet = settings.sessionFor();
  try {
    const prepared = await job.prepare(quiet.session, options, { key, value }, settings.common);
    for (const warning of quiet.warnings) settings.warn(piece.line, warning);
    return { piece, source, key, made: false, prepared, faults };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'internal') throw error;
    const { issues = [] } = error.facts;
    const told = new Set(faults.map(({ path }) => path));
    const more = issues.length > 0 ? issues : [{ path: '', message: error.message }];
    const all = [...faults, ...more.filter(({ path }) => !told.has(path))];
    return { piece, source, key, made: false, faults: all };
  }
}

/** A key names one record of the input. */
function noteKeys(
  { spool, keyColumn }: Pick<ReadSettings<never>, 'spool' | 'keyColumn'>,
  read: readonly Read[],
): void {
  const keyed = read.flatMap(({ key, piece: { line }, faults }) =>
    key === undefined ? [] : { key, line, faults },
  );
  for (const [index, first] of spool.noteKeys(keyed).entries())
    if (first !== undefined)
      keyed[index]?.faults.push({
        path: keyColumn,
        message: `is on line ${first} already; each record needs a key of its own`,
      });
}

/** The line of a record that is not to be sent; `undefined` for one that is. */
function endOf<O>(
  { session, job, options, retryRejected }: ReadSettings<O>,
  { piece, key, booking, made, prepared, faults }: Read,
): ResultLine | undefined {
  const { operation } = job;
  const place = { key, line: piece.line };
  const { sandbox } = session.target();
  const ending = (state: string, failure: Failure) =>
    resultLine(place, { state, exitCode: failure.exitCode, sent: false, sandbox, failure });
  if (faults.length > 0)
    return ending(
      'invalid',
      new Failure('invalid_request', `line ${piece.line} is not valid; it was not sent`, { issues: faults }),
    );
  if (booking === undefined || booking.state === 'not_sent' || booking.state === 'pending') return undefined;
  const same = made || hasSameInput(booking, operation.command, prepared?.fingerprint);
  if (booking.state === 'rejected') {
    // What was refused for another reason than what it says may go through now, and so may what somebody found not to
    // have been created; what was mended is another request.
    const final =
      same && booking.httpStatus !== null && !['unauthorized', 'rate_limited'].includes(booking.code ?? '');
    return final && !retryRejected ? recordedLine(place, operation, booking) : undefined;
  }
  if (booking.state === 'unknown') return recordedLine(place, operation, booking);
  if (same) return job.hasFollowUp?.(options) ? undefined : recordedLine(place, operation, booking);
  return ending(
    'duplicate',
    new Failure(
      'duplicate',
      `the key ${JSON.stringify(key)} was booked with other input, as ${booking.id}; it was not sent again`,
      { booking: booking.id },
    ),
  );
}
