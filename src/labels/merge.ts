// Many labels as one PDF, for one print job.
import { existsSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { Failure, messageOf } from '../errors.ts';
import { absolutePath, firstBytes, partBeside, probeBeside } from '../host/folder.ts';
import type { Host } from '../host.ts';

/** How a PDF begins that waybill merged: only such a file is replaced. The second line tells programs that the file is not text. */
const PDF_HEAD = Buffer.from(
  '%PDF-1.7\n%\x81\x81\x81\x81\n%Labels merged by waybill; it replaces this file\n',
  'latin1',
);

export interface MergedFile {
  path: string;
  /** As the user gave it. */
  name: string;
}

/** The saved label of a shipment. `isPrinted`: an earlier command printed it. */
export interface LabelFile {
  path: string;
  shipment: string;
  isPrinted: boolean;
}

/** The saved labels of one order. */
export interface LabelPages {
  /** Its key, or the id of a shipment. */
  name: string;
  files: readonly LabelFile[];
  /** A label is missing, and the order's own failure says why. */
  failed?: boolean;
}

/** A label that is not in the PDF, and why, unless the order's own failure says it. */
export interface MissingLabel {
  name: string;
  why?: string;
}

/** Checks, before anything is sent, that the file can be written, and is ours if it is there. Throws `storage`, `usage`. */
export function prepareMerge(host: Host, name: string): MergedFile {
  const merged = { path: absolutePath(name, host), name };
  for (const one of [merged, newIn(merged)]) refuseStranger(one, '; nothing was sent');
  try {
    probeBeside(merged.path, host);
  } catch (error) {
    throw new Failure('storage', `${name} cannot be written: ${messageOf(error)}; nothing was sent`);
  }
  return merged;
}

/** The file of those that are printed, where the others were printed before: `today.new.pdf` of `today.pdf`. */
export function newIn({ path, name }: MergedFile): MergedFile {
  const asNew = (one: string) => `${one.replace(/\.pdf$/i, '')}.new.pdf`;
  return { path: asNew(path), name: asNew(name) };
}

/** Removes that of an earlier command, so that a person does not print it again. Gives whether it was there. Throws `storage`, `usage`. */
export function removeNew(merged: MergedFile): boolean {
  const added = newIn(merged);
  if (!existsSync(added.path)) return false;
  refuseStranger(added);
  try {
    rmSync(added.path);
  } catch (error) {
    throw new Failure('storage', `${added.name} cannot be removed: ${messageOf(error)}`);
  }
  return true;
}

/** Throws `usage` if there is a file that is not ours. */
function refuseStranger({ path, name }: MergedFile, consequence = ''): void {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present === undefined || (present.isFile() && isOurs(path))) return;
  throw new Failure(
    'usage',
    `--merge ${name}: there is something of that name that waybill did not make, and it is not replaced. Choose another name, or move it away${consequence}`,
  );
}

const isOurs = (path: string): boolean => firstBytes(path, PDF_HEAD.length).equals(PDF_HEAD);

/**
 * Writes all saved labels into one PDF, in the order given, and replaces the earlier file; without any label there is no
 * file. Gives those that are missing in it, and those that are not. Throws `storage`, `usage`.
 */
export async function mergeLabels(
  merged: MergedFile,
  labels: readonly LabelPages[],
  host: Pick<Host, 'random'>,
): Promise<{ missing: MissingLabel[]; merged: LabelFile[] }> {
  const { createPdf } = await import('./pdf.ts');
  const inFile: LabelFile[] = [];
  const missing: MissingLabel[] = [];
  const part = partBeside(merged.path, host);
  try {
    const pdf = createPdf(part, PDF_HEAD);
    try {
      for (const { name, files, failed } of labels) {
        if (failed) missing.push({ name });
        else if (files.length === 0) missing.push({ name, why: 'the service gave no label to save' });
        for (const file of files)
          try {
            await pdf.add(readFileSync(file.path));
            inFile.push(file);
          } catch (error) {
            missing.push({ name, why: `${messageOf(error)}; it is in ${file.path}` });
          }
      }
      if (inFile.length > 0) pdf.finish();
    } finally {
      pdf.close();
    }
    refuseStranger(merged);
    if (inFile.length > 0) renameSync(part, merged.path);
    else rmSync(merged.path, { force: true });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('storage', `${merged.name} cannot be written: ${messageOf(error)}`);
  } finally {
    rmSync(part, { force: true });
  }
  return { missing, merged: inFile };
}
