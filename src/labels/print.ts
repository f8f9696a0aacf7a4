// After the answer is shown: merges and prints the saved labels, and reports everything that failed.

import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LegShipment, PrintedLabel } from '../booking/booking.ts';
import type { Operation } from '../contract/operations.ts';
import { type Advice, commandsIn, Failure, messageOf } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { HeldPrint, PrintClaim } from '../journal/prints.ts';
import { wordOf } from '../journal/tables.ts';
import type { Means } from '../order/order.ts';
import { timeWords } from '../say/words.ts';
import { commandText, EXAMPLES, numbered, operandWords, shown, someOf } from '../text.ts';
import type { Behind } from './behind.ts';
import { type NotPrinted, printerOf, printFile } from './printer.ts';
import {
  type DrawnLabels,
  drawLabels,
  type LabelFile,
  type LabelOutput,
  type LabelPages,
  type MergedFile,
  type MissingLabel,
  refuseRival,
  type SavedLabels,
  writeMerged,
} from './save.ts';

/** What merging and printing needs. */
type PrintMeans = Pick<
  Means,
  'out' | 'host' | 'journal' | 'origin' | 'printCommand' | 'secretVariables' | 'targetFlags'
>;

/** Throws if a label was not made, not saved, not merged or not printed. */
export async function finishLabels(
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  means: Means,
): Promise<void> {
  const unfinished = await outputLabels(files, [labels.pages], means);
  await noteDone(files, means);
  const failure = failureOf(operation, labels, unfinished);
  if (failure) throw failure;
}

/** Prints the labels of one of many, unless all of them are one file. Gives everything that failed as one failure. */
export const finishOne = async (
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  means: Means,
): Promise<Failure | undefined> =>
  failureOf(operation, labels, files?.merged ? [] : await outputLabels(files, [labels.pages], means));

/** `finishOne` for a record of a batch. `printed`: are all its labels printed now? */
export async function finishRecord(
  operation: Operation,
  files: LabelOutput | undefined,
  labels: SavedLabels,
  means: Means,
): Promise<{ failure: Failure | undefined; printed: boolean }> {
  const failure = await finishOne(operation, files, labels, means);
  return { failure, printed: files?.print !== undefined && (await arePrinted(labels, means)) };
}

/** `false` also if the journal cannot be asked: a line of results has only what is sure. */
async function arePrinted({ pages, problems }: SavedLabels, means: Means): Promise<boolean> {
  if (pages.files.length === 0 || problems.length > 0) return false;
  const [now] = await asOfNow([pages], means).catch(() => []);
  return now?.files.every(({ printed }) => printed) ?? false;
}

function failureOf(
  { command }: Operation,
  { problems, failure }: SavedLabels,
  unfinished: readonly Advice[],
): Failure | undefined {
  const advice = [...problems, ...unfinished];
  const sentences = [...(failure ? [failure.message] : []), ...advice.map(({ words }) => words)];
  if (sentences.length === 0) return undefined;
  const message = `${failure ? '' : `${command}: `}${sentences.join('. ')}`;
  const facts = {
    operation: command,
    created: true,
    ...(failure?.facts ?? (problems.length === 0 && unfinished.every(isLeftToOthers) && { retry: 'never' })),
    next: [...(failure?.facts.next ?? []), ...commandsIn(advice)],
  };
  return new Failure(failure?.code ?? 'partial', message, facts, { cause: failure?.cause });
}

/** Does the same command not do it? A paper is printed behind its label, which was printed. */
export const isLeftToOthers = ({ next, isForPerson }: Advice): boolean =>
  next !== undefined || isForPerson === true;

/**
 * Merges and prints labels as it is wanted, in the order given. Gives a sentence for everything that failed, and the command
 * for what the same command does not do. `noteDone` says the rest.
 */
export async function outputLabels(
  files: LabelOutput | undefined,
  given: readonly LabelPages[],
  means: PrintMeans,
): Promise<Advice[]> {
  if (
    files === undefined ||
    (files.merged === undefined && files.print === undefined && files.papers.length === 0)
  )
    return [];
  const behind =
    files.papers.length > 0
      ? (await import('./behind.ts')).papersBehind(files, means, path => printFile(path, means))
      : undefined;
  if (files.merged) return mergeAll(files, files.merged, given, means, behind);
  let labels: LabelPages[];
  try {
    labels = withoutTwins(await asOfNow(given, means));
  } catch (error) {
    return [notDone('printed', error)];
  }
  if (files.print === 'unprinted') noteLater(files, labels);
  return printEach(labels, files, means, behind);
}

