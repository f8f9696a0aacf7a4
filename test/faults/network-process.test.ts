// What only a process of its own shows: certificates that the environment makes trusted, and memory.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { certificate } from '../http/certificate.ts';
import { certify, type Pair } from '../rig/certificates.ts';
import { SECRET, type Seen } from '../rig/oracles.ts';
import { bareEnvironment, builtCommand, start } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, type Raw, type Reply, rawServer, script, tunnelTo } from '../rig/sockets.ts';
import { type Fault, runFaults } from './fault.ts';
import { COMMANDS, type Name, well } from './network-rig.ts';

const command = builtCommand();

const good = certificate;
const expired = certify({ name: 'test', ips: ['127.0.0.1'], days: -1 });
const another = certify({ name: 'test', hosts: ['another.test'] });

interface Play {
  env?: Record<string, string>;
  /** The certificate that the user trusts. */
  trusted?: string;
  /** The same, by WAYBILL_CACERT. */
  cacert?: string;
  /** Measures the peak memory. */
  memory?: boolean;
  more?: string;
}

const PROBE = `process.on('exit', () => require('node:fs').writeFileSync(process.env.PROBE, String(process.resourceUsage().maxRSS)));`;

interface Played extends Seen {
  /** Peak memory in MB, if it was measured. */
  megabytes?: number;
}

async function run(
  name: Name,
  server: Raw,
  { env, trusted, cacert, memory, more = '' }: Play = {},
): Promise<Played> {
  const folder = temporaryFolder();
  const file = (as: string, text: string) => {
    writeFileSync(join(folder, as), text);
    return join(folder, as);
  };
  const argv = `${COMMANDS[name]} --retries 0 ${more}`.trim().split(' ');
  const probe = join(folder, 'memory');
  const { code, stdout, stderr } = await start(process.execPath, [command(), ...argv], {
    cwd: folder,
    stdin: name === 'ship' ? JSON.stringify(SHIPMENT) : '',
    env: {
      ...bareEnvironment(folder),
      WAYBILL_BASE_URL: server.url.origin,
      WAYBILL_TOKEN: SECRET,
      ...(trusted && { NODE_EXTRA_CA_CERTS: file('ca.pem', trusted) }),
      ...(cacert && { WAYBILL_CACERT: file('further.pem', cacert) }),
      ...(memory && { PROBE: probe, NODE_OPTIONS: `--require ${file('probe.cjs', PROBE)}` }),
      ...env,
    },
  }).ended;
  return {
    exitCode: code,
    stdout,
    stderr,
    ...(memory && { megabytes: Number(readFileSync(probe, 'utf8')) / 1024 }),
  };
}

/** Runs against a service with that certificate. If the command fails, no part of a request arrives. */
const secure = (
  when: string,
  name: Name,
  exit: number,
  sees: readonly (string | RegExp)[],
  served: Pair,
  play: Play,
): Fault => ({
  when: `${name}: ${when}`,
  sees,
  exit,
  async happen() {
    const server = await rawServer(well, { secure: served });
    const seen = await run(name, server, play);
    expect(server.requests.length).toBe(exit === 0 ? 1 : 0);
    return seen;
  },
});

const MB = 1024 * 1024;

/** The answer is far larger than the memory that it may use. */
const large = (when: string, sees: readonly string[], reply: Reply): Fault => ({
  when: `quote: ${when}`,
  sees,
  exit: 7,
  async happen() {
    const small = await run('quote', await rawServer(script(http(200, '[]'))), { memory: true });
    const seen = await run('quote', await rawServer(reply), { memory: true });
    expect((seen.megabytes ?? 0) - (small.megabytes ?? 0)).toBeLessThan(40);
    return seen;
  },
});

const BOMB = gzipSync(Buffer.alloc(100 * MB), { level: 1 });

const flood: Reply = socket => {
  const block = Buffer.alloc(65_536, 0x20);
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${400 * MB}\r\n\r\n`);
  const more = () => {
    while (!socket.destroyed) if (!socket.write(block)) return void socket.once('drain', more);
  };
  more();
};

runFaults('the network, seen from a process', [
  secure('WAYBILL_CACERT has the certificate', 'ship', 0, [], good, { cacert: good.cert }),
  secure('NODE_EXTRA_CA_CERTS has the certificate, and WAYBILL_CACERT another one', 'quote', 0, [], good, {
    ...{ trusted: good.cert, cacert: another.cert },
  }),
  secure('NODE_EXTRA_CA_CERTS has the certificate', 'ship', 0, [], good, { trusted: good.cert }),
  secure('the certificate is over', 'ship', 7, ['nothing was sent', 'certificate has expired'], expired, {
    trusted: expired.cert,
  }),
  secure('the certificate is for another name', 'ship', 7, ['nothing was sent', '127.0.0.1'], another, {
    trusted: another.cert,
  }),
  ...(['quote', 'ship'] as const).map(name =>
    secure('NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing', name, 7, ['self-signed certificate'], good, {
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    }),
  ),
  {
    when: 'quote: a redirect from https to http is not followed',
    sees: ['answered 302', 'redirect to http://127.0.0.1'],
    exit: 7,
    async happen() {
      const plain = await rawServer(well);
      const server = await rawServer(script(http(302, '', { location: plain.url.href })), {
        secure: good,
      });
      const seen = await run('quote', server, { trusted: good.cert });
      expect(plain.connections()).toBe(0);
      return seen;
    },
  },
  {
    when: 'ship: the proxy has a password, and does not get the token through TLS',
    sees: [],
    exit: 0,
    async happen() {
      const service = await rawServer(well, { secure: good });
      const proxy = await rawServer(tunnelTo(service.port));
      const seen = await run('ship', service, {
        trusted: good.cert,
        env: {
          WAYBILL_BASE_URL: 'https://service.test',
          HTTPS_PROXY: `http://user:pass@127.0.0.1:${proxy.port}`,
        },
      });
      expect({ stderr: seen.stderr, arrived: service.requests.length }).toEqual({ stderr: '', arrived: 1 });
      expect(service.requests[0]).not.toMatch(/proxy-authorization/i);
      expect(proxy.requests.length).toBe(1);
      expect(proxy.requests[0]).toMatch(/^CONNECT service\.test:443 .*proxy-authorization: Basic /is);
      expect(proxy.requests[0]).not.toContain(SECRET);
      return seen;
    },
  },
  large('400 MB of answer do not go into memory', ['larger than 2097152 bytes'], flood),
  large('100 MB of zeros, packed, are not unpacked in memory', ['larger than 2097152 bytes'], socket => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
    socket.write(BOMB);
  }),
]);
