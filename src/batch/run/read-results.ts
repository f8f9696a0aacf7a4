// The results of a batch, read back.

import { strict } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { unescapeFormula } from '../../output/csv.ts';
import { bytesOf } from '../../session/input-files.ts';
import { openInput } from '../input.ts';

/** One line of them; what is missing is `undefined`, and of CSV every cell is text. */
export interface ParsedLine {
  /** Where it stands in the file, from 1. */
  line: number;
  key: string | undefined;
  /** By the names of `ResultLine`; `undefined` for a line that a power cut has torn, which only the last may be. */
  value: Record<string, unknown> | undefined;
  /** False where something of it is missing. */
  isComplete: boolean;
}

/** Is it the beginning of a line of results, or the beginning of such a beginning? */
function mayBeOurs(text: string): boolean {
  const begun = text.replace(/\0+$/, '');
  return begun.startsWith(BEGINNING) || BEGINNING.startsWith(begun);
}

const BEGINNING = '{"key":';

/** The lines, one after the other. Throws what `foreign` gives where the file is none of a batch; and `storage`. */
export async function* resultsIn(
  host: Host,
  path: string,
  format: 'jsonl' | 'csv',
  foreign: () => Failure,
): AsyncGenerator<ParsedLine> {
  const input = openInput(bytesOf(path, host), {
    ...{ format, name: path, keyColumn: 'key', allowUnknown: true },
    fields: strict({}),
  });
  const plain = (cell: unknown) =>
    format === 'csv' && typeof cell === 'string' ? unescapeFormula(cell) : cell;
  let torn = false;
  try {
    for await (const piece of input.records) {
      if (torn) throw foreign();
      const { key, value, issues } = input.parse(piece);
      const isLine = typeof value.state === 'string';
      if (!isLine && (issues.length === 0 || (piece.line === 1 && !mayBeOurs(piece.text)))) throw foreign();
      torn = !isLine;
      const cells = Object.entries(value).map(([name, cell]) => [name, plain(cell)]);
      yield {
        line: piece.line,
        key: key && String(plain(key)),
        value: isLine ? Object.fromEntries(cells) : undefined,
        isComplete: isLine && issues.length === 0,
      };
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_request') throw foreign();
    throw error;
  }
}
