// All labels as one PDF, which may go to the printer.

import { existsSync } from 'node:fs';
import { Failure } from '../errors.ts';
import type { PrintClaim } from '../journal/prints.ts';
import type { Desk } from '../order/desk.ts';
import { targetFlags } from '../order/options.ts';
import type { LabelProblem } from '../say/labels.ts';
import type { Notice } from '../say/notices.ts';
import type { PapersBehind } from '../wing.ts';
import { printEach, refuseTooSmall, warnOfDrawn } from './print.ts';
import {
  asOfNow,
  byPlace,
  claimAll,
  hasFiles,
  heldNow,
  heldProblems,
  isIn,
  isNew,
  notDone,
  noteLater,
  recordCutOff,
  recordPrinted,
  withoutTwins,
} from './print-claims.ts';
import { type NotPrinted, printFile } from './printer.ts';
import {
  type DrawnLabels,
  drawLabels,
  type LabelOutput,
  type MergedFile,
  type OrderLabels,
  refuseRival,
  writeMerged,
} from './save.ts';

/**
 * Writes all labels as one PDF, and prints the PDF if that is wanted. Drawing may take minutes: the prints are claimed only when the drawn
 * file lacks nothing but its name. If another desk has printed one of the labels meanwhile, the PDF is drawn again.
 */
export async function mergeLabels(
  output: LabelOutput,
  merged: MergedFile,
  asked: readonly OrderLabels[],
  desk: Desk,
  behind: PapersBehind | undefined,
): Promise<LabelProblem[]> {
  try {
    for (;;) {
      const problems = await mergeOnce(output, merged, asked, desk, behind);
      if (problems !== undefined) return problems;
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'usage') throw error;
    return [notDone('none-merged', error)];
  }
}

/** `undefined` if another desk printed one of the labels while the PDF was drawn: then no file was written. */
async function mergeOnce(
  output: LabelOutput,
  merged: MergedFile,
  asked: readonly OrderLabels[],
  desk: Desk,
  behind: PapersBehind | undefined,
): Promise<LabelProblem[] | undefined> {
  const { journal, host, printer } = desk;
  const isAgain = output.print === 'all';
  const { labels, held, inFile, wanted } = await labelsToMerge(output, asked, desk);
  // If a person prints the file, the labels that are not printed yet come first: the pages to print are then neighbours.
  const ordered = output.print === undefined ? newFirst(wanted) : wanted;
  const drawn = await drawLabels(ordered, output.sheet, desk, behind?.merge);
  await warnOfDrawn(drawn, desk);
  if (output.onlyUnprinted !== true) refuseTooSmall(drawn, output);
  // A file with labels that were printed earlier does not go to the printer: its new labels are printed one by one.
  const isPrintedEach = output.print === 'unprinted' && !drawn.labels.every(isNew);
  const toClaim = isPrintedEach ? [] : drawn.labels.filter(file => isAgain || isNew(file));
  let claim: PrintClaim = { scope: desk.scope(), claimed: [], held: [] };
  let isEnded = false;
  try {
    const isWritten =
      drawn.labels.length > 0 &&
      (await writeMerged(merged, drawn.pdf, host, async () => {
        if (toClaim.length > 0) claim = await claimAll(toClaim, isAgain, desk);
        return claim.held.length === 0;
      }));
    const problems = [
      ...heldProblems(held, labels, output, desk),
      ...missingProblems(drawn, merged, output),
      ...(behind?.problems.splice(0) ?? []),
    ];
    if (claim.held.length > 0) {
      await journal.endPrints(claim);
      isEnded = true;
      return undefined;
    }
    if (output.print === 'unprinted') noteLater(output, labels);
    if (!isWritten) {
      if (existsSync(merged.path)) await printer.note({ kind: 'merged-before', path: merged.path });
      return problems;
    }
    await printer.note(mergedNotice(merged.path, drawn, output));
    if (isPrintedEach) {
      const left = inFile.map(pages => ({ ...pages, files: pages.files.filter(isNew) }));
      return [...problems, ...(await printEach(left, output, desk, behind))];
    }
    // Only the file that this command wrote may be printed, and counts as printed.
    refuseRival(merged);
    const failed = output.print && (await printFile(merged.path, desk));
    if (failed && !failed.isCutOff) return [...problems, notPrintedFile(output, drawn, failed, desk)];
    isEnded = true;
    const inPdf = wanted.map(pages => ({ ...pages, files: pages.files.filter(isIn(drawn.labels)) }));
    const ended = failed
      ? await recordCutOff(claim, inPdf.filter(hasFiles), failed.because, output, desk)
      : await recordPrinted(claim, inPdf, merged.path, output, desk);
    return [...problems, ...ended];
  } finally {
    if (!isEnded) await journal.endPrints(claim).catch(() => {});
  }
}

