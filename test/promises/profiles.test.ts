// Profiles: where they are kept, how they are added, changed, chosen and shown, and what they give a command.
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseFault } from '../../src/emulator/settings.ts';
import { createRig, type Ran, type Rig } from '../rig/command.ts';
import { SECRET } from '../rig/oracles.ts';
import { bareRig, savedIn, shopRig } from '../rig/profile.ts';
import { http, script, UNUSED_PORT } from '../rig/sockets.ts';
import { each, promises } from './promise.ts';
import { liveRig, ORDER, servedRig } from './rigs.ts';

/** A profile `live`, of whose booking A-1 nobody knows whether it exists. */
async function doubtfulRig(): Promise<Rig> {
  const rig = await liveRig('--token-stdin', { ...ORDER, faults: [parseFault('500:1')] })();
  expect((await rig.run('ship order.json --key A-1')).exitCode).toBe(8);
  rig.file('live.json', { baseUrl: rig.address, sandboxBaseUrl: `${rig.address}/sandbox` });
  return rig;
}

const ADD = 'profile add live --base-url https://api.example.com';
const modeOf =
  (name: string, mode: number) =>
  (_: Ran, { folder }: Rig): void =>
    expect(statSync(join(folder, name)).mode & 0o777).toBe(mode);

promises('Where profiles and the journal are kept', [
  ...each({ rig: bareRig, also: modeOf('config/config.json', 0o600) }, [
    {
      says: 'the profiles are in config.json of WAYBILL_CONFIG_DIR, which its user alone reads',
      run: ADD,
      files: { 'config/config.json': ['"live"', 'https://api.example.com'] },
    },
    { says: 'a change keeps the mode of the config', after: [ADD], run: 'profile set live currency=EUR' },
  ]),
  {
    says: 'a config that every user may write is not used',
    rig: async () => {
      const rig = await liveRig()();
      chmodSync(join(rig.folder, 'config/config.json'), 0o666);
      return rig;
    },
    run: 'track gone',
    exit: 10,
    stderr: 'chmod 600',
    sent: [],
  },
  {
    says: 'the journal is in WAYBILL_STATE_DIR, for its user alone',
    rig: ORDER,
    run: 'ship order.json --key A-1',
    files: { 'state/journal.db': 'SQLite format 3' },
    also(ran, rig) {
      modeOf('state', 0o700)(ran, rig);
      modeOf('state/journal.db', 0o600)(ran, rig);
    },
  },
  {
    says: 'else the profiles are in the folder that the platform has for configs',
    rig: bareRig,
    env: { WAYBILL_CONFIG_DIR: '' },
    run: ADD,
    files: { '.config/waybill/config.json': '"live"', 'config/config.json': null },
  },
  {
    says: 'else the journal is in the folder that the platform has for states',
    rig: { ...ORDER, journalLost: true },
    env: { WAYBILL_STATE_DIR: '' },
    run: 'ship order.json --key A-1',
    files: { '.local/state/waybill/journal.db': 'SQLite format 3', 'state/journal.db': null },
  },
  ...each({ says: 'a folder of ours has an absolute path', exit: 2, stderr: '"ours"', sent: [] }, [
    { run: 'ship order.json --key A-1', rig: ORDER, env: { WAYBILL_STATE_DIR: 'ours' } },
    { run: ADD, env: { WAYBILL_CONFIG_DIR: 'ours' } },
  ]),
  ...['file', 'file/below'].flatMap(place =>
    each(
      {
        says: `a file in place of the folder of the journal is named, with the variable: ${place}`,
        rig: async () => {
          const { 'order.json': order } = ORDER.files;
          const files = { 'order.json': order, 'orders.jsonl': { ...order, key: 'A-1' }, file: 'no folder' };
          const rig = await createRig({ files, journalLost: true });
          const env = { WAYBILL_STATE_DIR: join(rig.folder, place) };
          return { ...rig, run: (argv, options) => rig.run(argv, { ...options, env }) };
        },
        exit: 10,
        error: { code: 'storage', message: expect.stringContaining('set WAYBILL_STATE_DIR') },
        lacks: ['internal error', /\n +at /],
        sent: [],
      },
      [
        'history list --json',
        'track S-1 --json',
        'ship order.json --key A-1 --json',
        'batch ship orders.jsonl --json',
      ],
    ),
  ),
]);

