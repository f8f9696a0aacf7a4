// Labels saved as files, one by one and merged; and how they are shown.

import { lstatSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { answerOf } from '../booking/answer.ts';
import type { Booking, Ids, Label, LegShipment } from '../booking/booking.ts';
import type { PrintedLabel } from '../booking/questions.ts';
import { fileKindOf, isCutOff, type LabelKind, labelIn, labelText, labelTold } from '../contract/content.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { read, readId } from '../contract/read.ts';
import { Failure, innerOf } from '../errors.ts';
import {
  absolutePath,
  fileAt,
  firstBytes,
  gotName,
  makeFolder,
  partBeside,
  probeBeside,
  takePlace,
} from '../host/folder.ts';
import type { Host } from '../host.ts';
import { maskAddresses } from '../mask.ts';
import type { Desk } from '../order/desk.ts';
import {
  type LabelFileOptions,
  NONE,
  type Paper,
  papersIn,
  requireFiles,
  targetFlags,
  wantsFiles,
} from '../order/options.ts';
import type { View } from '../output/print.ts';
import { table } from '../output/table.ts';
import { type Crop, cropIn, type PageSize, paperIn, stampOf } from '../paper.ts';
import type { Pdf } from '../pdf/pdf.ts';
import { labelAsPdf } from '../pdf/read.ts';
import type { Sheet } from '../pdf/sheet.ts';
import { imageFault, isPlainlyDrawn, Unreadable } from '../pdf/whole.ts';
import { type FolderHost, requiredStateFolder, stateFolder } from '../profile/environment.ts';
import { readSetting } from '../profile/settings.ts';
import type { Profile } from '../profile/store.ts';
import type { Target } from '../profile/target.ts';
import { labelCommand, showCommand } from '../say/booked.ts';
import type { ImageFault, LabelProblem, MissingLabel, PageFault, PrintFault } from '../say/labels.ts';
import { nameOfParty } from '../say/words.ts';
import { messageOf } from '../system-errors.ts';
import { fromWing } from '../wings.ts';

/** What a command does with its labels. */
export interface LabelOutput {
  folder: string;
  /** The one PDF of all labels, if that is wanted. */
  merged: MergedFile | undefined;
  /** `unprinted`: only labels that no command printed yet. Two stickers on one parcel are worse than none. */
  print: 'unprinted' | 'all' | undefined;
  /** The papers that are printed behind each label. */
  papers: readonly Paper[];
  /** The options for papers and paper that a command must repeat if it prints the labels later. */
  flags: readonly string[];
  /** Are labels left out that another command has printed meanwhile? */
  onlyUnprinted?: boolean | undefined;
  /** The paper on which labels are printed and merged. */
  sheet: LabelSheet;
  done: LabelsDone;
}

/** How labels are put on paper. If nothing is set, a label stays as the carrier made it. */
export interface LabelSheet extends Sheet {
  crop?: Crop | undefined;
  /** The line below each label. Words in braces stand for what is known of the order. */
  stamp?: string | undefined;
}

/** What a command did with labels so far; it is told once, at the end of the command. */
export interface LabelsDone {
  /** The files of the saved labels. */
  saved: string[];
  /** The order of each label that a printer got. */
  printed: string[];
  /** Labels that were printed earlier, and are not printed again. */
  earlier: OrderLabels[];
  /** Did this command make a label? Then the command is not refused any more. */
  hasMade: boolean;
  /** Why no label can be printed here. Once this is set, no further print is tried. */
  cannotPrint?: PrintFault;
}

/** Checks, before anything is booked, that the files can be written. Throws `storage`, `usage`. */
export function prepareFiles(
  session: { host: Host; target(): Pick<Target, 'from' | 'profile'> },
  options: LabelFileOptions,
): LabelOutput | undefined {
  const { download, merge, print = false, reprint = false, fit, crop, stamp } = options;
  if (reprint && !print) throw new Failure('usage', { kind: 'reprint-without-print' });
  requireFiles(options);
  // A link of the demo works only as long as the emulator of this command: the demo always saves files.
  if (!wantsFiles(options) && session.target().from !== 'demo') return undefined;
  const merged = merge ? prepareMerge(session.host, merge) : undefined;
  const folder = prepareFolder(session.host, download);
  const papers = papersIn(options.papers);
  if (papers.length > 0 && !fromWing('papersBehind'))
    throw new Failure('usage', 'this waybill makes no papers');
  return {
    folder,
    merged,
    print: print ? (reprint ? 'all' : 'unprinted') : undefined,
    papers,
    flags: [
      ...(papers.length > 0 ? ['--papers', papers.join()] : []),
      ...(fit === undefined ? [] : ['--fit', fit]),
      ...(crop === undefined ? [] : ['--crop', crop]),
      ...(stamp === undefined ? [] : ['--stamp', stamp]),
    ],
    sheet: sheetOf(options, session.target().profile),
    done: { saved: [], printed: [], earlier: [], hasMade: false },
  };
}

/** The sheet that the options ask for, else that of the profile. Throws `usage`. */
function sheetOf(options: LabelFileOptions, profile: Profile): LabelSheet {
  const { fit, crop, perPage, stamp } = options;
  // A profile that was edited by hand may have a paper or a stamp that would spoil each label.
  if (profile.labelPaper !== undefined)
    readSetting('labelPaper', profile.labelPaper, 'labelPaper of the profile');
  if (profile.labelStamp !== undefined)
    readSetting('labelStamp', profile.labelStamp, 'labelStamp of the profile');
  const paper = perPage === undefined ? (fit ?? profile.labelPaper) : undefined;
  const line = stamp ?? profile.labelStamp;
  return {
    paper: paper === undefined || paper === NONE ? undefined : paperIn(paper),
    perPage: perPage === undefined ? undefined : perPage === '2' ? 2 : 4,
    crop: crop === undefined ? undefined : cropIn(crop),
    stamp: line === NONE ? undefined : line,
  };
}

const LABELS = 'labels';

/** The folder of waybill for labels and papers; `undefined` for a user without a home folder. */
export function labelFolder(host: FolderHost): string | undefined {
  const state = stateFolder(host);
  return state === undefined ? undefined : join(state, LABELS);
}

/** The folder for labels and papers: that of the user, else that of waybill. Throws `storage` if no file can be written there. */
export function prepareFolder(host: Host, download: string | undefined): string {
  const folder =
    download === undefined ? join(requiredStateFolder(host), LABELS) : absolutePath(download, host);
  try {
    // Only the user may read the folder of waybill: labels tell where people live.
    makeFolder(folder, download === undefined ? 0o700 : undefined);
    const probe = join(folder, `.waybill-${host.random()}`);
    writeFileSync(probe, '', { flag: 'wx' });
    unlinkSync(probe);
  } catch (error) {
    const isOwn = download === undefined;
    throw new Failure('storage', {
      kind: 'label-folder-unwritable',
      path: folder,
      why: messageOf(error),
      isOwn,
    });
  }
  return folder;
}

/** The label of each leg, and the booking that made it. */
export interface LegLabels {
  /** The content of the answer; for labels that were made before, content in the same form. */
  content: unknown;
  /** The ids of the shipments. */
  ids: Partial<Record<Leg, string>>;
  labels: Partial<Record<Leg, Label>>;
  bookings: Partial<Record<Leg, string>>;
  /** Why some labels were not made. */
  failure?: Failure | undefined;
  /** The legs whose labels were made now, where that is known. */
  fresh?: readonly Leg[];
}

export interface SavedLabels extends LegLabels {
  /** The file of each label. */
  saved: Partial<Record<Leg, string>>;
  /** A problem for each label that was not saved. */
  problems: readonly LabelProblem[];
  pages: OrderLabels;
}

/**
 * Saves the labels that were made, if files are wanted, under the key or the id of the shipment. Each label is tried; the problems are in
 * the result.
 */
export async function saveLabels<M extends LegLabels>(
  files: LabelOutput | undefined,
  labelled: M,
  key: string | undefined,
  desk: Desk,
): Promise<M & SavedLabels> {
  const { content, ids, labels, bookings } = labelled;
  const { journal, printer, host, caller } = desk;
  const nameOf = (leg: Leg) => key ?? ids[leg] ?? leg;
  const saved: SavedLabels['saved'] = {};
  const problems: LabelProblem[] = [];
  const paths: OrderLabels['files'][number][] = [];
  const pages = { name: nameOf(LEGS.find(leg => labels[leg]?.made) ?? 'international'), files: paths };
  if (files === undefined) return { ...labelled, saved, problems, pages };
  // A pair does not tell which of its labels are `fresh`: they count as made by this command.
  files.done.hasMade ||= labelled.fresh === undefined || labelled.fresh.length > 0;
  for (const leg of LEGS) {
    const { made: isMade, link, trackingNumber } = labels[leg] ?? { made: false };
    if (!isMade) continue;
    try {
      const text = link ?? labelText(labelTold(content, leg));
      const bytes = await labelBytes(leg, text, bookings[leg], desk);
      if (bytes === undefined) {
        // The service document shows no link to a domestic label.
        if (leg === 'domestic') await printer.note({ kind: 'no-link-to-domestic-label' });
        else problems.push({ problem: 'no-file', leg, trackingNumber });
        continue;
      }
      const kind = fileKindOf(bytes);
      const came = { kind: 'label-file-unusable', from: link === undefined ? 'answer' : 'link' } as const;
      if (kind === undefined) throw new Failure('unavailable', { ...came, fault: 'unknown-kind' });
      const { words: file, mark } = kind;
      if (isCutOff(bytes, kind))
        throw new Failure('unavailable', { ...came, fault: 'no-end', file, bytes: bytes.length, mark });
      const image = await labelFault(bytes, kind, host);
      if (image) throw new Failure('unavailable', { ...came, fault: 'image', file, image });
      const path = saveFile(files.folder, { name: nameOf(leg), ending: kind.ending }, bytes, host.random());
      saved[leg] = path;
      paths.push({ path, leg, shipment: ids[leg] ?? '' });
      files.done.saved.push(path);
      if (kind.ending !== 'pdf') await printer.warn({ kind: 'label-is-no-pdf', leg, file, path });
      const booking = bookings[leg];
      if (booking === undefined) continue;
      caller.labelSaved(booking, path);
      if (await journal.saveLabel(booking, leg, bytes, path))
        await warnOfSame(booking, { leg, shipment: ids[leg] ?? '' }, desk);
      else await printer.warn({ kind: 'label-of-pruned-order', path });
    } catch (error) {
      caller.labelNotSaved(bookings[leg] ?? null, error instanceof Failure ? error.code : 'storage');
      const way = wayToLabel(files, labelled, leg, error, desk);
      problems.push({ problem: 'not-saved', leg, why: innerOf(error), way });
    }
  }
  const failed = labelled.failure !== undefined || problems.length > 0;
  return { ...labelled, saved, problems, pages: { ...pages, failed } };
}

/** Warns if the label that this booking made equals the label of another shipment: two parcels would have one sticker. */
async function warnOfSame(booking: string, shipment: LegShipment, desk: Desk): Promise<void> {
  const { journal, scope, printer } = desk;
  const twin = await journal.sameLabel(scope(), booking, shipment);
  if (twin === undefined) return;
  const named = async ({ leg, shipment: id }: LegShipment) => {
    const key = (await journal.bookingOf(scope(), { leg, shipment: id }))?.key;
    return { shipment: id, key: key ?? undefined };
  };
  await printer.warn(
    { kind: 'two-labels-alike', label: await named(shipment), other: await named(twin) },
    { always: true },
  );
}

/** How to get a label that was made and not saved, without making another one. */
function wayToLabel(
  output: LabelOutput,
  labelled: LegLabels,
  leg: Leg,
  error: unknown,
  desk: Desk,
): Extract<LabelProblem, { problem: 'not-saved' }>['way'] {
  const { ids, labels, bookings } = labelled;
  const link = labels[leg]?.link;
  // The label in the answer is faulty, and would be again. Other failures, such as a full disk, may not come again.
  const booking = bookings[leg];
  if (link === undefined && booking && error instanceof Failure && error.code === 'unavailable')
    return { way: 'ask', show: [...showCommand(booking, targetFlags(desk)), '--json'] };
  const id = ids[leg];
  const shownLink = link === undefined ? undefined : maskAddresses(link);
  if (id === undefined) return { way: 'link', link: shownLink };
  const download = [...labelCommand({ [leg]: id }, targetFlags(desk)), '--download', output.folder];
  return { way: 'download', download, link: shownLink };
}

/** What is damaged in the image of a label file that is not cut off; `undefined` if nothing is. Throws `interrupted`. */
async function labelFault(
  bytes: Uint8Array,
  kind: LabelKind,
  host: Pick<Host, 'inThread'>,
): Promise<ImageFault | undefined> {
  if (kind.ending !== 'pdf') return imageFault(bytes, kind.ending);
  if (isPlainlyDrawn(bytes)) return undefined;
  try {
    await labelAsPdf(bytes, host);
  } catch (error) {
    if (error instanceof Failure) throw error;
    // Only a damaged image counts: a printer may read a PDF that cannot be read here.
    if (error instanceof Unreadable && error.fault.fault === 'image') return error.fault.image;
  }
  return undefined;
}

/** The link to a label, or the label itself, as its answer has it; `undefined` if the answer has neither, or was pruned. */
export const labelSourceOf = (booking: Booking, leg: Leg): string | undefined =>
  booking.labels[leg]?.link ?? labelText(labelTold(answerOf(booking).content, leg));

/** The bytes of a label: from the journal, else from the answer or from behind the link, which may stop working one day. */
export async function labelBytes(
  leg: Leg,
  text: string | undefined,
  booking: string | undefined,
  desk: Pick<Desk, 'journal' | 'service'>,
): Promise<Uint8Array | undefined> {
  const saved = booking === undefined ? undefined : await desk.journal.savedLabel(booking, leg);
  return saved ?? (text === undefined ? undefined : (labelIn(text) ?? desk.service.download(text)));
}

// A label as a file: written whole, under a free name.

/** Writes the whole file or none, and gives its path. Never overwrites: an existing file with the same bytes is the result. */
export function saveFile(
  folder: string,
  file: { name: string; ending: string },
  bytes: Uint8Array,
  unique: number,
): string {
  const temporary = join(folder, `.waybill-${unique}.part`);
  try {
    // The bytes are on the disk before the file has its name: a loss of power leaves no empty label.
    writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o600, flush: true });
    for (let number = 1; number < 1000; number += 1) {
      const path = join(folder, `${safeName(file.name)}${number === 1 ? '' : `-${number}`}.${file.ending}`);
      if (gotName(temporary, path) || hasBytes(path, bytes)) return path;
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  throw new Error(`there are too many files named ${file.name} in ${folder}`);
}

function hasBytes(path: string, bytes: Uint8Array): boolean {
  try {
    // Only a plain file is read: reading a pipe would wait, and a link may lead to a pipe.
    return lstatSync(path).isFile() && readFileSync(path).equals(bytes);
  } catch {
    // The user may not read this file.
    return false;
  }
}

/** Saves a label on the paper that is wanted. The folder of waybill has it, because the print program may read it later. */
export function savePrint(label: string, bytes: Uint8Array, output: LabelOutput, host: Host): string {
  const ownFolder = labelFolder(host);
  if (ownFolder !== undefined) makeFolder(ownFolder, 0o700);
  const name = `${basename(label, extname(label))}.print`;
  return saveFile(ownFolder ?? output.folder, { name, ending: 'pdf' }, bytes, host.random());
}

/** An id or a key as a file name. */
function safeName(name: string): string {
  const plain = name
    .replace(/[^\w.-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100);
  return plain === '' ? '_' : plain;
}

type Files = Partial<Record<Leg, string>>;

/**
 * The labels in the content of a response to `label`, or in the legs of a response to `ship-dual`. `where`: the file, else the link.
 * `isInline`: the response has the label itself, and no file of the label was saved.
 */
export const labelsIn = (content: unknown, saved: Files = {}) =>
  LEGS.flatMap(leg => {
    const label = labelTold(content, leg);
    if (label === undefined) return [];
    const carrier = getAt(content, [leg, 'shipment', 'carrier']);
    const text = labelText(label);
    const isInline = saved[leg] === undefined && text !== undefined && labelIn(text) !== undefined;
    return {
      leg,
      carrier:
        textAt(carrier, ['name']) ?? read(readId, getAt(carrier, ['id'])) ?? textAt(label, ['carrier']),
      trackingNumber: read(readId, getAt(label, ['trackingNumber'])),
      where: saved[leg] ?? (isInline ? undefined : text && maskAddresses(text)),
      isInline,
    };
  });

/** The file or the link of a label for people. */
export const whereWords = (label: { where: string | undefined; isInline: boolean }) =>
  label.isInline ? 'in the answer; --download saves it' : label.where;

/** A table with a row for each leg that has a label. `ids`: the ids of the shipments, if the command made shipments, too. */
export const labelsView = (content: unknown, saved: Files, ids?: Ids): View<unknown> => ({
  essential: () => (ids ? LEGS.map(leg => ids[leg]) : labelsIn(content, saved).map(({ where }) => where)),
  table: (_, look) =>
    table(look, {
      head: ['leg', ...(ids ? ['shipment'] : []), 'carrier', 'tracking number', 'label'],
      // No column is cut: each has ids, names or links.
      align: ['whole', 'whole', 'whole', 'whole', 'whole'],
      rows: labelsIn(content, saved).map(label => [
        label.leg,
        ...(ids ? [ids[label.leg]] : []),
        ...[label.carrier, label.trackingNumber, whereWords(label)],
      ]),
    }),
});

/** A row for each label of several orders. */
export const severalLabelsView = (
  orders: readonly { name: string; content: unknown; saved: Files }[],
): View<unknown> => ({
  essential: () => orders.flatMap(({ content, saved }) => labelsIn(content, saved).map(({ where }) => where)),
  table: (_, look) =>
    table(look, {
      head: ['shipment', 'leg', 'carrier', 'tracking number', 'label'],
      align: ['whole', 'whole', 'whole', 'whole', 'whole'],
      rows: orders.flatMap(({ name, content, saved }) =>
        labelsIn(content, saved).map(label => [
          ...[name, label.leg, label.carrier, label.trackingNumber, whereWords(label)],
        ]),
      ),
    }),
});

// Many labels as one PDF, for one print job.

/**
 * The head of a PDF that waybill merged: only a file with this head is replaced. Its second line tells programs that the file is not text.
 */
const PDF_HEAD = Buffer.from(
  '%PDF-1.7\n%\x81\x81\x81\x81\n%Labels merged by waybill; it replaces this file\n',
  'latin1',
);

export interface MergedFile {
  path: string;
  /** The path as the user typed it. */
  name: string;
  /** The file as `fileAt` describes it: the one that was there when the command began, later the one that the command wrote. */
  seen: string | undefined;
}

/** The saved label of a shipment. */
export interface LabelFile extends LegShipment {
  path: string;
  /** Set if the label was printed earlier. */
  printed?: PrintedLabel | undefined;
}

/** The saved labels of one order. */
export interface OrderLabels {
  /** The key of the order, or the id of a shipment. */
  name: string;
  files: readonly LabelFile[];
  /** A label is missing, and the order's own failure says why. */
  failed?: boolean;
  /** Do the labels of this order begin on a new page? */
  onNewPage?: boolean;
}

/** A label in the merged PDF. `page`: the page on which the label begins, from 1. */
export interface MergedLabel extends LabelFile {
  page: number;
}

/** Checks, before anything is sent, that the file can be written and, if it exists, was merged by waybill. Throws `storage`, `usage`. */
export function prepareMerge(host: Host, name: string): MergedFile {
  const path = absolutePath(name, host);
  const merged = { path, name, seen: fileAt(path) };
  refuseStranger(merged);
  try {
    probeBeside(merged.path, host);
  } catch (error) {
    throw new Failure('storage', { kind: 'merged-unwritable', file: name, why: messageOf(error) });
  }
  return merged;
}

/** Throws `usage` if the file exists and was not merged by waybill. */
function refuseStranger(file: Omit<MergedFile, 'seen'>): void {
  const present = lstatSync(file.path, { throwIfNoEntry: false });
  if (present === undefined) return;
  if (present.isFile() && firstBytes(file.path, PDF_HEAD.length).equals(PDF_HEAD)) return;
  throw new Failure('usage', { kind: 'merged-by-another-program', file: file.name });
}

/** Throws `storage` if another command has written the file since then: the labels in it may not be on paper yet. */
export function refuseRival(merged: MergedFile): void {
  const now = fileAt(merged.path);
  if (now !== undefined && now !== merged.seen) throw rivalWrote(merged);
}

const rivalWrote = (file: MergedFile): Failure =>
  new Failure('storage', { kind: 'merged-by-another-command', file: file.name });

/** A PDF that is not written yet. */
export interface DrawnLabels {
  pdf: Pdf;
  labels: MergedLabel[];
  missing: MissingLabel[];
  /** Orders with a label that was not cropped, because nobody can tell what is drawn on it. */
  uncropped: string[];
  /** The letters that cannot be printed in the stamp of an order, by the name of the order. */
  lost: ReadonlyMap<string, string>;
  /** Orders with a label whose stamp is cut off. */
  cut: string[];
}

/** Draws the papers behind the labels of an order. `size`: the size of the last label's page. */
type DrawBehind = (files: readonly LabelFile[], pdf: Pdf, size: PageSize | undefined) => Promise<void>;

/** Draws all saved labels in the order given, on the paper that is wanted. `behind` draws the papers behind them. Throws `interrupted`. */
export async function drawLabels(
  labels: readonly OrderLabels[],
  sheet: LabelSheet,
  desk: Desk,
  behind?: DrawBehind,
): Promise<DrawnLabels> {
  const { host } = desk;
  const pdf = await openMerge(sheet);
  const uncropped = new Set<string>();
  const lost = new Map<string, string>();
  const cut = new Set<string>();
  const inFile: MergedLabel[] = [];
  const missing: MissingLabel[] = [];
  for (const { name, files, failed, onNewPage } of labels) {
    if (onNewPage) pdf.endSheet();
    if (failed) missing.push({ name });
    else if (files.length === 0) missing.push({ name, fault: { fault: 'no-file' } });
    const added: MergedLabel[] = [];
    let size: PageSize | undefined;
    for (const file of files)
      try {
        const label = await labelAsPdf(readFileSync(file.path), host, sheet.crop);
        const stamp = sheet.stamp === undefined ? undefined : await stampFor(file, name, sheet.stamp, desk);
        const { page, size: pageSize, lost: letters, isStampCut } = await pdf.add(label.pdf, stamp);
        size = pageSize;
        if (letters !== '') lost.set(name, letters);
        if (isStampCut) cut.add(name);
        if (label.isUncropped) uncropped.add(name);
        added.push({ ...file, page });
      } catch (error) {
        if (error instanceof Failure) throw error;
        const fault: PageFault =
          error instanceof Unreadable ? error.fault : { fault: 'unreadable', why: messageOf(error) };
        missing.push({ name, fault: { ...fault, path: file.path } });
      }
    inFile.push(...added);
    if (added.length > 0) await behind?.(added, pdf, size);
  }
  return { pdf, labels: inFile, missing, uncropped: [...uncropped], lost, cut: [...cut] };
}

/** The stamp of a label. If the order was pruned, or this journal does not know it, the stamp has the name alone. */
async function stampFor(file: LabelFile, name: string, stamp: string, desk: Desk): Promise<string> {
  const booking = await desk.journal.bookingOf(desk.scope(), file);
  const receiver = nameOfParty(getAt(booking?.request, ['receiver']));
  return stampOf(stamp, { key: booking?.key ?? name, receiver });
}

export async function openMerge(sheet: Sheet = {}): Promise<Pdf> {
  const { createPdf } = await import('../pdf/pdf.ts');
  return createPdf(PDF_HEAD, 'Labels', { sheet });
}

/**
 * Writes the merged PDF, and replaces an earlier one. `mayReplace` is asked when only the name of the new file is missing: if it gives
 * `false`, the earlier file stays, and the result is `false`. Throws `storage`, `usage`.
 */
export async function writeMerged(
  merged: MergedFile,
  pdf: Pdf,
  host: Pick<Host, 'random'>,
  mayReplace: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const part = partBeside(merged.path, host);
  try {
    writeFileSync(part, await pdf.bytes(), { flag: 'wx', mode: 0o600, flush: true });
    // step: merged file drawn
    if (!(await mayReplace())) return false;
    // step: labels of a merged file claimed
    refuseStranger(merged);
    const written = fileAt(part);
    if (!takePlace(part, merged.path, merged.seen)) throw rivalWrote(merged);
    merged.seen = written;
    // step: merged file in place
    return true;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('storage', { kind: 'merged-unwritable', file: merged.name, why: messageOf(error) });
  } finally {
    rmSync(part, { force: true });
  }
}
