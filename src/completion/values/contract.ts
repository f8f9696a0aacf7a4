// Values from the contract: the paths of fields, and the values that they may have.

import { COUNTRIES } from '../../contract/countries.ts';
import { COUNTRY_ALIASES, countryName, findCountries } from '../../contract/country-names.ts';
import { CURRENCIES } from '../../contract/currencies.ts';
import { type Field, fieldAt, fieldsOf } from '../../contract/fields.ts';
import { type Schema, typedName } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { parsePath } from '../../contract/paths.ts';
import {
  type Candidate,
  described,
  NO_CANDIDATES,
  type Reply,
  startingWith,
  startsWith,
} from '../candidate.ts';
import { operationWords } from '../kinds.ts';
import type { CommandLine } from '../line.ts';

/** `--set PATH=VALUE`, and the parts of an `--item`. */
export async function fromContract(line: CommandLine): Promise<Reply> {
  const name = operationWords(line);
  const schema = Object.values(OPERATIONS).find(operation => typedName(operation) === name)?.body;
  const { option, head, prefix } = line.typed;
  if (schema === undefined) return NO_CANDIDATES;
  if (option?.name() !== 'item') return assignment(schema, '', head, prefix);
  // The part before the last comma is complete.
  const done = prefix.slice(0, prefix.lastIndexOf(',') + 1);
  const given = new Set(done.split(',').map(part => part.split('=', 1)[0]));
  const reply = await assignment(schema, 'items[0].', head, prefix.slice(done.length));
  const candidates = reply.candidates
    .filter(({ value }) => !given.has(value.replace(/=$/, '')))
    .map(candidate => ({ ...candidate, value: done + candidate.value, continues: true }));
  return { ...reply, candidates };
}

/** The paths below `base` that begin with the typed word; after the `=` of a path its values. */
async function assignment(schema: Schema, base: string, head: string, written: string): Promise<Reply> {
  const at = written.indexOf('=');
  if (at < 0) return { head, candidates: startingWith(written, paths(schema, base, written)) };
  const path = written.slice(0, at + 1);
  const field = fieldAt(schema, parsePath(base + path.slice(0, -1)) ?? []);
  const values = field ? await fieldValues(field, written.slice(at + 1)) : [];
  return { head, candidates: values.map(candidate => ({ ...candidate, value: path + candidate.value })) };
}

function paths(schema: Schema, base: string, written: string): Candidate[] {
  const indexes = [...(base + written).matchAll(/\[(\d+)\]/g)].map(([, index]) => index);
  return fieldsOf(schema).flatMap(({ pattern, kind, description }) => {
    if (kind === 'object' || kind === 'list') return [];
    let seen = 0;
    // The element that is typed already, or the first one.
    const path = pattern.replace(/\[\]/g, () => `[${indexes[seen++] ?? 0}]`);
    if (!path.startsWith(base)) return [];
    return { value: `${path.slice(base.length)}${kind === 'map' ? '.' : '='}`, description, continues: true };
  });
}

/** The values of a field, if there is a list of them. */
export async function fieldValues({ kind, values = {}, means }: Field, prefix: string): Promise<Candidate[]> {
  // The country of origin is not checked, but it is a country too.
  if (kind === 'country' || means === 'country') return countries(prefix);
  if (kind === 'boolean') return startingWith(prefix, ['true', 'false']);
  if (means === 'currency') return startingWith(prefix, [...CURRENCIES.keys()]);
  return startingWith(prefix, described(values));
}

/** Countries by the beginning of code, name or alias; if there is none, by a search in all names. */
export function countries(prefix: string): Candidate[] {
  const codes = COUNTRIES.has(prefix.toUpperCase())
    ? [prefix.toUpperCase()]
    : [...COUNTRIES].filter(code => startsWith(code, prefix));
  const byCode = codes.map(code => ({ value: code, description: countryName(code) }));
  if (COUNTRIES.has(prefix.toUpperCase()) || prefix === '') return byCode;
  const found = findCountries(prefix).map(({ code, name }) => ({ value: code, description: name }));
  const aliases = prefix.length > 2 ? COUNTRY_ALIASES.filter(([alias]) => startsWith(alias, prefix)) : [];
  const byAlias = aliases.map(([alias, code]) => ({ value: code, description: alias }));
  const byName = found.filter(({ description }) =>
    startsWith(withoutMarks(description), withoutMarks(prefix)),
  );
  const first = new Map([...byAlias, ...byName, ...byCode].map(one => [one.value, one]));
  return first.size > 0 ? [...first.values()] : found;
}

/** `Türkiye` as people type it on most keyboards. */
const withoutMarks = (text: string): string => text.normalize('NFD').replace(/\p{Mark}/gu, '');
