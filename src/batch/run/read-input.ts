// The first pass over the input of a batch: every record is validated, and compared with the journal, before any is sent.

import { hash } from 'node:crypto';
import { type Booking, isMade, mayExist } from '../../booking/booking.ts';
import type { BookedOrder } from '../../booking/questions.ts';
import { isSameKey, keyFault, keyIdentity, mangledKeyFault } from '../../contract/key.ts';
import { isRecord } from '../../contract/paths.ts';
import type { Issue } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { stopIfInterrupted } from '../../host/signals.ts';
import { Json } from '../../json.ts';
import { bookedBefore } from '../../order/failure.ts';
import { isSettable, targetFlags } from '../../order/options.ts';
import { orderFacts } from '../../output/told.ts';
import { notAgainText, sameOrderWords, sameRecordText } from '../../say/booked.ts';
import { messageWords, personWords } from '../../say/person.ts';
import { heldWords, NO_RULE, unmetReleaseWords } from '../../say/rules.ts';
import { shown, someOf } from '../../text.ts';
import { withoutUnread } from '../cells.ts';
import type { ParsedRecord, RawRecord } from '../input-types.ts';
import type { ReadingWarning } from '../order-amounts.ts';
import { RECORD_COLUMN, unwrittenName, writtenName } from '../record-name.ts';
import { countedKinds } from './figures.ts';
import {
  collectWarnings,
  failedResult,
  type Preparation,
  type RecordSession,
  type RecordWarnings,
  recordSession,
} from './job.ts';
import {
  endRecord,
  type KnownRecord,
  lineNotSent,
  ordersOfMended,
  ordersOfRecords,
  whyNotSent,
} from './not-sent.ts';
import { type BatchRun, MAX_LISTED, RUN_OPTIONS, warnOfInput } from './open.ts';
import type { QueuedRecord } from './queue.ts';
import { lineState, recordedLine, resultLine } from './result-line.ts';
import { FaultGroups, labelsMade } from './tally.ts';

/** How many records are looked up and queued together. */
const CHUNK = 50;

interface Reading<O> extends BatchRun<O> {
  /** What is the same for every record, as text: the command, its options and the map. */
  terms: string;
  /** The session for records that are to be sent, and their warnings, which `--strict` makes errors. */
  fresh: { at: RecordSession; warnings: RecordWarnings };
  /** The session for records that are booked, without `--strict`. */
  booked: Reading<O>['fresh'];
  /** The issues of invalid records. */
  faults: FaultGroups;
  /** For each option that records set for themselves, a value that one of them has, unless it is off in all of them. */
  seen: Record<string, unknown>;
  /** The names of records that were mended. */
  mended: Set<string>;
}

/** A record that was read, prepared and looked up. */
type ReadRecord = ParsedRecord &
  KnownRecord & {
    raw: RawRecord;
    order: BookedOrder | undefined;
    issues: Issue[];
    /** Absent if the record is not valid, or needs no validation. */
    prepared?: Preparation;
    warnings: ReturnType<RecordWarnings['take']>;
    /** A warning that the same order is there under another key, too: it is shown if the record is to be sent. */
    twinWarning?: string;
  };

/**
 * Reads the whole input. Records for which nothing is to be sent get their lines, the others wait in the spool. Gives the failure
 * `invalid_request` if there are invalid records that are not to be skipped.
 */
