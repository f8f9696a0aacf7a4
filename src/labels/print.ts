// After the answer is shown: merges and prints the saved labels, and reports everything that failed.
import type { Operation } from '../contract/operations.ts';
import { commandsIn, Failure, messageOf } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import type { Means } from '../order/order.ts';
import { commandText, operandWords, someOf } from '../text.ts';
import { type LabelPages, type MissingLabel, mergeLabels, newIn, removeNew } from './merge.ts';
import type { LabelFiles, SavedLabels } from './save.ts';

/** What merging and printing needs. */
export type PrintMeans = Pick<Means, 'out' | 'host' | 'printCommand' | 'targetFlags'>;

/** Throws if a label was not made, not saved, not merged or not printed. */
export async function finishLabels(
  operation: Operation,
  files: LabelFiles | undefined,
  labels: SavedLabels,
  means: Means,
): Promise<void> {
  const failure = failureOf(operation, labels, await outputLabels(files, [labels.pages], means));
  const { interrupted } = means.host;
  if (failure?.code === 'partial' && interrupted.aborted) {
    throw interruption(interrupted, failure.message, failure.facts);
  }
  if (failure) throw failure;
}

/** Of one of many: prints its labels, unless all of them are one file. Gives everything that failed as one failure. */
export const finishOne = async (
  operation: Operation,
  files: LabelFiles | undefined,
  labels: SavedLabels,
  means: Means,
): Promise<Failure | undefined> =>
  failureOf(operation, labels, files?.merged ? [] : await outputLabels(files, [labels.pages], means));

function failureOf(
  { command }: Operation,
  { problems, failure }: SavedLabels,
  unfinished: readonly string[],
): Failure | undefined {
  const sentences = [
    ...(failure ? [failure.message] : []),
    ...problems.map(({ words }) => words),
    ...unfinished,
  ];
  if (sentences.length === 0) return undefined;
  const message = `${failure ? '' : `${command}: `}${sentences.join('. ')}`;
  return new Failure(failure?.code ?? 'partial', message, {
    operation: command,
    created: true,
    ...failure?.facts,
    next: [...(failure?.facts.next ?? []), ...commandsIn(problems)],
  });
}

/** Merges and prints labels as it is wanted, in the order given. Gives a sentence for everything that failed. */
export async function outputLabels(
  files: LabelFiles | undefined,
  labels: readonly LabelPages[],
  means: PrintMeans,
): Promise<string[]> {
  if (files === undefined) return [];
  const { out, host } = means;
  const { merged, print } = files;
  if (print === 'new') await noteNotPrinted(labels, means);
  const toPrint = labels.map(one => ({
    name: one.name,
    files: one.files.filter(({ isNew }) => print === 'all' || (isNew && print === 'new')),
  }));
  const paths = toPrint.flatMap(one => one.files.map(({ path }) => path));
  if (merged === undefined) return printFiles(paths, means);
  const old = labels.flatMap(oldFiles).length;
  const job = print === 'all' || old === 0 ? merged : newIn(merged);
  try {
    if (print && (job === merged || paths.length === 0) && removeNew(merged))
      await out.note(`${newIn(merged).path} is removed: it was the print job of an earlier command`);
    const { missing, count } = await mergeLabels(merged, labels, host);
    const problems = missing.length > 0 ? [lacks(merged.name, missing)] : [];
    const before = old > 0 ? `, ${old} of them made before` : '';
    if (count > 0) await out.note(`labels merged: ${merged.path} (${labelCount(count)}${before})`);
    if (count === 0 || paths.length === 0) return problems;
    const printed = job === merged ? count : (await mergeLabels(job, toPrint, host)).count;
    const unprinted = await printFiles([job.path], means);
    if (unprinted.length === 0)
      await out.note(`labels sent to the printer: ${job.path} (${labelCount(printed)})`);
    return [...problems, ...unprinted];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [`the labels were made and saved, but not merged: ${error.message}`];
  }
}

const labelCount = (count: number): string => `${count} label${count === 1 ? '' : 's'}`;

const oldFiles = ({ files }: LabelPages) => files.filter(({ isNew }) => !isNew);

/** How many are named. */
const MOST_NAMED = 50;

/** Says how many labels were made before and are not printed, and which command prints them and no others. */
export async function noteNotPrinted(
  labels: readonly LabelPages[],
  { out, targetFlags }: PrintMeans,
): Promise<void> {
  const count = labels.flatMap(oldFiles).length;
  if (count === 0) return;
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  const names = labels.filter(one => oldFiles(one).length > 0).map(({ name }) => name);
  const isAll = labels.every(one => oldFiles(one).length === one.files.length);
  const command = commandText([
    'waybill',
    'label',
    '--print',
    '--reprint',
    ...targetFlags,
    ...operandWords(names),
  ]);
  const how =
    labels.length > 1 && isAll
      ? `the same command with --reprint prints ${them}`
      : names.length > MOST_NAMED
        ? `the same command with --reprint prints all labels, the new ones too`
        : `\`${command}\` prints ${them}`;
  await out.note(
    `${labelCount(count)} ${count === 1 ? 'was' : 'were'} made before, and ${are} not printed again; ${how}`,
  );
}

function lacks(file: string, missing: readonly MissingLabel[]): string {
  const named = missing.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`));
  return `${file} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${someOf(named, MOST_NAMED)}`;
}

/** Runs the print command on each file; a sentence for each file that was not printed. */
async function printFiles(files: readonly string[], { host, printCommand }: PrintMeans): Promise<string[]> {
  const [program = 'lp', ...args] = printCommand.split(/\s+/).filter(Boolean);
  const problems: string[] = [];
  for (const file of files) {
    // stdout has only the result.
    const code = await host.run(program, [...args, file], { output: 'stderr' }).catch(messageOf);
    if (code === 0) continue;
    const why = typeof code === 'number' ? `ended with ${code}` : `cannot be run (${code})`;
    problems.push(
      `the label was made and saved as ${file}, but not printed: ${program} ${why}. \`${commandText([program, ...args, file])}\` prints it`,
    );
  }
  return problems;
}
