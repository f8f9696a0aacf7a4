// Values from the contract: the paths of fields, and the values that they may have.

import { COUNTRIES } from '../contract/countries.ts';
import { COUNTRY_ALIASES, countryName, findCountries } from '../contract/country-names.ts';
import { CURRENCIES } from '../contract/currencies.ts';
import { OPERATIONS, typedName } from '../contract/operations.ts';
import { parsePath } from '../contract/paths.ts';
import { type Field, fieldAt, fieldsOf, type Schema } from '../contract/shapes.ts';
import { commandPath } from '../session/command.ts';
import { type Candidate, type CommandLine, type Reply, startingWith, startsWith } from './line.ts';

/** The body of the operation that is typed: of `webhook create`, and of `ship` for `batch ship`. */
function bodyOf({ command }: CommandLine): Schema | undefined {
  const name = commandPath(command)
    .filter(word => word !== 'batch')
    .join(' ');
  return Object.values(OPERATIONS).find(operation => typedName(operation) === name)?.body;
}

/** The values of the field that the option sets. */
export async function ofField(line: CommandLine): Promise<Candidate[]> {
  const { option } = line.typed;
  const schema = option && bodyOf(line);
  const field = schema && fieldsOf(schema).find(one => 'flag' in one && one.flag === option.flags);
  return field ? fieldValues(field, line.typed.prefix) : [];
}

/** `--set PATH=VALUE` */
export async function assignments(line: CommandLine): Promise<Reply> {
  const { head, prefix } = line.typed;
  return { head, candidates: assignment(bodyOf(line), '', prefix) };
}

/** The parts of an `--item`, one behind the other. */
export async function itemParts(line: CommandLine): Promise<Reply> {
  const { head, prefix } = line.typed;
  // The part before the last comma is complete.
  const done = prefix.slice(0, prefix.lastIndexOf(',') + 1);
  const given = new Set(done.split(',').map(part => part.split('=', 1)[0]));
  const candidates = assignment(bodyOf(line), 'items[0].', prefix.slice(done.length))
    .filter(({ value }) => !given.has(value.replace(/=$/, '')))
    .map(candidate => ({ ...candidate, value: done + candidate.value, continues: true }));
  return { head, candidates };
}

/** The paths below `base` that begin with the typed word; after the `=` of a path its values. */
function assignment(schema: Schema | undefined, base: string, written: string): Candidate[] {
  if (schema === undefined) return [];
  const at = written.indexOf('=');
  if (at < 0) return startingWith(written, paths(schema, base, written));
  const path = written.slice(0, at + 1);
  const field = fieldAt(schema, parsePath(base + path.slice(0, -1)) ?? []);
  const values = field ? fieldValues(field, written.slice(at + 1)) : [];
  return values.map(candidate => ({ ...candidate, value: path + candidate.value }));
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
export function fieldValues({ kind, values = {}, means }: Field, prefix: string): Candidate[] {
  // The country of origin is not checked, but it is a country too.
  if (kind === 'country' || means === 'country') return countries(prefix);
  if (kind === 'boolean') return startingWith(prefix, ['true', 'false']);
  if (means === 'currency') return startingWith(prefix, [...CURRENCIES.keys()]);
  const all = Object.entries(values).map(([value, description]) => ({ value, description }));
  return startingWith(prefix, all);
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
