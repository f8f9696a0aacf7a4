// Saves labels as files, in the folder of the user or else in that of the state.
import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LEGS, type Leg } from '../contract/operation.ts';
import { Failure, messageOf } from '../errors.ts';
import { downloadPdf } from '../http/download.ts';
import type { Label } from '../journal/journal.ts';
import { stateFolder } from '../profile/folders.ts';
import type { Session } from '../session/session.ts';
import { saveAs } from './file.ts';
import type { LabelFileOptions } from './flags.ts';

/** Where label files go. */
export interface LabelFiles {
  folder: string;
  /** Is each printed, too? */
  print: boolean;
}

/** Checks, before anything is booked, that the folder can be written to. Throws `storage`. */
export function prepareFolder(
  { host }: Session,
  { download, print = false }: LabelFileOptions,
): LabelFiles | undefined {
  if (download === undefined && !print) return undefined;
  const folder = download === undefined ? join(stateFolder(host), 'labels') : resolve(host.cwd, download);
  try {
    // Only the user may read our folder: labels tell where people live.
    mkdirSync(folder, { recursive: true, ...(download === undefined && { mode: 0o700 }) });
    const probe = join(folder, `.waybill-${host.random()}`);
    writeFileSync(probe, '', { flag: 'wx' });
    unlinkSync(probe);
  } catch (error) {
    throw new Failure(
      'storage',
      `labels cannot be saved in ${folder}: ${messageOf(error)}; nothing was sent`,
    );
  }
  return { folder, print };
}

/** The label of a leg, and the booking that made it. */
export interface LegLabels {
  labels: Partial<Record<Leg, Label>>;
  bookings: Partial<Record<Leg, string>>;
}

/** The file of each label. */
export type LabelPaths = Partial<Record<Leg, string>>;

export interface SavedLabels {
  saved: LabelPaths;
  print: boolean;
  /** A sentence for each label that was not saved. */
  problems: readonly string[];
  /** Why some were not made. */
  failure?: Failure | undefined;
}

/** Saves the labels that were made, if files are wanted. All are tried; the problems are in the result. */
export async function saveLabels(
  session: Session,
  files: LabelFiles | undefined,
  { labels, bookings }: LegLabels,
  nameOf: (leg: Leg) => string,
): Promise<SavedLabels> {
  const saved: LabelPaths = {};
  const problems: string[] = [];
  if (files === undefined) return { saved, problems, print: false };
  for (const leg of LEGS) {
    const { made, link } = labels[leg] ?? { made: false };
    if (!made) continue;
    try {
      const pdf = await pdfOf(session, leg, link, bookings[leg]);
      if (pdf === undefined) {
        await session.printer.note(`the ${leg} label cannot be saved: the service gave no link to it`);
        continue;
      }
      const path = saveAs(files.folder, nameOf(leg), pdf, session.host.random());
      saved[leg] = path;
      await session.printer.note(`label saved: ${path}`);
      if (bookings[leg] !== undefined)
        await (await session.journal()).saveLabel(bookings[leg], leg, pdf, path);
    } catch (error) {
      const where = link === undefined ? '' : `. Its link is ${link}`;
      problems.push(
        `the ${leg} label was made, but not saved: ${messageOf(error)}. Do not make it again: \`waybill label\` with --download, for the same shipment, saves this one and makes no other${where}`,
      );
    }
  }
  return { saved, problems, print: files.print };
}

/** The bytes that the journal has, else those behind the link, which may stop working one day. */
async function pdfOf(
  session: Session,
  leg: Leg,
  link: string | undefined,
  booking: string | undefined,
): Promise<Uint8Array | undefined> {
  const saved = booking === undefined ? undefined : await (await session.journal()).savedLabel(booking, leg);
  if (saved || link === undefined) return saved;
  const { host, retries } = session;
  // The emulator of the demo has no address of its own.
  const service = session.target().base?.hostname ?? 'localhost';
  return downloadPdf(link, { transport: session.transport(), service, retries }, host);
}
