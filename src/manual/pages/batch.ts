import { OPERATIONS, type OperationId } from '../../contract/operations.ts';
import { sectionsOf } from '../document.ts';
import type { Page, Pages } from '../page.ts';
import { TOPIC } from '../topics/batch.ts';

const STOPPED = 'several records in a row failed this way, and the batch stopped';

function batch(name: string, asks: readonly OperationId[], ...examples: readonly string[]): Page {
  return {
    description: `Run ${name} for each record of a file. Run it again, and it continues.`,
    examples,
    output: {
      table: 'how many records there were, their outcomes, and what was booked in this run and before',
      quiet: 'the name of the results file',
      json: 'the summary: operation, input, results, failed, sandbox, dryRun, records, sent, toSend, warned, already, mended, states, shipments, labels, withoutPrice, cost, before, stopped, exitCode',
    },
    asks,
    exits: {
      unauthorized: 'no credentials, or the service refused them (401, 403)',
      rate_limited: `too many requests (429); ${STOPPED}`,
      unavailable: `no usable answer; ${STOPPED}`,
      partial: 'some records failed, or were invalid and left out by --skip-invalid',
      ...(asks.some(id => OPERATIONS[id].books) && {
        outcome_unknown: 'a record was sent, but no clear answer came: it may exist',
      }),
      ...(asks.includes('createShipment') && {
        over_price:
          'a record was booked above --max-price, or in another currency, and its price is not accepted yet',
      }),
    },
  };
}

const TEMPLATE = 'waybill batch template ship > orders.csv';
// The same on each page: pasted after another one, it continues with what was booked there.
const BOOKED = [TEMPLATE, 'waybill batch ship orders.csv -q --max-price 60EUR'];

const MAP = sectionsOf(`
# What it recognizes

By their headers, the columns of Shopify, WooCommerce and Etsy, and common English, German, Turkish and French ones. By their cells: e-mail addresses, phone numbers with a prefix, names of countries, HS codes with dots, currencies, packages. Every other column is left out: its field in the map begins with _.

On a terminal it asks which column has what the first order lacks, shows the order, and asks before it writes. Without a terminal it writes what it recognizes, and lists on stderr what is missing.
`);

export const PAGES: Pages = {
  batch: {
    description: 'Quote, book, label or track many records of a file.',
    examples: [
      '# Print an example file, ask for its prices, then book it.',
      TEMPLATE,
      'waybill batch ship orders.csv --dry-run --estimate',
      'waybill batch ship orders.csv --max-price 60EUR',
    ],
    more: TOPIC,
  },
  'batch quote': batch(
    'quote',
    ['proposal'],
    '# Proposals for each line of a file.',
    'waybill batch template quote > parcels.csv',
    'waybill batch quote parcels.csv --cheapest',
  ),
  'batch rates': batch(
    'rates',
    ['rates'],
    '# Rates for each line of a file.',
    'waybill batch template rates > parcels.csv',
    'waybill batch rates parcels.csv',
  ),
  'batch ship': batch(
    'ship',
    ['createShipment', 'proposal', 'createLabels'],
    '# Book each order under its key. Orders with problems go to fix.csv.',
    TEMPLATE,
    'waybill batch ship orders.csv --max-price 60EUR --failed fix.csv',
    '# Run again, it books what is left.',
    'waybill batch ship orders.csv --max-price 60EUR --failed fix.csv',
  ),
  'batch ship-dual': batch(
    'ship-dual',
    ['createDualShipment'],
    '# Book each pair of a file under its key, with labels.',
    'waybill batch template ship-dual > pairs.csv',
    'waybill batch ship-dual pairs.csv --label --download labels',
  ),
  'batch label': batch(
    'label',
    ['createLabels'],
    '# Book orders, then make the labels of all orders whose keys are in a file.',
    ...BOOKED,
    "printf 'key\\nORDER-2001\\n' > labels.csv",
    'waybill batch label labels.csv --download labels',
  ),
  'batch track': batch(
    'track',
    ['getShipment', 'getDomesticShipment'],
    '# Book orders, then track all orders whose keys are in a file.',
    ...BOOKED,
    "printf 'key\\nORDER-2001\\n' > parcels.csv",
    'waybill batch track parcels.csv',
  ),
  'batch map': {
    description: 'Propose a map for the export of a shop, and show the first order as it would be sent.',
    examples: [
      '# See what waybill makes of an export, then book it.',
      "printf 'Order ID,Full Name,Email,Phone,Street 1,City,Zip,Country,Item Name,HS Code,Qty,Price,Weight (g)\\nETSY-1,Anna Beispiel,anna@example.com,+49 351 5550100,Hauptstr. 7,Dresden,01067,Almanya,T-shirt,610910,2,12.5,800\\n' > shop.csv",
      'waybill batch map shop.csv --out shop.map.json || test $? = 9',
    ],
    output: {
      table: 'which column is which field, the first order, and the next command',
      quiet: 'the name of the map',
      json: 'file, map, request, open (what the first order lacks), next',
    },
    exits: {
      partial: 'the map is written, but the first order lacks something that no flag gives',
      invalid_request: 'the file cannot be read as CSV or JSON',
    },
    more: MAP,
  },
  'batch template': {
    description: 'Print a CSV file with all headers of an operation and one example row.',
    examples: [
      '# Print a file to start from. With the profile demo it runs as it is.',
      TEMPLATE,
      '# What a record may be, for a program that writes them.',
      'waybill batch template ship --schema > record.json',
    ],
    output: { table: 'the CSV, or with --schema the JSON Schema, in every output format' },
  },
};
