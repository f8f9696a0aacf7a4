import Big from 'big.js';
import { fieldAt } from '../contract/fields.ts';
import type { Issue } from '../contract/operation.ts';
import { getAt, isRecord, listAt, parsePath, setAt, setMissing } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { typed } from '../order/build.ts';
import type { Phones } from '../order/check.ts';
import { shown } from '../text.ts';
import { columnOf } from './columns.ts';
import { DELIMITERS } from './csv.ts';
import { columnsOfCells } from './leave-out.ts';
import { weighs } from './lookup.ts';
import { isShop, SHOP_NAMES, type ShopName, shopNamed } from './maps.ts';
import type { InputMap, InputSettings, Lookup } from './source.ts';
import { TRANSFORM_NAMES, transformNamed, unitNamed } from './transform.ts';

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
 * a default would be used.
 */
export function missingColumns(map: InputMap | undefined, header: Header): string[] {
  if (map === undefined) return [];
  const { columns, transform = {}, lookup } = map;
  // A shop has several exports, and none has all columns of its map.
  const inherited = map.extends ? builtIn(map.extends).columns : {};
  const named = [...Object.keys(columns), ...Object.keys(transform)].filter(
    column => !Object.hasOwn(inherited, column) && !Object.hasOwn(lookup?.columns ?? {}, column),
  );
  return [...new Set([...named, ...columnsOfCells(map)])]
    .filter(column => !header.header.includes(column))
    .map(column => missingWords(column, header));
}

/** Throws `invalid_request` for columns that the file must have: by them orders are left out, or joined with their products. */
export function refuseMissing(map: InputMap, header: Header): void {
  const ofShop = map.extends ? builtIn(map.extends).columns : {};
  const issues = [...columnsOfCells(map), ...(map.lookup ? [map.lookup.by] : [])]
    .filter(column => !header.header.includes(column) && !Object.hasOwn(ofShop, column))
    .map(column => ({ path: column, message: missingWords(column, header) }));
  if (issues.length > 0)
    throw new Failure('invalid_request', `the map does not fit ${header.name}; nothing was sent`, { issues });
}

function missingWords(column: string, { unknown, name }: Header): string {
  // There are few of them, so half of the letters may differ.
  const meant = nearest(column, unknown, Math.ceil(column.length / 2));
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return `the map names the column ${JSON.stringify(column)}, which ${name} does not have${hint}`;
}

/** What reads phone numbers, for a map that transforms them. */
export const phonesForMap = async (map: InputMap): Promise<Phones | undefined> =>
  Object.values(map.transform ?? {}).includes('phone') ? import('../order/phone.ts') : undefined;

/** The parts of a map; docs/batches.md says what each of them is. */
export const MAP_PARTS = [
  ...[
    'extends',
    'columns',
    'constants',
    'transform',
    'others',
    'skip',
    'only',
    'skipItems',
    'lookup',
    'tare',
  ],
  ...['keyPrefix', 'decimal', 'delimiter'],
];

const LOOKUP_PARTS = ['file', 'by', 'key', 'columns', 'tare'];

/** A map as it is written: a product table is only named. */
export type WrittenMap = Omit<InputMap, 'lookup'> & { lookup?: Omit<Lookup, 'products' | 'digest'> };

