// The summary for a person: what needs one first, with the command to type, and then the numbers.
import type { Order } from '../journal/types.ts';
import type { Look } from '../output/look.ts';
import { paragraph } from '../output/look.ts';
import { shortMoment } from '../output/moment.ts';
import { addPrice, costWords } from '../output/money.ts';
import { safe } from '../output/safe.ts';
import { table } from '../output/table.ts';
import { shellWord } from '../text.ts';
import { orderFacts } from './booking-row.ts';

/** Its names are a promise to scripts. Costs are by currency: decimal text, so that no sum drifts. */
export interface Group {
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
}

type OpenNumber = 'unknown' | 'unlabelled' | 'overPrice' | 'withoutPrice';
type Need = OpenNumber | 'olderUnknown';

/** Orders that are named; of the others there is the number. */
const NAMED = 3;

/** The orders that need a person, by what they need. */
export class Needs {
  readonly #orders = new Map<Need, Order[]>();
  readonly #counts = new Map<Need, number>();

  add(need: Need, order: Order): void {
    this.#counts.set(need, this.count(need) + 1);
    const orders = this.orders(need);
    if (orders.length < NAMED) this.#orders.set(need, [...orders, order]);
  }

  count(need: Need): number {
    return this.#counts.get(need) ?? 0;
  }

  /** The first ones. */
  orders(need: Need): readonly Order[] {
    return this.#orders.get(need) ?? [];
  }

  names(need: Need): string[] {
    return this.orders(need).map(nameOf);
  }

  /** Those about a price. */
  get priced(): number {
    return this.count('overPrice') + this.count('withoutPrice');
  }
}

function nameOf(order: Order): string {
  const { operation, key, id } = order.booking;
  // The shipment of a label is another booking.
  if (operation === 'label') return id;
  return key ?? orderFacts(order).shipments.international ?? id;
}

interface Shown {
  groups: readonly Group[];
  by: string;
  needs: Needs;
  /** The beginning as it was typed, and in ms since 1970. */
  since: string;
  at: number;
  now: number;
  /** The flags that were typed, for the command that lists the same orders. */
  typed: string;
  /** Those that a command about this order needs. */
  flagsOf(order: Order): string;
}

export async function summaryTable(shown: Shown, look: Look): Promise<string> {
  const { groups, by, needs, at, now } = shown;
  const all = groups.reduce(added, undefined);
  const beginning = `Since ${shortMoment(at, now)}`;
  const parts = [await paragraph(look, `${beginning}: ${all === undefined ? 'no bookings' : totals(all)}.`)];
  for (const need of ['olderUnknown', 'unknown', 'unlabelled', 'overPrice', 'withoutPrice'] as const)
    if (needs.count(need) > 0)
      parts.push(
        `${await paragraph(look, `${look.red(wordsOf(need, needs.count(need)))}: ${safe(namesOf(needs, need))}`)}\n  waybill ${commandFor(need, shown)}`,
      );
  if (groups.length > 1) parts.push(await tableOf(groups, by, look));
  return parts.join('\n\n');
}

function added(sum: Group | undefined, group: Group): Group {
  if (sum === undefined) return { ...group, cost: { ...group.cost } };
  for (const [currency, cost] of Object.entries(group.cost))
    sum.cost[currency] = addPrice(sum.cost[currency], cost);
  sum.shipments += group.shipments;
  sum.labels += group.labels;
  return sum;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const totals = ({ shipments, labels, cost }: Group): string =>
  [counted(shipments, 'shipment'), counted(labels, 'label'), sortedCostWords(cost)]
    .filter(Boolean)
    .join(', ');

const sortedCostWords = (cost: Group['cost']): string =>
  costWords(Object.fromEntries(Object.entries(cost).sort()));

const wordsOf = (need: Need, count: number): string =>
  ({
    olderUnknown: `${count} unknown from before`,
    unknown: `${count} unknown`,
    unlabelled: `${count} without a label`,
    overPrice: `${count} above --max-price`,
    withoutPrice: `${count} without a price`,
  })[need];

function namesOf(needs: Needs, need: Need): string {
  const names = needs.names(need);
  const more = needs.count(need) - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function commandFor(need: Need, { needs, since, typed, flagsOf }: Shown): string {
  const [order] = needs.orders(need);
  const names = needs.names(need).map(shellWord);
  // All that are named are in one journal, so the profile of one of them is enough.
  const flags = order ? flagsOf(order) : '';
  switch (need) {
    case 'olderUnknown':
      return `history list --state unknown${typed}`;
    case 'unknown':
      return `history list --state unknown --since ${shellWord(since)}${typed}`;
    case 'unlabelled':
      return `label ${names.join(' ')}${flags}`;
    case 'overPrice':
      return `history accept ${names.join(' ')}${flags}`;
    case 'withoutPrice':
      return `history show ${names[0]}${flags}`;
  }
}

const tableOf = (groups: readonly Group[], by: string, look: Look): Promise<string> => {
  const number = (count: number) => (count === 0 ? '' : count);
  return table(look, {
    head: [
      by,
      'shipments',
      'labels',
      'cost',
      ...((look.columns ?? 80) < 70 ? [] : OPEN.map(([head]) => head)),
    ],
    align: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
    rows: groups.map(group => [
      group.group,
      group.shipments,
      group.labels,
      sortedCostWords(group.cost),
      ...((look.columns ?? 80) < 70 ? [] : OPEN.map(([, name]) => number(group[name]))),
    ]),
  });
};

const OPEN: readonly (readonly [string, OpenNumber])[] = [
  ['unknown', 'unknown'],
  ['unlabelled', 'unlabelled'],
  ['over', 'overPrice'],
  ['no price', 'withoutPrice'],
];