export async function readInput<O extends object>(run: BatchRun<O>): Promise<Failure | undefined> {
  const { session, job, options } = run;
  const readingWith = (strict: boolean | undefined) => {
    const warnings = collectWarnings(session.printer, strict);
    return { at: recordSession(run, warnings), warnings };
  };
  const reading: Reading<O> = {
    ...run,
    terms: sharedTerms(run),
    fresh: readingWith(session.globals.strict),
    booked: readingWith(false),
    faults: new FaultGroups(),
    seen: {},
    mended: new Set(),
  };
  run.leftOut.sourceOf = text => sourceOf(termsAndHeader(reading), text);
  let chunk: RawRecord[] = [];
  for await (const raw of run.input.records) {
    chunk.push(raw);
    if (chunk.length < CHUNK) continue;
    stopIfInterrupted(session.host);
    await readChunk(reading, chunk);
    chunk = [];
  }
  await readChunk(reading, chunk);
  const records = reading.tally.ended + reading.spool.size;
  await run.leftOut.tell(session, records);
  warnOfInput(session, job.operation.command, run.leftOut.warnings);
  await noteNumbers(run);
  if (run.leftOut.count > 0 && records === 0)
    warnOfInput(session, job.operation.command, [
      `the map leaves out all orders of ${run.path}, so there is nothing to do`,
    ]);
  const unmet = run.work.rules?.unmet() ?? [];
  const named = [...run.leftOut.includeWarnings, ...unmet.map(unmetReleaseWords)];
  warnOfInput(session, job.operation.command, named, { always: true });
  const scattered = scatteredFailure(run);
  if (scattered) return scattered;
  await warnOfStopped(run);
  run.showWarnings(records);
  if (job.recordOptions) job.check?.({ ...options, ...reading.seen });
  return refuseInvalid(reading);
}

/** Says once which customs numbers are left out, and how many orders another carrier takes because they have no number. */
async function noteNumbers<O>(run: BatchRun<O>): Promise<void> {
  const { session, figures, spool } = run;
  const { leftNumbers, withoutEconomy } = figures.goods;
  const counts = countedKinds(leftNumbers);
  if (counts === '') return;
  const carriers =
    withoutEconomy > 0
      ? `. The economy carrier does not take ${withoutEconomy} of them without one: another carrier does`
      : '';
  await session.printer.note(
    `customs numbers that are for all orders are left out where they do not hold, of ${spool.size} orders: ${counts}${carriers}`,
  );
}

/** The failure of orders that the map leaves out on one line and keeps on another: they may be cancelled. */
function scatteredFailure<O>(run: BatchRun<O>): Failure | undefined {
  const { job, path } = run;
  const { scattered } = run.leftOut;
  if (scattered.length === 0) return undefined;
  const { command } = job.operation;
  const issues = scattered.slice(0, MAX_LISTED).map(({ key, line, first }) => ({
    path: `line ${line}`,
    message: `has ${JSON.stringify(key)}, which is on line ${first}`,
  }));
  return new Failure(
    'invalid_request',
    `batch ${command}: an order that the map leaves out is in ${path} again`,
    { hint: 'Remove one of them', operation: command, issues },
  );
}

/** Warns of booked orders that the shop has stopped since, as the map says: their parcels may leave today. */
async function warnOfStopped<O>(run: BatchRun<O>): Promise<void> {
  const { session, job, desk } = run;
  const { stopped } = run.leftOut;
  if (desk === undefined || !job.requiresKey || stopped.length === 0) return;
  const { command, keySpace } = job.operation;
  const identities = stopped.map(({ key }) => keyIdentity(key));
  const bookings = await desk.journal.latestBy(
    session.scope(),
    { keySpace: keySpace ?? command },
    identities,
  );
  const booked = stopped.flatMap(({ key, why, source }) => {
    const booking = bookings.get(keyIdentity(key));
    // An order that was booked just as it stands in the file was taken with --include: the shop had stopped it before.
    const isStopped =
      booking && booking.source !== source && (isMade(booking) || booking.state === 'unknown');
    return isStopped ? `${shown(key)} (${why})` : [];
  });
  if (booked.length === 0) return;
  warnOfInput(
    session,
    command,
    [
      `orders that the map leaves out are booked already: ${someOf(booked, MAX_STOPPED)}. Keep their parcels back, but for those that you took with --include, and ask the provider to cancel; \`waybill history cancelled REF --reason TEXT\` records that`,
    ],
    { always: true },
  );
}

/** How many orders a warning names. */
const MAX_STOPPED = 20;

