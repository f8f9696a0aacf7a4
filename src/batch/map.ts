import { getAt, isRecord, setAt, setMissing } from '../contract/paths.ts';
import { hasField, type Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { valueFrom } from '../order/build.ts';
import { SHOP_NAMES } from '../shops/shops.ts';
import { shown, someOf } from '../text.ts';
import { type Column, columnOf, isReadByMap } from './columns.ts';
import { columnsOfCells } from './left-out.ts';
import { weighs } from './lookup.ts';
import { SHOPS } from './maps.ts';
import type { InputMap, InputSettings, Lookup } from './source.ts';
import { TRANSFORM_NAMES, type TransformName, transformNamed, unitNamed } from './transform.ts';

/** The header of a CSV. */
interface Header {
  header: readonly string[];
  /** Its titles that mean nothing as they are. */
  unknown: readonly string[];
  /** Of the file. */
  name: string;
}

/**
 * Warnings for columns that the map names and the file does not have: for a misspelt one the field would be missing, or
 * a default would be used. Throws `invalid_request` for those by which orders are left out, or joined with their products;
 * if `isForOther`, only keys and ids count.
 */
export function missingColumns(map: InputMap | undefined, header: Header, isForOther = false): string[] {
  if (map === undefined) return [];
  const { columns, transform, lookup } = map;
  const lacks = (column: string) => !header.header.includes(column);
  // A shop has several exports, and none has all columns of its map.
  const { map: shop, needs = {} } = SHOPS.get(map.extends) ?? {};
  const inherited = shop ? [...Object.keys(shop.columns), ...columnsRead(shop)] : [];
  // A column of the shop that only this map asks for a company: without it each company would get a number.
  const asked = Object.keys(map.business).filter(column => !Object.hasOwn(shop?.business ?? {}, column));
  const issues = columnsRead(map)
    .filter(column => lacks(column) && (asked.includes(column) || !inherited.includes(column)))
    .map(column => ({ path: column, message: missingWords(column, header) }));
  const prices = [...Object.keys(map.constants), ...Object.values(lookup?.columns ?? {})];
  for (const [column, message] of Object.entries(needs))
    if (lacks(column) && !prices.some(path => path === shop?.columns[column] || path === UNIT_PRICE))
      issues.push({ path: column, message });
  if (issues.length > 0 && !isForOther)
    throw new Failure('invalid_request', `the map does not fit ${header.name}`, { issues });
  const named = [...Object.keys(columns), ...Object.keys(transform)].filter(
    column => !inherited.includes(column) && !Object.hasOwn(lookup?.columns ?? {}, column),
  );
  // Without these, orders that are not to be sent would be.
  const states = [...Object.keys(map.skip), ...Object.keys(map.only)].filter(
    column => !inherited.includes(column),
  );
  return [...new Set([...named, ...states])].filter(lacks).map(column => missingWords(column, header));
}

const UNIT_PRICE = 'items[].unitPrice';

/** What customs ask of each item, and what may tell it in a file. */
const GOODS = {
  description: ['description'],
  quantity: ['quantity', 'sold'],
  price: ['unitPrice', 'totalPrice', 'paid', 'kept', 'untaxed'],
};

/**
 * Refuses a file with items of which no column tells what they are, how many, or what they cost: each order would lack it, and the
 * header is what to look at. Throws `invalid_request`.
 */
export function refuseWithoutGoods(
  {
    header,
    titles,
    columns,
  }: Record<'header' | 'titles', readonly string[]> & { columns: readonly Column[] },
  { name, map, fields, given, ignoresOthers }: InputSettings,
): void {
  const tells = columns.flatMap(one => (one.kind === 'sum' ? one.name : itemField(one)));
  const hasItems = columns.some(itemField) || titles.includes(map?.lookup?.by ?? '');
  if (!map || !hasItems || ignoresOthers || given === undefined || given('items') !== undefined) return;
  if (!hasField(fields, UNIT_PRICE)) return;
  tells.push(
    ...[...Object.keys(map.constants), ...Object.values(map.lookup?.columns ?? {})].map(path =>
      path.replace(/^items\[\d*\]\./, ''),
    ),
  );
  const issues = Object.entries(GOODS).flatMap(([what, [field = '', ...others]]) =>
    [field, ...others].some(one => tells.includes(one))
      ? []
      : {
          path: `items[].${field}`,
          message: `no column gives the ${what} of an item: add to the map "columns": {"HEADER": "items[].${field}"}`,
        },
  );
  const others = header.filter(
    (_, index) => columns[index]?.kind === 'ignored' && !isReadByMap(titles[index] ?? '', map),
  );
  if (issues.length > 0)
    throw new Failure('invalid_request', `the map does not fit ${name}`, {
      issues,
      hint: `Columns that it does not read: ${someOf(others, 40) || 'none'}`,
    });
}

/** The field of an item that a column gives; empty if it gives none. */
const itemField = (column: Column): string =>
  column.kind === 'field' && column.path[0] === 'items'
    ? String((column.inner ?? column.path.slice(2))[0] ?? '')
    : '';

/** The headers that a map names. */
export const titlesIn = (map: InputMap): string[] => [
  ...Object.keys(map.columns),
  ...Object.keys(map.transform),
  ...columnsRead(map),
];

/** The columns that a map reads for something else than a field. */
const columnsRead = ({ lookup, line, once, ...map }: InputMap): string[] =>
  [...columnsOfCells(map), lookup?.by, line, once].filter(column => column !== undefined);

function missingWords(column: string, { unknown, name }: Header): string {
  // There are few of them, so half of the letters may differ.
  const meant = nearest(column, unknown, Math.ceil(column.length / 2));
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return `the map names the column ${JSON.stringify(column)}, which ${name} does not have${hint}`;
}

/** What a map needs to read phone numbers, and the entities of HTML that exports of shops have. */
export async function readersForMap(map: InputMap): Promise<Pick<InputSettings, 'phones' | 'decode'>> {
  const transforms = Object.values(map.transform);
  const hasEntities = map.extends !== undefined || transforms.includes('html');
  const { decode } = hasEntities ? await import('html-entities') : {};
  return {
    phones: transforms.includes('phone') ? await import('../order/phone.ts') : undefined,
    decode: decode && (text => decode(text, { scope: 'strict' })),
  };
}

/** The parts of a map; docs/batches.md says what each of them is. */
export const MAP_PARTS = [
  'extends',
  'columns',
  'constants',
  'transform',
  'others',
  'line',
  'taxIncluded',
  'skip',
  'only',
  'skipItems',
  'marketplace',
  'business',
  'lookup',
  'tare',
  'keyPrefix',
  'decimal',
];

const LOOKUP_PARTS = ['file', 'by', 'key', 'columns', 'tare'];

/** A map as it is written: a product table is only named. */
export type WrittenMap = Omit<InputMap, 'lookup'> & {
  lookup?: Omit<Lookup, 'products' | 'digest'> | undefined;
};

const wordIn = (given: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof given) ? String(given) : undefined;

const transformIn = (given: unknown): TransformName | undefined =>
  TRANSFORM_NAMES.find(name => name === given);

function cellsIn(given: unknown): string[] | undefined {
  const cells = Array.isArray(given) ? given.map(wordIn) : [undefined];
  return cells.every(cell => cell !== undefined) ? cells.map(cell => cell.trim().toLowerCase()) : undefined;
}

/** Parses the JSON of a map; all of its parts are optional. Throws `invalid_request` with every issue. */
export function parseMap(value: Readonly<Record<string, unknown>>, name: string): WrittenMap {
  const issues: Issue[] = [];
  const report = (path: string, message: string, suggestion?: string) =>
    void issues.push({ path, message, ...(suggestion !== undefined && { suggestion }) });
  refuseUnknown(value, MAP_PARTS, '', 'a map');

  const start = SHOPS.get(choice('extends', SHOP_NAMES))?.map;
  const { keyPrefix } = value;
  const map: WrittenMap = {
    extends: start?.extends,
    columns: { ...start?.columns, ...entries(value.columns, 'columns', wordIn, 'text') },
    constants: { ...start?.constants, ...entries(value.constants, 'constants', wordIn, 'text') },
    transform: {
      ...start?.transform,
      ...entries(value.transform, 'transform', transformIn, `one of ${TRANSFORM_NAMES.join(', ')}`),
    },
    others: choice('others', ['_']) ?? start?.others,
    skip: { ...start?.skip, ...cells('skip') },
    only: { ...start?.only, ...cells('only') },
    skipItems: { ...start?.skipItems, ...cells('skipItems') },
    onlyItems: start?.onlyItems ?? {},
    business: { ...start?.business, ...cells('business') },
    marketplace: yesOrNo() ?? start?.marketplace,
    decimal: choice('decimal', ['.', ',']),
    line: lineColumn() ?? start?.line,
    once: start?.once,
    taxedApart: start?.taxedApart,
    taxIncluded: percent(),
    keyPrefix: wordIn(keyPrefix),
  };
  if (keyPrefix !== undefined && (typeof keyPrefix !== 'string' || keyPrefix.trim() === ''))
    report('keyPrefix', `must be text, such as "woo-", not ${shown(keyPrefix)}`);
  map.lookup = readLookup();
  map.tare = readTare();
  if (issues.length > 0) throw new Failure('invalid_request', `the map ${name} is not valid`, { issues });
  return map;

  function refuseUnknown(
    given: Readonly<Record<string, unknown>>,
    parts: readonly string[],
    before: string,
    of: string,
  ): void {
    for (const part of Object.keys(given))
      if (!parts.includes(part))
        report(
          `${before}${part}`,
          `is not a part of ${of}; the parts are ${parts.join(', ')}`,
          nearest(part, parts),
        );
  }

  function choice(part: string, allowed: readonly string[]): string | undefined {
    const given = value[part];
    const found = allowed.find(one => one === given);
    if (given !== undefined && found === undefined)
      report(
        part,
        `must be ${allowed.map(one => JSON.stringify(one)).join(' or ')}, not ${shown(given)}`,
        nearest(String(given), allowed),
      );
    return found;
  }

  function lineColumn(): string | undefined {
    const { line: given } = value;
    if (given === undefined || typeof given === 'string') return given?.trim() || undefined;
    report('line', `must be the name of a column, not ${shown(given)}`);
    return undefined;
  }

  function percent(): number | undefined {
    const { taxIncluded: given } = value;
    const [, rate] = /^\s*(\d{1,2}(?:\.\d+)?)\s*%\s*$/.exec(String(given)) ?? [];
    if (given === undefined || rate !== undefined) return rate === undefined ? undefined : Number(rate);
    report('taxIncluded', `must be a rate, such as "20%", not ${shown(given)}`);
    return undefined;
  }

  /** `read`: gives `undefined` for what is not `allowed`. */
  function entries<T>(
    given: unknown,
    part: string,
    read: (entry: unknown) => T | undefined,
    allowed: string,
  ): Record<string, T> {
    if (given !== undefined && !isRecord(given)) report(part, 'must be an object');
    const entries = isRecord(given) ? Object.entries(given) : [];
    return Object.fromEntries(
      entries.flatMap(([name, entry]): [string, T][] => {
        const value = read(entry);
        if (value !== undefined) return [[name, value]];
        report(`${part}.${name}`, `must be ${allowed}, not ${shown(entry)}`);
        return [];
      }),
    );
  }

  function yesOrNo(): boolean | undefined {
    const { marketplace: given } = value;
    if (given === undefined || typeof given === 'boolean') return given;
    report('marketplace', `must be true or false, not ${shown(given)}`);
    return undefined;
  }

  function cells(part: 'skip' | 'only' | 'skipItems' | 'business'): Record<string, string[]> {
    return entries(value[part], part, cellsIn, 'a list of cells, such as ["refunded"]');
  }

  function readLookup(): WrittenMap['lookup'] {
    const { lookup: given } = value;
    if (given === undefined) return undefined;
    if (!isRecord(given)) {
      report('lookup', 'must be an object with file, by, key and columns');
      return undefined;
    }
    refuseUnknown(given, LOOKUP_PARTS, 'lookup.', 'a lookup');
    const text = (part: 'file' | 'by' | 'key'): string => {
      const word = given[part];
      if (typeof word === 'string' && word.trim() !== '') return word.trim();
      report(`lookup.${part}`, word === undefined ? 'is required' : `must be text, not ${shown(word)}`);
      return '';
    };
    const read = { file: text('file'), by: text('by'), key: text('key') };
    const columns = entries(given.columns, 'lookup.columns', wordIn, 'text');
    if (Object.keys(columns).length === 0)
      report('lookup.columns', 'must name the columns of the table, such as {"HS":"items[].hsCode"}');
    return { ...read, columns };
  }

  /** It may stand in the lookup as well, whose weights it adds to. */
  function readTare(): number | undefined {
    const [given, path] =
      value.tare === undefined && isRecord(value.lookup)
        ? [value.lookup.tare, 'lookup.tare']
        : [value.tare, 'tare'];
    if (given === undefined) return undefined;
    if (!map.lookup || !weighs(map.lookup))
      report(path, 'needs a column in "lookup" that gives packages[0].weight');
    const written = String(given).trim();
    const unit = unitNamed(/[a-z]*$/i.exec(written)?.[0].toLowerCase() || 'kg');
    const isWeight = unit !== undefined && ['kg', 'g', 'lb', 'oz'].includes(unit);
    const parts = isWeight ? transformNamed(unit).apply(written, {}) : undefined;
    const weight = typeof parts === 'object' ? parts[0]?.[1] : undefined;
    if (typeof weight === 'number') return weight;
    report(path, `must be a weight, such as "0.15kg" or "150g", not ${shown(given)}`);
    return undefined;
  }
}

/**
 * Puts the constants of the map, or those of one field of the body, below what a record says. Throws `invalid_request` for a
 * constant without a field.
 */
export function withConstants({
  map,
  packages: _,
  ...settings
}: InputSettings): (value: unknown, only?: string) => Record<string, unknown> {
  const issues: Issue[] = [];
  const constants = Object.entries(map?.constants ?? {}).flatMap(([name, written]) => {
    const column = columnOf(name, settings);
    if ('kind' in column && column.kind === 'field')
      return [{ ...column, value: valueFrom(column.field, written) }];
    if (settings.ignoresOthers) return [];
    issues.push({
      ...('kind' in column ? { message: 'is not a field' } : column),
      path: `constants.${name}`,
    });
    return [];
  });
  if (issues.length > 0)
    throw new Failure('invalid_request', 'the map has constants for unknown fields', {
      issues,
    });
  return (start, only) =>
    constants.reduce((value: unknown, { path, inner, value: constant }) => {
      if (only !== undefined && path[0] !== only) return value;
      if (inner === undefined) return setMissing(value, path, constant);
      const list = getAt(value, path);
      if (!Array.isArray(list)) return value;
      return setAt(
        value,
        path,
        list.map(entry => setMissing(entry, inner, constant)),
      );
    }, start) as Record<string, unknown>;
}

export function withoutGoodsValue({ customs, ...value }: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(customs)) return { ...value, ...(customs !== undefined && { customs }) };
  const { totalGoodsValue: _, ...rest } = customs;
  return { ...value, customs: rest };
}