/** Keeps for `noteDone` which labels are not printed again. */
function noteLater({ done }: LabelOutput, labels: readonly LabelPages[]): void {
  for (const { name, files } of labels) {
    const earlier = files.filter(({ printed }) => printed);
    if (earlier.length > 0) done.earlier.push({ name, files: earlier });
  }
}

/**
 * Writes all labels as one PDF, and prints it if that is wanted. Nothing is claimed while it is drawn, which may take minutes: only
 * its name is missing when the labels are claimed, and what another desk has printed meanwhile is drawn again, as that.
 */
async function mergeAll(
  files: LabelOutput,
  merged: MergedFile,
  given: readonly LabelPages[],
  means: PrintMeans,
  behind: Behind | undefined,
): Promise<Advice[]> {
  const isAgain = files.print === 'all';
  const { journal, origin, host, out } = means;
  const nothing: PrintClaim = { scope: origin.scope, claimed: [], held: [] };
  let claim = nothing;
  let isEnded = false;
  try {
    for (;;) {
      const labels = withoutTwins(await asOfNow(given, means));
      const held = await heldNow(
        labels.flatMap(({ files }) => files.filter(isAgain ? () => true : isNew)),
        isAgain,
        means,
      );
      const inFile = labels.map(pages => ({
        ...pages,
        files: pages.files.filter(
          file => !isIn(held)(file) && !(files.onlyUnprinted === true && file.printed !== undefined),
        ),
      }));
      const wanted = inFile.filter(
        (pages, index) => pages.files.length > 0 || given[index]?.files.length === 0,
      );
      // A person prints the file: the new ones come first, so that the pages to print are neighbours.
      const drawn = await drawLabels(
        files.print === undefined ? newFirst(wanted) : wanted,
        host,
        behind?.merge,
      );
      const old = drawn.labels.filter(({ printed }) => printed);
      // A file with labels that count as printed does not go to the printer: the new ones do, each by itself.
      const isPrintedEach = files.print === 'unprinted' && old.length > 0;
      const toClaim = isPrintedEach ? [] : drawn.labels.filter(file => isAgain || isNew(file));
      const isWritten =
        drawn.labels.length > 0 &&
        (await writeMerged(merged, drawn.pdf, host, async () => {
          if (toClaim.length > 0) claim = await claimAll(toClaim, isAgain, means);
          return claim.held.length === 0;
        }));
      const problems = [
        ...heldAdvice(held, labels, means, behind),
        ...(drawn.missing.length > 0 ? [{ words: lacks(merged.name, drawn.missing) }] : []),
        ...(behind?.problems.splice(0) ?? []),
      ];
      if (claim.held.length > 0) {
        await journal.endPrints(claim);
        claim = nothing;
        continue;
      }
      if (files.print === 'unprinted') noteLater(files, labels);
      if (!isWritten) {
        if (existsSync(merged.path))
          await out.note(
            `${merged.path} is still that of an earlier merge: there was no label to put into it`,
          );
        return problems;
      }
      await out.note(mergedWords(merged.path, drawn, files));
      if (isPrintedEach) {
        const left = inFile.map(pages => ({ ...pages, files: pages.files.filter(isNew) }));
        return [...problems, ...(await printEach(left, files, means, behind))];
      }
      // What is printed, and counts as printed, is what was written.
      refuseRival(merged);
      const failed = files.print && (await printFile(merged.path, means));
      if (failed && !failed.isCutOff)
        return [...problems, notPrintedFile(merged.path, drawn, failed, means, behind)];
      isEnded = true;
      const inPdf = wanted.map(pages => ({ ...pages, files: pages.files.filter(isIn(drawn.labels)) }));
      return [
        ...problems,
        ...(failed
          ? await recordCutOff(claim, inPdf.filter(hasFiles), failed.why, means, behind)
          : await recordPrinted(claim, inPdf, merged.path, files, means)),
      ];
    }
  } catch (error) {
    return [notDone('merged', error)];
  } finally {
    if (!isEnded) await journal.endPrints(claim).catch(() => {});
  }
}

const isNew = ({ printed }: LabelFile): boolean => printed === undefined;

const hasFiles = ({ files }: LabelPages): boolean => files.length > 0;

/** Two orders may be one shipment, which has one label: it is that of the first. */
function withoutTwins(labels: readonly LabelPages[]): LabelPages[] {
  const seen = new Set<string>();
  return labels.map(pages => ({
    ...pages,
    files: pages.files.filter(file => seen.size < seen.add(wordOf(file)).size),
  }));
}

