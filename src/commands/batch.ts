import { SHOP_NAMES } from '../batch/built-in-maps.ts';
import { FORMAT_FLAGS } from '../batch/input-types.ts';
import type { Job } from '../batch/run/job.ts';
import type { BatchOptions } from '../batch/run/open.ts';
import { resultsName } from '../batch/run/output-names.ts';
import { runBatch } from '../batch/run/run-batch.ts';
import { template } from '../batch/template.ts';
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { JOURNAL_FLAGS, leavingOut, settableIn } from '../order/options.ts';
import { safeJson } from '../output/text.ts';
import {
  type CommandGroup,
  type DeclaredCommand,
  declare,
  type ListedCommand,
  operand,
} from '../session/command.ts';
import { type Flags, flag, grouped } from '../session/flags.ts';
import { atLeastOne, atOnce, positive, REPEATED } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { shellWord, shortened } from '../text.ts';
import { EXIT_UNKNOWN } from './request-command.ts';

/** The commands that can be run over many records. */
export const JOBS: Readonly<Record<string, () => Promise<Job<object>>>> = {
  quote: async () => (await import('./batch/price-jobs.ts')).quoteJob,
  rates: async () => (await import('./batch/price-jobs.ts')).ratesJob,
  ship: async () => (await import('./batch/shipment-jobs.ts')).shipJob,
  'ship-dual': async () => (await import('./batch/shipment-jobs.ts')).pairJob,
  label: async () => (await import('./batch/label-job.ts')).labelJob,
  track: async () => (await import('./batch/track-job.ts')).trackJob,
};
const NAMES = Object.keys(JOBS);

const FILE = operand('<file>', 'CSV, a JSON array or JSON lines; - is stdin');

/** Makes the file of orders with which the examples of several help pages begin. */
const TEMPLATE_COMMAND = 'waybill batch template ship > orders.csv';
const BOOK_COMMAND = 'waybill batch ship orders.csv --max-price 60EUR';

const templateCommand = declare({
  examples: [
    '# Print a file to start from. With the profile demo it runs as it is.',
    TEMPLATE_COMMAND,
    '# What a record may be, for a program that writes them.',
    'waybill batch template ship --schema > record.json',
  ],
  output: { table: 'the CSV, or with --schema the JSON Schema, in every output format' },
  operands: [operand('<operation>', 'which one', NAMES)],
  flags: { schema: flag('--schema', 'what a record may be, as a JSON Schema') },
  async run(session, options, name) {
    const job = await JOBS[name]?.();
    if (job === undefined) throw noOperation(name);
    const { fields, recordOptions = {} } = job;
    if (options.schema) {
      const { schemas } = await import('waybill:schemas');
      await session.printer.plain(`${safeJson(schemas.records[name], 2)}\n`);
    } else await session.printer.plain(template(fields, recordOptions, exampleKey(name)));
  },
});

const mapCommand = declare({
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
  operands: [FILE],
  flags: { out: flag('--out <file>', 'where to write the map (default: INPUT.map.json)'), ...FORMAT_FLAGS },
  async run(session, options, file) {
    const { proposeMap } = await import('./batch/propose-map.ts');
    await proposeMap(session, options, file);
  },
});

const jobs = Object.entries(JOBS).map(([name, load]): [string, ListedCommand] => [
  name,
  [`run ${name} for each record of a file`, async () => jobCommand(name, await load())],
]);

export const command: CommandGroup = {
  examples: [
    '# Print an example file, ask for its prices, then book it.',
    TEMPLATE_COMMAND,
    'waybill batch ship orders.csv --dry-run --estimate',
    BOOK_COMMAND,
  ],
  commands: {
    ...Object.fromEntries(jobs),
    template: [
      'print a CSV with every header of an operation and one example row',
      async () => templateCommand,
    ],
    map: ["propose a --map for a shop's own export, and show its first order", async () => mapCommand],
  },
  unknown: noOperation,
};

