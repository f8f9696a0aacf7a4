// Further authorities and client certificates, against servers with certificates that the test makes.
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { authority, type Pair } from '../rig/certificates.ts';
import type { Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, type Raw, rawServer, script, tunnelTo } from '../rig/sockets.ts';

const company = authority('Company CA');
const stranger = authority('Another CA');
const server = company.certify({ name: 'service', hosts: ['service.test'], ips: ['127.0.0.1'] });
const client = company.certify({ name: 'warehouse' });
const weak = company.certify({ name: 'warehouse', isWeak: true });
const other = stranger.certify({ name: 'warehouse' });

/** A rig with the files of both authorities and clients. */
async function rigged(env: Record<string, string> = {}): Promise<Rig> {
  return bareRig({
    env,
    files: {
      'ca.pem': company.cert,
      'other-ca.pem': stranger.cert,
      'client.pem': client.cert,
      'client.key': client.key,
      'both.pem': client.key + client.cert,
      'other.key': other.key,
    },
  });
}

/** A service over TLS, and the name in the certificate of each client that asked it. */
async function secure(reply = script(http(404, '{"message":"no such shipment"}')), pair: Pair = server) {
  const names: string[] = [];
  const raw = await rawServer(
    (socket, request, index) => {
      const { subject } = (socket as TLSSocket).getPeerCertificate();
      names.push(String(subject?.CN ?? '-'));
      reply(socket, request, index);
    },
    { secure: { ...pair, requestCert: true, rejectUnauthorized: false, ca: company.cert } },
  );
  return { ...raw, names };
}

const add = (rig: Rig, { url }: Pick<Raw, 'url'>, flags = '') =>
  rig.run(`profile add live --base-url ${url.origin} --token-stdin ${flags}`.trim(), { stdin: SECRET });

describe('a further authority', () => {
  test('of a profile counts after the flag and the variable, and whoami says which it is', async () => {
    const rig = await rigged({ WAYBILL_CACERT: 'other-ca.pem' });
    await add(rig, await secure());
    await rig.run('profile set live caCert=ca.pem');
    expect((await rig.run('track gone --retries 0')).exitCode).toBe(7);
    expect((await rig.run('track gone', { env: { WAYBILL_CACERT: '' } })).exitCode).toBe(4);
  });

  test('of a profile is not trusted for an address of the environment', async () => {
    const rig = await rigged();
    const service = await secure();
    await add(rig, service, '--client-cert client.pem --client-key client.key');
    await rig.run('profile set live caCert=ca.pem');
    const env = { WAYBILL_BASE_URL: service.url.origin, WAYBILL_TOKEN: SECRET };
    expect((await rig.run('track gone --retries 0', { env })).exitCode).toBe(7);
    expect((await rig.run('track gone --cacert ca.pem', { env })).exitCode).toBe(4);
    expect(service.names).toEqual(['-']);
  });
});

