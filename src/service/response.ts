import { type Content, contentOf } from '../contract/content.ts';
import type { Operation } from '../contract/operations.ts';
import { systemCode } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { Redactor } from '../mask.ts';

interface Received {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** Why the body is not whole, if it is not. */
  fault?: string | undefined;
}

/** What the service sent back. Its body is decoded and parsed once, when it is first needed. */
export class ServiceResponse implements Received {
  readonly kind = 'answer';
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  readonly fault: string | undefined;
  #text: string | undefined;
  #body: { json: unknown } | undefined;
  #content: Content | undefined;

  constructor({ status, headers, bytes, fault }: Received) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.fault = fault;
  }

  get text(): string {
    // A decoder drops the byte order mark that some services begin with; JSON.parse would choke on it.
    this.#text ??= new TextDecoder().decode(this.bytes);
    return this.#text;
  }

  /** The body as JSON; `undefined` if it is not JSON. */
  get json(): unknown {
    this.#body ??= { json: parseJson(this.text) };
    return this.#body.json;
  }

  /** The body as JSON, or as text if it is not JSON; `null` if there is none. */
  get body(): unknown {
    if (this.json !== undefined) return this.json;
    return this.text === '' ? null : this.text;
  }

  /** What the body says, read once for the operation that it answers. */
  contentFor(operation: Operation): Content {
    this.#content ??= contentOf(operation, this.body);
    return this.#content;
  }

  /** How the body is packed: `gzip`; `undefined` if it is not. */
  get coding(): string | undefined {
    const coding = this.headers['content-encoding']?.trim().toLowerCase() ?? '';
    return coding === '' || coding === 'identity' || this.bytes.length === 0 ? undefined : coding;
  }

  /** Is a file still packed? A server may name a coding that it did not apply. */
  get isFilePacked(): boolean {
    return this.coding !== undefined && !PLAIN_LABEL.test(this.bytes.subarray(0, 8).toString('latin1'));
  }
}

// How plain labels begin.
const PLAIN_LABEL = /^(?:\s|%PDF|\x89PNG|GIF8|\xff\xd8|[\^~]|CT~)/;

/**
 * The response with its body unpacked (gzip, deflate, br), because a service may pack it although `accept-encoding` asks
 * for none; or as it came if that is impossible: then it still has its `content-encoding`. One that is larger than
 * `maxBytes` when unpacked has a fault.
 */
export async function unpacked(response: ServiceResponse, maxBytes: number): Promise<ServiceResponse> {
  const { coding, status, fault, bytes } = response;
  if (coding === undefined || fault !== undefined) return response;
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  // Some servers name a coding that they did not apply, or one that is none, as utf-8.
  if (typeof response.json === 'object' && response.json !== null)
    return new ServiceResponse({ status, headers, bytes });
  try {
    const whole = await unpackedBytes(bytes, coding, maxBytes);
    return whole ? new ServiceResponse({ status, headers, bytes: whole }) : response;
  } catch (error) {
    if (systemCode(error) !== 'ERR_BUFFER_TOO_LARGE') return response;
    return new ServiceResponse({ ...response, fault: `the answer is larger than ${maxBytes} bytes` });
  }
}

async function unpackedBytes(
  packed: Buffer,
  coding: string,
  maxOutputLength: number,
): Promise<Buffer | undefined> {
  const zlib = await import('node:zlib');
  const limit = { maxOutputLength };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(packed, limit);
    case 'br':
      return zlib.brotliDecompressSync(packed, limit);
    case 'deflate': {
      // Some servers leave out the header of the zlib format, which begins with method 8.
      const hasHeader = ((packed[0] ?? 0) & 0x0f) === 8;
      return hasHeader ? zlib.inflateSync(packed, limit) : zlib.inflateRawSync(packed, limit);
    }
    default:
      return undefined;
  }
}

/** Some services repeat the credential, and an answer is shown and stored in the journal. */
export function withoutSecrets(response: ServiceResponse, redactor: Redactor): ServiceResponse {
  const headers = redactor.texts(response.headers);
  const text = redactor.answer(response.text);
  const isSame = Object.entries(headers).every(([name, value]) => value === response.headers[name]);
  if (text === response.text && isSame) return response;
  // If nothing is masked, bytes that are not UTF-8 stay as they came.
  const bytes = text === response.text ? response.bytes : Buffer.from(text);
  return new ServiceResponse({ ...response, headers, bytes });
}