async function refuseInvalid<O>(reading: Reading<O>): Promise<Failure | undefined> {
  const { session, job, options, path, tally, spool, faults } = reading;
  const { invalid = 0 } = tally.states;
  if (invalid === 0) return undefined;
  const { command } = job.operation;
  const records = tally.ended + spool.size;
  const message = `batch ${command}: ${invalid} of the ${records} records of ${path} ${invalid === 1 ? 'is' : 'are'} not valid`;
  if (!options.skipInvalid) {
    const { issues, covered } = faults.listed(records, MAX_LISTED);
    const { count } = faults;
    const toFile = options.failed === undefined ? ' and --failed FILE to write these to a file' : '';
    const hints = [
      invalid < records && `Fix them, or add --skip-invalid to send the others${toFile}`,
      count > covered && `The first ${covered} of ${count} problems:`,
    ];
    return new Failure('invalid_request', message, {
      operation: command,
      issues,
      hint: hints.filter(Boolean).join('. '),
    });
  }
  // Problems of skipped records are listed at the end, with the other failures.
  await session.printer.warn(
    `${message}, and ${invalid === 1 ? 'is' : 'are'} left out because of --skip-invalid`,
  );
  return undefined;
}

async function readChunk<O>(reading: Reading<O>, chunk: readonly RawRecord[]): Promise<void> {
  const { input, spool, seen } = reading;
  for (const raw of chunk) reading.outputs.meet(input, raw);
  const shared = termsAndHeader(reading);
  const parsed = chunk.map(raw => ({
    raw,
    line: raw.line,
    source: sourceOf(shared, raw.text),
    ...input.parse(raw),
  }));
  for (const { options: own = {} } of parsed)
    for (const [name, value] of Object.entries(own)) if (value) seen[name] = value;
  const orderOf = await ordersOfRecords(reading, parsed);
  const records: ReadRecord[] = [];
  for (const record of parsed)
    records.push(await readRecord(reading, { ...record, order: orderOf(record), warnings: [] }));
  noteKeys(reading, records);
  noteNames(reading, records);
  await noteTwins(reading, records);
  const mended = await ordersOfMended(reading, records, reading.mended);
  const queued: QueuedRecord[] = [];
  for (const record of records) {
    warnOfRecord(reading, record);
    const order = mended.get(record);
    const waiting = order ? endMended(reading, record, order) : await endOrPrepared(reading, record);
    if (waiting === undefined) continue;
    const isOpen =
      reading.sends || !(await isCounted(reading, waiting, record.raw, (order ?? record.order)?.booking));
    if (!isOpen) continue;
    queued.push(waiting);
    if (order === undefined) countQueued(reading, record, waiting);
  }
  spool.add(queued);
}

/** Warns of a record. A record with problems has no warnings: nothing of it is sent. */
function warnOfRecord<O>(reading: Reading<O>, record: ReadRecord): void {
  const { key, line, issues, warnings, readingWarnings = [] } = record;
  for (const { text, always, shared } of issues.length > 0 ? [] : warnings) {
    const ofFile = readingWarnings.find(warning => textOf(warning) === text);
    const ofReading = typeof ofFile === 'object' ? { detail: ofFile.detail } : undefined;
    const ofRecord = shared ? { detail: shared.detail, alone: text } : ofReading;
    reading.warn({ line, key, ...ofRecord }, shared?.text ?? text, always);
  }
}

const textOf = (warning: ReadingWarning): string => (typeof warning === 'string' ? warning : warning.text);

/** Ends a record for which nothing is to be sent; gives any other record in the form in which it waits. */
async function endOrPrepared<O>(reading: Reading<O>, record: ReadRecord): Promise<QueuedRecord | undefined> {
  const { job, options, faults, labelJob, work } = reading;
  const { raw, line, key, order, prepared } = record;
  const why = whyNotSent(reading, record, order?.booking);
  if (why !== undefined) {
    const ended = await lineNotSent(reading, record, order, why);
    if (why === 'invalid') for (const issue of record.issues) faults.add({ line }, issue);
    if (why === 'held' && record.held) reading.warn({ line, key }, heldWords(record.held), true);
    endRecord(reading, ended, raw);
    labelJob.add(ended.line, work.hasFollowUp(record.options));
    return undefined;
  }
  if (prepared === undefined) throw new Error('a record without issues was not prepared');
  const { leftNumbers: _, ...request } = prepared;
  const itsName = job.requiresKey ? record.nameInFailed?.() : undefined;
  return {
    ...request,
    line,
    key,
    orderNumber: record.orderNumber,
    source: record.source,
    text: options.failed === undefined ? undefined : raw.text,
    recordName: record.recordName ?? (itsName && unwrittenName(itsName)),
    ...(order && isMade(order.booking) && { booked: order.booking.ids }),
  };
}

