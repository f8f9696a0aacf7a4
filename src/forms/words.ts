// Parties, routes and times in words, for the lines of a form.
import { textAt } from '../contract/paths.ts';

/** The texts at these paths, with what is missing left out. */
const joined = (body: unknown, paths: readonly string[], separator = ' '): string =>
  paths
    .map(path => textAt(body, path))
    .filter(Boolean)
    .join(separator);

/** `Ada Yilmaz, Istiklal Cd. 1, 34433 Istanbul, TR`; e-mail and phone are seen when the line is picked. */
export const partyWords = (party: unknown): string =>
  [
    joined(party, ['firstName', 'lastName']),
    joined(party, ['companyName', 'address.line1', 'address.line2'], ', '),
    joined(party, ['address.zipCode', 'address.city']),
    joined(party, ['address.nationalShortAddress', 'address.country.code'], ', '),
  ]
    .filter(Boolean)
    .join(', ');

/** `Jonas Weber, Dresden` */
export const receiverWords = (body: unknown): string =>
  [joined(body, ['receiver.firstName', 'receiver.lastName']), joined(body, ['receiver.address.city'])]
    .filter(Boolean)
    .join(', ');

/** `Istanbul, TR → Dresden, DE` */
export const route = (body: unknown): string =>
  ['sender', 'receiver']
    .map(role => joined(body, [`${role}.address.city`, `${role}.address.country.code`], ', ') || '?')
    .join(' → ');

/** `2026-03-02 09:00` */
export const timeWords = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
