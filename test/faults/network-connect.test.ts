// Faults before a request is on a connection: nothing has arrived, so a booking is not sent (7).

import type net from 'node:net';
import { expect } from 'vitest';
import { certificate } from '../http/certificate.ts';
import { SECRET } from '../rig/oracles.ts';
import { http, rawServer, script, sleepingServer, tunnelTo, UNUSED_PORT } from '../rig/sockets.ts';
import { runFaults } from './fault.ts';
import { pair, type Scene, well } from './network-rig.ts';

const FAR = 'https://service.test';

const secureOn = ({ port }: { port: number }) => `https://127.0.0.1:${port}`;

/** The server of the row is a proxy, and the service is far behind it. */
const proxied = (reply: Scene['reply'] & {}, credentials = ''): Scene => ({
  reply,
  base: () => FAR,
  env: ({ port }) => ({ HTTPS_PROXY: `http://${credentials}127.0.0.1:${port}` }),
});

const noProxy = (address: string): Scene => ({ base: () => FAR, env: () => ({ HTTPS_PROXY: address }) });

const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

/** Ends a handshake as a server does that says why. */
const alert = (number: number) => (socket: net.Socket) =>
  void socket.once('data', () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, number])));

const none = (words: string | RegExp, arrived = 0) => [7, arrived, 'no answer from', words] as const;
const notSent = (words: string | RegExp, arrived = 0) => [7, arrived, 'nothing was sent', words] as const;

const both = (when: string, scene: Scene | (() => Promise<Scene>), words: string | RegExp, arrived = 0) =>
  pair(when, scene, none(words, arrived), notSent(words, arrived));

