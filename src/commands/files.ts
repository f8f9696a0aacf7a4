import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, messageOf } from '../errors.ts';
import type { Host } from '../host.ts';
import { readJsonObject } from '../request/read-json.ts';

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
