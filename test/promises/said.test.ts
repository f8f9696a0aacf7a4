// What a command says beside its result: exchanges, logs, who ran it, colours, versions; and which authority it trusts.
import { join } from 'node:path';
import { expect } from 'vitest';
import { authority } from '../rig/certificates.ts';
import type { Rig } from '../rig/command.ts';
import { bareRig } from '../rig/profile.ts';
import { http, rawServer, script } from '../rig/sockets.ts';
import { BOOKED, FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';

promises('--verbose', [
  ...each(
    {
      says: 'it shows the exchange on stderr, the credential masked',
      rig: { files: FILES },
      stderr: [/^> POST \S+\/v1\/shipments$/m, /^> authorization: ••••$/m, /^< 201/m],
    },
    ['ship order.json --verbose', { run: 'ship order.json', env: { WAYBILL_DEBUG: '1' } }],
  ),
  {
    says: 'for programs it is lines of JSON',
    run: 'track gone --verbose --json',
    exit: 4,
    stderr: [/^\{"request":\{.*\}\}$/m, /^\{"response":\{.*"status":404/m],
  },
  {
    says: 'a secret in an answer is masked',
    run: `${HOOK} --verbose --json`,
    also({ stdout, stderr }) {
      const { secret, token } = JSON.parse(stdout).data;
      for (const one of [secret, token]) expect(stderr).not.toContain(one);
    },
  },
  ...each({ says: 'without it nothing of that is shown', exit: 4, lacks: '/v1/shipments/gone' }, [
    'track gone',
    { run: 'track gone', env: { WAYBILL_DEBUG: '0' } },
    { run: 'track gone', env: { WAYBILL_DEBUG: 'false' } },
  ]),
]);

const SHIP = 'ship order.json -o record';

promises('--run and --actor', [
  ...each({ says: 'they are recorded with each booking', rig: { files: FILES } }, [
    { run: `${SHIP} --run night --actor anna`, json: { run: 'night', actor: 'anna' } },
    {
      run: SHIP,
      env: { WAYBILL_RUN: 'night', WAYBILL_ACTOR: 'anna' },
      json: { run: 'night', actor: 'anna' },
    },
    { run: `${SHIP} --run flag`, env: { WAYBILL_RUN: 'variable' }, json: { run: 'flag' } },
    { run: `${SHIP} --actor flag`, env: { WAYBILL_ACTOR: 'variable' }, json: { actor: 'flag' } },
  ]),
  {
    says: 'without them it is a user and a host',
    rig: { files: FILES },
    run: SHIP,
    json: { run: null, actor: expect.stringMatching(/^.+@test$/) },
  },
  ...each({ says: 'in CI they are the job and its user', rig: { files: FILES } }, [
    {
      run: SHIP,
      env: { GITHUB_REPOSITORY: 'shop/orders', GITHUB_RUN_ID: '42', GITHUB_ACTOR: 'anna' },
      json: { run: 'https://github.com/shop/orders/actions/runs/42', actor: 'anna' },
    },
    {
      run: SHIP,
      env: { CI_JOB_URL: 'https://ci.example/job/3', GITLAB_USER_LOGIN: 'ben' },
      json: { run: 'https://ci.example/job/3', actor: 'ben' },
    },
    {
      run: `${SHIP} --run night`,
      env: { CI_JOB_URL: 'https://ci.example/job/3', GITLAB_USER_LOGIN: 'ben' },
      json: { run: 'night', actor: 'ben' },
    },
  ]),
  ...each(
    { says: 'they are refused where they cannot be recorded', rig: { files: FILES }, exit: 2, sent: [] },
    ['run', 'actor'].flatMap(name => [
      { run: ['ship', 'order.json', `--${name}`, 'a\u0007b'], stderr: 'control characters' },
      { run: `ship order.json --${name} ${'x'.repeat(201)}`, stderr: 'at most 200' },
      { run: ['ship', 'order.json', `--${name}`, ' '], stderr: 'must not be empty' },
      {
        run: 'ship order.json',
        env: { [`WAYBILL_${name.toUpperCase()}`]: 'a\u0007b' },
        stderr: 'control characters',
      },
    ]),
  ),
]);

const company = authority('company');
const { key, cert } = company.certify({ name: 'service', ips: ['127.0.0.1'] });

/** A service with a certificate of the authority in company.pem. */
async function certified(): Promise<Rig> {
  const { url } = await rawServer(script(http(404, '{}')), { secure: { key, cert } });
  return bareRig({
    env: { WAYBILL_BASE_URL: url.origin, WAYBILL_TOKEN: 'demo' },
    files: { 'company.pem': company.cert, 'other.pem': authority('another').cert },
  });
}

/** A service that wants the certificate of a client, and a profile that has one. */
async function wantsClient(): Promise<Rig> {
  const { url } = await rawServer(script(http(404, '{}')), {
    secure: { key, cert, requestCert: true, rejectUnauthorized: true, ca: company.cert },
  });
  const client = company.certify({ name: 'warehouse' });
  const rig = await bareRig({
    files: { 'company.pem': company.cert, 'client.pem': client.cert, 'client.key': client.key },
  });
  const at = (name: string) => join(rig.folder, name);
  const profile = { baseUrl: url.origin, caCert: at('company.pem') };
  rig.file('config/config.json', {
    current: 'with',
    profiles: {
      with: { ...profile, clientCert: at('client.pem'), clientKey: at('client.key') },
      without: { ...profile, credentials: { kind: 'token', token: 'demo' } },
    },
  });
  return rig;
}

promises('Certificates', [
  ...each({ says: 'a further authority is trusted', rig: certified, exit: 4 }, [
    'track gone --cacert company.pem',
    { run: 'track gone', env: { WAYBILL_CACERT: 'company.pem' } },
    { run: 'track gone --cacert company.pem', env: { WAYBILL_CACERT: 'other.pem' } },
  ]),
  ...each({ says: 'any other is not', rig: certified, exit: 7, stderr: '--cacert' }, [
    'track gone --retries 0',
    'track gone --retries 0 --cacert other.pem',
  ]),
  { says: 'a profile may have a client certificate', rig: wantsClient, run: 'track gone', exit: 4 },
  {
    says: 'without it such a service does not answer',
    rig: wantsClient,
    run: 'track gone --profile without --retries 0',
    exit: 7,
  },
]);

const RED = '\u001b[31m';

promises('Colours', [
  ...each({ says: 'a terminal has colours', exit: 4, stderr: `${RED}error:` }, [
    { run: 'track gone', terminal: true },
    { run: 'track gone', env: { FORCE_COLOR: '1' } },
  ]),
  ...each({ says: 'these have none', exit: 4, lacks: RED }, [
    'track gone',
    { run: 'track gone --no-color', terminal: true },
    { run: 'track gone', terminal: true, env: { NO_COLOR: '1' } },
    { run: 'track gone --no-color', env: { FORCE_COLOR: '1' } },
  ]),
]);

promises('--version and --help', [
  { says: 'the version is shown', run: '--version', stdout: /^\d+\.\d+\.\d+\S*\n$/ },
  ...each({ says: 'help is shown, and nothing is done', rig: { files: FILES }, sent: [] }, [
    { run: '--help', stdout: 'Usage: waybill' },
    { run: '-h', stdout: 'Usage: waybill' },
    { run: 'ship order.json -h', stdout: 'Usage: waybill ship' },
    { run: 'ship order.json --help', stdout: 'Usage: waybill ship' },
    { run: `quote ${PARCEL} --help`, stdout: 'Usage: waybill quote' },
  ]),
  {
    says: 'every command takes the same options',
    run: 'help options',
    stdout:
      '--profile --sandbox --no-sandbox --output --json --query --quiet --no-input --yes --strict --timeout --retries --verbose --log --run --actor --cacert --no-color --version --help'.split(
        ' ',
      ),
  },
  ...each({ says: 'they stand before or behind the command', rig: { files: FILES }, sent: BOOKED }, [
    '--json ship order.json',
    'ship --json order.json',
    'ship order.json --json',
  ]),
]);
