/** The output formats, and what each one is for. */
export const FORMATS = {
  table:
    'For people. Control characters from the service are removed. On a terminal the table keeps to its width; in a pipe nothing is cut.',
  json: 'The answer of the service with all its fields, even those that waybill does not know. --json is short for it.',
  jsonl: 'The same, with one line for each proposal, booking or shipment.',
  csv: 'A header, and one row for each. Text that a spreadsheet would run as a formula is escaped.',
  text: 'Bare values separated by tabs, for read and cut in a shell, like the text format of the AWS CLI. null is None.',
  record:
    'Of a command that books: the booking as waybill has it (`waybill schema booking`), in place of the answer of the service; of several a list. Of all others the same as json.',
} as const;

export type Format = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];
