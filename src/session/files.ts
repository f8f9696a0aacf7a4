// Files that a command line names, and files that waybill keeps for itself.
import { isUtf8 } from 'node:buffer';
import { createReadStream, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isRecord } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { absolutePath } from '../host/folder.ts';
import { interruption } from '../host/signals.ts';
import { type Host, openPipe } from '../host.ts';
import { readJson } from '../json.ts';
import { configFolder, type FolderHost, stateFolder } from '../profile/environment.ts';
import type { Notice } from '../say/notices.ts';
import type { Text } from '../say/sentence.ts';
import { messageOf, systemCode, unreadableBecause } from '../system-errors.ts';
import { encodingShown } from '../text.ts';

/** A name without a file is `usage`: a mistake in the command line, which a retry does not mend. */
const unreadable = (path: string, error: unknown) =>
  new Failure(systemCode(error) === 'ENOENT' ? 'usage' : 'storage', {
    kind: 'file-unreadable',
    path,
    why: unreadableBecause(error),
  });

/** The bytes of a file, or of stdin if the path is `-`, in chunks. Throws `usage` if there is no such file, `storage`, `interrupted`. */
export async function* inputBytes(path: string, host: Host): AsyncGenerator<Uint8Array> {
  const { stdin, interrupted } = host;
  if (path === '-') return yield* stdin.chunks();
  const file = absolutePath(path, host);
  try {
    const { addAbortSignal } = await import('node:stream');
    const isPipe = statSync(file).isFIFO();
    const stream = isPipe ? await openPipe(file) : createReadStream(file, { highWaterMark: 256 * 1024 });
    for await (const chunk of addAbortSignal(interrupted, stream)) yield chunk as Buffer;
  } catch (error) {
    if (!interrupted.aborted) throw unreadable(path, error);
  }
  if (interrupted.aborted) throw interruption(interrupted);
}

// The largest file that is read as a request. No request is nearly as large; a larger file would only fill the memory.
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * A JSON object from a file, or from stdin if the path is `-`. `many`: advice for a file with many objects. Throws `usage` if there is no
 * such file, `storage`, `invalid_request`, `interrupted`.
 */
export async function readObject(path: string, host: Host, many?: Text): Promise<Record<string, unknown>> {
  return objectIn(await wholeInput(path, host, many), inputName(path), many);
}

/** The bytes of a file or of stdin; `undefined` if there are too many. */
async function wholeFile(path: string, host: Host): Promise<Uint8Array | undefined> {
  if (path !== '-')
    try {
      // A plain file is read without a stream, which takes 7 ms to load.
      const file = absolutePath(path, host);
      const stat = statSync(file);
      if (stat.isFile()) return stat.size > MOST_BYTES ? undefined : readFileSync(file);
    } catch (error) {
      throw unreadable(path, error);
    }
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A pipe or a device may have no end.
  for await (const chunk of inputBytes(path, host)) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A JSON value from a file, or from stdin if the path is `-`. Throws as `readObject`. */
export async function readValue(path: string, host: Host): Promise<unknown> {
  return valueIn(await wholeInput(path, host), inputName(path));
}

const inputName = (path: string): string => (path === '-' ? 'stdin' : path);

async function wholeInput(path: string, host: Host, many?: Text): Promise<Uint8Array> {
  const bytes = await wholeFile(path, host);
  if (bytes) return bytes;
  const mostMiB = MOST_BYTES / 1024 / 1024;
  throw new Failure(
    'invalid_request',
    { kind: 'input-too-large', input: inputName(path), mostMiB },
    { hint: many },
  );
}

/** A JSON object from the bytes of a file. Throws `invalid_request`. */
export function objectIn(bytes: Uint8Array, input: string, many?: Text): Record<string, unknown> {
  const value = valueIn(bytes, input, many);
  if (isRecord(value)) return value;
  const holds = Array.isArray(value) ? 'list' : 'value';
  throw new Failure('invalid_request', { kind: 'input-is-no-object', input, holds }, { hint: many });
}

/** A JSON value from the bytes of a file (UTF-8, or the UTF-16 that its first bytes show). Throws `invalid_request`. */
function valueIn(bytes: Uint8Array, input: string, many?: Text): unknown {
  const refused = (notice: Notice, hint?: Text) => new Failure('invalid_request', notice, { hint });
  const encoding = encodingShown(bytes)?.name ?? 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  if (encoding === 'utf-8' ? !isUtf8(bytes) : text.includes('\ufffd')) {
    const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
    throw refused({ kind: 'input-in-other-encoding', input, encoding, line });
  }
  if (text.trim() === '') throw refused({ kind: 'input-empty', input });
  try {
    return readJson(text);
  } catch (error) {
    const isOfMany = /\.(csv|tsv|txt|jsonl|ndjson)$/i.test(input);
    throw refused({ kind: 'input-is-no-json', input, why: messageOf(error) }, isOfMany ? many : undefined);
  }
}

// Which files waybill keeps for itself.

/** The names of own files in the folders of the journal and the config, where other files may be, too. */
const OWN = /^(journal\.db|journal-|demo\.db|import-|config\.)/i;

/** Is this a file of the journal, the demo or the config, or would a new file be one? Links are followed. Throws `usage`. */
export function isOwnFile(path: string, host: FolderHost): boolean {
  const folders = [stateFolder(host), configFolder(host)].flatMap(folder => folder ?? []);
  const end = finalPath(path);
  return OWN.test(basename(end)) && folders.some(folder => finalPath(folder) === dirname(end));
}

const MOST_LINKS = 40;

/** Where a path leads if its links are followed, also if no file is there yet. */
function finalPath(path: string, links = MOST_LINKS): string {
  const end = orUndefined(() => realpathSync(path));
  if (end !== undefined) return end;
  const folder = orUndefined(() => realpathSync(dirname(path))) ?? dirname(path);
  const link = links === 0 ? undefined : orUndefined(() => readlinkSync(path));
  return link === undefined ? join(folder, basename(path)) : finalPath(resolve(folder, link), links - 1);
}

/** What `look` finds; `undefined` if that cannot be read: opening the file later says why. */
function orUndefined<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

// A draft is a request file: the answers of a form that was left.

/** The folder of the drafts; `undefined` for a user without a home folder. */
export function draftFolder(host: FolderHost): string | undefined {
  const state = stateFolder(host);
  return state && join(state, 'drafts');
}

/** Is the file of a request a draft? Then a person looks it over before it is booked. */
export const isDraft = (host: FolderHost, file: string | undefined): file is string =>
  file !== undefined && file !== '-' && dirname(absolutePath(file, host)) === draftFolder(host);

/** The file beside a draft with the options of the form, because a request file has no place for options. */
export const besideDraft = (path: string): string => path.replace(/\.json$/, '.about');

export function removeDraft(path: string): void {
  for (const file of [path, besideDraft(path)]) rmSync(file, { force: true });
}