/** Parses the JSON of a map; all of its parts are optional. Throws `invalid_request` with every issue. */
export function parseMap(value: Readonly<Record<string, unknown>>, name: string): WrittenMap {
  const issues: Issue[] = [];
  const report = (path: string, message: string, suggestion?: string) =>
    void issues.push({ path, message, ...(suggestion !== undefined && { suggestion }) });
  refuseUnknown(value, MAP_PARTS, '', 'a map');

  const { decimal = '.', delimiter, others, keyPrefix } = value;
  const start = inherited();
  const columns = { ...start?.columns, ...words('columns') };
  const constants = { ...start?.constants, ...words('constants') };
  const transform = { ...start?.transform, ...words('transform') };
  if (decimal !== '.' && decimal !== ',') report('decimal', 'must be "." or ","');
  if (delimiter !== undefined && !DELIMITERS.some(one => one === delimiter))
    report('delimiter', 'must be one of "," ";" "|" and a tab');
  if (others !== undefined && others !== '_')
    report(
      'others',
      `must be "_", which leaves out columns that the map does not name, not ${shown(others)}`,
    );
  for (const [column, word] of Object.entries(transform))
    if (!isTransform(word)) {
      const suggestion = nearest(word, TRANSFORM_NAMES);
      report(
        `transform.${column}`,
        `must be one of ${TRANSFORM_NAMES.join(', ')}, not ${shown(word)}`,
        suggestion,
      );
    }
  if (keyPrefix !== undefined && (typeof keyPrefix !== 'string' || keyPrefix.trim() === ''))
    report('keyPrefix', `must be text, such as "woo-", not ${shown(keyPrefix)}`);
  const lookup = readLookup();
  const tare = readTare();
  const skip = { ...start?.skip, ...cells('skip') };
  const only = { ...start?.only, ...cells('only') };
  const skipItems = { ...start?.skipItems, ...cells('skipItems') };
  if (issues.length > 0)
    throw new Failure('invalid_request', `the map ${name} is not valid; nothing was sent`, { issues });
  // Absent, and not empty: a record of an earlier run is known again by its map.
  const filled = (part: object) => Object.keys(part).length > 0;
  return {
    ...(start?.extends && { extends: start.extends }),
    columns,
    constants,
    decimal: decimal === ',' ? ',' : '.',
    ...(typeof delimiter === 'string' && { delimiter }),
    ...(filled(transform) && { transform: transform as InputMap['transform'] & object }),
    ...((others ?? start?.others) !== undefined && { others: '_' as const }),
    ...(filled(skip) && { skip }),
    ...(filled(only) && { only }),
    ...(filled(skipItems) && { skipItems }),
    ...(typeof keyPrefix === 'string' && { keyPrefix }),
    ...(tare !== undefined && { tare }),
    ...(lookup && { lookup }),
  };

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

  function inherited(): InputMap | undefined {
    const { extends: shop } = value;
    if (shop === undefined) return undefined;
    if (isShop(shop)) return builtIn(shop);
    const suggestion = typeof shop === 'string' ? nearest(shop, SHOP_NAMES) : undefined;
    report('extends', `must be a built-in map, ${SHOP_NAMES.join(' or ')}, not ${shown(shop)}`, suggestion);
    return undefined;
  }

  function words(part: 'columns' | 'constants' | 'transform'): Record<string, string> {
    return wordsOf(value[part], part);
  }

  function wordsOf(given: unknown = {}, part: string): Record<string, string> {
    const read: Record<string, string> = {};
    if (!isRecord(given)) report(part, 'must be an object');
    else
      for (const [key, word] of Object.entries(given))
        if (['string', 'number', 'boolean'].includes(typeof word)) read[key] = String(word);
        else report(`${part}.${key}`, 'must be text');
    return read;
  }

  function cells(part: 'skip' | 'only' | 'skipItems'): Record<string, readonly string[]> {
    const given = value[part] ?? {};
    const read: Record<string, readonly string[]> = {};
    if (!isRecord(given)) report(part, 'must be an object, such as {"Financial Status":["refunded"]}');
    else
      for (const [column, list] of Object.entries(given))
        if (Array.isArray(list) && list.every(one => ['string', 'number', 'boolean'].includes(typeof one)))
          read[column] = list.map(one => String(one).trim().toLowerCase());
        else report(`${part}.${column}`, `must be a list of cells, such as ["refunded"], not ${shown(list)}`);
    return read;
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
    const fields = wordsOf(given.columns, 'lookup.columns');
    if (Object.keys(fields).length === 0)
      report('lookup.columns', 'must name the columns of the table, such as {"HS":"items[].hsCode"}');
    return { ...read, columns: fields };
  }

  /** It may stand in the lookup as well, whose weights it adds to. */
  function readTare(): number | undefined {
    const inLookup = isRecord(value.lookup) ? value.lookup.tare : undefined;
    const given = value.tare ?? inLookup;
    const path = value.tare === undefined ? 'lookup.tare' : 'tare';
    if (given === undefined) return undefined;
    if (value.tare !== undefined && inLookup !== undefined)
      report('tare', 'is given twice: in the map and in its lookup');
    if (lookup && !weighs(lookup)) report(path, 'needs a column in "lookup" that gives packages[0].weight');
    if (value.lookup === undefined) report(path, 'needs a "lookup" that gives packages[0].weight');
    const [, amount = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(given)) ?? [];
    const named = unitNamed(unit === '' ? 'kg' : unit.toLowerCase());
    const isWeight = named !== undefined && ['kg', 'g', 'lb', 'oz'].includes(named);
    const parts = isWeight && amount !== '' ? transformNamed(named).apply(amount, {}) : undefined;
    const weight = typeof parts === 'object' ? parts[0]?.[1] : undefined;
    if (typeof weight === 'number') return weight;
    report(path, `must be a weight, such as "0.15kg" or "150g", not ${shown(given)}`);
    return undefined;
  }
}

