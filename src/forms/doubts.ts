// What a form takes for an answer, and what it asks about again: what a request is warned of.

import { fieldAt } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { PARTIES } from '../contract/parties.ts';
import { parsePath } from '../contract/paths.ts';
import { countryOf, warningsOf } from '../order/check.ts';
import { isDiallingCode, normalCode, phoneAt, postalCodeExample } from '../order/complete.ts';
import * as phones from '../order/phone.ts';
import type { ValueChecks } from './form.ts';

/** The checks of the fields of a request, or of a party that is a body of its own. */
export function valueChecks(schema: Schema): ValueChecks {
  const fieldIn = (path: string) => fieldAt(schema, parsePath(path) ?? []);
  const meaningOf = (path: string) => fieldIn(path)?.means;
  return {
    read(path, answer, body) {
      switch (meaningOf(path)) {
        case 'dialling code':
          return isDiallingCode(answer) ? normalCode(answer) : answer;
        case 'currency':
          return SIGNS.get(answer) ?? (/^[a-z]{3}$/i.test(answer) ? answer.toUpperCase() : answer);
        case 'phone number':
          return dialled(answer, phoneAt(path, body));
        default:
          return answer;
      }
    },
    refuse: (path, answer) =>
      meaningOf(path) === 'currency' && /^\p{Sc}$/u.test(answer) && !SIGNS.has(answer)
        ? `${answer} may be a currency of several countries. Type its code, such as USD`
        : undefined,
    doubt(path, answer, body) {
      if (answer.trim() === '') return undefined;
      const flaw =
        meaningOf(path) === 'phone number'
          ? phoneFlaw(path, body)
          : warningsOf(schema, body, phones)
              .find(warning => isAbout(warning, path))
              ?.slice(path.length + 1);
      return flaw && `This ${flaw}. Enter again keeps your answer`;
    },
    example(path, body) {
      const field = fieldIn(path);
      if (field?.means === 'phone number') return phones.phoneExample(phoneAt(path, body));
      return field?.means === 'postal code' ? postalCodeExample(countryOf(field, path, body)) : undefined;
    },
  };
}

/** What is doubtful about a whole request, for its review. */
export function doubtsIn(schema: Schema, body: unknown): string[] {
  const numbers = PARTIES.map(role => `${role}.phone.number`);
  const ofPhones = numbers.flatMap(path => {
    const flaw = phoneFlaw(path, body);
    return flaw === undefined ? [] : [`${path} ${flaw}`];
  });
  const others = warningsOf(schema, body, phones).filter(
    warning => !numbers.some(path => isAbout(warning, path)),
  );
  return [...others, ...ofPhones];
}

const isAbout = (warning: string, path: string) => warning.startsWith(`${path} is `);

/** The currency of each sign that is a sign of one currency only. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['₺', 'TRY'],
]);

type Phone = ReturnType<typeof phoneAt>;

/** A phone number as it is dialled behind the code beside it. */
function dialled(answer: string, beside: Phone): string {
  const read = phones.readPhone(answer, beside);
  const fits = typeof read !== 'string' && read.isPossible && read.code === normalCode(beside.code ?? '');
  return fits ? read.number : answer;
}

/** What is wrong with a phone number, as the end of a sentence about it. A form asks about plain digits, too. */
function phoneFlaw(path: string, body: unknown): string | undefined {
  const beside = phoneAt(path, body);
  const { code = '', number = '' } = beside;
  if (number.trim() === '' || !isDiallingCode(code)) return undefined;
  const read = phones.readPhone(number, beside);
  if (typeof read !== 'string' && read.code !== normalCode(code))
    return `begins with ${read.code}, but its country code is ${code}`;
  if (typeof read !== 'string' && read.isPossible) return undefined;
  const like = phones.phoneExample(beside);
  return `is not a phone number with the country code ${code}${like === undefined ? '' : `. A right one looks like this: ${like}`}`;
}
