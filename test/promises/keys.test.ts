import { expect } from 'vitest';
import { createRig, type Rig } from '../rig/command.ts';
import { bookingAt } from '../rig/journal.ts';
import { BARE, shopRig } from '../rig/profile.ts';
import { SHIPMENT } from '../rig/service.ts';
import { served } from '../rig/sockets.ts';
import {
  BOOKED,
  charging,
  DAY,
  failing,
  files,
  inDoubt,
  PAIRED,
  recorded,
  SHIP,
  shipping,
  withEnv,
} from './begin.ts';
import { FILES, HOOK } from './orders.ts';
import { each, type Promised, promises } from './promise.ts';

/** A service whose first answer is a 401, after which the file has another token. */
async function renewing(): Promise<Rig> {
  const rig = await createRig({ files: { ...FILES, token: 'old' } });
  const address = await served(async (request, response) => {
    await request.toArray();
    const isNew = request.headers.authorization?.includes('new-token');
    if (!isNew) rig.file('token', 'new-token');
    response.writeHead(isNew ? 201 : 401).end(isNew ? '{"id":"S-1"}' : '{}');
  });
  const env = { WAYBILL_BASE_URL: address, WAYBILL_TOKEN: '', WAYBILL_TOKEN_FILE: `${rig.folder}/token` };
  return withEnv(rig, env);
}

promises('A booking is never repeated by us', [
  ...['302', '500', 'reset-after', 'html'].map(kind => ({
    says: `After ${kind} a pair is sent once, and the message names the booking`,
    rig: failing(kind),
    run: 'ship-dual pair.json --retries 5 --key P-1',
    exit: 8,
    sent: [PAIRED],
    stderr: /booking bk_[0-9a-f]{32}/,
  })),
  {
    says: 'It is retried where no connection was made',
    rig: { ...files, env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } },
    run: `${SHIP} --retries 2`,
    exit: 7,
    also: ({ waits }) => expect(waits).toHaveLength(2),
  },
  {
    says: 'It is retried after one 401 with a token that can be renewed',
    rig: renewing,
    run: `${SHIP} -q`,
    stdout: /^S-1\n$/,
  },
  {
    says: 'A 401 with a token that stays the same is not retried',
    rig: { ...files, env: { WAYBILL_TOKEN: 'wrong' } },
    run: SHIP,
    exit: 3,
    sent: [BOOKED],
  },
  {
    says: 'A 429 that names what it may have made is not retried: it is unknown',
    rig: shipping({}, { '/v1/shipments': { status: 429, body: { id: 'X-1' } } }),
    run: `${SHIP} --json`,
    exit: 8,
    sent: [BOOKED],
    stderr: 'X-1 at id',
  },
]);

promises('An order of which nobody knows whether it was booked', [
  {
    says: 'It is not called booked the second time: since when it is unknown, that nothing was sent, and what to type',
    rig: inDoubt('A-1'),
    run: SHIP,
    exit: 8,
    stderr: [
      /^it was sent before \(2 Mar 2026 \d\d:00, bk_\w+\), and is still unknown; nothing was sent now$/m,
      '`waybill history resolve A-1`',
    ],
    lacks: 'booked before',
    sent: [],
  },
  ...each(
    { says: 'Neither is it to an order with the same content, or with other input', exit: 2, sent: [] },
    [
      { rig: failing('500'), after: [{ line: 'ship order.json', exit: 8 }], run: 'ship order.json' },
      { rig: inDoubt('A-1'), run: `${SHIP} --set receiver.firstName=Eva` },
    ].map(row => ({
      ...row,
      stderr: /was (already )?sent (with other input )?at .* \(?bk_\w+, unknown\)/,
      lacks: 'was booked',
    })),
  ),
]);

