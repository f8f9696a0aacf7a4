// What only a process of its own shows: certificates that the environment makes trusted, and memory.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { certify, certificate as good, type Pair } from '../rig/certificates.ts';
import { SECRET, type Seen } from '../rig/oracles.ts';
import { bareEnvironment, builtCommand, start } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { http, type Raw, rawServer, script, tunnelTo } from '../rig/sockets.ts';
import { type Fault, fault, runFaults } from './fault.ts';
import { COMMANDS, type Name, well } from './network-rig.ts';

const command = builtCommand();

const expired = certify({ name: 'test', ips: ['127.0.0.1'], days: -1 });
const another = certify({ name: 'test', hosts: ['another.test'] });

const PROBE = `process.on('exit', () => require('node:fs').writeFileSync(process.env.PROBE, String(process.resourceUsage().maxRSS)));`;

/** Runs a command with these variables, of which a PEM is given as a file, and its peak memory in MB. */
async function run(
  name: Name,
  server: Raw,
  env: Record<string, string>,
): Promise<Seen & { megabytes: number }> {
  const folder = temporaryFolder();
  const file = (as: string, text: string) => {
    writeFileSync(join(folder, as), text);
    return join(folder, as);
  };
  const variables = Object.entries(env).map(([as, text]) => [
    as,
    text.startsWith('-----') ? file(as, text) : text,
  ]);
  const probe = join(folder, 'memory');
  const { code, ...streams } = await start(
    process.execPath,
    [command(), ...COMMANDS[name].split(' '), '--retries', '0'],
    {
      cwd: folder,
      stdin: JSON.stringify(SHIPMENT),
      env: {
        ...bareEnvironment(folder),
        WAYBILL_BASE_URL: server.url.origin,
        WAYBILL_TOKEN: SECRET,
        PROBE: probe,
        NODE_OPTIONS: `--require ${file('probe.cjs', PROBE)}`,
        ...Object.fromEntries(variables),
      },
    },
  ).ended;
  return { exitCode: code, ...streams, megabytes: Number(readFileSync(probe, 'utf8')) / 1024 };
}

/** A booking at a service with that certificate. If it fails, no part of it arrives. */
const secure = (when: string, served: Pair, env: Record<string, string>, sees: string[] = []): Fault => {
  const exit = sees.length === 0 ? 0 : 7;
  return fault(when, [exit, ...sees], async () => {
    const server = await rawServer(well, { secure: served });
    const seen = await run('ship', server, env);
    expect(server.requests.length).toBe(exit === 0 ? 1 : 0);
    return seen;
  });
};

const EXPIRED = ['nothing was sent', 'certificate has expired'];
const trusted = { NODE_EXTRA_CA_CERTS: good.cert };

runFaults('the network, seen from a process', [
  secure('WAYBILL_CACERT has the certificate', good, { WAYBILL_CACERT: good.cert }),
  secure('NODE_EXTRA_CA_CERTS has it, WAYBILL_CACERT another one', good, {
    ...trusted,
    WAYBILL_CACERT: another.cert,
  }),
  secure('the certificate is over', expired, { NODE_EXTRA_CA_CERTS: expired.cert }, EXPIRED),
  secure('the certificate is for another name', another, { NODE_EXTRA_CA_CERTS: another.cert }, [
    '127.0.0.1',
  ]),
  secure('NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing', good, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, [
    'self-signed',
  ]),
  fault('the proxy has a password, and does not get the token through TLS', [0], async () => {
    const service = await rawServer(well, { secure: good });
    const proxy = await rawServer(tunnelTo(service.port));
    const HTTPS_PROXY = `http://user:pass@127.0.0.1:${proxy.port}`;
    const seen = await run('ship', service, {
      ...trusted,
      WAYBILL_BASE_URL: 'https://service.test',
      HTTPS_PROXY,
    });
    expect({ stderr: seen.stderr, arrived: service.requests.length }).toEqual({ stderr: '', arrived: 1 });
    expect(service.requests[0]).not.toMatch(/proxy-authorization/i);
    expect(proxy.requests.length).toBe(1);
    expect(proxy.requests[0]).toMatch(/^CONNECT service\.test:443 .*proxy-authorization: Basic /is);
    expect(proxy.requests[0]).not.toContain(SECRET);
    return seen;
  }),
  fault('400 MB of answer do not go into memory', [7, 'larger than 2097152 bytes'], async () => {
    const small = await run('quote', await rawServer(script(http(200, '[]'))), {});
    const block = Buffer.alloc(65_536, 0x20);
    const large = await rawServer(socket => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 400000000\r\n\r\n');
      const more = () => {
        while (!socket.destroyed) if (!socket.write(block)) return void socket.once('drain', more);
      };
      more();
    });
    const seen = await run('quote', large, {});
    expect(seen.megabytes - small.megabytes).toBeLessThan(40);
    return seen;
  }),
]);