/** What a merged file has, and which of its pages a person prints. */
function mergedWords(path: string, { labels, pdf }: DrawnLabels, { print }: LabelOutput): string {
  const old = labels.filter(({ printed }) => printed);
  const before = byPlace(old).map(
    place =>
      `, ${place.labels.length === labels.length ? 'all' : place.labels.length} of them ${place.words}`,
  );
  const words = `labels merged: ${path} (${numbered(labels.length, 'label')}${before.join('')})`;
  const first = print === undefined ? (old[0]?.page ?? 1) : 1;
  if (first === 1) return words;
  return `${words}. Print ${pageWords(1, first - 1)}; the earlier ones are on ${pageWords(first, pdf.pageCount)}`;
}

const pageWords = (first: number, last: number): string =>
  first === last ? `page ${first}` : `pages ${first} to ${last}`;

/** Labels that count as printed since before, by what printed them: a printer (`file` is null), or a person from that file. */
function byPlace(files: readonly LabelFile[]): { words: string; isPrinter: boolean; labels: LabelFile[] }[] {
  const inFiles = new Set(files.map(({ printed }) => printed?.file).filter(file => file !== null));
  const places = new Map<string, LabelFile[]>();
  const words = ({ file, at }: PrintedLabel): string =>
    file === null
      ? PRINTED_BEFORE
      : file === '' || inFiles.size > EXAMPLES
        ? 'in earlier merged files'
        : `in ${file} (merged ${timeWords(at)})`;
  for (const label of files) {
    if (label.printed === undefined) continue;
    const place = words(label.printed);
    places.set(place, [...(places.get(place) ?? []), label]);
  }
  return [...places].map(([place, labels]) => ({
    words: place,
    isPrinter: place === PRINTED_BEFORE,
    labels,
  }));
}

const PRINTED_BEFORE = 'printed before';

/** In the order given, but the labels that count as printed come last. What has no label is there once. */
function newFirst(labels: readonly LabelPages[]): LabelPages[] {
  const fresh = labels.map(pages => ({ ...pages, files: pages.files.filter(isNew) }));
  const old = labels.map(({ name, files }) => ({ name, files: files.filter(file => !isNew(file)) }));
  return [
    ...fresh.filter((pages, index) => hasFiles(pages) || labels[index]?.files.length === 0 || pages.failed),
    ...old.filter(hasFiles),
  ];
}

function notDone(what: 'merged' | 'printed', error: unknown): Advice {
  if (!(error instanceof Failure)) throw error;
  return { words: `the labels were made and saved, but not ${what}: ${error.message}` };
}

/** How often to look at a label that another process prints. */
const LOOK_MS = 100;

