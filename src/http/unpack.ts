// A service may pack a body although `accept-encoding` asks for none: it is unpacked once, within the bound of its size.
import { systemCode } from '../errors.ts';
import { ServiceResponse } from './response.ts';

/** How the body is packed: `gzip`; `undefined` if it is not. */
export function codingOf({ headers, bytes }: Pick<ServiceResponse, 'headers' | 'bytes'>): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return coding === '' || coding === 'identity' || bytes.length === 0 ? undefined : coding;
}

/**
 * The response with its body unpacked (gzip, deflate, br), or as it came if that is impossible: then it still has its
 * `content-encoding`. One that is larger than `maxBytes` when unpacked has a fault.
 */
export async function unpacked(response: ServiceResponse, maxBytes: number): Promise<ServiceResponse> {
  const coding = codingOf(response);
  if (coding === undefined || response.fault !== undefined) return response;
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  // Some servers name a coding that they did not apply, or one that is none, as utf-8.
  if (typeof response.json === 'object' && response.json !== null)
    return new ServiceResponse({ ...response, headers, bytes: response.bytes });
  try {
    const bytes = await unpackedBytes(response.bytes, coding, maxBytes);
    return bytes
      ? new ServiceResponse({ status: response.status, headers, bytes, packed: coding })
      : response;
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

// How plain labels begin.
const PLAIN = /^(?:\s|%PDF|\x89PNG|GIF8|\xff\xd8|[\^~]|CT~)/;

/** Is a file still packed? A server may name a coding that it did not apply. */
export const isStillPacked = (response: ServiceResponse): boolean =>
  codingOf(response) !== undefined && !PLAIN.test(response.bytes.subarray(0, 8).toString('latin1'));
