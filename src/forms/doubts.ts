// What a form takes for an answer, and what it asks about again: what a request is warned of.
import { PARTIES } from '../contract/parties.ts';
import { textAt } from '../contract/paths.ts';
import { isDiallingCode, normalCode } from '../request/dialling.ts';
import * as phones from '../request/phone.ts';
import { postalCodeExample } from '../request/postal-codes.ts';
import { warningsOf } from '../request/warnings.ts';
import type { ValueChecks } from './engine/form.ts';

/** The checks of the fields of a request. */
export const REQUEST_CHECKS: ValueChecks = { read, refuse, doubt, example };

/** The same for a party that is a body of its own. */
export const PARTY_CHECKS: ValueChecks = {
  read: (path, answer, receiver) => read(`receiver.${path}`, answer, { receiver }),
  refuse,
  doubt: (path, answer, receiver) => doubt(`receiver.${path}`, answer, { receiver }),
  example: (path, receiver) => example(`receiver.${path}`, { receiver }),
};

/** What is doubtful about a whole request, for its review. */
export function doubtsIn(body: unknown): string[] {
  const numbers = PARTIES.map(role => `${role}.phone.number`);
  const flaws = numbers.map(path => [path, phoneFlaw(path, textAt(body, path) ?? '', body)] as const);
  const ofPhones = flaws.flatMap(([path, flaw]) => (flaw === undefined ? [] : [`${path} ${flaw}`]));
  return [
    ...warningsOf(body, phones).filter(warning => !numbers.some(path => isAbout(warning, path))),
    ...ofPhones,
  ];
}

const isAbout = (warning: string, path: string) => warning.startsWith(`${path} is `);

const CURRENCY = 'customs.currency';
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['₺', 'TRY'],
]);
const PHONE = /\.phone\.number$/;
const PHONE_CODE = /\.phone\.code$/;

/** A dialling code as `+49`, a currency as `EUR`, and a phone number as it is dialled behind the code beside it. */
function read(path: string, answer: string, body: unknown): string {
  if (PHONE_CODE.test(path)) return isDiallingCode(answer) ? normalCode(answer) : answer;
  if (path === CURRENCY)
    return SIGNS.get(answer) ?? (/^[a-z]{3}$/i.test(answer) ? answer.toUpperCase() : answer);
  if (!PHONE.test(path)) return answer;
  const beside = besidePhone(path, body);
  const number = phones.readPhone(answer, beside);
  const fits =
    typeof number !== 'string' && number.isPossible && number.code === normalCode(beside.code ?? '');
  return fits ? number.number : answer;
}

const besidePhone = (path: string, body: unknown) => ({
  code: textAt(body, path.replace(PHONE, '.phone.code')),
  country: textAt(body, path.replace(PHONE, '.address.country.code')),
});

/** A sign that several countries use. */
function refuse(path: string, answer: string): string | undefined {
  return path === CURRENCY && /^\p{Sc}$/u.test(answer) && !SIGNS.has(answer)
    ? `${answer} may be a currency of several countries. Type its code, such as USD`
    : undefined;
}

async function doubt(path: string, answer: string, body: unknown): Promise<string | undefined> {
  if (answer.trim() === '') return undefined;
  const flaw = PHONE.test(path)
    ? phoneFlaw(path, textAt(body, path) ?? '', body)
    : warningsOf(body, phones)
        .find(warning => isAbout(warning, path))
        ?.slice(path.length + 1);
  return flaw && `This ${flaw}. Enter again keeps your answer`;
}

/** What is wrong with a phone number, as the end of a sentence about it. A form asks about plain digits, too. */
function phoneFlaw(path: string, text: string, body: unknown): string | undefined {
  const beside = besidePhone(path, body);
  const { code = '' } = beside;
  if (text.trim() === '' || !isDiallingCode(code)) return undefined;
  const number = phones.readPhone(text, beside);
  if (typeof number !== 'string' && number.code !== normalCode(code))
    return `begins with ${number.code}, but its country code is ${code}`;
  if (typeof number !== 'string' && number.isPossible) return undefined;
  const like = phones.phoneExample(beside);
  return `is not a phone number with the country code ${code}${like === undefined ? '' : `. A right one looks like this: ${like}`}`;
}

function example(path: string, body: unknown): string | undefined {
  if (PHONE.test(path)) return phones.phoneExample(besidePhone(path, body));
  if (path === 'postalCode') return postalCodeExample(textAt(body, 'destinationCountry'));
  if (path === 'data.postalCode') return postalCodeExample(textAt(body, 'data.countryTo'));
  return path.endsWith('.zipCode')
    ? postalCodeExample(textAt(body, path.replace(/\.zipCode$/, '.country.code')))
    : undefined;
}
