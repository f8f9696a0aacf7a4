// The file behind a link to a label: where a link may lead, and where the credential of the service may go.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Failure } from '../errors.ts';
import { MASK } from '../mask.ts';
import type { LinkFault } from '../say/service.ts';
import { isLoopback, parsedUrl } from '../text.ts';
import type { Credentials } from './credentials.ts';
import { type Exchange, isSuccess, type ServiceResponse } from './response.ts';
import type { Outgoing } from './transport.ts';

const MOST_REDIRECTS = 3;
/** The status of an answer with a part of a file: no part is asked for, and a part of a label cannot be printed. */
const PARTIAL_CONTENT = 206;

/** What a request for a file is made of. */
export type FileRequest = Pick<Outgoing, 'url' | 'addresses' | 'identified'>;

interface Download {
  /** The address of the service itself: relative links begin there, and the credential is sent nowhere else. */
  base: URL;
  credentials: Credentials | undefined;
  /** Asks for a file, and asks again where that is useful. */
  get(request: FileRequest, credentials: Credentials | undefined): Promise<Exchange>;
  lookup?: ResolveName;
}

/**
 * Fetches the bytes behind a label link, whatever they are (at most 20 MiB). The link may lead to another host, so the request
 * has no credential; only if the service's own origin answers 401 or 403, a second request has the credential.
 * At most three redirects are followed, without a credential. Throws `unavailable` with the reason.
 */
export async function downloadLabel(link: string, options: Download): Promise<Buffer> {
  const { base, credentials } = options;
  let url = await addressOf(link, options);
  // Has every address so far been one of the service itself? A stranger must not choose where the credential is sent.
  let isHome = true;
  /** Was the credential used already? It is used only once. */
  let isUsed = false;
  for (let redirects = 0; ; redirects += 1) {
    isHome &&= url.origin === base.origin;
    const addresses = await allowedAddresses(url, options);
    const request = { url, addresses, identified: isHome };
    let response = await fetchFile(request, undefined, options);
    const isRefused = isHome && !isUsed && credentials && [401, 403].includes(response.status);
    if (isRefused) {
      isUsed = true;
      response = await fetchFile(request, credentials, options);
    }
    const { status, headers, bytes } = response;
    if (status === PARTIAL_CONTENT) throw linkFailure({ fault: 'part', status, bytes: bytes.length });
    if (isSuccess(status) && response.isFilePacked)
      throw linkFailure({ fault: 'packed', coding: headers['content-encoding'] ?? '' });
    if (isSuccess(status)) return bytes;
    if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined)
      throw linkFailure({
        fault: 'refused',
        status,
        ...(redirects > 0 && { host: url.host }),
        ...(isRefused && { source: credentials.source }),
      });
    if (redirects === MOST_REDIRECTS) throw linkFailure({ fault: 'redirects', most: MOST_REDIRECTS });
    url = addressFrom(headers.location, url);
  }
}

async function fetchFile(
  request: FileRequest,
  credentials: Credentials | undefined,
  download: Download,
): Promise<ServiceResponse> {
  const exchange = await download.get(request, credentials);
  if (exchange.kind === 'none' || exchange.fault !== undefined)
    throw linkFailure({ fault: 'no-answer', why: exchange.fault ?? { fault: 'no-answer' } });
  return exchange;
}

const linkFailure = (fault: LinkFault) => new Failure('unavailable', { kind: 'label-not-fetched', ...fault });

/**
 * The address of a link. A credential in the link is masked in the answer, and only the service itself gets it back: some services
 * use the name of the account as a credential, and a link may contain this name.
 */
async function addressOf(link: string, download: Download): Promise<URL> {
  const url = addressFrom(link, folderOf(download.base));
  if (!link.includes(MASK)) return url;
  const values = Object.values((await download.credentials?.headers()) ?? {});
  const [secret, ...others] = new Set(values.map(value => value.replace(/^.*\s/, '')));
  if (url.origin !== download.base.origin || secret === undefined || others.length > 0)
    throw linkFailure({ fault: 'credential' });
  return addressFrom(link.replaceAll(MASK, encodeURIComponent(secret)), folderOf(download.base));
}

