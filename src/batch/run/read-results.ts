// Reads the results of a batch back.
import type { Hash } from 'node:crypto';
import { OPERATIONS, type OperationCommand, operationNamed } from '../../contract/operations.ts';
import { textAt } from '../../contract/paths.ts';
import { strict } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { unescapeFormula } from '../../output/text.ts';
import { LONGEST_ANSWER } from '../../service/response.ts';
import { inputBytes } from '../../session/files.ts';
import { openRecords } from '../input.ts';

/** A line of results, with the names of `ResultLine`. In a CSV all values are text. */
export interface Line extends Record<string, unknown> {
  operation: OperationCommand;
  place: string;
  state: string;
}

interface ParsedLine {
  /** The place of the line in the file, from 1. */
  line: number;
  key: string | undefined;
  /** `undefined` if a power cut has torn the line: then it must be the last one. */
  value: Line | undefined;
  /** Is no part of the line missing? */
  isComplete: boolean;
}

/** Does a line say that something was booked? The ids in a line of an operation that books nothing were only read. */
export const saysBooked = (line: Line): boolean =>
  operationNamed(line.operation).books &&
  (line.state === 'created' ||
    line.state === 'partial' ||
    [line.shipmentId, line.domesticShipmentId].some(id => typeof id === 'string' && id !== ''));

/** The id of the booking in the journal in which it was booked, if the line has it. */
export const bookingIdIn = (line: Line): string | undefined => textAt(line.error, ['booking']);

/** Could the journal not record what became of the record? */
export const isUnrecorded = (line: Line): boolean => String(line.recorded) === 'false';

/** The id of a booking that was made, but that its journal could not record. */
export const unrecordedIn = (line: Line): string | undefined =>
  isUnrecorded(line) && saysBooked(line) ? bookingIdIn(line) : undefined;

// States in which a booking may exist: the key of a `duplicate` was booked with other input.
const IN_DOUBT = ['unknown', 'duplicate'];

/** May there be a booking behind the line? */
export const mayBeBooked = (line: Line): boolean => saysBooked(line) || IN_DOUBT.includes(line.state);

const COMMANDS: readonly unknown[] = Object.values(OPERATIONS).map(({ command }) => command);

const isResult = (record: Record<string, unknown>): boolean =>
  COMMANDS.includes(record.operation) && typeof record.place === 'string' && typeof record.state === 'string';

/** May the text be the start of a line of results? */
function mayBeTorn(text: string): boolean {
  const start = text.replace(/\0+$/, '');
  return start.startsWith(LINE_START) || LINE_START.startsWith(start);
}

const LINE_START = '{"operation":';

/** The longest line: it has the whole answer, perhaps with labels in it, and what the line has beside the answer. */
const LONGEST_LINE = 2 * LONGEST_ANSWER;

/**
 * The lines of a results file; the hash `content` is updated with the bytes of the file. Throws `storage`, and the failure of `foreign` if
 * the file is no results file.
 */
export async function* resultsIn(
  host: Host,
  path: string,
  format: 'jsonl' | 'csv',
  foreign: () => Failure,
  content?: Hash,
): AsyncGenerator<ParsedLine> {
  async function* bytes() {
    for await (const chunk of inputBytes(path, host)) {
      content?.update(chunk);
      yield chunk;
    }
  }
  const input = openRecords(bytes(), {
    format,
    name: path,
    longest: LONGEST_LINE,
    keyColumn: 'key',
    allowUnknown: true,
    fields: strict({}),
  });
  const plain = (cell: unknown) =>
    format === 'csv' && typeof cell === 'string' ? unescapeFormula(cell) : cell;
  let torn = false;
  try {
    for await (const raw of input.records) {
      if (torn) throw foreign();
      const { key, value, issues } = input.parse(raw);
      const isLine = isResult(value);
      if (!isLine && (issues.length === 0 || (raw.line === 1 && !mayBeTorn(raw.text)))) throw foreign();
      torn = !isLine;
      const cells = Object.entries(value).map(([name, cell]) => [name, plain(cell)]);
      yield {
        line: raw.line,
        key: key && String(plain(key)),
        value: isLine ? (Object.fromEntries(cells) as Line) : undefined,
        isComplete: isLine && issues.length === 0,
      };
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_request') throw foreign();
    throw error;
  }
}
