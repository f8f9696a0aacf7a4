// After the answer is shown: merges and prints the saved labels, and reports everything that failed.

import { existsSync } from 'node:fs';
import type { LegShipment } from '../booking/booking.ts';
import type { Operation } from '../contract/operations.ts';
import { type Advice, commandsIn, Failure, messageOf } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { HeldPrint, PrintClaim } from '../journal/prints.ts';
import { wordOf } from '../journal/tables.ts';
import type { Means } from '../order/order.ts';
import { commandText, operandWords, shown, someOf } from '../text.ts';
import type { Behind } from './behind.ts';
import { printFile } from './printer.ts';
import {
  type LabelFile,
  type LabelOutput,
  type LabelPages,
  type MissingLabel,
  mergeLabels,
  refuseRival,
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
  files: LabelOutput | undefined,
  labels: SavedLabels,
  means: Means,
): Promise<void> {
  const failure = failureOf(operation, labels, await outputLabels(files, [labels.pages], means));
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
  return now?.files.every(({ isPrinted }) => isPrinted) ?? false;
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
 * for what the same command does not do.
 */
export async function outputLabels(
  files: LabelOutput | undefined,
  given: readonly LabelPages[],
  means: PrintMeans,
): Promise<Advice[]> {
  if (files === undefined) return [];
  const { out, host } = means;
  const { merged, print } = files;
  let labels = given;
  try {
    if (merged ? print !== 'all' : print === 'unprinted') labels = await asOfNow(given, means);
  } catch (error) {
    return [notDone(merged ? 'merged' : 'printed', error)];
  }
  if (print === 'unprinted') await noteNotPrinted(labels, files, means);
  const isFirst = firstOfEach();
  // Two orders may be one shipment, which has one label.
  const once = labels.map(one => ({ ...one, files: one.files.filter(isFirst) }));
  const behind =
    files.papers.length > 0
      ? (await import('./behind.ts')).papersBehind(files, means, path => printFile(path, means))
      : undefined;
  if (merged === undefined) return printEach(once, print, means, behind);
  // Who merges labels without --print prints the file.
  const fresh = once.flatMap(one => one.files.filter(({ isPrinted }) => print === 'all' || !isPrinted));
  let claim: PrintClaim;
  try {
    claim = await claimAll(fresh, print === 'all', means);
  } catch (error) {
    return [notDone('merged', error)];
  }
  const lost = new Map(claim.held.map(one => [wordOf(one), one]));
  const isLeftOut = (file: LabelFile) => {
    const state = lost.get(wordOf(file))?.state;
    return (
      LEFT_OUT.includes(state) || ((file.isPrinted || state === 'printed') && files.onlyUnprinted === true)
    );
  };
  const inFile = once.map(one => ({ ...one, files: one.files.filter(file => !isLeftOut(file)) }));
  const doubts = claim.held.flatMap(one => heldWords(one, nameOf(labels, one), means, behind));
  const isOld = (file: LabelFile) => file.isPrinted || lost.get(wordOf(file))?.state === 'printed';
  const whole = inFile.filter((one, index) => one.files.length > 0 || labels[index]?.files.length === 0);
  const old =
    print === 'all'
      ? labels.flatMap(printedFiles).length
      : inFile.flatMap(one => one.files).length - claim.claimed.length;
  let isEnded = false;
  try {
    // A person prints the file: the new ones come first, so that the pages to print are neighbours.
    const sorted = print === undefined ? newFirst(whole, isOld) : whole;
    const { missing, merged: inPdf, pageCount } = await mergeLabels(merged, sorted, host, behind?.merge);
    const problems = [
      ...doubts,
      ...(missing.length > 0 ? [{ words: lacks(merged.name, missing) }] : []),
      ...(behind?.problems.splice(0) ?? []),
    ];
    const count = inPdf.length;
    const firstOld = print === undefined ? inPdf.find(isOld)?.page : undefined;
    const before = old > 0 ? `, ${old === count ? 'all' : old} of them printed before` : '';
    const pages = pagesToPrint(firstOld, pageCount);
    if (count > 0) await out.note(`labels merged: ${merged.path} (${labelCount(count)}${before})${pages}`);
    else if (existsSync(merged.path))
      await out.note(`${merged.path} is still that of an earlier merge: there was no label to put into it`);
    if (print && count === 0) return problems;
    // The file has labels that were printed before: only the new ones go to the printer, each by itself.
    if (print === 'unprinted' && old > 0) {
      await means.journal.endPrints(claim);
      isEnded = true;
      const left = once.map(one => ({
        ...one,
        files: one.files.filter(file => !file.isPrinted && !lost.has(wordOf(file))),
      }));
      return [...problems, ...(await printEach(left, print, means, behind))];
    }
    // What is printed, and counts as printed, is what was written.
    if (count > 0) refuseRival(merged);
    const failed = print && (await printFile(merged.path, means));
    if (failed?.isCutOff) {
      isEnded = true;
      const cutOff = whole.filter(one => one.files.some(isIn(inPdf)));
      return [...problems, ...(await recordCutOff(claim, cutOff, failed.why, means, behind))];
    }
    if (failed) {
      const flags = ['--print', ...(behind?.flags ?? []), ...means.targetFlags];
      const again = commandText(['waybill', 'label', '--unprinted', ...flags]);
      const [was, them] = count === 1 ? ['was', 'it'] : ['were', 'them'];
      const words = `the ${labelCount(count)} in ${merged.path} ${was} made and saved, but not printed: ${failed.why}. The same command prints ${them}`;
      return [...problems, { words: old > 0 ? words : `${words}, and so does \`${again}\`` }];
    }
    isEnded = true;
    if (print) await out.note(`labels sent to the printer: ${merged.path} (${labelCount(count)})`);
    return [...problems, ...(await recordPrinted(claim, inPdf, merged.path, means))];
  } catch (error) {
    return [notDone('merged', error)];
  } finally {
    if (!isEnded) await means.journal.endPrints(claim).catch(() => {});
  }
}

/** In the order given, but the labels that were printed before come last. What has no label is there once. */
function newFirst(labels: readonly LabelPages[], isOld: (file: LabelFile) => boolean): LabelPages[] {
  const fresh = labels.map(one => ({ ...one, files: one.files.filter(file => !isOld(file)) }));
  const old = labels.map(({ name, files }) => ({ name, files: files.filter(isOld) }));
  return [
    ...fresh.filter((one, index) => one.files.length > 0 || labels[index]?.files.length === 0 || one.failed),
    ...old.filter(({ files }) => files.length > 0),
  ];
}

/** Which pages a person prints of a merged file. `firstOld`: the first page of the labels that were printed before. */
function pagesToPrint(firstOld: number | undefined, pageCount: number): string {
  if (firstOld === undefined || firstOld === 1) return '';
  const pages = (first: number, last: number) =>
    first === last ? `page ${first}` : `pages ${first} to ${last}`;
  return `: print ${pages(1, firstOld - 1)}; on ${pages(firstOld, pageCount)} are those that were printed before`;
}

/** Of the files of one label it takes the first. */
function firstOfEach(): (file: LabelFile) => boolean {
  const taken = new Set<string>();
  return file => taken.size < taken.add(wordOf(file)).size;
}

function notDone(what: 'merged' | 'printed', error: unknown): Advice {
  if (!(error instanceof Failure)) throw error;
  return { words: `the labels were made and saved, but not ${what}: ${error.message}` };
}

/** How often to look at a label that another process prints. */
const LOOK_MS = 100;

/** Claims what is to be printed. What another process prints at this moment is waited for, with nothing claimed meanwhile. */
async function claimAll(
  files: readonly LabelFile[],
  again: boolean,
  { journal, origin, host }: PrintMeans,
): Promise<PrintClaim> {
  for (;;) {
    const claim = await journal.claimPrints(origin.scope, files, again);
    if (!claim.held.some(({ state }) => state === 'printing')) return claim;
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

const nameOf = (labels: readonly LabelPages[], print: HeldPrint): string =>
  labels.find(({ files }) => files.some(file => wordOf(file) === wordOf(print)))?.name ?? print.shipment;

/** What is not printed, and why. */
const LEFT_OUT: readonly (HeldPrint['state'] | undefined)[] = ['abandoned', 'cancelled'];

function heldWords(
  held: HeldPrint,
  name: string,
  { targetFlags }: Pick<PrintMeans, 'targetFlags'>,
  behind: Behind | undefined,
): Advice[] {
  const flags = [...(behind?.flags ?? []), ...targetFlags];
  if (held.state === 'abandoned')
    return [{ words: abandonedWords(held, name, { targetFlags: flags }), isForPerson: true }];
  if (held.state !== 'cancelled') return [];
  const words = `the ${held.leg} label of ${held.shipment} was not printed: the order ${shown(name)} was cancelled`;
  return [{ words }];
}

/** What to do about a label of whose print nobody knows how it ended. */
export function abandonedWords(
  held: HeldPrint,
  name: string,
  { targetFlags }: Pick<PrintMeans, 'targetFlags'>,
): string {
  const { leg, shipment, by } = held;
  const who = by
    ? ` by process ${by.process} of ${by.user === undefined ? '' : `${by.user}@`}${by.host}`
    : '';
  const why = `its print was begun${who}, and its end was not recorded`;
  return cutOffWords(`the ${leg} label of ${shipment}`, [held], why, reprintOf([{ name }], targetFlags));
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

async function printEach(
  labels: readonly LabelPages[],
  print: LabelOutput['print'],
  means: PrintMeans,
  behind: Behind | undefined,
): Promise<Advice[]> {
  const problems: Advice[] = [];
  for (const { name, files } of labels) {
    let isPrinted = false;
    for (const file of files) {
      if (print === undefined || (print === 'unprinted' && file.isPrinted)) continue;
      const again = commandText([
        'waybill',
        'label',
        '--print',
        ...(behind?.flags ?? []),
        ...(file.isPrinted ? ['--reprint'] : []),
        ...means.targetFlags,
        ...operandWords([name]),
      ]);
      const notPrinted = (why: string): Advice => ({
        words: `the label was made and saved as ${file.path}, but not printed: ${why}. \`${again}\` prints it, and makes no other`,
      });
      let claim: PrintClaim;
      try {
        claim = await claimAll([file], print === 'all', means);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        problems.push(notPrinted(error.message));
        continue;
      }
      const [held] = claim.held;
      if (held) {
        problems.push(...heldWords(held, name, means, behind));
        const printed = { name, files: [{ ...file, isPrinted: held.state === 'printed' }] };
        await noteNotPrinted([printed], { papers: [] }, means);
        continue;
      }
      const failed = await printFile(file.path, means);
      isPrinted ||= failed === undefined;
      if (failed === undefined) problems.push(...(await recordPrinted(claim, [file], file.path, means)));
      else if (failed.isCutOff)
        problems.push(...(await recordCutOff(claim, [{ name, files: [file] }], failed.why, means, behind)));
      else {
        await means.journal.endPrints(claim).catch(() => {});
        problems.push(notPrinted(failed.why));
      }
    }
    if (files.length > 0) await behind?.save(files, isPrinted);
  }
  return [...problems, ...(behind?.problems ?? [])];
}

/** Gives a sentence if the journal could not record it. */
async function recordPrinted(
  claim: PrintClaim,
  files: readonly LabelFile[],
  path: string,
  { journal }: PrintMeans,
): Promise<Advice[]> {
  try {
    await journal.endPrints(claim, files, 'printed');
    return [];
  } catch (error) {
    const words = `${path} is there to be handed out, but the journal could not record that: ${messageOf(error)}. The next --print says that nobody knows whether ${files.length === 1 ? 'it was' : 'they were'} printed`;
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
  const files = labels.flatMap(label => label.files);
  // If it cannot be written, it is the print of a process that is gone, which means the same.
  await journal.endPrints(claim, files, 'cut-off').catch(() => {});
  const [first] = files;
  const what =
    files.length === 1 ? `the ${first?.leg} label of ${first?.shipment}` : `these ${files.length} labels`;
  const flags = [...(behind?.flags ?? []), ...targetFlags];
  return [{ words: cutOffWords(what, files, why, reprintOf(labels, flags)), isForPerson: true }];
}

/** The command that prints labels which a person did not find at the printer. Where that is long, another one names it for each. */
function reprintOf(labels: readonly Pick<LabelPages, 'name'>[], flags: readonly string[]): string {
  const names = labels.map(({ name }) => name);
  const reprint = ['waybill', 'label', '--print', '--reprint', ...flags, ...operandWords(names)];
  if (names.length <= MOST_NAMED) return `\`${commandText(reprint)}\` prints`;
  return `\`${commandText(['waybill', 'label', '--unprinted', ...flags])}\` names the command that prints`;
}

const cutOffWords = (what: string, labels: readonly unknown[], why: string, reprints: string): string => {
  const [was, is, them] = labels.length === 1 ? ['was', 'the label is', 'it'] : ['were', 'they are', 'them'];
  return `whether ${what} ${was} printed is not known: ${why}. Look at the printer; if ${is} not there, ${reprints} ${them}`;
};

const isIn = (files: readonly LegShipment[]) => {
  const words = new Set(files.map(wordOf));
  return (file: LegShipment) => words.has(wordOf(file));
};

const labelCount = (count: number): string => `${count} label${count === 1 ? '' : 's'}`;

const printedFiles = ({ files }: LabelPages) => files.filter(({ isPrinted }) => isPrinted);

/** A command of more names is longer than a screen. */
const MOST_NAMED = 10;

/**
 * Says how many labels were printed before and are not printed again, and which command prints them and no others. Their papers
 * are not printed either: nobody knows whether they were.
 */
export async function noteNotPrinted(
  labels: readonly LabelPages[],
  { papers }: Pick<LabelOutput, 'papers'>,
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
  const behind = commandText(['waybill', 'papers', ...targetFlags, '--print', ...operandWords(names)]);
  const printsThem = names.length > MOST_NAMED ? '' : `; \`${behind}\` prints those`;
  const nor = papers.length > 0 ? `. Nor are ${count === 1 ? 'its' : 'their'} papers${printsThem}` : '';
  await out.note(
    `${labelCount(count)} ${count === 1 ? 'was' : 'were'} printed before, and ${are} not printed again; ${how}${nor}`,
  );
}

function lacks(file: string, missing: readonly MissingLabel[]): string {
  const named = missing.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`));
  return `${file} lacks ${missing.length === 1 ? 'a label' : `${missing.length} labels`}: ${someOf(named)}`;
}
