// The rules of the service document that concern several fields, through the commands: a request that breaks one is refused
// at its field, and nothing is sent.
import { expect, test } from 'vitest';
import { changed } from '../contract/rig.ts';
import { createRig } from '../rig/command.ts';
import { errorOf, fixture } from '../rig/service.ts';

/** A fixture as the input of a command. */
interface Given {
  command: string;
  name: string;
  env?: Record<string, string>;
}
type Changes = Record<string, unknown>;

/** The paths that are refused, of the fixture with each of these changes of its fields. */
async function faultsOf({ command, name, env = {} }: Given, all: readonly Changes[]): Promise<string[][]> {
  const { run } = await createRig();
  const found: string[][] = [];
  for (const changes of all) {
    const stdin = JSON.stringify(changed(fixture(`${name}.request.json`), changes));
    const ran = await run(`${command} -f - --dry-run --json`, { stdin, env });
    expect(ran.requests).toEqual([]);
    found.push(ran.exitCode === 0 ? [] : errorOf(ran).issues.map(({ path }) => path));
  }
  return found;
}

const expectRight = async (given: Given, all: readonly Changes[]) =>
  expect(await faultsOf(given, all)).toEqual(all.map(() => []));

const expectWrong = async (path: string, given: Given, all: readonly Changes[]) =>
  expect(await faultsOf(given, all)).toEqual(all.map(() => [path]));

const COUNTRY = 'receiver.address.country.code';
const SHORT = 'receiver.address.nationalShortAddress';

test.each([
  ['ship', 'v1/shipments/POST'],
  ['ship-dual', 'v2/shipments/POST'],
])('%s to Saudi Arabia needs the short address of the receiver', async (command, folder) => {
  const there = { command, name: `${folder}/saudi` };
  const elsewhere = { command, name: `${folder}/minimal` };
  await expectRight(there, [{}]);
  await expectWrong(SHORT, there, [{ [SHORT]: undefined }, { [SHORT]: '' }, { [SHORT]: '  \n' }]);
  await expectWrong(SHORT, elsewhere, [{ [COUNTRY]: 'SA' }]);
  await expectRight(elsewhere, [{ [COUNTRY]: 'AE' }, { 'sender.address.country.code': 'SA' }]);
});

const IOSS = 'customs.iossNumber';
const MARKETPLACE = 'customs.marketplaceNumber';
const BLANK = [undefined, '', '  '];

test.each([
  ['ship', 'v1/shipments/POST/eu-ioss', 'v1/shipments/POST/uk-marketplace', 'carrier.id'],
  [
    'ship-dual',
    'v2/shipments/POST/eu-ioss-label',
    'v2/shipments/POST/uk-marketplace-label-false',
    'carriers.international.id',
  ],
])(
  '%s by the economy carrier needs a number to the EU and one to the UK',
  async (command, eu, uk, carrier) => {
    const toEu = { command, name: eu };
    for (const code of ['DE', 'FR', 'IE', 'HR', 'GR', 'CY']) {
      await expectRight(toEu, [{ [COUNTRY]: code }]);
      await expectWrong(
        IOSS,
        toEu,
        BLANK.map(blank => ({ [COUNTRY]: code, [IOSS]: blank })),
      );
    }
    const none = { [IOSS]: undefined };
    await expectRight(
      toEu,
      ['US', 'CH', 'NO', 'TR', 'IS', 'XK'].map(code => ({ ...none, [COUNTRY]: code })),
    );
    await expectRight(toEu, [{ ...none, [COUNTRY]: 'GB', [MARKETPLACE]: 'MP-1' }]);
    await expectWrong(IOSS, toEu, [{ [IOSS]: 5 }]);
    // Which carrier that is, the profile says letter by letter.
    await expectRight(
      toEu,
      ['EXP', 'eco', 'ECO ', 'ECONOMY'].map(id => ({ ...none, [carrier]: id })),
    );
    await expectRight({ ...toEu, env: { WAYBILL_ECONOMY_CARRIERS: '' } }, [none]);
    const named = { ...toEu, env: { WAYBILL_ECONOMY_CARRIERS: 'ECO,id-7' } };
    await expectWrong(IOSS, named, [{ ...none, [carrier]: 'id-7' }]);

    const toUk = { command, name: uk };
    await expectWrong(
      MARKETPLACE,
      toUk,
      BLANK.map(blank => ({ [MARKETPLACE]: blank })),
    );
    await expectRight(
      toUk,
      ['GG', 'JE', 'IM', 'US'].map(code => ({ [COUNTRY]: code, [MARKETPLACE]: undefined })),
    );
    await expectRight(toUk, [
      { [COUNTRY]: 'IE', [MARKETPLACE]: undefined, [IOSS]: 'IM0123456789' },
      { 'sender.address.country.code': 'DE' },
    ]);
  },
);

