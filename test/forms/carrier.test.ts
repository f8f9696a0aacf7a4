// The carrier is picked from the service's own proposals for just these packages; then the numbers that it needs are asked for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  answering,
  asked,
  BACK,
  BOOK,
  changed,
  choiceOf,
  faultOf,
  formed,
  ids,
  lineOf,
  NO_CARRIER,
  type Script,
  SHIPMENT_BODY,
} from '../rig/person.ts';
import { shopRig, temporaryFolder } from '../rig/profile.ts';
import { bodyOf, PROPOSALS, proposing, sent } from '../rig/service.ts';

const DONE = { review: 'submit', keep: '' };
const proposals = (ran: Parameters<typeof sent>[0]) => sent(ran).filter(line => line.includes(PROPOSALS));

test('proposals are shown in columns, the cheapest and the fastest marked', async () => {
  const service = await proposing(
    { id: 'SLOW', name: 'Slow', serviceType: 'economy', deliveryTime: '5-7 days', price: 9.5 },
    { id: 'QUICK', name: 'Quick as can be', deliveryTime: '1-2 days', price: 120 },
    { id: 'MID', name: 'Middle', deliveryTime: '3-4 days', price: 20 },
  );
  const ran = await formed({ 'carrier.id': 'MID', ...DONE }, '', service.env);

  const question = asked(ran, 'carrier.id');
  expect(question).toMatchObject({ hint: 'Chargeable weight: 5 kg', defaultAnswer: 'SLOW' });
  expect(question.kind === 'choice' && question.choices.map(({ name }) => name)).toEqual([
    'SLOW   Slow             economy  5-7 days    9.50 EUR  cheapest',
    'QUICK  Quick as can be  express  1-2 days  120.00 EUR  fastest',
    'MID    Middle           express  3-4 days   20.00 EUR',
    'None of these: look over the rest first',
  ]);
  expect(lineOf(ran, 'submit')).toBe('Book it for 20.00 EUR');
  expect(service.seen).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
});

describe('a proposal that is not available says why and cannot be picked:', () => {
  const OFFERS = [
    { id: 'BAD', isValid: false, price: 1 },
    { id: 'DEAR', price: 50 },
    { id: 'SLOW', deliveryTime: '6-9 days', serviceType: 'economy', price: 5 },
    { id: 'GOOD', price: 10 },
  ];
  const none = '(not within 20.00 USD)';
  test.each<[string, ...(string | undefined)[]]>([
    ['', undefined, undefined, undefined],
    ['--max-price 20EUR', '(not within 20.00 EUR)', undefined, undefined],
    ['--max-days 5', undefined, '(may take more than 5 days)', undefined],
    ['--service Express', undefined, '(not Express)', undefined],
    ['--max-price 20USD', none, none, none],
  ])('with %j', async (bounds, ...disabled) => {
    const service = await proposing(...OFFERS);
    const ran = await formed({ 'carrier.id': '', review: 'leave' }, bounds, service.env);
    const question = asked(ran, 'carrier.id');
    const why = ['DEAR', 'SLOW', 'GOOD'].map(id => choiceOf(question, id)?.disabled);
    expect(why).toEqual(disabled);
    expect(choiceOf(question, 'BAD')?.disabled).toBe('(not valid for these packages)');
    // The cheapest is one that is valid, and what Enter alone picks can be had.
    expect(choiceOf(question, 'BAD')?.name).not.toContain('cheapest');
    const defaultAnswer = 'defaultAnswer' in question ? question.defaultAnswer : undefined;
    if (defaultAnswer !== undefined) expect(choiceOf(question, defaultAnswer)?.disabled).toBeUndefined();
    expect(ran.exitCode).toBe(130);
  });
});

test('a rule bounds what is offered, its carrier is what Enter picks, and that it holds is said in the review', async () => {
  const service = await proposing(
    { id: 'DEAR', price: 50 },
    { id: 'GOOD', price: 10 },
    { id: 'LOW', price: 5 },
  );
  const rules = join(temporaryFolder(), 'rules.json');
  writeFileSync(
    rules,
    '[{"name":"All","then":{"carrier":"GOOD","maxPrice":"20EUR","hold":"a new customer"}}]',
  );
  const script = { 'receiver.firstName': 'Eva', 'carrier.id': 'GOOD', review: 'leave' };
  const body = changed({ 'receiver.firstName': undefined, carrier: undefined, chargeableWeight: undefined });
  const ran = await formed(script, `--rules ${rules}`, service.env, body);

  const question = asked(ran, 'carrier.id');
  expect(question).toMatchObject({
    hint: 'Chargeable weight: 5 kg. Rule "All": GOOD',
    defaultAnswer: 'GOOD',
  });
  expect(choiceOf(question, 'DEAR')?.disabled).toBe('(not within 20.00 EUR)');
  expect(asked(ran, 'review')).toMatchObject({ hint: expect.stringContaining('held by the rule "All"') });
});

