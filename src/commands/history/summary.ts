// What was booked, in numbers, and what of it needs a person.
import { type Command, Option } from 'commander';
import { LEGS } from '../../contract/operation.ts';
import { readPrice } from '../../contract/read.ts';
import { isMade, needsAcceptance } from '../../journal/booking.ts';
import type { Order } from '../../journal/types.ts';
import { targetFlags } from '../../order/command-line.ts';
import { dayOf } from '../../output/moment.ts';
import { addPrice } from '../../output/money.ts';
import type { HistorySummary } from '../../schemas.ts';
import type { Act } from '../../session/command.ts';
import { addPage } from '../../session/page.ts';
import type { Session } from '../../session/session.ts';
import { type Moment, parseMoment } from '../../session/time.ts';
import { type OrderFacts, orderFacts, receiverOf } from '../../views/booking-row.ts';
import { type Group, Needs, summaryTable } from '../../views/order-summary.ts';
import { flagsFor } from './next-steps.ts';
import { pagesOf, placeIn } from './read-orders.ts';

interface SummaryOptions {
  since?: Moment & { written: string };
  by: keyof typeof GROUPS;
}

/** Which group an order belongs to; `null` if that is not known. */
const GROUPS = {
  day: ({ booking }: Order) => dayOf(booking.at),
  carrier: (_: Order, { carrier }: OrderFacts) => carrier,
  country: (order: Order) => receiverOf(order).country,
  profile: ({ booking }: Order) => booking.profile,
  run: ({ booking }: Order) => booking.run,
};

const DEFAULT_SINCE = '1d';

/** As it was typed, for the commands that are shown. */
const moment = (written: string) => Object.assign(parseMoment(written), { written });

export function defineSummary(command: Command, act: Act): void {
  command
    .option('--since <time>', `booked since then: 7d, 12h, or a date (default: ${DEFAULT_SINCE})`, moment)
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
      json: 'a list of group (null: not known), shipments, labels, cost (by currency), withoutPrice, overPrice (above --max-price, and not accepted), unlabelled, unknown',
    },
    notes: {
      'What is counted': `A pair is two shipments. A shipment whose label is unknown is not unlabelled. What is unknown from before --since is shown, and is in the number of -q, but in no group. Days are those of this machine.`,
    },
  });
}

async function summary(
  session: Session,
  { since = moment(DEFAULT_SINCE), by }: SummaryOptions,
): Promise<void> {
  const groups = new Map<string | null, Group>();
  const needs = new Needs();
  const at = since(session.host.now());
  const journal = await session.openJournal('look');
  const place = placeIn(session);
  for await (const page of pagesOf(session, journal, { ...place, since: at }))
    for (const order of page) {
      const facts = orderFacts(order);
      const group = GROUPS[by](order, facts);
      const counted = groups.get(group) ?? emptyGroup(group);
      groups.set(group, counted);
      count(order, facts, counted, needs);
    }
  // An unknown one waits for a person, however old it is.
  const older = { ...place, states: ['unknown' as const], until: at - 1 };
  for await (const page of pagesOf(session, journal, older))
    for (const order of page) needs.add('olderUnknown', order);
  const sorted = [...groups.values()].sort((one, other) => compare(one.group, other.group));
  const typed = targetFlags(session)
    .map(flag => ` ${flag}`)
    .join('');
  const period = { since: since.written, at, now: session.host.now() };
  const flagsOf = (order: Order) => flagsFor(session, order);
  await session.printer.result(sorted.map(inNumbers), {
    essential: all => [
      all.reduce(
        (sum, { unknown, unlabelled }) => sum + unknown + unlabelled,
        needs.count('olderUnknown') + needs.priced,
      ),
    ],
    table: (_, look) => summaryTable({ groups: sorted, by, needs, ...period, typed, flagsOf }, look),
  });
}

const emptyGroup = (group: string | null): Group => ({
  ...{ group, shipments: 0, labels: 0, cost: {} },
  ...{ withoutPrice: 0, overPrice: 0, unlabelled: 0, unknown: 0 },
});

function count(order: Order, facts: OrderFacts, group: Group, needs: Needs): void {
  const { booking, labels } = order;
  const { shipments, labelled, price, currency } = facts;
  if (booking.state === 'unknown') {
    group.unknown += 1;
    needs.add('unknown', order);
  }
  if (!isMade(booking)) return;
  // A label whose shipment is not here is a label, and no shipment.
  group.labels += labelled.length;
  const made = Object.values(booking.ids).length;
  if (made === 0 || booking.ids.subscription !== undefined) return;
  group.shipments += made;
  const amount = readPrice(price, currency);
  const bought = currency ?? '';
  if (amount !== undefined) group.cost[bought] = addPrice(group.cost[bought], amount);
  else {
    group.withoutPrice += made;
    needs.add('withoutPrice', order);
  }
  if (needsAcceptance(booking)) {
    group.overPrice += 1;
    needs.add('overPrice', order);
  }
  const claimed = labels.flatMap(({ leg, booking: { state } }) => (state === 'unknown' ? leg : []));
  const open = LEGS.filter(
    leg => shipments[leg] !== undefined && !labelled.includes(leg) && !claimed.includes(leg),
  );
  group.unlabelled += open.length;
  if (open.length > 0) needs.add('unlabelled', order);
}

/** The sums are exact before they become numbers. */
const inNumbers = ({ cost, ...group }: Group): HistorySummary => ({
  ...{ group: group.group, shipments: group.shipments, labels: group.labels },
  cost: Object.fromEntries(Object.entries(cost).map(([currency, sum]) => [currency, Number(sum)])),
  ...group,
});

/** What belongs to no group comes last. */
const compare = (one: string | null, other: string | null): number =>
  one === null || other === null ? Number(one === null) - Number(other === null) : one < other ? -1 : 1;
