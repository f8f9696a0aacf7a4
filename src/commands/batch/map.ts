// `batch map`: proposes how the columns of a shop's export become our records, and shows the first one.
import { existsSync, writeFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { withoutUnread } from '../../batch/cells.ts';
import { columnOf } from '../../batch/columns.ts';
import { encodingNamed } from '../../batch/encoding.ts';
import { guessMap, withColumn } from '../../batch/guess/guess.ts';
import { MONEY, rankColumns } from '../../batch/guess/likely.ts';
import { type Beginning, readBeginning } from '../../batch/guess/sample.ts';
import { inputFormat, openInput } from '../../batch/input.ts';
import type { FormatOptions } from '../../batch/input-flags.ts';
import type { InputMap, InputSettings } from '../../batch/source.ts';
import type { CountriesNamed } from '../../batch/transform.ts';
import { bodyOf, type Issue } from '../../contract/operation.ts';
import { Failure, unwritableBecause } from '../../errors.ts';
import { absolutePath } from '../../folder.ts';
import { fieldIn, requiredFieldsUnder } from '../../forms/engine/state.ts';
import { byOrder } from '../../forms/engine/steps.ts';
import { SHIPMENT_ORDER, suggestion } from '../../forms/shipment-fields.ts';
import { findIssues } from '../../orders/issues.ts';
import { parcelOf } from '../../orders/parcel-flags.ts';
import { gather } from '../../orders/request.ts';
import type { RequestParts } from '../../orders/request-command.ts';
import type { View } from '../../output/print.ts';
import { safeJson } from '../../output/safe.ts';
import { table } from '../../output/table.ts';
import { isRequired } from '../../prompts/question.ts';
import { complete } from '../../request/complete.ts';
import { loadCountryNames } from '../../request/countries.ts';
import { layer } from '../../request/layers.ts';
import { missingIn } from '../../request/validate.ts';
import { bytesOf } from '../../session/input-files.ts';
import type { Session } from '../../session/session.ts';
import { shellWord, shortened } from '../../text.ts';
import { job, SHIP } from '../ship.ts';
import { fieldWords, fillInWords, flagWords, orderLines } from './map-words.ts';

export interface MapOptions extends FormatOptions {
  out?: string;
}

/** An input that is being mapped. */
interface Mapping {
  session: Session;
  parts: RequestParts;
  sample: Beginning;
  settings: InputSettings;
  countriesNamed: CountriesNamed;
}

/** The first order as it would be sent. */
interface FirstOrder {
  key: string | undefined;
  body: unknown;
  /** What a column or a constant must give, or a value that is wrong. */
  open: Issue[];
  /** Flags that give the rest for all orders. */
  flags: string[];
}

/** Writes the map. Throws `usage`, `storage`, and `partial` if it leaves the first order incomplete. */
export async function proposeMap(session: Session, options: MapOptions, path: string): Promise<void> {
  const { host, printer } = session;
  const file = options.out ?? `${path === '-' ? 'orders' : basename(path, extname(path))}.map.json`;
  if (!session.interactive) refusePresent(session, file);
  const mapping = await openMapping(session, options, path);
  const { sample, settings, countriesNamed } = mapping;
  const isOurs = (header: string) => {
    const column = columnOf(header, settings);
    return 'kind' in column && column.kind !== 'ignored';
  };
  let map = guessMap(sample, isOurs, countriesNamed);
  if (Object.keys(map.columns).length === 0)
    await printer.note('every column is a field already: as far as the headers go, the batch needs no map');
  if (session.interactive) map = await askForColumns(mapping, map);
  const first = await firstOrder(mapping, map);
  if (session.interactive) await askToWrite(mapping, file, first);
  try {
    writeFileSync(absolutePath(file, host), `${JSON.stringify(withoutEmpty(map), undefined, 2)}\n`, {
      flag: session.interactive ? 'w' : 'wx',
    });
  } catch (error) {
    throw new Failure('storage', `${file} cannot be written: ${unwritableBecause(error)}`);
  }
  const encoding = options.encoding === undefined ? '' : ` --encoding ${shellWord(options.encoding)}`;
  const flags = first.flags.map(flag => ` ${flagWords(flag)}`).join('');
  const next = `waybill batch ship ${shellWord(path)} --map ${shellWord(file)}${encoding}${flags} --dry-run`;
  const { body: request, open } = first;
  const fillIn = fillInWords(bodyOf(mapping.parts.operation), first.flags);
  await printer.result({ file, map, request, open, next }, viewOf(sample, fillIn));
  if (open.length > 0)
    throw new Failure(
      'partial',
      `${file} is written, but the first order is not complete: complete the map (\`waybill help batch\`), or give what is the same for all orders as a flag`,
      { issues: open },
    );
}

const withoutEmpty = ({ constants, decimal, ...map }: InputMap) => ({
  ...map,
  ...(Object.keys(constants).length > 0 && { constants }),
  ...(decimal === ',' && { decimal }),
});

function refusePresent({ host }: Session, file: string): void {
  if (existsSync(absolutePath(file, host)))
    throw new Failure('usage', `${file} exists already; name another file with --out. Nothing was written`);
}

async function openMapping(session: Session, options: MapOptions, path: string): Promise<Mapping> {
  const { host } = session;
  const { packages, recordOptions, fields } = job;
  const format = inputFormat(path, options.format);
  const name = path === '-' ? 'stdin' : path;
  const encoding = options.encoding === undefined ? undefined : encodingNamed(options.encoding);
  const sample = await readBeginning(bytesOf(path, host), { format, name, encoding });
  const countriesNamed = await loadCountryNames();
  const settings: InputSettings = {
    ...{ format, name, fields, countriesNamed, command: 'ship', keyColumn: 'key', allowUnknown: false },
    ...(packages && {
      packages: { ...packages, entry: (spec: string) => packages.entry(parcelOf(session, spec)) },
    }),
    ...(recordOptions && { recordOptions }),
  };
  return { session, parts: await gather(session, SHIP, {}), sample, settings, countriesNamed };
}

/** What flags give for all orders. */
const OF_ALL = /^(sender|invoice|type|category|deliveryType|carrier|chargeableWeight)\b/;

async function firstOrder({ session, parts, sample, settings }: Mapping, map: InputMap): Promise<FirstOrder> {
  const input = openInput(sample.bytes(), { ...settings, map });
  for await (const raw of input.records) {
    const record = input.parse(raw);
    const { key, value, options, issues } = record;
    const body = complete(bodyOf(parts.operation), layer(parts.layers.full, value));
    const missingKey =
      key === undefined ? [{ path: 'key', message: 'is required: the number of the order' }] : [];
    const found = (await findIssues(session, { ...parts, record: value }, body)).filter(
      ({ path }) => !(path.startsWith('carrier') && options?.carrier !== undefined),
    );
    const [ofAll, own] = [
      found.filter(({ path }) => OF_ALL.test(path)),
      found.filter(one => !OF_ALL.test(one.path)),
    ];
    const flags = ofAll.flatMap(({ message }) => /\((--[\w-]+)\)$/.exec(message)?.[1] ?? []);
    return {
      key,
      body,
      open: [...missingKey, ...issues, ...withoutUnread(own, record)],
      flags: [...new Set(flags)],
    };
  }
  throw new Failure('invalid_request', `${settings.name} has no record; nothing was written`);
}

/** Asks, for each field of the first order that nothing gives, which column has it. Back takes the last answer back. */
async function askForColumns(mapping: Mapping, start: InputMap): Promise<InputMap> {
  const { session } = mapping;
  const history: { map: InputMap; left: ReadonlySet<string> }[] = [];
  let state = { map: start, left: new Set<string>() as ReadonlySet<string> };
  for (;;) {
    const { body, paths } = await missingFields(mapping, state.map);
    const path = paths.find(one => !state.left.has(one));
    if (path === undefined) return state.map;
    const columns = columnsFor(mapping, state.map, path, body);
    const likely = columns.find(({ isLikely }) => isLikely);
    const answer = await session.ask({
      kind: 'choice',
      id: path,
      message: `Which column has this? ${fieldWords(bodyOf(mapping.parts.operation), path, body)}${path === 'key' ? '' : ` (${generalOf(path)})`}`,
      choices: [
        ...columns.map(({ title, first }) => ({
          value: COLUMN + title,
          name: `${title}  ${shortened(first)}`,
        })),
        { value: SAME, name: 'None of them: it is the same for all orders' },
        { value: LATER, name: 'None of them: I give it later, as a flag or in the file' },
      ],
      defaultAnswer: likely ? COLUMN + likely.title : path.startsWith('packages') ? SAME : LATER,
      esc: history.length > 0 ? 'back' : 'leave',
    });
    const next = answer === undefined ? history.pop() : await withAnswer(mapping, state, path, answer);
    if (next === undefined) continue;
    if (answer !== undefined) history.push(state);
    state = next;
  }
}

const SAME = '=';
const LATER = '-';
const COLUMN = ':';

/** The first order, and what it lacks, in the order of the form. */
async function missingFields(mapping: Mapping, map: InputMap) {
  const { body, open } = await firstOrder(mapping, map);
  const schema = bodyOf(mapping.parts.operation);
  const paths = missingIn(open, body).flatMap(({ path }) =>
    path === 'key' ? path : requiredFieldsUnder(schema, path),
  );
  return { body, paths: paths.toSorted(byOrder({ order: SHIPMENT_ORDER, schema })) };
}

function columnsFor(
  { parts, sample, countriesNamed }: Mapping,
  { columns, decimal }: InputMap,
  path: string,
  body: unknown,
) {
  const free = sample.header.filter(title => columns[title]?.startsWith('_'));
  const { kind } = fieldIn(bodyOf(parts.operation), path) ?? {};
  // What is only usual follows from nothing.
  const expected = MONEY.test(path) ? suggestion(path, body) : undefined;
  return rankColumns(free, sample, { path, kind, expected, hasComma: decimal === ',' }, countriesNamed);
}

/** The first value of a column. */
const firstValue = ({ header, rows }: Beginning, title: string): string =>
  rows.map(row => row[header.indexOf(title)] ?? '').find(cell => cell.trim() !== '') ?? '';

/** Every row of an order is an item. */
const generalOf = (path: string): string => path.replace(/^items\[0\]/, 'items[]');

/** `undefined`: the person went back. */
async function withAnswer(
  { session, sample, countriesNamed }: Mapping,
  { map, left }: { map: InputMap; left: ReadonlySet<string> },
  path: string,
  answer: string,
) {
  const general = generalOf(path);
  if (answer.startsWith(COLUMN))
    return { map: withColumn(map, sample, answer.slice(1), general, countriesNamed), left };
  const asLeft = { map, left: new Set([...left, path]) };
  if (answer === LATER) return asLeft;
  const value = await session.ask({
    kind: 'text',
    id: `${path} =`,
    message: `${general} of all orders`,
    check: isRequired,
  });
  if (value === undefined) return undefined;
  return { ...asLeft, map: { ...map, constants: { ...map.constants, [general]: value.trim() } } };
}

/** Shows the first order. Throws `interrupted` unless the person wants the map. */
async function askToWrite(
  { session, parts }: Mapping,
  file: string,
  { key, body, open }: FirstOrder,
): Promise<void> {
  const isThere = existsSync(absolutePath(file, session.host));
  const answer = await session.ask({
    kind: 'confirm',
    id: 'write',
    hint: orderLines(bodyOf(parts.operation), key, body, open).join('\n'),
    message: isThere ? `${file} exists already. Replace it?` : `Write the map to ${file}?`,
  });
  if (answer !== 'yes') throw new Failure('interrupted', 'batch map: nothing was written');
}

interface Proposal {
  file: string;
  map: InputMap;
  request: unknown;
  open: Issue[];
  next: string;
}

const viewOf = (sample: Beginning, fillIn: string | undefined): View<Proposal> => ({
  essential: ({ file }) => [file],
  async table({ map, request, next }, look) {
    const { columns, transform = {} } = map;
    const used = Object.entries(columns).filter(([, path]) => !path.startsWith('_'));
    const left = Object.entries(columns).flatMap(([title, path]) => (path.startsWith('_') ? title : []));
    const constants = Object.entries(map.constants).map(([path, text]) => `${path} is ${text}`);
    const rows = used.map(([title, path]) => [
      title,
      path,
      transform[title] ?? '',
      firstValue(sample, title),
    ]);
    return [
      await table(look, { head: ['column', 'field', 'transform', 'first value'], rows }),
      ...(constants.length > 0 ? [`In all orders ${constants.join(', ')}`] : []),
      ...(left.length > 0 ? [`Left out: ${left.join(', ')}`] : []),
      `${look.bold('The first order, as it would be sent')}\n${safeJson(request, 2)}`,
      [`Next: \`${next}\``, ...(fillIn === undefined ? [] : [fillIn])].join('\n'),
    ].join('\n\n');
  },
});