promises('profile add', [
  {
    says: 'saves address, sandbox, account and credential',
    rig: bareRig,
    after: [
      {
        line: `${ADD} --sandbox-base-url https://sandbox.example.com --account acme --token-stdin`,
        stdin: SECRET,
      },
    ],
    run: 'profile show live --json',
    json: {
      name: 'live',
      baseUrl: 'https://api.example.com',
      sandboxBaseUrl: 'https://sandbox.example.com',
      account: 'acme',
      credentials: { kind: 'token' },
    },
  },
  {
    says: 'makes the first profile the current one',
    rig: bareRig,
    after: [ADD],
    run: 'profile whoami --json',
    json: { profile: 'live', profileFrom: 'the current profile' },
  },
  ...each(
    {
      says: 'a profile that WAYBILL_PROFILE overrules has a note',
      rig: bareRig,
      env: { WAYBILL_PROFILE: 'demo' },
    },
    [
      {
        run: ADD,
        stderr: 'It is the current one from now on. Here WAYBILL_PROFILE=demo counts',
      },
      {
        after: [ADD],
        run: 'profile use live',
        stderr: 'the current profile is live. Here WAYBILL_PROFILE=demo counts',
      },
    ],
  ),
  {
    says: 'leaves another current profile as it is',
    rig: liveRig(),
    after: ['profile add second --base-url https://b.example.com'],
    run: 'profile whoami --json',
    json: { profile: 'live' },
  },
  {
    says: 'needs an address',
    rig: bareRig,
    run: 'profile add live --no-input',
    exit: 2,
    stderr: '--base-url',
    files: { 'config/config.json': null },
  },
  { says: 'takes no name that is taken', rig: liveRig(), run: ADD, exit: 2, stderr: 'profile set live' },
  { says: 'keeps the name demo', rig: bareRig, run: ADD.replace('live', 'demo'), exit: 2, stderr: 'demo' },
  {
    says: 'reads the file of an export',
    rig: async () =>
      bareRig({ files: { 'live.json': { baseUrl: 'https://a.example.com', currency: 'EUR' } } }),
    after: ['profile add live -f live.json --no-input'],
    run: 'profile show live --json',
    json: { baseUrl: 'https://a.example.com', currency: 'EUR' },
  },
  {
    says: 'refuses a file with a setting that nobody knows',
    rig: async () => bareRig({ files: { 'live.json': { baseURL: 'https://a.example.com' } } }),
    run: 'profile add live -f live.json --no-input',
    exit: 2,
    stderr: 'baseUrl',
  },
  {
    says: 'asks a person for the token without showing it',
    rig: bareRig,
    run: `profile add live --base-url http://127.0.0.1:${UNUSED_PORT}`,
    terminal: true,
    answers: ({ kind, id }) => {
      if (id === 'problem') return 'save';
      expect([id, kind]).toEqual(['token', 'secret']);
      return SECRET;
    },
    lacks: SECRET,
  },
  ...each({ says: 'needs a name, and one that is none is refused', rig: bareRig, exit: 2 }, [
    { run: 'profile add --base-url https://a.example --no-input', stderr: 'a name' },
    { run: 'profile add __proto__ --base-url https://a.example', stderr: '__proto__' },
  ]),
  ...each(
    { says: 'refuses parties and parcels that are none', exit: 2 },
    [
      ['sender', { sender: 'me' }],
      ['parties', { parties: { me: 'x' } }],
      ['must be an object', { parcels: ['1@1x1x1'] }],
      ['parcels.small must be text', { parcels: { small: 1 } }],
      ['"1kg"', { parcels: { small: '1kg' } }],
      ['"a b" is no name', { parcels: { 'a b': '1@1x1x1' } }],
    ].map(([stderr, content]) => ({
      run: 'profile add new -f p.json',
      rig: () => bareRig({ files: { 'p.json': { baseUrl: 'https://a.example', ...(content as object) } } }),
      stderr: stderr as string,
    })),
  ),
]);

