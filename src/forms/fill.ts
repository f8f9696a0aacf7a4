// Fills in a form, in one loop: what the request lacks becomes a question, and its answer goes into the request. The review, a page on
// which any line can be picked and changed, is one more question of that loop.

import { getAt, isRecord, listAt } from '../contract/paths.ts';
import { fieldsOf, type Schema } from '../contract/shapes.ts';
import type { Choice, Progress, Question, QuestionOfKind } from '../host/question.ts';
import { missingIn } from '../order/check.ts';
import {
  askedAt,
  type CustomQuestion,
  changeValue,
  currentBody,
  displayValue,
  type Entered,
  type Form,
  type FormContext,
  type FormDecision,
  fieldIn,
  fieldLabel,
  fieldQuestion,
  givenBody,
  givenValue,
  inWords,
  isAskable,
  isInside,
  isOptional,
  listElement,
  messageFor,
  parseAnswer,
  patternOf,
  type Review,
  suggestionAt,
  withCurrentAnswer,
  withFollowing,
} from './form.ts';

/** A question. `apply` gives what is entered with its answer, or the decision that ends the form. */
interface Step {
  question: Question;
  apply(answer: string): Entered | FormDecision;
  /** Where Esc leads from the review, or from a list of places to change: what was changed is kept. */
  up?: Entered | undefined;
  /** How many questions are left, this one included; absent where a person changes what is entered. */
  left?: Left;
}

interface Left {
  count: number;
  /** May answers bring more questions? Then `count` is the least number. */
  isLeast: boolean;
}

/**
 * Asks for what is missing, shows the whole request, and lets the person change any line of it before they decide. Esc goes
 * back along the way that they came: it takes the last answer back and asks again, with that answer as the default.
 */
export async function fillForm(
  context: FormContext,
  start: Entered,
): Promise<{ entered: Entered; decision: FormDecision }> {
  let entered = start;
  let trail: { entered: Entered; id: string; answer: string }[] = [];
  // After the first review no question has a number: an item that is added then is not the second question.
  let isWhole = false;
  for (;;) {
    entered = withFollowing(context, entered);
    const step = await nextStep(context, entered);
    if (step === undefined) return { entered, decision: 'submit' };
    const { question, apply, up, left } = step;
    const { id } = question;
    isWhole ||= id === REVIEW;
    const esc = up !== undefined || trail.length > 0 ? 'back' : 'leave';
    const progress = isWhole ? undefined : left && progressAt(trail.length, left);
    const answer = await context.ask({ ...question, esc, progress });
    if (answer === undefined && up === undefined) {
      const last = trail.pop();
      if (last === undefined) continue;
      entered = last.entered;
      // An answer that was only the suggestion is not offered again: after another country the suggestion is another one.
      if (last.answer !== suggestionAt(context.form, last.id, currentBody(context, entered)))
        entered = { ...entered, takenBack: { ...entered.takenBack, [last.id]: last.answer } };
      continue;
    }
    const next = answer === undefined ? (up as Entered) : apply(answer);
    if (typeof next === 'string') return { entered, decision: next };
    // At the review and at a list of places the trail begins anew: Esc never takes back a change that was made there.
    const isPick = id === REVIEW || up !== undefined;
    trail = [...(isPick ? [] : trail), { entered, id, answer: answer ?? DONE }];
    const { [id]: _, ...takenBack } = next.takenBack;
    entered = { ...next, takenBack };
    context.keep(entered);
  }
}

const progressAt = (answered: number, left: Left): Progress => ({
  number: answered + 1,
  of: answered + left.count,
  isLeast: left.isLeast,
});

const REVIEW = 'review';
const KEY = 'key';
const DONE = 'done';

/**
 * The next question: what a person wants to change; else, in the order of the form, what is missing, what the service
 * refused, and what is always asked; else the review.
 */