promises('A key is booked once', [
  {
    says: 'The same command again says that it shows the recorded answer, and that nothing was sent',
    rig: files,
    after: [SHIP],
    run: SHIP,
    stderr:
      /^it was booked before \(2 Mar 2026 \d\d:00, bk_\w+\): this is its recorded answer; nothing was sent$/m,
    sent: [],
  },
  {
    says: 'The same input again prints the recorded answer, and sends nothing',
    rig: shipping({ id: 'S-1', odd: 1 }),
    after: [SHIP],
    run: `${SHIP} --json`,
    json: { id: 'S-1', odd: 1 },
    sent: [],
  },
  ...each({ says: 'It has its recorded exit code', sent: [] }, [
    {
      rig: failing('label-domestic'),
      after: [{ line: 'ship-dual pair.json --label --key P-1', exit: 9 }],
      run: 'ship-dual pair.json --label --key P-1',
      exit: 9,
    },
    { rig: files, after: [`${HOOK} --key H-1`], run: `${HOOK} --key H-1` },
  ]),
  ...each({ rig: files, sent: [], exit: 2 }, [
    ...each(
      {
        says: 'Other input is exit 2, `duplicate`, and names the receiver of the other order',
        after: [SHIP],
      },
      [
        { run: 'ship gift.json --key A-1', stderr: 'Anna Beispiel' },
        { run: `${SHIP} --set receiver.firstName=Eva`, stderr: 'Anna Beispiel' },
        { run: `${SHIP} --yes --set receiver.firstName=Eva`, stderr: 'Anna Beispiel' },
        { run: 'ship-dual pair.json --key A-1', stderr: 'Anna Beispiel' },
      ],
    ),
    {
      says: 'A key of `ship-dual` is one of `ship` as well',
      after: ['ship-dual pair.json --key P-1'],
      run: 'ship order.json --key P-1 --json',
      error: { code: 'duplicate' },
    },
  ]),
  ...each(
    {
      says: 'While it is unknown it is exit 8 again, and nothing is sent',
      rig: inDoubt('A-1'),
      exit: 8,
      sent: [],
    },
    [{ run: `${SHIP} --json`, error: { created: null, retry: 'never' } }, `${SHIP} --allow-duplicate`],
  ),
  {
    says: 'Two commands with one key at the same time: one sends, the other prints the same answer',
    rig: files,
    run: 'history check',
    also: async (_, rig) => {
      const both = await Promise.all([rig.run(`${SHIP} -q`), rig.run(`${SHIP} -q`)]);
      expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      expect(both[0]?.stdout).toBe(both[1]?.stdout);
      // Each sees what arrived while it ran.
      const bodies = new Set(
        both.flatMap(({ requests }) => requests.filter(({ method }) => method === 'POST')),
      );
      expect(bodies.size).toBe(1);
    },
  },
  {
    says: 'A rejected booking frees its key',
    rig: shipping({ id: 'S-1' }, { '/v2/shipments': { status: 422, body: {} } }),
    after: [{ line: 'ship-dual pair.json --key A-1', exit: 5 }],
    run: SHIP,
    sent: [BOOKED],
  },
  {
    says: 'An unsent booking frees its key',
    rig: files,
    after: [{ line: `${SHIP} --retries 0`, exit: 7, env: { WAYBILL_BASE_URL: 'http://127.0.0.1:1' } }],
    run: SHIP,
    sent: [BOOKED],
  },
  ...each(
    {
      says: 'The key is looked up before anything is sent, proposals included',
      rig: files,
      after: ['ship open.json --carrier EXP --key A-1'],
      sent: [],
    },
    ['ship open.json --carrier EXP --key A-1', 'ship open.json --carrier EXP --max-days 9 --key A-1'],
  ),
  {
    says: 'The same input is what was given before the profile filled it in',
    rig: () => shopRig({ category: 'sales' }),
    after: [
      { write: { 'order.json': { ...SHIPMENT, category: undefined } } },
      SHIP,
      'profile set shop category=gift',
    ],
    run: SHIP,
    sent: [],
  },
  ...each(
    {
      says: 'The same input is what was given without its bounds',
      rig: files,
      after: [`${SHIP} --max-price 99EUR`],
      sent: [],
    },
    [SHIP, `${SHIP} --max-price 1EUR`, `${SHIP} --max-days 1`],
  ),
]);

const ORDER_IN = (profile: string) => `${SHIP} --profile ${profile}`;
const twoAt =
  (one: (address: string) => object, other: (address: string) => object) => async (): Promise<Rig> => {
    const rig = await createRig({ ...files, env: BARE });
    const credentials = { kind: 'token', token: 'demo' };
    rig.file('config/config.json', {
      profiles: { one: { credentials, ...one(rig.address) }, other: { credentials, ...other(rig.address) } },
    });
    return rig;
  };
const at = (path: string) => (address: string) => ({ baseUrl: `${address}${path}` });
/** Two profiles of one address with these accounts. */
const accounts = (first: string, second: string) =>
  twoAt(
    baseUrl => ({ baseUrl, account: first }),
    baseUrl => ({ baseUrl, account: second }),
  );

