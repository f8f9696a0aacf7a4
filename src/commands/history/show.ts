import {
  type Booking,
  choiceOf,
  type Fact,
  isMade,
  isPruned,
  type Settlement,
  settlementsOf,
} from '../../booking/booking.ts';
import { type BookedOrder, wasElsewhere } from '../../booking/questions.ts';
import {
  AT_WORK_MINUTES,
  cancellationOf,
  isAnsweredLate,
  lastDecision,
  needsAcceptance,
  noCountsFrom,
  ownerOfShipment,
} from '../../booking/standing.ts';
import { LEGS, type Operation, operationNamed } from '../../contract/operations.ts';
import { getAt, isRecord, listAt, textAt } from '../../contract/paths.ts';
import { isSecret } from '../../contract/subscriptions.ts';
import { parseJson } from '../../json.ts';
import { createRedactor, maskFields } from '../../mask.ts';
import { idsIfCreated } from '../../order/failure.ts';
import { findOrSuggest } from '../../order/find.ts';
import { specOf } from '../../order/options.ts';
import { flagsFor } from '../../order/place-flags.ts';
import { choicePage } from '../../output/choice.ts';
import { orderRow } from '../../output/columns.ts';
import type { Look } from '../../output/look.ts';
import type { HistoryDetail } from '../../output/schemas.ts';
import { type Cell, pairs } from '../../output/table.ts';
import { safe, safeJson } from '../../output/text.ts';
import { orderFacts } from '../../output/told.ts';
import { createdFlags } from '../../say/booked.ts';
import { addressWords, bookingName, money, orderName, timeWords } from '../../say/words.ts';
import { declare, operand } from '../../session/command.ts';
import { flag } from '../../session/flags.ts';
import type { Session } from '../../session/session.ts';
import { commandText, operands, shellWord } from '../../text.ts';

export const command = declare({
  examples: [
    '# Book a shipment, and show what happened and what to type next.',
    'waybill schema ship --example > order.json',
    'waybill ship -q -f order.json --key ORDER-1005',
    'waybill history show ORDER-1005',
  ],
  output: {
    table: 'what was booked for whom, what happened when, and the commands to type next',
    quiet: 'its state',
    json: 'as `waybill schema history` describes it; secrets are masked without --show-secret',
  },
  operands: [operand('<ref>', 'its key, a shipment id, a tracking number, or its id in the journal')],
  flags: { showSecret: flag('--show-secret', 'secret and token of a subscription too') },
  async run(session, options, ref) {
    const { showSecret = false } = options;
    const journal = await session.openJournal('look');
    const booking = await findOrSuggest(session, ref, ['history', 'show']);
    const order = (await journal?.orderOf(booking)) ?? { booking, labels: [] };
    const sentAt = (await journal?.lastSent([booking.id]))?.get(booking.id) ?? booking.at;
    await session.printer.result(bookingDetail(order, showSecret), {
      essential: body => [body.state],
      table: (body, look) => bookingPage(session, order, body.answer, sentAt, look),
    });
  },
});

// This mask says how to see the secret; no other mask does.
const MASK = '(shown with --show-secret)';

function maskedAnswer(answer: unknown, operation: Operation): unknown {
  // An answer that is text may be JSON that was cut off. The parts of a list have no names that tell a secret: all of it is masked.
  if (typeof answer === 'string') return createRedactor({}).body(answer);
  return Array.isArray(answer) && operation.made.givenOnce ? MASK : maskFields(answer, isSecret, MASK);
}

/** The whole booking; a secret that the service gives only once is masked, unless `showSecret` is set. */
function bookingDetail(order: BookedOrder, showSecret: boolean): HistoryDetail {
  const { account, sandbox, maxPrice, why, keyHolder, labels, files, request, ...booking } = order.booking;
  const answer = booking.answer === null ? null : (parseJson(booking.answer) ?? booking.answer);
  const isOpen = booking.state === 'unknown' || booking.state === 'pending';
  const row = orderRow(order);
  return {
    ...row,
    account,
    sandbox,
    maxPrice,
    choice: choiceOf(order.booking),
    settledAt: booking.settledAt === null || isOpen ? null : new Date(booking.settledAt).toISOString(),
    why,
    keyHolder,
    labels,
    files,
    settlements: settlementsOf(booking).map((fact, index) => ({
      ...(row.settlements[index] as HistoryDetail['settlements'][number]),
      evidence: (fact.kind === 'confirmed' && parseJson(fact.evidence ?? '')) || null,
    })),
    labelledBy: order.labels.map(({ leg, booking: { id, state } }) => ({ leg, id, state })),
    bookedBy: booking.holder,
    request,
    answer: showSecret ? answer : maskedAnswer(answer, operationNamed(booking.operation)),
  };
}

// The page for people: what the booking is, what happened when, and what to type next.

