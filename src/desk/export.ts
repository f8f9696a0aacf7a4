// `history export`: writes tracking numbers in the form that a shop imports; an order is exported once in each form.

import { InvalidArgumentError } from 'commander';
import { keyPrefixOf } from '../batch/read-map.ts';
import { trackingLinkOf } from '../booking/answer.ts';
import { isMade } from '../booking/booking.ts';
import {
  type BookedOrder,
  EXPORTED,
  HANDED_OVER,
  type ListedBooking,
  type OrderFilter,
  wasElsewhere,
} from '../booking/questions.ts';
import { Failure } from '../errors.ts';
import { firstBytes } from '../host/folder.ts';
import { isShippedHere } from '../order/listed.ts';
import { HISTORY_CSV, historyCell } from '../output/columns.ts';
import type { ExportRow } from '../output/schemas.ts';
import { rowText, type Scalar, safe } from '../output/text.ts';
import { orderFacts, type ToldOrder, toldOrder } from '../output/told.ts';
import type { Profile } from '../profile/store.ts';
import { dayOf } from '../say/words.ts';
import { declare, operand } from '../session/command.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import { parseMoment, someText } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { commandText, numbered, shown } from '../text.ts';
import {
  commandOn,
  type Lists,
  listFile,
  type NewOrders,
  openLists,
  runList,
  unlistedOrders,
} from './order-lists.ts';

/** An order, with its line in the file. */
interface Exported {
  id: string;
  row: ExportRow;
  line: string;
}

/** What the cells of a row are made of. */
interface Cells {
  row: ExportRow;
  order: ToldOrder<ListedBooking>;
  /** The carrier as the shop spells it, if the settings say how. */
  carrierName: string | undefined;
}

/** The title of a column, and what gives its cell for an order. */
type Column = readonly [title: string, cell: (cells: Cells, profile: Profile) => Scalar];

/** Columns, with the text of --columns that chose them: a command that is shown to a person repeats that text. */
type ChosenColumns = readonly Column[] & { written: string };

interface Form {
  separator: 'tab' | 'comma';
  columns: readonly Column[];
}

/** The columns of `--for csv` without --columns: first those that every shop asks for, then all columns of `history list`. */
const EVERY_COLUMN = [
  ...new Set(['order', 'carrier', 'trackingNumber', 'trackingLink', 'date', ...Object.keys(HISTORY_CSV)]),
];

const exportColumn = (title: string, name = title): Column => [
  title,
  ({ row, order }) => (name in row ? row[name as keyof ExportRow] : historyCell(name, order)),
];

const FORMS = {
  amazon: {
    separator: 'tab',
    columns: [
      ['order-id', ({ row }) => row.order],
      // A row that names no item confirms the whole order.
      ['order-item-id', () => null],
      ['quantity', () => null],
      ['ship-date', ({ row }) => row.date],
      ['carrier-code', ({ carrierName }) => carrierName ?? 'Other'],
      ['carrier-name', ({ row, carrierName }) => (carrierName === undefined ? row.carrier : null)],
      ['tracking-number', ({ row }) => row.trackingNumber],
      ['ship-method', () => null],
    ],
  },
  woocommerce: {
    separator: 'comma',
    columns: [
      ['order_id', ({ row }) => row.order],
      ['tracking_provider', ({ row, carrierName }) => carrierName ?? row.carrier],
      ['tracking_number', ({ row }) => row.trackingNumber],
      ['date_shipped', ({ row }, { woocommerceDate }) => dateInForm(row.date, woocommerceDate)],
      ['status_shipped', () => 1],
    ],
  },
  csv: { separator: 'comma', columns: EVERY_COLUMN.map(name => exportColumn(name)) },
} as const satisfies Record<keyof typeof EXPORTED, Form>;

const FORM_NAMES = Object.keys(FORMS) as (keyof typeof FORMS)[];

