import { expect, test } from 'vitest';
import { formState } from '../../../src/forms/engine/form.ts';
import { askMissing } from '../../../src/forms/engine/review.ts';
import { BACK, FORM, ids, scriptedForm } from '../../rig/person.ts';

const PARCEL = {
  'packages[0].quantity': '2',
  'packages[0].weight': '1.5',
  'packages[0].dimensions.width': '20',
  'packages[0].dimensions.length': '30',
  'packages[0].dimensions.height': '10',
};
const ROUTE = { originCountry: 'TR', destinationCountry: 'DE' };
const BODY = {
  ...ROUTE,
  packages: [{ quantity: 2, weight: 1.5, dimensions: { length: 30, width: 20, height: 10 } }],
};

test('everything that is required is asked for, in the order of the form, and nothing else', async () => {
  const one = scriptedForm({ ...PARCEL, 'packages[+]': 'no', ...ROUTE });

  const { body } = await askMissing(one.context, formState({}));

  expect(body).toEqual(BODY);
  expect(ids(one)).toEqual([...Object.keys(PARCEL), 'packages[+]', 'originCountry', 'destinationCountry']);
});

test('what is given is not asked for', async () => {
  const one = scriptedForm({ 'packages[0].weight': '1.5', destinationCountry: 'DE' });
  const [parcel] = BODY.packages;
  const { weight: _, ...rest } = parcel ?? {};

  const { body } = await askMissing(one.context, formState({ originCountry: 'TR', packages: [rest] }));

  expect(body).toEqual(BODY);
  expect(ids(one)).toEqual(['packages[0].weight', 'destinationCountry']);
});

test('a list is asked for until there is no further element', async () => {
  const second = Object.fromEntries(Object.entries(PARCEL).map(([id, said]) => [id.replace('0', '1'), said]));
  const one = scriptedForm({ ...PARCEL, ...second, 'packages[+]': ['yes', 'no'], ...ROUTE });

  const { body } = await askMissing(one.context, formState({}));

  expect(body).toEqual({ ...BODY, packages: [BODY.packages[0], BODY.packages[0]] });
});

test('back removes the last answer and makes it the default', async () => {
  const one = scriptedForm({
    ...PARCEL,
    'packages[0].quantity': ['3', '2'],
    'packages[0].weight': [BACK, '1.5'],
    'packages[+]': 'no',
    ...ROUTE,
  });

  const { body } = await askMissing(one.context, formState({}));

  expect(body).toEqual(BODY);
  expect(ids(one).slice(0, 4)).toEqual([
    'packages[0].quantity',
    'packages[0].weight',
    'packages[0].quantity',
    'packages[0].weight',
  ]);
  expect(one.questions[2]).toMatchObject({ defaultAnswer: '3' });
});

test('back also undoes a yes to a further element', async () => {
  const one = scriptedForm({
    ...PARCEL,
    'packages[+]': ['yes', 'no'],
    'packages[1].quantity': BACK,
    ...ROUTE,
  });

  expect((await askMissing(one.context, formState({}))).body).toEqual(BODY);
});

test('the first question leaves, all others go back, and what came before is returned to', async () => {
  const one = scriptedForm({ originCountry: 'TR', destinationCountry: 'DE' });
  const start = formState({ packages: BODY.packages });
  expect((await askMissing(one.context, start)).body).toEqual(BODY);
  expect(one.questions.map(({ esc }) => esc)).toEqual(['leave', 'back']);

  const later = scriptedForm({ originCountry: BACK });
  const before = formState(BODY);
  expect(await askMissing(later.context, start, { states: [before], answers: new Map() })).toBe(before);
});

test('every answer is saved, so that only the rest is asked for later', async () => {
  const one = scriptedForm({ ...PARCEL, 'packages[+]': 'no', ...ROUTE });
  await askMissing(one.context, formState({}));

  expect(one.drafts).toHaveLength(8);
  for (const [index, state] of one.drafts.entries()) {
    const again = scriptedForm({ ...PARCEL, 'packages[+]': 'no', ...ROUTE });
    const stored = JSON.parse(JSON.stringify(state));
    expect((await askMissing(again.context, stored)).body).toEqual(BODY);
    expect(ids(again)).toEqual(ids(one).slice(index + 1));
  }
});

