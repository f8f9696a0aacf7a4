import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../loopback.ts';
import { isSuccess } from './failure.ts';
import { addressesOf, type Lookup, networksOf } from './network.ts';
import { repeat } from './retry.ts';
import type { Transport } from './transport.ts';

const LABEL_BYTES = 20 * 1024 * 1024;
const TIMEOUT = 30_000;

interface Download {
  transport: Transport;
  /** The host that the service itself answers on. */
  service: string;
  retries: number;
  lookup?: Lookup;
}

/**
 * Fetches the PDF of a label link, without any credential: the link may lead to another host. Throws `unavailable` with
 * the reason.
 */
export async function downloadPdf(
  link: string,
  options: Download,
  host: Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>,
): Promise<Buffer> {
  const { url, addresses } = await allowed(link, options);
  const exchange = await repeat(
    attempt =>
      options.transport.exchange({
        method: 'GET',
        url,
        headers: { accept: 'application/pdf' },
        timeout: TIMEOUT,
        maxBytes: LABEL_BYTES,
        fresh: true,
        addresses,
        cancel: host.interrupted,
        // Without a redactor: a link may be a secret.
        purpose: { operation: 'label', attempt },
      }),
    { retries: options.retries, books: false },
    host,
  );
  if (exchange.kind === 'none' || exchange.fault !== undefined) throw refuse(exchange.fault ?? 'no answer');
  const { status, bytes } = exchange;
  if (!isSuccess(status))
    throw refuse(
      `its link was answered with ${status}${status >= 300 && status < 400 ? ', a redirect, which is never followed' : ''}`,
    );
  if (!bytes.subarray(0, 1024).includes('%PDF-')) throw refuse('what its link leads to is not a PDF');
  return bytes;
}

const refuse = (why: string) => new Failure('unavailable', why);

/** The link, if it may be followed, and the addresses that were checked: a second look-up might find others. */
async function allowed(
  link: string,
  { service, lookup }: Download,
): Promise<{ url: URL; addresses: readonly string[] }> {
  if (!URL.canParse(link)) throw refuse('its link is not a URL');
  const url = new URL(link);
  if (url.username || url.password)
    throw refuse('its link contains a user name or a password, which is never sent');
  const local = isLoopback(service) && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local))
    throw refuse('its link is not https:');
  const addresses = await addressesOf(url.hostname, lookup);
  const networks = networksOf(addresses);
  const home = networks.length > 0 ? networksOf(await addressesOf(service, lookup)) : [];
  const [strange] = networks.filter(network => !home.includes(network));
  if (strange !== undefined)
    throw refuse(`its link leads to ${strange}, but the service is not there: ${url.hostname} was not asked`);
  return { url, addresses };
}