/** A setting, and what `profile show` says then. */
const SETTINGS: readonly [setting: string, shown: object][] = [
  ['baseUrl=https://B.example.com/v1/', { baseUrl: 'https://b.example.com/v1' }],
  ['sandboxBaseUrl=http://localhost:8787', { sandboxBaseUrl: 'http://localhost:8787' }],
  ['account= 00123 ', { account: '00123' }],
  ['sandbox=true', { sandbox: true }],
  ['authHeader=X-Api-Key', { authHeader: 'X-Api-Key' }],
  ['authScheme=Token', { authScheme: 'Token' }],
  ['requestIdHeader=X-Request-Id', { requestIdHeader: 'X-Request-Id' }],
  ['output=json', { output: 'json' }],
  ['economyCarriers=ECO, 17,,', { economyCarriers: ['ECO', '17'] }],
  ['endMilestones=delivered, teslim edildi', { endMilestones: ['delivered', 'teslim edildi'] }],
  ['journal=postgres://db.example.com/waybill', { journal: 'postgres://db.example.com/waybill' }],
  ['journalFailover=lossless', { journalFailover: 'lossless' }],
  ['printCommand=lpr', { printCommand: 'lpr' }],
  ['currency=EUR', { currency: 'EUR' }],
  ['iossNumber=IM0123456789', { iossNumber: 'IM0123456789' }],
  ['iossLimit=150EUR,165USD', { iossLimit: '150EUR,165USD' }],
  ['marketplaceNumber=GB123456789', { marketplaceNumber: 'GB123456789' }],
  ['marketplaceLimit=135GBP', { marketplaceLimit: '135GBP' }],
  ['carrier=fastest', { carrier: 'fastest' }],
  ['maxPrice=60EUR', { maxPrice: '60EUR' }],
  ['maxDays=5', { maxDays: '5' }],
  ['map=shopify', { map: 'shopify' }],
  ['label=yes', { label: true }],
  ['policy.maxPrice=500EUR,300USD', { policy: { maxPrice: '500EUR,300USD' } }],
  ['policy.maxPerDay=500EUR', { policy: { maxPerDay: '500EUR' } }],
  ['policy.requireKey=true', { policy: { requireKey: true } }],
  ['policy.resolve=terminal', { policy: { resolve: 'terminal' } }],
  ['policy.allowDuplicate=terminal', { policy: { allowDuplicate: 'terminal' } }],
  ['policy.production=terminal', { policy: { production: 'terminal' } }],
];

