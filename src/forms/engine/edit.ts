import { fieldAt, fieldsOf } from '../../contract/fields.ts';
import { getAt } from '../../contract/paths.ts';
import { change, isWithin, pathOf, patternOf, soFar } from './entered.ts';
import type { Entered, Ground } from './form.ts';
import { isOptional, messageAt, wordsAt } from './questions.ts';
import { stepAt } from './steps.ts';

interface Place {
  path: string;
  label: string;
}

const DONE = 'done';
const ADD = 'add';
const REMOVE = 'remove';
const ANEW = 'anew';

/** Lets a person change what is at a path: one field, the fields of an object, the elements of a list. */
export async function edit(ground: Ground, entered: Entered, place: Place): Promise<Entered> {
  const { form } = ground;
  const kind = fieldAt(form.schema, pathOf(place.path))?.kind;
  const isElement = place.path.endsWith(']');
  if (kind === 'list' && !isElement && form.special?.[place.path] === undefined)
    return editList(ground, entered, place);
  if (kind === 'object') return editObject(ground, entered, place);
  const { question, take } = await stepAt(ground, unsettled(entered, place.path), place.path);
  const answer = await ground.ask(question);
  return answer === undefined ? entered : take(answer);
}

// Whoever comes back to a question wants to be asked it again.
const unsettled = (entered: Entered, path: string): Entered => ({
  ...entered,
  settled: entered.settled.filter(other => other !== path),
});

async function editObject(ground: Ground, start: Entered, place: Place): Promise<Entered> {
  const { form } = ground;
  const pattern = patternOf(place.path);
  // What the profile fills in would come back.
  const removable =
    (place.path.endsWith(']') || isOptional(form, place.path)) &&
    getAt(ground.defaults, place.path) === undefined;
  const fields = fieldsOf(form.schema).filter(
    field => field.pattern !== pattern && isWithin(field.pattern, pattern) && field.kind !== 'object',
  );
  let entered = start;
  let offer = DONE;
  for (;;) {
    const body = soFar(ground, entered);
    const choices = await Promise.all(
      fields.map(async field => {
        const path = place.path + field.pattern.slice(pattern.length);
        return {
          value: path,
          name: `${form.says?.(path, body) ?? field.says}: ${(await wordsAt(form, path, body)) || '-'}`,
        };
      }),
    );
    const answer = await ground.ask({
      kind: 'choice',
      id: place.path,
      message: place.label,
      choices: [
        ...choices,
        ...(getAt(body, place.path) === undefined
          ? []
          : [
              removable
                ? { value: REMOVE, name: 'Take it out' }
                : { value: ANEW, name: 'Another one in its place' },
            ]),
        { value: DONE, name: 'Done' },
      ],
      offer,
    });
    if (answer === undefined || answer === DONE) return entered;
    if (answer === REMOVE) return change(ground, entered, place.path, undefined);
    // Empty, and not away: the profile's must not show through.
    if (answer === ANEW) return unsettled(change(ground, entered, place.path, {}), place.path);
    offer = answer;
    entered = await edit(ground, entered, { path: answer, label: messageAt(form, answer, body) });
    ground.keep(entered);
  }
}

async function editList(ground: Ground, start: Entered, place: Place): Promise<Entered> {
  const { form } = ground;
  const name = form.names[`${place.path}[]`] ?? place.label;
  let entered = start;
  for (;;) {
    const list = getAt(soFar(ground, entered), place.path);
    const length = Array.isArray(list) ? list.length : 0;
    const elements = Array.from({ length }, (_, index) => ({
      path: `${place.path}[${index}]`,
      label: `${name} ${index + 1}`,
    }));
    const answer = await ground.ask({
      kind: 'choice',
      id: place.path,
      message: place.label,
      choices: [
        ...elements.map(({ path, label }) => ({ value: path, name: label })),
        { value: ADD, name: `Another ${name.toLowerCase()}` },
        { value: DONE, name: 'Done' },
      ],
      offer: DONE,
    });
    if (answer === undefined || answer === DONE) return entered;
    // Its fields are asked as those of a first one are.
    if (answer === ADD) return { ...entered, open: { ...entered.open, [place.path]: length } };
    const element = elements.find(({ path }) => path === answer);
    if (element) entered = await edit(ground, entered, element);
    ground.keep(entered);
  }
}