/** `answer`: the answer with its secrets masked. `sentAt`: when the booking was sent last. */
async function bookingPage(
  session: Session,
  order: BookedOrder,
  answer: unknown,
  sentAt: number,
  look: Look,
): Promise<string> {
  const { booking } = order;
  const title = `${look.bold(safe(orderName(order)))}: ${paintedState(booking, look)}`;
  const steps = nextSteps(session, order, sentAt);
  const choice = await choicePage(choiceOf(booking), look);
  const parts = [
    title,
    await pairs(look, factRows(order)),
    ...(choice === '' ? [] : [choice]),
    `${look.dim('What happened')}\n${await pairs(look, eventRows(order, session.host.now()))}`,
    ...(showsAnswer(booking) && answer !== null ? [`${look.dim('Answer')}\n${answerText(answer)}`] : []),
    ...(steps.length > 0 ? [[look.dim('What to type next'), ...steps.map(safe)].join('\n')] : []),
  ];
  return parts.join('\n\n');
}

function paintedState(booking: Booking, look: Look): string {
  if (needsAcceptance(booking)) return look.red(`${booking.state}, above --max-price`);
  if (booking.state === 'unknown') return look.red('unknown, it may or may not exist');
  if (booking.state === 'pending') return 'pending, it is being sent';
  return booking.state === 'created' ? look.green('created') : look.yellow(booking.state.replace('_', ' '));
}

type Pair = readonly [string, Cell];

function factRows(order: BookedOrder): Pair[] {
  const { booking, labelOf } = order;
  const { shipments, tracking, carrier, price, currency, labelled, files } = orderFacts(order);
  const { operation, sandbox, profile, address, maxPrice, overPrice, id } = booking;
  const { request } = labelOf ?? booking;
  const bound = maxPrice === null ? '' : `, ${overPrice ? 'above' : 'with'} --max-price ${maxPrice}`;
  const cost = money(price, currency);
  const rows: (Pair | false)[] = [
    ['Operation', sandbox ? `${operation}, in the sandbox` : operation],
    labelOf !== undefined && ['Label of', bookingName(labelOf)],
    isPruned(booking) && ['Pruned', 'its receiver, its goods, its answer and its label were deleted'],
    ['Receiver', addressWords(getAt(request, ['receiver']))],
    ['Goods', goodsWords(request)],
    ['Packages', packagesWords(request)],
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
    ['Label file', files.international ?? files.domestic],
    ['Address', profile === null ? address : `${address}, profile ${profile}`],
    ['Booking', id],
  ];
  return rows.filter((row): row is Pair => row !== false && Boolean(row[1]));
}

function goodsWords(request: unknown): string {
  const items = listAt(request, 'items').flatMap(item => {
    const [count, what] = [getAt(item, 'quantity'), textAt(item, 'description')];
    return what === undefined ? [] : `${count ?? 1} × ${what}`;
  });
  const value = money(getAt(request, 'customs.totalGoodsValue'), textAt(request, 'customs.currency'));
  return [items.join(', '), value && `worth ${value}`].filter(Boolean).join(', ');
}

const packagesWords = (request: unknown): string =>
  listAt(request, 'packages')
    .flatMap(parcel => specOf(parcel) ?? [])
    .join(', ');

function eventRows(order: BookedOrder, now: number): Pair[] {
  const { booking, labels, printed = {}, lists = [] } = order;
  const { at, state, keyHolder } = booking;
  const later: { at: number; words: string }[] = [
    ...booking.facts.map(fact => ({ at: fact.at, words: factWords(fact) })),
    ...lists.map(list => {
      const where = wasElsewhere(list) ? 'on another machine' : `list ${list.number}`;
      return { at: list.at, words: `${list.name}, said ${list.by}: ${where}` };
    }),
    ...LEGS.flatMap(leg => {
      const { at, file } = printed[leg] ?? { at: 0, file: null };
      const merged = `${leg} label merged${file ? ` into ${file}` : ''}`;
      return at > 0 ? [{ at, words: file === null ? `${leg} label printed` : merged }] : [];
    }),
    ...labels.map(({ leg, booking: label }) => ({
      at: label.at,
      words: `${leg} label: ${label.labels[leg]?.trackingNumber ?? label.state}, ${label.id}`,
    })),
  ];
  return [
    [timeWords(at, now), `sent by ${bookerWords(booking)}`],
    ...(state === 'pending' ? [] : [outcomeOf(booking, now)]),
    ...later
      .sort((first, second) => first.at - second.at)
      .map(event => [timeWords(event.at, now), event.words] as const),
    ...(keyHolder === null ? [] : [['since then', `booked again as ${keyHolder}`] as const]),
  ];
}

/** What the service answered, and when. A service that did not answer has no time. */
function outcomeOf(booking: Booking, now: number): Pair {
  const { httpStatus, why, settledAt } = booking;
  const state = cancellationOf(booking)?.existedAs ?? booking.state;
  const isResolved =
    lastDecision(booking) !== undefined &&
    !booking.facts.some(fact => fact.kind === 'answered' && fact.counts);
  const isKnown = state !== 'unknown' && !isResolved;
  const status = httpStatus === null ? '' : ` (HTTP ${httpStatus})`;
  return [
    isKnown && settledAt !== null ? timeWords(settledAt, now) : 'then',
    `${isKnown ? state.replace('_', ' ') : 'no conclusive answer'}${status}${why === '' ? '' : `: ${why}`}`,
  ];
}