async function nextStep(context: FormContext, entered: Entered): Promise<Step | undefined> {
  const { form } = context;
  const place = entered.changing.at(-1);
  if (place !== undefined) return changeStep(context, entered, place);
  const paths = (await pathsToAsk(context, entered)).sort(byOrder(form));
  const left = await questionsLeft(context, entered, paths);
  if (context.checkKey && entered.key === undefined)
    return { ...keyStep(context, entered), left: { ...left, count: left.count + 1 } };
  const [first] = paths;
  if (first?.endsWith(ADD_MORE)) return { ...addMoreStep(form, entered, first), left };
  if (first !== undefined) return { ...(await stepFor(context, entered, first)), left };
  if (form.review === undefined) return undefined;
  const review = await form.review(currentBody(context, entered), givenBody(context, entered));
  return reviewStep(context, entered, review);
}

function keyStep(context: FormContext, entered: Entered): Step {
  const { checkKey = () => undefined } = context;
  return {
    question: {
      kind: 'text',
      id: KEY,
      message: 'Order number (Enter: none)',
      hint: 'Your number of the order, or another name: it is booked once, and found by it.',
      value: entered.key || entered.takenBack[KEY],
      check: answer => checkKey(answer.trim()),
    },
    apply: answer => ({ ...entered, key: answer.trim() }),
  };
}

/** The path `items[+]` stands for the question whether the list `items` gets another element. */
const ADD_MORE = '[+]';

async function pathsToAsk(context: FormContext, entered: Entered): Promise<string[]> {
  const { form } = context;
  const body = currentBody(context, entered);
  const issues = context.validate(body);
  const paths = new Set([
    ...missingIn(issues, body)
      .filter(isToAsk(context, body))
      .flatMap(({ path }) => requiredFieldsUnder(form.schema, path)),
    ...entered.refused.map(({ path }) => path).filter(path => isAskable(form, body, path)),
    ...(form.alwaysAsk ?? []).filter(path => givenValue(context, entered, path) === undefined),
    ...Object.entries(entered.open).flatMap(([list, index]) => {
      const missing = requiredFieldsUnder(form.schema, `${list}[${index}]`).filter(
        path => getAt(body, path) === undefined,
      );
      return missing.length > 0 ? missing : [list + ADD_MORE];
    }),
  ]);
  const open = [...paths].filter(path => !entered.settled.includes(path));
  // Which fields a chosen carrier requires is known only when all other fields are complete.
  if (open.length > 0 || issues.length > 0 || form.resolve === undefined) return open;
  const resolved = await form.resolve(body);
  return missingIn(context.validate(resolved), body)
    .filter(isToAsk(context, resolved))
    .map(({ path }) => path);
}

/** How many questions these paths need, at least: all fields of a saved party or parcel are one question. */
async function questionsLeft(
  context: FormContext,
  entered: Entered,
  paths: readonly string[],
): Promise<Left> {
  const { form, mayAsk } = context;
  const body = currentBody(context, entered);
  const asked = new Set<string>();
  let isLeast = (form.carrierFields ?? []).some(
    path => getAt(body, path) === undefined && mayAsk(path, body),
  );
  for (const path of paths) {
    const { waitsFor } = askedAt(form.fields, path);
    const source = waitsFor?.(path);
    if (source !== undefined && paths.some(earlier => earlier !== path && isInside(earlier, source))) {
      isLeast = true;
      continue;
    }
    // No question: the field gets its assumed value as soon as another field of its object is filled in.
    if (fieldIn(form.schema, path)?.assumed !== undefined && form.fields[patternOf(path)] === undefined)
      continue;
    const parents = pathAndParents(path).filter(place => place !== path);
    const parent = (await customQuestionAt(context, entered, path, parents))?.place;
    asked.add(parent ?? path);
    const at = path.endsWith(ADD_MORE) ? undefined : listElement(path);
    const isOfList = at && (entered.open[at.list] !== undefined || getAt(body, at.element) === undefined);
    if (isOfList) asked.add(at.list + ADD_MORE);
    if (parent !== undefined || isOfList || path.endsWith(ADD_MORE)) isLeast = true;
  }
  return { count: asked.size, isLeast };
}

