import type { OperationId } from '../../contract/operations.ts';
import type { Page, Pages } from '../page.ts';
import { TOPIC } from '../topics/batch.ts';

const STOPPING = 'the run ended with this, as record after record failed so';

function batch(
  name: string,
  asks: readonly OperationId[],
  examples: readonly string[],
  more: Page['exits'] = {},
): Page {
  return {
    description: `Run ${name} for each record of a file, and go on where an earlier run ended.`,
    examples,
    output: {
      table: 'how many records there were, what became of them, what they cost',
      quiet: 'the name of the file of results',
      json: 'the summary: operation, input, results, failed, sandbox, dryRun, records, sent, toSend, already, states, cost, stopped, exitCode',
    },
    asks,
    exits: {
      unauthorized: 'no credentials, or the service refuses them (401, 403)',
      rate_limited: `too many requests (429); ${STOPPING}`,
      unavailable: `no answer, or one that makes no sense; ${STOPPING}`,
      partial: 'some records failed, or were not valid and left out by --skip-invalid',
      ...more,
    },
  };
}

const UNKNOWN = { outcome_unknown: 'a record was sent and no conclusive answer came: it may exist' };
const TEMPLATE = 'waybill batch template ship > orders.csv';
// The same on each page: pasted after another one, it goes on with what was booked there.
const BOOKED = [TEMPLATE, 'waybill batch ship orders.csv -q --max-price 60EUR'];

export const PAGES: Pages = {
  batch: {
    description: 'Quote, rate, book, label or track many records of a file.',
    examples: [
      '# A file to start from, priced without booking, then booked; run again, it does what is left.',
      TEMPLATE,
      'waybill batch ship orders.csv --dry-run --estimate',
      'waybill batch ship orders.csv --max-price 60EUR',
    ],
    more: TOPIC,
  },
  'batch quote': batch(
    'quote',
    ['proposal'],
    [
      '# Proposals for each line of a file.',
      'waybill batch template quote > parcels.csv',
      'waybill batch quote parcels.csv --cheapest',
    ],
  ),
  'batch rates': batch(
    'rates',
    ['rates'],
    [
      '# Rates for each line of a file.',
      'waybill batch template rates > parcels.csv',
      'waybill batch rates parcels.csv',
    ],
  ),
  'batch ship': batch(
    'ship',
    ['createShipment', 'proposal', 'createLabels'],
    [
      '# Book each order of a file under its key; what is in the way is written into mend.csv.',
      TEMPLATE,
      'waybill batch ship orders.csv --max-price 60EUR --failed mend.csv',
      '# Run again, it does what is left.',
      'waybill batch ship orders.csv --max-price 60EUR --failed mend.csv',
    ],
    UNKNOWN,
  ),
  'batch ship-dual': batch(
    'ship-dual',
    ['createDualShipment'],
    [
      '# Book each pair of a file under its key, with labels.',
      'waybill batch template ship-dual > pairs.csv',
      'waybill batch ship-dual pairs.csv --label --download labels',
    ],
    UNKNOWN,
  ),
  'batch label': batch(
    'label',
    ['createLabels'],
    [
      '# Book, then make the labels of all orders whose keys are in a file.',
      ...BOOKED,
      "printf 'key\\nORDER-2001\\n' > labels.csv",
      'waybill batch label labels.csv --download labels',
    ],
    UNKNOWN,
  ),
  'batch track': batch(
    'track',
    ['getShipment', 'getDomesticShipment'],
    [
      '# Book, then read where the orders are whose keys are in a file.',
      ...BOOKED,
      "printf 'key\\nORDER-2001\\n' > parcels.csv",
      'waybill batch track parcels.csv',
    ],
  ),
  'batch template': {
    description: 'Print a CSV with every header of an operation and one example row.',
    examples: ['# A file to start from, which can be run as it is on the demo profile.', TEMPLATE],
    output: { table: 'the CSV, whatever the output format' },
  },
};
