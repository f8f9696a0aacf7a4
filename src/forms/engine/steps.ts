import { fieldAt, fieldsOf } from '../../contract/fields.ts';
import { getAt, isRecord } from '../../contract/paths.ts';
import type { Question } from '../../prompts/question.ts';
import { missingIn } from '../../request/validate.ts';
import type { Form, FormContext, FormState } from './form.ts';
import { customQuestion, fieldQuestion, isOptional, parseAnswer } from './questions.ts';
import {
  changeValue,
  currentBody,
  givenValue,
  isWithin,
  listElementOf,
  pathOf,
  patternOf,
  requiredFieldsUnder,
} from './state.ts';

/** A question, and the form state after its answer. */
export interface Step {
  question: Question;
  apply(answer: string): FormState;
}

/**
 * The next question: the first, in the order of the form, of what is missing, what the service refused, and what a
 * person should see. `undefined` where nothing is. `said`: what was answered before somebody went back.
 */
export async function nextStep(
  context: FormContext,
  state: FormState,
  said: ReadonlyMap<string, string>,
): Promise<Step | undefined> {
  const [first] = (await pathsToAsk(context, state)).sort(byFormOrder(context.form));
  if (first === undefined) return undefined;
  return first.endsWith(ADD_MORE) ? addMoreStep(context, state, first) : stepFor(context, state, first, said);
}

/** Asks whether a list goes on. */
const ADD_MORE = '[+]';

async function pathsToAsk(context: FormContext, state: FormState): Promise<string[]> {
  const { form } = context;
  const body = currentBody(context, state);
  const issues = await context.validate(body);
  const missing = missingIn(issues, body).flatMap(({ path }) => requiredFieldsUnder(form.schema, path));
  const refused = state.refused.map(({ path }) => path).filter(path => isAskable(form, body, path));
  const shown = form.alwaysAsk.filter(
    path => !path.includes('[]') && givenValue(context, state, path) === undefined,
  );
  const open = Object.entries(state.open).flatMap(([list, index]) =>
    pathsInOpenList(context, state, list, index),
  );
  const paths = new Set([...missing, ...refused, ...shown, ...open]);
  const left = [...paths].filter(path => !state.settled.includes(path));
  // Until the rest is there, nobody knows what a wish comes to.
  if (left.length > 0 || issues.length > 0 || form.resolve === undefined) return left;
  return missingIn(await context.validate(await form.resolve(body)), body).map(({ path }) => path);
}

/** What is left of the element that is being filled; where that is nothing, whether there is another one. */
function pathsInOpenList(context: FormContext, state: FormState, list: string, index: number): string[] {
  const { form } = context;
  const element = `${list}[${index}]`;
  const shown = form.alwaysAsk
    .filter(pattern => pattern.startsWith(`${list}[]`))
    .map(pattern => element + pattern.slice(list.length + 2));
  const body = currentBody(context, state);
  const left = [
    ...requiredFieldsUnder(form.schema, element).filter(path => getAt(body, path) === undefined),
    ...shown.filter(path => givenValue(context, state, path) === undefined),
  ];
  return left.length > 0 ? left : [list + ADD_MORE];
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
export async function stepFor(
  context: FormContext,
  state: FormState,
  path: string,
  said: ReadonlyMap<string, string> = new Map(),
): Promise<Step> {
  const special = await customStep(context, state, path, said);
  if (special) return special;
  const likely = said.get(path) ?? context.form.suggest?.(path, currentBody(context, state));
  const question = await fieldQuestion(context, state, path, likely);
  return {
    question,
    apply(answer) {
      const value = parseAnswer(context.form, path, answer);
      const isLeft = value === '' && isOptional(context.form, path);
      return applyAnswer(context, state, path, isLeft ? undefined : value);
    },
  };
}

/** What the form knows of the field, or of the missing thing that it belongs to. */
async function customStep(
  context: FormContext,
  state: FormState,
  path: string,
  said: ReadonlyMap<string, string>,
): Promise<Step | undefined> {
  const { customQuestions = {} } = context.form;
  const body = currentBody(context, state);
  for (const positionIn of pathAndParents(path)) {
    const find = customQuestions[patternOf(positionIn)];
    const isThere = positionIn !== path && !isEmpty(getAt(body, positionIn));
    if (find === undefined || isThere || state.settled.includes(positionIn)) continue;
    const found = await find(positionIn, body);
    if (found === undefined) continue;
    return {
      question: customQuestion(context, state, positionIn, {
        question: found.question,
        said: said.get(found.question.id),
      }),
      apply(answer) {
        const value = found.parse(answer);
        if (value === undefined) return { ...state, settled: [...state.settled, positionIn] };
        return applyAnswer(context, state, positionIn, value);
      },
    };
  }
  return undefined;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.keys(value).length === 0);

/** `items[0].hsCode` -> `items`, `items[0]`, `items[0].hsCode`. */
function pathAndParents(path: string): string[] {
  const ends = [...path.matchAll(/[.[]|(?<=\])/g)].map(({ index }) => index);
  return [...new Set([...ends.map(end => path.slice(0, end)), path])];
}

/** The value in its place; an element that was not there before is being filled from now on. */
function applyAnswer(context: FormContext, state: FormState, path: string, value: unknown): FormState {
  const next = changeValue(context, state, path, value);
  const at = listElementOf(path);
  if (at === undefined || getAt(currentBody(context, state), at.element) !== undefined) return next;
  return { ...next, open: { ...next.open, [at.list]: at.index } };
}

function addMoreStep(context: FormContext, state: FormState, path: string): Step {
  const list = path.slice(0, -ADD_MORE.length);
  const name = context.form.groupNames[`${list}[]`] ?? list;
  return {
    question: { kind: 'confirm', id: path, message: `Another ${name.toLowerCase()}?` },
    apply(answer) {
      const { [list]: index = 0, ...closed } = state.open;
      const next = { ...state.open, [list]: index + 1 };
      return { ...state, open: answer === 'yes' ? next : closed };
    },
  };
}

function byFormOrder(form: Form): (one: string, other: string) => number {
  const natural = fieldsOf(form.schema).map(({ pattern }) => pattern);
  const rank = (path: string): number[] => {
    const element =
      listElementOf(path) ?? (path.endsWith(ADD_MORE) && { list: path.slice(0, -ADD_MORE.length) });
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
