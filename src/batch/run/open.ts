import { join } from 'node:path';
import { Failure } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { prepareFolder } from '../../labels/save.ts';
import { readyToBook } from '../../orders/book-once.ts';
import { parcelOf } from '../../orders/parcel-flags.ts';
import type { LabelFileOptions } from '../../orders/shipment-flags.ts';
import { stateFolder } from '../../profile/folders.ts';
import { bytesOf, readObject } from '../../session/input-files.ts';
import type { Session } from '../../session/session.ts';
import { inputFormat, openInput } from '../input.ts';
import { parseMap } from '../map.ts';
import type { Input, InputFormat, InputMap } from '../source.ts';
import { guardFailed, guardResults } from './guard.ts';
import type { Job } from './job.ts';
import { type OutputNames, type Outputs, openOutputs, outputNames } from './outputs.ts';
import { openSpool, type Spool } from './spool.ts';
import { createTally, type Tally } from './tally.ts';

/** Faults and doubts that are told one by one; of the rest, how many there are. */
export const MAX_LISTED = 50;

/** The options of every batch. */
export interface BatchOptions {
  format?: InputFormat;
  keyColumn: string;
  map?: string;
  skipInvalid?: boolean;
  concurrency: number;
  /** Records a second. */
  rate?: number;
  maxUnknown: number;
  results?: string;
  failed?: string;
  retryRejected?: boolean;
  dryRun?: boolean;
  estimate?: boolean;
  newJournal?: boolean;
}

/** One run of a batch, with all that it reads and writes. */
export interface BatchRun<O> {
  session: Session;
  job: Job<O>;
  options: O & BatchOptions;
  path: string;
  names: OutputNames;
  input: Input;
  map: InputMap | undefined;
  journal: Journal | undefined;
  /** Where labels go. */
  folder: string | undefined;
  tally: Tally;
  outputs: Outputs;
  spool: Spool;
  /** Why an end could not be written into the results; the first one that could not. */
  unwritten: Failure | undefined;
  /** Tells of what is doubtful in a record, the first so many times. */
  warn(line: number, warning: string): void;
}

/** Opens what a run reads and writes; whatever stands against it is told before the input is read. */
export async function openBatch<O extends object>(
  session: Session,
  job: Job<O>,
  options: O & BatchOptions,
  path: string,
): Promise<BatchRun<O>> {
  const { host } = session;
  const { operation, packages } = job;
  const { dryRun = false, estimate = false, keyColumn } = options;
  job.check?.(options);
  const names = outputNames(path, operation.command, options, host);
  const format = inputFormat(path, options.format);
  if (names.failed !== undefined) guardFailed(session, operation.command, names.failed);
  const map =
    options.map === undefined ? undefined : parseMap(await readObject(options.map, host), options.map);
  const calls = !dryRun || estimate;
  if (calls) await (operation.books ? readyToBook(session, operation) : session.client(operation));
  const folder = dryRun ? undefined : prepareFolder(session, options as LabelFileOptions);
  const journal = operation.books
    ? await (dryRun ? session.journalIfThere() : session.journal(options.newJournal))
    : undefined;
  if (calls) await guardResults(session, operation.command, names.results, names.format);
  const input = openInput(bytesOf(path, host), {
    format,
    name: path === '-' ? 'stdin' : path,
    fields: job.fields,
    ...(packages && {
      packages: { ...packages, entry: (spec: string) => packages.entry(parcelOf(session, spec)) },
    }),
    keyColumn,
    ...(map && { map }),
    onWarnings: doubts => tellDoubts(session, operation.command, doubts),
    allowUnknown: 'allowUnknown' in options && options.allowUnknown === true,
  });
  const spool = await openSpool(join(stateFolder(host), `spool-${host.process.id}-${host.random()}.db`));
  return {
    ...{ session, job, options, path, names, input, map, journal, folder, spool },
    tally: createTally(),
    outputs: openOutputs(names, calls, input, host),
    unwritten: undefined,
    warn: doubtsTold(session),
  };
}

/** Tells what is doubtful in the file as a whole. Throws `invalid_request` with `--strict`. */
function tellDoubts({ globals, printer }: Session, command: string, doubts: readonly string[]): void {
  if (globals.strict)
    throw new Failure(
      'invalid_request',
      `batch ${command}: there were warnings, and --strict makes them errors; nothing was sent`,
      { issues: doubts.map(message => ({ path: '', message })) },
    );
  for (const doubt of doubts) void printer.warn(doubt);
}

function doubtsTold({ printer }: Session): BatchRun<never>['warn'] {
  let doubts = 0;
  return (line, warning) => {
    doubts += 1;
    if (doubts <= MAX_LISTED) void printer.warn(`line ${line}: ${warning}`);
    else if (doubts === MAX_LISTED + 1) void printer.warn('there are more of that kind, which are not told');
  };
}