/** In the review, to the weight of the package. */
const WEIGHING: Script = {
  packages: ['packages[0]', 'done'],
  'packages[0]': ['packages[0].weight', 'done'],
};

describe('proposals are requested', () => {
  const field = (path: string, said: string): Script => ({
    review: ['receiver', 'submit'],
    receiver: [path, 'done'],
    [path]: said,
  });
  const weight: Script = { ...WEIGHING, review: ['packages', 'submit'], 'packages[0].weight': '7' };
  const EDITS: [string, Script, number][] = [
    ['weight of a package', weight, 2],
    ['country of the receiver', field('receiver.address.country.code', 'FR'), 2],
    ['type', { review: ['type', 'submit'], type: 'document' }, 2],
    ['name of the receiver', field('receiver.firstName', 'Hanna'), 1],
  ];

  test.each(EDITS)('when %s is changed, only if they depend on it', async (_, edit, times) => {
    const ran = await formed({ 'carrier.id': 'EXP', keep: '', ...edit });
    expect(ran.exitCode).toBe(0);
    expect(proposals(ran)).toHaveLength(times);
    // What is shown and booked is what the last of them told.
    const [kilograms, price] = edit === weight ? [7, '68.10 EUR'] : [1, '22.50 EUR'];
    expect(bodyOf(ran)).toMatchObject({ chargeableWeight: kilograms });
    expect(ran.stderr).toContain(`chargeable weight of the proposal: ${kilograms} kg`);
    if (edit !== weight) return;
    expect(lineOf(ran, 'submit')).toBe(`Book it for ${price}`);
    expect(asked(ran, 'review').hint).toContain(`${price}, charged to http`);
    expect(ran.stdout).toContain(price);
  });
});

test('a carrier that an edit makes invalid must be replaced before the booking', async () => {
  const review = ['packages', 'carrier.id', 'submit'];
  const script = { ...WEIGHING, review, 'packages[0].weight': '40', 'carrier.id': ['ECO', 'EXP'], keep: '' };
  const ran = await formed(script, '--ioss-number IM0123456789');
  const [, second, third] = ran.questions.filter(({ id }) => id === 'review');
  expect(second).toMatchObject({ defaultAnswer: 'packages' });
  expect(second && choiceOf(second, 'submit')?.disabled).toBe('(fix first: Carrier)');
  expect(second && choiceOf(second, 'carrier.id')?.name).toContain('! not valid for these packages');
  const again = ran.questions.filter(({ id }) => id === 'carrier.id')[1];
  expect(again).toMatchObject({ defaultAnswer: 'EXP' });
  expect(again && choiceOf(again, 'ECO')?.disabled).toMatch(
    /^\(not valid for these packages: a piece of \d+ kg is above 30 kg\)$/,
  );
  expect(third && choiceOf(third, 'submit')?.disabled).toBeUndefined();
  expect(ran.exitCode).toBe(0);
  expect(bodyOf(ran)).toMatchObject({ carrier: { id: 'EXP' } });
});

const { receiver, ...NOBODY } = SHIPMENT_BODY;
const to = (code: string) => ({
  ...NO_CARRIER,
  receiver: { ...receiver, address: { ...receiver.address, country: { code } } },
});

// What was only picked needs no saving.
const IOSS = 'customs.iossNumber';
test.each<[string, Script, string[]]>([
  ['DE', { 'carrier.id': 'ECO' }, ['carrier.id', IOSS, 'review', 'keep']],
  ['DE', { 'carrier.id': 'EXP' }, ['carrier.id', 'review']],
  ['GB', { 'carrier.id': 'ECO' }, ['carrier.id', 'customs.marketplaceNumber', 'review', 'keep']],
  ['US', { 'carrier.id': 'ECO' }, ['carrier.id', 'review']],
  ['DE', { 'carrier.id': ['ECO', 'EXP'], [IOSS]: BACK }, ['carrier.id', IOSS, 'carrier.id', 'review']],
])('to %s with %j the numbers that the carrier needs are asked for', async (country, script, asks) => {
  const numbers = { [IOSS]: 'IM2760000742', 'customs.marketplaceNumber': 'GB123' };
  const ran = await formed({ ...numbers, ...script, ...DONE }, '', {}, to(country));
  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual(asks);
  if (!asks.includes(IOSS)) return;
  const refused = await faultOf(asked(ran, IOSS), ' ');
  expect(refused).toContain('is required for the economy carrier to an EU country');
});

