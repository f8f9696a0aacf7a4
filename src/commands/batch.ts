import { Argument, type Command } from 'commander';
import { SHOP_NAMES } from '../batch/maps.ts';
import { resultsName } from '../batch/run/guard.ts';
import type { BatchDesk, Job } from '../batch/run/job.ts';
import type { BatchOptions } from '../batch/run/open.ts';
import { runBatch } from '../batch/run/run.ts';
import { formatOptions } from '../batch/source.ts';
import { template } from '../batch/template.ts';
import { Failure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { journalOption, leavingOut, settableOptions } from '../order/options.ts';
import { safeJson } from '../output/text.ts';
import { type Act, defineLater, groupHelp } from '../session/command.ts';
import { atLeastOne, atOnce, collect, positive } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { shellWord, shortened } from '../text.ts';
import type { MapOptions } from './batch/map.ts';
import { confirm, meansToBook, meansToLook, readyToBook } from './means.ts';

/** The commands that can be run over many records. */
export const JOBS: Readonly<Record<string, () => Promise<Job<object>>>> = {
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
  command
    .command('template')
    .description('print a CSV with every header of an operation and one example row')
    .addArgument(new Argument('<operation>', 'which one').choices(NAMES))
    .option('--schema', 'what a record may be, as a JSON Schema')
    .action(
      act<{ schema?: boolean }>(async (session, { schema }, name: string) => {
        const job = await JOBS[name]?.();
        if (job === undefined) throw noOperation(name);
        const { fields, recordOptions = {} } = job;
        if (schema) {
          const { schemas } = await import('waybill:schemas');
          await session.printer.plain(`${safeJson(schemas.records[name], 2)}\n`);
        } else await session.printer.plain(template(fields, recordOptions, exampleKey(name)));
      }),
    );
  formatOptions(
    command
      .command('map')
      .description("propose a --map for a shop's own export, and show its first order")
      .argument('<file>', 'CSV, a JSON array or JSON lines; - is stdin')
      .option('--out <file>', 'where to write the map (default: INPUT.map.json)'),
  ).action(
    act<MapOptions>(async (session, options, file: string) => {
      const { proposeMap } = await import('./batch/map.ts');
      await proposeMap(session, options, file);
    }),
  );
  groupHelp(command);
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
