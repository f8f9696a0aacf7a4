// The carrier is picked from the service's own proposals for just these packages, and what becomes of it in the review.
import { describe, expect, test } from 'vitest';
import { asked, choiceOf, formed, ids, lineOf, type Script } from '../rig/person.ts';
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
  const CASES: [string, Record<string, string | undefined>][] = [
    ['', { DEAR: undefined, SLOW: undefined, GOOD: undefined }],
    ['--max-price 20EUR', { DEAR: '(not within 20 EUR)', SLOW: undefined, GOOD: undefined }],
    ['--max-days 5', { DEAR: undefined, SLOW: '(may take more than 5 days)', GOOD: undefined }],
    ['--service Express', { DEAR: undefined, SLOW: '(not Express)', GOOD: undefined }],
    [
      '--max-price 20USD',
      { DEAR: '(not within 20 USD)', SLOW: '(not within 20 USD)', GOOD: '(not within 20 USD)' },
    ],
  ];

  test.each(CASES)('with %j', async (bounds, disabled) => {
    const service = await proposing(...OFFERS);
    const ran = await formed({ 'carrier.id': '', review: 'leave' }, bounds, service.env);

    const question = asked(ran, 'carrier.id');
    for (const [id, why] of Object.entries(disabled)) expect(choiceOf(question, id)?.disabled).toBe(why);
    expect(choiceOf(question, 'BAD')?.disabled).toBe('(not valid for these packages)');
    // The cheapest is one that is valid, and what Enter alone picks can be had.
    expect(choiceOf(question, 'BAD')?.name).not.toContain('cheapest');
    const defaultAnswer = 'defaultAnswer' in question ? question.defaultAnswer : undefined;
    if (defaultAnswer !== undefined) expect(choiceOf(question, defaultAnswer)?.disabled).toBeUndefined();
    expect(ran.exitCode).toBe(130);
  });
});

test('without a choice the review follows, and the carrier is picked there', async () => {
  const ran = await formed({ 'carrier.id': ['', 'EXP'], review: ['carrier.id', 'submit'], keep: '' });

  expect(ran.exitCode).toBe(0);
  const [first] = ran.questions.filter(({ id }) => id === 'review');
  expect(first && choiceOf(first, 'submit')?.disabled).toBe('(fix first: Carrier)');
  expect(first && choiceOf(first, 'carrier.id')?.name).toContain('! not chosen yet');
  expect(proposals(ran)).toHaveLength(1);
});

describe('proposals are requested', () => {
  const field = (path: string, said: string): Script => ({
    review: ['receiver', 'submit'],
    receiver: [path, 'done'],
    [path]: said,
  });
  const weight: Script = {
    review: ['packages', 'submit'],
    packages: ['packages[0]', 'done'],
    'packages[0]': ['packages[0].weight', 'done'],
    'packages[0].weight': '7',
  };
  const EDITS: [string, Script, number][] = [
    ['weight of a package', weight, 2],
    ['country of the receiver', field('receiver.address.country.code', 'FR'), 2],
    ['postal code of the receiver', field('receiver.address.zipCode', '99900'), 2],
    ['type', { review: ['type', 'submit'], type: 'document' }, 2],
    ['name of the receiver', field('receiver.firstName', 'Hanna'), 1],
    ['category', { review: ['category', 'submit'], category: 'gift' }, 1],
  ];

  test.each(EDITS)('when %s is changed, only if they depend on it', async (_, edit, times) => {
    const ran = await formed({ 'carrier.id': 'EXP', keep: '', ...edit });
    expect(ran.exitCode).toBe(0);
    expect(proposals(ran)).toHaveLength(times);
    // What is shown and booked is what the last of them told.
    const [kilograms, price] = edit === weight ? [7, '68.10 EUR'] : [1, '22.50 EUR'];
    expect(bodyOf(ran)).toMatchObject({ chargeableWeight: kilograms });
    expect(ran.stderr).toContain(`chargeable weight, taken from the proposal: ${kilograms} kg`);
    if (edit !== weight) return;
    expect(lineOf(ran, 'submit')).toBe(`Book it for ${price}`);
    expect(asked(ran, 'review').hint).toContain(`\n${price}, charged to http`);
    expect(ran.stdout).toContain(price);
  });
});

test('a carrier that an edit makes invalid must be replaced before the booking', async () => {
  const ran = await formed(
    {
      'carrier.id': ['ECO', 'EXP'],
      review: ['packages', 'carrier.id', 'submit'],
      packages: ['packages[0]', 'done'],
      'packages[0]': ['packages[0].weight', 'done'],
      'packages[0].weight': '40',
      keep: '',
    },
    '--ioss-number IM0123456789',
  );

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

describe('--carrier cheapest', () => {
  const SURNAME = { 'sender.lastName': 'Example' };

  test('shows the chosen carrier in the review, and books it', async () => {
    const service = await proposing({ id: 'DEAR', price: 50 }, { id: 'GOOD', name: 'Good', price: 10 });
    const ran = await formed(
      { ...SURNAME, ...DONE },
      '--set sender.lastName= --carrier cheapest',
      service.env,
    );

    expect(ids(ran)).toEqual(['sender.lastName', 'review', 'keep']);
    expect(lineOf(ran, 'carrier.id')).toMatch(/^Carrier .*GOOD.*10\.00 EUR.*, the cheapest$/);
    expect(lineOf(ran, 'submit')).toBe('Book it for 10.00 EUR');
    expect(service.seen).toEqual([`POST ${PROPOSALS}`, 'POST /v1/shipments']);
    expect(ran.exitCode).toBe(0);
  });

  test('within limits that no proposal keeps cannot be booked, and another carrier can be picked', async () => {
    const service = await proposing({ id: 'DEAR', price: 50 });
    const ran = await formed(
      { ...SURNAME, review: 'leave' },
      '--set sender.lastName= --carrier cheapest --max-price 20EUR',
      service.env,
    );
    expect(lineOf(ran, 'carrier.id')).toContain('! no valid proposal matches');
    expect(choiceOf(asked(ran, 'review'), 'submit')?.disabled).toBe('(fix first: Carrier)');
    expect(ran.exitCode).toBe(130);
  });
});
