import { isRecord } from '../contract/paths.ts';
import { Failure, messageOf } from '../errors.ts';

/** A JSON object out of the bytes of a file (UTF-8, with or without a byte order mark). Throws `invalid_request`. */
export function readJsonObject(bytes: Uint8Array, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Failure('invalid_request', `${name} is not JSON: ${messageOf(error)}; nothing was sent`);
  }
  if (isRecord(value)) return value;
  throw new Failure(
    'invalid_request',
    `${name} holds ${Array.isArray(value) ? 'a list' : 'a bare value'} where one JSON object is wanted; nothing was sent`,
  );
}
