// Prints labels one by one, each on its paper.

import { Failure, innerOf } from '../errors.ts';
import type { PrintClaim } from '../journal/prints.ts';
import type { Desk } from '../order/desk.ts';
import { targetFlags } from '../order/options.ts';
import type { LabelProblem, PrintFault } from '../say/labels.ts';
import { operandWords } from '../text.ts';
import type { PapersBehind } from '../wing.ts';
import {
  asOfNow,
  claimAll,
  heldProblems,
  isNew,
  noteLater,
  recordCutOff,
  recordPrinted,
} from './print-claims.ts';
import { printFile } from './printer.ts';
import {
  type DrawnLabels,
  drawLabels,
  type LabelFile,
  type LabelOutput,
  type OrderLabels,
  savePrint,
} from './save.ts';

export async function printEach(
  labels: readonly OrderLabels[],
  output: LabelOutput,
  desk: Desk,
  behind: PapersBehind | undefined,
  isOneOfMany = false,
): Promise<LabelProblem[]> {
  const problems: LabelProblem[] = [];
  for (const { name, files } of labels) {
    let isPrinted = false;
    const toPrint = files.filter(
      file => output.print === 'all' || (output.print === 'unprinted' && isNew(file)),
    );
    // All labels of an order are drawn before the first is printed: a label that does not fit is refused before anything is done.
    const ready: Ready[] = [];
    for (const file of toPrint)
      ready.push({ file, paper: await onPaper(name, file, output, desk, isOneOfMany) });
    for (const label of ready) {
      const printed = await printOne(name, label, output, desk, isOneOfMany);
      isPrinted ||= printed.isPrinted;
      problems.push(...printed.problems);
    }
    if (files.length > 0) await behind?.save(files, isPrinted);
  }
  return [...problems, ...(behind?.problems ?? [])];
}

/** Claims a label and prints it. */
async function printOne(
  name: string,
  ready: Ready,
  output: LabelOutput,
  desk: Desk,
  isOneOfMany: boolean,
): Promise<{ isPrinted: boolean; problems: LabelProblem[] }> {
  const { file, paper } = ready;
  const pages = { name, files: [file] };
  const flags = [...output.flags, ...(isNew(file) ? [] : ['--reprint']), ...targetFlags(desk)];
  const again = ['waybill', 'label', '--print', ...flags, ...operandWords([name])];
  const againAll =
    isOneOfMany && isNew(file) ? ['waybill', 'label', '--unprinted', '--print', ...flags] : undefined;
  const notPrinted = (because: PrintFault) => ({
    isPrinted: false,
    problems: [{ problem: 'not-printed', path: file.path, because, again, all: againAll } as const],
  });
  const { done } = output;
  if (done.cannotPrint) return notPrinted(done.cannotPrint);
  if ('problem' in paper) return { isPrinted: false, problems: [paper] };
  let claim: PrintClaim;
  try {
    claim = await claimAll([file], output.print === 'all', desk);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return notPrinted({ fault: 'failed', why: innerOf(error) });
  }
  if (claim.held.length > 0) {
    const [now] = await asOfNow([pages], desk);
    if (now) noteLater(output, [now]);
    return { isPrinted: false, problems: heldProblems(claim.held, [pages], output, desk) };
  }
  const failed = await printFile(paper.path, desk);
  if (failed === undefined)
    return { isPrinted: true, problems: await recordPrinted(claim, [pages], file.path, output, desk) };
  if (failed.isCutOff)
    return { isPrinted: false, problems: await recordCutOff(claim, [pages], failed.because, output, desk) };
  await desk.journal.endPrints(claim).catch(() => {});
  if (failed.isForAll) done.cannotPrint = failed.because;
  return notPrinted(failed.because);
}

/** A label, and the file that the printer gets, or why there is none. */
interface Ready {
  file: LabelFile;
  paper: { path: string } | LabelProblem;
}

/**
 * The file to print: the label as the carrier made it, or the label on the paper that is wanted. Throws `usage` if the label of the only
 * order is too small.
 */
async function onPaper(
  name: string,
  file: LabelFile,
  output: LabelOutput,
  desk: Desk,
  isOneOfMany: boolean,
): Promise<Ready['paper']> {
  const { sheet, done } = output;
  // Nothing is drawn if nothing can be printed, or if no paper, crop or stamp is wanted.
  if (done.cannotPrint || Object.values(sheet).every(value => value === undefined))
    return { path: file.path };
  const drawn = await drawLabels([{ name, files: [file] }], { ...sheet, perPage: undefined }, desk);
  await warnOfDrawn(drawn, desk);
  if (!isOneOfMany) refuseTooSmall(drawn, output);
  const [missing] = drawn.missing;
  // A label in the own language of a label printer cannot be put on other paper: it is printed as it is.
  if (missing?.fault?.fault === 'no-page-kind') {
    await desk.printer.warn({ kind: 'label-on-own-paper', order: name, file: missing.fault.file });
    return { path: file.path };
  }
  if (missing?.fault && missing.fault.fault !== 'no-file')
    return {
      problem: 'not-on-paper',
      path: file.path,
      fault: missing.fault,
      isCropped: sheet.crop !== undefined,
    };
  return { path: savePrint(file.path, await drawn.pdf.bytes(), output, desk.host) };
}

/** Warns of what a person should check on the printed paper. */
export async function warnOfDrawn(drawn: DrawnLabels, desk: Desk): Promise<void> {
  const { uncropped, lost, cut } = drawn;
  if (uncropped.length > 0) await desk.printer.warn({ kind: 'label-uncropped', orders: uncropped });
  for (const [order, letters] of lost) await desk.printer.warn({ kind: 'stamp-unprintable', order, letters });
  if (cut.length > 0) await desk.printer.warn({ kind: 'stamp-cut', orders: cut });
}

/**
 * Throws `usage` if a label would be too small to be read. After this command has made or printed a label it throws nothing: then the small
 * label is a problem of its order.
 */
export function refuseTooSmall(drawn: DrawnLabels, output: LabelOutput): void {
  const labels = drawn.missing.flatMap(({ name, fault }) =>
    fault?.fault === 'paper-too-small' ? [{ order: name, percent: fault.percent }] : [],
  );
  if (labels.length === 0 || output.done.hasMade || output.done.printed.length > 0) return;
  throw new Failure('usage', { kind: 'label-too-small', labels, isCropped: output.sheet.crop !== undefined });
}
