// Which addresses are not on the internet: a link from a service must not lead us there, unless the service is there too.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where a cloud gives a machine its credentials. Some of them are in a network that a service may be in, too. */
const METADATA = [
  '169.254.169.254/32',
  '169.254.170.0/24',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
].map(range => ipaddr.parseCIDR(range));

/** By the names that the library gives. All others but `unicast` are reserved. */
const WORDS: Readonly<Record<string, string>> = {
  loopback: 'this machine',
  unspecified: 'this machine',
  private: 'a private network',
  uniqueLocal: 'a private network',
  deprecatedSiteLocal: 'a private network',
  // What providers and overlay networks share among many.
  carrierGradeNat: 'a private network',
  // 64:ff9b:1::/48, a network's own way to IPv4.
  rfc6052: 'a private network',
  linkLocal: 'the local link',
};

const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

// IPv6 addresses with an IPv4 address in them, and the byte at which it begins: mapped, compatible, NAT64, 6to4.
const EMBEDDING = [
  { range: ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('::/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('64:ff9b::/96'), at: 12 },
  { range: ipaddr.IPv6.parseCIDR('2002::/16'), at: 2 },
];

/** The addresses of a name; empty if it has none, as behind a proxy that does all look-ups. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const systemLookup: Lookup = async name => {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/** The addresses of a host, without a zone. `hostname`: as a URL has it. */
export async function addressesOf(hostname: string, lookup: Lookup = systemLookup): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (isIP(host) ? [host] : await lookup(host)).map(address => address.replace(/%.*/, ''));
}

/** The networks off the internet that addresses are in, in words. */
export const networksOf = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.flatMap(address => networkOf(address) ?? [])),
];

function networkOf(given: string): string | undefined {
  const address = reachedBy(ipaddr.parse(given));
  if (METADATA.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits)))
    return 'the metadata service of a cloud';
  const range = address.range();
  const isGivenOut = address instanceof ipaddr.IPv4 || address.match(GIVEN_OUT);
  return range === 'unicast' && isGivenOut ? undefined : (WORDS[range] ?? 'a reserved network');
}

/** The IPv4 address inside of an IPv6 address, if there is one: who sends to one reaches the other. */
function reachedBy(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4 || WORDS[address.range()] === 'this machine') return address;
  const at = EMBEDDING.find(({ range }) => address.match(range))?.at;
  return at === undefined ? address : new ipaddr.IPv4(address.toByteArray().slice(at, at + 4));
}
