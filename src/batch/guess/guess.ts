// Proposes a map for the columns of a file: by their headers, and by what is in their cells.
import { COUNTRIES } from '../../contract/countries.ts';
import { countriesNamed } from '../../contract/country-names.ts';
import { type Field, fieldsOf, type Schema } from '../../contract/shapes.ts';
import { isPackage } from '../../order/options.ts';
import type { InputMap } from '../source.ts';
import { type TransformName, transformNamed } from '../transform.ts';
import { type HeaderMeaning, headerMeaning } from './headers.ts';

/** The first rows of a file. */
export interface Sample {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

interface Column {
  header: string;
  /** Those that are not blank. */
  cells: readonly string[];
  meaning: HeaderMeaning | undefined;
}

/** `isOurs`: headers that need no map. */
export function guessMap(
  { header, rows }: Sample,
  fields: Schema,
  isOurs: (header: string) => boolean,
): InputMap {
  const fieldOf = (path = ''): Field | undefined =>
    fieldsOf(fields).find(({ pattern }) => pattern === path.replace(/\[0\]/g, '[]'));
  const isNumber = (meaning: HeaderMeaning | undefined) => fieldOf(meaning?.path)?.kind === 'number';
  const taken = new Set(header.filter(isOurs));
  const columns = header.flatMap((title, index): Column[] => {
    if (title === '' || title.startsWith('_') || taken.has(title)) return [];
    const cells = rows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== '');
    return [{ header: title, cells, meaning: headerMeaning(title) }];
  });
  const found = new Map<string, HeaderMeaning>();
  const claim = ({ header: title }: Column, meaning: HeaderMeaning): void => {
    const targets = targetsOf(meaning);
    const isPiece = meaning.path.startsWith(PACKAGES) && taken.has('package');
    if (isPiece || targets.some(target => taken.has(target))) return;
    for (const target of targets) taken.add(target);
    found.set(title, meaning);
  };
  for (const column of byRank(withParts(withoutBuyer(columns), taken))) {
    const meaning = column.meaning && adapted(column.meaning, fieldOf(column.meaning.path), column.cells);
    if (meaning) claim(column, meaning);
  }
  const transform = [...found].flatMap(([title, one]) => (one.transform ? [[title, one.transform]] : []));
  return {
    columns: Object.fromEntries(
      columns.map(({ header: title }) => [title, found.get(title)?.path ?? `_${title}`]),
    ),
    constants: {},
    ...(transform.length > 0 && {
      transform: Object.fromEntries(transform) as Record<string, TransformName>,
    }),
    decimal: hasDecimalCommas(columns.filter(({ header: title }) => isNumber(found.get(title)))) ? ',' : '.',
  };
}

const byRank = (columns: readonly Column[]): Column[] =>
  columns.toSorted((one, other) => (one.meaning?.rank ?? 0) - (other.meaning?.rank ?? 0));

const NAME = 'receiver';
const PACKAGES = 'packages[';

/** The fields that a transform makes of one cell: first and last name, code and number of a phone. */
const partsOf = ({ path, transform }: HeaderMeaning): readonly string[] =>
  (transform && transformNamed(transform).inner?.map(part => `${path}.${part}`)) ?? [];

/** `Vorname` and `Name`: beside a part of a name, or of a phone number, the whole is the other part. */
const withParts = (columns: readonly Column[], taken: ReadonlySet<string>): Column[] =>
  columns.map(column => {
    const parts = column.meaning === undefined ? [] : partsOf(column.meaning);
    const free = parts.filter(part => !taken.has(part) && columns.every(one => one.meaning?.path !== part));
    if (free.length === parts.length) return column;
    const [other] = free;
    const rank = column.meaning?.rank ?? 0;
    return { ...column, meaning: other === undefined ? undefined : { path: other, rank } };
  });

/** Two people are never mixed: beside columns of the receiver, the buyer has only an e-mail address and a phone. */
function withoutBuyer(columns: readonly Column[]): Column[] {
  const hasReceiver = columns.some(({ meaning }) => meaning?.of === 'receiver' && !isContact(meaning));
  return columns.map(column =>
    hasReceiver && column.meaning?.of === 'buyer' && !isContact(column.meaning)
      ? { ...column, meaning: undefined }
      : column,
  );
}

const isContact = ({ path }: HeaderMeaning): boolean => /\.(email|phone)\b/.test(path);

/** The fields that a column of that meaning fills. */
function targetsOf(meaning: HeaderMeaning): readonly string[] {
  const parts = partsOf(meaning);
  return parts.length > 0 ? parts : [meaning.path];
}

const every = (cells: readonly string[], test: (cell: string) => boolean): boolean =>
  cells.length > 0 && cells.every(test);

const isCode = (cell: string): boolean => COUNTRIES.has(cell.toUpperCase());

/** The meaning of a header, after a look at the cells below it: what must be transformed, and how. */
function adapted(
  meaning: HeaderMeaning,
  field: Field | undefined,
  cells: readonly string[],
): HeaderMeaning | undefined {
  const { path, transform, rank } = meaning;
  if (field?.kind === 'country' || field?.means === 'country') {
    if (every(cells, isCode)) return meaning;
    // The country of origin may be any text.
    const isKnown = cells.some(cell => countriesNamed(cell).length === 1);
    return { path, rank, transform: isKnown || field.kind === 'country' ? 'country' : undefined };
  }
  if (path === NAME && !cells.some(cell => /\S[\s,]+\S/.test(cell)) && cells.length > 0) return undefined;
  if (path === 'package' && !every(cells, isPackage)) return undefined;
  const isMarked = transform === undefined && cells.some(cell => /^'\d/.test(cell));
  return isMarked && field?.kind !== 'number' ? { ...meaning, transform: 'apostrophe' } : meaning;
}

const hasDecimalCommas = (columns: readonly Column[]): boolean =>
  columns.some(({ cells }) => cells.some(cell => /^\d[\d.]*,\d{1,2}(\D*)$/.test(cell)));
