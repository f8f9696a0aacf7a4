import { createReadStream, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, messageOf } from '../errors.ts';
import { type Host, interruption } from '../host.ts';
import { readJsonObject } from '../request/read-json.ts';

/** The bytes of a file, or of stdin where the path is `-`, as they come. Throws `storage`, `interrupted`. */
export async function* bytesOf(path: string, { stdin, cwd, interrupted }: Host): AsyncGenerator<Uint8Array> {
  if (path === '-') return yield* stdin.chunks();
  try {
    for await (const chunk of createReadStream(resolve(cwd, path), { highWaterMark: 256 * 1024 })) {
      if (interrupted.aborted) break;
      yield chunk as Buffer;
    }
  } catch (error) {
    throw new Failure('storage', `the file ${path} cannot be read: ${messageOf(error)}; nothing was sent`);
  }
  if (interrupted.aborted) throw interruption(interrupted, 'nothing was sent');
}

/** A JSON object from a file, or from stdin where the path is `-`. Throws `storage`, `invalid_request`. */
export async function readObject(path: string, host: Host): Promise<Record<string, unknown>> {
  if (path === '-') return readJsonObject(await host.stdin.read(), 'stdin');
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(resolve(host.cwd, path));
  } catch (error) {
    throw new Failure('storage', `the file ${path} cannot be read: ${messageOf(error)}; nothing was sent`);
  }
  return readJsonObject(bytes, path);
}
