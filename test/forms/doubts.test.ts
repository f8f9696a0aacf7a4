// A form listens: what is probably a mistake is asked about at once, with an example, and kept if the person says it again.
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, asked, BOOK, faultOf, lineOf, type Script } from '../rig/person.ts';
import { bodyOf } from '../rig/service.ts';

const filledIn = async (script: Script = {}) => answering(await createRig(), 'ship', { ...BOOK, ...script });

describe('is asked about once, and then kept:', () => {
  const SAUDI: Script = {
    'receiver.address.country.code': 'SA',
    'receiver.phone.code': '+966',
    'receiver.phone.number': '115550102',
    'receiver.address.zipCode': '12211',
    'receiver.address.nationalShortAddress': 'RRRD2929',
  };
  const ECONOMY: Script = { 'carrier.id': 'ECO', 'customs.iossNumber': 'IM0123456789' };

  test.each<[id: string, typed: string, doubt: string, others?: Script]>([
    [
      'receiver.email',
      'anna@@x',
      'This is not an e-mail address. A right one looks like this: anna@example.com',
    ],
    [
      'receiver.phone.number',
      '12',
      'This is not a phone number with the country code +49. A right one looks like this: 15123456789',
    ],
    ['receiver.phone.number', '+44 20 7946 0107', 'This begins with +44, but its country code is +49'],
    [
      'receiver.phone.code',
      '+999',
      'This is not the country code of any country. A right one looks like this: +49',
    ],
    [
      'receiver.address.zipCode',
      '1067',
      'This is not a postal code of Germany. A right one looks like this: 10115',
    ],
    [
      'sender.address.zipCode',
      'x',
      'This is not a postal code of Türkiye. A right one looks like this: 34000',
    ],
    [
      'items[0].hsCode',
      '6109',
      'This is not an HS code of 6 to 10 digits. A right one looks like this: 610910',
    ],
    ['customs.currency', 'EURO', 'This is "EURO", which is not a currency code of ISO 4217, such as EUR'],
    ['customs.totalGoodsValue', '26', 'This is 26, but the items add up to 25'],
    [
      'customs.iossNumber',
      'IM123',
      'This is "IM123", which is not an IOSS number, such as IM0123456789',
      ECONOMY,
    ],
    [
      'receiver.address.nationalShortAddress',
      'RRD2929',
      'This is "RRD2929", which is not a short address of Saudi Arabia, such as RRRD2929',
      SAUDI,
    ],
  ])('%s %s', async (id, typed, doubt, others = {}) => {
    const ran = await filledIn(others);
    const question = asked(ran, id);
    expect(await faultOf(question, typed)).toBe(`${doubt}. Enter again keeps your answer`);
    expect(await faultOf(question, typed)).toBeUndefined();
  });
});

test('each other doubtful answer is asked about, too', async () => {
  const question = asked(await filledIn(), 'receiver.email');
  for (const typed of ['anna', 'anna@', 'anna@x'])
    expect(await faultOf(question, typed)).toContain('A right one');
  expect(await faultOf(question, 'anna@x')).toBeUndefined();
});

test('a usual way to write it is not doubted', async () => {
  const ran = await filledIn();
  for (const [id, typed] of [
    ['receiver.address.zipCode', 'D-10115'],
    ['receiver.phone.number', '030 / 23 12 50-01'],
    ['receiver.phone.code', '0049'],
    ['items[0].hsCode', '6109.10.00'],
    ['receiver.email', 'anna.b+shop@mail.example.com'],
  ] as const)
    expect(await faultOf(asked(ran, id), typed), `${id} ${typed}`).toBeUndefined();
});

test.each(['49', '0049', '+49', ' +49 ', '00 49'])(
  'the country code %s is sent as +49, and shown so',
  async typed => {
    const ran = await filledIn({ 'receiver.phone.code': typed });
    const question = asked(ran, 'receiver.phone.code');
    expect(await faultOf(question, typed)).toBeUndefined();
    expect(question.kind === 'text' && question.takenAs?.(typed)).toBe('+49');
    expect(bodyOf(ran)).toMatchObject({ receiver: { phone: { code: '+49' } } });
  },
);