promises('profile set NAME KEY=VALUE', [
  ...each({ rig: liveRig(), run: 'profile show live --json' }, [
    {
      says: 'keeps each setting',
      after: [['profile', 'set', 'live', ...SETTINGS.map(([setting]) => setting)]],
      also({ stdout }) {
        for (const [setting, shown] of SETTINGS)
          expect([setting, JSON.parse(stdout)]).toMatchObject([setting, shown]);
      },
    },
    {
      says: 'takes an empty value as none',
      after: ['profile set live currency=EUR', 'profile set live currency='],
      lacks: 'currency',
    },
    {
      says: 'keeps all other settings',
      after: ['profile set live currency=EUR', 'profile set live account=acme sandbox=false'],
      json: { currency: 'EUR', account: 'acme', sandbox: false, credentials: { kind: 'token' } },
    },
  ]),
  ...each({ says: 'refuses what a setting cannot be', rig: liveRig(), exit: 2, sent: [] }, [
    { run: 'profile set live currency', stderr: 'KEY=VALUE' },
    { run: 'profile set live curency=EUR', stderr: 'did you mean currency?' },
    { run: 'profile set live baseUrl=http://api.example.com', stderr: 'https:' },
    { run: 'profile set live sandbox=yes', stderr: 'true, false' },
    { run: 'profile set live __proto__=x', stderr: '__proto__' },
    { run: 'profile set live output=xml', stderr: 'jsonl' },
    { run: 'profile set live type=parcel', stderr: 'document' },
    { run: 'profile set live iossNumber=123', stderr: 'IM' },
    { run: 'profile set live maxPrice=60', stderr: 'currency' },
    { run: 'profile set live journal=mysql://db.example.com/w', stderr: 'postgres:' },
    { run: 'profile set live journalFailover=lossy', stderr: 'lossless' },
    { run: 'profile set live sender=@nobody', stderr: 'nobody' },
  ]),
  {
    says: 'writes nothing if one of several is wrong',
    rig: liveRig(),
    run: 'profile set live currency=EUR sandbox=perhaps',
    exit: 2,
    also: (_, rig) => expect(savedIn(rig).profiles.live).not.toHaveProperty('currency'),
  },
  ...each({ says: 'refuses limits and options that cannot be read', rig: liveRig(), exit: 2, sent: [] }, [
    { run: 'profile set live policy.maxPrice=20', stderr: 'currencies' },
    { run: 'profile set live policy.maxPerDay=20EUR,5EUR', stderr: 'EUR twice' },
    { run: 'profile set live policy.maxPerDay=999999999999EUR', stderr: '100000000000' },
    { run: 'profile set live policy.requireKey=yes', stderr: 'true, false' },
    { run: 'profile set live policy.resolve=never', stderr: 'terminal' },
    { run: 'profile set live policy.maxPerDya=5EUR', stderr: 'did you mean policy.maxPerDay?' },
    { run: 'profile set live maxPrice=60EURO', stderr: 'maxPrice must be' },
    { run: 'profile set live maxPrice=0.00EUR', stderr: 'above 0' },
    { run: 'profile set live maxDays=soon', stderr: 'whole number' },
    { run: 'profile set live label=maybe', stderr: 'yes or no' },
    { run: 'profile set live iossLimit=150', stderr: 'iossLimit' },
    { run: 'profile set live marketplaceLimit=much', stderr: 'marketplaceLimit' },
    // Each run names its own file, which would replace that of the day.
    { run: 'profile set live merge=today.pdf', stderr: 'merge' },
  ]),
  ...each({ says: 'keeps limits in one spelling, and none once all are empty', rig: liveRig() }, [
    {
      after: [['profile', 'set', 'live', 'policy.maxPerDay=500 EUR, 300usd']],
      run: 'profile show live --json',
      json: { policy: { maxPerDay: '500EUR,300USD' } },
    },
    {
      after: ['profile set live policy.requireKey=true', 'profile set live policy.requireKey='],
      run: 'profile show live --json',
      lacks: 'policy',
    },
  ]),
]);

promises('Profiles that are there', [
  ...each(
    {
      says: 'one that is not there is named',
      rig: bareRig,
      exit: 2,
      stderr: 'no profile "nobody"',
      sent: [],
    },
    [
      'profile show nobody',
      'profile use nobody',
      'profile remove nobody',
      'profile export nobody',
      'profile test nobody',
      'profile set nobody currency=EUR',
      'track S-1 --profile nobody',
    ],
  ),
  {
    says: 'list has all of them, and the demo',
    rig: liveRig(),
    after: ['profile add second --base-url https://b.example.com'],
    run: 'profile list -q',
    stdout: ['live\n', 'second\n', 'demo\n'],
  },
  {
    says: 'use makes a profile the current one',
    rig: liveRig(),
    after: ['profile add second --base-url https://b.example.com', 'profile use second'],
    run: 'profile whoami --json',
    json: { profile: 'second', address: 'https://b.example.com' },
  },
  ...each({ rig: doubtfulRig }, [
    {
      says: 'remove tells how many of its bookings are unknown',
      run: 'profile remove live',
      stderr: '1 of its bookings is unknown: `waybill history list --state unknown`',
    },
    {
      says: 'what it booked is named without it then',
      after: ['profile remove live'],
      run: 'history show A-1 --profile demo',
      stdout: 'waybill history resolve A-1 --created SHIPMENT_ID\n',
      lacks: '--profile live',
    },
    {
      says: 'or with another one that has its place',
      after: ['profile remove live', { line: 'profile add desk -f live.json -y' }, 'profile use demo'],
      run: 'history show A-1',
      stdout: 'waybill history resolve A-1 --created SHIPMENT_ID --profile desk\n',
    },
  ]),
  {
    says: 'remove takes it away with its credential',
    rig: liveRig(),
    run: 'profile remove live',
    also: (_, rig) => expect(JSON.stringify(savedIn(rig))).not.toContain(SECRET),
  },
  {
    says: 'without the current one nothing is sent',
    rig: liveRig(),
    after: ['profile remove live'],
    run: 'track S-1',
    exit: 3,
    sent: [],
  },
  {
    says: 'export has the settings, and no credential',
    rig: liveRig(),
    after: ['profile set live currency=EUR'],
    run: 'profile export live',
    json: { currency: 'EUR' },
    lacks: [SECRET, 'credentials'],
  },
  {
    says: 'list marks the current one',
    rig: liveRig(),
    run: 'profile list --json',
    json: [
      { name: 'live', current: true },
      { name: 'demo', current: false },
    ],
  },
  ...each({ says: 'nothing of the demo is saved', rig: bareRig, exit: 2, stderr: 'built in' }, [
    'profile export demo',
    'profile remove demo',
  ]),
]);

