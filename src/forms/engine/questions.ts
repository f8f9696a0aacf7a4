import { countryName, findCountries } from '../../contract/country-names.ts';
import { type Field, sampleOf } from '../../contract/fields.ts';
import { getAt } from '../../contract/paths.ts';
import { typed } from '../../order/build.ts';
import type { Check, Choice, Question } from '../../prompts/question.ts';
import type { Form, FormContext, FormState } from './form.ts';
import { messageFor } from './labels.ts';
import { askedAt, currentBody, fieldIn, givenValue, setValue } from './state.ts';

export const isOptional = ({ schema, suppliedLater }: Form, path: string): boolean =>
  fieldIn(schema, path)?.required === false || suppliedLater?.includes(path) === true;

// `1,234` may be 1.234 or 1234; `0,250` is only 0.250.
const UNCLEAR_COMMA = /^[1-9]\d{0,2},\d{3}$/;

/** The text that an answer stands for: `1.2` for `1,2`, `+49` for `0049`. */
function readAnswer(context: FormContext, state: FormState, path: string, answer: string): string {
  const isDecimal = isNumber(context.form, path) && !UNCLEAR_COMMA.test(answer.trim());
  const text = isDecimal ? answer.trim().replace(/^(\d*),(\d+)$/, '$1.$2') : answer.trim();
  return context.checks?.read(path, text, currentBody(context, state)) ?? text;
}

const isNumber = ({ schema }: Form, path: string) => fieldIn(schema, path)?.kind === 'number';

/** The value for what was typed or picked; `undefined`: an optional field is left out. */
export function parseAnswer(context: FormContext, state: FormState, path: string, answer: string): unknown {
  const { form } = context;
  const value = typed(fieldIn(form.schema, path), readAnswer(context, state, path, answer));
  return value === '' && isOptional(form, path) ? undefined : value;
}

/** The question for one field. A value that is there already is edited in place; an optional one can be emptied. */
export function fieldQuestion(
  context: FormContext,
  state: FormState,
  path: string,
  suggestion: string | undefined,
): Question {
  const { form } = context;
  const field = fieldIn(form.schema, path);
  const current = givenValue(context, state, path);
  const value = current === undefined ? undefined : String(current);
  const defaultAnswer = value ?? suggestion;
  const body = currentBody(context, state);
  const base = {
    id: path,
    message: messageFor(form, path, body),
    hint: hintOf(refusalHint(state, path), askedAt(form.fields, path).hint),
  };
  // The service document allows any text as a country of origin; a list of countries is easier to answer.
  if (field?.kind === 'country' || field?.means === 'country')
    return {
      ...base,
      kind: 'search',
      // Without a default Enter alone must not pick the first of all countries.
      find: async term => (term === '' && defaultAnswer === undefined ? [] : countryChoices(term)),
      defaultAnswer,
    };
  if (field?.values || field?.kind === 'boolean')
    return {
      ...base,
      kind: 'choice',
      choices: choicesOf(field),
      defaultAnswer,
      isOpen: field.required && defaultAnswer === undefined,
    };
  return {
    ...base,
    kind: 'text',
    defaultAnswer: value === undefined ? suggestion : undefined,
    value,
    check: answerCheck(context, state, path),
    takenAs: answer => readAnswer(context, state, path, answer),
  };
}

const countryChoices = (term: string): Choice[] =>
  findCountries(term).map(({ code, name }) => ({ value: code, name: `${name} (${code})` }));

/** The words of the service about that field, a line each. */
const refusalHint = ({ refused }: FormState, path: string): string | undefined =>
  refused
    .filter(issue => issue.path === path)
    .map(({ message }) => `The service: ${message}`)
    .join('\n') || undefined;

const hintOf = (...hints: (string | undefined)[]) => hints.filter(Boolean).join('\n') || undefined;

/** A custom question with the words of the service, and with the current or the previous answer as the default. */
export function withCurrentAnswer(
  context: FormContext,
  state: FormState,
  path: string,
  question: Question,
  previous: string | undefined,
): Question {
  const hint = hintOf(refusalHint(state, path), question.hint);
  const current = givenValue(context, state, path);
  const defaultAnswer = typeof current === 'string' ? current : previous;
  const isAvailable =
    defaultAnswer !== undefined &&
    (question.kind !== 'choice' ||
      question.choices.some(({ value, disabled }) => value === defaultAnswer && disabled === undefined));
  return { ...question, hint, ...(isAvailable && { defaultAnswer }) };
}

function choicesOf({ values, required }: Field): Choice[] {
  const choices = Object.entries(values ?? { true: '', false: '' }).map(([value, description]) => ({
    value,
    name: description === '' ? value : `${value} (${description})`,
  }));
  return required ? choices : [...choices, { value: '', name: 'leave it out' }];
}

/** Refuses what is wrong, and doubts what is unlikely once: the same answer again is kept. */
function answerCheck(context: FormContext, state: FormState, path: string): Check {
  let doubted: string | undefined;
  return async answer => {
    const problem = await answerProblem(context, state, path, answer);
    if (problem !== undefined || answer === doubted) return problem;
    const value = parseAnswer(context, state, path, answer);
    const body = currentBody(context, setValue(context, state, path, value));
    const doubt = context.checks?.doubt(path, answer.trim(), body);
    if (doubt !== undefined) doubted = answer;
    return doubt;
  };
}

/** What validation says about this answer at this place, with an example of a right one. */
async function answerProblem(
  context: FormContext,
  state: FormState,
  path: string,
  answer: string,
): Promise<string | undefined> {
  const text = answer.trim();
  if (isNumber(context.form, path) && UNCLEAR_COMMA.test(text))
    return `It may be ${text.replace(',', '.')} or ${text.replace(',', '')}: type the one that you mean`;
  const refusal = context.checks?.refuse(path, text);
  if (refusal !== undefined) return refusal;
  const value = parseAnswer(context, state, path, answer);
  const body = currentBody(context, setValue(context, state, path, value));
  const issues = context.validate(body);
  // A rule may require the field that is left out, once the carrier is known.
  const resolved =
    issues.length === 0 && value === undefined ? await context.form.resolve?.(body) : undefined;
  if (resolved !== undefined) issues.push(...context.validate(resolved));
  const issue = issues.find(one => one.path === path);
  if (issue === undefined) return undefined;
  const { message, suggestion } = issue;
  if (suggestion !== undefined) return `It ${message} (did you mean ${suggestion}?)`;
  const example = await exampleAt(context, state, path);
  const isShown = example === undefined || message.includes('such as');
  return `It ${message}${isShown ? '' : `. A right one looks like this: ${example}`}`;
}

/** An answer that is right at this place, if one is known. */
async function exampleAt(context: FormContext, state: FormState, path: string): Promise<string | undefined> {
  const { form, checks } = context;
  const sample = getAt(sampleOf(form.schema), path.replace(/\[\d+\]/g, '[0]'));
  const example =
    checks?.example(path, currentBody(context, state)) ?? (sample === undefined ? undefined : String(sample));
  if (example === undefined) return undefined;
  const value = parseAnswer(context, state, path, example);
  const issues = context.validate(currentBody(context, setValue(context, state, path, value)));
  return issues.some(issue => issue.path === path) ? undefined : example;
}

/** The value at a path, for people. */
export async function displayValue({ schema }: Form, path: string, body: unknown): Promise<string> {
  const value = getAt(body, path);
  if (value === undefined || value === '') return '';
  const isCountry = fieldIn(schema, path)?.kind === 'country';
  return isCountry ? `${countryName(String(value))} (${value})` : String(value);
}
