// Which address the file of a label is fetched from, and where the credential goes then. What its answer may be is in
// test/labels/links.test.ts.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { addressesOf, downloadLabel, type FileRequest, networksOf } from '../../src/service/download.ts';
import { ServiceResponse } from '../../src/service/response.ts';
import type { Outgoing } from '../../src/service/transport.ts';
import { reading, wire } from '../rig/client.ts';
import { http, type Raw, type Reply, rawServer, script } from '../rig/sockets.ts';

const PDF = '%PDF-1.7\n…';
const pdf = http(200, PDF);
const credentials = { source: 'test', headers: async () => ({ authorization: 'Bearer secret-token' }) };
const isKnown = (request: string) => request.includes('secret-token');
const pathOf = (request: string) => request.split(' ')[1];
const to = (location: string, status = 302) => http(status, '', { location });

interface Place {
  /** The base of the service; else it is another one on loopback. */
  base?: URL;
  lookup?: () => Promise<string[]>;
}

const download = async (link: string, { base = new URL('http://127.0.0.1:1'), ...more }: Place = {}) => {
  const { transport } = wire();
  const get = async (place: Partial<Outgoing>, credential?: typeof credentials) =>
    transport.exchange(
      reading(base, { ...place, headers: { ...(await credential?.headers()) }, fresh: true }),
    );
  return (await downloadLabel(link, { base, credentials, get, ...more })).toString();
};
const fromHome = ({ url }: Raw, link = url.href) => download(link, { base: url });
const serving = (...answers: (string | Reply)[]) => rawServer(script(...answers));

test('a stranger cannot have the credential sent to an address of its choice', async () => {
  const home = await serving(http(401), pdf);
  const stranger = await serving(to(new URL('/admin', home.url).href));
  await expect(fromHome(home, stranger.url.href)).rejects.toThrow('answered with 401');
  expect(home.requests.map(isKnown)).toEqual([false]);
});

// How many are followed, and what a redirect may not lead to, is in test/promises/addresses.test.ts.
test('redirects are followed, each from its own place', async () => {
  const server = await serving(to('a/b', 301), to('c', 307), to('/d?e', 308), pdf);
  expect(await download(server.url.href)).toBe(PDF);
  expect(server.requests.map(pathOf)).toEqual(['/', '/a/b', '/a/c', '/d?e']);
});

test.each([
  ['labels/L1.pdf', '/api/labels/L1.pdf'],
  ['/labels/L1.pdf?a=b', '/labels/L1.pdf?a=b'],
  ['../L1.pdf', '/L1.pdf'],
])('the link %s begins at the address of the service', async (link, path) => {
  for (const base of ['api', 'api/']) {
    const server = await serving(pdf);
    expect(await download(link, { base: new URL(base, server.url) })).toBe(PDF);
    expect(server.requests.map(pathOf)).toEqual([path]);
  }
});

test('a label that is packed and cut off is refused, and one that is not packed at all is not', async () => {
  const coded = { 'content-encoding': 'gzip' };
  // It has the beginning of a PDF in its first bytes.
  const cut = gzipSync(Buffer.from(PDF.repeat(50)), { level: 0 }).subarray(0, 300);
  const server = await serving(
    socket => {
      socket.write(http(200, '', { ...coded, 'content-length': '300' }));
      socket.write(cut);
    },
    http(200, PDF, coded),
  );
  await expect(download(server.url.href)).rejects.toThrow('is packed as gzip, and does not unpack');
  expect(await download(server.url.href)).toBe(PDF);
});

// The name leads to 127.0.0.1, where the server is, whatever the check finds.
test('the address that was checked is the one that is connected to', async () => {
  const server = await serving(pdf);
  const link = `http://localhost:${server.port}/l.pdf`;
  expect(await download(link, { lookup: async () => ['127.0.0.1'] })).toBe(PDF);
  expect(server.requests[0]).toContain(`host: localhost:${server.port}`);
  for (const found of [['127.0.0.2'], []])
    await expect(download(link, { lookup: async () => found })).rejects.toMatchObject({
      code: 'unavailable',
    });
  expect(server.connections()).toBe(1);
});

