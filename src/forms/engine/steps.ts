import { fieldAt, fieldsOf } from '../../contract/fields.ts';
import { getAt, isRecord } from '../../contract/paths.ts';
import type { Question } from '../../prompts/question.ts';
import { missingIn } from '../../request/validate.ts';
import { change, elementOf, givenAt, isWithin, leavesUnder, pathOf, patternOf, soFar } from './entered.ts';
import type { Entered, Form, Ground } from './form.ts';
import { isOptional, ownQuestion, questionAt, valueFor } from './questions.ts';

/** A question, and what its answer makes of what is entered. */
export interface Step {
  question: Question;
  take(answer: string): Entered;
}

/**
 * The next question: the first, in the order of the form, of what is missing, what the service refused, and what a
 * person should see. `undefined` where nothing is. `said`: what was answered before somebody went back.
 */
export async function nextStep(
  ground: Ground,
  entered: Entered,
  said: ReadonlyMap<string, string>,
): Promise<Step | undefined> {
  const [first] = (await wanted(ground, entered)).sort(inOrder(ground.form));
  if (first === undefined) return undefined;
  return first.endsWith(MORE) ? moreStep(ground, entered, first) : stepAt(ground, entered, first, said);
}

/** Asks whether a list goes on. */
const MORE = '[+]';

async function wanted(ground: Ground, entered: Entered): Promise<string[]> {
  const { form } = ground;
  const body = soFar(ground, entered);
  const issues = await ground.validate(body);
  const missing = missingIn(issues, body).flatMap(({ path }) => leavesUnder(form.schema, path));
  const refused = entered.refused.map(({ path }) => path).filter(path => isAskable(form, body, path));
  const shown = form.shown.filter(
    path => !path.includes('[]') && givenAt(ground, entered, path) === undefined,
  );
  const open = Object.entries(entered.open).flatMap(([list, index]) => openIn(ground, entered, list, index));
  const paths = new Set([...missing, ...refused, ...shown, ...open]);
  const left = [...paths].filter(path => !entered.settled.includes(path));
  // Until the rest is there, nobody knows what a wish comes to.
  if (left.length > 0 || issues.length > 0 || form.meant === undefined) return left;
  return missingIn(await ground.validate(await form.meant(body)), body).map(({ path }) => path);
}

/** What is left of the element that is being filled; where that is nothing, whether there is another one. */
function openIn(ground: Ground, entered: Entered, list: string, index: number): string[] {
  const { form } = ground;
  const element = `${list}[${index}]`;
  const shown = form.shown
    .filter(pattern => pattern.startsWith(`${list}[]`))
    .map(pattern => element + pattern.slice(list.length + 2));
  const body = soFar(ground, entered);
  const left = [
    ...leavesUnder(form.schema, element).filter(path => getAt(body, path) === undefined),
    ...shown.filter(path => givenAt(ground, entered, path) === undefined),
  ];
  return left.length > 0 ? left : [list + MORE];
}

/** Can the field be asked for: a single one, of something that is there? */
export function isAskable({ schema }: Form, body: unknown, path: string): boolean {
  const field = fieldAt(schema, pathOf(path));
  const parent = pathOf(path).slice(0, -1);
  return (
    field !== undefined &&
    !['object', 'list', 'map'].includes(field.kind) &&
    getAt(body, parent) !== undefined
  );
}

/** The step for one field, or for the first of those under a path that are missing. */
export async function stepAt(
  ground: Ground,
  entered: Entered,
  path: string,
  said: ReadonlyMap<string, string> = new Map(),
): Promise<Step> {
  const special = await specialAt(ground, entered, path, said);
  if (special) return special;
  const likely = said.get(path) ?? ground.form.offer?.(path, soFar(ground, entered));
  const question = await questionAt(ground, entered, path, likely);
  return {
    question,
    take(answer) {
      const value = valueFor(ground.form, path, answer);
      const isLeft = value === '' && isOptional(ground.form, path);
      return answered(ground, entered, path, isLeft ? undefined : value);
    },
  };
}

/** What the form knows of the field, or of the missing thing that it belongs to. */
async function specialAt(
  ground: Ground,
  entered: Entered,
  path: string,
  said: ReadonlyMap<string, string>,
): Promise<Step | undefined> {
  const { special = {} } = ground.form;
  const body = soFar(ground, entered);
  for (const place of placesOf(path)) {
    const find = special[patternOf(place)];
    const isThere = place !== path && !isEmpty(getAt(body, place));
    if (find === undefined || isThere || entered.settled.includes(place)) continue;
    const found = await find(place, body);
    if (found === undefined) continue;
    return {
      question: ownQuestion(ground, entered, place, {
        question: found.question,
        said: said.get(found.question.id),
      }),
      take(answer) {
        const value = found.take(answer);
        if (value === undefined) return { ...entered, settled: [...entered.settled, place] };
        return answered(ground, entered, place, value);
      },
    };
  }
  return undefined;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.keys(value).length === 0);

/** `items[0].hsCode` -> `items`, `items[0]`, `items[0].hsCode`. */
function placesOf(path: string): string[] {
  const ends = [...path.matchAll(/[.[]|(?<=\])/g)].map(({ index }) => index);
  return [...new Set([...ends.map(end => path.slice(0, end)), path])];
}

/** The value in its place; an element that was not there before is being filled from now on. */
function answered(ground: Ground, entered: Entered, path: string, value: unknown): Entered {
  const next = change(ground, entered, path, value);
  const at = elementOf(path);
  if (at === undefined || getAt(soFar(ground, entered), at.element) !== undefined) return next;
  return { ...next, open: { ...next.open, [at.list]: at.index } };
}

function moreStep(ground: Ground, entered: Entered, path: string): Step {
  const list = path.slice(0, -MORE.length);
  const name = ground.form.names[`${list}[]`] ?? list;
  return {
    question: { kind: 'confirm', id: path, message: `Another ${name.toLowerCase()}?` },
    take(answer) {
      const { [list]: index = 0, ...closed } = entered.open;
      const next = { ...entered.open, [list]: index + 1 };
      return { ...entered, open: answer === 'yes' ? next : closed };
    },
  };
}

function inOrder(form: Form): (one: string, other: string) => number {
  const natural = fieldsOf(form.schema).map(({ pattern }) => pattern);
  const rank = (path: string): number[] => {
    const element = elementOf(path) ?? (path.endsWith(MORE) && { list: path.slice(0, -MORE.length) });
    const unit = element ? element.list : patternOf(path);
    const index = element && 'index' in element ? element.index : Number.MAX_SAFE_INTEGER;
    return [
      place(form.order, unit),
      index,
      place(form.order, patternOf(path)),
      natural.indexOf(patternOf(path)),
    ];
  };
  return (one, other) => {
    const [left, right] = [rank(one), rank(other)];
    const at = left.findIndex((part, index) => part !== right[index]);
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
  };
}

/** Where in the order a pattern stands, itself or with what it belongs to, or what belongs to it; else at the end. */
function place(order: readonly string[], pattern: string): number {
  const exact = order.indexOf(pattern);
  const near = exact < 0 ? order.findIndex(one => isWithin(pattern, one) || isWithin(one, pattern)) : exact;
  return near < 0 ? order.length : near;
}