promises('Keys belong to the address and the account', [
  ...['/sandbox/', '//sandbox', '/%73andbox', '/sandbox//'].map(path => ({
    says: `An address is one, however it is spelled (${path})`,
    rig: twoAt(at('/sandbox'), at(path)),
    after: [ORDER_IN('one')],
    run: ORDER_IN('other'),
    sent: [],
  })),
  {
    says: 'The case of a host does not count',
    rig: recorded(rig => [bookingAt(rig, 1, { address: 'https://shop.invalid' })]),
    env: { WAYBILL_BASE_URL: 'HTTPS://SHOP.invalid/' },
    run: 'ship order.json --key K-1 --dry-run --json',
    exit: 2,
    json: { journal: { state: 'duplicate' } },
  },
  {
    says: 'The sandbox has keys of its own',
    rig: files,
    after: [SHIP],
    run: `${SHIP} --sandbox`,
    sent: ['POST /sandbox/v1/shipments'],
  },
  ...each({ after: [ORDER_IN('one')], run: ORDER_IN('other') }, [
    { says: 'Another account has keys of its own', rig: accounts('A', 'B'), sent: [BOOKED] },
    { says: 'Two profiles of one account share their keys', rig: accounts('A', 'A'), sent: [] },
    {
      says: 'An account is one in composed and decomposed letters',
      rig: accounts('M\u00fcller', 'Mu\u0308ller'),
      sent: [],
    },
  ]),
]);

const keyed = (key: string, more: Partial<Promised> = {}) => ({
  run: ['ship', 'order.json', '--key', key],
  ...more,
});
const ALIKE: [what: string, first: string, second: string][] = [
  ['leading zeros', '00123', '123'],
  ['zeros alone', '000', '0'],
  ['full-width digits', '123', '１２３'],
  ['composed letters', 'M\u00fcller-1', 'Mu\u0308ller-1'],
  ['a character that nobody sees', 'ORDER-1', 'OR\u200bDER-1'],
  ['a byte order mark', 'ORDER-1', '\ufeffORDER-1'],
  ['blanks around it', 'ORDER-1', ' ORDER-1 '],
  ['two blanks for one', 'ORDER 1', 'ORDER  1'],
  ['a blank that does not break', 'ORDER 1', 'ORDER\u00a01'],
  ['a blank of braille', 'ORDER 1', 'ORDER\u28001\u2800'],
  ['a variation selector', 'A\ufe0f1', 'A1'],
  ['a sign of minus', 'ORDER-1', 'ORDER\u22121'],
];

promises('Keys that look the same are one key', [
  ...ALIKE.map(([what, first, second]) => ({
    says: `They differ by ${what}`,
    rig: files,
    after: [['ship', 'order.json', '--key', first]],
    ...keyed(second, { exit: 0, sent: [] }),
  })),
  ...(
    [
      ['case', 'ORDER-1', 'order-1'],
      ['zeros behind a letter', 'A-1', 'A-01'],
      ['a sign in front', '5001', '#5001'],
    ] as const
  ).map(([what, first, second]) => ({
    says: `They differ by ${what}, and are two`,
    rig: files,
    after: [['ship', 'eva.json', '--key', first]],
    ...keyed(second),
    sent: [BOOKED],
  })),
  {
    says: 'The journal shows a key as it was first given',
    rig: files,
    after: [['ship', 'order.json', '--key', '00123']],
    run: 'history show 123 --json',
    json: { key: '00123' },
  },
  {
    says: 'A `duplicate` says that keys that look the same are one, and names the other receiver',
    rig: files,
    after: [['ship', 'order.json', '--key', '00123']],
    run: 'ship gift.json --key 123',
    exit: 2,
    sent: [],
    stderr: ['Anna Beispiel', '"123" is the same key as "00123", which was already booked'],
  },
  ...['x'.repeat(1025), 'é'.repeat(513)].map(key => ({
    says: 'A key of more than 1,024 bytes is refused',
    rig: files,
    ...keyed(key),
    exit: 2,
    sent: [],
    stderr: 'at most 1024',
  })),
  {
    says: 'A REF without the sign finds the key with it',
    rig: files,
    after: [['ship', 'order.json', '--key', '#5001']],
    run: 'history show 5001 --json',
    json: { key: '#5001' },
  },
  {
    says: 'A REF without the sign is a key of its own where there is one',
    rig: files,
    after: [
      ['ship', 'order.json', '--key', '#5001'],
      ['ship', 'eva.json', '--key', '5001'],
    ],
    run: 'history show 5001 --json',
    json: { key: '5001' },
  },
]);