runFaults('connections that are not made', [
  ...both('nobody listens', { base: () => `http://127.0.0.1:${UNUSED_PORT}` }, 'connection refused'),
  ...both('the host name does not exist', { base: () => 'https://no-such-host.invalid' }, /host name/),
  ...both(
    'no known authority signed the certificate',
    { reply: well, options: { secure: certificate } },
    'self-signed certificate',
  ),
  ...both(
    'plain HTTP is spoken on an https port',
    { base: secureOn, options: { onConnection: socket => void socket.end(http(400)) } },
    /wrong version number|does not speak TLS/,
  ),
  ...both(
    'the server speaks only HTTP/2',
    { reply: well, options: { secure: { ...certificate, ALPNProtocols: ['h2'] } } },
    'the server speaks only HTTP/2',
  ),
  ...both(
    'the server speaks only TLS 1.1',
    { reply: well, options: { secure: { ...certificate, ...OLD } } },
    'no version of TLS in common',
  ),
  ...(
    [
      [40, 'none of the ciphers and keys'],
      [70, 'no version of TLS in common'],
      [80, 'an error of its own in TLS'],
      [112, 'does not know this host name'],
      [116, 'requires a certificate from its clients'],
      [109, /TLS cannot be set up: (?!.*(SSL routines|error:0|openssl))/i],
    ] as const
  ).flatMap(([number, words]) =>
    both(
      `TLS ends with alert ${number}`,
      { base: secureOn, options: { onConnection: alert(number) } },
      words,
    ),
  ),
  ...both(
    'the connection is reset during TLS',
    { base: secureOn, options: { onConnection: socket => void socket.resetAndDestroy() } },
    'connection reset',
  ),
  ...both(
    'TLS stalls until the deadline',
    { base: secureOn, late: server => server.connected(1), more: '--retries 0' },
    'no complete answer within',
  ),
  ...both('no connection is ever made until the deadline', neverConnects, 'no complete answer within').map(
    fault => ({
      ...fault,
      skip: process.platform !== 'linux' && 'a full queue takes connections all the same',
    }),
  ),
  ...both('the proxy needs a user and a password', proxied(http(407)), '407', 4),
  ...both(
    'the proxy refuses the password, which it gets decoded, and which is not shown',
    {
      ...proxied(http(407), `me%40corp:${SECRET}%25@`),
      after(_, { requests }) {
        const basic = Buffer.from(`me@corp:${SECRET}%`).toString('base64');
        for (const request of requests) expect(request).toContain(`: Basic ${basic}\r\n`);
      },
    },
    '407',
    4,
  ),
  ...both(
    'the proxy cannot reach the host',
    proxied(http(502)),
    /502 \(HTTPS_PROXY is 127\.0\.0\.1:\d+\)/,
    4,
  ),
  ...both(
    'https_proxy is written in small letters, and forbids the host',
    {
      ...proxied(http(403, 'Forbidden')),
      env: ({ port }) => ({ https_proxy: `http://127.0.0.1:${port}` }),
    },
    '403',
    4,
  ),
  ...both(
    'NO_PROXY names the host: the proxy is not asked',
    {
      ...proxied(http(502)),
      base: () => 'https://service.invalid',
      env: ({ url }) => ({ HTTPS_PROXY: url.href, NO_PROXY: 'other.test,.invalid' }),
      after: (_, { connections }) => expect(connections()).toBe(0),
    },
    /host name/,
  ),
  ...both(
    'the proxy resets the connection',
    proxied(socket => socket.resetAndDestroy()),
    'reset',
    4,
  ),
  ...both('the proxy speaks no HTTP', proxied('SSH-2.0-OpenSSH\r\n'), 'HTTP', 4),
  ...both(
    'the proxy does not answer CONNECT until the deadline',
    { ...proxied(() => {}), late: server => server.received(1), more: '--retries 0' },
    'no complete answer within',
    1,
  ),
  ...both(
    'TLS stalls in the tunnel of the proxy until the deadline',
    silentInTunnel,
    'no complete answer within',
    1,
  ),
  ...both('nobody listens at the proxy', noProxy(`http://127.0.0.1:${UNUSED_PORT}`), 'connection refused'),
  ...['proxy', 'ftp://proxy.test', `user:${SECRET}@proxy:3128`].flatMap(address =>
    both(
      `the proxy is no address: ${address.slice(0, 8)}`,
      noProxy(address),
      'HTTPS_PROXY is not the address of a proxy',
    ),
  ),
  ...both(
    'the password of the proxy is not encoded, and is not shown',
    noProxy(`http://me:100%${SECRET}@127.0.0.1:1`),
    /HTTPS_PROXY is not the address of a proxy \(URI malformed\)\. It is .* with % as %25/,
  ),
  ...both(
    'the proxy intercepts TLS in its tunnel and gets no request',
    strangerInTunnel,
    'self-signed certificate',
    4,
  ),
  ...both(
    'loopback is called by https: no proxy is asked',
    {
      reply: http(502),
      base: () => `https://127.0.0.1:${UNUSED_PORT}`,
      env: ({ url }) => ({ HTTPS_PROXY: url.href }),
      after: (_, { connections }) => expect(connections()).toBe(0),
    },
    `connection refused (127.0.0.1:${UNUSED_PORT})`,
  ),
  ...pair(
    'a broken proxy is not used for loopback',
    {
      reply: well,
      env: () => ({ HTTPS_PROXY: `http://127.0.0.1:${UNUSED_PORT}`, HTTP_PROXY: 'nonsense' }),
    },
    [0, 1],
    [0, 1],
  ),
]);

async function silentInTunnel(): Promise<Scene> {
  const silent = await rawServer(() => {});
  return { ...proxied(tunnelTo(silent.port)), late: () => silent.connected(1), more: '--retries 0' };
}

async function strangerInTunnel(): Promise<Scene> {
  const stranger = await rawServer(script(http(201, '{}')), { secure: certificate });
  return {
    ...proxied(tunnelTo(stranger.port)),
    after: () => expect(stranger.requests).toEqual([]),
  };
}

async function neverConnects(): Promise<Scene> {
  const { url } = await sleepingServer({ full: true });
  return {
    base: () => url.origin,
    late: () => new Promise(resolve => setTimeout(resolve, 100)),
    more: '--retries 0',
  };
}
