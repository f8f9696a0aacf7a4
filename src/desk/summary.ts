// `history summary`: counts what was booked, and names the orders that need a person.

import { InvalidArgumentError } from 'commander';
import { chargeOf } from '../booking/answer.ts';
import { isMade, shipmentsIn } from '../booking/booking.ts';
import { type BookedOrder, type CountedBooking, type OrderFilter, receiverOf } from '../booking/questions.ts';
import { isSameShipment, needsAcceptance } from '../booking/standing.ts';
import { LEGS } from '../contract/operations.ts';
import { knownPrice } from '../contract/read.ts';
import { limitLeft } from '../order/desk.ts';
import { pagesOfOrders, shippedFilter } from '../order/listed.ts';
import { targetFlags } from '../order/options.ts';
import { flagsFor } from '../order/place-flags.ts';
import { type Look, paragraph } from '../output/look.ts';
import { addCost, type Costs, costNumbers } from '../output/money.ts';
import type { HistorySummary } from '../output/schemas.ts';
import { BLANK, type Cell, table } from '../output/table.ts';
import { safe } from '../output/text.ts';
import { labelMaker, orderFacts } from '../output/told.ts';
import { amountsWords } from '../say/carriers.ts';
import { bookingName, costWords, dayOf, timeWords } from '../say/words.ts';
import { declare } from '../session/command.ts';
import { flag, type OptionsOf } from '../session/flags.ts';
import { type Moment, parseEnd, parseMoment } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { numbered, operands, shellWord, someOf } from '../text.ts';

type CountedOrder = BookedOrder<CountedBooking>;

/** A moment, with the text that a person typed for it: commands that are shown repeat that text. */
type Written = Moment & { written: string };

/** Which group an order belongs to; `null` if that is not known. */
const GROUPS = {
  day: (order: CountedOrder) => dayOf(order.booking.at),
  month: (order: CountedOrder) => dayOf(order.booking.at).slice(0, 'YYYY-MM'.length),
  carrier: (order: CountedOrder) => orderFacts(order).carrier,
  country: (order: CountedOrder) => receiverOf(order).country,
  profile: (order: CountedOrder) => order.booking.profile,
  run: (order: CountedOrder) => order.booking.run,
};

type GroupName = keyof typeof GROUPS;

/** The kinds of groups that only the request or the answer of an order tells. */
const IN_BODIES: readonly GroupName[] = ['carrier', 'country'];
const GROUP_NAMES = Object.keys(GROUPS) as GroupName[];

const DEFAULT_SINCE = '1d';

/** Since when bookings are counted without --since. By month from the first day of one, because the row of a month must have all of it. */
const sinceFor = (groupedBy: readonly GroupName[], now: Date): Written =>
  writtenSince(
    groupedBy.includes('month')
      ? dayOf(new Date(now.getFullYear() - 1, now.getMonth(), 1).getTime())
      : DEFAULT_SINCE,
  );

const writtenSince = (written: string): Written => Object.assign(parseMoment(written), { written });
const writtenUntil = (written: string): Written => Object.assign(parseEnd(written), { written });

/** The words of --by: one kind of group, or two with a comma between them. Throws an error that commander shows. */
function groupNames(written: string): GroupName[] {
  const names = written.split(',').map(name => name.trim());
  const known = GROUP_NAMES.filter(name => names.includes(name));
  if (known.length !== names.length || names.length > 2)
    throw new InvalidArgumentError(
      `It must be one of ${GROUP_NAMES.join(', ')}, or two of them, such as month,carrier.`,
    );
  return names as GroupName[];
}

const FLAGS = {
  since: flag(
    '--since <time>',
    `booked since then: today, 7d, 12h, or a date (default: ${DEFAULT_SINCE}; by month this one and the twelve before)`,
    { read: writtenSince },
  ),
  until: flag('--until <time>', 'booked until then; a day counts whole', { read: writtenUntil }),
  by: flag(
    '--by <group>',
    `what makes a group, or two for each pair: month,carrier (${GROUP_NAMES.join(', ')}; default: day)`,
    { read: groupNames },
  ),
};