/** `Order=order,trackingNumber`: columns with the titles that a shop expects. Throws what commander shows. */
function chosenColumns(written: string): ChosenColumns {
  const columns = written.split(',').map(column => {
    const [title = '', name = title] = column.split('=').map(part => part.trim());
    if (title === '' || !EVERY_COLUMN.includes(name))
      throw new InvalidArgumentError(
        `${JSON.stringify(column.trim())} is no column. They are ${EVERY_COLUMN.join(', ')}; TITLE=COLUMN gives one another title.`,
      );
    return exportColumn(title, name);
  });
  return Object.assign(columns, { written });
}

const FLAGS = {
  for: flag('--for <form>', 'the form that the shop imports', { choices: FORM_NAMES, isRequired: true }),
  since: flag('--since <time>', 'only what was booked since then: today, 7d, or a date', {
    read: parseMoment,
  }),
  /** The number of an export; without a number `true`, or FILE if FILE stands behind `--again`. */
  again: flag(
    '--again [number]',
    'write an export of this form, or your last one, once more, with --since all; nothing is recorded',
  ),
  columns: flag('--columns <names>', 'of --for csv: TITLE=COLUMN,... (default: every column)', {
    read: chosenColumns,
  }),
  map: flag(
    '--map <map>',
    'only the orders of the shop whose map this is, by its keyPrefix (default: of the profile)',
    { read: someText },
  ),
};

type ExportOptions = OptionsOf<typeof FLAGS>;

export const command = declare({
  examples: [
    '# Book an order with its label, and look at what the shop would import.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --carrier EXP --key 305-1001 --label',
    'waybill history export --for amazon',
    '# Write the file. The next one has none of these orders.',
    'waybill history export --for amazon confirmation.txt',
    '# Write it once more, for a shop that takes other columns.',
    'waybill history export --for csv --columns "Order ID=order,Tracking=trackingNumber,Shipped=date" tracking.csv',
    'waybill history export --for csv --again -o json',
  ],
  output: {
    table: 'the file as the shop imports it, or where it was written',
    quiet: 'the number of each order',
    json: 'a list, as `waybill schema history-export` describes it',
  },
  exits: {
    usage:
      'FILE is there and no such export, two orders of different shops have one number, or it is not clear which one --again means',
    not_found: 'there is no export with that number',
  },
  notes: {
    'What is exported': `Orders with a tracking number that no export of this form had yet; those of the sandbox only where it is in force. FILE or --yes records it; without them it is only shown. stderr names what was left out because it is cancelled, has no tracking number, no key, or no keyPrefix of the map. The number of an order is as the file of its batch had it, else its key, without the keyPrefix of the map. Days are those of this machine: when a courier got the parcel, else when it was booked.

Each export of a form has a number, which stderr has. Without it, --again writes the newest, unless another desk or run recorded that: then both are named. One that was recorded and not written to its end, as by a command that was killed, is written by the same command, under its number; newer orders are on the next one.

The settings amazonCarriers and woocommerceCarriers of the profile say how the shop spells each carrier, such as EXP=DHL,ECO=UPS; for Amazon any other is Other with its id. woocommerceDate is the form of the date.`,
  },
  operands: [operand('[file]', 'the file for the shop; it records what was exported')],
  flags: FLAGS,
  run: exportOrders,
});

