// Which of flag, environment and profile is stronger; variables that are empty, off or unknown; addresses and credentials.
import { expect } from 'vitest';
import { jsonLines, orders } from '../rig/batch.ts';
import { BARE, savedIn, shopRig } from '../rig/profile.ts';
import { BOOKED, config, FILES, HOOK, PARCEL } from './orders.ts';
import { each, promises } from './promise.ts';
import { liveRig } from './rigs.ts';

const CSV = { env: BARE, files: config({ shop: { baseUrl: 'https://shop.example', output: 'csv' } }) };
const LIST = 'profile list';

promises('Precedence', [
  { says: 'without anything else the default counts', run: LIST, stdout: /^- +NAME / },
  { says: 'the profile beats the default', rig: CSV, run: LIST, stdout: /^name,current,/ },
  ...each({ rig: CSV, env: { WAYBILL_OUTPUT: 'jsonl' } }, [
    { says: 'the environment beats the profile', run: LIST, stdout: /^\{"name":"shop"/ },
    { says: 'the flag beats the environment', run: `${LIST} -o json`, stdout: /^\[\n/ },
  ]),
  ...each({ says: 'an empty variable is unset' }, [
    { run: LIST, env: { WAYBILL_OUTPUT: '' }, stdout: /^- +NAME / },
    { run: LIST, rig: CSV, env: { WAYBILL_PROFILE: '' }, stdout: /^name,current,/ },
    { run: `quote ${PARCEL}`, env: { WAYBILL_RETRIES: '' } },
    { run: `quote ${PARCEL}`, env: { WAYBILL_TIMEOUT: '' } },
    { run: `quote ${PARCEL}`, env: { WAYBILL_LOG: '' } },
    { run: `quote ${PARCEL}`, env: { WAYBILL_CACERT: '' } },
    { run: `quote ${PARCEL}`, env: { WAYBILL_SANDBOX: '' }, sent: ['POST /v1/carriers/proposal'] },
  ]),
  ...each(
    { says: 'a switch that is 0 or false is unset', sent: ['POST /v1/carriers/proposal'] },
    ['0', 'false', 'FALSE'].map(value => ({ run: `quote ${PARCEL}`, env: { WAYBILL_SANDBOX: value } })),
  ),
]);

const SHIP = 'ship order.json --key A-1';
const set = (name: string, value = '1') => ({ run: SHIP, env: { [name]: value } });

promises('A variable that nobody knows', [
  ...each({ says: 'is a warning', exit: 4, stderr: /^warning: .*WAYBILL_COLOUR/m }, [
    { run: 'track gone', env: { WAYBILL_COLOUR: 'x' } },
    { run: 'track gone --strict', env: { WAYBILL_COLOUR: 'x' } },
  ]),
  {
    says: 'all of them are one warning',
    run: 'track gone',
    env: { WAYBILL_COLOUR: 'x', WAYBILL_SHAPE: 'y' },
    exit: 4,
    stderr: /^(?!.*warning:[\s\S]*warning:)[\s\S]*WAYBILL_COLOUR.*WAYBILL_SHAPE/,
  },
  {
    says: 'is no error with --strict',
    rig: { files: FILES },
    run: `${SHIP} --strict`,
    env: { WAYBILL_COLOUR: 'x' },
    sent: BOOKED,
  },
  {
    says: 'is a warning where something is booked, too',
    rig: { files: FILES },
    ...set('WAYBILL_COLOUR'),
    stderr: /^warning: .*WAYBILL_COLOUR/m,
    sent: BOOKED,
  },
  ...each({ rig: { files: FILES } }, [
    ...each({ exit: 2, sent: [] }, [
      ...each(
        {
          says: 'is refused where something would be booked and it is all but a known one',
          stderr: 'did you mean WAYBILL_SANDBOX',
        },
        [
          'ship order.json --key A-1',
          'ship-dual pair.json',
          'label --international S-1',
          HOOK,
          'batch ship order.json',
        ].map(run => ({ run, env: { WAYBILL_SANBOX: '1' } })),
      ),
      ...each(
        { says: 'is refused there as well if a word of it speaks of a limit or of safety' },
        [
          ...[
            'MAX_ANYTHING',
            'OUR_LIMIT',
            'PRICE_ANYTHING',
            'OUR_POLICY',
            'DRY_ANYTHING',
            'OUR_SANDBOX_HERE',
          ],
          ...['PRODUCTION_ANYTHING', 'OUR_DUPLICATE', 'STRICT_ANYTHING'],
        ].map(name => set(`WAYBILL_${name}`)),
      ),
    ]),
    ...each({ says: 'is no such word if it is only a part of one', sent: BOOKED }, [
      set('WAYBILL_MAXIMUM'),
      set('WAYBILL_PRICED'),
      set('WAYBILL_DRYER'),
    ]),
    ...each(
      { says: 'only warns with one of these endings', stderr: /^warning: /m, sent: BOOKED },
      ['TOKEN', 'URL', 'SECRET', 'FILE', 'ID', 'VERSION'].map(ending => set(`WAYBILL_STRICT_${ending}`)),
    ),
    ...each(
      {
        says: 'is refused all the same with 0 or false if it is no switch, in small letters, and by the agents’ command',
        exit: 2,
        sent: [],
      },
      [
        set('WAYBILL_MAX_PRICE', '0'),
        set('WAYBILL_DAILY_LIMIT', 'false'),
        set('WAYBILL_MAXPRICE'),
        set('waybill_sandbox'),
        { run: 'mcp', env: { WAYBILL_SANBOX: '1' } },
        { run: `${SHIP} --profile demo`, env: { WAYBILL_SANBOX: '1' } },
      ],
    ),
    ...each(
      { says: 'is known if Kubernetes makes it of a service', lacks: 'warning', sent: BOOKED },
      [
        'WAYBILL_SERVICE_HOST',
        'WAYBILL_SERVICE_PORT',
        'WAYBILL_SERVICE_PORT_HTTPS',
        'WAYBILL_PORT',
        'WAYBILL_PORT_443_TCP',
        'WAYBILL_SANDBOX_SERVICE_HOST',
        'WAYBILL_SANDBOX_PORT_443_TCP_ADDR',
      ].map(name => set(name, 'tcp://10.0.0.1:443')),
    ),
  ]),
  {
    says: 'is known if any profile reads a secret in it',
    rig: {
      files: {
        ...FILES,
        ...config({
          other: {
            baseUrl: 'https://other.example',
            credentials: { kind: 'headers', headers: { 'x-key': { env: 'WAYBILL_PRICE_KEY' } } },
          },
        }),
      },
    },
    ...set('WAYBILL_PRICE_KEY'),
    lacks: 'warning',
  },
  ...each({ says: 'is none as a switch that is off, or empty', rig: { files: FILES }, sent: BOOKED }, [
    { ...set('WAYBILL_MAX_PRICE', ''), lacks: 'WAYBILL_' },
    { ...set('WAYBILL_DRY_RUN', '0'), lacks: 'WAYBILL_' },
    { ...set('WAYBILL_STRICT', 'false'), lacks: 'WAYBILL_' },
  ]),
  ...each(
    {
      says: 'of safety only warns where nothing is booked',
      rig: { files: { ...FILES, 'orders.jsonl': jsonLines(orders(1)) } },
      sent: [],
    },
    [`${SHIP} --dry-run`, 'batch ship orders.jsonl --dry-run', 'history list'].map(run => ({
      run,
      env: { WAYBILL_STRICT: '1' },
      stderr: /^warning: .*WAYBILL_STRICT/m,
    })),
  ),
  ...each({ says: 'is told with -q, too, only if it speaks of money and something is booked' }, [
    {
      run: `${SHIP} -q`,
      rig: { files: FILES },
      env: { WAYBILL_POLICY_MAX_PRICE_FILE: '/run/limit' },
      stderr: /^warning: .*_FILE/m,
    },
    { run: 'track gone -q', env: { WAYBILL_POLICY_MAX_PRICE_FILE: '/run/limit' }, exit: 4, lacks: 'warning' },
    { run: `${SHIP} -q`, rig: { files: FILES }, env: { WAYBILL_COLOUR: 'x' }, lacks: 'warning' },
  ]),
  {
    says: 'is named with the one that is meant, where there is one',
    run: 'track gone',
    env: { WAYBILL_SANBOX: '1', waybill_journal: 'x', WAYBILL_COLOUR: 'x', WAYBILL_OFF: '0' },
    exit: 4,
    stderr:
      /the variables WAYBILL_SANBOX \(did you mean WAYBILL_SANDBOX\?\), waybill_journal \(did you mean WAYBILL_JOURNAL\?\), WAYBILL_COLOUR are unknown/,
    lacks: 'WAYBILL_OFF',
  },
]);

promises('A variable with a value that it cannot have', [
  ...(
    [
      ['WAYBILL_OUTPUT', 'jsn', 'jsonl'],
      ['WAYBILL_OUTPUT', '0', 'jsonl'],
      ['WAYBILL_RETRIES', 'many', 'whole number'],
      ['WAYBILL_TIMEOUT', '-1', 'above 0'],
    ] as const
  ).flatMap(([name, value, stderr]) => [
    {
      says: `is refused: ${name}=${value}`,
      run: 'track gone',
      env: { [name]: value },
      exit: 2,
      stderr: [name, stderr],
      sent: [],
    },
    {
      says: `says nothing where a flag beats it: ${name}=${value}`,
      run: 'track gone -o json --retries 1 --timeout 5',
      env: { [name]: value },
      exit: 4,
    },
  ]),
]);

const ODD = {
  env: BARE,
  files: { ...FILES, ...config({ shop: { baseUrl: 'http://127.0.0.1:1', maxprice: '5EUR' } }) },
};

promises('A setting that nobody knows, in a config written by hand,', [
  { says: 'is a warning', rig: ODD, run: 'profile whoami', stderr: /^warning: .*"maxprice"/m },
  ...each(
    { says: 'is refused where something would be booked', rig: ODD, exit: 2, stderr: '"maxprice"', sent: [] },
    [SHIP, 'ship-dual pair.json', 'batch ship order.json'],
  ),
  {
    says: 'is taken out by an empty value',
    rig: ODD,
    run: 'profile set shop maxprice=',
    also: (_, rig) => expect(savedIn(rig).profiles.shop).toEqual({ baseUrl: 'http://127.0.0.1:1' }),
  },
  {
    says: 'of another profile says nothing',
    rig: { files: { ...FILES, ...config({ shop: {}, other: { maxprice: '5EUR' } }) } },
    run: SHIP,
    lacks: 'maxprice',
  },
  {
    says: 'is named with the one that is meant, where there is one',
    rig: { env: BARE, files: config({ shop: { 'policy.maxPrice': '5EUR', maxprice: '5EUR' } }) },
    run: 'profile whoami',
    stderr: '"policy.maxPrice", "maxprice" (did you mean maxPrice?) of the profile shop are unknown',
  },
]);

const oddLimit = (policy: Record<string, unknown>) => ({
  env: BARE,
  files: { ...FILES, ...config({ shop: { baseUrl: 'http://127.0.0.1:1', policy }, other: {} }) },
});
const ODD_LIMIT = oddLimit({ maxPrice: '5EUR', maxprice: '9EUR' });

promises('A limit that nobody knows, in a config written by hand,', [
  ...each({ rig: ODD_LIMIT }, [
    ...each({ says: 'is a warning', stderr: /^warning: .*"policy.maxprice".*policy.maxPrice/m }, [
      'profile whoami',
      'profile show shop',
      'profile set shop currency=EUR',
      'history list',
      `${SHIP} --dry-run --no-sandbox`,
    ]),
    ...each(
      { says: 'is refused where something would be booked', exit: 2, stderr: '"policy.maxprice"', sent: [] },
      [SHIP, 'ship-dual pair.json', 'batch ship order.json', 'label --international S-1'],
    ),
    { says: 'of another profile says nothing', run: 'profile whoami --profile other', lacks: 'maxprice' },
    {
      says: 'stays where another setting is changed',
      run: 'profile set shop policy.maxPrice=',
      files: { 'config/config.json': '"maxprice": "9EUR"' },
    },
    {
      says: 'is taken out by an empty value, and the limits that are known stay',
      run: 'profile set shop policy.maxprice=',
      files: { 'config/config.json': '"maxPrice": "5EUR"' },
      also: (_, rig) => expect(savedIn(rig).profiles.shop.policy).toEqual({ maxPrice: '5EUR' }),
    },
  ]),
  {
    says: 'with a value that cannot be read is refused by every command',
    rig: oddLimit({ maxPrice: 5 }),
    run: 'profile whoami',
    exit: 10,
    stderr: 'policy.maxPrice',
  },
]);

promises('A limit that nobody knows, written while a batch runs,', [
  {
    says: 'holds the later records back, as one that cannot be read does',
    rig: async () => {
      const rig = await liveRig('--token-stdin', { files: { 'orders.jsonl': jsonLines(orders(3)) } })();
      const onRequest = () => {
        const saved = savedIn(rig);
        saved.profiles.live.policy = { maxprice: '1EUR' };
        rig.file('config/config.json', saved);
      };
      return { ...rig, run: (argv, options) => rig.run(argv, { onRequest, ...options }) };
    },
    run: 'batch ship orders.jsonl --concurrency 1',
    exit: 9,
    stderr: '"policy.maxprice"',
    sent: BOOKED,
  },
]);

/** A config as a person wrote it. */
const written = (text: string) => ({ env: BARE, files: { ...FILES, 'config/config.json': text } });
const LIVE = '"baseUrl":"https://api.example.com"';

promises('A config with a name twice in an object', [
  ...each(
    { says: 'is refused, and not changed', exit: 10, sent: [] },
    [
      ['policy', `{"current":"live","profiles":{"live":{${LIVE},"policy":{"maxPrice":"5EUR"},"policy":{}}}}`],
      [
        'policy',
        `{"current":"live","profiles":{"live":{${LIVE},"policy":{"maxPrice":"5EUR"},"pol\\u0069cy":{}}}}`,
      ],
      [
        'maxPrice',
        `{"current":"live","profiles":{"live":{${LIVE},"policy":{"maxPrice":"5EUR","maxPrice":"9EUR"}}}}`,
      ],
      ['live', `{"current":"live","profiles":{"live":{${LIVE}},"live":{}}}`],
      ['profiles', `{"profiles":{"live":{${LIVE}}},"profiles":{}}`],
      ['current', `{"current":"live","current":"demo","profiles":{"live":{${LIVE}}}}`],
      [
        'X-Key',
        `{"profiles":{"live":{${LIVE},"credentials":{"kind":"headers","headers":{"X-Key":{"value":"a"},"X-Key":{"value":"b"}}}}}}`,
      ],
      ['account', `\uFEFF{"profiles":{"live":{${LIVE},"account":"a","account":"b"}}}`],
    ].flatMap(([name, text = ''], index) =>
      [SHIP, ...(index === 0 ? ['profile list', 'profile set live currency=EUR'] : [])].map(run => ({
        run,
        rig: written(text),
        stderr: `the name "${name}" twice`,
        files: { 'config/config.json': Buffer.from(text).toString('latin1') },
      })),
    ),
  ),
  {
    says: 'is none where the same name stands in two objects',
    rig: written(`{"profiles":{"live":{${LIVE},"account":"a"},"b":{${LIVE},"account":"a"}}}`),
    run: 'profile list -q',
    stdout: 'live',
  },
]);

const READ = ['GET /v1/shipments/gone'];
const NOWHERE = 'http://127.0.0.1:1';

/** A profile of the environment's address with a credential of its own. */
const withProfile = () => shopRig();

promises('Addresses and credentials', [
  ...each(
    {
      says: 'a --profile flag makes those of the environment count for nothing',
      rig: withProfile,
      exit: 4,
      sent: READ,
      run: 'track gone --profile shop',
    },
    [
      { env: { WAYBILL_BASE_URL: NOWHERE } },
      { env: { WAYBILL_SANDBOX_BASE_URL: NOWHERE } },
      { env: { WAYBILL_TOKEN: 'another-token' } },
      { env: { WAYBILL_BASE_URL: NOWHERE, WAYBILL_TOKEN: 'another-token' } },
    ],
  ),
  ...each({ rig: withProfile, exit: 3, sent: [] }, [
    ...each({ says: 'an address of the environment never goes with the credential of a profile' }, [
      { run: 'track gone', env: { WAYBILL_BASE_URL: NOWHERE } },
      { run: 'track gone --sandbox', env: { WAYBILL_SANDBOX_BASE_URL: NOWHERE } },
    ]),
    {
      says: 'nor a credential of the environment to the address of a profile',
      run: 'track gone',
      env: { WAYBILL_TOKEN: 'another-token' },
    },
  ]),
  {
    says: 'both of the environment beat the current profile',
    rig: { files: config({ shop: { baseUrl: NOWHERE } }) },
    run: 'track gone',
    exit: 4,
    sent: READ,
  },
]);