test('the economy carrier needs no number for a domestic leg', async () => {
  const pair = { command: 'ship-dual', name: 'v2/shipments/POST/minimal' };
  await expectRight(pair, [{ 'carriers.domestic.id': 'ECO' }]);
});

test('a document in a proposal is one piece of at most 2.5 kg, in each package', async () => {
  const [quantity, weight] = ['packages[0].quantity', 'packages[0].weight'];
  const quote = { command: 'quote', name: 'v1/carriers/proposal/POST/document-at-limit' };
  const heavy = { [weight]: 31, [quantity]: 3 };
  await expectRight(quote, [
    { [weight]: 2.5 },
    { ...heavy, packageType: 'package' },
    { ...heavy, packageType: undefined },
  ]);
  await expectWrong(weight, quote, [{ [weight]: 2.500001 }, { [weight]: 2.6 }, { [weight]: 31 }]);
  await expectWrong(quantity, quote, [{ [quantity]: 0 }, { [quantity]: 0.5 }, { [quantity]: 2 }]);
  const second = { quantity: 2, weight: 3, dimensions: { width: 1, length: 1, height: 1 } };
  expect(await faultsOf(quote, [{ 'packages[1]': second }])).toEqual([
    ['packages[1].quantity', 'packages[1].weight'],
  ]);
  // The document limits proposals alone: a shipment of documents may weigh more.
  await expectRight({ command: 'ship', name: 'v1/shipments/POST/document' }, [heavy]);
});

const HOOK = { command: 'webhook create', name: 'webhooks/subscriptions/POST/minimal' };
const WRONG_URLS = [
  'http://a.example',
  'ftp://a.example',
  'a.example/hooks',
  '//a.example',
  'javascript:alert(1)',
  'https://',
  'https:a.example',
  'https:/a.example',
  ' https://a.example',
  'https://a.example ',
  'https://a.exa\nmple',
  'https://a b',
  'https://a.example/x y',
  '',
  '  ',
  'http://127.0.0.1.example',
  'http://localhost.example',
  'http://0.0.0.0',
  'http://10.0.0.1',
  'http://127.0.0.1@a.example',
];

test('the address of a webhook is https, or http on loopback if the service is there too', async () => {
  const right = [
    'https://a.example',
    'HTTPS://A.example/x?y=1#z',
    'https://[::1]:8443/',
    'https://127.0.0.1/',
  ];
  const onLoopback = ['http://localhost:3000/x', 'http://127.0.0.1', 'http://127.9.9.9', 'http://[::1]:80/x'];
  const urls = (all: readonly string[]) => all.map(url => ({ url }));
  const live = { ...HOOK, env: { WAYBILL_BASE_URL: 'https://api.example.test' } };
  for (const service of [HOOK, live]) {
    await expectRight(service, urls(right));
    await expectWrong('url', service, urls(WRONG_URLS));
  }
  await expectRight(HOOK, urls(onLoopback));
  await expectWrong('url', live, urls(onLoopback));
});
