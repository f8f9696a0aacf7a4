// Is it the same receiver? Told by name and country, without case and marks.
import { countryFor } from '../contract/country-names.ts';
import { textAt } from '../contract/paths.ts';
import { folded } from '../journal/words.ts';

interface Receiver {
  firstName: string | undefined;
  lastName: string | undefined;
  /** A code, or a name. */
  country: string | undefined;
}

/** The receiver of a request, or the one that an answer names: that has no address around the country. */
export const receiverIn = (body: unknown): Receiver => ({
  firstName: textAt(body, 'receiver.firstName'),
  lastName: textAt(body, 'receiver.lastName'),
  country: textAt(body, 'receiver.address.country.code') ?? textAt(body, 'receiver.country'),
});

/** `Ann Example, DE` */
export const receiverWords = ({ firstName, lastName, country }: Receiver): string =>
  [[firstName, lastName].filter(Boolean).join(' '), country].filter(Boolean).join(', ');

/**
 * What only one of them has is not compared; nor is a country that is none. `undefined`: there was nothing to compare.
 */
export function isSameReceiver(one: Receiver, other: Receiver): boolean | undefined {
  const hasNames = [one, other].every(each => wordsOf(each).length > 0);
  if (hasNames && !haveSameName(one, other)) return false;
  const [code, otherCode] = [codeOf(one), codeOf(other)];
  if (code !== undefined && otherCode !== undefined) return code === otherCode;
  return hasNames || undefined;
}

const codeOf = ({ country }: Receiver) => (country ? countryFor(country) : undefined);

function haveSameName(one: Receiver, other: Receiver): boolean {
  const [some, others] = [wordsOf(one), wordsOf(other)].toSorted((a, b) => a.length - b.length);
  if (isWhole(one) && isWhole(other)) return some?.join(' ') === others?.join(' ');
  return some?.every(word => others?.includes(word)) ?? true;
}

const isWhole = ({ firstName, lastName }: Receiver): boolean => Boolean(firstName && lastName);

const wordsOf = ({ firstName = '', lastName = '' }: Receiver): string[] =>
  folded(`${firstName} ${lastName}`).split(/\s+/).filter(Boolean);