promises('profile whoami', [
  {
    says: 'names profile, address, environment and credential, each with its source, and sends nothing',
    rig: liveRig(),
    run: 'profile whoami --json',
    sent: [],
    json: {
      profile: 'live',
      environment: 'loopback',
      addressFrom: 'profile live',
      credentials: 'a token',
      credentialsFrom: 'profile live',
      trouble: null,
    },
  },
  {
    says: 'says where the economy carrier comes from',
    rig: liveRig('--token-stdin', { env: { WAYBILL_ECONOMY_CARRIERS: '' } }),
    after: ['profile set live economyCarriers=LOW'],
    run: 'profile whoami --json',
    json: { economyCarriers: ['LOW'] },
  },
  {
    says: 'says what is wrong with the credential',
    rig: liveRig(['--header', 'X-Key=@env:SHOP_KEY']),
    run: 'profile whoami --json',
    json: { trouble: expect.stringContaining('SHOP_KEY') },
  },
  {
    says: 'says that an address elsewhere is production',
    run: 'profile whoami --json',
    env: { WAYBILL_BASE_URL: 'https://api.example.com' },
    json: { environment: 'production', address: 'https://api.example.com' },
  },
  {
    says: 'tells production from the sandbox',
    rig: bareRig,
    after: [`${ADD} --sandbox-base-url https://sandbox.example.com`],
    run: 'profile whoami --sandbox --json',
    json: { environment: 'sandbox', environmentFrom: '--sandbox', address: 'https://sandbox.example.com' },
  },
  ...each({ says: 'says why it is the sandbox, or is not', rig: liveRig() }, [
    { run: 'profile whoami --json', json: { sandbox: false, environmentFrom: 'default' } },
    {
      run: 'profile whoami --json',
      env: { WAYBILL_SANDBOX: '1' },
      json: { sandbox: true, environmentFrom: 'WAYBILL_SANDBOX' },
    },
    {
      run: 'profile whoami --no-sandbox --json',
      env: { WAYBILL_SANDBOX: '1' },
      json: { sandbox: false, environmentFrom: '--no-sandbox' },
    },
    {
      run: 'profile whoami --json',
      after: ['profile set live sandbox=true'],
      json: { sandbox: true, environmentFrom: 'profile live' },
    },
  ]),
]);

/** A profile that has booked A-1 in production and B-1 in its sandbox. */
const bookedRig = async () => {
  const rig = await liveRig()();
  await rig.run('profile set live account=acme');
  for (const [key, flags] of [
    ['A-1', []],
    ['B-1', ['--sandbox']],
  ] as const)
    expect(await rig.run(['ship', 'order.json', '--key', key, ...flags])).toMatchObject({ exitCode: 0 });
  return rig;
};
const configIs = (rig: () => Promise<Rig>, changed: boolean) => async () => {
  const made = await rig();
  const before = JSON.stringify(savedIn(made));
  const run: Rig['run'] = async (argv, options) => {
    const ran = await made.run(argv, options);
    expect([argv, JSON.stringify(savedIn(made)) !== before]).toEqual([argv, changed]);
    return ran;
  };
  return { ...made, run };
};
const AWAY = [
  'profile set live account=other',
  'profile set live account=',
  'profile set live baseUrl=https://b.example',
  'profile set live baseUrl=',
  'profile set live sandboxBaseUrl=https://b.example',
  'profile set live sandboxBaseUrl=',
  'profile set live journal=postgres://waybill@db.example.com/waybill',
  'profile set live currency=EUR account=other',
];