// Goods above what an IOSS number covers.
const DEAR = {
  ...NO_CARRIER,
  items: SHIPMENT_BODY.items.map(item => ({ ...item, unitPrice: 189, totalPrice: 378 })),
  customs: { currency: 'EUR', totalGoodsValue: 378 },
};

test('a carrier whose number may not be declared for the goods cannot be picked, and is not called the cheapest', async () => {
  const ran = await formed({ 'carrier.id': '', review: 'leave' }, '', {}, DEAR);
  const question = asked(ran, 'carrier.id');
  expect(choiceOf(question, 'ECO')?.disabled).toMatch(/number that may not be declared for these goods/);
  expect(choiceOf(question, 'ECO')?.name).not.toContain('cheapest');
  expect(choiceOf(question, 'EXP')?.name).toContain('cheapest');
  expect(question).toMatchObject({ defaultAnswer: 'EXP' });
});

test('a carrier of the order whose number may not be declared for the goods is a problem, and the number is not asked for', async () => {
  const order = { ...DEAR, carrier: { id: 'ECO' }, chargeableWeight: 1 };
  const ran = await formed({ review: ['leave'] }, '', {}, order);
  expect([ran.exitCode, ids(ran)]).toEqual([130, ['review']]);
  const review = asked(ran, 'review');
  expect(choiceOf(review, 'submit')?.disabled).toBe('(fix first: Carrier)');
  expect(choiceOf(review, 'carrier.id')?.name).toMatch(/number that may not be declared for these goods/);
});

test('a number of the order that may not be declared for the goods is told before the booking', async () => {
  const script = { 'carrier.id': 'EXP', review: ['leave'] };
  const ran = await formed(script, '--ioss-number IM2760000742', {}, DEAR);
  expect([ran.exitCode, ids(ran)]).toEqual([130, ['carrier.id', 'review']]);
  expect(asked(ran, 'review').hint).toContain(
    'IOSS number stays in the order, although it covers goods up to 150 EUR',
  );
});

// A form that asked for a part of customs made the numbers of the profile those of the order, which are booked wherever it goes.
test.each<[string, object]>([
  ['DE', { iossNumber: 'IM2760000742' }],
  ['US', {}],
])('to %s the numbers of the profile stay where they hold', async (country, numbers) => {
  const rig = await shopRig({ iossNumber: 'IM2760000742', marketplaceNumber: 'GB123' });
  const { customs: _, ...order } = to(country);
  rig.file('order.json', order);
  const script = { 'customs.currency': 'EUR', 'carrier.id': 'EXP', ...DONE };
  const ran = await answering(rig, 'ship -f order.json', script);
  expect([ran.exitCode, ids(ran)]).toEqual([0, ['customs.currency', 'carrier.id', 'review', 'keep']]);
  const { customs } = bodyOf(ran) as typeof SHIPMENT_BODY;
  expect(customs).toEqual({ currency: 'EUR', totalGoodsValue: 25, ...numbers });
});

test('a number of the profile that a person empties is not booked', async () => {
  const rig = await shopRig({ iossNumber: 'IM2760000742' });
  rig.file('order.json', to('DE'));
  const emptied = { review: ['customs', 'submit'], customs: [IOSS, 'done'], [IOSS]: '', keep: '' };
  const ran = await answering(rig, 'ship -f order.json', { 'carrier.id': 'EXP', ...emptied });
  expect(ran.exitCode).toBe(0);
  expect(lineOf(ran, 'customs')).toMatch(/worth 25\.00 EUR$/);
  const { customs } = bodyOf(ran) as typeof SHIPMENT_BODY;
  expect(customs).toEqual({ ...SHIPMENT_BODY.customs, iossNumber: '' });
});

test('the number of the only carrier within the bounds is asked for', async () => {
  const argv = '--carrier cheapest --service economy';
  const ran = await formed({ [IOSS]: 'IM2760000742', ...DONE }, argv);
  expect(ran.exitCode).toBe(0);
  expect(ids(ran)).toEqual(['customs.iossNumber', 'review', 'keep']);
  expect(ran.requests.filter(({ path }) => path === '/v1/shipments')).toHaveLength(1);
});

test('the national short address of a receiver in Saudi Arabia is asked for and required', async () => {
  const short = 'receiver.address.nationalShortAddress';
  const there = { 'receiver.address.country.code': 'SA', 'receiver.phone.code': '+966' };
  const saudi = { ...there, [short]: 'RRRD2929' };
  const ran = await formed({ ...BOOK, ...saudi }, '', {}, NOBODY);
  expect(ran.exitCode).toBe(0);
  expect(ids(ran).slice(-3)).toEqual([short, 'review', 'keep']);
  expect(bodyOf(ran)).toEqual(changed(saudi));
  expect(await faultOf(asked(ran, short), '')).toContain('Saudi Arabia');
});
