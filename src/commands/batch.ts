import { Argument, type Command } from 'commander';
import { SHOP_NAMES } from '../batch/maps.ts';
import { recordSchema, template } from '../batch/record-schema.ts';
import type { BatchDesk, Job } from '../batch/run/job.ts';
import type { BatchOptions } from '../batch/run/open.ts';
import { resultsName } from '../batch/run/results.ts';
import { runBatch } from '../batch/run/run.ts';
import { formatOptions } from '../batch/source.ts';
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { journalOption, leavingOut, PROFILE_NOTE, settableOptions } from '../order/options.ts';
import { safeJson } from '../output/text.ts';
import {
  type Act,
  addPage,
  defineLater,
  EXIT_UNKNOWN_PAGE,
  groupHelp,
  type Page,
} from '../session/command.ts';
import { atLeastOne, atOnce, collect, positive } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { shellWord, shortened } from '../text.ts';
import type { MapOptions } from './batch/map.ts';
import { confirm, meansToBook, meansToLook, readyToBook } from './means.ts';

/** The commands that can be run over many records. */
const JOBS: Readonly<Record<string, () => Promise<Job<object>>>> = {
  quote: async () => (await import('./batch/prices.ts')).quoteJob,
  rates: async () => (await import('./batch/prices.ts')).ratesJob,
  ship: async () => (await import('./batch/shipments.ts')).shipJob,
  'ship-dual': async () => (await import('./batch/shipments.ts')).pairJob,
  label: async () => (await import('./batch/labels.ts')).labelJob,
  track: async () => (await import('./batch/tracking.ts')).trackJob,
};
const NAMES = Object.keys(JOBS);

export function define(command: Command, act: Act): void {
  for (const [name, load] of Object.entries(JOBS))
    defineLater(command.command(name).description(`run ${name} for each record of a file`), act, async () => {
      const job = await load();
      return { define: (sub, act) => defineJob(sub, act, job) };
    });
  addPage(
    command
      .command('template')
      .description('print a CSV with every header of an operation and one example row')
      .addArgument(new Argument('<operation>', 'which one').choices(NAMES))
      .option('--schema', 'what a record may be, as a JSON Schema'),
    {
      examples: [
        '# Print a file to start from. With the profile demo it runs as it is.',
        TEMPLATE,
        '# What a record may be, for a program that writes them.',
        'waybill batch template ship --schema > record.json',
      ],
      output: { table: 'the CSV, or with --schema the JSON Schema, in every output format' },
    },
  ).action(
    act<{ schema?: boolean }>(async (session, { schema }, name: string) => {
      const job = await JOBS[name]?.();
      if (job === undefined) throw noOperation(name);
      const { fields, recordOptions = {} } = job;
      if (schema) await session.printer.plain(`${safeJson(recordSchema(job), 2)}\n`);
      else await session.printer.plain(template(fields, recordOptions, exampleKey(name)));
    }),
  );
  addPage(
    formatOptions(
      command
        .command('map')
        .description("propose a --map for a shop's own export, and show its first order")
        .argument('<file>', 'CSV, a JSON array or JSON lines; - is stdin')
        .option('--out <file>', 'where to write the map (default: INPUT.map.json)'),
    ),
    {
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
  ).action(
    act<MapOptions>(async (session, options, file: string) => {
      const { proposeMap } = await import('./batch/map.ts');
      await proposeMap(session, options, file);
    }),
  );
  groupHelp(command);
  addPage(command, {
    examples: [
      '# Print an example file, ask for its prices, then book it.',
      TEMPLATE,
      'waybill batch ship orders.csv --dry-run --estimate',
      BOOK,
    ],
  });
  command.on('command:*', ([word = '']: string[]) => {
    throw noOperation(word);
  });
}

function defineJob(command: Command, act: Act, job: Job<object>): void {
  command.argument('<file>', 'CSV, a JSON array or JSON lines; - is stdin');
  leavingOut(batchOptions(job.options(command), job)).action(
    act<BatchOptions>((session, options, file: string) =>
      runBatch(deskOf(session), job, options, file, settableOptions(command)),
    ),
  );
  addPage(command, pageOfBatch(command.name(), job));
}

const TEMPLATE = 'waybill batch template ship > orders.csv';
const BOOK = 'waybill batch ship orders.csv --max-price 60EUR';

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

function pageOfBatch(name: string, { operation, bounds }: Job<object>): Page {
  return {
    examples: examplesOf(name),
    output: {
      table: 'how many records there were, their outcomes, and what was booked in this run and before',
      quiet: 'the name of the results file',
      json: 'as `waybill schema summary` describes it',
    },
    exits: {
      partial: 'some records failed, or were invalid and left out by --skip-invalid',
      ...(operation.books && { outcome_unknown: EXIT_UNKNOWN_PAGE }),
      ...(bounds?.includes('maxPrice') && {
        over_budget: 'a limit of the profile is in the way of a record; that of a day stops the batch',
        over_price: 'a record was booked above --max-price, and its price is not accepted yet',
      }),
    },
    notes: PROFILE_NOTE,
  };
}

/** The operation stands before the file, and is easily left out. */
function noOperation(word: string): Failure {
  const isFile = word === '-' || /\.(csv|tsv|json|jsonl|ndjson)$/i.test(word);
  const file = word === '-' ? '- --format csv' : shellWord(word);
  return new Failure(
    'usage',
    `${isFile ? `name the operation first: \`waybill batch ship ${file}\`` : `there is no operation ${JSON.stringify(shortened(word))}${didYouMean(word, [...NAMES, 'template', 'map'])}`}`,
    { hint: `Choose one of ${NAMES.join(', ')}. \`waybill batch --help\` shows more` },
  );
}