function jobCommand(name: string, job: Job<object>): DeclaredCommand {
  const { operation, bounds } = job;
  const flags = leavingOut({ ...job.flags, ...batchFlags(job) });
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
    operands: [FILE],
    flags,
    run: (session: Session, options: BatchOptions, file: string) =>
      runBatch(session, job, options, file, settableIn(flags)),
  };
}

const EXAMPLE_OPTIONS: Readonly<Record<string, string>> = {
  quote: ' --cheapest',
  ship: ' --max-price 60EUR --failed fix.csv',
  'ship-dual': ' --label --download labels',
  label: ' --download labels',
};

function examplesOf(name: string): string[] {
  // `label` and `track` need booked orders: the file with which these were booked is enough.
  const isOfBooked = name === 'label' || name === 'track';
  const file = isOfBooked ? 'orders.csv' : `${name}.csv`;
  return [
    `# Run ${name} for each record of a file. Run again, it does what is left.`,
    ...(isOfBooked ? [TEMPLATE_COMMAND, BOOK_COMMAND] : [`waybill batch template ${name} > ${file}`]),
    `waybill batch ${name} ${file}${EXAMPLE_OPTIONS[name] ?? ''}`,
  ];
}

/** A person easily leaves out the operation, which stands before the file. */
function noOperation(word: string): Failure {
  const isFile = word === '-' || /\.(csv|tsv|json|jsonl|ndjson)$/i.test(word);
  const file = word === '-' ? '- --format csv' : shellWord(word);
  return new Failure(
    'usage',
    `${isFile ? `name the operation first: \`waybill batch ship ${file}\`` : `there is no operation ${JSON.stringify(shortened(word))}${didYouMean(word, [...NAMES, 'template', 'map'])}`}`,
    { hint: `Choose one of ${NAMES.join(', ')}. \`waybill batch --help\` shows more` },
  );
}

/** A key that no help page uses: examples pasted one after the other must not collide. Pairs and orders share one key space. */
const exampleKey = (name: string): string => (name === 'ship-dual' ? 'PAIR-2001' : 'ORDER-2001');

const batchFlags = (job: Job<object>): Flags =>
  grouped('Batch:', {
    ...FORMAT_FLAGS,
    keyColumn: flag('--key-column <name>', 'column or field with the key of each record', { initial: 'key' }),
    map: flag(
      '--map <file>',
      `${[...SHOP_NAMES, 'or a JSON file'].join(', ')} that says what is in a shop's own columns`,
    ),
    include: flag('--include <key>', 'take an order whole that the map leaves out; repeatable', REPEATED),
    skipInvalid: flag('--skip-invalid', 'leave out invalid records and send the others (exit 9)'),
    concurrency: flag('--concurrency <n>', 'records under way at one time', { read: atOnce, initial: 4 }),
    rate: flag('--rate <n>', 'records started a second, at most', { read: positive }),
    results: flag(
      '--results <file>',
      `one line for each record; .csv gives CSV (default: ${resultsName('INPUT', job.operation.command)})`,
    ),
    failed: flag('--failed <file>', 'write rejected and invalid records here, to fix and run again'),
    dryRun: flag('--dry-run', 'validate and count; send nothing'),
    ...(job.hasEstimate && {
      estimate: flag('--estimate', 'with --dry-run: ask for the price of each record'),
    }),
    ...(job.operation.books && JOURNAL_FLAGS),
    ...(job.bounds?.includes('maxPrice') && {
      maxOverpriced: flag(
        '--max-overpriced <n>',
        'start no further record after so many that were booked above --max-price',
        { read: atLeastOne, initial: 1 },
      ),
    }),
    ...(job.operation.books && {
      maxUnknown: flag('--max-unknown <n>', 'start no further record after so many new unknowns', {
        read: atLeastOne,
        initial: 3,
      }),
      retryRejected: flag('--retry-rejected', 'send records again that were rejected before'),
    }),
  });