export const command = declare({
  examples: [
    '# Show what happened since yesterday, and what is still to be done.',
    'waybill history summary',
    '# Show what the last month cost, by carrier.',
    'waybill history summary --since 30d --by carrier',
    '# Show what each carrier cost in each month, with sums.',
    'waybill history summary --by month,carrier',
  ],
  output: {
    table:
      'what needs a person first: unknown, without a label, above --max-price, without a price; then the groups, sums and the total',
    quiet: 'how many need a person, with all unknown ones',
    json: 'a list, as `waybill schema history-summary` describes it',
  },
  notes: {
    'What is counted': `A pair is two shipments. What is unknown from before --since is shown, and in the number of -q, but in no group. With two words of --by the JSON has the second one as \`subgroup\`. What the provider cancelled is in no other number. Bookings of the sandbox count only where it is in force. Days and months are those of this machine.`,
  },
  flags: FLAGS,
  run: summary,
});

/** The needs for which an order needs a person, in the sequence in which they are told. */
const NEEDS = {
  olderUnknown: 'unknown from before',
  unknown: 'unknown',
  unlabelled: 'without a label',
  overPrice: 'above --max-price',
  withoutPrice: 'without a price',
};
type Need = keyof typeof NEEDS;

/** For each need, the names of its orders. All orders are in one journal, so the flags of the first order are enough. */
type Needs = Map<Need, { names: string[]; flags: string }>;

/** Notes that an order needs a person. */
type Note = (need: Need, order: CountedOrder) => void;

/** What a person typed: commands that are shown repeat it. */
interface Typed {
  flags: string;
  /** The flags that say since when and until when. */
  span: string;
}

async function summary(session: Session, options: OptionsOf<typeof FLAGS>): Promise<void> {
  const { host, printer } = session;
  const now = host.now();
  const { until: to, by = ['day'] } = options;
  const from = options.since ?? sinceFor(by, new Date(now));
  const at = from(now);
  const end = to?.(now);
  const needs: Needs = new Map();
  const groups = await countedGroups(session, by, at, end, needs);
  const total = sumOfGroups(groups);
  const flags = targetFlags(session)
    .map(flag => ` ${shellWord(flag)}`)
    .join('');
  const span = `--since ${shellWord(from.written)}${to ? ` --until ${shellWord(to.written)}` : ''}${flags}`;
  const left = await limitLeft(session);
  const leftWords = left && `Left of the limit of 24 hours: ${amountsWords(left)}`;
  if (leftWords && printer.format !== 'table') await printer.note(leftWords);
  const named = (need: Need) => needs.get(need)?.names.length ?? 0;
  await printer.result(groups.map(groupJson), {
    // The need of a label is counted in shipments, each other need in orders.
    essential: () => [
      total.unknown + total.unlabelled + named('olderUnknown') + named('overPrice') + named('withoutPrice'),
    ],
    async table(_, look) {
      const until = end === undefined ? '' : ` until ${timeWords(end, now)}`;
      const whole = groups.length === 0 ? 'no bookings' : totalWords(total);
      return [
        await paragraph(look, safe(`Since ${timeWords(at, now)}${until}: ${whole}.`)),
        ...(await needWords(needs, { flags, span }, look)),
        ...(leftWords ? [safe(`${leftWords}.`)] : []),
        ...(groups.length > 1 ? [await groupTable(groups, by, total, look)] : []),
      ].join('\n\n');
    },
  });
}

/** The groups of what was booked in a span. Notes which of these orders need a person, and which older orders are unknown. */
async function countedGroups(
  session: Session,
  groupedBy: readonly GroupName[],
  since: number,
  until: number | undefined,
  needs: Needs,
): Promise<Group[]> {
  const note: Note = (need, order) => {
    const noted = needs.get(need) ?? { names: [], flags: flagsFor(session, order) };
    noted.names.push(neededName(order));
    needs.set(need, noted);
  };
  const journal = await session.openJournal('look');
  const hasExcerpts = groupedBy.some(name => IN_BODIES.includes(name));
  const ordersOf = async (page: OrderFilter) => journal?.countedOrders(page, hasExcerpts) ?? [];
  const pages = (filter: Omit<OrderFilter, 'limit'>) =>
    pagesOfOrders(session, ordersOf, { ...shippedFilter(session), ...filter });
  const groups = new Map<string, Group>();
  for await (const page of pages({ since, ...(until !== undefined && { until }) }))
    for (const order of page) {
      const names = groupedBy.map(name => GROUPS[name](order));
      const pair = JSON.stringify(names);
      const group = groups.get(pair) ?? emptyGroup(...names);
      groups.set(pair, group);
      countOrder(order, group, note);
    }
  // An unknown booking waits for a person, however old it is.
  for await (const page of pages({ states: ['unknown'], until: since - 1 }))
    for (const order of page) note('olderUnknown', order);
  return [...groups.values()].sort(
    (first, second) =>
      compareGroups(first.group, second.group) ||
      compareGroups(first.subgroup ?? null, second.subgroup ?? null),
  );
}

