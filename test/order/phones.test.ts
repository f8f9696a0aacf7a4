// A phone number is sent as it is dialled, however it is written, and wherever it comes from.
import { expect, test } from 'vitest';
import { jsonLines, order } from '../rig/batch.ts';
import { createRig } from '../rig/command.ts';
import { savedIn } from '../rig/profile.ts';
import { bodyOf, errorOf, SHIPMENT } from '../rig/service.ts';

const BERLIN = { code: '+49', number: '305550123' };
const NATIONAL = '030 5550123';

/** The shipment, with this phone of the receiver. */
const withPhone = (phone: object, body: Record<string, unknown> = SHIPMENT) => ({
  ...body,
  receiver: { ...(body.receiver as object), phone },
});

const phoneIn = (ran: Parameters<typeof bodyOf>[0]) =>
  (bodyOf(ran) as { receiver: { phone: object } }).receiver.phone;

test.each([
  ['a national number by the country of its address', { number: NATIONAL }],
  ['a national number behind its code', { code: '+49', number: NATIONAL }],
  ['a national number without blanks', { code: '+49', number: '0305550123' }],
  ['a number with the prefix of its country', { number: '+49 (0)30 555 01 23' }],
  ['a number that repeats its code', { code: '0049', number: '0049 30/5550123' }],
])('Of a file, %s is sent as it is dialled', async (_, phone) => {
  const rig = await createRig();
  const ran = await rig.run('ship -f -', { stdin: JSON.stringify(withPhone(phone)) });
  expect([ran.stderr, phoneIn(ran)]).toEqual(['', BERLIN]);
});

test('Of a flag, of a batch in JSON and of one in CSV it is the same', async () => {
  const rig = await createRig();
  rig.file('order.json', withPhone({ code: '+49', number: '1' }));
  const set = await rig.run(['ship', 'order.json', '--set', `receiver.phone.number=${NATIONAL}`]);
  expect(phoneIn(set)).toEqual(BERLIN);

  rig.file('orders.jsonl', jsonLines([withPhone({ number: NATIONAL }, order('ORDER-1'))]));
  expect(phoneIn(await rig.run('batch ship orders.jsonl'))).toEqual(BERLIN);

  const template = (await rig.run('batch template ship')).stdout.replace(/\+49,(\d+)/, `,${NATIONAL}`);
  rig.file('orders.csv', template);
  const csv = await rig.run('batch ship orders.csv');
  expect([csv.stderr, phoneIn(csv)]).toEqual(['', BERLIN]);
});

test('The same order is the same order, however its number is written', async () => {
  const rig = await createRig();
  const ship = (phone: object) =>
    rig.run('ship -f - --key ORDER-1', { stdin: JSON.stringify(withPhone(phone)) });
  await ship(BERLIN);
  expect(await ship({ number: NATIONAL })).toMatchObject({ exitCode: 0, requests: [] });
});

test('Digits whose code nobody gives, and a number with the code of another country, stay as they are', async () => {
  const rig = await createRig();
  const ship = (phone: object) => rig.run('ship -f - --json', { stdin: JSON.stringify(withPhone(phone)) });
  const unnamed = await ship({ number: '305550123' });
  expect(errorOf(unnamed).issues.map(({ path }) => path)).toEqual(['receiver.phone.code']);
  const other = await ship({ code: '+49', number: '+43 1 5550101' });
  expect(phoneIn(other)).toEqual({ code: '+49', number: '+43 1 5550101' });
  expect(other.stderr).toContain('which is not a phone number without its dialling code');
});

test('A saved party has the number as it is dialled', async () => {
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
