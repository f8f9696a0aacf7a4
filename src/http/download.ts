import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../loopback.ts';
import { MASK } from '../mask.ts';
import type { Credentials } from './credentials.ts';
import { isSuccess } from './failure.ts';
import { addressesOf, type Lookup, networksOf } from './network.ts';
import type { ServiceResponse } from './response.ts';
import { sendSafely } from './retry.ts';
import type { Outgoing, Transport } from './transport.ts';
import type { Watch } from './watch.ts';

const LABEL_BYTES = 20 * 1024 * 1024;
const TIMEOUT = 30_000;
const MOST_REDIRECTS = 3;
/** No part was asked for, and a part of a label is none. */
const PARTIAL_CONTENT = 206;

interface Download {
  transport: Transport;
  /** The address of the service itself: relative links begin there, and its credential goes nowhere else. */
  base: URL;
  credentials: Credentials | undefined;
  retries: number;
  /** Is told of each wait for a further attempt. */
  watch?: Watch;
  lookup?: Lookup;
}

type DownloadHost = Pick<Host, 'now' | 'sleep' | 'random' | 'interrupted'>;

/**
 * Fetches the bytes behind a label link, whatever they are (at most 20 MiB). The link may lead to another host, so it is
 * asked without a credential; only where the service's own origin answers 401 or 403 it is asked once more with it.
 * At most three redirects are followed, without a credential. Throws `unavailable` with the reason.
 */
export async function downloadLabel(link: string, options: Download, host: DownloadHost): Promise<Buffer> {
  const { base, credentials } = options;
  let url = await addressOf(link, options);
  // Has every address so far been one of the service itself? A stranger must not choose what its credential is sent to.
  let isHome = true;
  /** Was the credential used? Only once, and not after a redirect. */
  let isUsed = false;
  for (let redirects = 0; ; redirects += 1) {
    isHome &&= url.origin === base.origin;
    const addresses = await allowedAddresses(url, options);
    const place = { url, addresses, identified: isHome };
    let response = await ask(place, undefined, options, host);
    const isRefused = isHome && !isUsed && credentials && [401, 403].includes(response.status);
    if (isRefused) {
      isUsed = true;
      response = await ask(place, credentials, options, host);
    }
    const { status, headers, bytes } = response;
    if (status === PARTIAL_CONTENT)
      throw refuse(`its link was answered with 206, which is a part of the file (${bytes.length} bytes)`);
    if (isSuccess(status) && response.isFilePacked)
      throw refuse(`what its link leads to is packed as ${headers['content-encoding']}, and does not unpack`);
    if (isSuccess(status)) return bytes;
    if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined)
      throw refuse(
        `its link was ${redirects === 0 ? '' : `redirected to ${url.host}, and `}answered with ${status}${isRefused ? `, also with the credential of ${credentials.source}` : ''}`,
      );
    if (redirects === MOST_REDIRECTS)
      throw refuse(`its link was redirected more than ${MOST_REDIRECTS} times`);
    url = addressFrom(headers.location, url);
  }
}

async function ask(
  place: Pick<Outgoing, 'url' | 'addresses' | 'identified'>,
  credentials: Credentials | undefined,
  { transport, retries, watch }: Download,
  host: DownloadHost,
): Promise<ServiceResponse> {
  const send = async (attempt: number) => {
    const headers = { accept: 'application/pdf, */*;q=0.5', ...(await credentials?.headers()) };
    return transport.exchange({
      ...place,
      method: 'GET',
      headers,
      timeout: TIMEOUT,
      maxBytes: LABEL_BYTES,
      fresh: true,
      cancel: host.interrupted,
      // Without a redactor: a link may be a secret.
      purpose: { operation: 'label', attempt },
    });
  };
  const repeated = { credentials, retries, books: false, watch, about: { operation: 'label' } };
  const exchange = await sendSafely(send, repeated, host);
  if (exchange.kind === 'none' || exchange.fault !== undefined) throw refuse(exchange.fault ?? 'no answer');
  return exchange;
}

const refuse = (why: string) => new Failure('unavailable', why);

/**
 * The address of a link. A credential that it had is masked in the answer, and only the service itself gets it back: a link
 * may have the name of an account in it, which is a credential of some services.
 */
async function addressOf(link: string, { base, credentials }: Download): Promise<URL> {
  const url = addressFrom(link, folderOf(base));
  if (!link.includes(MASK)) return url;
  const values = Object.values((await credentials?.headers()) ?? {});
  const [secret, ...others] = new Set(values.map(value => value.replace(/^.*\s/, '')));
  if (url.origin !== base.origin || secret === undefined || others.length > 0)
    throw refuse('its link has a credential in it, which is masked and cannot be put back');
  return addressFrom(link.replaceAll(MASK, encodeURIComponent(secret)), folderOf(base));
}

/** The address of the service as the place that relative links begin at. */
function folderOf(base: URL): URL {
  const folder = new URL(base);
  folder.pathname = `${base.pathname.replace(/\/+$/, '')}/`;
  return folder;
}

function addressFrom(link: string, base: URL): URL {
  if (link.trim() === '' || !URL.canParse(link, base.href)) throw refuse('its link is not a URL');
  return new URL(link, base);
}

/** The addresses of the host of a link that may be followed: a second look-up might find others. */
async function allowedAddresses(url: URL, { base, lookup }: Download): Promise<readonly string[]> {
  if (url.username || url.password)
    throw refuse('its link contains a user name or a password, which is never sent');
  const isLocal = isLoopback(base.hostname) && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw refuse('its link is not https:');
  const addresses = await addressesOf(url.hostname, lookup);
  const networks = networksOf(addresses);
  const home = networks.length > 0 ? networksOf(await addressesOf(base.hostname, lookup)) : [];
  const [strange] = networks.filter(network => !home.includes(network));
  if (strange !== undefined)
    throw refuse(`its link leads to ${strange}, but the service is not there: ${url.hostname} was not asked`);
  return addresses;
}