async function exportOrders(session: Session, options: ExportOptions, operand?: string): Promise<void> {
  const { host, printer } = session;
  const { path, again } = namedBy(options, operand);
  const form = formOf(options);
  const { profile } = session.target();
  const titles = form.columns.map(([title]) => title);
  const header = exportLine(form, titles);
  const isOne = (present: string) =>
    firstBytes(present, Buffer.byteLength(header)).toString('utf8') === header;
  const file = listFile(path, host, { kind: 'export of these columns', isOne });
  const map = options.map ?? profile.map;
  const prefix = map === undefined ? '' : await keyPrefixOf(map, host);
  const opened = await openLists(session, file, again);
  const since = options.since?.(host.now());
  const isHere = isShippedHere(session);
  const carriers = carrierNames(
    options.for === 'amazon' ? profile.amazonCarriers : profile.woocommerceCarriers,
  );
  const exported = (order: BookedOrder<ListedBooking>): Exported | undefined => {
    const row = exportRowOf(order, prefix);
    if (row === undefined) return undefined;
    const carrierName = carriers.get(row.carrier?.toLowerCase() ?? '');
    const cells = { row, order: toldOrder(order), carrierName };
    const line = form.columns.map(([, cell]) => cell(cells, profile));
    return { id: order.booking.id, row, line: exportLine(form, line) };
  };
  const textOf = (listed: readonly Exported[]) => header + listed.map(({ line }) => line).join('');
  const lists = { ...opened, session, name: EXPORTED[options.for], words: exportWords(options) };
  await runList<Exported>({
    ...lists,
    file,
    fileFlags: [],
    again,
    since,
    listedOf: order => (isHere(order) ? exported(order) : undefined),
    newOrders: () => newExport(lists, prefix, since, exported),
    look: async listed => (prefix === '' ? warnOfShops(session, listed) : undefined),
    draw: async listed => ({ content: textOf(listed), warnings: [] }),
    show: (listed, onceMore) =>
      printer.result(
        listed.map(({ row }) => row),
        {
          again: onceMore,
          essential: rows => rows.map(({ order }) => order),
          table: rows => {
            if (rows.length === 0) return 'Nothing to export.';
            return path === undefined
              ? textOf(listed).replace(/\r\n$/, '')
              : `${numbered(rows.length, 'order')} in ${safe(path)}`;
          },
        },
      ),
    recordedWords: number => `\`${commandText(commandOn(lists, number))}\` shows it once more`,
    toRecord: 'FILE writes the export and records it, --yes records it without a file',
    ending: '',
  });
}

/** The form of --for, with the columns of --columns. Throws `usage` if the shop imports fixed columns. */
function formOf(options: ExportOptions): Form {
  if (options.columns !== undefined && options.for !== 'csv')
    throw new Failure(
      'usage',
      `history export: --columns is of --for csv; the columns for ${options.for} are those that it imports`,
    );
  return { ...FORMS[options.for], ...(options.columns && { columns: options.columns }) };
}

/** FILE, and which export is written once more. Throws `usage` if two files are named. */
function namedBy(
  options: Pick<ExportOptions, 'again'>,
  operand: string | undefined,
): { path: string | undefined; again: number | true | undefined } {
  const { again } = options;
  if (again === undefined || again === true) return { path: operand, again };
  if (/^\d{1,9}$/.test(again)) return { path: operand, again: Number(again) };
  // Without a number, FILE stands behind --again.
  if (operand !== undefined)
    throw new Failure('usage', `history export: ${again} is no number of an export, and FILE is ${operand}`);
  return { path: again, again: true };
}

/** The words of the command that writes an export once more; the number of the export comes behind them. */
const exportWords = (options: ExportOptions): string[] => [
  ...['export', '--for', options.for],
  ...(options.map === undefined ? [] : ['--map', options.map]),
  ...(options.columns === undefined ? [] : ['--columns', options.columns.written]),
  '--again',
];

/** The orders that no export in this form had yet, the oldest first, and the orders that this export leaves out, by the reason. */
async function newExport(
  lists: Lists,
  prefix: string,
  since: number | undefined,
  exported: (order: BookedOrder<ListedBooking>) => Exported | undefined,
): Promise<NewOrders<Exported>> {
  const { session, journal, name } = lists;
  const listed: Exported[] = [];
  const leftOut = new Map<string, string[]>();
  const ordersOf = async (page: OrderFilter) => journal?.excerptedOrders(page) ?? [];
  for await (const order of unlistedOrders(session, name, ordersOf, since)) {
    const { booking } = order;
    const exportable = isMade(booking) ? exported(order) : undefined;
    if (exportable !== undefined) listed.push(exportable);
    else {
      const { key, shipmentId } = orderFacts(order);
      const why = whyLeftOut(order, prefix);
      leftOut.set(why, [...(leftOut.get(why) ?? []), key ?? shipmentId ?? booking.id]);
    }
  }
  listed.reverse();
  refuseSameNumber(listed);
  return { listed, leftOut };
}

