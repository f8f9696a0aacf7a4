// Loads the chunks of the bundle, with the code that V8 compiled from these chunks in an earlier run.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { makeFolder } from '../host/folder.ts';
import { messageOf } from '../system-errors.ts';

declare const WAYBILL_DRIVER: string;
declare const WAYBILL_FONT: string;
declare const WAYBILL_READER: string;

export interface Loader {
  /** The exports of a chunk. */
  load(name: string): unknown;
  /** The compiled code of every loaded module; `undefined` if all the code was in the cache. */
  made(): Map<string, Buffer> | undefined;
}

/** The chunk with which the thread that reads labels begins. */
const READER_START = 'reader-start.cjs';

const BEFORE = '(function (exports, require, module) {';
const AFTER = '\n})';

type Module = { exports: unknown };
type Body = (exports: unknown, require: (id: string) => unknown, module: Module) => void;

/**
 * Loads the chunks, which are CommonJS modules, like `require`, and compiles only files that are not in the cache. `core`: the
 * file that has most chunks, each as a function. `folder`: the folder that stack traces show for the files.
 */
export function createLoader(core: string, folder: string, parts: Parts, code: CodeCache): Loader {
  const modules = new Map<string, Module>();
  const scripts = new Map<string, Script>();
  let isNew = false;

  /** Runs the text of a file as a script, and gives its value. */
  function run<T>(name: string, before = '', after = ''): T {
    const cachedData = code.of(name);
    const script = new Script(before + parts.text(name) + after, {
      filename: join(folder, name),
      columnOffset: -before.length,
      ...(cachedData && { cachedData }),
    });
    isNew ||= script.cachedDataRejected !== false;
    scripts.set(name, script);
    return script.runInThisContext();
  }

  const chunks = run<Record<string, Body>>(core);

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const body = chunks[name] ?? run<Body>(name, BEFORE, AFTER);
    try {
      body.call(module.exports, module.exports, required, module);
    } catch (error) {
      // As with `require`, the next attempt runs the module again: then the driver of SQLite may be found.
      modules.delete(name);
      throw error;
    }
    return module.exports;
  }
  function required(id: string): unknown {
    if (id.startsWith('./')) return load(id.slice(2));
    if (id === WAYBILL_DRIVER) return parts.driver();
    if (id === WAYBILL_FONT) return { font: parts.font() };
    if (id === WAYBILL_READER) return { reader: { code: parts.text(READER_START), data: folder } };
    const [, document] = /^waybill:(.+)$/.exec(id) ?? [];
    return document === undefined ? require(id) : readDocument(parts.text(`${document}.json`));
  }

  return {
    load,
    made: () =>
      isNew ? new Map([...scripts].map(([name, script]) => [name, script.createCachedData()])) : undefined,
  };
}

/** A document of the build: a list of shared parts, and the whole. In both, `{"": 3}` stands for the fourth shared part. */
export function readDocument(text: string): unknown {
  const [shared, whole]: [unknown[], unknown] = JSON.parse(text);
  const filled = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if ('' in part) return shared[Number(part[''])];
    const own = part as Record<string, unknown>;
    for (const name in own) own[name] = filled(own[name]);
    return own;
  };
  // A shared part refers only to shared parts that stand before it.
  for (const [at, part] of shared.entries()) shared[at] = filled(part);
  return filled(whole);
}

// Where the start finds the chunks of the bundle, the native part of SQLite, and the font: in the files of a package, or within the
// running executable.

export interface Parts {
  /** The text of a chunk, or of a document. The text is ASCII, which V8 keeps in half the memory if it was read as Latin-1. */
  text(name: string): string;
  /** The exports of the SQLite package. Throws an error that says what to do. */
  driver(): unknown;
  /** The font of printed documents. */
  font(): Buffer;
}

export const partsOfPackage = (folder: string): Parts => ({
  text: name => readFileSync(join(folder, name), 'latin1'),
  font: () => readFileSync(join(folder, 'font.ttf')),
  driver() {
    const { arch, platform } = process;
    const names =
      platform === 'linux'
        ? [`${platform}-${arch}-glibc`, `${platform}-${arch}-musl`]
        : [`${platform}-${arch}`];
    const why: string[] = [];
    // One after the other, because finding out which C library a Linux has takes long, and most have the first of these.
    for (const name of names)
      try {
        return require(join(folder, `sqlite-${name}.node`));
      } catch (error) {
        why.push(messageOf(error).split('\n', 1).join());
      }
    throw new Error(
      `SQLite cannot be loaded on this machine, ${platform}-${arch} (${why.join('; ')}). waybill has it for Linux, macOS and Windows on x64 and arm64; if this is one of them, install waybill again`,
    );
  },
});

