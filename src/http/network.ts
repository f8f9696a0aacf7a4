// Which addresses are not on the internet: a link from a service must not lead us there, unless the service is there too.
import { BlockList, isIP } from 'node:net';

// The first network that an address is in counts.
const NETWORKS = {
  // Where a cloud gives a machine its credentials. Some of them are in a network that a service may be in, too.
  'the metadata service of a cloud': [
    ...['169.254.169.254/32', '169.254.170.0/24', '168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'],
    ...['fd00:ec2::/32', 'fd20:ce::/32'],
  ],
  'this machine': ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  // 100.64.0.0/10 is what providers and overlay networks share among many; fec0::/10 is its older form in IPv6, and
  // 64:ff9b:1::/48 a network's own way to IPv4.
  'a private network': [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
    ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
  ],
  'the local link': ['169.254.0.0/16', 'fe80::/10'],
  // Protocols, documentation, benchmarks, multicast, and what was never given out. In IPv6 only 2000::/3 was given out.
  'a reserved network': [
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24'],
    ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
    ...['::/3', '2001::/23', '2001:db8::/32', '3fff::/20', '4000::/2', '8000::/1'],
  ],
};

// A list that has both would find every IPv4 address in ::/3, as a mapped one.
const LISTS = Object.entries(NETWORKS).map(([words, ranges]) => {
  const ofFamily = (wanted: string) =>
    listOf(ranges.filter(range => family(range.split('/')[0] ?? '') === wanted));
  return { words, ipv4: ofFamily('ipv4'), ipv6: ofFamily('ipv6') };
});

// IPv6 addresses with an IPv4 address in them, and the byte at which it begins: mapped, compatible, NAT64, 6to4.
const EMBEDDING = (
  [
    ['::ffff:0:0/96', 12],
    ['::/96', 12],
    ['64:ff9b::/96', 12],
    ['2002::/16', 2],
  ] as const
).map(([range, at]) => [listOf([range]), at] as const);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family(net));
  }
  return list;
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

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
  const address = embeddedIn(given) ?? given;
  const kind = family(address);
  return LISTS.find(lists => lists[kind].check(address, kind))?.words;
}

/** The IPv4 address inside of an IPv6 address: who sends to one reaches the other. */
function embeddedIn(address: string): string | undefined {
  if (family(address) === 'ipv4' || ['::', '::1'].includes(address)) return undefined;
  const at = EMBEDDING.find(([list]) => list.check(address, 'ipv6'))?.[1];
  return at === undefined ? undefined : [...bytesOf(address).subarray(at, at + 4)].join('.');
}

/** The 16 bytes of an IPv6 address. */
function bytesOf(address: string): Buffer {
  // A URL has it in groups of hexadecimal digits only.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part = '') => part.split(':').filter(Boolean);
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  const all = [...groups(head), ...(tail === undefined ? [] : zeros), ...groups(tail)];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}