test.each(['999', '00999', 'x49', '+'])('the country code %s is doubted, and kept as it is', async typed => {
  const ran = await filledIn();
  const question = asked(ran, 'receiver.phone.code');
  expect(await faultOf(question, typed)).toMatch(/\+49.*Enter again/);
  expect(question.kind === 'text' && question.takenAs?.(typed)).toBe(typed);
});

test.each([
  ['eur', 'EUR'],
  ['€', 'EUR'],
  ['₺', 'TRY'],
  [' usd', 'USD'],
])('the currency %s is sent as %s, and shown so', async (typed, code) => {
  const ran = await filledIn({ 'customs.currency': typed });
  const question = asked(ran, 'customs.currency');
  expect(await faultOf(question, typed)).toBeUndefined();
  expect(question.kind === 'text' && question.takenAs?.(typed)).toBe(code);
  expect(bodyOf(ran)).toMatchObject({ customs: { currency: code } });
});

test('a currency sign of several countries is refused each time', async () => {
  const question = asked(await filledIn(), 'customs.currency');
  for (const typed of ['$', '$', '£'])
    expect(await faultOf(question, typed)).toBe(
      `${typed} may be a currency of several countries. Type its code, such as USD`,
    );
});

test('a prefix that the country code has already is taken away, after it was said', async () => {
  const ran = await filledIn({ 'receiver.phone.number': '+49 (0)30 23125001' });
  expect(await faultOf(asked(ran, 'receiver.phone.number'), '0049 30 23125001')).toBe(
    'This begins with +49, which is its country code already. Enter again takes it as 3023125001',
  );
  expect(bodyOf(ran)).toMatchObject({ receiver: { phone: { code: '+49', number: '3023125001' } } });
});

test('what was kept, and what no longer fits another country, is on the review page', async () => {
  const rig = await createRig();
  const ran = await answering(rig, 'ship', {
    ...BOOK,
    'receiver.email': 'anna@@x',
    'receiver.address.country.code': ['DE', 'AT'],
    review: ['receiver', 'submit'],
    receiver: ['receiver.address.country.code', 'done'],
  });
  expect(ran.exitCode).toBe(0);
  expect(asked(ran, 'review').hint).toContain(
    '! Receiver: E-mail address is "anna@@x", which is not an e-mail address',
  );
  expect(asked(ran, 'review').hint).toContain('! Receiver: Postal code is');
});

test('a refusal has an example of a right answer, of the country where there is one', async () => {
  const ran = await filledIn();
  expect(await faultOf(asked(ran, 'packages[0].weight'), 'heavy')).toBe(
    'It must be a number, not "heavy". A right one looks like this: 1.5',
  );
  expect(await faultOf(asked(ran, 'receiver.email'), ' ')).toMatch(
    /^It must not be empty\. A right one looks like this: \S+@example\.com$/,
  );
  expect(await faultOf(asked(ran, 'receiver.phone.number'), '')).toMatch(/this: 15123456789$/);
});

test('special fields say what they are, where one gets them, and what to do without', async () => {
  const ran = await filledIn({ 'carrier.id': 'ECO', 'customs.iossNumber': 'IM0123456789' });
  expect(asked(ran, 'customs.iossNumber').hint).toMatch(
    /^The number of .*IM and ten digits.*tax office.*Without one/,
  );
  expect(asked(ran, 'items[0].hsCode').hint).toMatch(/6 to 10 digits.*customs broker/);
  expect(asked(ran, 'deliveryType').hint).toMatch(/DAP: .*DDP: .*it is DAP/);
  expect(lineOf(ran, 'customs')).toContain('IM0123456789');
});
