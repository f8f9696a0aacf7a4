import { fieldAt, fieldsOf } from '../../contract/fields.ts';
import { getAt } from '../../contract/paths.ts';
import type { FormContext, FormState } from './form.ts';
import { displayValue, isOptional, messageFor } from './questions.ts';
import { changeValue, currentBody, isWithin, pathOf, patternOf } from './state.ts';
import { stepFor } from './steps.ts';

interface Place {
  path: string;
  label: string;
}

const DONE = 'done';
const ADD = 'add';
const REMOVE = 'remove';
const REPLACE = 'replace';

/** Lets a person change the value at a path: a field, the fields of an object, the elements of a list. */
export async function edit(context: FormContext, state: FormState, place: Place): Promise<FormState> {
  const { form } = context;
  const kind = fieldAt(form.schema, pathOf(place.path))?.kind;
  const isElement = place.path.endsWith(']');
  if (kind === 'list' && !isElement && form.customQuestions?.[place.path] === undefined)
    return editList(context, state, place);
  if (kind === 'object') return editObject(context, state, place);
  const { question, apply } = await stepFor(context, askAgain(state, place.path), place.path);
  const answer = await context.ask(question);
  return answer === undefined ? state : apply(answer);
}

// A person who picks a line wants to be asked its question again.
const askAgain = (state: FormState, path: string): FormState => ({
  ...state,
  settled: state.settled.filter(other => other !== path),
});

async function editObject(context: FormContext, start: FormState, place: Place): Promise<FormState> {
  const { form } = context;
  const pattern = patternOf(place.path);
  // The profile's value would come back.
  const removable =
    (place.path.endsWith(']') || isOptional(form, place.path)) &&
    getAt(context.defaults, place.path) === undefined;
  const fields = fieldsOf(form.schema).filter(
    field => field.pattern !== pattern && isWithin(field.pattern, pattern) && field.kind !== 'object',
  );
  let state = start;
  let defaultAnswer = DONE;
  for (;;) {
    const body = currentBody(context, state);
    const choices = await Promise.all(
      fields.map(async field => {
        const path = place.path + field.pattern.slice(pattern.length);
        return {
          value: path,
          name: `${form.labelAt?.(path, body) ?? field.description}: ${(await displayValue(form, path, body)) || '-'}`,
        };
      }),
    );
    const answer = await context.ask({
      kind: 'choice',
      id: place.path,
      message: place.label,
      choices: [
        ...choices,
        ...(getAt(body, place.path) === undefined
          ? []
          : [removable ? { value: REMOVE, name: 'Remove it' } : { value: REPLACE, name: 'Replace it' }]),
        { value: DONE, name: 'Done' },
      ],
      defaultAnswer,
    });
    if (answer === undefined || answer === DONE) return state;
    if (answer === REMOVE) return changeValue(context, state, place.path, undefined);
    // Emptied and not removed, because the profile's value would come back.
    if (answer === REPLACE) return askAgain(changeValue(context, state, place.path, {}), place.path);
    defaultAnswer = answer;
    state = await edit(context, state, { path: answer, label: messageFor(form, answer, body) });
    context.saveDraft(state);
  }
}

async function editList(context: FormContext, start: FormState, place: Place): Promise<FormState> {
  const { form } = context;
  const name = form.groupNames[`${place.path}[]`] ?? place.label;
  let state = start;
  for (;;) {
    const list = getAt(currentBody(context, state), place.path);
    const length = Array.isArray(list) ? list.length : 0;
    const elements = Array.from({ length }, (_, index) => ({
      path: `${place.path}[${index}]`,
      label: `${name} ${index + 1}`,
    }));
    const answer = await context.ask({
      kind: 'choice',
      id: place.path,
      message: place.label,
      choices: [
        ...elements.map(({ path, label }) => ({ value: path, name: label })),
        { value: ADD, name: `Another ${name.toLowerCase()}` },
        { value: DONE, name: 'Done' },
      ],
      defaultAnswer: DONE,
    });
    if (answer === undefined || answer === DONE) return state;
    // Its fields are asked for like those of the first element.
    if (answer === ADD) return { ...state, open: { ...state.open, [place.path]: length } };
    const element = elements.find(({ path }) => path === answer);
    if (element) state = await edit(context, state, element);
    context.saveDraft(state);
  }
}
