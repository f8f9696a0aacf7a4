// A party of a shipment: sender, receiver, who pays (service document §2.1).
import { textAt } from './paths.ts';

/** The fields of a person's name, as they are written one behind the other. */
export const PERSON_NAMES = ['firstName', 'lastName'] as const;

/** The texts of a party at these paths, with spaces between them. */
export const textsAtPaths = (party: unknown, ...paths: readonly string[]): string =>
  paths.flatMap(path => textAt(party, path)?.trim() || []).join(' ');

/** The name of a party and where it is; a missing part is empty. In an answer, city and country stand beside the name. */
export const partyOf = (party: unknown) => ({
  person: textsAtPaths(party, ...PERSON_NAMES),
  company: textsAtPaths(party, 'companyName'),
  city: textsAtPaths(party, 'address.city') || textsAtPaths(party, 'city'),
  country: textsAtPaths(party, 'address.country.code') || textsAtPaths(party, 'country'),
});
