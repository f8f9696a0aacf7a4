// A label as a file: written whole, under a free name that is valid on every system.
import { constants, copyFileSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.ts';

/** Writes the whole file or none. An existing file is never overwritten; one with the same bytes is the result. */
export function saveAs(
  folder: string,
  { name, ending }: { name: string; ending: string },
  bytes: Uint8Array,
  unique: number,
): string {
  const temporary = join(folder, `.waybill-${unique}.part`);
  try {
    // The bytes are on the disk before the name is: a loss of power leaves no empty label.
    writeFileSync(temporary, bytes, { flag: 'wx', flush: true });
    for (let number = 1; number < 1000; number += 1) {
      const path = join(folder, `${safeName(name)}${number === 1 ? '' : `-${number}`}.${ending}`);
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
