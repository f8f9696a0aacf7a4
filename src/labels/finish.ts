// The last step of a command, after its answer is shown: merges and prints the saved labels, and reports everything that failed.

import { basename, dirname } from 'node:path';
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Desk } from '../order/desk.ts';
import { targetFlags } from '../order/options.ts';
import { type LabelProblem, LEFT_TO_OTHERS, MOST_NAMED } from '../say/labels.ts';
import { operandWords } from '../text.ts';
import { fromWing } from '../wings.ts';
import { mergeLabels } from './merge.ts';
import { printEach } from './print.ts';
import { asOfNow, byPlace, isIn, notDone, noteLater, withoutTwins } from './print-claims.ts';
import { printerOf, printFile } from './printer.ts';
import type { LabelOutput, OrderLabels, SavedLabels } from './save.ts';

/** Throws if a label was not made, not saved, not merged or not printed. */
export async function finishLabels(
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  desk: Desk,
): Promise<void> {
  const unfinished = await outputLabels(files, [labels.pages], desk);
  await noteDone(files, desk);
  const failure = failureOf(operation, labels, unfinished);
  if (failure) throw failure;
}

/** Prints the labels of one of many orders, unless the labels of all orders are merged into one file. Gives all failures as one. */
export const finishOne = async (
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  desk: Desk,
): Promise<Failure | undefined> =>
  failureOf(operation, labels, files?.merged ? [] : await outputLabels(files, [labels.pages], desk, true));

/** Does what `finishOne` does, for a record of a batch. `printed`: are all labels of the record printed now? */
export async function finishRecord(
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  desk: Desk,
): Promise<{ failure: Failure | undefined; printed: boolean }> {
  const failure = await finishOne(operation, files, labels, desk);
  return { failure, printed: files?.print !== undefined && (await arePrinted(labels, desk)) };
}

/** Are all labels of the order printed? `false` also if the journal cannot be asked: a line of results has only what is sure. */
async function arePrinted(saved: SavedLabels, desk: Desk): Promise<boolean> {
  if (saved.pages.files.length === 0 || saved.problems.length > 0) return false;
  const [now] = await asOfNow([saved.pages], desk).catch(() => []);
  return now?.files.every(({ printed }) => printed) ?? false;
}

function failureOf(
  operation: Operation,
  saved: SavedLabels,
  unfinished: readonly LabelProblem[],
): Failure | undefined {
  const { command } = operation;
  const left = [...saved.problems, ...unfinished];
  if (saved.failure) {
    // Only a missing `created` becomes `true`: `null` says that nobody knows, and stays.
    const { operation: failed = command, created = true } = saved.failure.facts;
    return saved.failure.with({ operation: failed, created, hint: { kind: 'labels-left', problems: left } });
  }
  if (left.length === 0) return undefined;
  const isForOthers = saved.problems.length === 0 && unfinished.every(isLeftToOthers);
  return new Failure(
    'partial',
    { kind: 'labels-unfinished', command, problems: left },
    { operation: command, created: true, ...(isForOthers && { retry: 'never' }) },
  );
}

/** Is it useless to run the command again? A paper is printed only with its label, and that label is printed already. */
export const isLeftToOthers = (problem: LabelProblem): boolean => LEFT_TO_OTHERS.includes(problem.problem);

/**
 * Merges and prints labels as `files` says, in the order given. Gives everything that failed; `noteDone` tells what was done.
 * `isOneOfMany`: a problem also names the command for all orders.
 */
export async function outputLabels(
  files: LabelOutput | undefined,
  saved: readonly OrderLabels[],
  desk: Desk,
  isOneOfMany = false,
): Promise<LabelProblem[]> {
  if (
    files === undefined ||
    (files.merged === undefined && files.print === undefined && files.papers.length === 0)
  )
    return [];
  const behind =
    files.papers.length > 0
      ? (await fromWing('papersBehind')?.())?.(files, desk, path => printFile(path, desk))
      : undefined;
  if (files.merged) return mergeLabels(files, files.merged, saved, desk, behind);
  let labels: OrderLabels[];
  try {
    labels = withoutTwins(await asOfNow(saved, desk));
  } catch (error) {
    return [notDone('none-printed', error)];
  }
  if (files.print === 'unprinted') noteLater(files, labels);
  return printEach(labels, files, desk, behind, isOneOfMany);
}

/** Notes which labels were saved, and which were printed: each in one line. */
export async function noteDone(files: LabelOutput | undefined, desk: Desk): Promise<void> {
  if (files === undefined) return;
  const { saved } = files.done;
  const [first = ''] = saved;
  if (saved.length === 1) await desk.printer.note({ kind: 'label-saved', path: first });
  else if (saved.length > 1) {
    const names = saved.map(path => basename(path));
    await desk.printer.note({ kind: 'labels-saved', folder: dirname(first), files: names });
  }
  await notePrinted(files, desk);
}

/** Notes which labels a printer got, and which labels were printed earlier and are not printed again. */
export async function notePrinted(output: LabelOutput, desk: Desk): Promise<void> {
  const { printed, earlier } = output.done;
  await noteEarlierPrints(earlier, output.papers.length > 0, desk);
  const orders = [...new Set(printed)];
  const printer = printerOf(desk);
  if (printed.length > 0)
    await desk.printer.note({ kind: 'labels-printed', count: printed.length, orders, ...printer });
}

/**
 * Notes how many labels were printed earlier and are not printed again, with the command that prints these labels alone. Their papers are
 * not printed either: nobody knows whether the papers were printed.
 */
async function noteEarlierPrints(
  labels: readonly OrderLabels[],
  hasPapers: boolean,
  desk: Desk,
): Promise<void> {
  for (const { place, labels: files } of byPlace(labels.flatMap(pages => pages.files))) {
    const orders = labels.filter(pages => pages.files.some(isIn(files))).map(({ name }) => name);
    const typed = (...command: string[]) =>
      orders.length <= MOST_NAMED
        ? ['waybill', ...command, ...targetFlags(desk), ...operandWords(orders)]
        : undefined;
    await desk.printer.note({
      kind: 'labels-printed-before',
      ...place,
      count: files.length,
      orders,
      hasPapers,
      reprint: typed('label', '--print', '--reprint'),
      papers: typed('papers', '--print'),
    });
  }
}