test("the profile's values count as answers, and a typed part of a party or list is laid over them", async () => {
  const [parcel] = BODY.packages;
  const { weight: _, ...rest } = parcel ?? {};
  const one = scriptedForm({ 'packages[0].weight': '1.5' }, { defaults: { ...ROUTE, packages: [rest] } });

  expect((await askMissing(one.context, formState({}))).body).toEqual({ packages: BODY.packages });
});

test('a rule that is broken asks for the field that it needs', async () => {
  const one = scriptedForm({
    ...PARCEL,
    'packages[0].quantity': '1',
    'packages[0].weight': '2.5',
    'packages[+]': 'no',
    ...ROUTE,
  });
  await askMissing(one.context, formState({ packageType: 'document' }));

  const [pieces, weight] = one.questions;
  const check = (question: typeof pieces, text: string) =>
    question?.kind === 'text' ? question.check(text) : 'not a text';
  expect(await check(pieces, '2')).toBe('It must be exactly 1 for a document, not 2');
  expect(await check(weight, '2.6')).toBe(
    'It must be at most 2.5 kg for a document, not 2.6. A right one looks like this: 1.5',
  );
  expect(await check(weight, '2,6')).toBe(
    'It must be at most 2.5 kg for a document, not 2.6. A right one looks like this: 1.5',
  );
  expect(await check(weight, '2,5')).toBeUndefined();
  expect(await check(weight, '-1')).toBe('It must not be negative, not -1. A right one looks like this: 1.5');
  expect(await check(weight, ' ')).toContain('It must be a number');
  expect(await check(weight, '2.5')).toBeUndefined();
});

test('a decimal comma is a dot, unless it may stand between thousands', async () => {
  const one = scriptedForm({
    ...PARCEL,
    'packages[0].weight': ' 1,25 ',
    'packages[0].dimensions.length': '0,250',
    'packages[0].dimensions.width': ',5',
    'packages[+]': 'no',
    ...ROUTE,
  });
  const { body } = await askMissing(one.context, formState({}));
  expect(body).toMatchObject({ packages: [{ weight: 1.25, dimensions: { length: 0.25, width: 0.5 } }] });

  const weight = one.questions.find(({ id }) => id === 'packages[0].weight');
  if (weight?.kind !== 'text') throw new Error('not a text');
  expect(weight.takenAs?.('1,25')).toBe('1.25');
  expect(await weight.check('1,234')).toBe('It may be 1.234 or 1234: type the one that you mean');
  for (const typed of ['1.234,5', '1,2,3', '1,']) expect(await weight.check(typed)).toContain('a number');
});

test("a refused field is asked for again, with the service's words and the current value", async () => {
  const one = scriptedForm({ originCountry: 'TR' });
  const refused = [{ path: 'originCountry', message: 'we do not collect there' }];

  const state = await askMissing(one.context, { ...formState({ ...BODY, originCountry: 'KP' }), refused });

  expect(state).toEqual({ ...formState(BODY), open: {} });
  expect(one.questions).toMatchObject([
    { hint: 'The service: we do not collect there', defaultAnswer: 'KP' },
  ]);
});

const PICKS = ['small', ''].map(value => ({ value, name: value }));

test('a custom question for an object or an element comes before its fields', async () => {
  const special = {
    'packages[]': async (path: string) => ({
      question: { kind: 'choice' as const, id: path, message: 'Package', choices: PICKS },
      parse: (answer: string) => (answer === '' ? undefined : BODY.packages[0]),
    }),
  };
  const picked = scriptedForm(
    { 'packages[0]': 'small', 'packages[+]': 'no', ...ROUTE },
    { form: { ...FORM, customQuestions: special } },
  );
  expect((await askMissing(picked.context, formState({}))).body).toEqual(BODY);

  const typed = scriptedForm(
    {
      'packages[0]': ['small', ''],
      ...PARCEL,
      'packages[0].quantity': '2',
      'packages[+]': [BACK, 'no'],
      ...ROUTE,
    },
    { form: { ...FORM, customQuestions: special } },
  );
  expect((await askMissing(typed.context, formState({}))).body).toEqual(BODY);
  expect(ids(typed).slice(0, 4)).toEqual([
    'packages[0]',
    'packages[+]',
    'packages[0]',
    'packages[0].quantity',
  ]);
});
