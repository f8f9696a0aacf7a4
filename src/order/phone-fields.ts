// Phone numbers of a body: where they are, with their dialling codes and countries, and whether they can be sent as they are.

import { DIALLING_CODES } from '../contract/dialling.ts';
import { type Path, parsePath, textAt } from '../contract/paths.ts';
import { PARTIES } from '../contract/shipments.ts';

/** A dialling code in one form: `0049`, `49` and `+49 ` become `+49`. */
export const normalCode = (text: string): string => `+${text.replace(/\D/g, '').replace(/^00/, '')}`;

const CODES: ReadonlySet<string> = new Set(DIALLING_CODES.values());

/** Is the text the dialling code of a country? The first digits of a number may follow +1, as in +1809. */
export const isDiallingCode = (text: string): boolean =>
  /^(\+|00)?[\d\s()-]+$/.test(text.trim()) &&
  (CODES.has(normalCode(text)) || /^\+1\d{3}$/.test(normalCode(text)));
interface Phone {
  code: string | undefined;
  number: string | undefined;
  country: string | undefined;
}

type PhonePaths = Readonly<Record<keyof Phone, Path>>;

const phonePaths = (party: Path): PhonePaths => ({
  code: [...party, 'phone', 'code'],
  number: [...party, 'phone', 'number'],
  country: [...party, 'address', 'country', 'code'],
});

/** The paths of the phones of all parties in a body, and of the phone in a party that is a body of its own. */
export const PHONES: readonly PhonePaths[] = [[], ...PARTIES.map(role => [role])].map(phonePaths);

export const phoneIn = (body: unknown, paths: PhonePaths): Phone => ({
  code: textAt(body, paths.code),
  number: textAt(body, paths.number),
  country: textAt(body, paths.country),
});

/** The phone with its code and country, from the path of its number. */
export const phoneAt = (path: string, body: unknown): Phone =>
  phoneIn(body, phonePaths((parsePath(path) ?? []).slice(0, -2)));

/**
 * Can the phone be sent as it is? A zero in front may be part of a national number, and is not dialled behind a code; a long number may
 * repeat the code. If the code is missing, nobody knows to which country other plain digits belong.
 */
export const isPlain = ({ code, number = '1234' }: Phone): boolean =>
  /^\+[1-9]\d{0,2}$/.test(code ?? '+1') &&
  /^[1-9]\d{3,13}$/.test(number) &&
  !(code !== undefined && number.length > 8 && number.startsWith(code.slice(1)));
