// The carrier that is picked, wished for or given: what becomes of it in the review.
import { describe, expect, test } from 'vitest';
import { asked, choiceOf, formed, ids, lineOf } from '../rig/person.ts';
import { bodyOf, PROPOSALS, proposing } from '../rig/service.ts';

const DONE = { review: 'submit', keep: '' };

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
  const REST = 'ship -f order.json --set sender.lastName=';
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
