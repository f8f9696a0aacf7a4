// Which hosts are not on the internet: a link from a service must not lead us there, unless the service is there too.
import { BlockList, isIP } from 'node:net';

const NETWORKS = {
  'this machine': ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  // 100.64.0.0/10 is what providers and overlay networks share among many.
  'a private network': ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
  // Where a cloud gives a machine its credentials.
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

/** The addresses of a name; empty if it has none, as behind a proxy that does all look-ups. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const systemLookup: Lookup = async name => {
  const { lookup } = await import('node:dns/promises');
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/** The local networks that a host is in, in words. `hostname`: as a URL has it. */
export async function networksOf(hostname: string, lookup: Lookup = systemLookup): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await lookup(host);
  return LISTS.flatMap(([words, list]) =>
    addresses.some(address => list.check(address, family(address))) ? words : [],
  );
}
