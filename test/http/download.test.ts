import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Credentials } from '../../src/http/credentials.ts';
import { downloadLabel } from '../../src/http/download.ts';
import { type Rigged, rigClient } from '../rig/client.ts';
import { http, rawServer, script } from '../rig/sockets.ts';

const PDF = '%PDF-1.7\n…';
const pdf = http(200, PDF, { 'content-type': 'application/pdf' });

const credentials: Credentials = {
  source: 'test',
  headers: async () => ({ authorization: 'Bearer secret-token' }),
};
const hasCredential = (request: string) => /secret-token/.test(request);

/** The service is another one on loopback, the server of the rig, or one that is not on loopback. */
const download = (
  rig: Rigged,
  link: string,
  { isHome = false, isFar = false, base = '', retries = 3 } = {},
) => {
  const service = isHome ? new URL(base, rig.server.url) : new URL('http://127.0.0.1:1');
  return downloadLabel(
    link,
    {
      ...{ transport: rig.transport, credentials, retries },
      base: isFar ? new URL('https://service.test') : service,
    },
    rig.host,
  );
};

test('a label is fetched without any credential', async () => {
  const rig = await rigClient(script(pdf));
  const bytes = await download(rig, new URL('/labels/L1.pdf?sig=a%2Fb', rig.server.url).href, {
    isHome: true,
  });
  expect(bytes.toString()).toBe(PDF);
  expect(rig.server.requests[0]).toMatch(/^GET \/labels\/L1\.pdf\?sig=a%2Fb HTTP/);
  expect(rig.server.requests.map(hasCredential)).toEqual([false]);
});

test('a label download is retried if that may help', async () => {
  const rig = await rigClient(script(http(503), http(404), pdf));
  await expect(download(rig, rig.server.url.href)).rejects.toMatchObject({ code: 'unavailable' });
  expect(rig.server.requests).toHaveLength(2);
  expect((await download(rig, rig.server.url.href)).toString()).toBe(PDF);
});

test('a remote service cannot make us call this machine over plain http', async () => {
  const rig = await rigClient(script(pdf));
  await expect(download(rig, rig.server.url.href, { isFar: true })).rejects.toThrow('not https:');
  expect(rig.server.connections()).toBe(0);
});

test('the service is asked once more with the credential where it answers 401 or 403, and only there', async () => {
  for (const status of [401, 403]) {
    const rig = await rigClient(script(http(status), pdf));
    expect((await download(rig, rig.server.url.href, { isHome: true })).toString()).toBe(PDF);
    expect(rig.server.requests.map(hasCredential)).toEqual([false, true]);
    const stranger = await rigClient(script(http(status), pdf));
    await expect(download(stranger, stranger.server.url.href)).rejects.toThrow(`answered with ${status}`);
    expect(stranger.server.requests.map(hasCredential)).toEqual([false]);
  }
});

test('a service that refuses the credential, too, is asked no third time', async () => {
  const rig = await rigClient(script(http(401)));
  await expect(download(rig, rig.server.url.href, { isHome: true })).rejects.toThrow(
    'answered with 401, also with the credential of test',
  );
  expect(rig.server.requests).toHaveLength(2);
});

test('a redirect is followed without the credential that the service was asked with', async () => {
  const storage = await rawServer(script(pdf));
  const rig = await rigClient(
    script(http(401), http(303, '', { location: new URL('/signed?sig=1', storage.url).href })),
  );
  expect((await download(rig, rig.server.url.href, { isHome: true })).toString()).toBe(PDF);
  expect(rig.server.requests.map(hasCredential)).toEqual([false, true]);
  expect(storage.requests.map(hasCredential)).toEqual([false]);
  expect(storage.requests[0]).toMatch(/^GET \/signed\?sig=1 HTTP/);
});

