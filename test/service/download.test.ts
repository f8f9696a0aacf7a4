// Where the credential goes when the file of a label is fetched. What a link must not lead to is in
// test/faults/files.test.ts and network.test.ts.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { downloadLabel } from '../../src/service/download.ts';
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

test('the service is asked once more with the credential where it answers 401 or 403, and only there', async () => {
  for (const status of [401, 403]) {
    const home = await serving(http(status), pdf);
    expect(await fromHome(home)).toBe(PDF);
    expect(home.requests.map(isKnown)).toEqual([false, true]);
    const stranger = await serving(http(status), pdf);
    await expect(download(stranger.url.href)).rejects.toThrow(`answered with ${status}`);
    expect(stranger.requests.map(isKnown)).toEqual([false]);
  }
});

test('a service that refuses the credential, too, is asked no third time', async () => {
  const home = await serving(http(401));
  await expect(fromHome(home)).rejects.toThrow('answered with 401, also with the credential of test');
  expect(home.requests).toHaveLength(2);
});

test.each([
  [pdf, PDF],
  [http(401), 'was redirected to HOST, and answered with 401'],
])('another host that the service redirects to never gets the credential', async (answer, ends) => {
  const storage = await serving(answer);
  const home = await serving(http(401), to(new URL('/signed?sig=1', storage.url).href, 303));
  const end = await fromHome(home).catch(String);
  expect(end).toContain(ends.replace('HOST', storage.url.host));
  expect([home, storage].map(({ requests }) => requests.map(isKnown))).toEqual([[false, true], [false]]);
  expect(storage.requests.map(pathOf)).toEqual(['/signed?sig=1']);
});

test('a stranger cannot have the credential sent to an address of its choice', async () => {
  const home = await serving(http(401), pdf);
  const stranger = await serving(to(new URL('/admin', home.url).href));
  await expect(fromHome(home, stranger.url.href)).rejects.toThrow('answered with 401');
  expect(home.requests.map(isKnown)).toEqual([false]);
});

test('three redirects are followed, each from its own place', async () => {
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
