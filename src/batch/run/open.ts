import { scopeText } from '../../booking/booking.ts';
import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { Failure } from '../../errors.ts';
import type { Host } from '../../host.ts';
import { type LabelOutput, prepareFiles } from '../../labels/save.ts';
import { type Desk, openDesk, openDeskToLook, readyToBook } from '../../order/desk.ts';
import {
  type LabelFileOptions,
  noteProfileOptions,
  optionsOfProfile,
  type ProfileOptions,
  type SettableOption,
  targetFlags,
} from '../../order/options.ts';
import { inputBytes } from '../../session/files.ts';
import type { Session } from '../../session/session.ts';
import { loadShops } from '../built-in-maps.ts';
import { encodingNamed } from '../encoding.ts';
import { inputFormat, openRecords } from '../input.ts';
import { type BatchInput, type FormatOptions, formatFlags, type InputMap } from '../input-types.ts';
import { LeftOut } from '../left-out.ts';
import { readersForMap, readMap } from '../read-map.ts';
import { Figures } from './figures.ts';
import { type Job, recordSettings, type Work } from './job.ts';
import { outputNames } from './output-names.ts';
import { type LabelJob, type LineOutput, Outputs, openLabelJob } from './outputs.ts';
import { Spool } from './queue.ts';
import type { LineOrigin } from './result-line.ts';
import { FaultGroups, type FaultyRecord, Tally } from './tally.ts';

/** How many issues, or warnings, are listed one by one. */
export const MAX_LISTED = 50;

/** The options of every batch. */
export interface BatchOptions extends FormatOptions {
  keyColumn: string;
  /** `false`: no map, not even the map of the profile. */
  map?: string | false;
  include?: string[];
  skipInvalid?: boolean;
  concurrency: number;
  /** How many records may start in a second. */
  rate?: number;
  maxUnknown: number;
  maxOverpriced?: number;
  results?: string;
  failed?: string;
  retryRejected?: boolean;
  dryRun?: boolean;
  estimate?: boolean;
  newJournal?: boolean;
  release?: string[];
}

/** Options that may differ between the runs of one file, because they do not change what is sent. */
export const RUN_OPTIONS: readonly (keyof BatchOptions)[] = [
  ...([
    'results',
    'failed',
    'concurrency',
    'rate',
    'maxUnknown',
    'skipInvalid',
    'retryRejected',
    'include',
  ] as const),
  ...(['newJournal', 'maxOverpriced'] as const),
];

/** One run of a batch, with all that it reads and writes. */
export interface BatchRun<O> {
  session: Session;
  job: Job<O>;
  work: Work;
  options: O & BatchOptions;
  /** The options that the profile gives; some of them are fields of the body. */
  ofProfile: ProfileOptions;
  path: string;
  /** Is something sent? A dry run without an estimate only counts, and writes no results. */
  sends: boolean;
  /** What the lines of the results have in common. */
  origin: LineOrigin;
  input: BatchInput;
  map: InputMap | undefined;
  leftOut: LeftOut;
  /** What booking needs; absent if nothing is booked: the operation books nothing, or it is a dry run without a journal. */
  desk: Desk | undefined;
  labelFiles: LabelOutput | undefined;
  labelJob: LabelJob;
  tally: Tally;
  figures: Figures;
  outputs: Outputs;
  spool: Spool;
  /** Collects a warning about a record. `always`: it is shown with `--quiet`, too. */
  warn(record: Partial<FaultyRecord> & { line: number }, warning: string, always?: boolean): void;
  /** Shows the collected warnings: equal words once, with the lines of their records. `records`: how many records there are in all. */
  showWarnings(records: number): void;
}

/** A run for code that only counts records and writes their lines. */
export type LinesRun<O> = Omit<BatchRun<O>, 'outputs'> & { outputs: LineOutput };

/** Opens what a run reads and writes. Throws before the input is read if the run is refused. */
export async function openBatch<O extends object>(
  session: Session,
  job: Job<O>,
  typed: O & BatchOptions,
  path: string,
  settable: readonly SettableOption[],
): Promise<BatchRun<O>> {
  const { host } = session;
  const { operation } = job;
  const ofProfile = profileOptions(session, job, typed, settable);
  const options: O & BatchOptions = { ...typed, ...(ofProfile.options as Partial<O & BatchOptions>) };
  const { dryRun = false, estimate = false } = options;
  if (estimate && !dryRun)
    throw new Failure('usage', '--estimate needs --dry-run: it asks for prices and books nothing');
  const sends = !dryRun || estimate;
  if (job.recordOptions === undefined) job.check?.(options);
  const names = outputNames(path, operation.command, { ...options, log: session.events.logName }, host);
  const file = await inputFile(path, options, host);
  if (sends) await (operation.books ? readyToBook(session, operation) : session.service.check(operation));
  const labelFiles = dryRun ? undefined : prepareFiles(session, options as LabelFileOptions);
  const desk = operation.books
    ? await (dryRun ? openDeskToLook(session) : openDesk(session, options))
    : undefined;
  const onNone = withoutResults(session, job, options);
  const outputs = new Outputs(session, names, desk?.journal, { isWritten: sends, onNone });
  await outputs.refuseLoss();
  const work = await job.start(session, options, ofProfile.taken);
  await noteProfileOptions(session, ofProfile.taken);
  const spool = new Spool(host);
  const leftOut = new LeftOut(spool);
  const settings = { ...file, ...inputSettings(session, job, options, work), ...leftOutSettings() };
  const input = openRecords(inputBytes(path, host), settings);
  await outputs.open(input, settings);
  return {
    session,
    job,
    work,
    options,
    path,
    sends,
    input,
    map: file.map,
    leftOut,
    desk,
    labelFiles,
    ofProfile: ofProfile.taken,
    spool,
    outputs,
    origin: await lineOrigin(session, operation, desk),
    labelJob: openLabelJob(desk, labelFiles),
    tally: new Tally(operation),
    figures: new Figures(session.rules(), session.target().profile),
    ...groupedWarnings(session),
  };

  function leftOutSettings() {
    const isSummed = file.map !== undefined && work.valueForAll?.('customs.totalGoodsValue') === undefined;
    return leftOut.settings(isSummed, options.include ?? []);
  }
}