/** The first of the places that has a custom question, with that question. A place that has a value counts only if it is `path` itself. */
async function customQuestionAt(
  context: FormContext,
  entered: Entered,
  path: string,
  places: readonly string[],
): Promise<{ place: string; custom: CustomQuestion } | undefined> {
  const body = currentBody(context, entered);
  for (const place of places) {
    const isFilled = place !== path && !isEmpty(getAt(body, place));
    if (isFilled || entered.settled.includes(place)) continue;
    const custom = await context.form.customQuestions?.[patternOf(place)]?.(place, body);
    if (custom !== undefined) return { place, custom };
  }
  return undefined;
}

const isToAsk =
  (context: FormContext, body: unknown) =>
  ({ path }: { path: string }): boolean =>
    context.mayAsk(path, body);

/** The paths to ask for a missing value: the field itself, or the required fields of the object, or of the list's first element. */
function requiredFieldsUnder(schema: Schema, path: string): string[] {
  if (path === '') return [''];
  const field = fieldIn(schema, path);
  if (field?.kind === 'list') return requiredFieldsUnder(schema, `${path}[0]`);
  if (field !== undefined && field.kind !== 'object') return [path];
  const pattern = patternOf(path);
  const inside = fieldsOf(schema).filter(({ pattern: other }) => other.startsWith(`${pattern}.`));
  const optional = inside.filter(({ required }) => !required).map(({ pattern: other }) => other);
  return inside
    .filter(
      ({ kind, pattern: inner }) => kind !== 'object' && !optional.some(parent => isInside(inner, parent)),
    )
    .map(({ pattern: other }) => path + other.slice(pattern.length));
}

/** Compares paths by the order of the form. The elements of a list stay together, before the question for another element. */
function byOrder(form: Form): (first: string, second: string) => number {
  const order = Object.keys(form.fields);
  const schemaOrder = fieldsOf(form.schema).map(({ pattern }) => pattern);
  const rank = (path: string): number[] => {
    const pattern = patternOf(path);
    const { list, index } = path.endsWith(ADD_MORE)
      ? { list: path.slice(0, -ADD_MORE.length), index: Number.MAX_SAFE_INTEGER }
      : (listElement(path) ?? { list: pattern, index: Number.MAX_SAFE_INTEGER });
    return [positionIn(order, list), index, positionIn(order, pattern), schemaOrder.indexOf(pattern)];
  };
  return (first, second) => {
    const ranks = rank(second);
    const differences = rank(first).map((value, at) => value - (ranks[at] ?? 0));
    return differences.find(difference => difference !== 0) ?? 0;
  };
}

/** The index of a pattern in the order, else that of its parent or its first child, else the end. */
function positionIn(order: readonly string[], pattern: string): number {
  const exact = order.indexOf(pattern);
  const position =
    exact < 0 ? order.findIndex(listed => isInside(pattern, listed) || isInside(listed, pattern)) : exact;
  return position < 0 ? order.length : position;
}

/** The step for one field; if the field, or an object that has it, has a custom question, the step for that question. */
async function stepFor(context: FormContext, entered: Entered, path: string): Promise<Step> {
  const custom = await customStep(context, entered, path);
  return (
    custom ?? {
      question: fieldQuestion(context, entered, path),
      apply: answer => withEnteredValue(context, entered, path, parseAnswer(context, entered, path, answer)),
    }
  );
}

async function customStep(context: FormContext, entered: Entered, path: string): Promise<Step | undefined> {
  const asked = await customQuestionAt(context, entered, path, pathAndParents(path));
  if (asked === undefined) return undefined;
  const { place, custom } = asked;
  return {
    question: withCurrentAnswer(context, entered, place, custom.question),
    apply(answer) {
      const value = custom.parse(answer);
      if (value === undefined) return { ...entered, settled: [...entered.settled, place] };
      return withEnteredValue(context, entered, place, value);
    },
  };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.keys(value).length === 0);

