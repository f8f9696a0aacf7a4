import { type Field, fieldAt } from '../../contract/fields.ts';
import { getAt } from '../../contract/paths.ts';
import type { Choice, Question } from '../../prompts/question.ts';
import { countryName, findCountries } from '../../request/countries.ts';
import { typed } from '../../request/values.ts';
import type { Form, FormContext, FormState } from './form.ts';
import { currentBody, givenValue, listElementOf, pathOf, patternOf, setValue } from './state.ts';

/** `Receiver: City`; `Item 2: HS code`. */
export function messageFor(form: Form, path: string, body: unknown): string {
  const { schema, groupNames } = form;
  const says = form.labelAt?.(path, body) ?? fieldAt(schema, pathOf(path))?.description ?? path;
  const pattern = patternOf(path);
  const owner = Object.keys(groupNames)
    .filter(name => pattern.startsWith(`${name}.`))
    .sort((one, other) => other.length - one.length)[0];
  if (owner === undefined) return says;
  const number = owner.endsWith('[]') ? ` ${(listElementOf(path)?.index ?? 0) + 1}` : '';
  return `${groupNames[owner]}${number}: ${says}`;
}

export const isOptional = ({ schema, suppliedLater }: Form, path: string): boolean =>
  fieldAt(schema, pathOf(path))?.required === false || suppliedLater?.includes(path) === true;

/** The value for what was typed or picked. */
export const parseAnswer = ({ schema }: Form, path: string, answer: string): unknown =>
  typed(fieldAt(schema, pathOf(path)), answer.trim());

/**
 * The question for one field. `likely`: what Enter alone answers. Where something is there already it is edited in
 * place, and what may be left out may be emptied.
 */
export async function fieldQuestion(
  context: FormContext,
  state: FormState,
  path: string,
  likely: string | undefined,
): Promise<Question> {
  const { form } = context;
  const field = fieldAt(form.schema, pathOf(path));
  const current = givenValue(context, state, path);
  const value = current === undefined ? undefined : String(current);
  const hint = refusalHint(state, path);
  const asked = {
    id: path,
    message: messageFor(form, path, currentBody(context, state)),
    ...(hint !== '' && { hint }),
  };
  const defaultAnswer = value ?? likely;
  if (field?.kind === 'country')
    return {
      ...asked,
      kind: 'search',
      // The first of all countries is nobody's wish: Enter alone picks what was offered, or nothing.
      find: async term =>
        (term === '' && defaultAnswer === undefined ? [] : await findCountries(term)).map(
          ({ code, name }) => ({
            value: code,
            name: `${name} (${code})`,
          }),
        ),
      ...(defaultAnswer !== undefined && { defaultAnswer }),
    };
  if (field?.values || field?.kind === 'boolean')
    return {
      ...asked,
      kind: 'choice',
      choices: choicesOf(field),
      ...(defaultAnswer !== undefined && { defaultAnswer }),
    };
  return {
    ...asked,
    kind: 'text',
    ...(value === undefined ? likely !== undefined && { defaultAnswer: likely } : { value }),
    check: answer => answerProblem(context, state, path, answer),
  };
}

/** The words of the service about that field, a line each. */
const refusalHint = ({ refused }: FormState, path: string): string =>
  refused
    .filter(issue => issue.path === path)
    .map(({ message }) => `The service: ${message}`)
    .join('\n');

/** The question that a form has of its own, with the words of the service, and what is there or was said before. */
export function customQuestion(
  context: FormContext,
  state: FormState,
  path: string,
  { question, said }: { question: Question; said: string | undefined },
): Question {
  const hint = [refusalHint(state, path), question.hint].filter(Boolean).join('\n');
  const current = givenValue(context, state, path);
  const defaultAnswer = typeof current === 'string' ? current : said;
  const asked = { ...question, ...(hint !== '' && { hint }) };
  if (defaultAnswer === undefined) return asked;
  if (asked.kind === 'text' || asked.kind === 'search') return { ...asked, defaultAnswer };
  if (asked.kind !== 'choice') return asked;
  const canBe = asked.choices.some(
    ({ value, disabled }) => value === defaultAnswer && disabled === undefined,
  );
  return canBe ? { ...asked, defaultAnswer } : asked;
}

function choicesOf({ values, required }: Field): Choice[] {
  const choices = Object.entries(values ?? { true: '', false: '' }).map(([value, says]) => ({
    value,
    name: says === '' ? value : `${value} (${says})`,
  }));
  return required ? choices : [...choices, { value: '', name: 'leave it out' }];
}

/** What validation has to say of this answer at this place. */
async function answerProblem(
  context: FormContext,
  state: FormState,
  path: string,
  answer: string,
): Promise<string | undefined> {
  const value = parseAnswer(context.form, path, answer);
  // What is left out may still be what a rule asks for.
  const given = value === '' && isOptional(context.form, path) ? undefined : value;
  const body = currentBody(context, setValue(context, state, path, given));
  const issues = await context.validate(body);
  const isWhole = issues.length === 0 && given === undefined;
  const meant = isWhole ? await context.form.resolve?.(body) : undefined;
  const fault = [...issues, ...(meant === undefined ? [] : await context.validate(meant))].find(
    issue => issue.path === path,
  );
  if (fault === undefined) return undefined;
  const { message, suggestion } = fault;
  return `It ${message}${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`;
}

/** What is there, for people. */
export async function displayValue({ schema }: Form, path: string, body: unknown): Promise<string> {
  const value = getAt(body, path);
  if (value === undefined || value === '') return '';
  const field = fieldAt(schema, pathOf(path));
  return field?.kind === 'country' ? `${await countryName(String(value))} (${value})` : String(value);
}
