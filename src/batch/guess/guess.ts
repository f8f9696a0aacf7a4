// Proposes a map for the columns of a file: by their headers, and by what is in their cells.
import { COUNTRIES } from '../../contract/countries.ts';
import { countriesNamed } from '../../contract/country-names.ts';
import type { InputMap } from '../source.ts';
import type { TransformName } from '../transform.ts';
import { type HeaderMeaning, meaningOf } from './headers.ts';

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
export function guessMap({ header, rows }: Sample, isOurs: (header: string) => boolean): InputMap {
  const taken = new Set(header.filter(isOurs));
  const columns = header.flatMap((title, index): Column[] => {
    if (title === '' || title.startsWith('_') || taken.has(title)) return [];
    const cells = rows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== '');
    return [{ header: title, cells, meaning: meaningOf(title) }];
  });
  const found = new Map<string, HeaderMeaning>();
  const claim = ({ header: title }: Column, meaning: HeaderMeaning): void => {
    const targets = targetsOf(meaning);
    const isPiece = meaning.path.startsWith(PACKAGES) && taken.has('package');
    if (isPiece || targets.some(target => taken.has(target))) return;
    for (const target of targets) taken.add(target);
    found.set(title, meaning);
  };
  for (const column of byRank(withParts(withoutBuyer(withOrderNames(columns)), taken))) {
    const meaning = column.meaning && adapted(column.meaning, column.cells);
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
const _PHONE = 'receiver.phone';
const PACKAGES = 'packages[';

/** Shopify calls the number of an order `Name`: `#1001`. */
const withOrderNames = (columns: readonly Column[]): Column[] =>
  columns.map(column =>
    /^name$/i.test(column.header) && every(column.cells, cell => /\d/.test(cell))
      ? { ...column, meaning: { path: 'key', rank: 0 } }
      : column,
  );

const PARTS: readonly (readonly [whole: string, first: string, last: string])[] = [
  [NAME, 'receiver.firstName', 'receiver.lastName'],
  ['receiver.phone', 'receiver.phone.code', 'receiver.phone.number'],
];

/** `Vorname` and `Name`: beside a part of a name, or of a phone number, the whole is the other part. */
const withParts = (columns: readonly Column[], taken: ReadonlySet<string>): Column[] =>
  columns.map(column => {
    const { path, rank = 0 } = column.meaning ?? {};
    const [, ...parts] = PARTS.find(([whole]) => whole === path) ?? [];
    const free = parts.filter(part => !taken.has(part) && columns.every(one => one.meaning?.path !== part));
    if (free.length === parts.length) return column;
    const [other] = free;
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
const targetsOf = ({ path, transform }: HeaderMeaning): readonly string[] =>
  (transform && PARTS.find(([whole]) => whole === path)?.slice(1)) ?? [path];

const every = (cells: readonly string[], test: (cell: string) => boolean): boolean =>
  cells.length > 0 && cells.every(test);

const isCode = (cell: string): boolean => COUNTRIES.has(cell.toUpperCase());
const _hasPrefix = (cell: string): boolean => /^'?\s*(\+|00)\s*[1-9][\d\s()./-]{6,}$/.test(cell);

/** The meaning of a header, after a look at the cells below it: what must be transformed, and how. */
function adapted(meaning: HeaderMeaning, cells: readonly string[]): HeaderMeaning | undefined {
  const { path, transform, rank } = meaning;
  if (path.endsWith('.country.code') || path.endsWith('countryOfOrigin')) {
    if (every(cells, isCode)) return meaning;
    // The country of origin may be any text.
    const isKnown = cells.some(cell => countriesNamed(cell).length === 1);
    return { path, rank, transform: isKnown || !path.endsWith('countryOfOrigin') ? 'country' : undefined };
  }
  if (path === NAME && !cells.some(cell => /\S[\s,]+\S/.test(cell)) && cells.length > 0) return undefined;
  if (path === 'package' && !every(cells, cell => PACKAGE.test(cell))) return undefined;
  const isMarked = transform === undefined && cells.some(cell => /^'\d/.test(cell));
  return isMarked && !isNumber(meaning) ? { ...meaning, transform: 'apostrophe' } : meaning;
}

const PACKAGE = /^(\d+\s*x\s*)?[\d.]+\s*(kg)?\s*@\s*[\d.]+\s*x\s*[\d.]+\s*x\s*[\d.]+\s*(cm)?$/i;

const NUMBERS = /(weight|quantity|length|width|height|Price|totalGoodsValue)$/;
const isNumber = (meaning: HeaderMeaning | undefined): boolean => NUMBERS.test(meaning?.path ?? '');

const hasDecimalCommas = (columns: readonly Column[]): boolean =>
  columns.some(({ cells }) => cells.some(cell => /^\d[\d.]*,\d{1,2}(\D*)$/.test(cell)));
