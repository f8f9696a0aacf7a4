// The first pass over the input of a batch: everything is validated, and compared with the journal, before anything is
// sent.
import { createHash } from 'node:crypto';
import type { Input, InputRecord, Piece } from '../batch/input.ts';
import type { Spool, Waiting } from '../batch/spool.ts';
import type { Booking, Journal } from '../booking/journal.ts';
import type { Issue } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { stopIfInterrupted } from '../http/client.ts';
import { type ResultLine, recordedLine, resultLine } from './batch-line.ts';
import { recordSession } from './batch-record.ts';
import type { Job, Prepared } from './job.ts';
import type { Session } from './session.ts';

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
  /** What holds for every record beside its text: a record under other options is another one. */
  terms: string;
  retryRejected: boolean;
  /** Keeps the text of records with them. */
  keepText: boolean;
  /** Told of each record whose end is known without sending anything. */
  ended(line: ResultLine, piece: Piece): void;
  /** Told of each doubt, with the line. */
  doubt(line: number, warning: string): void;
}

/** Reads the whole input; what is left to be sent waits in the spool. Throws what ends the reading. */
export async function readAll<O>(settings: ReadSettings<O>): Promise<void> {
  let chunk: Piece[] = [];
  for await (const piece of settings.input.pieces) {
    chunk.push(piece);
    if (chunk.length < CHUNK) continue;
    stopIfInterrupted(settings.session.host);
    await readChunk(settings, chunk);
    chunk = [];
  }
  await readChunk(settings, chunk);
}

interface Read extends Pick<Prepared, 'key' | 'source'> {
  piece: Piece;
  /** The booking that this very text made under these terms. */
  made?: Booking | undefined;
  prepared?: Pick<Prepared, 'body' | 'fingerprint'>;
  faults: Issue[];
}

async function readChunk<O>(settings: ReadSettings<O>, pieces: readonly Piece[]): Promise<void> {
  const { session, spool, journal, job, options } = settings;
  const sources = pieces.map(({ text }) => sourceOf(settings.terms, text));
  const goesOn = job.goesOn?.(options) ?? false;
  const before =
    journal && !goesOn
      ? await journal.recall(session.scope(), 'source', sources)
      : new Map<string, Booking>();
  const read: Read[] = [];
  for (const [index, piece] of pieces.entries()) {
    const source = sources[index] ?? '';
    const made = before.get(source);
    // What was created of the same text needs no second look.
    if (made?.state === 'created' && made.operation === job.operation.command)
      read.push({ piece, source, key: made.key ?? settings.input.read(piece).key, made, faults: [] });
    else read.push(await readOne(settings, piece, source));
  }
  noteKeys(settings, read);
  const known = await knownBookings(settings, read);
  const waiting: Waiting[] = [];
  for (const one of read) {
    const line = endOf(settings, one, known);
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

const sourceOf = (terms: string, text: string): string =>
  createHash('sha256').update(terms).update('\n').update(text).digest('base64');

async function readOne<O>(settings: ReadSettings<O>, piece: Piece, source: string): Promise<Read> {
  const { session, job, options, input, keyColumn } = settings;
  const record: InputRecord = input.read(piece);
  const { key, value } = record;
  const faults = [...record.faults];
  if (job.keyed && key === undefined)
    faults.push({ path: keyColumn, message: 'is required: your own name for the order, such as its number' });
  const quiet = recordSession(session, job, () => {});
  try {
    const prepared = await job.prepare(quiet.session, options, { key, value });
    for (const warning of quiet.warnings) settings.doubt(piece.line, warning);
    return { piece, source, key, prepared, faults };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'internal') throw error;
    const { issues = [] } = error.facts;
    const told = new Set(faults.map(({ path }) => path));
    const more = issues.length > 0 ? issues : [{ path: '', message: error.message }];
    return { piece, source, key, faults: [...faults, ...more.filter(({ path }) => !told.has(path))] };
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
  for (const [index, first] of spool.note(keyed).entries())
    if (first !== undefined)
      keyed[index]?.faults.push({
        path: keyColumn,
        message: `is on line ${first} already; each record needs a key of its own`,
      });
}

async function knownBookings<O>(
  { session, job, journal }: ReadSettings<O>,
  read: readonly Read[],
): Promise<Map<string, Booking>> {
  const { keySpace } = job.operation;
  const keys = read.flatMap(({ key, made }) => (key === undefined || made ? [] : [key]));
  return journal && keySpace !== null && keys.length > 0
    ? journal.recall(session.scope(), { keySpace }, keys)
    : new Map();
}

/** The line of a record that is not to be sent; `undefined` for one that is. */
function endOf<O>(
  { session, job, options, retryRejected }: ReadSettings<O>,
  { piece, key, made, prepared, faults }: Read,
  known: ReadonlyMap<string, Booking>,
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
  const booking = made ?? (key === undefined ? undefined : known.get(key));
  if (booking === undefined || booking.state === 'not_sent' || booking.state === 'pending') return undefined;
  const same =
    made !== undefined ||
    (booking.operation === operation.command && booking.fingerprint === prepared?.fingerprint);
  if (booking.state === 'rejected') {
    // What was refused for another reason than what it says may go through now, and so may what somebody found not to
    // have been created; what was mended is another request.
    const final =
      same && booking.httpStatus !== null && !['unauthorized', 'rate_limited'].includes(booking.code ?? '');
    return final && !retryRejected ? recordedLine(place, operation, booking) : undefined;
  }
  if (booking.state === 'unknown') return recordedLine(place, operation, booking);
  if (same) return job.goesOn?.(options) ? undefined : recordedLine(place, operation, booking);
  return ending(
    'duplicate',
    new Failure(
      'duplicate',
      `the key ${JSON.stringify(key)} was booked with other input, as ${booking.id}; it was not sent again`,
      { booking: booking.id },
    ),
  );
}
