import { expect, test } from 'vitest';
import { downloadPdf } from '../../src/http/download.ts';
import { type Rigged, rigClient } from '../rig/client.ts';
import { http, rawServer, script } from '../rig/sockets.ts';

const PDF = '%PDF-1.7\n…';
const pdf = http(200, PDF, { 'content-type': 'application/pdf' });

const download = (rig: Rigged, link: string, { onLoopback = true, retries = 3 } = {}) =>
  downloadPdf(
    link,
    { transport: rig.transport, service: onLoopback ? '127.0.0.1' : 'service.test', retries },
    rig.host,
  );

test('a label is fetched without any credential', async () => {
  const rig = await rigClient(script(pdf), {
    credentials: { source: 'test', headers: async () => ({ authorization: 'Bearer secret-token' }) },
  });
  const bytes = await download(rig, new URL('/labels/L1.pdf?sig=a%2Fb', rig.server.url).href);
  expect(bytes.toString()).toBe(PDF);
  expect(rig.server.requests[0]).toMatch(/^GET \/labels\/L1\.pdf\?sig=a%2Fb HTTP/);
  expect(rig.server.requests[0]).not.toMatch(/authorization|secret-token/i);
});

test('a label download is retried if that may help', async () => {
  const rig = await rigClient(script(http(503), http(404), pdf));
  await expect(download(rig, rig.server.url.href)).rejects.toMatchObject({ code: 'unavailable' });
  expect(rig.server.requests).toHaveLength(2);
  expect((await download(rig, rig.server.url.href)).toString()).toBe(PDF);
});

test.each([
  ['not a URL', 'labels/L1.pdf', 'its link is not a URL'],
  ['empty', '', 'its link is not a URL'],
  ['a file of ours', 'file:///etc/passwd', 'its link is not https:'],
  ['plain http to another host', 'http://labels.test/L1.pdf', 'its link is not https:'],
  ['a script', 'javascript:alert(1)', 'its link is not https:'],
])('a link that is %s is refused', async (_, link, why) => {
  const rig = await rigClient(script(pdf));
  await expect(download(rig, link)).rejects.toMatchObject({ code: 'unavailable', message: why });
});

test('a remote service cannot make us call this machine over plain http', async () => {
  const rig = await rigClient(script(pdf));
  await expect(download(rig, rig.server.url.href, { onLoopback: false })).rejects.toThrow('not https:');
  expect(rig.server.connections()).toBe(0);
});

test('a redirect of a label link is not followed', async () => {
  const elsewhere = await rawServer(script(pdf));
  const rig = await rigClient(script(http(302, '', { location: elsewhere.url.href })));
  await expect(download(rig, rig.server.url.href)).rejects.toThrow('answered with 302');
  expect(elsewhere.connections()).toBe(0);
});

/** A name that the check finds at `found`, and every other look-up at 127.0.0.1, where the server is. */
async function rebound(found: string[]) {
  const rig = await rigClient(script(pdf));
  const link = `http://localhost:${rig.server.port}/l.pdf`;
  const options = { transport: rig.transport, service: '127.0.0.1', retries: 0 };
  return { rig, bytes: downloadPdf(link, { ...options, lookup: async () => found }, rig.host) };
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

test.each([
  ['a web page', http(200, '<html>Sign in</html>')],
  ['empty', http(200)],
  ['a PDF only further down', http(200, `${' '.repeat(2000)}%PDF-1.7`)],
])('what is %s is not a label', async (_, reply) => {
  const rig = await rigClient(script(reply));
  await expect(download(rig, rig.server.url.href)).rejects.toThrow('is not a PDF');
});

test('an incomplete label is refused', async () => {
  const rig = await rigClient(
    script(socket => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${PDF}`)),
  );
  await expect(download(rig, rig.server.url.href, { retries: 1 })).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(rig.server.requests).toHaveLength(2);
});

test('an interruption ends the wait for a label server', async () => {
  const rig = await rigClient(() => {});
  const pending = download(rig, rig.server.url.href);
  await rig.server.received(1);
  rig.interrupt('SIGINT');
  await expect(pending).rejects.toThrow();
  expect(rig.server.requests).toHaveLength(1);
  await rig.server.quiet();
});
