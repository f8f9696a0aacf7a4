// Saves labels as files, in the folder of the user or else in that of the state.
import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LEGS, type Leg } from '../contract/operation.ts';
import { Failure, messageOf, systemCode } from '../errors.ts';
import { absolutePath, makeFolder } from '../folder.ts';
import { downloadPdf } from '../http/download.ts';
import type { Label } from '../journal/journal.ts';
import { otherFolder, requiredStateFolder } from '../profile/folders.ts';
import type { Session } from '../session/session.ts';
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
  const folder =
    download === undefined ? join(requiredStateFolder(host), 'labels') : absolutePath(download, host);
  try {
    // Only the user may read our folder: labels tell where people live.
    makeFolder(folder, download === undefined ? 0o700 : undefined);
    const probe = join(folder, `.waybill-${host.random()}`);
    writeFileSync(probe, '', { flag: 'wx' });
    unlinkSync(probe);
  } catch (error) {
    throw new Failure(
      'storage',
      `labels cannot be saved in ${folder}: ${messageOf(error)}; nothing was sent${download === undefined ? `. ${otherFolder('state')}` : ''}`,
    );
  }
  return { folder, print };
}

/** The label of each leg, and the booking that made it. */
export interface LegLabels {
  labels: Partial<Record<Leg, Label>>;
  bookings: Partial<Record<Leg, string>>;
  /** Why some were not made. */
  failure?: Failure | undefined;
}

export interface SavedLabels extends LegLabels {
  /** The file of each label. */
  saved: Partial<Record<Leg, string>>;
  print: boolean;
  /** A sentence for each label that was not saved. */
  problems: readonly string[];
}

/** Saves the labels that were made, if files are wanted. All are tried; the problems are in the result. */
export async function saveLabels<M extends LegLabels>(
  session: Session,
  files: LabelFiles | undefined,
  made: M,
  nameOf: (leg: Leg) => string,
): Promise<M & SavedLabels> {
  const { labels, bookings } = made;
  const saved: SavedLabels['saved'] = {};
  const problems: string[] = [];
  if (files === undefined) return { ...made, saved, problems, print: false };
  for (const leg of LEGS) {
    const { made: isMade, link } = labels[leg] ?? { made: false };
    if (!isMade) continue;
    try {
      const pdf = await pdfOf(session, leg, link, bookings[leg]);
      if (pdf === undefined) {
        await session.printer.note(`the ${leg} label cannot be saved: the service gave no link to it`);
        continue;
      }
      const path = saveAs(files.folder, nameOf(leg), pdf, session.host.random());
      saved[leg] = path;
      await session.printer.note(`label saved: ${path}`);
      const booking = bookings[leg];
      if (booking === undefined) continue;
      session.bookingLines.addFile(booking, path);
      await (await session.journal()).saveLabel(booking, leg, pdf, path);
    } catch (error) {
      const where = link === undefined ? '' : `. Its link is ${link}`;
      session.events.log({
        ...{ event: 'label', level: 'warning', operation: 'label', booking: bookings[leg] ?? null },
        error: error instanceof Failure ? error.code : 'storage',
      });
      problems.push(
        `the ${leg} label was made, but not saved: ${messageOf(error)}. Do not make it again: \`waybill label\` with --download, for the same shipment, saves this one and makes no other${where}`,
      );
    }
  }
  return { ...made, saved, problems, print: files.print };
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
  if (session.globals.verbose && (host.env.https_proxy || host.env.HTTPS_PROXY))
    await session.printer.note(
      'HTTPS_PROXY looks up the host of a label link itself. So waybill cannot see to it that the address that it checked is the one that is asked',
    );
  return downloadPdf(await session.linkNow(link), { transport: session.transport(), service, retries }, host);
}

/** Writes the whole file or none. An existing file is never overwritten; one with the same bytes is the result. */
export function saveAs(folder: string, name: string, bytes: Uint8Array, unique: number): string {
  const temporary = join(folder, `.waybill-${unique}.part`);
  try {
    // The bytes are on the disk before the name is: a loss of power leaves no empty label.
    writeFileSync(temporary, bytes, { flag: 'wx', flush: true });
    for (let number = 1; number < 1000; number += 1) {
      const path = join(folder, `${safeName(name)}${number === 1 ? '' : `-${number}`}.pdf`);
      if (gotName(temporary, path) || hasBytes(path, bytes)) return path;
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  throw new Error(`there are too many files named ${name} in ${folder}`);
}

/** Gives the file its name; false if that name is taken. */
function gotName(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
  }
  try {
    // The file system has no links.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function hasBytes(path: string, bytes: Uint8Array): boolean {
  try {
    // Reading a pipe would wait, and a link may lead to one.
    return lstatSync(path).isFile() && readFileSync(path).equals(bytes);
  } catch {
    // We may not read it.
    return false;
  }
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** An id or a key as a file name that is valid on every system. */
function safeName(name: string): string {
  const plain = name
    .replace(/[^\w.-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100);
  return plain === '' || RESERVED.test(plain.replace(/\..*/, '')) ? `_${plain}` : plain;
}