const isTransform = (name: string): boolean => (TRANSFORM_NAMES as readonly string[]).includes(name);

/** A map that is built in. It needs no product table. */
export function builtIn(shop: ShopName): InputMap {
  const { lookup: _, ...map } = parseMap(shopNamed(shop).map, shop);
  return { ...map, extends: shop };
}

/** Puts the constants of the map below what a record says. Throws `invalid_request` for a constant without a field. */
export function withConstants({
  map,
  packages: _,
  ...settings
}: InputSettings): (value: unknown) => Record<string, unknown> {
  const issues: Issue[] = [];
  const constants = Object.entries(map?.constants ?? {}).flatMap(([name, written]) => {
    const column = columnOf(name, settings);
    if ('kind' in column && column.kind === 'field')
      return [{ ...column, value: typed(column.field, written) }];
    if (settings.onIgnored) return [];
    issues.push({
      ...('kind' in column ? { message: 'is not a field' } : column),
      path: `constants.${name}`,
    });
    return [];
  });
  if (issues.length > 0)
    throw new Failure('invalid_request', 'the map has constants for unknown fields; nothing was sent', {
      issues,
    });
  return start =>
    constants.reduce((value: unknown, { path, inner, value: constant }) => {
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

const GOODS_VALUE = 'customs.totalGoodsValue';

/** The value with that of all goods, if it says what each item costs and not what all of them do; else the same. */
export function withGoodsValue(
  value: Record<string, unknown>,
  { fields }: InputSettings,
): Record<string, unknown> {
  const path = parsePath(GOODS_VALUE) ?? [];
  const items = listAt(value, 'items');
  if (fieldAt(fields, path) === undefined || items.length === 0 || getAt(value, path) !== undefined)
    return value;
  const totals = items.map(item => totalOf(isRecord(item) ? item : {}));
  const known = totals.filter(total => total !== undefined);
  if (known.length < totals.length) return value;
  const sum = known.reduce((all, total) => all.plus(total), Big(0));
  return setAt(value, path, sum.toNumber()) as Record<string, unknown>;
}

export function withoutGoodsValue({ customs, ...value }: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(customs)) return { ...value, ...(customs !== undefined && { customs }) };
  const { totalGoodsValue: _, ...rest } = customs;
  return { ...value, customs: rest };
}

function totalOf({ totalPrice, quantity, unitPrice }: Record<string, unknown>): Big | undefined {
  const amount = (given: unknown) =>
    typeof given === 'number' && Number.isFinite(given) ? Big(given) : undefined;
  if (totalPrice !== undefined) return amount(totalPrice);
  const price = amount(unitPrice);
  return price && amount(quantity)?.times(price);
}
