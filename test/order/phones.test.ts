// A phone number is sent as it is dialled, however it is written, and wherever it comes from.
import { expect, test } from 'vitest';
import { textAt } from '../../src/contract/paths.ts';
import { readPhone, withReadPhones } from '../../src/order/phone.ts';
import { jsonLines, order } from '../rig/batch.ts';
import { createRig, type Ran } from '../rig/command.ts';
import { savedIn } from '../rig/profile.ts';
import { errorOf, SHIPMENT } from '../rig/service.ts';

const BERLIN = { code: '+49', number: '305550123' };
const NATIONAL = '030 5550123';

/** The shipment, with this phone of the receiver. */
const withPhone = (phone: object, body: Record<string, unknown> = SHIPMENT) => ({
  ...body,
  receiver: { ...(body.receiver as object), phone },
});

const phonesIn = ({ requests }: Pick<Ran, 'requests'>): object[] =>
  requests.map(({ body }) => JSON.parse(body).receiver.phone);

test('in a batch in JSON it may be national, behind its code, with a prefix, or repeat its code', async () => {
  const rig = await createRig();
  const phones = [
    { number: NATIONAL },
    { code: '+49', number: NATIONAL },
    { code: '+49', number: '0305550123' },
    { number: '+49 (0)30 555 01 23' },
    { code: '0049', number: '0049 30/5550123' },
  ];
  rig.file(
    'orders.jsonl',
    jsonLines(phones.map((phone, index) => withPhone(phone, order(`ORDER-${index}`)))),
  );
  const ran = await rig.run('batch ship orders.jsonl');
  expect([ran.stderr, phonesIn(ran)]).toEqual(['', phones.map(() => BERLIN)]);
});

test('of a file, of a flag and of a batch in CSV it is the same, and the order is the same order', async () => {
  const rig = await createRig();
  const ship = (phone: object, ...more: string[]) =>
    rig.run(['ship', '-f', '-', ...more], { stdin: JSON.stringify(withPhone(phone)) });
  const set = ['--set', `receiver.phone.number=${NATIONAL}`];
  expect(phonesIn(await ship({ code: '+49', number: '1' }, ...set))).toEqual([BERLIN]);
  expect(phonesIn(await ship({ number: NATIONAL }, '--key', 'ORDER-1'))).toEqual([BERLIN]);
  expect(await ship(BERLIN, '--key', 'ORDER-1')).toMatchObject({ exitCode: 0, requests: [] });
  const template = (await rig.run('batch template ship')).stdout.replace(/\+49,(\d+)/, `,${NATIONAL}`);
  rig.file('orders.csv', template);
  const csv = await rig.run('batch ship orders.csv');
  expect([csv.stderr, phonesIn(csv)]).toEqual(['', [BERLIN]]);
});

test('digits whose code nobody gives, and a number with the code of another country, stay as they are', async () => {
  const rig = await createRig();
  const ship = (phone: object) => rig.run('ship -f - --json', { stdin: JSON.stringify(withPhone(phone)) });
  const unnamed = await ship({ number: '305550123' });
  expect(errorOf(unnamed).issues.map(({ path }) => path)).toEqual(['receiver.phone.code']);
  const other = { code: '+49', number: '+43 1 5550101' };
  const sent = await ship(other);
  expect([phonesIn(sent), sent.stderr]).toEqual([[other], expect.stringContaining('is not a phone number')]);
});

test('a saved party has the number as it is dialled', async () => {
  const rig = await createRig();
  const anna = { ...(SHIPMENT.receiver as object), phone: { number: NATIONAL } };
  rig.file('anna.json', anna);
  rig.file('book.jsonl', jsonLines([{ name: 'berta', ...anna }]));
  await rig.run('profile party add anna -f anna.json --profile demo');
  await rig.run('profile party import book.jsonl --profile demo');
  await rig.run('profile party edit berta --set phone.number=030/5550123 --profile demo');
  const { parties } = savedIn(rig).profiles.demo;
  expect(Object.values(parties)).toMatchObject([{ phone: BERLIN }, { phone: BERLIN }]);
});

test.each([
  ['DE', '4915123456789', { code: '+49', number: '15123456789' }],
  ['DE', '49 151 23456789', { code: '+49', number: '15123456789' }],
  ['FR', '33612345678', { code: '+33', number: '612345678' }],
  ['TR', '905321112233', { code: '+90', number: '5321112233' }],
  ['IT', '3931234567', { code: '+39', number: '3931234567' }],
  ['DE', '15123456789', { code: '+49', number: '15123456789' }],
  ['DE', '04921 123456', { code: '+49', number: '4921123456' }],
  ['DE', '4921123456', 'with-or-without-code'],
])(
  'In %s the number %s, which may begin with the code of the country, is understood or asked about',
  (country, text, meant) => {
    const read = readPhone(text, { country });
    if (typeof meant === 'string') expect(read).toBe(meant);
    else expect(read).toMatchObject(meant);
  },
);

test('A code that a long number has once more is taken off', () => {
  const body = (number: string) => ({
    receiver: { phone: { code: '+49', number }, address: { country: { code: 'DE' } } },
  });
  const numberOf = (number: string) => textAt(withReadPhones(body(number)), 'receiver.phone.number');
  expect(numberOf('4915123456789')).toBe('15123456789');
  expect(numberOf('4921123456')).toBe('4921123456');
});
