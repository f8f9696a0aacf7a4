// A form listens: an answer that is none is refused, and what is probably a mistake is asked about at once, and kept if the person says it again.
import { expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { answering, asked, BOOK, changed, faultOf, type Script, SHIPMENT_BODY } from '../rig/person.ts';
import { bodyOf } from '../rig/service.ts';

const filledIn = async (script: Script = {}) => answering(await createRig(), 'ship', { ...BOOK, ...script });
const KEPT = '. Enter again keeps your answer';

// What is doubted in a file, too, is in test/order/rules.test.ts.
test('what is unlikely is asked about once, and then kept; what is no answer is refused each time', async () => {
  const ran = await filledIn();
  const faultsOf = async (id: string, typed: string) => [
    await faultOf(asked(ran, id), typed),
    await faultOf(asked(ran, id), typed),
  ];
  for (const [id, typed, doubt] of [
    ['receiver.email', 'anna@@x', '"anna@@x", which is not an e-mail address, such as anna@example.com'],
    ['receiver.phone.number', '+44 20 7946 0107', '"+44 20 7946 0107", which is not a phone number without'],
    // Plain digits, of which a request is not warned.
    ['sender.phone.number', '55501012', '"55501012", which is not a phone number with the country code +90'],
    ['receiver.address.zipCode', '1067', '"1067", which is not a postal code, such as 10115'],
    ['customs.currency', '$', '"$", which is not a currency code of ISO 4217, such as EUR'],
    ['items[0].description', '1', '"1", which says to no customs officer what it is'],
  ] as const) {
    const [first, again] = await faultsOf(id, typed);
    expect([first?.startsWith(`This is ${doubt}`), first?.endsWith(KEPT), again]).toEqual([
      true,
      true,
      undefined,
    ]);
  }
  for (const [id, typed, says] of [
    ['packages[0].weight', '1.234,5', 'a dot for its decimals'],
    ['packages[0].weight', '1,250 kg', 'It may be 1.250 or 1250: type the one that you mean'],
    ['packages[0].weight', '1,250 g', 'It must be a number'],
    ['packages[0].quantity', '2.5', 'It must be a whole number, not "2.5"'],
    ['packages[0].weight', '30 cm', 'It must be a number'],
    ['packages[0].weight', '1,234', 'It may be 1.234 or 1234: type the one that you mean'],
    ['packages[0].weight', '-1', 'must not be negative'],
    ['packages[0].weight', 'heavy', 'It must be a number, not "heavy"'],
    // The next description of a list that is pasted with two line breaks.
    [
      'items[0].hsCode',
      'Tea pot',
      'It must be a number of the customs tariff, such as 610910, not "Tea pot"',
    ],
    ['sender.firstName', '  ', 'must not be empty'],
    ['receiver.phone.number', '', 'It '],
  ] as const)
    for (const fault of await faultsOf(id, typed)) expect(fault).toContain(says);
});

test('phone numbers and currencies are taken as people write them', async () => {
  const ran = await filledIn({
    'sender.phone.number': '0212 555 01 01',
    'receiver.phone.number': '0049 (0)30 / 23 12 50-01',
    'customs.currency': ' usd',
  });
  expect(bodyOf(ran)).toEqual(changed({ 'customs.currency': 'USD' }));
});

test('a weight and a side are taken in the unit that a person writes', async () => {
  const ran = await filledIn({
    'packages[0].weight': '600 g',
    'packages[0].dimensions.length': '350mm',
    'packages[0].dimensions.width': '25 cm',
  });
  expect(bodyOf(ran)).toEqual(SHIPMENT_BODY);
});

test('the dialling code of another country is taken as people write it, and doubted if no country has it', async () => {
  const ran = await filledIn({
    review: ['receiver', 'submit'],
    receiver: ['receiver.phone.code', 'done'],
    'receiver.phone.code': '0041',
  });
  const question = asked(ran, 'receiver.phone.code');
  for (const typed of ['+999', 'x49'])
    expect(await faultOf(question, typed)).toBe(
      `This is "${typed}", which is not a dialling code, such as +49. Enter again keeps your answer`,
    );
  expect(bodyOf(ran)).toEqual(changed({ 'receiver.phone.code': '+41' }));
});

test('what was kept, and what no longer fits another country, is on the review page', async () => {
  const ran = await filledIn({
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