describe('a client certificate', () => {
  test('is shown to the address that gives the tokens, too', async () => {
    const rig = await rigged({ WAYBILL_CACERT: 'ca.pem', CLIENT: 'client-secret' });
    const login = await secure(script(http(200, JSON.stringify({ token: SECRET }))));
    const service = await secure();
    const flags = `--token-url ${login.url.origin}/token --client-header X-Client=@env:CLIENT --client-cert both.pem`;
    await rig.run(`profile add live --base-url ${service.url.origin} ${flags}`);
    expect((await rig.run('track gone')).exitCode).toBe(4);
    expect([login.names, service.names]).toEqual([['warehouse'], ['warehouse']]);
  });

  test('is shown for labels of the service itself, and not to another host or after a redirect there', async () => {
    const rig = await rigged({ WAYBILL_CACERT: 'ca.pem' });
    const storage = await secure(script(http(200, '%PDF-1.7 %%EOF')));
    const label = (link: string) =>
      http(200, JSON.stringify({ success: true, international: { success: true, label: link } }));
    const far = new URL('/l.pdf', storage.url).href;
    const service = await secure(
      script(
        label('/own.pdf'),
        http(200, '%PDF-1.4 %%EOF'),
        label('/away.pdf'),
        http(302, '', { location: far }),
        label(far),
      ),
    );
    await add(rig, service, '--client-cert both.pem');
    for (const id of ['S-1', 'S-2', 'S-3'])
      expect((await rig.run(`label --international ${id} --download labels`)).exitCode).toBe(0);
    expect(service.names).toEqual(Array(5).fill('warehouse'));
    expect(storage.names).toEqual(['-', '-']);
  });

  test('is shown through a proxy to the service, and not to a proxy that speaks TLS', async () => {
    const rig = await rigged({ WAYBILL_CACERT: 'ca.pem' });
    const service = await secure();
    const proxy = await secure(tunnelTo(service.port));
    const env = { HTTPS_PROXY: proxy.url.href };
    await rig.run('profile add live --base-url https://service.test --token-stdin --client-cert both.pem', {
      stdin: SECRET,
    });
    expect((await rig.run('track gone', { env })).exitCode).toBe(4);
    expect([proxy.names, service.names]).toEqual([['-'], ['warehouse']]);
  });
});

const ENCRYPTED = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
}).privateKey;

describe('before anything is sent', () => {
  test.each<[settings: string, words: string | RegExp]>([
    ['caCert=gone.pem', /caCert of profile live: \S+gone\.pem cannot be read/],
    ['caCert=client.key', 'has no certificate in PEM'],
    ['caCert=damaged.pem', /damaged\.pem has a damaged certificate/],
    ['clientCert=gone.pem', /clientCert of profile live: \S+gone\.pem cannot be read/],
    ['clientCert=client.pem', 'has no private key in PEM'],
    ['clientKey=client.key', 'clientKey of profile live is set, but not clientCert'],
    ['clientCert=client.pem clientKey=gone.key', /clientKey of profile live: \S+gone\.key cannot be read/],
    ['clientCert=client.pem clientKey=damaged.key', /damaged\.key has a key that is damaged/],
    ['clientCert=weak.pem', /clientCert of profile live: \S+weak\.pem has a certificate that TLS refuses/],
    ['clientCert=client.pem clientKey=empty.key', 'has no private key in PEM'],
    ['clientCert=client.pem clientKey=encrypted.key', 'has a passphrase'],
    ['clientCert=client.pem clientKey=other.key', /other\.key is not the key of the first certificate in/],
  ])('%s is refused: %s', async (settings, words) => {
    const rig = await rigged();
    rig.file('damaged.pem', company.cert.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'));
    rig.file('encrypted.key', ENCRYPTED);
    rig.file('damaged.key', client.key.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'));
    rig.file('empty.key', '');
    rig.file('weak.pem', weak.key + weak.cert);
    const service = await secure();
    await add(rig, service);
    await rig.run(`profile set live ${settings}`);
    // A file that is named and is not there is a wrong command line.
    const code = settings.startsWith('clientKey') || settings.includes('gone.') ? 2 : 10;
    const ran = await rig.run('ship -f - --key A-1', { stdin: JSON.stringify(SHIPMENT) });
    expect([ran.exitCode, ran.stderr]).toEqual([code, expect.stringContaining('nothing was sent')]);
    expect(ran.stderr).toMatch(words);
    expect(JSON.parse((await rig.run('profile whoami --json')).stdout).trouble).toMatch(words);
    expect(JSON.parse((await rig.run('history list --json')).stdout)).toEqual([]);
    expect(service.connections()).toBe(0);
  });

  test('a key of the client that others can read, or that is not there, is warned of when it is set', async () => {
    const rig = await rigged();
    const flags = '--client-cert client.pem --client-key';
    const ran = await add(rig, { url: new URL('https://api.example') }, `${flags} client.key`);
    expect(ran.stderr).toContain(`chmod 600 ${join(rig.folder, 'client.key')}`);
    const missing = await rig.run(`profile set live ${flags} gone.key --strict`);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('does not exist yet')]);
  });
});
