// The JSON of a map; docs/batches.md says what each of its parts is.
import { isRecord } from '../contract/paths.ts';
import type { Issue } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { shown } from '../text.ts';
import { mapOf } from './built-in-maps.ts';
import type { InputMap, Lookup } from './input-types.ts';
import { givesWeights } from './lookup.ts';
import type { Shops } from './shop.ts';
import { TRANSFORM_NAMES, type TransformName, transformNamed, unitNamed } from './transform.ts';

export const MAP_PARTS = [
  ...['extends', 'columns', 'constants', 'transform', 'others', 'line', 'sku', 'taxIncluded', 'skip', 'only'],
  ...['skipItems', 'marketplace', 'business', 'lookup', 'tare', 'keyPrefix', 'decimal'],
];

const LOOKUP_PARTS = ['file', 'by', 'key', 'columns', 'tare'];

/** A map as its file has it: with the name of the product table, but without its rows. */
export type WrittenMap = Omit<InputMap, 'lookup'> & { lookup?: WrittenLookup | undefined };

type WrittenLookup = Omit<Lookup, 'products' | 'faults' | 'digest'>;

/** Parses the JSON of a map; all of its parts are optional. Throws `invalid_request` with every issue. */
export function parseMap(value: Readonly<Record<string, unknown>>, file: string, shops: Shops): WrittenMap {
  const parts = new MapParts(value);
  parts.refuseUnknown(value, MAP_PARTS, '', 'a map');
  const name = parts.choice('extends', Object.keys(shops));
  const shop = name === undefined ? undefined : shops[name];
  const start = shop && mapOf(name, shop);
  const map: WrittenMap = {
    extends: start?.extends,
    shop: start?.shop,
    columns: { ...start?.columns, ...parts.entries('columns', 'text', wordIn) },
    constants: { ...start?.constants, ...parts.entries('constants', 'text', wordIn) },
    transform: { ...start?.transform, ...parts.entries('transform', TRANSFORMS, transformIn) },
    others: parts.choice('others', ['_']) ?? start?.others,
    skip: { ...start?.skip, ...parts.entries('skip', CELLS, cellsIn) },
    only: { ...start?.only, ...parts.entries('only', CELLS, cellsIn) },
    skipItems: { ...start?.skipItems, ...parts.entries('skipItems', CELLS, cellsIn) },
    onlyItems: start?.onlyItems ?? {},
    business: { ...start?.business, ...parts.entries('business', CELLS, cellsIn) },
    marketplace: parts.read('marketplace', 'true or false', yesOrNoIn) ?? start?.marketplace,
    decimal: parts.choice('decimal', ['.', ',']),
    line: parts.read('line', 'the name of a column', trimmedText) || start?.line,
    sku: parts.read('sku', 'the name of a column', trimmedText) || start?.sku,
    once: start?.once,
    taxIncluded: parts.read('taxIncluded', 'a rate, such as "20%"', rateIn),
    keyPrefix: parts.read('keyPrefix', 'text, such as "woo-"', prefixIn),
  };
  map.lookup = parts.lookup();
  map.tare = parts.tare(map.lookup);
  if (parts.issues.length > 0)
    throw new Failure('invalid_request', `the map ${file} is not valid`, { issues: parts.issues });
  return map;
}

// Parsers for the parts of a map: each gives `undefined` for a value that is not allowed.

const wordIn = (written: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof written) ? String(written) : undefined;

const trimmedText = (written: unknown): string | undefined =>
  typeof written === 'string' ? written.trim() : undefined;

const prefixIn = (written: unknown): string | undefined =>
  typeof written === 'string' && written.trim() !== '' ? written : undefined;

const yesOrNoIn = (written: unknown): boolean | undefined =>
  typeof written === 'boolean' ? written : undefined;

function rateIn(written: unknown): number | undefined {
  const [, rate] = /^\s*(\d{1,2}(?:\.\d+)?)\s*%\s*$/.exec(String(written)) ?? [];
  return rate === undefined ? undefined : Number(rate);
}

const TRANSFORMS = `one of ${TRANSFORM_NAMES.join(', ')}`;
const transformIn = (written: unknown): TransformName | undefined =>
  TRANSFORM_NAMES.find(name => name === written);

const CELLS = 'a list of cells, such as ["refunded"]';
function cellsIn(written: unknown): string[] | undefined {
  const cells = Array.isArray(written) ? written.map(wordIn) : [undefined];
  return cells.every(cell => cell !== undefined) ? cells.map(cell => cell.trim().toLowerCase()) : undefined;
}