/** A paragraph for each need, with the command to type. */
async function needWords(needs: Needs, typed: Typed, look: Look): Promise<string[]> {
  const paragraphs: string[] = [];
  for (const need of Object.keys(NEEDS) as Need[]) {
    const noted = needs.get(need);
    if (noted === undefined) continue;
    const { names, flags } = noted;
    const words = `${look.red(`${names.length} ${NEEDS[need]}`)}: ${safe(someOf(names, MOST_NAMED))}`;
    const isCut = need === 'overPrice' && names.length > MOST_TYPED;
    const rest = isCut
      ? `\nThese are ${MOST_TYPED} of them. The summary shows the next ones after that.`
      : '';
    const command = safe(`  waybill ${commandFor(need, names, flags, typed)}`);
    paragraphs.push(`${await paragraph(look, words)}\n${command}${rest}`);
  }
  return paragraphs;
}

/** A row of the JSON, but with exact sums. */
interface Group extends Omit<HistorySummary, 'cost' | 'cancelledCost'> {
  cost: Costs;
  cancelledCost: Costs;
}

function groupJson(group: Group): HistorySummary {
  const { cost, cancelledCost, ...counts } = group;
  return { ...counts, cost: costNumbers(cost), cancelledCost: costNumbers(cancelledCost) };
}

const emptyGroup = (group: string | null = null, subgroup?: string | null): Group => ({
  group,
  ...(subgroup !== undefined && { subgroup }),
  shipments: 0,
  labels: 0,
  cost: new Map(),
  withoutPrice: 0,
  overPrice: 0,
  unlabelled: 0,
  unknown: 0,
  cancelled: 0,
  cancelledCost: new Map(),
});

function countOrder(order: CountedOrder, group: Group, note: Note): void {
  const { booking, labels } = order;
  if (booking.state === 'unknown') {
    group.unknown += 1;
    note('unknown', order);
  }
  const made = Object.values(booking.ids).length;
  const price = knownPrice(chargeOf(booking));
  if (booking.state === 'cancelled') {
    group.cancelled += made;
    if (price) addCost(group.cancelledCost, price);
  }
  // An order that is one shipment with another order is not counted: the other one is.
  if (!isMade(booking) || isSameShipment(booking)) return;
  // A label whose shipment is not in this journal counts as a label, and not as a shipment.
  const labelled = LEGS.filter(leg => labelMaker(order, leg) !== undefined);
  group.labels += labelled.length;
  if (made === 0 || booking.ids.subscription !== undefined) return;
  group.shipments += made;
  if (price) addCost(group.cost, price);
  else {
    group.withoutPrice += made;
    note('withoutPrice', order);
  }
  if (needsAcceptance(booking)) {
    group.overPrice += 1;
    note('overPrice', order);
  }
  const claimed = labels.flatMap(({ leg, booking: { state } }) => (state === 'unknown' ? leg : []));
  const legs = new Set(shipmentsIn(booking.ids).map(({ leg }) => leg));
  for (const leg of [...labelled, ...claimed]) legs.delete(leg);
  group.unlabelled += legs.size;
  if (legs.size > 0) note('unlabelled', order);
}

/** Sorts groups by name; orders that belong to no group come last. */
function compareGroups(first: string | null, second: string | null): number {
  if (first === second) return 0;
  if (first === null || second === null) return first === null ? 1 : -1;
  return first < second ? -1 : 1;
}