/**
 * `held`: labels that nobody may print now. `inFile`: each order with its labels for the file. `wanted`: the orders that have such labels,
 * or were given without any label.
 */
async function labelsToMerge(output: LabelOutput, asked: readonly OrderLabels[], desk: Desk) {
  const isAgain = output.print === 'all';
  // A page with several labels is printed as a whole, and therefore has only labels that nobody printed.
  const isOnlyNew =
    output.onlyUnprinted === true || (output.print === 'unprinted' && output.sheet.perPage !== undefined);
  const labels = withoutTwins(await asOfNow(asked, desk));
  const held = await heldNow(
    labels.flatMap(({ files }) => (isAgain ? files : files.filter(isNew))),
    isAgain,
    desk,
  );
  const inFile = labels.map(pages => ({
    ...pages,
    files: pages.files.filter(file => !isIn(held)(file) && !(isOnlyNew && !isNew(file))),
  }));
  const wanted = inFile.filter((pages, index) => pages.files.length > 0 || asked[index]?.files.length === 0);
  return { labels, held, inFile, wanted };
}

function missingProblems(drawn: DrawnLabels, merged: MergedFile, output: LabelOutput): LabelProblem[] {
  const { missing } = drawn;
  const isCropped = output.sheet.crop !== undefined;
  return missing.length > 0 ? [{ problem: 'missing', file: merged.name, missing, isCropped }] : [];
}

/** The notice of a merged file: what it contains, and which of its pages a person prints. */
function mergedNotice(path: string, drawn: DrawnLabels, output: LabelOutput): Notice {
  const old = drawn.labels.filter(({ printed }) => printed);
  const before = byPlace(old).map(({ place, labels: files }) => ({ ...place, count: files.length }));
  const first = output.print === undefined ? (old[0]?.page ?? 1) : 1;
  const pages = first === 1 ? undefined : { last: first - 1, all: drawn.pdf.pageCount };
  return { kind: 'labels-merged', path, count: drawn.labels.length, before, pages };
}

/** The orders as given, but all labels that were printed earlier come last. An order without any label is listed once. */
function newFirst(labels: readonly OrderLabels[]): OrderLabels[] {
  const fresh = labels.map(pages => ({ ...pages, files: pages.files.filter(isNew) }));
  const old = labels.map(({ name, files }) => ({ name, files: files.filter(file => !isNew(file)) }));
  const [first, ...rest] = old.filter(hasFiles);
  return [
    ...fresh.filter((pages, index) => hasFiles(pages) || labels[index]?.files.length === 0 || pages.failed),
    ...(first ? [{ ...first, onNewPage: true }, ...rest] : []),
  ];
}

function notPrintedFile(
  output: LabelOutput,
  drawn: DrawnLabels,
  fault: NotPrinted,
  desk: Desk,
): LabelProblem {
  const { merged, flags, sheet } = output;
  const again = ['waybill', 'label', '--unprinted', '--print', ...flags, ...targetFlags(desk)];
  // `again` prints the same only if each label is new and has a page of its own.
  const isSame = drawn.labels.every(isNew) && sheet.perPage === undefined;
  const path = merged?.path ?? '';
  const { because } = fault;
  return { problem: 'file-not-printed', path, count: drawn.labels.length, because, ...(isSame && { again }) };
}
