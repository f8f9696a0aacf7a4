// Which hosts are not out on the internet: what a service hands out must not make us ask those, unless it is there too.
import { BlockList, isIP } from 'node:net';

const NETWORKS = {
  'this machine': ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  // 100.64.0.0/10 is what providers and overlay networks share among many.
  'a private network': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
  // Where a machine of a cloud is told its own credentials.
  'the local link': ['169.254.0.0/16', 'fe80::/10'],
};

const LISTS = Object.entries(NETWORKS).map(([words, ranges]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family(net));
  }
  return [words, list] as const;
});

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** The addresses of a name; none where it has none, as behind a proxy that alone can look names up. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const systemLookup: Lookup = async name => {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/** The networks short of the internet that a host is in, in words. `hostname`: as a URL has it. */
export async function networksOf(hostname: string, lookup: Lookup = systemLookup): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await lookup(host);
  return LISTS.flatMap(([words, list]) =>
    addresses.some(address => list.check(address, family(address))) ? words : [],
  );
}