/** A weight with its unit (`150g`), in kilograms. */
function weightIn(written: unknown): number | undefined {
  const text = String(written).trim();
  const unit = unitNamed(/[a-z]*$/i.exec(text)?.[0].toLowerCase() || 'kg');
  if (unit === undefined || !['kg', 'g', 'lb', 'oz'].includes(unit)) return undefined;
  const parts = transformNamed(unit).apply(text, {});
  const weight = typeof parts === 'object' ? parts[0]?.[1] : undefined;
  return typeof weight === 'number' ? weight : undefined;
}

/** The parts of a map, and what is wrong with them. */
class MapParts {
  readonly issues: Issue[] = [];
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(value: Readonly<Record<string, unknown>>) {
    this.#value = value;
  }

  #report(path: string, message: string, suggestion?: string): void {
    this.issues.push({ path, message, ...(suggestion !== undefined && { suggestion }) });
  }

  refuseUnknown(value: object, parts: readonly string[], before: string, whole: string): void {
    for (const part of Object.keys(value))
      if (!parts.includes(part)) {
        const message = `is not a part of ${whole}; the parts are ${parts.join(', ')}`;
        this.#report(`${before}${part}`, message, nearest(part, parts));
      }
  }

  /** The part with this name, if the map has it and its value is allowed. */
  read<T>(part: string, allowed: string, parse: (written: unknown) => T | undefined): T | undefined {
    const written = this.#value[part];
    const read = written === undefined ? undefined : parse(written);
    if (written !== undefined && read === undefined)
      this.#report(part, `must be ${allowed}, not ${shown(written)}`);
    return read;
  }

  choice(part: string, words: readonly string[]): string | undefined {
    const written = this.#value[part];
    const choice = words.find(word => word === written);
    if (written !== undefined && choice === undefined) {
      const allowed = words.map(word => JSON.stringify(word)).join(' or ');
      this.#report(part, `must be ${allowed}, not ${shown(written)}`, nearest(String(written), words));
    }
    return choice;
  }

  /** A part with an entry for each column. */
  entries<T>(
    part: string,
    allowed: string,
    parse: (written: unknown) => T | undefined,
    written = this.#value[part],
  ): Record<string, T> {
    if (written !== undefined && !isRecord(written)) this.#report(part, 'must be an object');
    const entries: [string, T][] = [];
    for (const [column, entry] of Object.entries(isRecord(written) ? written : {})) {
      const read = parse(entry);
      if (read === undefined) this.#report(`${part}.${column}`, `must be ${allowed}, not ${shown(entry)}`);
      else entries.push([column, read]);
    }
    return Object.fromEntries(entries);
  }

  lookup(): WrittenLookup | undefined {
    const { lookup } = this.#value;
    if (lookup === undefined) return undefined;
    if (!isRecord(lookup)) {
      this.#report('lookup', 'must be an object with file, by, key and columns');
      return undefined;
    }
    this.refuseUnknown(lookup, LOOKUP_PARTS, 'lookup.', 'a lookup');
    const text = (part: 'file' | 'by' | 'key'): string => {
      const word = lookup[part];
      if (typeof word === 'string' && word.trim() !== '') return word.trim();
      this.#report(`lookup.${part}`, word === undefined ? 'is required' : `must be text, not ${shown(word)}`);
      return '';
    };
    const names = { file: text('file'), by: text('by'), key: text('key') };
    const columns = this.entries('lookup.columns', 'text', wordIn, lookup.columns);
    if (Object.keys(columns).length === 0)
      this.#report('lookup.columns', 'must name the columns of the table, such as {"HS":"items[].hsCode"}');
    return { ...names, columns };
  }

  /** The weight of the packaging, in kilograms. The map may also give it within `lookup`, to whose weights it is added. */
  tare(lookup: WrittenLookup | undefined): number | undefined {
    const beside = isRecord(this.#value.lookup) ? this.#value.lookup.tare : undefined;
    const [written, path] =
      this.#value.tare === undefined ? [beside, 'lookup.tare'] : [this.#value.tare, 'tare'];
    if (written === undefined) return undefined;
    if (!lookup || !givesWeights(lookup))
      this.#report(path, 'needs a column in "lookup" that gives packages[0].weight');
    const weight = weightIn(written);
    if (weight === undefined)
      this.#report(path, `must be a weight, such as "0.15kg" or "150g", not ${shown(written)}`);
    return weight;
  }
}