const NAMES: Record<string, string[]> = {
  'public.test': ['93.184.215.14', '2606:4700::1111'],
  'inside.test': ['10.0.0.7'],
  'other-inside.test': ['192.168.7.7'],
  'mixed.test': ['93.184.215.14', '169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
};
const lookup = async (name: string) => NAMES[name] ?? [];

/** The addresses that were asked for a label, or why nobody was. */
async function asked(link: string, service: string): Promise<string[] | string> {
  const seen: string[] = [];
  const get = async ({ url }: FileRequest, credentials?: unknown) => {
    expect(credentials).toBe(undefined);
    seen.push(url.href);
    return new ServiceResponse({ status: 200, headers: {}, bytes: Buffer.from('%PDF-1.7') });
  };
  try {
    const base = new URL(`https://${service}`);
    await downloadLabel(link, { base, credentials: undefined, get, lookup });
    return seen;
  } catch (error) {
    expect(seen).toEqual([]);
    return String(error);
  }
}

test.each([
  ['https://public.test/l.pdf', 'public.test'],
  ['https://public.test/l.pdf', '127.0.0.1'],
  ['https://93.184.215.15/l.pdf', 'inside.test'],
  ['https://[2606:4700::9]/l.pdf', 'public.test'],
  ['https://inside.test/l.pdf', 'inside.test'],
  ['https://inside.test/l.pdf', '192.168.1.1'],
  ['https://10.9.9.9/l.pdf', 'other-inside.test'],
  ['http://127.0.0.1:8080/l.pdf', '127.0.0.1'],
  ['http://localhost/l.pdf', '[::1]'],
  // Only a proxy can look it up.
  ['https://nowhere.test/l.pdf', 'nowhere-else.test'],
])('a label at %s is fetched for a service at %s', async (link, service) => {
  NAMES.localhost = ['127.0.0.1'];
  expect(await asked(link, service)).toEqual([link]);
});

test.each([
  ['https://inside.test/l.pdf', 'public.test', 'a private network'],
  ['https://inside.test/l.pdf', 'nowhere.test', 'a private network'],
  ['https://inside.test/l.pdf', '127.0.0.1', 'a private network'],
  ['https://mixed.test/l.pdf', 'public.test', 'the metadata service of a cloud'],
  ['https://mixed.test/l.pdf', 'inside.test', 'the metadata service of a cloud'],
  ['https://[fd00:ec2::254]/l.pdf', 'inside.test', 'the metadata service of a cloud'],
  ['https://mapped.test/l.pdf', 'inside.test', 'this machine'],
  ['https://[::1]/l.pdf', '10.0.0.1', 'this machine'],
])('a label at %s is not fetched for a service at %s: it is on %s', async (link, service, network) => {
  expect(await asked(link, service)).toContain(`its link leads to ${network}, where the service is not`);
});

test('the address that the system resolves for a name decides', async () => {
  expect(networksOf(await addressesOf('localhost'))).toEqual(['this machine']);
  expect(await addressesOf('gone.invalid')).toEqual([]);
  expect(networksOf(await addressesOf('ll.test', async () => ['fe80::1%eth0']))).toEqual(['the local link']);
});

/** How one can write an address, or its many ranges. */
const SPELLINGS: readonly [network: string, addresses: string][] = [
  ['the metadata service of a cloud', '64:ff9b::169.254.169.254 2002:a9fe:a9fe::1 ::ffff:169.254.169.254'],
  ['the metadata service of a cloud', 'fd20:ce::254 100.100.100.200 168.63.129.16 192.0.0.192'],
  ['this machine', ':: ::ffff:7f00:1 64:ff9b::7f00:1 ::127.0.0.1 0.0.0.0 127.255.255.255'],
  ['a private network', '2002:a00:1:: ::ffff:10.0.0.1 ::10.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::1 fec0::1'],
  ['a private network', 'fc00::1 fdff:ffff::1 172.31.255.255 192.168.0.1 100.127.255.255'],
  ['the local link', '169.254.0.1 fe80::1 febf::1'],
  ['a reserved network', '192.0.0.1 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1'],
  ['a reserved network', '239.255.255.250 240.0.0.1 255.255.255.255 2001::1 2001:0:7f00:1::1 2001:db8::1'],
  ['a reserved network', '2001:10::1 2001:2::1 3fff::1 100::1 ff02::1 5f00::1 4000::1 64:ff9b::224.0.0.1'],
];
test.each(
  SPELLINGS.flatMap(([network, addresses]) =>
    addresses.split(' ').map(address => [address, network] as const),
  ),
)('%s is not on the internet, but on %s', (address, network) => {
  expect(networksOf([address])).toEqual([network]);
});

test.each(
  '8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 2a00::1 64:ff9b::8.8.8.8 2002:808:808::1'.split(' '),
)('%s is on the internet', address => expect(networksOf([address])).toEqual([]));

// How one can write 127.0.0.1, which a URL writes out.
test.each(
  '0x7f.1 2130706433 127.1 0177.0.0.1 １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 [::ffff:7f00:1] 127.0.0.1.'.split(
    ' ',
  ),
)('the host %s of a link is this machine', async host => {
  expect(await asked(`https://${host}/l.pdf`, 'public.test')).toContain('its link leads to this machine');
});
