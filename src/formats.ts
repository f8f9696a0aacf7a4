/** The output formats: what each one is for. */
export const FORMATS = {
  table:
    'For people. Control characters of the service are left out. On a terminal it fits the width; piped, nothing is cut.',
  json: "The service's own answer with every field, also those that waybill does not know. --json is short for it.",
  jsonl: 'The same, a line for each proposal, booking or shipment.',
  csv: 'A header and a row for each. Text that a spreadsheet would run as a formula is made harmless.',
  text: 'Bare values with tabs between them, for read and cut in a shell, as the AWS CLI does. null is None.',
} as const;

export type Format = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as Format[];
