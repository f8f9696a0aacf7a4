// Faults of a token URL.

import { expect } from 'vitest';
import { nextChunk } from '../rig/client.ts';
import type { RunOptions } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, savedIn } from '../rig/profile.ts';
import { http, UNUSED_PORT } from '../rig/sockets.ts';
import { add, BY_URL, gated } from './credentials-rig.ts';
import { type Fault, fault, runFaults } from './fault.ts';

/** Runs a read whose token URL gives this answer. */
async function answering(answer: string, argv = 'track gone --verbose', options: RunOptions = {}) {
  const { rig, service } = await gated({ give: () => answer });
  const ran = await rig.run(argv, options);
  expect(service.calls).toEqual([]);
  return { ...ran, fetches: service.fetches.length };
}

async function refusedUrl(flags: string[]) {
  const rig = await bareRig();
  const argv = 'profile add new --base-url https://a.example --sandbox-base-url https://sandbox.a.example';
  const ran = await rig.run([...argv.split(' '), ...flags]);
  expect(() => savedIn(rig)).toThrow('ENOENT');
  return ran;
}

const CLIENT_HEADER = BY_URL.slice(2);
const from = (url: string) => ['--token-url', url, ...CLIENT_HEADER];
const named = /no token for profile live: POST http:\/\/127\.0\.0\.1:\d+\/oauth\/token: /;

runFaults('an address that gives tokens', [
  fault(
    'the client headers are refused',
    [
      3,
      named,
      'answered 401: unknown client',
      'The client headers of the profile, or the address, are not accepted',
    ],
    () => answering(http(401, '{"error_description":"unknown client"}')),
  ),
  fault('the token URL is a 404', [3, named, 'answered 404', 'or the address, are not accepted'], () =>
    answering(http(404, '<html><title>Not found</title></html>')),
  ),
  fault('the token URL answers 429, also after the retries', [6, named, 'answered 429'], async () => {
    const ran = await answering(http(429, '', { 'retry-after': '7' }), 'track gone --retries 2');
    expect(ran.fetches).toBe(3);
    for (const wait of ran.waits) expect(wait).toBeGreaterThanOrEqual(7000);
    return ran;
  }),
  fault('the token URL answers 503, also after the retries', [7, named, 'answered 503'], async () => {
    const ran = await answering(http(503));
    expect(ran.fetches).toBe(4);
    return ran;
  }),
  fault('the token URL redirects to another host, which gets no secret', [7, named, 'answered 302'], () =>
    answering(http(302, '', { location: 'https://evil.example/oauth/token' })),
  ),
  fault(
    'no server listens at the token URL',
    [7, 'no token for profile live', 'no answer: connection refused'],
    async () => {
      const rig = await bareRig({ env: { CLIENT_SECRET: SECRET } });
      await add(rig, `http://127.0.0.1:${UNUSED_PORT}`, BY_URL);
      return rig.run('track gone --verbose');
    },
  ),
  fault(
    'the answer of the token URL stops in the middle of the token',
    [7, named, 'answered 200, but not completely'],
    () =>
      answering(
        http(200, `{"access_token":"${SECRET}`, { 'content-length': '999', connection: 'close' }),
        'track gone --retries 0',
        { patience: nextChunk() },
      ),
  ),
  fault(
    'the token has another field name in the answer',
    [
      7,
      named,
      'there is no token at token, access_token, accessToken, data.token; its fields are data.jwt, data.kind, ok. Set the path with the setting tokenField of the profile',
    ],
    () => answering(http(200, `{"data":{"jwt":"${SECRET}","kind":"Bearer"},"ok":true}`)),
  ),
  fault(
    'the answer of the token URL has two tokens',
    [7, named, 'there are different tokens at token, data.token; its fields are token, data.token'],
    () => answering(http(200, `{"token":"${SECRET}","data":{"token":"${SECRET}-b"}}`)),
  ),
  fault(
    'the token has a usual name, but tokenField names another one',
    [7, named, 'there is no token at data.jwt; its fields are access_token'],
    async () => {
      const { rig, service } = await gated();
      await rig.run('profile set live tokenField=data.jwt');
      const ran = await rig.run('track gone');
      expect(service.calls).toEqual([]);
      return ran;
    },
  ),
  fault(
    'the answer of the token URL is a web page',
    [7, named, 'there is no token at token, access_token', 'it is not a JSON object'],
    () => answering(http(200, '<html>Sign in</html>')),
  ),
  fault(
    'the fetched token has a line break',
    [3, 'the credential for the header authorization contains characters', 'nothing was sent'],
    () => answering(http(200, JSON.stringify({ access_token: `${SECRET}\r\nX-Admin: yes` }))),
  ),
  fault(
    'the refusal of the token URL repeats the client secret',
    [3, named, 'answered 400: no client ••••'],
    () => answering(http(400, JSON.stringify({ message: `no client ${SECRET}-client` }))),
  ),
  fault(
    'the variable of a client header is not set',
    [3, 'the credential for the header X-Client-Secret: the environment variable CLIENT_SECRET is not set'],
    async () => {
      const { rig, service } = await gated();
      const ran = await rig.run('track gone', { env: { CLIENT_SECRET: '' } });
      expect(service.fetches).toEqual([]);
      return ran;
    },
  ),
  ...['http://login.example/token', 'http://127.0.0.1:1/token', 'ftp://login.example/token', 'token:x'].map(
    (url): Fault => ({
      when: `--token-url is ${url}, which would send the client secret in plain text or to no server`,
      sees: [`${url} does not begin with https:`, 'a path below the address of the service'],
      exit: 2,
      happen: () => refusedUrl(from(url)),
    }),
  ),
  ...[
    '//evil.example/token',
    '/\\evil.example',
    '/token?client_secret=x',
    'https://a.example@evil.example/',
  ].map(
    (url): Fault => ({
      when: `--token-url is ${url}`,
      sees: ['it must not contain a user name, a query or a fragment'],
      exit: 2,
      happen: () => refusedUrl(from(url)),
    }),
  ),
  fault(
    '--token-url is given without a client header',
    [2, '--token-url needs at least one --client-header NAME=SOURCE'],
    () => refusedUrl(['--token-url', '/oauth/token']),
  ),
  fault(
    'a client header is given without --token-url',
    [2, '--client-header needs --token-url PATH', '--header'],
    () => refusedUrl(CLIENT_HEADER),
  ),
]);