const lineOrigin = async (
  session: Session,
  operation: Operation,
  desk: Desk | undefined,
): Promise<LineOrigin> => ({
  operation: operation.command,
  place: scopeText(session.scope()),
  sandbox: session.target().sandbox,
  run: session.run,
  actor: session.actor,
  journal: (await desk?.journal.nameInResults()) ?? null,
});

/** The format and the encoding of the file, and the map for its headers. Throws `usage`, `invalid_request`, `storage`. */
async function inputFile(path: string, options: BatchOptions, host: Host) {
  const format = inputFormat(path, options.format);
  const map = options.map ? await readMap(options.map, host) : undefined;
  return {
    format,
    name: path === '-' ? 'stdin' : path,
    ...(map && { map, ...(await readersForMap(map)) }),
    shops: await loadShops(),
    encoding: options.encoding === undefined ? undefined : encodingNamed(options.encoding),
  };
}

const inputSettings = <O extends object>(
  session: Session,
  job: Job<O>,
  options: O & BatchOptions,
  work: Work,
) => ({
  ...recordSettings(job, session),
  sameFlags: [...targetFlags(session), ...formatFlags(options)],
  keyColumn: options.keyColumn,
  host: job.ignoresOthers ? undefined : session.host,
  ignoresOthers: job.ignoresOthers,
  onWarnings: (warnings: readonly string[]) => warnOfInput(session, job.operation.command, warnings),
  valueForAll: work.valueForAll,
  allowUnknown: 'allowUnknown' in options && options.allowUnknown === true,
});

/** Gives a function to warn that no results are written; `undefined` if they must be: with --results, or without a shared journal. */
function withoutResults<O>(session: Session, job: Job<O>, options: BatchOptions) {
  if (options.results !== undefined || !session.sharesJournal()) return undefined;
  return (why: string) =>
    warnOfInput(session, job.operation.command, [
      `${why}; this run writes no results file. \`waybill history list\` shows what is booked. To have one, name it with --results`,
    ]);
}

/** The options that the profile gives. `taken`: all of them; `options`: those that are no field of the body. */
function profileOptions<O extends object>(
  session: Session,
  job: Job<O>,
  typed: O & BatchOptions,
  settable: readonly SettableOption[],
) {
  const { operation } = job;
  const taken = optionsOfProfile(session.target().profile, typed, settable);
  const { carrier: _, ...ofRecord } = taken;
  if (operation !== OPERATIONS.createDualShipment) return { taken, options: ofRecord };
  const { label: __, ...options } = ofRecord;
  return { taken, options };
}

/** Warns of the input; with `--strict`, throws `invalid_request`. */
export function warnOfInput(
  session: Session,
  command: string,
  warnings: readonly string[],
  options: { always?: boolean } = {},
): void {
  const { globals, printer } = session;
  if (warnings.length === 0) return;
  if (globals.strict)
    throw new Failure(
      'invalid_request',
      `batch ${command}: there were warnings, and --strict makes them errors`,
      { issues: warnings.map(message => ({ path: '', message })) },
    );
  for (const warning of warnings) void printer.warn(warning, options);
}

function groupedWarnings(session: Session): Pick<BatchRun<never>, 'warn' | 'showWarnings'> {
  const { printer } = session;
  let usual = new FaultGroups();
  let urgent = new FaultGroups();
  return {
    warn: (record, message, always = false) => (always ? urgent : usual).add(record, { path: '', message }),
    showWarnings(records) {
      for (const groups of [usual, urgent]) {
        const { issues, covered } = groups.listed(records, MAX_LISTED);
        const options = { always: groups === urgent };
        for (const { path, message } of issues) void printer.warn(`${path}: ${message}`, options);
        const unlisted = groups.count - covered;
        if (unlisted > 0)
          void printer.warn(`there are ${unlisted} more warnings, which are not shown`, options);
      }
      usual = new FaultGroups();
      urgent = new FaultGroups();
    },
  };
}
