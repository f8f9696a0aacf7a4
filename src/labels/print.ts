// After the answer is shown: merges and prints the saved labels, and reports everything that failed.

import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LegShipment, PrintedLabel } from '../booking/booking.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure, innerOf } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import type { HeldPrint, PrintClaim } from '../journal/prints.ts';
import { indexedShipment } from '../journal/tables.ts';
import type { Desk } from '../order/desk.ts';
import { targetFlags } from '../order/options.ts';
import {
  type LabelProblem,
  LEFT_TO_OTHERS,
  MOST_NAMED,
  type PrintFault,
  type PrintPlace,
  printPlaceWords,
} from '../say/labels.ts';
import type { Notice } from '../say/notices.ts';
import type { CommandWords } from '../say/sentence.ts';
import { EXAMPLES, operandWords } from '../text.ts';
import type { PapersBehind } from '../wing.ts';
import { fromWing } from '../wings.ts';
import { type NotPrinted, printerOf, printFile } from './printer.ts';
import {
  type DrawnLabels,
  drawLabels,
  type LabelFile,
  type LabelOutput,
  type LabelPages,
  type MergedFile,
  refuseRival,
  type SavedLabels,
  savePrint,
  writeMerged,
} from './save.ts';

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

/** Prints the labels of one of many, unless all of them are one file. Gives everything that failed as one failure. */
export const finishOne = async (
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  desk: Desk,
): Promise<Failure | undefined> =>
  failureOf(operation, labels, files?.merged ? [] : await outputLabels(files, [labels.pages], desk, true));

/** `finishOne` for a record of a batch. `printed`: are all its labels printed now? */
export async function finishRecord(
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  desk: Desk,
): Promise<{ failure: Failure | undefined; printed: boolean }> {
  const failure = await finishOne(operation, files, labels, desk);
  return { failure, printed: files?.print !== undefined && (await arePrinted(labels, desk)) };
}

/** `false` also if the journal cannot be asked: a line of results has only what is sure. */
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
    // `created` may be null: nobody knows.
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

/** Does running the command again not do it? A paper is printed with its label, and that label is printed already. */
export const isLeftToOthers = (problem: LabelProblem): boolean => LEFT_TO_OTHERS.includes(problem.problem);

/**
 * Merges and prints labels as it is wanted, in the order given. Gives everything that failed. `noteDone` says the rest. `isOneOfMany`:
 * what failed is said in the words of all.
 */
export async function outputLabels(
  files: LabelOutput | undefined,
  asked: readonly LabelPages[],
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
  if (files.merged) return mergeAll(files, files.merged, asked, desk, behind);
  let labels: LabelPages[];
  try {
    labels = withoutTwins(await asOfNow(asked, desk));
  } catch (error) {
    return [notDone('none-printed', error)];
  }
  if (files.print === 'unprinted') noteLater(files, labels);
  return printEach(labels, files, desk, behind, isOneOfMany);
}

/** Keeps for `noteDone` which labels are not printed again. */
function noteLater(output: LabelOutput, labels: readonly LabelPages[]): void {
  for (const { name, files } of labels) {
    const earlier = files.filter(({ printed }) => printed);
    if (earlier.length > 0) output.done.earlier.push({ name, files: earlier });
  }
}

/**
 * Writes all labels as one PDF, and prints it if that is wanted. Nothing is claimed while it is drawn, which may take minutes: only
 * its name is missing when the labels are claimed, and what another desk has printed meanwhile is drawn again, as that.
 */
