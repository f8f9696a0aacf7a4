// What only a process of its own shows: certificates that the environment makes trusted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { certify, certificate as good } from '../rig/certificates.ts';
import { SECRET } from '../rig/oracles.ts';
import { builtCommand, createWorld, SHIP, stageOf } from '../rig/process.ts';
import { http, type Raw, rawServer, script } from '../rig/sockets.ts';

const command = builtCommand();
const booked = script(http(201, '{"id":"S-1","carrier":{"id":"EXP"}}'));
const expired = certify({ name: 'test', ips: ['127.0.0.1'], days: -1 });
const another = certify({ name: 'test', hosts: ['another.test'] });

/** Books at that service with these variables, of which a PEM is given as a file. */
async function ship(server: Raw, variables: Record<string, string>) {
  const { folder, env } = await createWorld({ journalLost: true });
  const given = Object.entries(variables).map(([name, text]) => {
    if (!text.startsWith('-----')) return [name, text];
    writeFileSync(join(folder, name), text);
    return [name, join(folder, name)];
  });
  const service = { WAYBILL_BASE_URL: server.url.origin, WAYBILL_TOKEN: SECRET };
  const stage = stageOf(command, { env: { ...env, ...service, ...Object.fromEntries(given) }, folder });
  return stage.run(`${SHIP} --retries 0`).ended;
}

const trusting = (NODE_EXTRA_CA_CERTS: string) => ({ NODE_EXTRA_CA_CERTS });

test('NODE_EXTRA_CA_CERTS has the authority, and WAYBILL_CACERT another one: both are trusted', async () => {
  const server = await rawServer(booked, { secure: good });
  expect(await ship(server, { ...trusting(good.cert), WAYBILL_CACERT: another.cert })).toMatchObject({
    code: 0,
  });
});

test.each([
  ['that is over', expired, trusting(expired.cert), 'certificate has expired'],
  ['for another name', another, trusting(another.cert), '127.0.0.1'],
  ['that NODE_TLS_REJECT_UNAUTHORIZED=0 is for', good, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'self-signed'],
])('a service with a certificate %s gets nothing', async (_, secure, env, why) => {
  const server = await rawServer(booked, { secure });
  const { code, stderr } = await ship(server, env);
  expect([code, stderr, stderr]).toEqual([
    7,
    expect.stringContaining('nothing was sent'),
    expect.stringContaining(why),
  ]);
  expect(server.requests).toEqual([]);
});
