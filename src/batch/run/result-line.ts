import { bookedFrom } from '../../booking/book.ts';
import { type BookedFacts, factsOf, NO_FACTS } from '../../booking/facts.ts';
import { failureOf } from '../../booking/failure.ts';
import type { Issue } from '../../contract/operation.ts';
import type { Operation } from '../../contract/operations.ts';
import type { Failure, FailureCode } from '../../errors.ts';
import type { Booking } from '../../journal/journal.ts';
import { parseJson } from '../../json.ts';
import type { Saved } from '../../labels/save.ts';
import { csvLine, escapeFormula } from '../../output/csv.ts';
import { safeJson } from '../../output/safe.ts';
import type { JobResult } from './job.ts';

/** What became of one record, as a line of the results: its names are a promise to scripts. */
export interface ResultLine {
  key: string | null;
  /** Where it stands in the input, from 1. */
  line: number;
  /** That of its booking; `invalid`, `duplicate`; `done` and `failed` of what books nothing. */
  state: string;
  /** `null` of a record that was not begun. */
  exitCode: number | null;
  /** Did anything of it leave in this run? */
  sent: boolean;
  sandbox: boolean;
  shipmentId: string | null;
  domesticShipmentId: string | null;
  trackingNumber: string | null;
  domesticTrackingNumber: string | null;
  carrier: string | null;
  price: unknown;
  currency: string | null;
  labelFile: string | null;
  result?: unknown;
  error?: LineError;
}

interface LineError {
  code: FailureCode;
  message: string;
  httpStatus: number | null;
  issues: readonly Issue[];
  booking: string | null;
  /** The service's answer, as received. */
  body: unknown;
}

/** Which record it is. */
export interface RecordPlace {
  key: string | undefined;
  line: number;
}

interface Ending {
  state: string;
  exitCode: number | null;
  sent: boolean;
  sandbox: boolean;
  facts?: BookedFacts;
  saved?: Saved;
  result?: unknown;
  failure?: Failure | undefined;
}

const HAS_RESULT = new Set(['created', 'partial', 'done', 'estimated']);

export function resultLine({ key, line }: RecordPlace, ending: Ending): ResultLine {
  const { state, exitCode, sent, sandbox, facts = NO_FACTS, saved = {}, result, failure } = ending;
  const { ids, labels, carrier, price, currency } = facts;
  return {
    key: key ?? null,
    line,
    state,
    exitCode,
    sent,
    sandbox,
    shipmentId: ids.shipment ?? ids.international ?? null,
    domesticShipmentId: ids.domestic ?? null,
    trackingNumber: labels.international?.trackingNumber ?? null,
    domesticTrackingNumber: labels.domestic?.trackingNumber ?? null,
    carrier,
    price,
    currency,
    labelFile: saved.international ?? saved.domestic ?? null,
    // An answer that made nothing stands with the error.
    ...(result !== undefined && result !== null && HAS_RESULT.has(state) && { result }),
    ...(failure && { error: errorOf(failure) }),
  };
}

const errorOf = ({ code, message, facts }: Failure): LineError => ({
  code,
  message,
  httpStatus: facts.httpStatus ?? null,
  issues: facts.issues ?? [],
  booking: facts.booking ?? null,
  body: facts.body ?? null,
});

/** A record that was booked before: what was recorded of it then. */
export function recordedLine(
  place: RecordPlace,
  { made, ...operation }: Operation,
  booking: Booking,
): ResultLine {
  const before = bookedFrom({ made, ...operation }, booking);
  const failure = failureOf({ made, ...operation }, before, []);
  return resultLine(place, {
    state: before.outcome.state,
    exitCode: failure?.exitCode ?? 0,
    sent: false,
    sandbox: booking.sandbox,
    facts: factsOf(booking),
    saved: booking.files,
    result: parseJson(booking.answer ?? ''),
    failure,
  });
}

/** What the end of a record is called. */
export function stateOf(
  { books }: Operation,
  { failure, facts }: Pick<JobResult, 'failure' | 'facts'>,
): string {
  const made = books && Object.keys(facts.ids).length > 0;
  switch (failure?.code) {
    case undefined:
      return books ? 'created' : 'done';
    case 'outcome_unknown':
      return 'unknown';
    case 'duplicate':
      return 'duplicate';
    case 'partial':
      return books ? 'partial' : 'failed';
    case 'invalid_request':
    case 'usage':
      return 'invalid';
    case 'storage':
      // It was made, and what could not be written is the record of it.
      return made ? 'created' : books ? 'not_sent' : 'failed';
    case 'unavailable':
    case 'interrupted':
    case 'internal':
      return books ? 'not_sent' : 'failed';
    default:
      return books ? 'rejected' : 'failed';
  }
}

const COLUMNS = [
  ...['key', 'line', 'state', 'exitCode', 'sent', 'sandbox', 'shipmentId', 'domesticShipmentId'],
  ...['trackingNumber', 'domesticTrackingNumber', 'carrier', 'price', 'currency', 'labelFile', 'error'],
] as const;

/** The results as JSON lines, or as a table for spreadsheets. */
export const LINE_FORMATS = {
  jsonl: { head: '', text: (line: ResultLine) => `${safeJson(line)}\n` },
  csv: {
    head: csvLine(COLUMNS),
    text: (line: ResultLine) => {
      const cells: Record<string, unknown> = { ...line, error: line.error?.message ?? null };
      return csvLine(COLUMNS.map(name => cellOf(cells[name])));
    },
  },
} as const;

const cellOf = (value: unknown) =>
  typeof value === 'string' ? escapeFormula(value) : (value as number | boolean | null | undefined);
