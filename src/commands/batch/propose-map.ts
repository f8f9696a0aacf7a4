// `batch map`: proposes how the columns of a shop's export become our records, and shows the first one.
import { existsSync, writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { EMPTY_MAP, loadShops, mapOf } from '../../batch/built-in-maps.ts';
import { withoutUnread } from '../../batch/cells.ts';
import { misreadWords } from '../../batch/code-pages.ts';
import { columnOf, isReadByMap } from '../../batch/columns.ts';
import { encodingNamed } from '../../batch/encoding.ts';
import { type GuessedMap, guessMap } from '../../batch/guess-map.ts';
import { inputFormat, openRecords, readBeginning, type SampledInput } from '../../batch/input.ts';
import {
  type FormatOptions,
  formatFlags,
  type InputMap,
  type InputSettings,
  type ParsedRecord,
} from '../../batch/input-types.ts';
import { readersForMap } from '../../batch/read-map.ts';
import { recordSettings } from '../../batch/run/job.ts';
import { shopOf, titlesOf } from '../../batch/shop.ts';
import { bodyOf } from '../../contract/operations.ts';
import { parsePath } from '../../contract/paths.ts';
import { fieldAt, type Issue } from '../../contract/shapes.ts';
import { Failure } from '../../errors.ts';
import { absolutePath } from '../../host/folder.ts';
import { completed, gather, layer, placedNumbers, type RequestParts } from '../../order/build.ts';
import { findIssues, missingIn } from '../../order/check.ts';
import { type FlaggedField, flaggedFields, flagName, targetFlags } from '../../order/options.ts';
import type { Look } from '../../output/look.ts';
import type { View } from '../../output/print.ts';
import { pairs, table } from '../../output/table.ts';
import { safe } from '../../output/text.ts';
import { inputBytes } from '../../session/files.ts';
import type { Session } from '../../session/session.ts';
import { unwritableBecause } from '../../system-errors.ts';
import { commandText, shellWord } from '../../text.ts';
import { SHIP } from '../ship.ts';
import { shipJob } from './shipment-jobs.ts';

export interface MapOptions extends FormatOptions {
  out?: string;
}

/** Writes the map. Throws `usage`, `storage`, and `partial` if the map leaves the first order incomplete. */
export async function proposeMap(session: Session, options: MapOptions, path: string): Promise<void> {
  const { host, printer } = session;
  const file = options.out ?? `${path === '-' ? 'orders' : basename(path, extname(path))}.map.json`;
  refusePresent(session, file);
  const mapping = await openMapping(session, options, path);
  const { sample, settings } = mapping;
  const isOurs = (header: string) => {
    const column = columnOf(header, settings);
    return 'kind' in column && column.kind !== 'ignored';
  };
  const shops = await loadShops();
  const shop = shopOf(sample.header, shops);
  const ofShop = shop && shops[shop.name];
  const guessed: GuessedMap = ofShop
    ? { map: mapOf(shop.name, ofShop), open: [], asked: [] }
    : guessMap(sample, settings.fields, isOurs);
  const { map, open: untold } = guessed;
  const written = shop ? { extends: shop.name } : filledParts(map);
  if (shop)
    await printer.note(
      `these are the headers of ${shop.title}: --map ${shop.name} reads them. ${file} begins with that map, for what ${shop.title} does not tell`,
    );
  else if (Object.keys(map.columns).length === 0)
    await printer.note('every column is a field already: as far as the headers go, the batch needs no map');
  const first = await firstOrder(mapping, map);
  try {
    writeFileSync(absolutePath(file, host), `${JSON.stringify(written, undefined, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw new Failure('storage', `${file} cannot be written: ${unwritableBecause(error)}`);
  }
  const flags = first.flags.map(flag => ` ${flagWords(flag)}`).join('');
  const { body: request } = first;
  // `untold` has the fields whose column is uncertain: such a field is not listed as missing, too.
  const open = [
    ...untold,
    ...first.open.filter(({ path }) => {
      const priced = path.replace(/\[\d+\]/, '[]').replace('totalPrice', 'unitPrice');
      return !untold.some(issue => issue.path === priced);
    }),
  ];
  const mapWord = shop && open.length === 0 ? shop.name : mapPath(file);
  const next = `waybill batch ship ${shellWord(path)} --map ${shellWord(mapWord)}${flags} ${commandText([...formatFlags(options), '--dry-run', ...targetFlags(session)])}`;
  await printer.result(
    { file, builtIn: shop?.name ?? null, map: written, request, open, next },
    mapView(sample, guessed, / [A-Z]+/.test(flags)),
  );
  if (open.length > 0)
    throw new Failure(
      'partial',
      `${file} is written, but the first order is not complete: give each of these fields a column of the map, a column of a product table in its "lookup", or a value for all orders in its "constants" or by a flag (\`waybill help shop\`)`,
      { issues: open, retry: 'after-change' },
    );
}

/** `--map` reads a word with a dot or a slash as a file, and any other word as the name of a built-in map. */
const mapPath = (file: string): string => (/[./\\]/.test(file) ? file : `./${file}`);

const filledParts = (map: InputMap) => ({
  columns: map.columns,
  ...(Object.keys(map.transform).length > 0 && { transform: map.transform }),
  ...(map.decimal && { decimal: map.decimal }),
});

function refusePresent(session: Session, file: string): void {
  if (existsSync(absolutePath(file, session.host)))
    throw new Failure('usage', `${file} exists already; name another file with --out. Nothing was written`);
}

async function openMapping(session: Session, options: MapOptions, path: string): Promise<Mapping> {
  const { host } = session;
  const format = inputFormat(path, options.format);
  const name = path === '-' ? 'stdin' : path;
  const encoding = options.encoding === undefined ? undefined : encodingNamed(options.encoding);
  const sample = await readBeginning(inputBytes(path, host), { format, name, encoding });
  const settings: InputSettings = {
    ...(await readersForMap({ ...EMPTY_MAP, transform: { '': 'phone', _: 'html' } })),
    format,
    name,
    ...recordSettings(shipJob, session),
    keyColumn: 'key',
    allowUnknown: false,
  };
  return { session, parts: await gather(session, SHIP, {}), sample, settings };
}

/** The first cell with text in a column. */
const firstValue = (sample: SampledInput, title: string): string =>
  sample.rows.map(row => row[sample.header.indexOf(title)] ?? '').find(cell => cell.trim() !== '') ?? '';

interface Proposal {
  file: string;
  /** The built-in map that reads the file. */
  builtIn: string | null;
  /** The map that is written into the file. */
  map: object;
  request: unknown;
  open: Issue[];
  next: string;
}

const mapView = (sample: SampledInput, guess: GuessedMap, hasPlaceholders: boolean): View<Proposal> => ({
  essential: written => [written.file],
  async table(written, look) {
    const { shop } = guess.map;
    const meant = titlesOf(shop);
    const entryOf = <T>(part: Readonly<Record<string, T>>, title: string) =>
      Object.hasOwn(part, title) ? part[title] : undefined;
    const pathOf = (header: string) => entryOf(guess.map.columns, meant(header)) ?? guess.map.others ?? '';
    const unmapped = sample.header.filter(
      header => pathOf(header).startsWith('_') && !guess.asked.includes(header),
    );
    const isDeciding = (header: string) =>
      isReadByMap(meant(header), guess.map) || shop?.decides?.includes(meant(header));
    const deciding = unmapped.filter(isDeciding);
    const left = unmapped.filter(header => !isDeciding(header));
    const rows = sample.header.flatMap(header => {
      const path = guess.asked.includes(header) ? 'asked, see below' : pathOf(header);
      if (path === '' || path.startsWith('_')) return [];
      return [[header, path, entryOf(guess.map.transform, meant(header)) ?? '', firstValue(sample, header)]];
    });
    return [
      await table(look, { head: ['column', 'field', 'transform', 'first value'], rows }),
      ...(deciding.length > 0 ? [safe(`Read for what is sent: ${deciding.join(', ')}`)] : []),
      ...(left.length > 0 ? [safe(`Left out: ${left.join(', ')}`)] : []),
      ...(guess.map.extends ? [] : [ALL_BOOKED]),
      `${look.bold('The first order, as it would be booked')}\n${await orderPairs(written.request, look)}`,
      `${safe(`Next: \`${written.next}\``)}${hasPlaceholders ? '\nReplace the words in capitals: `waybill batch ship --help` says with what.' : ''}`,
    ].join('\n\n');
  },
});

/** Receiver, goods, customs and packages of an order, each on a line. */
async function orderPairs(request: unknown, look: Look): Promise<string> {
  const { shipmentLines } = await import('../../order/shipment-lines.ts');
  const lines = shipmentLines(bodyOf(SHIP.operation), request).filter(({ path }) =>
    ['receiver', 'items', 'customs', 'packages'].includes(path),
  );
  return pairs(
    look,
    lines.map(({ label, text }) => [label, text] as const),
  );
}

/** A batch does not know which orders the shop has cancelled. */
const ALL_BOOKED =
  'Every order of the file is booked: name the cells of what is cancelled, refunded, not paid or sent already in "skip" of the map.';

const PLACEHOLDERS: Readonly<Record<string, string>> = { '--sender': 'FILE', '--carrier': 'cheapest' };

/** A flag as it stands in a command for a person: `--type TYPE`. */
function flagWords(field: FlaggedField): string {
  const name = flagName(field.flag);
  return `${name} ${PLACEHOLDERS[name] ?? name.slice(2).toUpperCase()}`;
}

interface Mapping {
  session: Session;
  parts: RequestParts;
  sample: SampledInput;
  settings: InputSettings;
}

/** The first order of the input, as a batch would send it. */
interface FirstOrder {
  key: string | undefined;
  body: unknown;
  /** Values that are wrong, or that are missing and must come from a column or a constant. */
  open: Issue[];
  /** The fields for which a flag gives one value to all orders. */
  flags: FlaggedField[];
}

/** Warns, as a batch does, if any order at the beginning of the file has letters of another encoding. */
async function firstOrder(mapping: Mapping, map: InputMap): Promise<FirstOrder> {
  const { session, sample, settings } = mapping;
  const file = { name: settings.name, encoding: sample.encoding };
  let first: FirstOrder | undefined;
  let misread: string | undefined;
  let leftOut = 0;
  const input = openRecords(sample.bytes(), {
    ...settings,
    map,
    onLeftOut() {
      leftOut += 1;
    },
    onSummed() {},
  });
  for await (const raw of input.records) {
    const record = input.parse(raw);
    misread ??= misreadWords(record.value, raw.line, file);
    first ??= await orderOf(mapping, record);
    if (misread !== undefined) break;
  }
  if (misread !== undefined) await session.printer.warn(misread);
  if (first !== undefined) return first;
  const why = leftOut > 0 ? `only orders that the map leaves out, ${leftOut} of them` : 'no record';
  throw new Failure('invalid_request', `${settings.name} has ${why}; nothing was written`);
}

async function orderOf(mapping: Mapping, record: ParsedRecord): Promise<FirstOrder> {
  const { session, parts } = mapping;
  const schema = bodyOf(parts.operation);
  const { key, value, options, issues, numbers } = record;
  const whole = await completed(schema, layer(parts.layers.full, value));
  const { body } = placedNumbers(session, { ...parts, record: value, numbers }, whole);
  const missingKey =
    key === undefined ? [{ path: 'key', message: 'is required: the number of the order' }] : [];
  const problems = findIssues({ ...parts, record: value }, body, session.rules()).filter(
    ({ path }) => !(path.startsWith('carrier') && options?.carrier !== undefined),
  );
  const isOfShop = (issue: Issue) => fieldAt(schema, (parsePath(issue.path) ?? []).slice(0, 1))?.isOfShop;
  const own = problems.filter(issue => !isOfShop(issue));
  const lacking = missingIn(problems.filter(isOfShop), body).map(({ path }) => path);
  return {
    key,
    body,
    open: [...missingKey, ...issues, ...withoutUnread(own, record)],
    flags: flaggedFields(parts.operation).filter(({ pattern }) => lacking.includes(pattern)),
  };
}
