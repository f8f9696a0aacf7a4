// Addresses: which ones are taken, and where a request, a credential and the file of a label go.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { authority } from '../rig/certificates.ts';
import { createRig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { builtCommand, commandsOf, createWorld } from '../rig/process.ts';
import { ELSEWHERE, production } from '../rig/production.ts';
import { BARE, bareRig } from '../rig/profile.ts';
import { http, rawServer, script, tunnelTo } from '../rig/sockets.ts';
import { FILES } from './orders.ts';
import { each, promises } from './promise.ts';
import { arrivedWith, arrivedWithout, liveRig, ORDER, productionRig, replying, servedRig } from './rigs.ts';

const READ = 'track gone';
const SHIP = 'ship order.json --key A-1';
const QUOTE = 'quote --from TR --to DE --package 1kg@10x10x10';
const to = (location: string, status = 302) => http(status, '', { location });

const ADD = 'profile add live --base-url';
const NO_PROFILE = { 'config/config.json': null };

promises('Addresses', [
  ...each({ says: 'must be https', rig: bareRig, exit: 2, stderr: 'https:', files: NO_PROFILE }, [
    `${ADD} http://api.example.com`,
    `${ADD} http://10.0.0.1`,
    `${ADD} http://0.0.0.0:8787`,
    `${ADD} ftp://api.example.com`,
    `${ADD} https://api.example.com --sandbox-base-url http://sandbox.example.com`,
    `${ADD} https://api.example.com --token-url http://login.example.com/token --client-header X-Id=@env:ID`,
    // They only look like loopback.
    `${ADD} http://localhost.example.com`,
    `${ADD} http://127.0.0.1.evil.example`,
    `${ADD} ftp://127.0.0.1`,
    `${ADD} file:///etc/passwd`,
  ]),
  ...each({ says: 'must be https in the environment, too', exit: 2, stderr: 'https:', sent: [] }, [
    { run: READ, env: { WAYBILL_BASE_URL: 'http://api.example.com' } },
    { run: `${READ} --sandbox`, env: { WAYBILL_SANDBOX_BASE_URL: 'http://api.example.com' } },
  ]),
  ...each({ says: 'may be http on loopback, which is a network', rig: bareRig }, [
    `${ADD} http://127.0.0.1:8787`,
    `${ADD} http://127.9.9.9/x`,
    `${ADD} http://localhost:8787`,
    `${ADD} http://[::1]:8787`,
  ]),
  ...each({ says: 'are URLs without a query and a fragment', rig: bareRig, exit: 2 }, [
    `${ADD} api.example.com`,
    `${ADD} https://api.example.com/?a=b`,
    `${ADD} https://api.example.com/?`,
    `${ADD} https://api.example.com/#a`,
  ]),
  {
    says: 'may have a path',
    rig: async () => {
      const rig = await createRig();
      const env = { WAYBILL_BASE_URL: `${rig.address}/sandbox/`, WAYBILL_SANDBOX_BASE_URL: '' };
      return { ...rig, run: (argv, options) => rig.run(argv, { ...options, env }) };
    },
    run: READ,
    exit: 4,
    sent: ['GET /sandbox/v1/shipments/gone'],
  },
  {
    says: 'that are none are named without what may be a secret',
    rig: bareRig,
    run: [...ADD.split(' '), 'https://x y/#hunter-2222'],
    exit: 2,
    stderr: 'is not a URL',
    lacks: 'hunter-2222',
  },
]);

/** Two spellings of one address each, and addresses that are two. */
const ONE_ADDRESS: readonly [production: string, sandbox: string][] = [
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com', 'https://API.Example.COM'],
  ['https://api.example.com', 'https://api.example.com/'],
  ['https://api.example.com/v', 'https://api.example.com//v//'],
  ['https://api.example.com', 'https://api.example.com:443'],
  ['https://api.example.com', 'https://api.example.com.'],
  ['https://api.example.com.', 'https://api.example.com'],
  ['https://api.example.com/api', 'https://api.example.com/%61pi'],
  ['https://api.example.com/a/b', 'https://api.example.com/a%2Fb'],
  ['https://api.example.com/api', 'https://api.example.com/API'],
  ['https://api.example.com/b', 'https://api.example.com/a/../b'],
  ['https://api.example.com/b', 'https://api.example.com/a/%2e%2e/b'],
  ['https://api.example.com', 'https://%61pi.example.com'],
  ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ['https://münchen.example', 'https://MÜNCHEN.example'],
  ['https://api.example.com', 'https://api。example.com'],
  ['https://10.0.0.1', 'https://167772161'],
  ['https://10.0.0.1', 'https://0xa.0.0.1'],
  ['https://10.0.0.1', 'https://012.1'],
  ['https://10.0.0.1', 'https://[::ffff:10.0.0.1]'],
  ['https://[2001:db8::1]', 'https://[2001:0DB8:0:0:0:0:0:1]'],
];
const TWO_ADDRESSES: readonly [production: string, sandbox: string][] = [
  ['https://api.example.com', 'https://api.example.com/sandbox'],
  ['https://api.example.com', 'https://sandbox.api.example.com'],
  ['https://api.example.com', 'https://api.example.com:8443'],
  ['https://api.example.com/a', 'https://api.example.com/b'],
  ['https://10.0.0.1', 'https://10.0.0.2'],
];
const bothSaved = (baseUrl: string, sandboxBaseUrl: string) => ({
  env: BARE,
  files: {
    ...FILES,
    'config/config.json': {
      current: 'live',
      profiles: { live: { baseUrl, sandboxBaseUrl, credentials: { kind: 'token', token: 'demo' } } },
    },
  },
});
/** One address, in two spellings, of the environment. */
const both = (sandbox: string) => ({
  WAYBILL_BASE_URL: 'https://x.example',
  WAYBILL_SANDBOX_BASE_URL: sandbox,
});
const SAME = bothSaved('https://api.example.com', 'https://API.example.com.:443/');

promises('One address for production and sandbox', [
  ...each(
    {
      says: 'is refused when a profile is added, in any spelling',
      rig: bareRig,
      exit: 2,
      files: NO_PROFILE,
      stderr: /production .*sandbox/,
    },
    ONE_ADDRESS.map(([base, sandbox]) => ({
      run: ['profile', 'add', 'live', '--base-url', base, '--sandbox-base-url', sandbox],
    })),
  ),
  ...each({ exit: 2, sent: [] }, [
    ...each(
      {
        says: 'is refused where a sandbox is booked with it, before anything is sent',
        stderr: /production .*sandbox/,
      },
      ONE_ADDRESS.slice(0, 4).map(([base, sandbox]) => ({
        rig: bothSaved(base, sandbox),
        run: `${SHIP} --sandbox`,
      })),
    ),
    ...each({ says: 'is refused by each command that uses it', rig: SAME, stderr: 'waybill profile set' }, [
      SHIP,
      `${SHIP} --sandbox`,
      `${SHIP} --dry-run`,
      `${READ} --sandbox`,
      READ,
      'batch ship order.json --sandbox',
      'mcp',
    ]),
    ...each(
      {
        says: 'is refused in the environment, too',
        stderr: ['WAYBILL_BASE_URL', 'WAYBILL_SANDBOX_BASE_URL'],
      },
      [
        { run: READ, env: both('https://x.example./') },
        { run: `${SHIP} --sandbox`, env: both('https://x.example:443'), rig: ORDER },
        { run: SHIP, env: both('https://X.example'), rig: ORDER },
      ],
    ),
  ]),
  ...each(
    {
      says: 'is refused when a profile is changed',
      rig: bothSaved('https://api.example.com', 'https://api.example.com/sandbox'),
      exit: 2,
      files: { 'config/config.json': 'https://api.example.com/sandbox' },
    },
    [
      'profile set live sandboxBaseUrl=https://api.example.com:443',
      'profile set live baseUrl=https://API.example.com/sandbox/',
      'profile set live sandboxBaseUrl=https://b.example baseUrl=https://b.example',
    ],
  ),
  {
    says: 'is refused in a file of `profile add -f`',
    rig: bareRig,
    after: [{ write: { 'p.json': { baseUrl: 'https://a.example', sandboxBaseUrl: 'https://a.example/' } } }],
    run: 'profile add live -f p.json',
    exit: 2,
  },
  ...each({ says: 'written by hand is mended by `profile set`', rig: SAME }, [
    'profile set live sandboxBaseUrl=',
    'profile set live sandboxBaseUrl=https://api.example.com/sandbox',
    'profile show live',
    'profile list',
    'profile remove live',
  ]),
  ...each(
    { says: 'are two where host, port or path differ', rig: bareRig },
    TWO_ADDRESSES.map(([base, sandbox]) => ({
      run: ['profile', 'add', 'live', '--base-url', base, '--sandbox-base-url', sandbox],
    })),
  ),
]);

promises('Redirects of the service', [
  {
    says: 'do not lead the sandbox into production: a booking is unknown',
    rig: servedRig(() => script(to('/v1/shipments', 308)), { flags: '--token-stdin' }),
    run: `${SHIP} --sandbox`,
    exit: 8,
    sent: ['POST /sandbox/v1/shipments'],
  },
  {
    says: 'do not lead a read of the sandbox into production',
    rig: servedRig(() => script(to('/v1/shipments/gone', 308)), { flags: '--token-stdin' }),
    run: `${READ} --sandbox`,
    exit: 7,
    sent: ['GET /sandbox/v1/shipments/gone'],
  },
  ...[301, 302, 303, 307, 308].map(status => ({
    says: `are not followed by a read (${status})`,
    rig: servedRig(() => script(to('/elsewhere', status))),
    run: READ,
    exit: 7,
    sent: ['GET /v1/shipments/gone'],
    stderr: `${status}`,
  })),
  {
    says: 'are not followed by a quote',
    rig: servedRig(() => script(to('/elsewhere'))),
    run: `${QUOTE} --json`,
    exit: 7,
    sent: ['POST /v1/carriers/proposal'],
    error: { code: 'unavailable', httpStatus: 302 },
  },
  {
    says: 'make a booking unknown, which is not sent again',
    rig: servedRig(() => script(to('/elsewhere', 307))),
    run: `${SHIP} --json`,
    exit: 8,
    sent: ['POST /v1/shipments'],
    error: { code: 'outcome_unknown', httpStatus: 307 },
  },
]);

const LINKED = (link: string) =>
  http(
    200,
    JSON.stringify({ success: true, international: { success: true, trackingNumber: 'T-1', label: link } }),
  );
const PDF = http(200, '%PDF-1.7\nlabel\n%%EOF\n');
const LABEL = 'label --international S-1 --download labels';
const SAVED = { 'labels/S-1.pdf': '%PDF-1.7' };
const CREATE = 'POST /v2/carriers/create';
/** A service that makes a label with this link. */
const labelled = (link: string, files: Record<string, string | string[]> = {}) =>
  servedRig(replying({ [CREATE]: LINKED(link), ...files }));

promises('The file of a label', [
  ...each({ run: LABEL, files: SAVED }, [
    {
      says: 'is asked for without a credential',
      rig: labelled('/l.pdf', { 'GET /l.pdf': PDF }),
      sent: [CREATE, 'GET /l.pdf'],
      also: ran => {
        arrivedWith({ authorization: `Bearer ${SECRET}` }, 0)(ran);
        arrivedWithout(['authorization'], 1)(ran);
      },
    },
    ...[401, 403].map(status => ({
      says: `is asked for once more with the credential where the service itself answers ${status}`,
      rig: labelled('/l.pdf', { 'GET /l.pdf': [http(status), PDF] }),
      sent: [CREATE, 'GET /l.pdf', 'GET /l.pdf'],
      also: arrivedWith({ authorization: `Bearer ${SECRET}` }, 2),
    })),
    {
      says: 'may be three redirects away',
      rig: labelled('/a', {
        'GET /a': to('/b'),
        'GET /b': to('/c', 307),
        'GET /c': to('/d', 301),
        'GET /d': PDF,
      }),
      sent: [CREATE, 'GET /a', 'GET /b', 'GET /c', 'GET /d'],
    },
  ]),
  ...each({ run: LABEL, exit: 9, files: { 'labels/S-1.pdf': null } }, [
    {
      says: 'is not asked for a third time',
      rig: labelled('/l.pdf', { 'GET /l.pdf': http(401) }),
      sent: [CREATE, 'GET /l.pdf', 'GET /l.pdf'],
    },
    {
      says: 'may not be four redirects away',
      rig: labelled('/a', { 'GET /a': to('/a') }),
      sent: [CREATE, ...Array(4).fill('GET /a')],
      stderr: 'redirect',
    },
    ...[
      'http://labels.example.com/l.pdf',
      'ftp://labels.example.com/l.pdf',
      'https://10.0.0.1/l.pdf',
      'https://192.168.1.1/l.pdf',
      'https://169.254.169.254/latest/meta-data',
      'https://me:hunter-2222@labels.example.com/l.pdf',
    ].map(link => ({
      says: `must be https elsewhere, on the public network and without credentials, and is not at ${link}`,
      rig: labelled(link),
      sent: [CREATE],
    })),
    ...['http://labels.example.com/l.pdf', 'https://10.0.0.1/l.pdf'].map(link => ({
      says: `must be so after a redirect, too, and is not at ${link}`,
      rig: labelled('/l.pdf', { 'GET /l.pdf': to(link) }),
      sent: [CREATE, 'GET /l.pdf'],
    })),
  ]),
  ...each({ rig: labelled('https://me:hunter-2222@labels.example.com/l.pdf') }, [
    ...each(
      { says: 'is named without the user name and the password of its link', lacks: ['hunter-2222', 'me:'] },
      [
        { run: 'label --international S-1', stdout: 'https://••••@labels.example.com/l.pdf' },
        { run: 'label --international S-1 -q', stdout: 'https://••••@labels.example.com/l.pdf' },
        { run: 'label --international S-1 --verbose', stderr: 'https://••••@labels.example.com/l.pdf' },
        { run: LABEL, exit: 9, stderr: 'https://••••@labels.example.com/l.pdf' },
      ],
    ),
    {
      says: 'is in the answer of the service as it came',
      run: 'label --international S-1 --json',
      stdout: 'https://me:hunter-2222@labels.example.com/l.pdf',
    },
  ]),
  ...each(
    {
      says: 'is masked in what the service says, too',
      rig: servedRig(
        replying({ [CREATE]: http(422, '{"message":"see https://me:hunter-2222@labels.example.com/x"}') }),
      ),
      exit: 5,
      stderr: 'see https://••••@labels.example.com/x',
    },
    [{ run: 'label --international S-1', lacks: 'hunter-2222' }, 'label --international S-1 --json'],
  ),
  {
    says: 'that cannot be had is asked for by the next command, which makes no further label',
    rig: labelled('/l.pdf', { 'GET /l.pdf': [http(404), PDF] }),
    after: [{ line: LABEL, exit: 9 }],
    run: LABEL,
    sent: ['GET /l.pdf'],
    files: SAVED,
  },
]);

test('another host that has the file of a label never gets the credential', async () => {
  const storage = await rawServer(script(http(401)));
  const rig = await labelled(`${storage.url.origin}/l.pdf`)();
  const ran = await rig.run(LABEL);
  expect([ran.exitCode, storage.requests.length]).toEqual([9, 1]);
  expect(storage.requests[0]).not.toMatch(/authorization/i);
});

describe('On the way to a service elsewhere', () => {
  test('HTTPS_PROXY is asked', async () => {
    const { env, tries } = await production();
    const { run } = await createRig({ env });
    const ran = await run(`${READ} --retries 0`);
    expect([ran.exitCode, tries()]).toEqual([7, 1]);
  });

  test('NO_PROXY names hosts for which it is not', async () => {
    const { env, tries } = await production();
    const { run } = await createRig({ env: { ...env, NO_PROXY: new URL(ELSEWHERE).hostname } });
    const ran = await run(`${READ} --retries 0`);
    expect([ran.exitCode, tries()]).toEqual([7, 0]);
  });

  test('a proxy is not asked for loopback', async () => {
    const { env, tries } = await production();
    const { run } = await createRig({ env: { HTTPS_PROXY: env.HTTPS_PROXY ?? '' } });
    const ran = await run(READ);
    expect([ran.exitCode, ran.requests.length, tries()]).toEqual([4, 1, 0]);
  });
});

promises('Through a proxy', [
  { says: 'a command reads', rig: productionRig(), run: READ, exit: 4, sent: ['GET /v1/shipments/gone'] },
  { says: 'a command books', rig: productionRig(), run: SHIP, sent: ['POST /v1/shipments'] },
]);

promises('A certificate', [
  {
    says: 'of an authority is a file that is there',
    rig: liveRig(),
    run: `${READ} --cacert gone.pem`,
    exit: 2,
    stderr: 'gone.pem',
    sent: [],
  },
  {
    says: 'of a client needs its key',
    rig: liveRig(),
    after: [
      { write: { 'client.pem': authority('company').certify({ name: 'warehouse' }).cert } },
      'profile set live clientCert=client.pem',
    ],
    run: READ,
    exit: 10,
    stderr: 'clientKey',
    sent: [],
  },
]);

const command = builtCommand();
const { waybill } = commandsOf(command);

test('NODE_EXTRA_CA_CERTS names an authority that is trusted, also behind a proxy, which gets its password and no token', async () => {
  const company = authority('company');
  const { url, port, requests } = await rawServer(script(http(404, '{"message":"no such shipment"}')), {
    secure: company.certify({ name: 'service', hosts: ['service.test'], ips: ['127.0.0.1'] }),
  });
  const proxy = await rawServer(tunnelTo(port));
  const world = await createWorld({ journalLost: true });
  const NODE_EXTRA_CA_CERTS = join(world.folder, 'authority.pem');
  writeFileSync(NODE_EXTRA_CA_CERTS, company.cert);
  const read = async (env: Record<string, string>) =>
    (await waybill(world, `${READ} --retries 0`, { env }).ended).code;
  expect(await read({ WAYBILL_BASE_URL: url.origin })).toBe(7);
  expect(await read({ WAYBILL_BASE_URL: url.origin, NODE_EXTRA_CA_CERTS })).toBe(4);
  const HTTPS_PROXY = `http://user:pass@127.0.0.1:${proxy.port}`;
  const far = { WAYBILL_BASE_URL: 'https://service.test', HTTPS_PROXY };
  expect(await read({ ...far, NODE_EXTRA_CA_CERTS })).toBe(4);
  expect(proxy.requests).toEqual([
    expect.stringMatching(/^CONNECT service\.test:443 .*proxy-authorization: Basic (?!.*bearer)/is),
  ]);
  expect(requests).toEqual(Array(2).fill(expect.not.stringMatching(/proxy-authorization/i)));
});