function whyLeftOut(order: BookedOrder<ListedBooking>, prefix: string): string {
  const { key, trackingNumber } = orderFacts(order);
  if (!isMade(order.booking)) return 'cancelled';
  if (trackingNumber === null) return 'without a tracking number';
  return key === null ? 'without a key' : `without ${prefix} before the key`;
}

/** Throws `usage` if orders of two shops have the same number: a customer would be told the parcel of another customer. */
function refuseSameNumber(exported: readonly Exported[]): void {
  const keys = new Map<string, string>();
  for (const { row } of exported) {
    const key = keys.get(row.order);
    if (key !== undefined)
      throw new Failure(
        'usage',
        `history export: ${safe(row.order)} is the number of two orders, ${safe(key)} and ${safe(row.key)}; nothing was recorded. --map MAP exports the orders of one shop: those whose key begins with its keyPrefix`,
      );
    keys.set(row.order, row.key);
  }
}

/** With more kinds of keys than this, the kinds are no sign of several shops. */
const MOST_KINDS = 5;

/** Warns of keys of several kinds: without a prefix, orders of all shops are exported to one shop, and no export has them again. */
async function warnOfShops(session: Session, exported: readonly Exported[]): Promise<void> {
  const kinds = new Map<string, { first: string; more: number }>();
  for (const { row } of exported) {
    const kind = row.key.replace(/\d+/g, '0');
    const known = kinds.get(kind);
    if (known) known.more += 1;
    else kinds.set(kind, { first: row.key, more: 0 });
  }
  if (kinds.size < 2 || kinds.size > MOST_KINDS) return;
  const words = [...kinds.values()].map(({ first, more }) =>
    more === 0 ? shown(first) : `${shown(first)} and ${more} like it`,
  );
  await session.printer.warn(
    `history export: these may be orders of several shops: ${words.join(', ')}. A keyPrefix in the map of each shop keeps new orders apart: those that are booked keep their keys`,
  );
}

/** The number of an order in the shop whose map has this prefix; `undefined` if the order is of another shop, or has no key. */
function shopNumber(key: string | null, booking: ListedBooking, prefix: string): string | undefined {
  if (booking.orderNumber !== null)
    return prefix === '' || key === prefix + booking.orderNumber ? booking.orderNumber : undefined;
  return key?.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** An order as a shop imports it; `undefined` if the order has no number in that shop, or no tracking number. */
function exportRowOf(booked: BookedOrder<ListedBooking>, prefix: string): ExportRow | undefined {
  const { booking, lists = [] } = booked;
  const { key, carrier, shipmentId, trackingNumber } = orderFacts(booked);
  const order = shopNumber(key, booking, prefix);
  if (key === null || trackingNumber === null || order === undefined) return undefined;
  // If another machine handed the order over, the time of that is not known: then the day of the booking counts.
  const handedOver = lists.find(list => list.name === HANDED_OVER && !wasElsewhere(list));
  const date = dayOf(handedOver?.at ?? booking.at);
  return { order, key, carrier, trackingNumber, trackingLink: trackingLinkOf(booking), date, shipmentId };
}

// How an export is written.

/** From settings such as `EXP=DHL`: the shop's word for each carrier, by the carrier's id in lower case. */
const carrierNames = (carriers: readonly string[] = []): Map<string, string> =>
  new Map(
    carriers.map(setting => {
      const at = setting.indexOf('=');
      return [setting.slice(0, at).trim().toLowerCase(), setting.slice(at + 1).trim()];
    }),
  );

/** A day such as `2026-03-02`, in the form that the setting gives, such as `DD.MM.YYYY`. */
function dateInForm(day: string, form = 'YYYY-MM-DD'): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return form.replace('YYYY', year).replace('MM', month).replace('DD', date);
}

const exportLine = (form: Form, cells: readonly Scalar[]): string =>
  form.separator === 'comma'
    ? rowText().row(cells)
    : `${cells.map(cell => safe(String(cell ?? '')).replace(/\s+/g, ' ')).join('\t')}\r\n`;