promises('A change that takes a profile from what it has booked', [
  ...each(
    {
      says: 'needs --yes where nobody can be asked',
      rig: configIs(bookedRig, false),
      exit: 2,
      stderr: [
        /the profile live has \d bookings? at .*acme.*, and holds \d keys? there: after this change each/,
        '--yes',
      ],
    },
    AWAY,
  ),
  ...each(
    { says: 'is made with --yes', rig: configIs(bookedRig, true) },
    AWAY.map(line => `${line} --yes`),
  ),
  {
    says: 'says how many keys are held',
    rig: bookedRig,
    run: 'profile set live account=other --json',
    exit: 2,
    error: { code: 'usage', message: expect.stringContaining('2 bookings at http') },
  },
  ...each({ run: 'profile set live account=other', terminal: true }, [
    {
      says: 'is asked on a terminal',
      rig: bookedRig,
      answer: true,
      also: ({ asked }) => expect(asked).toEqual([expect.stringMatching(/^the profile live has 2 bookings/)]),
    },
    { says: 'is not made without a yes', rig: configIs(bookedRig, false), answer: false, exit: 130 },
  ]),
  ...each({ says: 'is none where its bookings stay', rig: bookedRig }, [
    'profile set live currency=EUR',
    'profile set live account=acme',
    { run: 'profile set live account=other', after: ['profile set live account=other --yes'] },
  ]),
  {
    says: 'is none in another spelling of its address',
    rig: async () => {
      const rig = await bookedRig();
      const spelled = `baseUrl=${rig.address.toUpperCase().replace('HTTP', 'http')}//`;
      return { ...rig, run: (_, options) => rig.run(['profile', 'set', 'live', spelled], options) };
    },
    run: 'profile set live baseUrl=SPELLED',
  },
  { says: 'is none where it has booked nothing', rig: liveRig(), run: 'profile set live account=other' },
  {
    says: 'is none where all that it tried was refused',
    rig: servedRig(() => script(http(422, '{"message":"no"}')), { flags: '--token-stdin' }),
    after: [{ line: 'ship order.json --key A-1', exit: 5 }],
    run: 'profile set live account=other',
  },
  {
    says: 'needs --yes where the journal cannot be seen',
    rig: configIs(async () => {
      const rig = await bookedRig();
      rig.file('state/journal.db', 'no database '.repeat(900));
      return rig;
    }, false),
    run: 'profile set live account=other',
    exit: 2,
    stderr: ['cannot be seen', '--yes'],
  },
  ...each(
    { says: 'is not passed by another one of its name', rig: bookedRig, after: ['profile remove live'] },
    [
      { run: 'profile add live --base-url https://b.example', exit: 2, stderr: '--yes' },
      'profile add live --base-url https://b.example --yes',
      'profile add new --base-url https://b.example',
    ],
  ),
  {
    says: 'is not passed by a file of another one of its name',
    rig: async () => {
      const rig = await bookedRig();
      const { live } = savedIn(rig).profiles;
      rig.file('p.json', { ...live, account: 'other', credentials: undefined });
      return rig;
    },
    after: ['profile remove live'],
    run: 'profile add live -f p.json',
    exit: 2,
    stderr: 'acme',
  },
  {
    says: 'is none where the same profile is added again',
    rig: async () => {
      const rig = await bookedRig();
      rig.file('p.json', { ...savedIn(rig).profiles.live, credentials: undefined });
      return rig;
    },
    after: ['profile remove live'],
    run: 'profile add live -f p.json',
  },
]);