// The page for a person: first the orders that need a person, with the command to type, and then the numbers.

function neededName(order: CountedOrder): string {
  const { booking } = order;
  // The key and the ids of a label name the booking of its shipment.
  return booking.operation === 'label' ? booking.id : bookingName(booking);
}

/** How many orders are named in a sentence, and how many in a command: more would fill the screen. */
const MOST_NAMED = 3;
const MOST_TYPED = 50;

/** The command for a need. `flags`: the flags that name the profile of the orders. */
function commandFor(need: Need, names: readonly string[], flags: string, command: Typed): string {
  const words = operands(names.slice(0, MOST_TYPED));
  switch (need) {
    case 'olderUnknown':
      return `history list --state unknown${command.flags}`;
    case 'unknown':
      return `history list --state unknown ${command.span}`;
    case 'unlabelled':
      if (names.length <= MOST_TYPED) return `label${flags} ${words}`;
      return `history list --unlabelled ${command.span} -o csv | waybill batch label - --format csv${flags}`;
    case 'overPrice':
      return `history accept${flags} ${words}`;
    case 'withoutPrice':
      return names.length > 1 ? `history list ${command.span}` : `history show${flags} ${words}`;
  }
}

function totalWords(group: Group): string {
  const { shipments, labels, cost, cancelled, cancelledCost } = group;
  const numbers = [numbered(shipments, 'shipment'), numbered(labels, 'label'), sortedCostWords(cost)]
    .filter(Boolean)
    .join(', ');
  if (cancelled === 0) return numbers;
  const whole = new Map(cost);
  for (const [currency, amount] of cancelledCost) addCost(whole, { currency, amount });
  const words = sortedCostWords(whole);
  return `${numbers}. The provider cancelled ${numbered(cancelled, 'shipment')}, not counted here${words && `: with what was cancelled it is ${words}`}`;
}

const sortedCostWords = (cost: Costs): string => costWords([...cost].sort());

const OPEN_COLUMNS = [
  ['unknown', 'unknown'],
  ['unlabelled', 'unlabelled'],
  ['over', 'overPrice'],
  ['no price', 'withoutPrice'],
  ['cancelled', 'cancelled'],
] as const;

/** With two words of --by, each group of the first word that has several rows ends with its sum. */
function groupTable(
  groups: readonly Group[],
  groupedBy: readonly GroupName[],
  whole: Group,
  look: Look,
): Promise<string> {
  const counted = OPEN_COLUMNS.filter(([, name]) => name !== 'cancelled' || whole.cancelled > 0);
  const open = (look.columns ?? 80) < 70 ? [] : counted;
  const row = (names: readonly Cell[], group: Group): Cell[] => [
    ...names,
    group.shipments,
    group.labels,
    sortedCostWords(group.cost),
    ...open.map(([, name]) => (group[name] === 0 ? BLANK : group[name])),
  ];
  const isPair = groupedBy.length > 1;
  const rows = groups.flatMap((group, index) => {
    const shown = row(isPair ? [group.group, group.subgroup] : [group.group], group);
    if (!isPair || groups[index + 1]?.group === group.group) return [shown];
    const same = groups.filter(pair => pair.group === group.group);
    return same.length < 2 ? [shown] : [shown, row([group.group, 'all'], sumOfGroups(same))];
  });
  return table(look, {
    head: [...groupedBy, 'shipments', 'labels', 'cost', ...open.map(([head]) => head)],
    align: [
      ...groupedBy.map(() => 'left' as const),
      'right',
      'right',
      'right',
      ...open.map(() => 'right' as const),
    ],
    rows: [...rows, row(isPair ? ['total', BLANK] : ['total'], whole)],
  });
}

function sumOfGroups(groups: readonly Group[]): Group {
  const sum = emptyGroup();
  for (const group of groups) {
    sum.shipments += group.shipments;
    sum.labels += group.labels;
    for (const [, name] of OPEN_COLUMNS) sum[name] += group[name];
    for (const costs of ['cost', 'cancelledCost'] as const)
      for (const [currency, amount] of group[costs]) addCost(sum[costs], { currency, amount });
  }
  return sum;
}
