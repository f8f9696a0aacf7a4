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
  if (codings.length === 0 || codings.length > MOST_CODINGS || response.fault !== undefined) return response;
  const zlib = await import('node:zlib');
  const limit = { maxOutputLength: maxBytes };
  const inflate = (packed: Buffer) =>
    // Some servers leave out the header of the zlib format, which begins with method 8.
    ((packed[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(packed, limit) : zlib.inflateRawSync(packed, limit);
  const methods: Readonly<Record<string, (packed: Buffer) => Buffer>> = {
    gzip: packed => zlib.gunzipSync(packed, limit),
    'x-gzip': packed => zlib.gunzipSync(packed, limit),
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
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers;
  return new ServiceResponse({ status: response.status, headers, bytes, packed: codings.join(', ') });
}
