import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Label } from '../booking/outcome.ts';
import type { Leg } from '../contract/operation.ts';
import { Failure, messageOf, systemCode } from '../errors.ts';
import { downloadPdf } from '../http/download.ts';
import { stateFolder } from '../profile/folders.ts';
import { onLoopback, type Session } from './session.ts';

export interface LabelFileOptions {
  label?: boolean;
  download?: string;
  print?: boolean;
}

export const labelFileOptions = (command: Command): Command =>
  command
    .option('--download <dir>', 'save the label as {shipment id}.pdf in this folder')
    .option('--print', "save it and run the profile's printCommand (lp) on it");

/** `--download` and `--print` need a label; one is never bought without having been asked for. Throws `usage`. */
export function requireLabel({ label, download, print }: LabelFileOptions): void {
  if (!label && (download !== undefined || print))
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
    mkdirSync(folder, { recursive: true });
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

export type Saved = Partial<Record<Leg, string>>;

/** Saves each label that has a link; throws `partial` naming those that could not be, after all were tried. */
export async function saveLabels(
  session: Session,
  folder: string,
  labels: Partial<Record<Leg, Label>>,
  nameOf: (leg: Leg) => string,
): Promise<{ saved: Saved; problems: string[] }> {
  const saved: Saved = {};
  const problems: string[] = [];
  for (const leg of ['international', 'domestic'] as const) {
    const link = labels[leg]?.link;
    if (link === undefined) continue;
    try {
      const pdf = await downloadPdf(
        link,
        {
          transport: session.transport(),
          serviceOnLoopback: onLoopback(session.target()),
          retries: session.globals.retries ?? 3,
        },
        session.host,
      );
      saved[leg] = saveAs(folder, nameOf(leg), pdf, session.host.random());
      await session.printer.note(`label saved: ${saved[leg]}`);
    } catch (error) {
      problems.push(`the ${leg} label was made, but not saved: ${messageOf(error)}; its link is ${link}`);
    }
  }
  return { saved, problems };
}

/** Whole or not at all; a file that is there is never overwritten, one with the same bytes serves as it is. */
export function saveAs(folder: string, name: string, bytes: Uint8Array, unique: number): string {
  const temporary = join(folder, `.waybill-${unique}.part`);
  writeFileSync(temporary, bytes, { flag: 'wx' });
  try {
    for (let number = 1; number < 1000; number += 1) {
      const path = join(folder, `${safeName(name)}${number === 1 ? '' : `-${number}`}.pdf`);
      if (placed(temporary, path) || readFileSync(path).equals(bytes)) return path;
    }
  } finally {
    unlinkSync(temporary);
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

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** An id or a key as a file name that every system takes. */
function safeName(name: string): string {
  const plain = name
    .replace(/[^\w.-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100);
  return plain === '' || RESERVED.test(plain.replace(/\..*/, '')) ? `_${plain}` : plain;
}

/** Runs the print command on each file. Throws `partial`: the labels are there. */
export async function printLabels({ host, target }: Session, files: readonly string[]): Promise<void> {
  const [program = 'lp', ...args] = (target().profile.printCommand ?? 'lp').split(/\s+/).filter(Boolean);
  for (const file of files) {
    const code = await host.run(program, [...args, file], host.env).catch(messageOf);
    if (code !== 0)
      throw new Failure(
        'partial',
        `the label ${file} was made and saved, but not printed: ${program} ${typeof code === 'number' ? `ended with ${code}` : `cannot be run (${code})`}`,
      );
  }
}