/** Counts a record that waits to be sent. */
function countQueued<O>(reading: Reading<O>, record: ReadRecord, queued: QueuedRecord): void {
  const { job, tally, figures } = reading;
  const { line, key = null, prepared, twinWarning } = record;
  if (twinWarning !== undefined) reading.warn({ line, key }, twinWarning, true);
  const warnings = [...record.warnings.map(({ text }) => text), twinWarning].filter(
    text => text !== undefined,
  );
  if (warnings.length > 0) tally.warned += 1;
  if (job.operation.keySpace === 'shipment' && queued.booked === undefined)
    figures.add({
      key,
      line,
      body: queued.body.value,
      warnings,
      leftNumbers: prepared?.leftNumbers ?? [],
      rule: reading.work.rules && (queued.rule ?? NO_RULE),
    });
}

/** In a dry run: counts a record of which nothing would be sent, because it is done or would be refused. */
async function isCounted<O>(
  reading: Reading<O>,
  record: QueuedRecord,
  raw: RawRecord,
  booking: Booking | undefined,
): Promise<boolean> {
  const { job, work, fresh, origin } = reading;
  const result = await work.recorded?.(fresh.at, work.orderOf(record), booking).catch(failedResult);
  if (result === undefined) return false;
  const state = lineState(job.operation, result);
  const line = resultLine(record, { ...origin, ...result, state, sent: false });
  endRecord(reading, { line, labels: labelsMade(result.facts) }, raw);
  return true;
}

/** Ends a mended record with its booking; but if a label is still to be made, gives the record in the form in which it waits. */
function endMended<O>(reading: Reading<O>, record: ReadRecord, order: BookedOrder): QueuedRecord | undefined {
  const { booking } = order;
  const { key, line, options, source, raw } = record;
  if (isMade(booking) && reading.work.hasFollowUp(options) && !reading.options.estimate) {
    const { request, fingerprint } = booking;
    return {
      line,
      key,
      source,
      options,
      fingerprint,
      text: undefined,
      body: new Json(request),
      needsProposal: false,
      mended: true,
      booked: booking.ids,
      bookedKey: booking.key ?? undefined,
    };
  }
  const ended = recordedLine(reading, { key, line, mended: isMade(booking) }, order);
  endRecord(reading, { line: ended, labels: orderFacts(order).labelled.length }, raw);
  return undefined;
}

/** The record with its request, or with what is wrong with it. */
async function readRecord<O>(reading: Reading<O>, record: ReadRecord): Promise<ReadRecord> {
  const { job, work } = reading;
  const booking = record.order?.booking;
  const isCreated = booking?.state === 'created' && booking.operation === job.operation.command;
  // A record that was created from this same text needs no validation, unless its rule may make a label.
  const isDone = isCreated && booking.source === record.source && !work.hasFollowUp(record.options);
  if (isDone && !work.rules?.mayLabel) return { ...record, issues: [] };
  const read: ReadRecord = {
    ...record,
    order: job.requiresKey ? record.order : undefined,
    issues: [...record.issues],
  };
  const { issues } = read;
  // A text that cannot be read at all keeps its one issue: else every field would be reported as missing, too.
  if (record.isMisread || (record.nameInFailed === undefined && issues.length > 0)) return read;
  noteKey(reading, read);
  const isBooked = booking && job.requiresKey && (isMade(booking) || booking.state === 'unknown');
  const { at, warnings } = isBooked ? reading.booked : reading.fresh;
  warnings.take();
  try {
    for (const warning of record.readingWarnings ?? []) await at.printer.warn(textOf(warning));
    const prepared = await work.prepare(at, record);
    const { body, fingerprint, held, options: own = record.options } = prepared;
    const ready = { ...read, ...(own && { options: own }), body, fingerprint, held, prepared };
    return { ...ready, warnings: warnings.take() };
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'internal') throw error;
    // A booked record does not become invalid by a rule of today.
    if (isDone) return { ...record, issues: [] };
    const { issues: reported = [] } = error.facts;
    const problems = reported.length > 0 ? reported : [{ path: '', message: error.message }];
    const paths = new Set(issues.map(({ path }) => path));
    issues.push(...withoutUnread(problems, record).filter(({ path }) => !paths.has(path)));
    // A record that cannot be sent always has a problem that says why.
    if (issues.length === 0) issues.push(...problems);
    return read;
  }
}

