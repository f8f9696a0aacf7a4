// What only a process of its own shows: certificates that the environment makes trusted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { certify, certificate as good, type Pair } from '../rig/certificates.ts';
import { SECRET, type Seen } from '../rig/oracles.ts';
import { bareEnvironment, builtCommand, start } from '../rig/process.ts';
import { temporaryFolder } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { type Raw, rawServer, tunnelTo } from '../rig/sockets.ts';
import { type Fault, fault, runFaults } from './fault.ts';
import { COMMANDS, well } from './network-rig.ts';

const command = builtCommand();

const expired = certify({ name: 'test', ips: ['127.0.0.1'], days: -1 });
const another = certify({ name: 'test', hosts: ['another.test'] });

/** Books with these variables, of which a PEM is given as a file. */
async function ship(server: Raw, env: Record<string, string>): Promise<Seen> {
  const folder = temporaryFolder();
  const variables = Object.entries(env).map(([as, text]) => {
    if (!text.startsWith('-----')) return [as, text];
    writeFileSync(join(folder, as), text);
    return [as, join(folder, as)];
  });
  const argv = [...COMMANDS.ship.split(' '), '--retries', '0'];
  const { code, ...streams } = await start(process.execPath, [command(), ...argv], {
    cwd: folder,
    stdin: JSON.stringify(SHIPMENT),
    env: {
      ...bareEnvironment(folder),
      WAYBILL_BASE_URL: server.url.origin,
      WAYBILL_TOKEN: SECRET,
      ...Object.fromEntries(variables),
    },
  }).ended;
  return { exitCode: code, ...streams };
}

/** A booking at a service with that certificate. If it fails, no part of it arrives. */
const secure = (when: string, served: Pair, env: Record<string, string>, sees: string[] = []): Fault => {
  const exit = sees.length === 0 ? 0 : 7;
  return fault(when, [exit, ...sees], async () => {
    const server = await rawServer(well, { secure: served });
    const seen = await ship(server, env);
    expect(server.requests.length).toBe(exit === 0 ? 1 : 0);
    return seen;
  });
};

const EXPIRED = ['nothing was sent', 'certificate has expired'];
const trusted = { NODE_EXTRA_CA_CERTS: good.cert };

runFaults('the network, seen from a process', [
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
    const seen = await ship(service, {
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
]);