export const partsOfExecutable = (): Parts => {
  const { getRawAsset } = require('node:sea') as typeof import('node:sea');
  // The asset is in the memory of the process already, and is not copied. (By its type it may be text, which it never is.)
  const part = (name: string) => Buffer.from(getRawAsset(name) as ArrayBuffer);
  return {
    text: name => part(name).toString('latin1'),
    font: () => part('font.ttf'),
    // The system loads a driver from a file only. The file lies in a new folder that only this user can enter, and is removed as
    // soon as it is loaded: nothing is left behind, and no other user can exchange the file.
    driver() {
      let folder: string | undefined;
      try {
        requireOwn(tmpdir());
        folder = mkdtempSync(join(tmpdir(), 'waybill-'));
        const file = join(folder, 'sqlite.node');
        writeFileSync(file, part('sqlite.node'), { mode: 0o700 });
        const module = { exports: {} };
        process.dlopen(module, file);
        return module.exports;
      } catch (error) {
        throw new Error(
          `SQLite cannot be unpacked into ${tmpdir()} and loaded (${messageOf(error)}). Set TMPDIR to a folder in which this user can create files, that is not mounted with noexec, and in which no other user can change them`,
        );
      } finally {
        if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      }
    },
  };
};

/** Throws if other users may rename the files of this user in the folder. In /tmp, where all may write, the sticky bit prevents this. */
function requireOwn(folder: string): void {
  const { mode } = statSync(folder);
  if (mode & 0o022 && !(mode & 0o1000)) throw new Error('other users can change the files in it');
}

// One file with the compiled code of many modules: the length of the index in 4 bytes, the index as JSON, the code; and then all
// this a second time. V8 does not check the code: one bit that the disk lost would end every later run. So only code that is the
// same in both copies is used. (Node's CRC-32 has to be loaded, which takes 4 % of a `--version`; a second copy takes no time.)

/** The code that V8 compiled from modules in an earlier run, by the names of the modules. */
export interface CodeCache {
  names: readonly string[];
  /** The code of a module; `undefined` if there is none, or it was damaged after it was written. */
  of(name: string): Buffer | undefined;
}

interface Index {
  /** The bundle that the code belongs to, and the Node that compiled the code. */
  stamp: string;
  /** The position of each module's code after the index, and its length. */
  places: Record<string, [at: number, length: number]>;
}

export const NO_CODE: CodeCache = { names: [], of: () => undefined };
const HEAD = 4;

/** The code in a file, if the file is complete, has this stamp, and no other user may write it; else no code. */
export function readCode(path: string, stamp: string): CodeCache {
  try {
    // The file stays open while it is read, because another process may replace it.
    const file = openSync(path, 'r');
    const half = fstatSync(file).size / 2;
    const checked = (at: number, length: number) => {
      if (at + length > half) throw new Error('the file is cut off');
      const [one, other] = [bytes(file, at, length), bytes(file, half + at, length)];
      if (!one.equals(other)) throw new Error('the file is damaged');
      return one;
    };
    const start = HEAD + checked(0, HEAD).readUInt32LE();
    const index: Index = JSON.parse(checked(HEAD, start - HEAD).toString());
    const ends = Object.values(index.places).map(([at, length]) => start + at + length);
    if (!isOurs(file) || index.stamp !== stamp || half !== Math.max(...ends)) return NO_CODE;
    return {
      names: Object.keys(index.places),
      of(name) {
        const place = index.places[name];
        try {
          return place && checked(start + place[0], place[1]);
        } catch {
          return undefined;
        }
      },
    };
  } catch {
    return NO_CODE;
  }
}

/** Writes the code into a file, completely or not at all. Throws the error of the file system. */
export function writeCode(path: string, stamp: string, code: ReadonlyMap<string, Buffer>): void {
  makeFolder(dirname(path), 0o700);
  let end = 0;
  const places: Index['places'] = {};
  for (const [name, { length }] of code) {
    places[name] = [end, length];
    end += length;
  }
  const index = Buffer.from(JSON.stringify({ stamp, places } satisfies Index));
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(index.length);
  const temporary = `${path}.${process.pid}`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      const all = [head, index, ...code.values()];
      for (const part of [...all, ...all]) writePart(file, part);
      // A loss of power must not leave a half-written file.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function isOurs(file: number): boolean {
  const { uid, mode } = fstatSync(file);
  // Windows has neither owners nor modes of this kind.
  const us = process.getuid?.();
  return us === undefined || (uid === us && (mode & 0o022) === 0);
}

function bytes(file: number, at: number, length: number): Buffer {
  const read = Buffer.allocUnsafe(length);
  if (readSync(file, read, 0, length, at) !== length) throw new Error('the file is cut off');
  return read;
}

function writePart(file: number, part: Buffer): void {
  for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
}
