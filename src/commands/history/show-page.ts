// A booking for people: what it is, what happened when, and what to type next.
import { LEGS } from '../../contract/operation.ts';
import { getAt, isRecord, listAt, textAt } from '../../contract/paths.ts';
import { type Booking, isMade, needsAcceptance, type Settlement } from '../../journal/booking.ts';
import type { Holder } from '../../journal/holder.ts';
import type { Order } from '../../journal/types.ts';
import { specOf } from '../../order/command-line.ts';
import type { Look } from '../../output/look.ts';
import { longMoment } from '../../output/moment.ts';
import { money } from '../../output/money.ts';
import { safe, safeJson } from '../../output/safe.ts';
import { type Cell, pairs } from '../../output/table.ts';
import type { Session } from '../../session/session.ts';
import { orderFacts } from '../../views/booking-row.ts';
import { nextSteps } from './next-steps.ts';

/** `answer`: with its secrets masked. */
export async function bookingPage(
  session: Session,
  order: Order,
  answer: unknown,
  look: Look,
): Promise<string> {
  const { booking } = order;
  const title = `${look.bold(safe(booking.key ?? booking.id))}: ${stateWords(booking, look)}`;
  const steps = nextSteps(session, order);
  const parts = [
    title,
    await pairs(look, facts(order)),
    `${look.dim('What happened')}\n${await pairs(look, events(order, session.host.now()))}`,
    ...(showsAnswer(booking) && answer !== null ? [`${look.dim('Answer')}\n${textOf(answer)}`] : []),
    ...(steps.length > 0
      ? [[look.dim('What to type next'), ...steps.flatMap(({ why, type }) => [why, `  ${type}`])].join('\n')]
      : []),
  ];
  return parts.join('\n\n');
}

function stateWords(booking: Booking, look: Look): string {
  if (needsAcceptance(booking)) return look.red('created, above --max-price');
  if (booking.state === 'unknown') return look.red('unknown, it may or may not exist');
  if (booking.state === 'pending') return 'pending, it is being sent';
  return booking.state === 'created' ? look.green('created') : look.yellow(booking.state.replace('_', ' '));
}

type Pair = readonly [string, Cell];

function facts(order: Order): Pair[] {
  const { booking, labelOf } = order;
  const { shipments, tracking, carrier, price, currency, labelled, labelFile } = orderFacts(order);
  const { operation, sandbox, profile, address, maxPrice, overPrice, id } = booking;
  const { request } = labelOf ?? booking;
  const bound = maxPrice === null ? '' : `, ${overPrice ? 'above' : 'with'} --max-price ${maxPrice}`;
  const cost = money(price, currency);
  const rows: (Pair | false)[] = [
    ['Operation', sandbox ? `${operation}, in the sandbox` : operation],
    labelOf !== undefined && ['Label of', labelOf.key ?? labelOf.id],
    ['Receiver', receiverWords(request)],
    ['Goods', goodsWords(request)],
    ['Packages', packageWords(request)],
    ['Carrier', carrier],
    ['Price', cost && `${cost}${bound}`],
    ...LEGS.flatMap((leg): Pair[] => {
      const [id, number] = [shipments[leg], tracking[leg]];
      const which = Object.keys(shipments).length > 1 ? `, ${leg}` : '';
      if (id === undefined) return [];
      const label = labelled.includes(leg) ? 'made' : isMade(booking) ? 'none' : '';
      return [
        [`Shipment${which}`, id],
        number === undefined ? [`Label${which}`, label] : [`Tracking${which}`, number],
      ];
    }),
    labelFile !== null && ['Label file', labelFile],
    ['Address', profile === null ? address : `${address}, profile ${profile}`],
    ['Booking', id],
  ];
  return rows.filter((row): row is Pair => row !== false && Boolean(row[1]));
}

