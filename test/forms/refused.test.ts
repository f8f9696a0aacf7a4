// What the service refuses comes back to the form, with its words at the field.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRig } from '../rig/command.ts';
import { asked, BOOK, ids, type Script, SHIPMENT_BODY, says } from '../rig/person.ts';
import { cannedService, PROPOSALS } from '../rig/service.ts';

const SHIPMENTS = '/v1/shipments';
const proposal = (id: string) => ({
  id,
  name: id,
  serviceType: 'express',
  isValid: true,
  deliveryTime: '1-3 days',
  currency: 'EUR',
  price: 10,
});

/** Refuses the first booking with this, and takes the second. */
async function refusing(status: number, body: unknown, script: Script, argv = 'ship -f order.json') {
  const answers: Record<string, { status: number; body: unknown }> = {
    [PROPOSALS]: {
      status: 201,
      body: { chargeableWeight: 1, proposals: [proposal('EXP'), proposal('OTHER')] },
    },
    [SHIPMENTS]: { status, body },
  };
  const service = await cannedService(answers);
  const rig = await createRig();
  const { carrier: _, chargeableWeight: __, ...order } = SHIPMENT_BODY;
  rig.file('order.json', order);
  const answer = says({ 'carrier.id': 'EXP', keep: '', ...script });
  const ran = await rig.run(argv, {
    terminal: true,
    env: service.env,
    answers: question => {
      // Once it has refused, it takes what comes next.
      if (service.seen.includes(`POST ${SHIPMENTS}`))
        answers[SHIPMENTS] = { status: 201, body: { id: 'S-1' } };
      return answer(question);
    },
  });
  return { ran, rig, seen: service.seen };
}

const TWICE = [`POST ${PROPOSALS}`, `POST ${SHIPMENTS}`, `POST ${SHIPMENTS}`];
const drafts = (folder: string) =>
  readdirSync(join(folder, 'state/drafts')).filter(name => name.endsWith('.json'));

test("a refused field shows the service's words and its current value, and then it is booked", async () => {
  const { ran, rig, seen } = await refusing(
    422,
    { message: 'not valid', errors: [{ path: 'items.0.hsCode', message: 'is no tariff number' }] },
    { review: ['submit', 'submit'], 'items[0].hsCode': '610990' },
  );

  expect(ids(ran)).toEqual(['carrier.id', 'review', 'items[0].hsCode', 'review', 'keep']);
  expect(asked(ran, 'items[0].hsCode')).toMatchObject({
    hint: expect.stringMatching(
      /^The service: is no tariff number\nThe number of the goods in the customs tariff/,
    ),
    value: '610910',
  });
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stdout).toContain('S-1');
  expect(seen).toEqual(TWICE);
  expect(drafts(rig.folder)).toEqual([]);
});

test('several refused fields are asked for in the order of the form', async () => {
  const { ran } = await refusing(
    400,
    {
      errors: {
        'customs.currency': ['is not traded'],
        'receiver.address.zipCode': ['is unknown', 'is too short'],
        type: 'is not taken',
      },
    },
    {
      review: ['submit', 'submit'],
      type: 'package',
      'receiver.address.zipCode': '01069',
      'customs.currency': 'EUR',
    },
  );

  expect(ids(ran)).toEqual([
    'carrier.id',
    'review',
    'type',
    'receiver.address.zipCode',
    'customs.currency',
    'review',
    'keep',
  ]);
  expect(asked(ran, 'receiver.address.zipCode').hint).toBe('The service: is unknown; is too short');
  expect(asked(ran, 'type').hint).toBe('The service: is not taken');
  expect(ran.exitCode).toBe(0);
});

describe('a refusal of no single field stands above the review:', () => {
  const CASES: [string, unknown, string][] = [
    [
      'a whole party',
      { errors: [{ path: 'receiver.address', message: 'does not exist' }] },
      'receiver.address does not exist',
    ],
    [
      'an item that there is not',
      { errors: [{ path: 'items.1.hsCode', message: 'is wrong' }] },
      'Item 2: HS code is wrong',
    ],
    ['a sentence alone', { message: 'Your account is blocked' }, 'Your account is blocked'],
  ];

  test.each(CASES)('%s', async (_, body, words) => {
    const { ran, seen } = await refusing(
      422,
      body,
      { review: ['submit', 'category', 'submit'], category: 'gift' },
      'ship -f order.json -q',
    );

    const [, second] = ran.questions.filter(({ id }) => id === 'review');
    expect(second?.hint).toContain(words);
    expect(ids(ran)).toEqual(['carrier.id', 'review', 'review', 'category', 'review', 'keep']);
    expect(seen).toEqual(TWICE);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'S-1\n' });
  });
});

test('after a refusal the whole request is sent again, with the same key', async () => {
  const { ran, rig, seen } = await refusing(
    400,
    { errors: [{ path: 'packages[0].weight', message: 'is too light' }] },
    { ...BOOK, review: ['submit', 'submit'], 'packages[0].weight': ['0.6', '0.7'] },
    'ship --key ORDER-1',
  );
  expect(ran.exitCode).toBe(0);
  const list = JSON.parse((await rig.run('history list --key ORDER-1 --json')).stdout);
  expect(list.map(({ state }: { state: string }) => state).sort()).toEqual(['created', 'rejected']);
  // Another weight has other proposals.
  expect(seen).toEqual([`POST ${PROPOSALS}`, `POST ${SHIPMENTS}`, `POST ${PROPOSALS}`, `POST ${SHIPMENTS}`]);
});