promises('profile test', [
  {
    says: 'reads an improbable shipment id, for which 404 is well, and books nothing',
    rig: liveRig(),
    run: 'profile test',
    also: ({ requests }) => {
      expect(requests).toContainEqual(
        expect.objectContaining({ path: expect.stringMatching(/^\/v1\/shipments\/waybill-/), answered: 404 }),
      );
      const books = requests.filter(({ path }) => /shipments$|create$|subscriptions$/.test(path));
      expect(books).toEqual([]);
    },
  },
  { says: 'knows the demo', rig: bareRig, run: 'profile test demo' },
  {
    says: 'tells a credential that is not accepted',
    rig: liveRig('--token-stdin', { tokens: new Map([['another-token', 'all']]) }),
    run: 'profile test --json',
    exit: 3,
    error: { code: 'unauthorized', httpStatus: 401 },
  },
  {
    says: 'tells a service that does not answer as the document says',
    rig: servedRig(() => script(http(200, '<html><title>Welcome</title></html>')), {
      flags: '--token-stdin',
    }),
    run: 'profile test --retries 0 --json',
    exit: 7,
    error: { code: 'unavailable' },
  },
  {
    says: 'asks with the profile that is named',
    rig: liveRig('--token-stdin', { tokens: new Map([['another-token', 'all']]) }),
    after: [{ line: 'profile set live --token-stdin', stdin: 'another-token' }],
    run: 'profile test live --profile demo',
    stdout: '127.0.0.1',
  },
]);

const PARTY = {
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.com',
  phone: { code: '+44', number: '2071234567' },
  address: { line1: 'Street 1', city: 'London', zipCode: 'SW1A 1AA', country: { code: 'GB' } },
};
const withParty = async () => {
  const rig = await liveRig()();
  rig.file('ada.json', PARTY);
  await rig.run('profile party add ada -f ada.json');
  return rig;
};

const withParcels = () => shopRig({ parcels: { small: '2x1kg@30x20x10cm', big: '9@60x50x40' } });
const QUOTE = 'quote --from TR --to DE';

