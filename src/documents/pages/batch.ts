// The pages of `waybill batch`.

import type { Job } from '../../batch/run/job.ts';
import { JOBS } from '../../commands/batch.ts';
import type { HelpPages, Page } from '../../shell/pages.ts';
import { EXIT_UNKNOWN } from '../page.ts';

/** A file of orders, as the examples of several pages begin with it. */
const TEMPLATE = 'waybill batch template ship > orders.csv';
const BOOK = 'waybill batch ship orders.csv --max-price 60EUR';

export const BATCH: HelpPages = {
  'batch template': {
    examples: [
      '# Print a file to start from. With the profile demo it runs as it is.',
      TEMPLATE,
      '# What a record may be, for a program that writes them.',
      'waybill batch template ship --schema > record.json',
    ],
    output: { table: 'the CSV, or with --schema the JSON Schema, in every output format' },
  },
  'batch map': {
    examples: [
      '# See what waybill makes of an export.',
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
    notes: {
      Notes: 'A column whose header it does not know is left out: its field in the map begins with _.',
    },
  },
  batch: {
    examples: [
      '# Print an example file, ask for its prices, then book it.',
      TEMPLATE,
      'waybill batch ship orders.csv --dry-run --estimate',
      BOOK,
    ],
  },
};

/** Each job is a command. */
export const pagesOfJobs = async (): Promise<HelpPages> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(JOBS).map(
        async ([name, load]) => [`batch ${name}`, pageOf(name, await load())] as const,
      ),
    ),
  );

const EXAMPLE_OPTIONS: Readonly<Record<string, string>> = {
  quote: ' --cheapest',
  ship: ' --max-price 60EUR --failed fix.csv',
  'ship-dual': ' --label --download labels',
  label: ' --download labels',
};

function examplesOf(name: string): string[] {
  // What is booked has labels, and can be tracked: the file of the orders is enough.
  const isOfBooked = name === 'label' || name === 'track';
  const file = isOfBooked ? 'orders.csv' : `${name}.csv`;
  return [
    `# Run ${name} for each record of a file. Run again, it does what is left.`,
    ...(isOfBooked ? [TEMPLATE, BOOK] : [`waybill batch template ${name} > ${file}`]),
    `waybill batch ${name} ${file}${EXAMPLE_OPTIONS[name] ?? ''}`,
  ];
}

function pageOf(name: string, { operation, bounds }: Job<object>): Page {
  return {
    examples: examplesOf(name),
    output: {
      table: 'how many records there were, their outcomes, and what was booked in this run and before',
      quiet: 'the name of the results file',
      json: 'as `waybill schema summary` describes it',
    },
    exits: {
      partial: 'some records failed, or were invalid and left out by --skip-invalid',
      ...(operation.books && { outcome_unknown: EXIT_UNKNOWN }),
      ...(bounds?.includes('maxPrice') && {
        over_budget: 'a limit of the profile is in the way of a record; that of a day stops the batch',
        over_price: 'a record was booked above --max-price, and its price is not accepted yet',
      }),
    },
  };
}
