// What the contract tells: fields by their paths, and the values that they may have.

import { COUNTRIES } from '../../contract/countries.ts';
import { CURRENCIES } from '../../contract/currencies.ts';
import { type Field, fieldAt, fieldsOf } from '../../contract/fields.ts';
import { type Schema, typedName } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { parsePath } from '../../contract/paths.ts';
import { COUNTRY_ALIASES, countryName, findCountries } from '../../request/countries.ts';
import { begins, begun, type Candidate, NOTHING, type Reply } from '../candidate.ts';
import { operationWords } from '../kinds.ts';
import type { Line } from '../line.ts';

/** `--set PATH=VALUE`, and the parts of an `--item`. */
export async function fields(line: Line): Promise<Reply> {
  const name = `waybill ${operationWords(line)}`;
  const schema = Object.values(OPERATIONS).find(operation => typedName(operation) === name)?.body;
  const { option, head, prefix } = line.typed;
  if (schema === undefined) return NOTHING;
  if (option?.name() !== 'item') return assignment(schema, '', head, prefix);
  // What is before the last comma is written already.
  const done = prefix.slice(0, prefix.lastIndexOf(',') + 1);
  const given = new Set(done.split(',').map(part => part.split('=', 1)[0]));
  const reply = await assignment(schema, 'items[0].', head, prefix.slice(done.length));
  const candidates = reply.candidates
    .filter(({ value }) => !given.has(value.replace(/=$/, '')))
    .map(candidate => ({ ...candidate, value: done + candidate.value, goesOn: true }));
  return { ...reply, candidates };
}

/** The paths below `base` that begin so; behind the `=` of one its values. */
async function assignment(schema: Schema, base: string, head: string, written: string): Promise<Reply> {
  const at = written.indexOf('=');
  if (at < 0) return { head, candidates: begun(written, paths(schema, base, written)) };
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
    // The element that is typed already, else the first.
    const path = pattern.replace(/\[\]/g, () => `[${indexes[seen++] ?? 0}]`);
    if (!path.startsWith(base)) return [];
    return { value: `${path.slice(base.length)}${kind === 'map' ? '.' : '='}`, description, goesOn: true };
  });
}

/** What a field may be, as far as there is a list of it. */
export async function fieldValues(
  { kind, values = {}, pattern }: Field,
  prefix: string,
): Promise<Candidate[]> {
  // Where goods were made is not checked, but is a country too.
  if (kind === 'country' || pattern.endsWith('countryOfOrigin')) return countries(prefix);
  if (kind === 'boolean') return begun(prefix, [{ value: 'true' }, { value: 'false' }]);
  if (/currency$/i.test(pattern))
    return begun(
      prefix,
      [...CURRENCIES.keys()].map(value => ({ value })),
    );
  return begun(
    prefix,
    Object.entries(values).map(([value, description]) => ({ value, description })),
  );
}

/** By the beginning of code or name; where there is none, by all that the name of a country may be known by. */
async function countries(prefix: string): Promise<Candidate[]> {
  const codes = COUNTRIES.has(prefix.toUpperCase())
    ? [prefix.toUpperCase()]
    : [...COUNTRIES].filter(code => begins(code, prefix));
  const byCode = await Promise.all(
    codes.map(async code => ({ value: code, description: await countryName(code) })),
  );
  if (COUNTRIES.has(prefix.toUpperCase()) || prefix === '') return byCode;
  const found = (await findCountries(prefix)).map(({ code, name }) => ({ value: code, description: name }));
  const aliases =
    prefix.length > 2 ? Object.keys(COUNTRY_ALIASES).filter(alias => begins(alias, prefix)) : [];
  const byAlias = aliases.map(alias => ({ value: COUNTRY_ALIASES[alias] ?? '', description: alias }));
  const byName = found.filter(({ description }) => begins(withoutMarks(description), withoutMarks(prefix)));
  const first = new Map([...byAlias, ...byName, ...byCode].map(one => [one.value, one]));
  return first.size > 0 ? [...first.values()] : found;
}

/** `Türkiye` as it is typed on most keyboards. */
const withoutMarks = (text: string): string => text.normalize('NFD').replace(/\p{Mark}/gu, '');
