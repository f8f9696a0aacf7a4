// The options that a record may have for itself, in a column or field of their name.

/** A column that is another name for a field of the body (`path`), or that gives an option of the command. */
export type RecordOption = { description: string } & ({ path: string } | ParsedOption);

export interface ParsedOption {
  /** For messages: the values that are allowed. */
  allowed: string;
  /** The value of the option; `undefined` if what is written is not allowed. */
  parse(written: string): unknown;
}

export type RecordOptions = Readonly<Record<string, RecordOption>>;

const YES: readonly string[] = ['yes', 'true', '1', 'x'];
const NO: readonly string[] = ['no', 'false', '0'];

/** A cell of a spreadsheet as yes or no; `undefined` if it is neither. */
export function readYesOrNo(written: string): boolean | undefined {
  const word = written.trim().toLowerCase();
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined;
}

export const YES_OR_NO: ParsedOption = {
  allowed: 'yes, true, 1 or x, or no, false or 0',
  parse: readYesOrNo,
};

export const TEXT: ParsedOption = { allowed: 'text', parse: written => written.trim() };

export const WHOLE_NUMBER: ParsedOption = {
  allowed: 'a whole number, 0 or more',
  parse: written => (/^\s*\d{1,15}\s*$/.test(written) ? Number(written) : undefined),
};
