import { type Field, fieldAt } from '../../contract/fields.ts';
import { getAt } from '../../contract/paths.ts';
import type { Choice, Question } from '../../prompts/question.ts';
import { countryName, findCountries } from '../../request/countries.ts';
import { typed } from '../../request/values.ts';
import { elementOf, givenAt, pathOf, patternOf, put, soFar } from './entered.ts';
import type { Entered, Form, Ground } from './form.ts';

/** `Receiver: City`; `Item 2: HS code`. */
export function messageAt(form: Form, path: string, body: unknown): string {
  const { schema, names } = form;
  const says = form.says?.(path, body) ?? fieldAt(schema, pathOf(path))?.says ?? path;
  const pattern = patternOf(path);
  const owner = Object.keys(names)
    .filter(name => pattern.startsWith(`${name}.`))
    .sort((one, other) => other.length - one.length)[0];
  if (owner === undefined) return says;
  const number = owner.endsWith('[]') ? ` ${(elementOf(path)?.index ?? 0) + 1}` : '';
  return `${names[owner]}${number}: ${says}`;
}

export const isOptional = ({ schema, lacking }: Form, path: string): boolean =>
  fieldAt(schema, pathOf(path))?.required === false || lacking?.includes(path) === true;

/** The value for what was typed or picked. */
export const valueFor = ({ schema }: Form, path: string, answer: string): unknown =>
  typed(fieldAt(schema, pathOf(path)), answer.trim());

/**
 * The question for one field. `likely`: what Enter alone answers. Where something is there already it is edited in
 * place, and what may be left out may be emptied.
 */
export async function questionAt(
  ground: Ground,
  entered: Entered,
  path: string,
  likely: string | undefined,
): Promise<Question> {
  const { form } = ground;
  const field = fieldAt(form.schema, pathOf(path));
  const current = givenAt(ground, entered, path);
  const value = current === undefined ? undefined : String(current);
  const hint = refusalAt(entered, path);
  const asked = {
    id: path,
    message: messageAt(form, path, soFar(ground, entered)),
    ...(hint !== '' && { hint }),
  };
  const offer = value ?? likely;
  if (field?.kind === 'country')
    return {
      ...asked,
      kind: 'search',
      // The first of all countries is nobody's wish: Enter alone picks what was offered, or nothing.
      find: async term =>
        (term === '' && offer === undefined ? [] : await findCountries(term)).map(({ code, name }) => ({
          value: code,
          name: `${name} (${code})`,
        })),
      ...(offer !== undefined && { offer }),
    };
  if (field?.values || field?.kind === 'boolean')
    return {
      ...asked,
      kind: 'choice',
      choices: choicesOf(field),
      ...(offer !== undefined && { offer }),
    };
  return {
    ...asked,
    kind: 'text',
    ...(value === undefined ? likely !== undefined && { offer: likely } : { value }),
    check: answer => faultOf(ground, entered, path, answer),
  };
}

/** The words of the service about that field, a line each. */
const refusalAt = ({ refused }: Entered, path: string): string =>
  refused
    .filter(issue => issue.path === path)
    .map(({ message }) => `The service: ${message}`)
    .join('\n');

/** The question that a form has of its own, with the words of the service, and what is there or was said before. */
export function ownQuestion(
  ground: Ground,
  entered: Entered,
  path: string,
  { question, said }: { question: Question; said: string | undefined },
): Question {
  const hint = [refusalAt(entered, path), question.hint].filter(Boolean).join('\n');
  const current = givenAt(ground, entered, path);
  const offer = typeof current === 'string' ? current : said;
  const asked = { ...question, ...(hint !== '' && { hint }) };
  if (offer === undefined) return asked;
  if (asked.kind === 'text' || asked.kind === 'search') return { ...asked, offer };
  if (asked.kind !== 'choice') return asked;
  const canBe = asked.choices.some(({ value, disabled }) => value === offer && disabled === undefined);
  return canBe ? { ...asked, offer } : asked;
}

function choicesOf({ values, required }: Field): Choice[] {
  const choices = Object.entries(values ?? { true: '', false: '' }).map(([value, says]) => ({
    value,
    name: says === '' ? value : `${value} (${says})`,
  }));
  return required ? choices : [...choices, { value: '', name: 'leave it out' }];
}

/** What validation has to say of this answer at this place. */
async function faultOf(
  ground: Ground,
  entered: Entered,
  path: string,
  answer: string,
): Promise<string | undefined> {
  const value = valueFor(ground.form, path, answer);
  // What is left out may still be what a rule asks for.
  const given = value === '' && isOptional(ground.form, path) ? undefined : value;
  const body = soFar(ground, put(ground, entered, path, given));
  const issues = await ground.validate(body);
  const isWhole = issues.length === 0 && given === undefined;
  const meant = isWhole ? await ground.form.meant?.(body) : undefined;
  const fault = [...issues, ...(meant === undefined ? [] : await ground.validate(meant))].find(
    issue => issue.path === path,
  );
  if (fault === undefined) return undefined;
  const { message, suggestion } = fault;
  return `It ${message}${suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`}`;
}

/** What is there, for people. */
export async function wordsAt({ schema }: Form, path: string, body: unknown): Promise<string> {
  const value = getAt(body, path);
  if (value === undefined || value === '') return '';
  const field = fieldAt(schema, pathOf(path));
  return field?.kind === 'country' ? `${await countryName(String(value))} (${value})` : String(value);
}
