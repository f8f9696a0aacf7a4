import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { LEGS, type Leg } from '../contract/operation.ts';
import { Failure, messageOf, systemCode } from '../errors.ts';
import { downloadPdf } from '../http/download.ts';
import type { Label } from '../journal/journal.ts';
import type { LabelFileOptions } from '../orders/shipment-flags.ts';
import { stateFolder } from '../profile/folders.ts';
import type { Session } from '../session/session.ts';

export const labelFileOptions = (command: Command): Command =>
  command
    .optionsGroup('Label:')
    .option('--download <dir>', 'save the label as {key or shipment id}.pdf in this folder')
    .option('--print', "save it and run the profile's printCommand (lp) on it");

/** `--download` and `--print` need a label; one is never bought without having been asked for. Throws `usage`. */
export function requireLabel({ download, print }: LabelFileOptions, wanted: boolean): void {
  if (!wanted && (download !== undefined || print))
    throw new Failure(
      'usage',
      `--${print ? 'print' : 'download'} needs --label, which makes the label; nothing was sent`,
    );
}

/** Makes sure, before anything is booked, that the folder can be written to. Throws `storage`. */
export function prepareFolder({ host }: Session, options: LabelFileOptions): string | undefined {
  if (options.download === undefined && !options.print) return undefined;
  const folder =
    options.download === undefined ? join(stateFolder(host), 'labels') : resolve(host.cwd, options.download);
  try {
    // Ours is for our eyes alone: labels tell where people live.
    mkdirSync(folder, { recursive: true, ...(options.download === undefined && { mode: 0o700 }) });
    const probe = join(folder, `.waybill-${host.random()}`);
    writeFileSync(probe, '', { flag: 'wx' });
    unlinkSync(probe);
  } catch (error) {
    throw new Failure(
      'storage',
      `labels cannot be saved in ${folder}: ${messageOf(error)}; nothing was sent`,
    );
  }
  return folder;
}

/** The label of a leg, and the booking that made it. */
export interface LegLabels {
  labels: Partial<Record<Leg, Label>>;
  bookings: Partial<Record<Leg, string>>;
}

/** The files that labels were saved as. */
export type Saved = Partial<Record<Leg, string>>;

/** Saves each label that was made; those that could not be are problems, told after all were tried. */
export async function saveLabels(
  session: Session,
  folder: string,
  { labels, bookings }: LegLabels,
  nameOf: (leg: Leg) => string,
): Promise<{ saved: Saved; problems: string[] }> {
  const saved: Saved = {};
  const problems: string[] = [];
  for (const leg of LEGS) {
    const { made, link } = labels[leg] ?? { made: false };
    if (!made) continue;
    try {
      const pdf = await pdfOf(session, leg, link, bookings[leg]);
      if (pdf === undefined) {
        await session.printer.note(`no label of the ${leg} leg to save: the service gave no link to it`);
        continue;
      }
      saved[leg] = saveAs(folder, nameOf(leg), pdf, session.host.random());
      await session.printer.note(`label saved: ${saved[leg]}`);
      if (bookings[leg] !== undefined)
        await (await session.journal()).saveLabel(bookings[leg], leg, pdf, saved[leg]);
    } catch (error) {
      const where = link === undefined ? '' : `. Its link is ${link}`;
      problems.push(
        `the ${leg} label was made, but not saved: ${messageOf(error)}. Do not make it again: \`waybill label\` with --download, for the same shipment, saves this one and makes no other${where}`,
      );
    }
  }
  return { saved, problems };
}

/** The bytes that the journal kept, else those behind the link: a link need not work for ever. */
async function pdfOf(
  session: Session,
  leg: Leg,
  link: string | undefined,
  booking: string | undefined,
): Promise<Uint8Array | undefined> {
  const kept = booking === undefined ? undefined : await (await session.journal()).savedLabel(booking, leg);
  if (kept || link === undefined) return kept;
  const { host, retries } = session;
  // The emulator of the demo has no address of its own.
  const service = session.target().base?.hostname ?? 'localhost';
  return downloadPdf(link, { transport: session.transport(), service, retries }, host);
}

/** Whole or not at all; a file that is there is never overwritten, one with the same bytes serves as it is. */
export function saveAs(folder: string, name: string, bytes: Uint8Array, unique: number): string {
  const temporary = join(folder, `.waybill-${unique}.part`);
  try {
    // On the disk before it has its name, so that a loss of power leaves no empty label.
    writeFileSync(temporary, bytes, { flag: 'wx', flush: true });
    for (let number = 1; number < 1000; number += 1) {
      const path = join(folder, `${safeName(name)}${number === 1 ? '' : `-${number}`}.pdf`);
      if (placed(temporary, path) || holds(path, bytes)) return path;
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  throw new Error(`there are too many files named ${name} in ${folder}`);
}

/** Gives the file its name; false where something has that name already. */
function placed(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
  }
  try {
    // A file system without links.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function holds(path: string, bytes: Uint8Array): boolean {
  try {
    // A pipe would be waited for, and a link may lead to one.
    return lstatSync(path).isFile() && readFileSync(path).equals(bytes);
  } catch {
    // Not ours to read.
    return false;
  }
}

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** An id or a key as a file name that every system takes. */
function safeName(name: string): string {
  const plain = name
    .replace(/[^\w.-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100);
  return plain === '' || RESERVED.test(plain.replace(/\..*/, '')) ? `_${plain}` : plain;
}

/** Runs the print command on each file; a sentence for each that was not printed. */
export async function printLabels({ host, target }: Session, files: readonly string[]): Promise<string[]> {
  const [program = 'lp', ...args] = (target().profile.printCommand ?? 'lp').split(/\s+/).filter(Boolean);
  const problems: string[] = [];
  for (const file of files) {
    const code = await host.run(program, [...args, file], host.env).catch(messageOf);
    if (code === 0) continue;
    const why = typeof code === 'number' ? `ended with ${code}` : `cannot be run (${code})`;
    problems.push(`the label was made and saved as ${file}, but not printed: ${program} ${why}`);
  }
  return problems;
}
