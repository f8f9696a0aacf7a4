// The name of a record, by which its booking is found again after it was mended in a file that --failed wrote.
import type { Issue } from '../contract/shapes.ts';
import { fingerprint } from '../order/build.ts';
import { shown } from '../text.ts';

/** The columns, or fields, that a file of --failed adds to those of its input. */
export const ERROR_COLUMN = '_error';
export const RECORD_COLUMN = '_record';

// `rec_` keeps a spreadsheet from reading a name as a number.
const RECORD_NAME = /^rec_[0-9a-f]{32}$/;

/** The name of a record that came without one: a hash of the record as it stands in the input. */
export const newRecordName = (content: unknown): string => `rec_${fingerprint(content).slice(0, 32)}`;

/**
 * The name that a booking keeps for a record that came without one: the name that --failed gives the record if it is rejected. The mark
 * `raw_` says that it is not the name of a mended record.
 */
export const unwrittenName = (name: string): string => name.replace('rec_', 'raw_');

/** The name as --failed writes it. `kept`: the name that a booking keeps. */
export const writtenName = (kept: string | null | undefined): string | undefined =>
  kept?.replace('raw_', 'rec_');

/** The name that a record came with: the rows of a CSV each have it. Reports a name that --failed did not write. */
export function givenRecordName(cells: readonly unknown[], issues: Issue[]): string | undefined {
  const names = new Set(cells.map(cell => (typeof cell === 'string' ? cell.trim() : cell)).filter(Boolean));
  const [name] = names;
  if (name === undefined) return undefined;
  if (names.size === 1 && typeof name === 'string' && RECORD_NAME.test(name)) return name;
  const message =
    names.size === 1
      ? `is ${shown(name)}, but must be as --failed wrote it, such as rec_0123456789abcdef0123456789abcdef; leave it empty for an order that was in no such file`
      : `is ${shown(name)} in one row of the order, and ${shown([...names][1])} in another; a record has one name: give records that were two their own keys again`;
  issues.push({ path: RECORD_COLUMN, message });
  return undefined;
}