const SETTLED: Readonly<Record<Settlement['kind'], string>> = {
  confirmed: 'resolved: it exists',
  denied: 'resolved: it was not created',
  reopened: 'taken back: it is as it was before',
  accepted: 'the price above --max-price was accepted',
  cancelled: 'cancelled by the provider of the service',
};

function factWords(fact: Fact): string {
  switch (fact.kind) {
    case 'answered':
      return `its own answer came: ${fact.state.replace('_', ' ')}${fact.counts ? '' : ', which changes nothing'}`;
    case 'shipment of another':
      return `its answer named the ${fact.leg} shipment ${fact.shipment}, which is that of booking ${fact.owner}`;
    case 'disputed':
      return `booking ${fact.from} has been answered, too: both may exist, and the key is that of this one`;
    case 'key returned':
      return `booking ${fact.from}, which had its key, does not exist: the key is its own again`;
    default:
      return settlementWords(fact);
  }
}

function settlementWords(settlement: Settlement): string {
  const { kind, ids, by, run, reason } = settlement;
  const names = kind === 'confirmed' ? Object.values(ids).join(' and ') : '';
  const sameAs = settlement.kind === 'confirmed' ? settlement.sameAs : undefined;
  return [
    `${SETTLED[kind]}${names && ` as ${names}`}${sameAs === undefined ? '' : `, one shipment with booking ${sameAs}`}, said ${by}`,
    run && `in ${run}`,
    reason && `because: ${reason}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Who made a booking, and where: `anna on desk (process 7), waybill 0.3.0`. A booking from a results file has no host. */
function bookerWords(booking: Booking): string {
  const { holder, run, actor } = booking;
  const { user, host, process, version } = holder;
  const machine = [user, 'on', host, `(process ${process})`].filter(Boolean).join(' ');
  return [
    actor !== null && !actor.startsWith(`${user}@`) && actor,
    host === '' ? 'another machine: it was imported from a results file' : machine,
    version && `waybill ${version}`,
    run && `in ${run}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Does the page show the answer? For a shipment that exists, the other lines of the page have what matters of the answer. */
const showsAnswer = (booking: Booking): boolean =>
  booking.operation === 'webhook-create' || !['created', 'cancelled'].includes(booking.state);

const answerText = (answer: unknown): string =>
  isRecord(answer) ? safeJson(answer, 2) : safe(String(answer));

/** What a person can do about a booking, each time with the exact command. */
function nextSteps(session: Session, order: BookedOrder, sentAt: number): string[] {
  const { booking, labels } = order;
  const { shipments, isLabelled } = orderFacts(order);
  const flags = flagsFor(session, order);
  const lines: string[] = [];
  const say = (why: string, command: string, behind = '') =>
    lines.push(why, `  waybill ${command}${flags}${behind}`);
  const ids = LEGS.flatMap(leg => shipments[leg] ?? []);
  // The key of an order that was booked again names the later booking.
  const name = booking.keyHolder === null ? (booking.key ?? ids[0] ?? booking.id) : booking.id;
  // A name that begins with a dash would be read as an option.
  const ref = name.startsWith('-') ? booking.id : shellWord(name);
  const isLabel = booking.operation === 'label';
  // A label booking has the same key and ids as its shipment: only its own id tells the two apart.
  const bookingRef = isLabel ? booking.id : ref;
  if (booking.state === 'unknown') {
    const owner = ownerOfShipment(booking);
    if (owner !== undefined)
      say(
        'It is one shipment with the order that has it:',
        `history resolve ${bookingRef} --same-as ${owner}`,
      );
    else
      say(
        'It exists, as the service says:',
        `history resolve ${bookingRef} ${commandText(createdFlags(idsIfCreated(booking)))}`,
      );
    say(
      `The provider says that it does not exist, ${timeWords(noCountsFrom(sentAt))} or later (${AT_WORK_MINUTES} minutes after it was sent):`,
      `history resolve ${bookingRef} --not-created ${isAnsweredLate(booking) ? '--force ' : ''}--reason TEXT`,
    );
    return lines;
  }
  if (booking.state === 'cancelled')
    say('If the provider did not cancel it, to take that back:', `history cancelled ${bookingRef} --reopen`);
  if (needsAcceptance(booking))
    say('Its price is above --max-price. To accept it:', `history accept ${bookingRef}`);
  const unknown = labels.filter(label => label.booking.state === 'unknown');
  for (const { leg, booking: label } of unknown)
    say(`Its ${leg} label may or may not exist. To see it, and say so:`, `history show ${label.id}`);
  const { subscription } = booking.ids;
  if (subscription !== undefined)
    say('To see it at the service:', 'webhook get', ` ${operands([subscription])}`);
  else if (isMade(booking) && ids.length > 0) {
    say('Where it is:', `track ${ref}`);
    if (isLabelled && !isPruned(booking)) say('To save its label again:', `label ${ref} --download .`);
    else if (!isLabelled && unknown.length === 0) say('To make its label:', `label ${ref}`);
  }
  return lines;
}
