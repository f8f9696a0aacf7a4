// A service may pack a body although `accept-encoding` asks for none: it is unpacked, within the bound of its size.
import { systemCode } from '../errors.ts';
import { ServiceResponse } from './response.ts';

/** More than one is unusual; each may take as long as the first. */
const MOST_CODINGS = 3;

/** The codings of a body that is packed, in the order in which they were applied. */
export function codingsOf({ headers, bytes }: Pick<ServiceResponse, 'headers' | 'bytes'>): string[] {
  const named = headers['content-encoding'];
  if (named === undefined || bytes.length === 0) return [];
  const codings = named.split(',').map(coding => coding.trim().toLowerCase());
  return codings.filter(coding => coding !== '' && coding !== 'identity');
}

/**
 * The response with its body unpacked (gzip, deflate, br), or as it came if that is impossible: then it still has its
 * `content-encoding`. One that is larger than `maxBytes` when unpacked has a fault.
 */
export async function unpacked(response: ServiceResponse, maxBytes: number): Promise<ServiceResponse> {
  const codings = codingsOf(response);
  if (codings.length === 0 || response.fault !== undefined) return response;
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  // Some servers name a coding that they did not apply, or one that is none, as utf-8.
  if (typeof response.json === 'object' && response.json !== null)
    return new ServiceResponse({ ...response, headers, bytes: response.bytes });
  if (codings.length > MOST_CODINGS) return response;
  const zlib = await import('node:zlib');
  const limit = { maxOutputLength: maxBytes };
  const inflate = (packed: Buffer) =>
    // Some servers leave out the header of the zlib format, which begins with method 8.
    ((packed[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(packed, limit) : zlib.inflateRawSync(packed, limit);
  const gunzip = (packed: Buffer) => {
    try {
      return zlib.gunzipSync(packed, limit);
    } catch (error) {
      const end =
        systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? undefined : endOfMember(packed, zlib, maxBytes);
      if (end === undefined) throw error;
      return zlib.gunzipSync(packed.subarray(0, end), limit);
    }
  };
  const methods: Readonly<Record<string, (packed: Buffer) => Buffer>> = {
    gzip: gunzip,
    'x-gzip': gunzip,
    deflate: inflate,
    br: packed => zlib.brotliDecompressSync(packed, limit),
  };
  let { bytes } = response;
  try {
    for (const coding of codings.toReversed()) {
      const method = Object.hasOwn(methods, coding) ? methods[coding] : undefined;
      if (method === undefined) return response;
      bytes = method(bytes);
    }
  } catch (error) {
    const isLarge = systemCode(error) === 'ERR_BUFFER_TOO_LARGE';
    return isLarge
      ? new ServiceResponse({ ...response, fault: `the answer is larger than ${maxBytes} bytes` })
      : response;
  }
  return new ServiceResponse({ status: response.status, headers, bytes, packed: codings.join(', ') });
}

const HEAD = 10;
const TRAILER = 8;

/**
 * Where a whole gzip member ends that begins the bytes, if what follows is no other member: some proxies add bytes.
 * `undefined` if there is none with the plain header that servers write.
 */
function endOfMember(
  packed: Buffer,
  zlib: typeof import('node:zlib'),
  maxOutputLength: number,
): number | undefined {
  if (packed.readUInt32BE(0) !== 0x1f8b0800) return undefined;
  const options = { maxOutputLength, info: true } as const;
  const { engine } = zlib.inflateRawSync(packed.subarray(HEAD), options) as unknown as InflatedWithInfo;
  const end = HEAD + engine.bytesWritten + TRAILER;
  const isFollowed = packed[end] === 0x1f && packed[end + 1] === 0x8b;
  return end < packed.length && !isFollowed ? end : undefined;
}

/** With `info: true`, zlib gives the engine as well, which the types do not know. */
interface InflatedWithInfo {
  engine: { bytesWritten: number };
}

// How plain labels begin.
const PLAIN = /^(?:\s|%PDF|\x89PNG|GIF8|\xff\xd8|[\^~]|CT~)/;

/** Is a file still packed? A server may name a coding that it did not apply. */
export const isStillPacked = (response: ServiceResponse): boolean =>
  codingsOf(response).length > 0 && !PLAIN.test(response.bytes.subarray(0, 8).toString('latin1'));