const bare = 'ship order.json';
const CANCEL = 'history cancelled A-1 --reason phone';

promises('The same order', [
  ...each({ exit: 2, error: { code: 'duplicate' }, sent: [] }, [
    {
      says: 'Without a key, the same input as one of the last 24 hours is exit 2, `duplicate`',
      rig: files,
      after: [bare, { later: DAY - 60_000 }],
      run: `${bare} --yes --json`,
      stderr:
        /was booked at .* without a key .* For the same one there is nothing to do; another one needs --key NAME/,
    },
    {
      says: 'Without a key, another bound makes it no other order',
      rig: charging(12),
      after: [`${bare} --max-price 60EUR`],
      run: `${bare} --max-price 600EUR --json`,
    },
  ]),
  ...each({ rig: files, sent: [BOOKED] }, [
    { says: 'After 24 hours it is another order', after: [bare, { later: DAY + 60_000 }], run: bare },
    {
      says: 'With a key of its own, an order that was booked under another key in that time is a warning',
      after: [SHIP],
      run: 'ship order.json --key A-2',
      stderr:
        /warning: .*the same receiver, goods and parcels .*"A-1" \(bk_\w+, created\)\. This is a second parcel; to repeat the first one, use its key\./,
    },
    {
      says: 'It says of one that is unknown that it may exist',
      rig: inDoubt('A-1'),
      run: 'ship order.json --key A-2',
      stderr: /warning: .*"A-1" \(bk_\w+, unknown\): that parcel may exist\. This is a second parcel;/,
    },
    {
      says: 'An order under another key after that time is no warning',
      after: [SHIP, { later: DAY + 60_000 }],
      run: 'ship order.json --key A-2 --strict',
    },
    {
      says: 'To another receiver it is another order',
      after: [SHIP],
      run: 'ship eva.json --key A-2 --strict',
      stderr: /^$/,
    },
  ]),
  ...each({ rig: files, after: [bare], terminal: true }, [
    {
      says: 'On a terminal it asks first, also with --yes',
      run: `${bare} --yes`,
      exit: 2,
      sent: [],
      also: ({ asked }) => expect(asked).toHaveLength(1),
    },
    { says: 'On a terminal a yes books it', run: bare, answer: true, sent: [BOOKED] },
  ]),
  ...each({ run: bare, exit: 2, sent: [] }, [
    {
      says: 'One that is still unknown counts however old',
      rig: failing('500'),
      after: [{ line: bare, exit: 8 }, { later: 900 * DAY }],
      stderr:
        /unknown\)\S* nothing was sent\. It may exist: `waybill history show bk_\w+` shows how to resolve it/,
    },
    {
      says: 'Of the last 24 hours is what the journal has of them, where the clock ran backwards',
      rig: files,
      after: ['ship eva.json --key E-1', { later: -3 * DAY }, bare, { later: 3 * DAY + 60_000 }],
    },
  ]),
  {
    says: 'Two commands with it at one moment book once',
    rig: files,
    run: 'history list',
    also: async (_, rig) => {
      const both = await Promise.all([1, 2].map(() => rig.run(bare)));
      expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
      expect(await rig.json('history list')).toHaveLength(1);
    },
  },
  ...each(
    {
      says: 'With --strict that is exit 2, whatever carrier, service, bound or spelling was given',
      rig: files,
      after: [SHIP],
      exit: 2,
    },
    [
      'ship order.json --key A-2 --strict',
      'ship order.json --key A-2 --strict --set carrier.id=OTHER',
      'ship order.json --key A-2 --strict --set category=gift',
      'ship order.json --key A-2 --strict --set receiver.lastName=BEISPIEL',
      "ship order.json --key A-2 --strict --set 'receiver.address.line1=Musterstraße  12'",
    ],
  ),
  {
    says: 'An order that is unknown under another key is a warning, however old',
    rig: inDoubt('A-1'),
    after: [{ later: 40 * DAY }],
    run: 'ship order.json --key A-2',
    stderr: /warning: .*A-1/,
    sent: [BOOKED],
  },
  ...each(
    { says: 'One that replaces an order that was cancelled is no warning', rig: files, sent: [BOOKED] },
    [
      { after: [SHIP, CANCEL], run: 'ship order.json --key A-2 --strict', lacks: 'warning' },
      {
        after: [SHIP, CANCEL, { write: { 'orders.jsonl': { ...FILES['order.json'], key: 'A-3' } } }],
        run: 'batch ship orders.jsonl --strict',
        lacks: 'warning',
      },
    ],
  ),
]);
