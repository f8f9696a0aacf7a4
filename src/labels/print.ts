// After the answer is shown: merges and prints the saved labels, and reports everything that failed.

import type { Operation } from '../contract/operations.ts';
import { commandsIn, Failure, messageOf } from '../errors.ts';
import { interruption } from '../host/signals.ts';
import { wordOf } from '../journal/find.ts';
import type { Means } from '../order/order.ts';
import { commandText, operandWords, someOf } from '../text.ts';
import {
  type LabelFile,
  type LabelFiles,
  type LabelPages,
  type MissingLabel,
  mergeLabels,
  type SavedLabels,
} from './save.ts';

/** What merging and printing needs. */
type PrintMeans = Pick<
  Means,
  'out' | 'host' | 'journal' | 'origin' | 'printCommand' | 'secretVariables' | 'targetFlags'
>;

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

/** Prints the labels of one of many, unless all of them are one file. Gives everything that failed as one failure. */
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
  given: readonly LabelPages[],
  means: PrintMeans,
): Promise<string[]> {
  if (files === undefined) return [];
  const { out, host } = means;
  const { merged, print } = files;
  const labels = print === 'unprinted' ? await asOfNow(given, means) : given;
  if (print === 'unprinted') await noteNotPrinted(labels, means);
  const toPrint = labels.map(one => ({
    name: one.name,
    files: one.files.filter(({ isPrinted }) => print === 'all' || (print !== undefined && !isPrinted)),
  }));
  if (merged === undefined) return printEach(toPrint, means);
  const old = labels.flatMap(printedFiles).length;
  try {
    const whole = await mergeLabels(merged, labels, host);
    const problems = whole.missing.length > 0 ? [lacks(merged.name, whole.missing)] : [];
    const count = whole.merged.length;
    const before = old > 0 ? `, ${old} of them printed before` : '';
    if (count > 0) await out.note(`labels merged: ${merged.path} (${labelCount(count)}${before})`);
    if (print && count === 0) return problems;
    // The file has labels that were printed before: only the new ones go to the printer, each by itself.
    if (print === 'unprinted' && old > 0) return [...problems, ...(await printEach(toPrint, means))];
    // Who merges them without --print prints the file.
    const why = print && (await printFile(merged.path, means));
    if (why !== undefined) {
      const again = commandText(['waybill', 'label', '--unprinted', '--print', ...means.targetFlags]);
      return [
        ...problems,
        `the ${labelCount(count)} in ${merged.path} ${count === 1 ? 'was' : 'were'} made and saved, but not printed: ${why}. The same command prints ${themOf(whole.merged)}, and so does \`${again}\``,
      ];
    }
    if (print) await out.note(`labels sent to the printer: ${merged.path} (${labelCount(count)})`);
    return [...problems, ...(await recordPrinted(whole.merged, merged.path, means))];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [`the labels were made and saved, but not merged: ${error.message}`];
  }
}

/** Another machine may have printed some of them while this command made the rest. */
async function asOfNow(
  labels: readonly LabelPages[],
  { journal, origin }: PrintMeans,
): Promise<LabelPages[]> {
  const printed = await journal.printedAmong(
    origin.scope,
    labels.flatMap(({ files }) => files),
  );
  return labels.map(one => ({
    ...one,
    files: one.files.map(file => ({ ...file, isPrinted: file.isPrinted || printed.has(wordOf(file)) })),
  }));
}

async function printEach(labels: readonly LabelPages[], means: PrintMeans): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, files } of labels)
    for (const file of files) {
      const why = await printFile(file.path, means);
      const again = commandText([
        'waybill',
        'label',
        '--print',
        ...means.targetFlags,
        ...operandWords([name]),
      ]);
      if (why === undefined) problems.push(...(await recordPrinted([file], file.path, means)));
      else
        problems.push(
          `the label was made and saved as ${file.path}, but not printed: ${why}. \`${again}\` prints it, and makes no other`,
        );
    }
  return problems;
}

/** Gives a sentence if the journal could not record it. */
async function recordPrinted(
  files: readonly LabelFile[],
  path: string,
  { journal, origin }: PrintMeans,
): Promise<string[]> {
  try {
    await journal.recordPrinted(origin.scope, files);
    return [];
  } catch (error) {
    return [
      `${path} is there to be handed out, but the journal could not record that: ${messageOf(error)}. The next --print prints ${themOf(files)} again`,
    ];
  }
}

const themOf = (files: readonly unknown[]): string => (files.length === 1 ? 'it' : 'them');

const labelCount = (count: number): string => `${count} label${count === 1 ? '' : 's'}`;

const printedFiles = ({ files }: LabelPages) => files.filter(({ isPrinted }) => isPrinted);

/** How many are named. */
const MOST_NAMED = 50;

/** Says how many labels were printed before and are not printed again, and which command prints them and no others. */
export async function noteNotPrinted(
  labels: readonly LabelPages[],
  { out, targetFlags }: PrintMeans,
): Promise<void> {
  const count = labels.flatMap(printedFiles).length;
  if (count === 0) return;
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  const names = labels.filter(one => printedFiles(one).length > 0).map(({ name }) => name);
  const command = ['waybill', 'label', '--print', '--reprint', ...targetFlags, ...operandWords(names)];
  const how =
    names.length > MOST_NAMED
      ? 'the same command with --reprint prints all labels, the others too'
      : `\`${commandText(command)}\` prints ${them}`;
  await out.note(
    `${labelCount(count)} ${count === 1 ? 'was' : 'were'} printed before, and ${are} not printed again; ${how}`,
  );
}

function lacks(file: string, missing: readonly MissingLabel[]): string {
  const named = missing.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`));
  return `${file} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${someOf(named, MOST_NAMED)}`;
}

/** Runs the print command on a file. Gives why it was not printed, if it was not. */
async function printFile(
  file: string,
  { host, printCommand, secretVariables }: PrintMeans,
): Promise<string | undefined> {
  const [program = 'lp', ...args] = printCommand.split(/\s+/).filter(Boolean);
  // stdout has only the result.
  const code = await host
    .run(program, [...args, file], { output: 'stderr', without: secretVariables })
    .catch(messageOf);
  if (code === 0) return undefined;
  return typeof code === 'number' ? `${program} ended with ${code}` : `${program} cannot be run (${code})`;
}
