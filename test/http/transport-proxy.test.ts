import { expect, test } from 'vitest';
import { answered, outgoing, reading, unanswered, wire } from '../rig/client.ts';
import { http, rawServer, script, tunnelTo, UNUSED_PORT } from '../rig/sockets.ts';
import { certificate } from './certificate.ts';

const far = new URL('https://service.test/v1/shipments');

test.each(['HTTPS_PROXY', 'https_proxy'])('%s opens a tunnel for bookings and reads', async name => {
  const proxy = await rawServer(script(http(502)));
  const { transport } = wire({ [name]: proxy.url.href });
  for (const request of [outgoing(far), reading(far)]) {
    const none = unanswered(await transport.exchange(request));
    expect(none.sent).toBe(false);
    expect(none.fault).toMatch(/502/);
  }
  expect(proxy.requests).toHaveLength(2);
  for (const request of proxy.requests) expect(request).toMatch(/^CONNECT service\.test:443 /);
});

test('a tunnel does not weaken TLS: a third party in it gets no request', async () => {
  const stranger = await rawServer(script(http(201, '{}')), { secure: certificate });
  const proxy = await rawServer(tunnelTo(stranger.port));
  const { transport } = wire({ HTTPS_PROXY: proxy.url.href });
  for (const request of [outgoing(far), reading(far)]) {
    const none = unanswered(await transport.exchange(request));
    expect(none.sent).toBe(false);
    expect(none.fault).toMatch(/self[- ]signed certificate/);
  }
  expect(stranger.requests).toEqual([]);
  await transport.close();
  await Promise.all([proxy.quiet(), stranger.quiet()]);
});

test.each([
  ['a booking', outgoing(far)],
  ['a read', reading(far)],
])(
  '%s ends at the deadline if the proxy does not answer CONNECT, and its connection is closed',
  async (_, request) => {
    const proxy = await rawServer(() => {});
    const { transport, late } = wire({ HTTPS_PROXY: proxy.url.href });
    const pending = transport.exchange(request);
    await proxy.received(1);
    late();
    expect(unanswered(await pending)).toMatchObject({ sent: false });
    await transport.close();
    await proxy.quiet();
  },
);

test('a tunnel whose TLS handshake stalls is closed', async () => {
  const silent = await rawServer(() => {});
  const proxy = await rawServer(tunnelTo(silent.port));
  const { transport, late } = wire({ HTTPS_PROXY: proxy.url.href });
  const pending = transport.exchange(outgoing(far));
  await silent.connected(1);
  late();
  expect(unanswered(await pending).sent).toBe(false);
  await Promise.all([proxy.quiet(), silent.quiet()]);
});

test('a host in NO_PROXY is called without the proxy', async () => {
  const proxy = await rawServer(script(http(502)));
  const host = new URL('https://service.invalid/');
  const { transport } = wire({ HTTPS_PROXY: proxy.url.href, NO_PROXY: 'other.test,.invalid' });
  expect(unanswered(await transport.exchange(outgoing(host))).fault).toMatch(/host name/);
  expect(proxy.connections()).toBe(0);
  await transport.exchange(outgoing(far));
  expect(proxy.requests).toHaveLength(1);
});

test('loopback is never called through a proxy, and a remote host still is after it', async () => {
  const proxy = await rawServer(script(http(502)));
  const server = await rawServer(script(http(200)));
  const { transport } = wire({ HTTPS_PROXY: proxy.url.href, HTTP_PROXY: proxy.url.href });
  expect(answered(await transport.exchange(reading(server.url))).status).toBe(200);
  expect(answered(await transport.exchange(outgoing(server.url))).status).toBe(200);
  const https = new URL(`https://127.0.0.1:${UNUSED_PORT}/`);
  for (const request of [outgoing(https), reading(https)])
    expect(unanswered(await transport.exchange(request)).fault).toBe(
      `connection refused (127.0.0.1:${UNUSED_PORT})`,
    );
  expect(proxy.connections()).toBe(0);
  await transport.exchange(reading(far));
  expect(proxy.requests).toHaveLength(1);
  expect(answered(await transport.exchange(reading(server.url))).status).toBe(200);
});

test.each(['proxy.test:3128', 'proxy', 'ftp://proxy.test'])(
  'a proxy that is no address (%s) is named in the fault, and nothing is sent',
  async address => {
    const none = unanswered(await wire({ HTTPS_PROXY: address }).transport.exchange(outgoing(far)));
    expect(none.sent).toBe(false);
    expect(none.fault).toMatch(/^HTTPS_PROXY is not the address of a proxy/);
  },
);

test('the user and the password of the proxy go to the proxy alone, decoded', async () => {
  const proxy = await rawServer(script(http(502)));
  const address = `http://me%40corp:p%3Aw%25@127.0.0.1:${proxy.port}`;
  const { transport } = wire({ HTTPS_PROXY: address });
  const { fault } = unanswered(await transport.exchange(outgoing(far)));
  expect(fault).toBe(`the proxy answered 502 (HTTPS_PROXY is 127.0.0.1:${proxy.port})`);
  const basic = Buffer.from('me@corp:p:w%').toString('base64');
  expect(proxy.requests[0]).toMatch(new RegExp(`^proxy-authorization: Basic ${basic}\r$`, 'm'));
});

test('a password of the proxy that is not encoded is refused, and not shown', async () => {
  const { transport } = wire({ HTTPS_PROXY: 'http://me:100%sure@127.0.0.1:1' });
  const { sent, fault } = unanswered(await transport.exchange(outgoing(far)));
  expect(sent).toBe(false);
  expect(fault).toMatch(
    /^HTTPS_PROXY is not the address of a proxy \(URI malformed\)\. It is .* with % as %25/,
  );
  expect(fault).not.toContain('100');
});