test('a label that is packed and cut off is refused, and one that is not packed at all is not', async () => {
  const coded = { 'content-encoding': 'gzip' };
  // It has the beginning of a PDF in its first bytes.
  const packed = gzipSync(Buffer.from(PDF.repeat(50)), { level: 0 }).subarray(0, 300);
  const rig = await rigClient((socket, _, index) => {
    if (index > 0) return socket.write(http(200, PDF, coded));
    socket.write(http(200, '', { ...coded, 'content-length': '300' }));
    return socket.write(packed);
  });
  await expect(download(rig, rig.server.url.href)).rejects.toThrow(
    'what its link leads to is packed as gzip, and does not unpack',
  );
  expect((await download(rig, rig.server.url.href)).toString()).toBe(PDF);
});

test('another host that refuses the redirect does not refuse the credential, which it never gets', async () => {
  const storage = await rawServer(script(http(401)));
  const rig = await rigClient(script(http(401), http(302, '', { location: storage.url.href })));
  await expect(download(rig, rig.server.url.href, { isHome: true })).rejects.toThrow(
    new RegExp(`^its link was redirected to ${storage.url.host}, and answered with 401$`),
  );
  expect(storage.requests.map(hasCredential)).toEqual([false]);
});

test.each([301, 302, 303, 307, 308])(
  'three redirects of status %i are followed, each from its own place',
  async status => {
    const to = (location: string) => http(status, '', { location });
    const rig = await rigClient(script(to('a/b'), to('c'), to('/d?e'), pdf));
    expect((await download(rig, rig.server.url.href)).toString()).toBe(PDF);
    expect(rig.server.requests.map(request => request.split(' ')[1])).toEqual(['/', '/a/b', '/a/c', '/d?e']);
  },
);

test('a stranger cannot have the credential sent to an address of its choice', async () => {
  const rig = await rigClient(script(http(401), pdf));
  const stranger = await rawServer(
    script(http(302, '', { location: new URL('/admin', rig.server.url).href })),
  );
  await expect(download(rig, stranger.url.href, { isHome: true })).rejects.toThrow('answered with 401');
  expect(rig.server.requests.map(hasCredential)).toEqual([false]);
});

test.each([
  ['labels/L1.pdf', '/api/labels/L1.pdf'],
  ['/labels/L1.pdf?a=b', '/labels/L1.pdf?a=b'],
  ['../L1.pdf', '/L1.pdf'],
])('the link %s begins at the address of the service', async (link, path) => {
  for (const base of ['api', 'api/']) {
    const rig = await rigClient(script(http(403), pdf));
    expect((await download(rig, link, { isHome: true, base })).toString()).toBe(PDF);
    expect(rig.server.requests.map(request => request.split(' ')[1])).toEqual([path, path]);
    expect(rig.server.requests.map(hasCredential)).toEqual([false, true]);
  }
});

/** A name that the check finds at `found`, and every other look-up at 127.0.0.1, where the server is. */
async function rebound(found: string[]) {
  const rig = await rigClient(script(pdf));
  const link = `http://localhost:${rig.server.port}/l.pdf`;
  const options = {
    transport: rig.transport,
    base: new URL('http://127.0.0.1:1'),
    credentials: undefined,
    retries: 0,
  };
  return { rig, bytes: downloadLabel(link, { ...options, lookup: async () => found }, rig.host) };
}

test('the address that was checked is the one that is connected to', async () => {
  const { rig, bytes } = await rebound(['127.0.0.1']);
  expect((await bytes).toString()).toBe(PDF);
  expect(rig.server.requests[0]).toContain(`host: localhost:${rig.server.port}`);
});

test.each([
  ['another one', ['127.0.0.2']],
  ['none', []],
])('a name that is found at %s when it is checked leads nowhere else', async (_, found) => {
  const { rig, bytes } = await rebound(found);
  await expect(bytes).rejects.toMatchObject({ code: 'unavailable' });
  expect(rig.server.connections()).toBe(0);
});
