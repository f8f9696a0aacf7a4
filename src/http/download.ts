import { isLoopback } from '../contract/rules.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { repeat } from './retry.ts';
import type { Transport } from './transport.ts';
import { isSuccess } from './verdict.ts';

const LABEL_BYTES = 20 * 1024 * 1024;
const TIMEOUT = 30_000;

/**
 * Fetches the PDF behind a label link, without any credential: the link may lead to another host. Throws
 * `unavailable`, saying why there is no PDF.
 */
export async function downloadPdf(
  link: string,
  options: { transport: Transport; serviceOnLoopback: boolean; retries: number },
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>,
): Promise<Buffer> {
  const refuse = (why: string) => new Failure('unavailable', why);
  if (!URL.canParse(link)) throw refuse('its link is not a URL');
  const url = new URL(link);
  const local = options.serviceOnLoopback && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local))
    throw refuse('its link is not https:');
  const exchange = await repeat(
    () =>
      options.transport.exchange({
        method: 'GET',
        url,
        headers: { accept: 'application/pdf' },
        timeout: TIMEOUT,
        maxBytes: LABEL_BYTES,
        fresh: true,
        cancel: host.interrupted,
      }),
    { retries: options.retries, books: false },
    host,
  );
  if (exchange.kind === 'none' || exchange.fault !== undefined) throw refuse(exchange.fault ?? 'no answer');
  if (!isSuccess(exchange.status)) throw refuse(`its link was answered with ${exchange.status}`);
  if (!exchange.body.subarray(0, 1024).includes('%PDF-')) throw refuse('what its link leads to is not a PDF');
  return exchange.body;
}