/** Reports a key that no record can have. A key that a spreadsheet mangled is accepted if it is booked already. */
function noteKey<O>(reading: Reading<O>, record: ReadRecord): void {
  const { job, options } = reading;
  const { key, issues } = record;
  const path = options.keyColumn;
  // A key that cannot be read was reported already.
  if (job.requiresKey && key === undefined && !issues.some(issue => issue.path === path))
    issues.push({ path, message: 'is required: your own name for the order, such as its number' });
  if (key === undefined) return;
  const isNew = job.requiresKey && record.order === undefined;
  const message = keyFault(key) ?? (isNew ? mangledKeyFault(key) : undefined);
  if (message !== undefined) issues.push({ path, message });
}

/**
 * Notes orders that are to be booked although they are booked under another key: as the same order, or as a record of an earlier file that
 * was mended; also equal orders of this file. With `--strict` such orders are not valid.
 */
async function noteTwins<O>(reading: Reading<O>, records: readonly ReadRecord[]): Promise<void> {
  const { session, job, desk, options, spool } = reading;
  if (!job.requiresKey || desk === undefined) return;
  // Fresh records will be new bookings: nothing was booked, or the booking was rejected or never sent.
  const fresh = records.filter(record => {
    const booking = record.order?.booking;
    const isNew = [undefined, 'rejected', 'not_sent'].includes(booking?.state);
    return isNew && whyNotSent(reading, record, booking) === undefined;
  });
  if (fresh.length === 0) return;
  const { command, keySpace } = job.operation;
  const orders = fresh.map(({ key = null, prepared }) => ({
    key,
    operation: command,
    keySpace: keySpace ?? command,
    fingerprint: prepared?.fingerprint ?? '',
    orderFingerprint: prepared?.orderFingerprint ?? null,
  }));
  const twins = await desk.journal.twins(session.scope(), orders);
  const names = fresh.flatMap(record => earlierName(record) ?? []);
  const namesakes =
    names.length === 0 ? undefined : await desk.journal.latestBy(session.scope(), 'recordName', names);
  const isReserved = session.limits().refused.has('allowDuplicate');
  const isRefused = isReserved || session.globals.strict === true;
  const why = personWords(notAgainText(isReserved ? 'at-terminal' : 'strict'));
  for (const [index, record] of fresh.entries()) {
    const order = orders[index];
    if (order === undefined) continue;
    // Two equal orders of this file may be sent at the same moment, before either is booked. The tab keeps the note apart from keys.
    const first = spool.noteKey(`\t${order.orderFingerprint ?? order.fingerprint}`, record.raw.line);
    if (first !== undefined && isRefused)
      record.issues.push({
        path: '',
        message: `has receiver, goods and parcels of line ${first}. ${why}`,
      });
    else if (first !== undefined) record.twinWarning = SAME_IN_FILE;
    const namesake = namesakes?.get(earlierName(record) ?? '');
    const isMended = namesake?.operation === command && mayExist(namesake);
    const twin = twins.get(order) ?? (isMended ? namesake : undefined);
    // A twin with the same key was booked by another runner since the keys were looked up.
    if (twin === undefined || isSameKey(twin.key, record.key)) continue;
    const before = { ...bookedBefore(twin), flags: targetFlags(session), isBooked: options.dryRun !== true };
    const ofRecord = { ...before, column: RECORD_COLUMN };
    if (isRefused) {
      const what = twins.has(order) ? sameOrderWords(before) : personWords(sameRecordText(ofRecord));
      record.issues.push({ path: '', message: `${what}. ${why}` });
    } else
      record.twinWarning = messageWords(
        twins.has(order)
          ? { kind: 'same-order-other-key', ...before }
          : { kind: 'same-record-other-key', ...ofRecord },
      );
  }
}