/** `items[0].hsCode` -> `items`, `items[0]`, `items[0].hsCode`. */
function pathAndParents(path: string): string[] {
  const ends = [...path.matchAll(/[.[]|(?<=\])/g)].map(({ index }) => index);
  return [...new Set([...ends.map(end => path.slice(0, end)), path])];
}

/** Sets the value at a path. If the value begins a list element, the list is open from then on: another element is asked for. */
function withEnteredValue(context: FormContext, entered: Entered, path: string, value: unknown): Entered {
  const next = changeValue(context, entered, path, value);
  // A field of `alwaysAsk` that was left out is not asked again.
  if (value === undefined && context.form.alwaysAsk?.includes(path))
    return { ...next, settled: [...next.settled, path] };
  const at = listElement(path);
  if (at === undefined || getAt(currentBody(context, entered), at.element) !== undefined) return next;
  return { ...next, open: { ...next.open, [at.list]: at.index } };
}

function addMoreStep(form: Form, entered: Entered, path: string): Step {
  const list = path.slice(0, -ADD_MORE.length);
  const name = form.groupNames[`${list}[]`] ?? list;
  return {
    question: { kind: 'confirm', id: path, message: `Another ${name.toLowerCase()}?` },
    apply(answer) {
      const { [list]: index = 0, ...closed } = entered.open;
      return { ...entered, open: answer === 'yes' ? { ...entered.open, [list]: index + 1 } : closed };
    },
  };
}

// The review, and the questions that change a line of it.

function reviewStep(context: FormContext, entered: Entered, review: Review): Step {
  const { summary, warnings = [], lines, submitLabel, otherChoices = OF_REQUEST } = review;
  const { form, dryRun, checkKey, givenKey } = context;
  const key = givenKey ?? entered.key;
  const body = currentBody(context, entered);
  const reviewLines = [
    ...(checkKey ? [{ label: 'Order', path: KEY, text: entered.key || 'none' }] : []),
    ...lines,
  ];
  const width = Math.max(...reviewLines.map(({ label }) => label.length));
  const choices: Choice[] = [];
  for (const { path, label, text = displayValue(form, path, body), problem } of reviewLines) {
    const words = [text, problem && `! ${problem}`].filter(Boolean).join('  ') || '-';
    choices.push({ value: path, name: `${label.padEnd(width)}  ${words}` });
  }
  const wrong = lines.find(({ problem }) => problem !== undefined);
  const hint = [
    ...summary,
    // The order number stands above the list, too: on a small screen not all lines of the list are seen at once.
    ...(key ? [`Order number ${key}`] : []),
    ...warnings.map(warning => `! ${inWords(form, warning, body)}`),
    // Refusals of the service that belong to no field of the form.
    ...entered.refused
      .filter(({ path }) => !isAskable(form, body, path))
      .map(({ path, message }) => `The service: ${`${inWords(form, path, body)} ${message}`.trim()}`),
  ];
  return {
    question: {
      kind: 'choice',
      id: REVIEW,
      message: 'Is this right? Pick a line to change it',
      // Line breaks in texts of the order become spaces: no such text can look like a line of this page.
      hint: hint.map(line => line.replace(/\s+/g, ' ')).join('\n'),
      choices: [
        ...choices,
        {
          value: 'submit',
          name: dryRun ? 'Show the request' : submitLabel,
          ...(wrong && { disabled: `(fix first: ${wrong.label})` }),
        },
        ...otherChoices,
      ],
      defaultAnswer: entered.changed ?? wrong?.path ?? 'submit',
    },
    apply: answer =>
      reviewLines.some(({ path }) => path === answer)
        ? { ...entered, changing: [answer], changed: answer }
        : (answer as FormDecision),
    // After a change, Esc leads back to the question for the changed line.
    up: entered.changed === undefined ? undefined : { ...entered, changing: [entered.changed] },
  };
}