async function mergeAll(
  files: LabelOutput,
  merged: MergedFile,
  asked: readonly LabelPages[],
  desk: Desk,
  behind: PapersBehind | undefined,
): Promise<LabelProblem[]> {
  const isAgain = files.print === 'all';
  // A page of several labels goes to the printer whole, and has only labels that nobody printed.
  const isOnlyNew =
    files.onlyUnprinted === true || (files.print === 'unprinted' && files.sheet.perPage !== undefined);
  const { journal, host, printer } = desk;
  const nothing: PrintClaim = { scope: desk.scope(), claimed: [], held: [] };
  let claim = nothing;
  let isEnded = false;
  try {
    for (;;) {
      const labels = withoutTwins(await asOfNow(asked, desk));
      const held = await heldNow(
        labels.flatMap(({ files }) => files.filter(isAgain ? () => true : isNew)),
        isAgain,
        desk,
      );
      const inFile = labels.map(pages => ({
        ...pages,
        files: pages.files.filter(file => !isIn(held)(file) && !(isOnlyNew && !isNew(file))),
      }));
      const wanted = inFile.filter(
        (pages, index) => pages.files.length > 0 || asked[index]?.files.length === 0,
      );
      // A person prints the file: the new ones come first, so that the pages to print are neighbours.
      const drawn = await drawLabels(
        files.print === undefined ? newFirst(wanted) : wanted,
        files.sheet,
        desk,
        behind?.merge,
      );
      await warnOfDrawn(drawn, desk);
      if (files.onlyUnprinted !== true) refuseTooSmall(drawn, files);
      const old = drawn.labels.filter(({ printed }) => printed);
      // A file with labels that count as printed does not go to the printer: the new ones do, each by itself.
      const isPrintedEach = files.print === 'unprinted' && old.length > 0;
      const toClaim = isPrintedEach ? [] : drawn.labels.filter(file => isAgain || isNew(file));
      const isWritten =
        drawn.labels.length > 0 &&
        (await writeMerged(merged, drawn.pdf, host, async () => {
          if (toClaim.length > 0) claim = await claimAll(toClaim, isAgain, desk);
          return claim.held.length === 0;
        }));
      const { missing } = drawn;
      const isCropped = files.sheet.crop !== undefined;
      const problems: LabelProblem[] = [
        ...heldProblems(held, labels, files, desk),
        ...(missing.length > 0
          ? [{ problem: 'missing', file: merged.name, missing, isCropped } as const]
          : []),
        ...(behind?.problems.splice(0) ?? []),
      ];
      if (claim.held.length > 0) {
        await journal.endPrints(claim);
        claim = nothing;
        continue;
      }
      if (files.print === 'unprinted') noteLater(files, labels);
      if (!isWritten) {
        if (existsSync(merged.path)) await printer.note({ kind: 'merged-before', path: merged.path });
        return problems;
      }
      await printer.note(mergedNotice(merged.path, drawn, files));
      if (isPrintedEach) {
        const left = inFile.map(pages => ({ ...pages, files: pages.files.filter(isNew) }));
        return [...problems, ...(await printEach(left, files, desk, behind))];
      }
      // What is printed, and counts as printed, is what was written.
      refuseRival(merged);
      const failed = files.print && (await printFile(merged.path, desk));
      if (failed && !failed.isCutOff) return [...problems, notPrintedFile(files, drawn, failed, desk)];
      isEnded = true;
      const inPdf = wanted.map(pages => ({ ...pages, files: pages.files.filter(isIn(drawn.labels)) }));
      return [
        ...problems,
        ...(failed
          ? await recordCutOff(claim, inPdf.filter(hasFiles), failed.because, files, desk)
          : await recordPrinted(claim, inPdf, merged.path, files, desk)),
      ];
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'usage') throw error;
    return [notDone('none-merged', error)];
  } finally {
    if (!isEnded) await journal.endPrints(claim).catch(() => {});
  }
}

const isNew = (file: LabelFile): boolean => file.printed === undefined;

const hasFiles = (label: LabelPages): boolean => label.files.length > 0;

/** Two orders may be one shipment, which has one label: it is that of the first. */
function withoutTwins(labels: readonly LabelPages[]): LabelPages[] {
  const seen = new Set<string>();
  return labels.map(pages => ({
    ...pages,
    files: pages.files.filter(file => seen.size < seen.add(indexedShipment(file)).size),
  }));
}

/** What a merged file has, and which of its pages a person prints. */
function mergedNotice(path: string, drawn: DrawnLabels, output: LabelOutput): Notice {
  const old = drawn.labels.filter(({ printed }) => printed);
  const before = byPlace(old).map(({ place, labels: files }) => ({ ...place, count: files.length }));
  const first = output.print === undefined ? (old[0]?.page ?? 1) : 1;
  const pages = first === 1 ? undefined : { last: first - 1, all: drawn.pdf.pageCount };
  return { kind: 'labels-merged', path, count: drawn.labels.length, before, pages };
}

/** Labels that count as printed since before, by what printed them. */
function byPlace(files: readonly LabelFile[]): { place: PrintPlace; labels: LabelFile[] }[] {
  const inFiles = new Set(files.map(({ printed }) => printed?.file).filter(file => file !== null));
  const places = new Map<string, { place: PrintPlace; labels: LabelFile[] }>();
  const placeOf = (label: PrintedLabel): PrintPlace => {
    if (label.file === null) return { place: 'printer' };
    return label.file === '' || inFiles.size > EXAMPLES
      ? { place: 'files' }
      : { place: 'file', file: label.file, at: label.at };
  };
  for (const label of files) {
    if (label.printed === undefined) continue;
    const place = placeOf(label.printed);
    // Labels that were printed in one minute are one group.
    const group = places.get(printPlaceWords(place)) ?? { place, labels: [] };
    group.labels.push(label);
    places.set(printPlaceWords(place), group);
  }
  return [...places.values()];
}