/** Asks until no other process prints one of the labels at this moment. With nothing claimed meanwhile, it ends. */
async function whenNoneIsPrinting<T>(
  ask: () => Promise<T>,
  heldIn: (answer: T) => readonly HeldPrint[],
  host: PrintMeans['host'],
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (!heldIn(answer).some(({ state }) => state === 'printing')) return answer;
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

/** Claims what is to be printed. */
const claimAll = (
  files: readonly LabelFile[],
  isAgain: boolean,
  { journal, origin, host }: PrintMeans,
): Promise<PrintClaim> =>
  whenNoneIsPrinting(
    () => journal.claimPrints(origin.scope, files, isAgain),
    ({ held }) => held,
    host,
  );

/** What could not be claimed. */
const heldNow = (
  files: readonly LabelFile[],
  isAgain: boolean,
  { journal, origin, host }: PrintMeans,
): Promise<HeldPrint[]> =>
  whenNoneIsPrinting(
    () => journal.heldPrints(origin.scope, files, isAgain),
    held => held,
    host,
  );

/** What is said of labels that are not printed: nobody knows whether they were, or their order was cancelled. */
function heldAdvice(
  held: readonly HeldPrint[],
  labels: readonly LabelPages[],
  { targetFlags }: Pick<PrintMeans, 'targetFlags'>,
  behind: Behind | undefined,
): Advice[] {
  const named = held.map(print => ({
    print,
    name: labels.find(({ files }) => files.some(isIn([print])))?.name ?? print.shipment,
  }));
  const abandoned = named.filter(({ print }) => print.state === 'abandoned');
  const cancelled = named.filter(({ print }) => print.state === 'cancelled');
  return [
    ...abandonedAdvice(abandoned, [...(behind?.flags ?? []), ...targetFlags]),
    ...cancelled.map(({ print, name }) => ({
      words: `the ${print.leg} label of ${print.shipment} was not printed: the order ${shown(name)} was cancelled`,
    })),
  ];
}

/** What to do about labels of whose prints nobody knows how they ended. */
export function abandonedAdvice(
  prints: readonly { print: HeldPrint; name: string }[],
  flags: readonly string[],
): Advice[] {
  const [first] = prints;
  if (first === undefined) return [];
  const names = prints.map(({ name }) => name);
  const { by, leg, shipment } = first.print;
  const who = by && ` by process ${by.process} of ${by.user === undefined ? '' : `${by.user}@`}${by.host}`;
  const words =
    prints.length === 1
      ? cutOffWords(
          [first.print],
          `the ${leg} label of ${shipment}`,
          `its print was begun${who ?? ''}, and its end was not recorded`,
          names,
          flags,
        )
      : cutOffWords(
          names,
          `${numbered(prints.length, 'label')} (${someOf(names, EXAMPLES)})`,
          'their prints were begun, and their end was not recorded',
          names,
          flags,
        );
  return [{ words, isForPerson: true }];
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
  return labels.map(pages => ({
    ...pages,
    files: pages.files.map(file => ({ ...file, printed: printed.get(wordOf(file)) })),
  }));
}

async function printEach(
  labels: readonly LabelPages[],
  output: LabelOutput,
  means: PrintMeans,
  behind: Behind | undefined,
): Promise<Advice[]> {
  const problems: Advice[] = [];
  for (const { name, files } of labels) {
    let isPrinted = false;
    for (const file of files) {
      if (output.print === undefined || (output.print === 'unprinted' && !isNew(file))) continue;
      const printed = await printOne(name, file, output, means, behind);
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
  file: LabelFile,
  output: LabelOutput,
  means: PrintMeans,
  behind: Behind | undefined,
): Promise<{ isPrinted: boolean; problems: Advice[] }> {
  const pages = { name, files: [file] };
  const flags = [...(behind?.flags ?? []), ...(isNew(file) ? [] : ['--reprint']), ...means.targetFlags];
  const again = commandText(['waybill', 'label', '--print', ...flags, ...operandWords([name])]);
  const notPrinted = (what: string, why: string) => ({
    isPrinted: false,
    problems: [{ words: `${what}, but not printed: ${why}. \`${again}\` prints it, and makes no other` }],
  });
  if (output.done.cannotPrint) return { isPrinted: false, problems: [cannotPrint(output.done.cannotPrint)] };
  let claim: PrintClaim;
  try {
    claim = await claimAll([file], output.print === 'all', means);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return notPrinted(`the label was made and saved as ${file.path}`, error.message);
  }
  if (claim.held.length > 0) {
    const [now] = await asOfNow([pages], means);
    if (now) noteLater(output, [now]);
    return { isPrinted: false, problems: heldAdvice(claim.held, [pages], means, behind) };
  }
  const failed = await printFile(file.path, means);
  if (failed === undefined)
    return { isPrinted: true, problems: await recordPrinted(claim, [pages], file.path, output, means) };
  if (failed.isCutOff)
    return { isPrinted: false, problems: await recordCutOff(claim, [pages], failed.why, means, behind) };
  await means.journal.endPrints(claim).catch(() => {});
  if (!failed.isForAll) return notPrinted(`the label was made and saved as ${file.path}`, failed.why);
  output.done.cannotPrint = failed.why;
  return { isPrinted: false, problems: [cannotPrint(failed.why)] };
}

/** The same words for each label, so that they are said once for many. */
const cannotPrint = (why: string): Advice => ({
  words: `the label was made and saved, but not printed: ${why}; then \`waybill label --unprinted --print\` prints it`,
});

function notPrintedFile(
  path: string,
  { labels }: DrawnLabels,
  { why }: NotPrinted,
  { targetFlags }: PrintMeans,
  behind: Behind | undefined,
): Advice {
  const [was, them] = labels.length === 1 ? ['was', 'it'] : ['were', 'them'];
  const words = `the ${numbered(labels.length, 'label')} in ${path} ${was} made and saved, but not printed: ${why}. The same command prints ${them}`;
  const again = ['waybill', 'label', '--unprinted', '--print', ...(behind?.flags ?? []), ...targetFlags];
  return { words: labels.every(isNew) ? `${words}, and so does \`${commandText(again)}\`` : words };
}

/** Gives a sentence if the journal could not record it. */
async function recordPrinted(
  claim: PrintClaim,
  labels: readonly LabelPages[],
  path: string,
  { print, done }: LabelOutput,
  { journal }: PrintMeans,
): Promise<Advice[]> {
  const files = labels.flatMap(pages => pages.files);
  if (print) done.printed.push(...labels.flatMap(pages => pages.files.map(() => pages.name)));
  try {
    await journal.endPrints(claim, files, 'printed', print ? null : path);
    return [];
  } catch (error) {
    const what = print ? 'went to the printer' : 'was merged';
    const words = `${path} ${what}, but the journal could not record that: ${messageOf(error)}. The next --print says that it may be printed`;
    return [{ words }];
  }
}

/** Records that nobody knows whether these labels were printed, and says so: a person looks at the printer. */
async function recordCutOff(
  claim: PrintClaim,
  labels: readonly LabelPages[],
  why: string,
  { journal, targetFlags }: PrintMeans,
  behind: Behind | undefined,
): Promise<Advice[]> {
  const files = labels.flatMap(pages => pages.files);
  // If it cannot be written, it is the print of a process that is gone, which means the same.
  await journal.endPrints(claim, files, 'cut-off').catch(() => {});
  const [first] = files;
  const what =
    files.length === 1 ? `the ${first?.leg} label of ${first?.shipment}` : `these ${files.length} labels`;
  const flags = [...(behind?.flags ?? []), ...targetFlags];
  const names = labels.map(({ name }) => name);
  return [{ words: cutOffWords(files, what, why, names, flags), isForPerson: true }];
}

/** `names`: of the orders, for the command that prints labels which a person did not find at the printer. */
function cutOffWords(
  labels: readonly unknown[],
  what: string,
  why: string,
  names: readonly string[],
  flags: readonly string[],
): string {
  const [was, is, them] = labels.length === 1 ? ['was', 'the label is', 'it'] : ['were', 'they are', 'them'];
  const reprint = ['waybill', 'label', '--print', '--reprint', ...flags];
  // Where the command is long, a person fills in those that are missing.
  const command =
    names.length <= MOST_NAMED
      ? commandText([...reprint, ...operandWords(names)])
      : `${commandText(reprint)} REF...`;
  return `whether ${what} ${was} printed is not known: ${why}. Look at the printer; if ${is} not there, \`${command}\` prints ${them}`;
}

const isIn = (files: readonly LegShipment[]) => {
  const words = new Set(files.map(wordOf));
  return (file: LegShipment) => words.has(wordOf(file));
};

/** A command of more names is longer than a screen. */
const MOST_NAMED = 10;

/** Says what was done with labels, each kind in one line. */
export async function noteDone(files: LabelOutput | undefined, means: PrintMeans): Promise<void> {
  if (files === undefined) return;
  const { saved } = files.done;
  const [first = ''] = saved;
  if (saved.length === 1) await means.out.note(`label saved: ${first}`);
  else if (saved.length > 1) {
    const names = saved.map(path => basename(path));
    await means.out.note(`${saved.length} labels saved in ${dirname(first)}: ${someOf(names, EXAMPLES)}`);
  }
  await notePrinted(files, means);
}

/** Says which labels a printer got, and which are not printed again. */
export async function notePrinted({ done, papers }: LabelOutput, means: PrintMeans): Promise<void> {
  const { printed, earlier } = done;
  await noteEarlierPrints(earlier, papers.length > 0, means);
  const names = someOf([...new Set(printed)], EXAMPLES);
  if (printed.length > 0)
    await means.out.note(
      `${numbered(printed.length, 'label')} sent to ${printerOf(means.printCommand)}: ${names}`,
    );
}

/**
 * Says how many labels count as printed and are not printed again, and which command prints them and no others. Their papers are not
 * printed either: nobody knows whether they were.
 */
async function noteEarlierPrints(
  labels: readonly LabelPages[],
  hasPapers: boolean,
  { out, targetFlags }: PrintMeans,
): Promise<void> {
  for (const { words, isPrinter, labels: files } of byPlace(labels.flatMap(pages => pages.files))) {
    const [was, is, them] = files.length === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'them'];
    const names = labels.filter(pages => pages.files.some(isIn(files))).map(({ name }) => name);
    const typed = (...command: string[]) =>
      `\`${commandText(['waybill', ...command, ...targetFlags, ...operandWords(names)])}\``;
    const isLong = names.length > MOST_NAMED;
    const how = isLong
      ? 'the same command with --reprint prints all labels'
      : `${typed('label', '--print', '--reprint')} prints ${them}`;
    const nor = hasPapers
      ? `. Nor are the papers${isLong ? '' : `; ${typed('papers', '--print')} prints those`}`
      : '';
    await out.note(
      `${numbered(files.length, 'label')} ${isPrinter ? was : is} ${words}, and ${is} not printed again (${someOf(names, EXAMPLES)}); ${how}${nor}`,
    );
  }
}

function lacks(file: string, missing: readonly MissingLabel[]): string {
  const named = missing.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`));
  return `${file} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${someOf(named)}`;
}