promises('Parties and parcels of a profile', [
  {
    says: 'a saved party is listed',
    rig: withParty,
    run: 'profile party list --json',
    json: [{ name: 'ada', city: 'London', country: 'GB' }],
  },
  { says: 'a saved party is shown', rig: withParty, run: 'profile party show ada --json', json: PARTY },
  {
    says: 'a field of a party is changed alone',
    rig: withParty,
    after: ['profile party edit ada --set address.city=Leeds'],
    run: 'profile party show ada --json',
    json: { firstName: 'Ada', address: { city: 'Leeds', line1: 'Street 1' } },
  },
  {
    says: 'a party is removed',
    rig: withParty,
    after: ['profile party remove ada'],
    run: 'profile party show ada',
    exit: 2,
    stderr: 'ada',
  },
  {
    says: 'parties are read from a table',
    rig: async () => {
      const rig = await liveRig()();
      const { firstName, lastName, email, phone, address } = PARTY;
      const cells = ['b', firstName, lastName, email, phone.code, phone.number, address.line1, address.city];
      rig.file(
        'book.csv',
        `name,firstName,lastName,email,phone.code,phone.number,address.line1,address.city,address.zipCode,address.country.code\n${cells.join()},SW1A 1AA,GB\n`,
      );
      return rig;
    },
    after: ['profile party import book.csv'],
    run: 'profile party list --json',
    json: [{ name: 'b', city: 'London' }],
  },
  {
    says: 'a party is named with @',
    rig: withParty,
    run: 'ship order.json --receiver @ada --key A-1 --dry-run --json',
    json: { body: { receiver: { firstName: 'Ada', address: { city: 'London' } } } },
  },
  {
    says: 'a parcel is named with @',
    rig: liveRig(),
    after: ['profile parcel add small 2x1kg@30x20x10cm'],
    run: 'quote --from TR --to DE --package @small --dry-run --json',
    json: { body: { packages: [{ quantity: 2, weight: 1 }] } },
  },
  {
    says: 'a parcel is listed, shown and removed',
    rig: liveRig(),
    after: [
      'profile parcel add small 2x1kg@30x20x10cm',
      'profile parcel show small',
      'profile parcel list',
      'profile parcel remove small',
    ],
    run: 'profile parcel list -q',
    lacks: 'small',
  },
  {
    says: 'a name and a parcel that are left out are asked for',
    rig: liveRig(),
    run: 'profile parcel add',
    terminal: true,
    answers: ({ id }) => (id === 'name' ? 'small' : ' 2x1kg@30x20x10cm'),
    stderr: 'small',
  },
  ...each({ says: 'what is left out is named where nobody can be asked', rig: liveRig(), exit: 2 }, [
    { run: 'profile parcel add', stderr: 'NAME is missing: `waybill profile parcel add NAME SPEC`' },
    { run: 'profile parcel add small', stderr: 'SPEC is missing' },
    {
      run: 'profile party add -f ada.json',
      stderr: 'NAME is missing: `waybill profile party add NAME -f FILE`',
    },
  ]),
  ...each({ says: 'a parcel that is none is refused', exit: 2, sent: [] }, [
    { run: 'profile parcel add small 1kg', rig: withParcels, stderr: 'not of the form' },
    { run: 'profile parcel add small @big', rig: withParcels, stderr: 'not of the form' },
    { run: ['profile', 'parcel', 'add', 'a b', '1@1x1x1'], rig: withParcels, stderr: 'is no name' },
    { run: 'profile parcel add __proto__ 1@1x1x1', rig: withParcels, stderr: 'is no name' },
    {
      run: `${QUOTE} --package @smal`,
      rig: withParcels,
      stderr: ['it has small, big', 'did you mean small?'],
    },
    { run: `${QUOTE} --package 3x@smal`, rig: withParcels, stderr: 'did you mean small?' },
    { run: `${QUOTE} --package @__proto__`, rig: withParcels, stderr: 'it has small, big' },
  ]),
  {
    says: 'parties are read from a table of another system with a map, in another encoding',
    rig: async () => {
      const rig = await liveRig()();
      const rows = 'K\xfcrzel;Ad Soyad;Mail;Telefon;Adres;Posta Kodu;\xdclke';
      const anna = 'anna;Anna Maria Beispiel;anna@example.com;+49 351 1;Hauptstr. 7;01067;Almanya';
      writeFileSync(join(rig.folder, 'book.csv'), `${rows}\n${anna}\n`, 'latin1');
      rig.file('map.json', {
        columns: {
          ...{ Kürzel: 'name', 'Ad Soyad': 'firstName', Mail: 'email', Telefon: 'phone' },
          ...{ Adres: 'address.line1', 'Posta Kodu': 'address.zipCode', Ülke: 'address.country.code' },
        },
        transform: { 'Ad Soyad': 'name', Telefon: 'phone', Ülke: 'country' },
        constants: { companyName: 'Beispiel GmbH', 'address.city': 'Dresden' },
      });
      return rig;
    },
    after: ['profile party import book.csv --map map.json --encoding windows-1254'],
    run: 'profile party show anna --json',
    json: {
      ...{ firstName: 'Anna Maria', lastName: 'Beispiel', companyName: 'Beispiel GmbH' },
      phone: { code: '+49', number: '3511' },
      address: { zipCode: '01067', city: 'Dresden', country: { code: 'DE' } },
    },
  },
  {
    says: 'parties are read from lines of JSON on stdin',
    rig: liveRig(),
    after: [
      {
        line: 'profile party import - --format jsonl',
        stdin: `${JSON.stringify({ name: 'grace', ...PARTY })}\n`,
      },
    ],
    run: 'profile party show grace --json',
    json: PARTY,
  },
]);

promises('Without a profile', [
  ...each({ rig: bareRig, sent: [] }, [
    ...each({ says: 'a command says so, and names the demo', exit: 3, stderr: '--profile demo' }, [
      'track S-1',
      'quote --from TR --to DE --package 1kg@10x10x10',
      { run: 'ship order.json --key A-1', rig: () => bareRig(ORDER) },
    ]),
    ...each({ says: 'what needs no service works' }, [
      'schema ship',
      'history list',
      'profile list',
      'profile whoami',
      'help environment',
    ]),
  ]),
]);
