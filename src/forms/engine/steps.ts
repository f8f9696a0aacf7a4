import { fieldsOf } from '../../contract/fields.ts';
import { getAt, isRecord } from '../../contract/paths.ts';
import { missingIn } from '../../order/check.ts';
import type { Question } from '../../prompts/question.ts';
import type { Form, FormContext, FormState } from './form.ts';
import { fieldQuestion, parseAnswer, withCurrentAnswer } from './questions.ts';
import {
  changeValue,
  currentBody,
  fieldIn,
  givenValue,
  isWithin,
  listElementOf,
  pathOf,
  patternOf,
  requiredFieldsUnder,
  suggestionAt,
} from './state.ts';

/** `items[+]`: whether the list has another element. */
const ADD_MORE = '[+]';

/** A question, and the form state after its answer. */
export interface Step {
  question: Question;
  apply(answer: string): FormState;
}

type Answers = ReadonlyMap<string, string>;

/**
 * The next question, in the order of the form: for what is missing, what the service refused, and what is always asked.
 * `answers` are those that were given before the person went back.
 */
export async function nextStep(
  context: FormContext,
  state: FormState,
  answers: Answers,
): Promise<Step | undefined> {
  const [first] = (await pathsToAsk(context, state)).sort(byOrder(context.form));
  if (first === undefined) return undefined;
  return first.endsWith(ADD_MORE)
    ? addMoreStep(context, state, first)
    : stepFor(context, state, first, answers);
}

async function pathsToAsk(context: FormContext, state: FormState): Promise<string[]> {
  const { form } = context;
  const body = currentBody(context, state);
  const issues = context.validate(body);
  const paths = new Set([
    ...missingIn(issues, body).flatMap(({ path }) => requiredFieldsUnder(form.schema, path)),
    ...state.refused.map(({ path }) => path).filter(path => isAskable(form, body, path)),
    ...(form.alwaysAsk ?? []).filter(
      path => !path.includes('[]') && givenValue(context, state, path) === undefined,
    ),
    ...Object.entries(state.open).flatMap(([list, index]) => pathsInOpenList(context, state, list, index)),
  ]);
  const open = [...paths].filter(path => !state.settled.includes(path));
  // Which fields a chosen carrier requires is known only when the rest is complete.
  if (open.length > 0 || issues.length > 0 || form.resolve === undefined) return open;
  return missingIn(context.validate(await form.resolve(body)), body).map(({ path }) => path);
}

/** What is missing in the current element of the list; if nothing is, whether there is another element. */
function pathsInOpenList(context: FormContext, state: FormState, list: string, index: number): string[] {
  const { schema, alwaysAsk = [] } = context.form;
  const element = `${list}[${index}]`;
  const body = currentBody(context, state);
  const paths = [
    ...requiredFieldsUnder(schema, element).filter(path => getAt(body, path) === undefined),
    ...alwaysAsk
      .filter(pattern => pattern.startsWith(`${list}[]`))
      .map(pattern => element + pattern.slice(list.length + 2))
      .filter(path => givenValue(context, state, path) === undefined),
  ];
  return paths.length > 0 ? paths : [list + ADD_MORE];
}

/** Is it a single field, and is what it belongs to in the body? */
export function isAskable({ schema }: Form, body: unknown, path: string): boolean {
  const field = fieldIn(schema, path);
  return (
    field !== undefined &&
    !['object', 'list', 'map'].includes(field.kind) &&
    getAt(body, pathOf(path).slice(0, -1)) !== undefined
  );
}

/** Sorts paths into the order of a form. List elements stay together, followed by the question for another one. */
export function byOrder({
  fields,
  schema,
}: Pick<Form, 'fields' | 'schema'>): (one: string, other: string) => number {
  const order = Object.keys(fields);
  const schemaOrder = fieldsOf(schema).map(({ pattern }) => pattern);
  const rank = (path: string): number[] => {
    const pattern = patternOf(path);
    const { list, index } = path.endsWith(ADD_MORE)
      ? { list: path.slice(0, -ADD_MORE.length), index: Number.MAX_SAFE_INTEGER }
      : (listElementOf(path) ?? { list: pattern, index: Number.MAX_SAFE_INTEGER });
    return [positionIn(order, list), index, positionIn(order, pattern), schemaOrder.indexOf(pattern)];
  };
  return (one, other) => {
    const ranks = rank(other);
    return (
      rank(one)
        .map((value, at) => value - (ranks[at] ?? 0))
        .find(difference => difference !== 0) ?? 0
    );
  };
}

/** The position of a pattern, of its parent, or of its first child; the end if there is none. */
function positionIn(order: readonly string[], pattern: string): number {
  const exact = order.indexOf(pattern);
  const position =
    exact < 0 ? order.findIndex(one => isWithin(pattern, one) || isWithin(one, pattern)) : exact;
  return position < 0 ? order.length : position;
}

/** The step for one field, or the custom one for what it belongs to. */
export async function stepFor(
  context: FormContext,
  state: FormState,
  path: string,
  answers: Answers = new Map(),
): Promise<Step> {
  const custom = await customStep(context, state, path, answers);
  if (custom) return custom;
  const suggestion = answers.get(path) ?? suggestionAt(context.form, path, currentBody(context, state));
  return {
    question: fieldQuestion(context, state, path, suggestion),
    apply: answer => applyValue(context, state, path, parseAnswer(context, state, path, answer)),
  };
}

async function customStep(
  context: FormContext,
  state: FormState,
  path: string,
  answers: Answers,
): Promise<Step | undefined> {
  const { customQuestions = {} } = context.form;
  const body = currentBody(context, state);
  for (const place of pathAndParents(path)) {
    const isFilled = place !== path && !isEmpty(getAt(body, place));
    if (isFilled || state.settled.includes(place)) continue;
    const custom = await customQuestions[patternOf(place)]?.(place, body);
    if (custom === undefined) continue;
    const { question, parse } = custom;
    return {
      question: withCurrentAnswer(context, state, place, question, answers.get(question.id)),
      apply(answer) {
        const value = parse(answer);
        if (value === undefined) return { ...state, settled: [...state.settled, place] };
        return applyValue(context, state, place, value);
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

/** Sets the value. If that begins a list element, the list is open from then on. */
function applyValue(context: FormContext, state: FormState, path: string, value: unknown): FormState {
  const next = changeValue(context, state, path, value);
  // What is always asked, and left out, is not asked again.
  if (value === undefined && context.form.alwaysAsk?.includes(patternOf(path)))
    return { ...next, settled: [...next.settled, path] };
  const at = listElementOf(path);
  if (at === undefined || getAt(currentBody(context, state), at.element) !== undefined) return next;
  return { ...next, open: { ...next.open, [at.list]: at.index } };
}

function addMoreStep({ form }: FormContext, state: FormState, path: string): Step {
  const list = path.slice(0, -ADD_MORE.length);
  const name = form.groupNames[`${list}[]`] ?? list;
  return {
    question: { kind: 'confirm', id: path, message: `Another ${name.toLowerCase()}?` },
    apply(answer) {
      const { [list]: index = 0, ...closed } = state.open;
      return { ...state, open: answer === 'yes' ? { ...state.open, [list]: index + 1 } : closed };
    },
  };
}
