// A plan is an order at which a person can look before it is booked. `--plan` writes all that a booking would send, with a hash; `-f PLAN`
// reads the plan back as an order, which is placed like any other.

import * as z from 'zod/mini';
import { hasSameInput, scopeText, type ToldChoice, WHY_NOT } from '../booking/booking.ts';
import type { Obstacle } from '../booking/questions.ts';
import { isSameKey } from '../contract/key.ts';
import { commandName, OPERATIONS, type Operation } from '../contract/operations.ts';
import { isRecord, setAt, textAt } from '../contract/paths.ts';
import { boundIn, knownPrice } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { Json } from '../json.ts';
import { choicePage } from '../output/choice.ts';
import type { Look } from '../output/look.ts';
import type { Plan } from '../output/schemas.ts';
import { pairs } from '../output/table.ts';
import type { Notice } from '../say/notices.ts';
import { money, receiverWords, timeWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { boundWords } from './answer.ts';
import { boundsIn } from './bounds.ts';
import { fingerprint } from './build.ts';
import { type Desk, openDeskToLook } from './desk.ts';
import { heldFailure, timedFailure } from './failure.ts';
import { refuseAtAnyPrice, refuseBeyond, refuseUnnamed } from './limits.ts';
import { type BookingOptions, optionWords, type RequestOptions } from './options.ts';
import type { Bounds, Order, Placed, PricedOrder } from './order.ts';
import { answerTo, checkNewKey, findObstacle, intentOf, prepare, refuseMangled } from './place.ts';

/** How long a plan may be booked, in ms. */
const LASTS = 24 * 60 * 60 * 1000;

/**
 * Does all that `place` does before the claim, and asks for the price if the service tells one. Gives the plan, or the recorded answer if
 * the order is booked. Does not ask for a yes, which only the booking needs. `isBooked`: does the same command book the order?
 */
export async function makePlan(order: Order, desk: Desk, isBooked = false): Promise<Plan | Placed> {
  const caller = {
    ...desk.caller,
    mustAgree: true,
    requireReady: (operation: Operation) => desk.service.check(operation),
    agrees: async () => {},
  };
  const isShipment = order.operation === OPERATIONS.createShipment;
  const bounds: Bounds = { ...order.bounds, ...(isShipment && { isPriced: true }) };
  const ready = await prepare({ ...order, needsProposal: isShipment, bounds }, { ...desk, caller }, isBooked);
  if ('placed' in ready) {
    desk.caller.placed(ready.placed, { shipments: [], key: null });
    return ready.placed;
  }
  const { operation, key, body, proposed } = ready.order;
  const { service = null, maxPrice, maxDays = null } = order.bounds ?? {};
  const plan = {
    plan: 1 as const,
    operation: operation.command,
    place: scopeText(desk.scope()),
    sandbox: desk.target().sandbox,
    key: key ?? null,
    request: body.value,
    carrier: textAt(body.value, 'carrier.id') ?? textAt(body.value, 'carriers.international.id') ?? null,
    price: proposed?.price ?? null,
    currency: proposed?.currency ?? null,
    service,
    maxPrice: maxPrice ? boundWords(maxPrice) : null,
    maxDays,
    days: proposed?.days?.[1] ?? null,
    choice: toldChoice(ready.order),
    expires: new Date(desk.host.now() + LASTS).toISOString(),
    input: order.fingerprint,
  };
  return { ...plan, hash: fingerprint(plan) };
}

/** Why an order has its carrier, as far as this is known. */
export const toldChoice = (order: Order | PricedOrder): ToldChoice => ({
  rule: order.rule ?? null,
  proposals: [],
  bound: order.bounds?.maxPrice ? boundWords(order.bounds.maxPrice) : null,
  ...('choice' in order && order.choice),
});

/** Is the content of a request file a plan? A plain request has neither of these fields. */
export const isPlan = (content: unknown): content is Record<string, unknown> =>
  isRecord(content) && content.plan !== undefined && content.hash !== undefined;

const CHOICE: z.ZodMiniType<ToldChoice> = z.object({
  rule: z.nullable(z.string()),
  proposals: z.array(
    z.object({
      carrier: z.nullable(z.string()),
      price: z.unknown(),
      currency: z.nullable(z.string()),
      days: z.nullable(z.number()),
      why: z.nullable(z.enum(WHY_NOT)),
    }),
  ),
  bound: z.nullable(z.string()),
});

/** The shape of a plan, because anybody may have written the file; `waybill schema plan` describes it. */
const SHAPE: z.ZodMiniType<Plan> = z.object({
  plan: z.literal(1),
  operation: z.string(),
  place: z.string(),
  sandbox: z.boolean(),
  key: z.nullable(z.string()),
  request: z.unknown(),
  carrier: z.nullable(z.string()),
  price: z.unknown(),
  currency: z.nullable(z.string()),
  service: z.nullable(z.string()),
  maxPrice: z.nullable(z.string()),
  maxDays: z.nullable(z.number()),
  days: z.nullable(z.number()),
  choice: CHOICE,
  expires: z.iso.datetime(),
  input: z.string(),
  hash: z.string(),
});

/** The options that may be given with a plan: how it is booked, and what becomes of the label. */
const OPEN = new Set([
  'file',
  'dryRun',
  'key',
  'allowDuplicate',
  'newJournal',
  'label',
  'download',
  'merge',
  'print',
  'reprint',
  'papers',
  'fit',
  'crop',
  'perPage',
  'stamp',
]);

/** The order of a plan, to be booked here and now: exactly what the plan says, and at most for its price. Throws `usage`. */
export function orderOfPlan(
  content: Record<string, unknown>,
  operation: Operation,
  options: RequestOptions & BookingOptions & { label?: boolean },
  session: Session,
): { plan: Plan; order: Order } {
  const { command } = operation;
  const facts = { operation: command, file: options.file ?? '' };
  const refuse = (notice: Notice) => new Failure('usage', notice, { operation: command });
  const { hash, ...rest } = content;
  const plan = SHAPE.safeParse(content).data;
  if (plan === undefined || fingerprint(rest) !== hash) throw refuse({ kind: 'plan-changed', ...facts });
  if (plan.operation !== command)
    throw refuse({ kind: 'plan-of-other-command', ...facts, planned: plan.operation });
  const here = scopeText(session.scope());
  if (plan.place !== here)
    throw refuse({ kind: 'plan-for-other-place', ...facts, planned: plan.place, place: here });
  if (plan.sandbox !== session.target().sandbox)
    throw refuse({
      kind: 'plan-for-other-mode',
      ...facts,
      planned: plan.sandbox ? 'sandbox' : 'production',
    });
  if (session.host.now() >= Date.parse(plan.expires))
    throw refuse({ kind: 'plan-ended', ...facts, at: plan.expires });
  const beside = Object.keys(options).find(name => !OPEN.has(name));
  if (beside !== undefined)
    throw refuse({ kind: 'plan-with-option', ...facts, option: optionWords(beside, true).join('') });
  if (options.key !== undefined && !isSameKey(options.key, plan.key))
    throw refuse({ kind: 'plan-with-other-key', ...facts, planned: plan.key });
  const isPair = operation === OPERATIONS.createDualShipment;
  const price = knownPrice(plan);
  if (!isPair && price === undefined) throw refuse({ kind: 'plan-without-price', ...facts });
  const { service, maxDays } = plan;
  const bounds = boundsIn({
    ...(service !== null && { service }),
    ...(maxDays !== null && { maxDays }),
    maxPrice: price ?? boundIn(plan.maxPrice ?? ''),
  });
  const order: Order = {
    operation,
    key: plan.key ?? plan.hash,
    isKeyOfPlan: plan.key === null,
    fingerprint: plan.input,
    // The labels of a pair are made in the call that books the pair.
    body: new Json(isPair && options.label ? setAt(plan.request, ['label'], true) : plan.request),
    needsProposal: !isPair,
    bounds: { ...bounds, ...(!isPair && { isPriced: true }) },
    thenLabel: isPair ? undefined : options.label,
    rule: plan.choice.rule ?? undefined,
    // Unknown fields were checked when the plan was made.
    allowUnknown: true,
    allowDuplicate: options.allowDuplicate,
  };
  return { plan, order };
}

/** What the journal knows of an order, in the words of a dry run. */
export type Known = 'new' | 'booked' | 'duplicate' | 'pending' | 'unknown';

/**
 * What the journal knows of an order. Asks nobody, waits for nobody and writes nothing. `refuse` throws why the order would not be booked:
 * `duplicate`, `outcome_unknown`, `usage`. `isPriced`: is the final price of the order known?
 */
export async function lookUp(order: Order, session: Session, isPriced: boolean) {
  const opened = await openDeskToLook(session);
  const desk = opened && {
    ...opened,
    caller: {
      ...opened.caller,
      wait: <T>(look: () => Promise<T>) => look(),
      wantsAnother: async () => undefined,
    },
  };
  const obstacle = desk && (await findObstacle(order, desk));
  const state = stateOf(obstacle, order);
  return {
    journal: { state, booking: obstacle?.booking.id ?? null },
    async refuse() {
      const limits = session.limits();
      refuseUnnamed(order, limits);
      if (state === 'unknown' && obstacle && desk) throw await timedFailure(obstacle.booking, desk);
      if (state === 'duplicate' && obstacle && desk) await answerTo(obstacle, order, desk);
      if (state !== 'new') return;
      if (order.held) throw heldFailure(order, order.held);
      if (order.key !== undefined) await (desk ? checkNewKey(order, desk, false) : refuseMangled(order));
      // Without a price, only what no proposal could change is refused.
      if (!isPriced) return await refuseAtAnyPrice(order, limits, session, desk?.journal);
      const intent = intentOf(order, limits, session);
      await refuseBeyond(order, limits, session, desk && { journal: desk.journal, intent });
    },
  };
}

function stateOf(obstacle: Obstacle | undefined, order: Order): Known {
  if (obstacle === undefined) return 'new';
  const { kind, booking } = obstacle;
  const isTwin = kind === 'twin';
  if (!isTwin && !hasSameInput(booking, order.operation.command, order)) return 'duplicate';
  if (booking.state === 'pending') return 'pending';
  if (isTwin || booking.state === 'cancelled') return 'duplicate';
  return booking.state === 'unknown' ? 'unknown' : 'booked';
}

const KNOWN_WORDS: Readonly<Record<Known, string>> = {
  new: 'it is not booked',
  booked: 'it is booked: the same command shows the recorded answer',
  duplicate: 'it cannot be booked: another order is in its place',
  pending: 'another process is booking it at this moment',
  unknown: 'it may be booked: its outcome is unknown',
};

/** A plan as a page for people. */
export async function planPage(plan: Plan, known: Known, look: Look): Promise<string> {
  const rows = await pairs(look, [
    ['Plan', `${commandName({ command: plan.operation })} ${receiverWords(plan.request)}`],
    ['Key', plan.key ?? 'none'],
    ['Where', plan.place + (plan.sandbox ? ' (sandbox)' : '')],
    ['Carrier', carriersIn(plan)],
    ['Price', plan.price === null ? 'not known' : money(plan.price, plan.currency)],
    ['Days', plan.days === null ? 'not known' : `at most ${plan.days}`],
    ['Bounds', planBoundsWords(plan)],
    ['Journal', KNOWN_WORDS[known]],
    ['Until', timeWords(Date.parse(plan.expires))],
    ['Hash', plan.hash],
  ]);
  return [rows, await choicePage(plan.choice, look)].filter(Boolean).join('\n\n');
}

const planBoundsWords = (plan: Plan): string | undefined =>
  [
    plan.service,
    plan.maxPrice && `at most ${plan.maxPrice}`,
    plan.maxDays !== null && `at most ${plan.maxDays} days`,
  ]
    .filter(Boolean)
    .join(', ') || undefined;

const carriersIn = (plan: Plan): string =>
  [
    textAt(plan.request, 'carriers.international.id') ?? plan.carrier,
    textAt(plan.request, 'carriers.domestic.id'),
  ]
    .filter(Boolean)
    .join(' and ');
