// Where the start finds the chunks of the bundle, and the native part of SQLite: in the files of a package, or within the
// running executable.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';

export interface Parts {
  /** The text of a chunk. It is ASCII, which V8 keeps in half the memory if it was read as Latin-1. */
  chunk(name: string): string;
  /** The functions of SQLite. Throws an error that says what to do. */
  driver(): unknown;
}

export const partsOfPackage = (folder: string): Parts => ({
  chunk: name => readFileSync(join(folder, name), 'latin1'),
  driver() {
    const { createRequire } = require('node:module') as typeof import('node:module');
    const why: string[] = [];
    for (const target of driverTargets())
      try {
        // npm may have put it beside libsql, or below it.
        return createRequire(require.resolve('libsql'))(`@libsql/${target}`);
      } catch (error) {
        why.push(messageOf(error).split('\n', 1).join());
      }
    throw new Error(
      `the driver of SQLite cannot be loaded (${why.join('; ')}). Install waybill on this machine again, with its optional dependencies`,
    );
  },
});

/** The ends of the names of its packages. It takes long to find out which C library Linux has, and most have the first. */
function driverTargets(): string[] {
  const { arch, platform } = process;
  if (platform === 'darwin') return [`darwin-${arch}`];
  if (platform === 'win32') return [`win32-${arch}-msvc`];
  return ['gnu', 'musl'].map(library => `${platform}-${arch}-${library}${arch === 'arm' ? 'eabihf' : ''}`);
}

export const partsOfExecutable = (): Parts => {
  const { getRawAsset } = require('node:sea') as typeof import('node:sea');
  // It is in the memory of the process already, and is not copied. (Its type says that it may be text, which it never is.)
  const part = (name: string) => Buffer.from(getRawAsset(name) as ArrayBuffer);
  return {
    chunk: name => part(name).toString('latin1'),
    // The system loads it from a file only. That lies in a new folder that only this user can enter, and is removed as soon as
    // it is loaded: nothing is left behind, and no other user can exchange it.
    driver() {
      let folder: string | undefined;
      try {
        requireOwn(tmpdir());
        folder = mkdtempSync(join(tmpdir(), 'waybill-'));
        const file = join(folder, 'driver.node');
        writeFileSync(file, part('driver.node'), { mode: 0o700 });
        const module = { exports: {} };
        process.dlopen(module, file);
        return module.exports;
      } catch (error) {
        throw new Error(
          `the driver of SQLite cannot be unpacked into ${tmpdir()} and loaded (${messageOf(error)}). Set TMPDIR to a folder in which this user can create files, that is not mounted with noexec, and in which no other user can change them`,
        );
      } finally {
        if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};

/** Throws if other users may rename what this user has in the folder. In /tmp, all may write, but its sticky bit prevents that. */
function requireOwn(folder: string): void {
  const { mode } = statSync(folder);
  if (mode & 0o022 && !(mode & 0o1000)) throw new Error('other users can change the files in it');
}
