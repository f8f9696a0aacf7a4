// What was booked, in numbers, and what of it needs a person.

import { type Command, Option } from 'commander';
import { LEGS } from '../../contract/operation.ts';
import { readPrice } from '../../contract/read.ts';
import { type BookedOrder, isMade, needsAcceptance, receiverOf } from '../../journal/booking.ts';
import { amountsWords } from '../../order/limits.ts';
import { targetFlags } from '../../order/options.ts';
import { type OrderFacts, orderFacts } from '../../output/columns.ts';
import { type Look, paragraph } from '../../output/look.ts';
import { dayOf, shortMoment } from '../../output/moment.ts';
import { addPrice, costWords } from '../../output/money.ts';
import type { HistorySummary } from '../../output/schemas.ts';
import { table } from '../../output/table.ts';
import { safe } from '../../output/text.ts';
import { type Act, addPage } from '../../session/command.ts';
import { type Moment, parseMoment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { shellWord } from '../../text.ts';
import { limitLeft } from '../means.ts';
import { orderPages, placeIn } from './list.ts';
import { flagsFor } from './show.ts';

interface SummaryOptions {
  since?: Moment & { written: string };
  by: keyof typeof GROUPS;
}

/** Which group an order belongs to; `null` if that is not known. */
const GROUPS = {
  day: ({ booking }: BookedOrder) => dayOf(booking.at),
  carrier: (_: BookedOrder, { carrier }: OrderFacts) => carrier,
  country: (order: BookedOrder) => receiverOf(order).country,
  profile: ({ booking }: BookedOrder) => booking.profile,
  run: ({ booking }: BookedOrder) => booking.run,
};

const DEFAULT_SINCE = '1d';

/** Keeps a moment as it was typed, for the commands that are shown. */
const moment = (written: string) => Object.assign(parseMoment(written), { written });

export function define(command: Command, act: Act): void {
  command
    .option(
      '--since <time>',
      `booked since then: today, 7d, 12h, or a date (default: ${DEFAULT_SINCE})`,
      moment,
    )
    .addOption(new Option('--by <group>', 'what makes a group').choices(Object.keys(GROUPS)).default('day'))
    .action(act<SummaryOptions>(summary));
  addPage(command, {
    examples: [
      '# Show what happened since yesterday, and what is still to be done.',
      'waybill history summary',
      '# Show what the last month cost, by carrier.',
      'waybill history summary --since 30d --by carrier',
    ],
    output: {
      table:
        'what needs a person first: unknown, without a label, above --max-price, without a price; then the groups',
      quiet: 'how many need a person, with all unknown ones',
      json: 'a list of group (null: not known), shipments, labels, cost (by currency), withoutPrice, overPrice (above --max-price, and not accepted), unlabelled, unknown, cancelled, cancelledCost',
    },
    notes: {
      'What is counted': `A pair is two shipments. A shipment whose label is unknown is not unlabelled. What is unknown from before --since is shown, and is in the number of -q, but in no group. What the provider cancelled is told by itself, and is in no other number. Days are those of this machine.`,
    },
  });
}

/** Its names are a promise to scripts. Costs are by currency: decimal text, so that no sum drifts. */
interface Group {
  group: string | null;
  shipments: number;
  labels: number;
  cost: Record<string, string>;
  /** Shipments that are not in the cost. */
  withoutPrice: number;
  /** Bookings above their bound that nobody has accepted. */
  overPrice: number;
  /** Shipments without a label; one whose label is unknown is not counted here. */
  unlabelled: number;
  unknown: number;
  /** Shipments that the provider cancelled, and what they cost: neither is in the other numbers. */
  cancelled: number;
  cancelledCost: Record<string, string>;
}

const NEEDS = ['olderUnknown', 'unknown', 'unlabelled', 'overPrice', 'withoutPrice'] as const;
type Need = (typeof NEEDS)[number];

/** The orders that need a person, by what they need: how they are named, and the flags of a command about them. */
type Needs = Record<Need, { names: string[]; flags: string }>;

async function summary(
  session: Session,
  { since = moment(DEFAULT_SINCE), by }: SummaryOptions,
): Promise<void> {
  const now = session.host.now();
  const at = since(now);
  const groups = new Map<string | null, Group>();
  const needs = Object.fromEntries(NEEDS.map(need => [need, { names: [], flags: '' }])) as unknown as Needs;
  const note = (need: Need, order: BookedOrder) => {
    const { names } = needs[need];
    // All are in one journal, so the profile of one of them is enough.
    if (names.length === 0) needs[need].flags = flagsFor(session, order);
    names.push(nameOf(order));
  };
  const journal = await session.openJournal('look');
  const place = placeIn(session);
  for await (const page of orderPages(session, journal, { ...place, since: at }))
    for (const order of page) {
      const facts = orderFacts(order);
      const name = GROUPS[by](order, facts);
      const group = groups.get(name) ?? {
        group: name,
        shipments: 0,
        labels: 0,
        cost: {},
        withoutPrice: 0,
        overPrice: 0,
        unlabelled: 0,
        unknown: 0,
        cancelled: 0,
        cancelledCost: {},
      };
      groups.set(name, group);
      count(order, facts, group, note);
    }
  // An unknown one waits for a person, however old it is.
  const older = { ...place, states: ['unknown' as const], until: at - 1 };
  for await (const page of orderPages(session, journal, older))
    for (const order of page) note('olderUnknown', order);
  const sorted = [...groups.values()].sort((one, other) => compare(one.group, other.group));
  const typed = targetFlags(session)
    .map(flag => ` ${shellWord(flag)}`)
    .join('');
  const lists: Partial<Record<Need, string>> = {
    olderUnknown: `history list --state unknown${typed}`,
    unknown: `history list --state unknown --since ${shellWord(since.written)}${typed}`,
  };
  const span = `--since ${shellWord(since.written)}${typed}`;
  if (needs.withoutPrice.names.length > 1) lists.withoutPrice = `history list ${span}`;
  // A line of more names would fill the screen.
  if (needs.unlabelled.names.length > TYPED)
    lists.unlabelled = `history list --unlabelled ${span} -o csv | waybill batch label - --format csv${needs.unlabelled.flags}`;
  const left = await limitLeft(session);
  const leftWords = left && `Left of the limit of 24 hours: ${amountsWords(left)}`;
  if (leftWords && session.printer.format !== 'table') await session.printer.note(leftWords);
  await session.printer.result(sorted.map(inNumbers), {
    essential: all => [
      all.reduce(
        (sum, { unknown, unlabelled }) => sum + unknown + unlabelled,
        needs.olderUnknown.names.length + needs.overPrice.names.length + needs.withoutPrice.names.length,
      ),
    ],
    async table(_, look) {
      const parts = [await paragraph(look, `Since ${shortMoment(at, now)}: ${totals(sorted)}.`)];
      for (const need of NEEDS) {
        const { names, flags } = needs[need];
        if (names.length === 0) continue;
        const words = `${look.red(`${names.length} ${WORDS[need]}`)}: ${safe(firstOf(names))}`;
        const command = lists[need] ?? `${commandFor(need, names)}${flags}`;
        const isCut = need === 'overPrice' && names.length > TYPED;
        const rest = isCut ? `\nThese are ${TYPED} of them. The summary shows the next ones after that.` : '';
        parts.push(`${await paragraph(look, words)}\n  waybill ${command}${rest}`);
      }
      if (leftWords) parts.push(`${leftWords}.`);
      if (sorted.length > 1) parts.push(await groupTable(sorted, by, look));
      return parts.join('\n\n');
    },
  });
}

function count(
  order: BookedOrder,
  facts: OrderFacts,
  group: Group,
  note: (need: Need, order: BookedOrder) => void,
): void {
  const { booking, labels } = order;
  const { shipments, labelled, price, currency } = facts;
  if (booking.state === 'unknown') {
    group.unknown += 1;
    note('unknown', order);
  }
  const made = Object.values(booking.ids).length;
  const amount = readPrice(price, currency);
  const bought = currency ?? '';
  if (booking.state === 'cancelled') {
    group.cancelled += made;
    if (amount !== undefined) group.cancelledCost[bought] = addPrice(group.cancelledCost[bought], amount);
  }
  if (!isMade(booking)) return;
  // A label whose shipment is not here is a label, and no shipment.
  group.labels += labelled.length;
  if (made === 0 || booking.ids.subscription !== undefined) return;
  group.shipments += made;
  if (amount !== undefined) group.cost[bought] = addPrice(group.cost[bought], amount);
  else {
    group.withoutPrice += made;
    note('withoutPrice', order);
  }
  if (needsAcceptance(booking)) {
    group.overPrice += 1;
    note('overPrice', order);
  }
  const claimed = labels.flatMap(({ leg, booking: { state } }) => (state === 'unknown' ? leg : []));
  const open = LEGS.filter(
    leg => shipments[leg] !== undefined && !labelled.includes(leg) && !claimed.includes(leg),
  );
  group.unlabelled += open.length;
  if (open.length > 0) note('unlabelled', order);
}

/** The sums are exact before they become numbers. */
const inNumbers = (group: Group): HistorySummary => ({
  ...group,
  cost: numbersOf(group.cost),
  cancelledCost: numbersOf(group.cancelledCost),
});

const numbersOf = (cost: Group['cost']): Record<string, number> =>
  Object.fromEntries(Object.entries(cost).map(([currency, sum]) => [currency, Number(sum)]));

/** What belongs to no group comes last. */
const compare = (one: string | null, other: string | null): number =>
  one === null || other === null ? Number(one === null) - Number(other === null) : one < other ? -1 : 1;

// For a person: what needs one first, with the command to type, and then the numbers.

function nameOf(order: BookedOrder): string {
  const { operation, key, id } = order.booking;
  // The shipment of a label is another booking.
  if (operation === 'label') return id;
  return key ?? orderFacts(order).shipments.international ?? id;
}

const WORDS: Readonly<Record<Need, string>> = {
  olderUnknown: 'unknown from before',
  unknown: 'unknown',
  unlabelled: 'without a label',
  overPrice: 'above --max-price',
  withoutPrice: 'without a price',
};

/** How many are named in words, and in a command: with more it would fill the screen. */
const NAMED = 3;
const TYPED = 50;

function firstOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function commandFor(need: Need, names: readonly string[]): string {
  const words = names.slice(0, TYPED).map(shellWord);
  if (need === 'unlabelled') return `label ${words.join(' ')}`;
  return need === 'overPrice' ? `history accept ${words.join(' ')}` : `history show ${words[0]}`;
}

function totals(groups: readonly Group[]): string {
  if (groups.length === 0) return 'no bookings';
  const cost: Group['cost'] = {};
  const whole: Group['cost'] = {};
  let [shipments, labels, cancelled] = [0, 0, 0];
  for (const group of groups) {
    shipments += group.shipments;
    labels += group.labels;
    cancelled += group.cancelled;
    for (const [currency, sum] of Object.entries(group.cost)) cost[currency] = addPrice(cost[currency], sum);
    for (const part of [group.cost, group.cancelledCost])
      for (const [currency, sum] of Object.entries(part)) whole[currency] = addPrice(whole[currency], sum);
  }
  const numbers = [counted(shipments, 'shipment'), counted(labels, 'label'), sortedCostWords(cost)]
    .filter(Boolean)
    .join(', ');
  if (cancelled === 0) return numbers;
  const words = sortedCostWords(whole);
  return `${numbers}. The provider cancelled ${counted(cancelled, 'shipment')}, not counted here${words && `: with what was cancelled it is ${words}`}`;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const sortedCostWords = (cost: Group['cost']): string =>
  costWords(Object.fromEntries(Object.entries(cost).sort()));

const OPEN = [
  ['unknown', 'unknown'],
  ['unlabelled', 'unlabelled'],
  ['over', 'overPrice'],
  ['no price', 'withoutPrice'],
  ['cancelled', 'cancelled'],
] as const;

function groupTable(groups: readonly Group[], by: string, look: Look): Promise<string> {
  const shown = OPEN.filter(([, name]) => name !== 'cancelled' || groups.some(group => group.cancelled > 0));
  const open = (look.columns ?? 80) < 70 ? [] : shown;
  return table(look, {
    head: [by, 'shipments', 'labels', 'cost', ...open.map(([head]) => head)],
    align: ['left', 'right', 'right', 'right', ...open.map(() => 'right' as const)],
    rows: groups.map(group => [
      group.group,
      group.shipments,
      group.labels,
      sortedCostWords(group.cost),
      ...open.map(([, name]) => (group[name] === 0 ? '' : group[name])),
    ]),
  });
}