/** The address of the service as a folder, at which relative links begin. */
function folderOf(base: URL): URL {
  const folder = new URL(base);
  folder.pathname = `${base.pathname.replace(/\/+$/, '')}/`;
  return folder;
}

function addressFrom(link: string, base: URL): URL {
  const url = link.trim() === '' ? undefined : parsedUrl(link, base);
  if (url === undefined) throw linkFailure({ fault: 'no-url' });
  return url;
}

/** The addresses of the host of a link, if the link may be followed. The request uses them, because a second look-up might find others. */
async function allowedAddresses(url: URL, download: Download): Promise<readonly string[]> {
  if (url.username || url.password) throw linkFailure({ fault: 'user-name' });
  const isLocal = isLoopback(download.base.hostname) && isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw linkFailure({ fault: 'not-https' });
  const addresses = await addressesOf(url.hostname, download.lookup);
  const networks = networksOf(addresses);
  const home =
    networks.length > 0 ? networksOf(await addressesOf(download.base.hostname, download.lookup)) : [];
  const [strange] = networks.filter(network => !home.includes(network));
  if (strange !== undefined) throw linkFailure({ fault: 'network', network: strange, host: url.hostname });
  return addresses;
}

// Which addresses are not on the internet: a link from a service must not lead us there, unless the service is there too.

/** The addresses at which a cloud gives a machine its credentials. Some of them are in a network in which a service may be, too. */
const METADATA = [
  '169.254.169.254/32',
  '169.254.170.0/24',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
].map(range => ipaddr.parseCIDR(range));

/** What the library's names of ranges mean, in words. All other ranges but `unicast` are reserved. */
const WORDS: Readonly<Record<string, string>> = {
  loopback: 'this machine',
  unspecified: 'this machine',
  private: 'a private network',
  uniqueLocal: 'a private network',
  deprecatedSiteLocal: 'a private network',
  // Addresses that providers and overlay networks share among many machines.
  carrierGradeNat: 'a private network',
  // 64:ff9b:1::/48, by which a network reaches IPv4 in its own way.
  rfc6052: 'a private network',
  linkLocal: 'the local link',
};

const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

// The ranges of IPv6 addresses that contain an IPv4 address, and the byte at which that begins: mapped, compatible, NAT64, 6to4.
const EMBEDDING = [
  { range: ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('::/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('2002::/16'), at: 2 },
];

/** Finds the addresses of a name; none behind a proxy that does all look-ups. */
type ResolveName = (name: string) => Promise<readonly string[]>;

const systemLookup: ResolveName = async name => {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/** The addresses of a host, without a zone. `hostname`: as a URL has it. */
export async function addressesOf(hostname: string, lookup: ResolveName = systemLookup): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (isIP(host) ? [host] : await lookup(host)).map(address => address.replace(/%.*/, ''));
}

/** In words, the networks outside of the internet to which these addresses belong. */
export const networksOf = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.flatMap(address => networkOf(address) ?? [])),
];

function networkOf(ip: string): string | undefined {
  const address = reachedBy(ipaddr.parse(ip));
  if (METADATA.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits)))
    return 'the metadata service of a cloud';
  const range = address.range();
  const isGivenOut = address instanceof ipaddr.IPv4 || address.match(GIVEN_OUT);
  return range === 'unicast' && isGivenOut ? undefined : (WORDS[range] ?? 'a reserved network');
}

/** The IPv4 address inside of an IPv6 address, if there is one: who sends to the IPv6 address reaches the IPv4 address. */
function reachedBy(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || WORDS[address.range()] === 'this machine') return address;
  const at = EMBEDDING.find(({ range }) => address.match(range))?.at;
  return at === undefined ? address : new ipaddr.IPv4(address.toByteArray().slice(at, at + 4));
}