/** This text names no line, so that one warning has the lines of all such records. */
const SAME_IN_FILE =
  'has the same receiver, goods and parcels as an earlier record of this file, under another key: if it is not another parcel, it is booked twice';

/** The name in a file of --failed: that of the record, or else of the booking that was rejected under its key. */
const earlierName = (record: ReadRecord): string | undefined =>
  record.recordName ?? writtenName(record.order?.booking.recordName);

/** Reports keys that an earlier record of the input has. */
function noteKeys<O>(reading: Reading<O>, records: readonly ReadRecord[]): void {
  const { spool, options, leftOut } = reading;
  for (const { key, raw, issues } of records) {
    if (key === undefined) continue;
    const identity = keyIdentity(key);
    const first = spool.noteKey(identity, raw.line);
    if (first === undefined) continue;
    if (leftOut.isOn(first)) {
      leftOut.scattered.push({ key, line: raw.line, first });
      continue;
    }
    const alike = key === identity ? '' : ', or one that looks the same';
    issues.push({
      path: options.keyColumn,
      message: `is on line ${first} already${alike}; each record needs a key of its own`,
    });
  }
}

/** Reports a name that an earlier record has, too: a copied record is another order, but would count as the record that was mended. */
function noteNames<O>(reading: Reading<O>, records: readonly ReadRecord[]): void {
  const { spool } = reading;
  for (const { recordName, raw, issues } of records) {
    if (recordName === undefined) continue;
    // The line feed keeps the note apart from keys, which never have one.
    const first = spool.noteKey(`\n${recordName}`, raw.line);
    if (first === undefined) continue;
    issues.push({
      path: RECORD_COLUMN,
      message: `is on line ${first} already: it says which record of an earlier file this one was; leave it empty for an order that was copied`,
    });
  }
}

// An unchanged record is known again by its text, and by what holds for every record.

/** What is the same for every record, as text: a record that comes with other options counts as another record. */
function sharedTerms<O extends object>(run: BatchRun<O>): string {
  const { session, job, work, options, ofProfile, map } = run;
  const mayDiffer: readonly string[] = [...RUN_OPTIONS, ...(job.bounds ?? [])];
  return JSON.stringify([
    job.operation.command,
    // Options are sorted, however they were typed; an option of the profile counts as its flag.
    Object.entries({ ...ofProfile, ...options })
      .filter(([name, value]) => value !== undefined && value !== false && !mayDiffer.includes(name))
      .sort(([left], [right]) => (left < right ? -1 : 1)),
    map,
    // Files that flags refer to, and parcels of the profile such as `@small`, may change between two runs.
    commandExtra(work.extra),
    job.packages && session.target().profile.parcels,
  ]);
}

/** What options of the command give to each record. Options that a profile may give are left out: `options` has them already. */
const commandExtra = (extra: unknown): unknown =>
  isRecord(extra) ? Object.fromEntries(Object.entries(extra).filter(([name]) => !isSettable(name))) : extra;

/** What is the same for every record, and the header: under another header the same cells are another record. */
const termsAndHeader = <O>(reading: Reading<O>): string => `${reading.terms}\n${reading.input.header()}`;

/** The text that identifies an unchanged record in the journal. */
const sourceOf = (terms: string, text: string): string => hash('sha256', `${terms}\n${text}`, 'base64');