function receiverWords(request: unknown): string {
  const at = (path: string) => textAt(request, `receiver.${path}`)?.trim();
  const join = (separator: string, ...parts: (string | undefined)[]) => parts.filter(Boolean).join(separator);
  return join(
    ', ',
    join(' ', at('firstName'), at('lastName')),
    at('companyName'),
    at('address.line1'),
    at('address.line2'),
    join(' ', at('address.zipCode'), at('address.city')),
    at('address.country.code'),
  );
}

function goodsWords(request: unknown): string {
  const items = listAt(request, 'items').flatMap(item => {
    const [count, what] = [getAt(item, 'quantity'), textAt(item, 'description')];
    return what === undefined ? [] : `${count ?? 1} × ${what}`;
  });
  const value = money(getAt(request, 'customs.totalGoodsValue'), textAt(request, 'customs.currency'));
  return [items.join(', '), value && `worth ${value}`].filter(Boolean).join(', ');
}

const packageWords = (request: unknown): string =>
  listAt(request, 'packages')
    .flatMap(one => specOf(one) ?? [])
    .join(', ');

function events({ booking, labels }: Order, now: number): Pair[] {
  const { at, state, settlements, overtakenBy } = booking;
  const later: [number, string][] = [
    ...settlements.map((one): [number, string] => [one.at, settlementWords(one)]),
    ...labels.map(({ leg, booking: label }): [number, string] => [
      label.at,
      `${leg} label: ${label.labels[leg]?.trackingNumber ?? label.state}, ${label.id}`,
    ]),
  ];
  return [
    [longMoment(at, now), `sent by ${bookerWords(booking)}`],
    ...(state === 'pending' ? [] : [outcomeOf(booking, now)]),
    ...later
      .sort(([one], [other]) => one - other)
      .map(([time, words]): Pair => [longMoment(time, now), words]),
    ...(overtakenBy === null ? [] : [['since then', `booked again as ${overtakenBy}`] as const]),
  ];
}

/** What the service answered. When it did not, nothing happened at any time. */
function outcomeOf({ state, httpStatus, why, settledAt, settlements }: Booking, now: number): Pair {
  const isKnown = state !== 'unknown' && settlements.every(one => one.state === 'accepted');
  const status = httpStatus === null ? '' : ` (HTTP ${httpStatus})`;
  return [
    isKnown && settledAt !== null ? longMoment(settledAt, now) : 'then',
    `${isKnown ? state.replace('_', ' ') : 'no conclusive answer'}${status}${why === '' ? '' : `: ${why}`}`,
  ];
}

const SETTLED: Readonly<Record<Settlement['state'], string>> = {
  created: 'resolved: it exists',
  rejected: 'resolved: it was not created',
  reopened: 'unknown again',
  accepted: 'the price above --max-price was accepted',
};

function settlementWords(settlement: Settlement): string {
  const { state, ids, by, run, reason } = settlement;
  const found = state === 'created' ? Object.values(ids).join(' and ') : '';
  return [
    `${SETTLED[state]}${found && ` as ${found}`}, said ${by}`,
    run && `in ${run}`,
    reason && `because: ${reason}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** `anna on desk (process 7), waybill 0.3.0`; an import from a results file has no host. */
function bookerWords({ holder, run, actor }: Booking): string {
  const who = actor === null || actor.startsWith(`${holder.user}@`) ? '' : `${actor}, `;
  return `${who}${machineWords(holder)}${run === null ? '' : `, in ${run}`}`;
}

function machineWords({ user, host, process, version }: Holder): string {
  if (host === '') return 'another machine: it was imported from a results file';
  if (user === undefined && version === undefined) return `process ${process} on ${host}`;
  return `${user === undefined ? '' : `${user} `}on ${host} (process ${process})${version === undefined ? '' : `, waybill ${version}`}`;
}

/** What the page tells of a shipment is all that is worth to know of its answer. */
const showsAnswer = ({ state, operation }: Booking): boolean =>
  operation === 'webhook-create' || state !== 'created';

const textOf = (answer: unknown): string => (isRecord(answer) ? safeJson(answer, 2) : safe(String(answer)));
