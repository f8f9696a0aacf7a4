import { fieldsOf } from '../../contract/fields.ts';
import { getAt, listAt } from '../../contract/paths.ts';
import type { FormContext, FormState } from './form.ts';
import { labelOf, messageFor } from './labels.ts';
import { displayValue, isOptional } from './questions.ts';
import { changeValue, currentBody, fieldIn, isWithin, patternOf } from './state.ts';
import { stepFor } from './steps.ts';

interface Place {
  path: string;
  label: string;
}

interface Menu {
  /** What can be changed, each with its line. */
  places: readonly (Place & { line: string })[];
  /** A choice that ends the menu. */
  last?: { value: string; name: string; apply(): FormState };
}

const DONE = 'done';

/** Lets a person change the value at a path: a field, the fields of an object, the elements of a list. */
export async function edit(context: FormContext, state: FormState, place: Place): Promise<FormState> {
  const { form } = context;
  const kind = fieldIn(form.schema, place.path)?.kind;
  if (kind === 'object') return editInMenu(context, state, place, objectMenu);
  if (kind === 'list' && form.customQuestions?.[place.path] === undefined)
    return editInMenu(context, state, place, listMenu);
  const { question, apply } = await stepFor(context, askAgain(state, place.path), place.path);
  const answer = await context.ask(question);
  return answer === undefined ? state : apply(answer);
}

// A person who picks a line wants to be asked its question again.
const askAgain = (state: FormState, path: string): FormState => ({
  ...state,
  settled: state.settled.filter(other => other !== path),
});

async function editInMenu(
  context: FormContext,
  start: FormState,
  place: Place,
  menuOf: typeof objectMenu,
): Promise<FormState> {
  let state = start;
  let defaultAnswer = DONE;
  for (;;) {
    const { places, last } = await menuOf(context, state, place);
    const choices = [
      ...places.map(({ path, line }) => ({ value: path, name: line })),
      ...(last ? [{ value: last.value, name: last.name }] : []),
      { value: DONE, name: 'Done' },
    ];
    const question = {
      kind: 'choice',
      id: place.path,
      message: place.label,
      choices,
      defaultAnswer,
    } as const;
    const answer = await context.ask(question);
    const picked = places.find(({ path }) => path === answer);
    if (picked === undefined) return last && answer === last.value ? last.apply() : state;
    // An element may be gone afterwards.
    if (!picked.path.endsWith(']')) defaultAnswer = picked.path;
    state = await edit(context, state, picked);
    context.saveDraft(state);
  }
}

async function objectMenu(context: FormContext, state: FormState, { path }: Place): Promise<Menu> {
  const { form } = context;
  const body = currentBody(context, state);
  const pattern = patternOf(path);
  const fields = fieldsOf(form.schema).filter(
    field => field.pattern !== pattern && isWithin(field.pattern, pattern) && field.kind !== 'object',
  );
  const places = await Promise.all(
    fields.map(async field => {
      const inner = path + field.pattern.slice(pattern.length);
      const name = labelOf(form, inner, body);
      const value = (await displayValue(form, inner, body)) || '-';
      return { path: inner, label: messageFor(form, inner, body), line: `${name}: ${value}` };
    }),
  );
  if (getAt(body, path) === undefined) return { places };
  const set = (value: unknown) => changeValue(context, state, path, value);
  const isRemovable = path.endsWith(']') || isOptional(form, path);
  if (isRemovable && getAt(context.defaults, path) === undefined)
    return { places, last: { value: 'remove', name: 'Remove it', apply: () => set(undefined) } };
  // Emptied and not removed, because the profile's value would come back.
  const apply = () => askAgain(set({}), path);
  return { places, last: { value: 'replace', name: 'Replace it', apply } };
}

async function listMenu(context: FormContext, state: FormState, { path, label }: Place): Promise<Menu> {
  const name = context.form.groupNames[`${path}[]`] ?? label;
  const { length } = listAt(currentBody(context, state), path);
  const places = Array.from({ length }, (_, index) => {
    const line = `${name} ${index + 1}`;
    return { path: `${path}[${index}]`, label: line, line };
  });
  // Its fields are asked for like those of the first element.
  const apply = () => ({ ...state, open: { ...state.open, [path]: length } });
  return { places, last: { value: 'add', name: `Another ${name.toLowerCase()}`, apply } };
}