/** In the order given, but the labels that count as printed come last. What has no label is there once. */
function newFirst(labels: readonly LabelPages[]): LabelPages[] {
  const fresh = labels.map(pages => ({ ...pages, files: pages.files.filter(isNew) }));
  const old = labels.map(({ name, files }) => ({ name, files: files.filter(file => !isNew(file)) }));
  const [first, ...rest] = old.filter(hasFiles);
  return [
    ...fresh.filter((pages, index) => hasFiles(pages) || labels[index]?.files.length === 0 || pages.failed),
    ...(first ? [{ ...first, onNewPage: true }, ...rest] : []),
  ];
}

function notDone(problem: 'none-merged' | 'none-printed', error: unknown): LabelProblem {
  if (!(error instanceof Failure)) throw error;
  return { problem, why: innerOf(error) };
}

/** How often to look at a label that another process prints. */
const LOOK_MS = 100;

/** Asks until no other process prints one of the labels at this moment. With nothing claimed meanwhile, it ends. */
async function whenNoneIsPrinting<T>(
  ask: () => Promise<T>,
  heldIn: (answer: T) => readonly HeldPrint[],
  host: Host,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (!heldIn(answer).some(({ state }) => state === 'printing')) return answer;
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

/** Claims what is to be printed. */
const claimAll = (files: readonly LabelFile[], isAgain: boolean, desk: Desk): Promise<PrintClaim> =>
  whenNoneIsPrinting(
    () => desk.journal.claimPrints(desk.scope(), files, isAgain),
    ({ held }) => held,
    desk.host,
  );

/** What could not be claimed. */
const heldNow = (files: readonly LabelFile[], isAgain: boolean, desk: Desk): Promise<HeldPrint[]> =>
  whenNoneIsPrinting(
    () => desk.journal.heldPrints(desk.scope(), files, isAgain),
    prints => prints,
    desk.host,
  );

/** What is said of labels that are not printed: nobody knows whether they were, or their order was cancelled. */
function heldProblems(
  prints: readonly HeldPrint[],
  labels: readonly LabelPages[],
  output: LabelOutput,
  desk: Desk,
): LabelProblem[] {
  const named = prints.map(print => ({
    print,
    name: labels.find(({ files }) => files.some(isIn([print])))?.name ?? print.shipment,
  }));
  const abandoned = named.filter(({ print }) => print.state === 'abandoned');
  const cancelled = named.filter(({ print }) => print.state === 'cancelled');
  return [
    ...abandonedPrints(abandoned, [...output.flags, ...targetFlags(desk)]),
    ...(cancelled.length > 0 ? [{ problem: 'cancelled', ...namedLabels(cancelled) } as const] : []),
  ];
}

interface NamedPrint {
  print: HeldPrint;
  name: string;
}

const namedLabels = (prints: readonly NamedPrint[]) => ({
  labels: prints.map(({ print: { leg, shipment } }) => ({ leg, shipment })),
  orders: prints.map(({ name }) => name),
});

/** Labels of whose prints nobody knows how they ended. */
export function abandonedPrints(prints: readonly NamedPrint[], flags: readonly string[]): LabelProblem[] {
  const [first] = prints;
  if (first === undefined) return [];
  const { by } = first.print;
  return [
    {
      problem: 'print-unknown',
      ...namedLabels(prints),
      because: { fault: 'abandoned', by: by && { process: by.process, host: by.host, user: by.user } },
      reprint: reprintCommand(flags),
    },
  ];
}

/** Another machine may have printed some of them while this command made the rest. */
async function asOfNow(labels: readonly LabelPages[], desk: Desk): Promise<LabelPages[]> {
  const printed = await desk.journal.printedAmong(
    desk.scope(),
    labels.flatMap(({ files }) => files),
  );
  return labels.map(pages => ({
    ...pages,
    files: pages.files.map(file => ({ ...file, printed: printed.get(indexedShipment(file)) })),
  }));
}

async function printEach(
  labels: readonly LabelPages[],
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
    // All of an order before the first is printed: what does not fit is refused while nothing was done.
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
  const all =
    isOneOfMany && isNew(file) ? ['waybill', 'label', '--unprinted', '--print', ...flags] : undefined;
  const notPrinted = (because: PrintFault) => ({
    isPrinted: false,
    problems: [{ problem: 'not-printed', path: file.path, because, again, all } as const],
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

/** The label as the carrier made it, or on the paper that is wanted. Throws `usage` if it is of the only order, and too small. */
async function onPaper(
  name: string,
  file: LabelFile,
  output: LabelOutput,
  desk: Desk,
  isOneOfMany: boolean,
): Promise<Ready['paper']> {
  const { sheet, done } = output;
  // Where nothing can be printed nothing is drawn for it.
  if (done.cannotPrint || Object.values(sheet).every(value => value === undefined))
    return { path: file.path };
  const drawn = await drawLabels([{ name, files: [file] }], { ...sheet, perPage: undefined }, desk);
  await warnOfDrawn(drawn, desk);
  if (!isOneOfMany) refuseTooSmall(drawn, output);
  const [missing] = drawn.missing;
  // A printer of labels may print its own language, and no other paper.
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

/** Says what a person should compare with the paper. */
async function warnOfDrawn(drawn: DrawnLabels, desk: Desk): Promise<void> {
  const { uncropped, lost, cut } = drawn;
  if (uncropped.length > 0) await desk.printer.warn({ kind: 'label-uncropped', orders: uncropped });
  for (const [order, letters] of lost) await desk.printer.warn({ kind: 'stamp-unprintable', order, letters });
  if (cut.length > 0) await desk.printer.warn({ kind: 'stamp-cut', orders: cut });
}

/**
 * Throws `usage` if a label would be too small to be read, while nothing was done. What was made or printed by this command cannot be
 * undone: then it is a problem of its order.
 */
function refuseTooSmall(drawn: DrawnLabels, output: LabelOutput): void {
  const labels = drawn.missing.flatMap(({ name, fault }) =>
    fault?.fault === 'paper-too-small' ? [{ order: name, percent: fault.percent }] : [],
  );
  if (labels.length === 0 || output.done.hasMade || output.done.printed.length > 0) return;
  throw new Failure('usage', { kind: 'label-too-small', labels, isCropped: output.sheet.crop !== undefined });
}

function notPrintedFile(
  output: LabelOutput,
  drawn: DrawnLabels,
  fault: NotPrinted,
  desk: Desk,
): LabelProblem {
  const { merged, flags, sheet } = output;
  const again = ['waybill', 'label', '--unprinted', '--print', ...flags, ...targetFlags(desk)];
  // Several on a page are one file, which the same command prints.
  const isSame = drawn.labels.every(isNew) && sheet.perPage === undefined;
  const path = merged?.path ?? '';
  const { because } = fault;
  return { problem: 'file-not-printed', path, count: drawn.labels.length, because, ...(isSame && { again }) };
}

/** Gives a problem if the journal could not record it. */
async function recordPrinted(
  claim: PrintClaim,
  labels: readonly LabelPages[],
  path: string,
  output: LabelOutput,
  desk: Desk,
): Promise<LabelProblem[]> {
  const files = labels.flatMap(pages => pages.files);
  if (output.print) output.done.printed.push(...labels.flatMap(pages => pages.files.map(() => pages.name)));
  try {
    await desk.journal.endPrints(claim, files, 'printed', output.print ? null : path);
    return [];
  } catch (error) {
    const isPrinted = output.print !== undefined;
    return [{ problem: 'print-unrecorded', path, isPrinted, why: innerOf(error) }];
  }
}

/** Records that nobody knows whether these labels were printed, and says so: a person looks at the printer. */
async function recordCutOff(
  claim: PrintClaim,
  labels: readonly LabelPages[],
  because: PrintFault,
  output: LabelOutput,
  desk: Desk,
): Promise<LabelProblem[]> {
  const files = labels.flatMap(pages => pages.files);
  // If it cannot be written, it is the print of a process that is gone, which means the same.
  await desk.journal.endPrints(claim, files, 'cut-off').catch(() => {});
  return [
    {
      problem: 'print-unknown',
      labels: files.map(({ leg, shipment }) => ({ leg, shipment })),
      orders: labels.map(({ name }) => name),
      because,
      reprint: reprintCommand([...output.flags, ...targetFlags(desk)]),
    },
  ];
}

/** Prints labels that a person did not find at the printer, without the names of their orders. */
const reprintCommand = (flags: readonly string[]): CommandWords => [
  'waybill',
  'label',
  '--print',
  '--reprint',
  ...flags,
];

const isIn = (files: readonly LegShipment[]) => {
  const words = new Set(files.map(indexedShipment));
  return (file: LegShipment) => words.has(indexedShipment(file));
};

/** Says what was done with labels, each kind in one line. */
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

/** Says which labels a printer got, and which are not printed again. */
export async function notePrinted(output: LabelOutput, desk: Desk): Promise<void> {
  const { printed, earlier } = output.done;
  await noteEarlierPrints(earlier, output.papers.length > 0, desk);
  const orders = [...new Set(printed)];
  const printer = printerOf(desk);
  if (printed.length > 0)
    await desk.printer.note({ kind: 'labels-printed', count: printed.length, orders, ...printer });
}

/**
 * Says how many labels count as printed and are not printed again, and which command prints them and no others. Their papers are not
 * printed either: nobody knows whether they were.
 */
async function noteEarlierPrints(
  labels: readonly LabelPages[],
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