/** Not a key of the help pages: examples pasted one after the other must not collide. Pairs and orders share one key space. */
const exampleKey = (name: string): string => (name === 'ship-dual' ? 'PAIR-2001' : 'ORDER-2001');

function batchOptions(command: Command, { operation, hasEstimate, bounds }: Job<object>): Command {
  formatOptions(command.optionsGroup('Batch:'))
    .option('--key-column <name>', 'column or field with the key of each record', 'key')
    .option(
      '--map <file>',
      `${SHOP_NAMES.join(', ')}, or a JSON file that says what is in a shop's own columns`,
    )
    .option('--include <key>', 'take an order whole that the map leaves out; repeatable', collect)
    .option('--skip-invalid', 'leave out invalid records and send the others (exit 9)')
    .option('--concurrency <n>', 'records under way at one time', atOnce, 4)
    .option('--rate <n>', 'records started a second, at most', positive)
    .option(
      '--results <file>',
      `one line for each record; .csv gives CSV (default: ${resultsName('INPUT', operation.command)})`,
    )
    .option('--failed <file>', 'write rejected and invalid records here, to fix and run again')
    .option('--dry-run', 'validate and count; send nothing');
  if (hasEstimate) command.option('--estimate', 'with --dry-run: ask for the price of each record');
  if (!operation.books) return command;
  journalOption(command).optionsGroup('Batch:');
  if (bounds?.includes('maxPrice'))
    command.option(
      '--max-overpriced <n>',
      'start no further record after so many that were booked above --max-price',
      atLeastOne,
      1,
    );
  return command
    .option('--max-unknown <n>', 'start no further record after so many new unknowns', atLeastOne, 3)
    .option('--retry-rejected', 'send records again that were rejected before');
}

const deskOf = (session: Session): BatchDesk => ({
  ...session,
  requireReady: operation => readyToBook(session, operation),
  confirm: (operation, what, before) => confirm(session, operation, what, before),
  meansToBook: options => meansToBook(session, options),
  meansToLook: () => meansToLook(session),
});
