import { expect, test } from 'vitest';
import { type Form, formState } from '../../../src/forms/engine/form.ts';
import { reviewForm } from '../../../src/forms/engine/review.ts';
import { BACK, FORM, ids, scriptedForm } from '../../rig/person.ts';

const PARCEL = { quantity: 2, weight: 1.5, dimensions: { length: 30, width: 20, height: 10 } };
const BODY = { originCountry: 'TR', destinationCountry: 'DE', packages: [PARCEL] };

const REVIEWED: Form = {
  ...FORM,
  review: async body => ({
    summary: ['TR → DE'],
    lines: [
      { label: 'From', path: 'originCountry', text: (body as typeof BODY).originCountry },
      { label: 'Packages', path: 'packages', text: `${(body as typeof BODY).packages.length}` },
      { label: 'Postal code', path: 'postalCode', text: '' },
    ],
    submitLabel: 'Ask',
  }),
};

test('a complete request is shown on one page, and Enter submits it', async () => {
  const one = scriptedForm({ review: 'submit' }, { form: REVIEWED });

  expect(await reviewForm(one.context, formState(BODY))).toEqual({
    state: formState(BODY),
    decision: 'submit',
  });
  expect(one.questions).toMatchObject([
    {
      kind: 'choice',
      hint: 'TR → DE',
      defaultAnswer: 'submit',
      choices: [
        { value: 'originCountry', name: 'From         TR' },
        { value: 'packages', name: 'Packages     1' },
        { value: 'postalCode', name: 'Postal code  -' },
        { value: 'submit', name: 'Ask' },
        { value: 'save' },
        { value: 'leave' },
        { value: 'discard' },
      ],
    },
  ]);
});

test.each(['save', 'leave', 'discard'])('it can end with %s', async end => {
  const one = scriptedForm({ review: end }, { form: REVIEWED });
  expect((await reviewForm(one.context, formState(BODY))).decision).toBe(end);
});

test('without a review the form is submitted as soon as nothing is missing', async () => {
  const one = scriptedForm({});
  expect((await reviewForm(one.context, formState(BODY))).decision).toBe('submit');
});

test('a picked line is asked for again with its current value, and back leaves it unchanged', async () => {
  const one = scriptedForm(
    { review: ['originCountry', 'originCountry', 'submit'], originCountry: ['GB', BACK] },
    { form: REVIEWED },
  );

  const { state } = await reviewForm(one.context, formState(BODY));

  expect(state.body).toEqual({ ...BODY, originCountry: 'GB' });
  expect(one.questions.filter(({ id }) => id === 'originCountry')).toMatchObject([
    { defaultAnswer: 'TR' },
    { defaultAnswer: 'GB' },
  ]);
  expect(one.drafts.at(-1)).toEqual(state);
});

test('a field of an element of a list is changed, and the list grows and shrinks', async () => {
  const one = scriptedForm(
    {
      review: ['packages', 'packages', 'packages', 'submit'],
      packages: ['packages[0]', 'done', 'add', 'packages[0]', 'done'],
      'packages[0]': ['packages[0].weight', 'done', 'remove'],
      'packages[0].weight': '1.75',
      'packages[1].quantity': '1',
      'packages[1].weight': '3',
      'packages[1].dimensions.width': '1',
      'packages[1].dimensions.length': '2',
      'packages[1].dimensions.height': '3',
      'packages[+]': 'no',
    },
    { form: REVIEWED },
  );

  const { state } = await reviewForm(one.context, formState(BODY));

  expect(one.drafts.some(({ body }) => (body as typeof BODY).packages[0]?.weight === 1.75)).toBe(true);
  expect((state.body as typeof BODY).packages).toEqual([
    { quantity: 1, weight: 3, dimensions: { length: 2, width: 1, height: 3 } },
  ]);
});

test('after its last element is removed, a required list is asked for again', async () => {
  const one = scriptedForm(
    {
      review: ['packages', 'submit'],
      packages: ['packages[0]', 'done'],
      'packages[0]': 'remove',
      'packages[0].quantity': '1',
      'packages[0].weight': '3',
      'packages[0].dimensions.width': '1',
      'packages[0].dimensions.length': '2',
      'packages[0].dimensions.height': '3',
      'packages[+]': 'no',
    },
    { form: REVIEWED },
  );

  const { state } = await reviewForm(one.context, formState(BODY));

  expect((state.body as typeof BODY).packages).toMatchObject([{ weight: 3 }]);
});

test('an optional field can be emptied', async () => {
  const one = scriptedForm(
    { review: ['postalCode', 'postalCode', 'submit'], postalCode: ['10119', ''] },
    { form: REVIEWED },
  );

  const { state } = await reviewForm(one.context, formState(BODY));

  expect(state.body).toEqual(BODY);
  expect(one.questions.filter(({ id }) => id === 'postalCode')).toMatchObject([{}, { value: '10119' }]);
});

test('a line with a problem disables the last choice, and says why', async () => {
  const line = { label: 'Carrier', path: 'postalCode', text: 'ECO', problem: 'not valid' };
  const form: Form = {
    ...FORM,
    review: async () => ({ summary: [], lines: [line], submitLabel: 'Book it' }),
  };
  const one = scriptedForm({ review: 'leave' }, { form });
  await reviewForm(one.context, formState(BODY));

  expect(one.questions).toMatchObject([
    {
      defaultAnswer: 'postalCode',
      choices: [
        { value: 'postalCode', name: 'Carrier  ECO  ! not valid' },
        { value: 'submit', disabled: '(fix first: Carrier)' },
        {},
        {},
        {},
      ],
    },
  ]);
});

test('a refusal that belongs to no field stands above the page', async () => {
  const refused = [
    { path: 'contract', message: 'is not signed' },
    { path: '', message: 'no' },
  ];
  const one = scriptedForm({ review: 'leave' }, { form: REVIEWED });
  await reviewForm(one.context, { ...formState(BODY), refused });

  expect(one.questions).toMatchObject([
    { hint: 'TR → DE\nThe service: contract is not signed\nThe service: no' },
  ]);
  expect(ids(one)).toEqual(['review']);
});