/** What may be done with a request in place of sending it. */
export const OF_REQUEST = [
  { value: 'save', name: 'Save it as a file to send later' },
  { value: 'leave', name: 'Leave, and keep the draft' },
  { value: 'discard', name: 'Discard it' },
] as const;

/** Lets a person change the value at a path: a field, the fields of an object, the elements of a list. */
async function changeStep(context: FormContext, entered: Entered, path: string): Promise<Step> {
  const { form } = context;
  const kind = fieldIn(form.schema, path)?.kind;
  if (kind === 'object') return objectStep(context, entered, path);
  if (kind === 'list' && form.customQuestions?.[path] === undefined) return listStep(context, entered, path);
  const up = leavingPlace(entered);
  if (path === KEY) return keyStep(context, up);
  // The question for a picked line is asked again, even if it was settled before.
  const asked = { ...up, settled: up.settled.filter(settled => settled !== path) };
  return stepFor(context, asked, path);
}

const leavingPlace = (entered: Entered): Entered => ({ ...entered, changing: entered.changing.slice(0, -1) });

/** The question which place inside of a value is changed. `ends`: other choices, such as "Remove it"; "Done" leaves all as it is. */
function placesStep(
  entered: Entered,
  question: Pick<QuestionOfKind<'choice'>, 'id' | 'message' | 'choices'>,
  ends: Readonly<Record<string, { name: string; apply(): Entered }>>,
): Step {
  const up = leavingPlace(entered);
  const endings = Object.entries(ends).map(([value, { name }]) => ({ value, name }));
  const choices = [...question.choices, ...endings, { value: DONE, name: 'Done' }];
  return {
    question: { kind: 'choice', ...question, choices, defaultAnswer: DONE },
    apply(answer) {
      if (answer === DONE) return up;
      return ends[answer]?.apply() ?? { ...entered, changing: [...entered.changing, answer] };
    },
    up,
  };
}

function objectStep(context: FormContext, entered: Entered, path: string): Step {
  const { form } = context;
  const body = currentBody(context, entered);
  const pattern = patternOf(path);
  const fields = fieldsOf(form.schema).filter(
    field => field.pattern !== pattern && isInside(field.pattern, pattern) && field.kind !== 'object',
  );
  const choices = fields.map(field => {
    const value = path + field.pattern.slice(pattern.length);
    return { value, name: `${fieldLabel(form, value, body)}: ${displayValue(form, value, body) || '-'}` };
  });
  const isThere = getAt(body, path) !== undefined;
  const isRemovable =
    (path.endsWith(']') || isOptional(form, path)) && getAt(context.defaults, path) === undefined;
  const remove = {
    name: 'Remove it',
    apply: () => changeValue(context, leavingPlace(entered), path, undefined),
  };
  // The value is emptied and not removed: without a value, that of the profile would come back.
  const replace = { name: 'Replace it', apply: () => changeValue(context, leavingPlace(entered), path, {}) };
  const question = { id: path, message: messageFor(form, path, body), choices };
  return placesStep(entered, question, isThere ? (isRemovable ? { remove } : { replace }) : {});
}

function listStep(context: FormContext, entered: Entered, path: string): Step {
  const { form } = context;
  const body = currentBody(context, entered);
  const label = messageFor(form, path, body);
  const name = form.groupNames[`${path}[]`] ?? label;
  const { length } = listAt(body, path);
  const choices = Array.from({ length }, (_, index) => ({
    value: `${path}[${index}]`,
    name: `${name} ${index + 1}`,
  }));
  const add = {
    name: `Another ${name.toLowerCase()}`,
    // The fields of the new element are asked for like those of the first one.
    apply: () => ({ ...leavingPlace(entered), open: { ...entered.open, [path]: length } }),
  };
  return placesStep(entered, { id: path, message: label, choices }, { add });
}
