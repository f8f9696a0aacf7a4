// How an agent books: its order is planned, a person is asked if the client can ask one, and the plan is booked.

import { isAt } from '../booking/booking.ts';
import {
  labelEach,
  labelOrders,
  namedOnce,
  noteEarlierOf,
  throwUnfinished,
} from '../commands/label/several-shipments.ts';
import { bookAndLabel, SHIP } from '../commands/ship.ts';
import { fileKindOf } from '../contract/content.ts';
import { isSameKey } from '../contract/key.ts';
import { LEGS, OPERATIONS, type Operation } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import { finishOne } from '../labels/finish.ts';
import { labelBytes, labelSourceOf, labelsIn, prepareFiles, type SavedLabels } from '../labels/save.ts';
import { buildOrder, buildRequest, gather } from '../order/build.ts';
import { parsePrice } from '../order/carrier.ts';
import { type Desk, openDesk } from '../order/desk.ts';
import { bookedBefore } from '../order/failure.ts';
import { optionsOfProfile, type RequestOptions } from '../order/options.ts';
import type { Bounds, Offer, Order, Placed, PricedOrder } from '../order/order.ts';
import { findObstacle, twinUnderOtherKey } from '../order/place.ts';
import { lookUp, makePlan, orderOfPlan } from '../order/plan.ts';
import { orderQuestion } from '../order/question.ts';
import type { Plan } from '../output/schemas.ts';
import { safe } from '../output/text.ts';
import { isProduction, targetWords } from '../profile/target.ts';
import { bookingQuestion, type WhyNoProduction } from '../say/mcp.ts';
import type { Session } from '../session/session.ts';
import { Confirmation, type McpOptions, remember, type ToolCall } from './call.ts';
import { SeveralFailed } from './failure.ts';

/** An order as an agent gives it. */
export interface OrderArguments {
  key: string;
  request: Record<string, unknown>;
  carrier?: string | undefined;
  service?: string | undefined;
  maxPrice?: string | undefined;
  maxDays?: number | undefined;
}

/** An agent's order, with the options and layers of `waybill ship`, so that the command builds the same. Throws `invalid_request`. */
async function orderOfArguments(session: Session, orderArguments: OrderArguments): Promise<Order> {
  const { request, maxPrice, label: _, ...rest }: OrderArguments & { label?: unknown } = orderArguments;
  const ofProfile = optionsOfProfile(session.target().profile, orderArguments, [
    'maxPrice',
    'maxDays',
    'label',
    'rules',
  ]);
  const options = {
    ...(ofProfile as Bounds & RequestOptions & { label?: boolean }),
    ...rest,
    ...(maxPrice !== undefined && { maxPrice: parsePrice(maxPrice) }),
  };
  const parts = await gather(session, SHIP, options, { file: request, ofProfile });
  const built = await buildRequest(session, parts);
  SHIP.check?.(options, built.body);
  return buildOrder(SHIP, options, built);
}

const operation = OPERATIONS.createShipment;

/** Plans an order; if it is booked already, gives the order and its recorded answer. `isBooked`: does the same call book the plan? */
export async function planOrder(
  call: ToolCall,
  orderArguments: OrderArguments,
  isBooked = false,
): Promise<{ plan: Plan } | { order: Order; placed: Placed }> {
  const { session, options, plans } = call;
  const order = await orderOfArguments(session, orderArguments);
  const desk = await deskFor(call);
  if (!(await findObstacle(order, desk))) refuseProduction(session, operation, options);
  const plan = await makePlan(order, desk, isBooked);
  if ('booking' in plan) return { order, placed: plan };
  remember(plans, plan.hash, { plan, withLabel: order.thenLabel === true });
  return { plan };
}

/** An order, or in its place `plan`: the hash of a plan that this server made. */
type ShipArguments = (OrderArguments | { plan: string }) & { label?: boolean | undefined };

/** Books an order, and makes its label if one is wanted. Throws what `place` throws, and the failure of the booking or the label. */
export async function shipOrder(
  call: ToolCall,
  shipArguments: ShipArguments,
): Promise<Confirmation | undefined> {
  const { session, options, plans, said } = call;
  const planned =
    said ??
    ('plan' in shipArguments
      ? { plan: planNamed(plans, shipArguments.plan) }
      : await planOrder(call, shipArguments, true));
  const byPlan = 'plan' in planned ? plans.get(planned.plan.hash)?.withLabel : planned.order.thenLabel;
  const label = shipArguments.label ?? byPlan ?? false;
  const files = label ? prepareFiles(session, options) : undefined;
  const desk = await deskFor(call);
  const order = 'plan' in planned ? plannedOrder(session, planned.plan) : planned.order;
  // An order that is booked already is only shown again: no person is asked.
  const isNew = 'plan' in planned && (await findObstacle(order, desk)) === undefined;
  if (isNew && said === undefined && call.canAsk) return askToConfirm(call, planned.plan, order, desk, label);
  const refuseDeclined = () => {
    if (said?.isYes !== false) return;
    throw new Failure(
      'interrupted',
      { kind: 'person-said-no', operation: 'ship' },
      { operation: 'ship', retry: 'never' },
    );
  };
  if (isNew) refuseDeclined();
  const knewTwin = said?.knewTwin ?? true;
  // An order that seemed booked or unknown needed no yes. If its key was freed since, the order is booked now: then a No counts.
  const agrees = async (whole: PricedOrder) => {
    refuseDeclined();
    if (call.canAsk && said === undefined)
      throw new Failure(
        'usage',
        { kind: 'nobody-asked', operation: 'ship' },
        { operation: 'ship', retry: 'same' },
      );
    return desk.caller.agrees(whole);
  };
  const careful = {
    ...desk,
    caller: { ...desk.caller, agrees },
    refusesSameOrder: () => !knewTwin || desk.refusesSameOrder(),
  };
  let done: Awaited<ReturnType<typeof bookAndLabel>>;
  try {
    done = await bookAndLabel({ ...order, thenLabel: label }, files, careful);
  } catch (error) {
    // After the person was asked, another call has booked the same order under another key.
    if (said && !knewTwin && isNew && error instanceof Failure && error.code === 'duplicate')
      return askToConfirm(call, said.plan, order, desk, label);
    throw error;
  }
  const { booking, failure, label: made } = done;
  if (failure) throw failure;
  const unlabelled = made && (await finishOne(operation, files, made, desk));
  if (unlabelled) throw unlabelled;
  if (made) sayWhere(call, booking.key ?? booking.id, made);
  return undefined;
}

/** The plan with a hash. Throws `usage` if this server has no such plan. */
function planNamed(plans: ToolCall['plans'], hash: string): Plan {
  const known = plans.get(hash);
  if (known) return known.plan;
  throw new Failure('usage', { kind: 'plan-of-no-server', operation: 'ship', hash }, { operation: 'ship' });
}

/** The order of a plan, exactly as it was planned. Throws `usage`. */
const plannedOrder = (session: Session, plan: Plan): Order =>
  orderOfPlan({ ...plan }, operation, { file: plan.hash }, session).order;

/** What became of the plan with that hash or key; `undefined` if this server made none. */
export async function planState(call: ToolCall, ref: string) {
  const entry =
    call.plans.get(ref) ?? [...call.plans.values()].findLast(({ plan }) => isSameKey(ref, plan.key));
  if (entry === undefined) return undefined;
  const { plan } = entry;
  const { hash, key, carrier, price, currency, expires } = plan;
  const summary = { hash, key, carrier, price, currency, expires };
  if (call.session.host.now() >= Date.parse(expires)) return { ...summary, state: 'expired', booking: null };
  const known = await lookUp(plannedOrder(call.session, plan), call.session, true);
  return { ...summary, ...known.journal };
}

/** The question to a person: all that they agree to, and whether the same order was booked under another key. */
async function askToConfirm(
  call: ToolCall,
  plan: Plan,
  order: Order,
  desk: Desk,
  label: boolean,
): Promise<Confirmation> {
  const { price, currency, days } = plan;
  const twin = await twinUnderOtherKey(order, desk);
  const words = orderQuestion(order, {
    place: targetWords(call.session.target()),
    price: { price: price as Offer['price'], currency: currency ?? '' },
    more: [days !== null && `at most ${days} days`, label && 'with a label'],
  });
  const asked = bookingQuestion(words, twin && bookedBefore(twin));
  return new Confirmation(safe(asked), plan, twin !== undefined);
}

/** Makes the labels of shipments, each once, even if a shipment is named twice. */
export async function labelShipments(call: ToolCall, refs: readonly string[]): Promise<void> {
  const { session, options } = call;
  const named = await namedOnce(
    session,
    refs.map(ref => ({ ref })),
  );
  const files = prepareFiles(session, options);
  await session.service.check(OPERATIONS.createLabels);
  const desk = await deskFor(call);
  const { orders, stop } = await labelEach(await labelOrders(session, {}, named), files, desk);
  await noteEarlierOf(orders, desk);
  for (const one of orders) if ('made' in one) sayWhere(call, one.name, one.made);
  const [only] = orders;
  if (named.length === 1 && only?.failure) throw only.failure;
  try {
    throwUnfinished(orders, named.length, named.length - orders.length, { stop });
  } catch (error) {
    const causes = orders.flatMap(({ name, failure }) => (failure ? { name, failure } : []));
    throw error instanceof Failure ? new SeveralFailed(error, causes) : error;
  }
}

/** Says where each label is (its file, or its link), and links to a resource with its bytes. */
function sayWhere(
  call: ToolCall,
  name: string,
  labels: Pick<SavedLabels, 'content' | 'saved' | 'bookings'>,
): void {
  const { content, saved, bookings } = labels;
  for (const { leg, where } of labelsIn(content, saved)) {
    if (where) call.say({ kind: 'label-lies-at', order: name, where });
    const booking = bookings[leg];
    if (booking !== undefined) call.link({ booking, leg });
  }
}

/** The bytes of a label and their media type. Throws `not_found`, and the failure to read the link of the label. */
export async function readLabel(
  session: Session,
  id: string,
  leg: string,
): Promise<{ bytes: Uint8Array; type: string }> {
  const journal = await session.openJournal('look');
  const booking = await journal?.byId(id);
  const labelLeg = LEGS.find(known => known === leg);
  const label = labelLeg && booking?.labels[labelLeg];
  if (!journal || !booking || !labelLeg || !label?.made || !isAt(session.scope(), booking))
    throw new Failure('not_found', { kind: 'label-not-in-journal', booking: id });
  const bytes = await labelBytes(labelLeg, labelSourceOf(booking, labelLeg), id, {
    journal,
    service: session.service,
  });
  if (bytes === undefined) throw new Failure('not_found', { kind: 'label-without-link', booking: id });
  return { bytes, type: TYPES[fileKindOf(bytes)?.ending ?? ''] ?? 'application/octet-stream' };
}

const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  zpl: 'text/plain',
};

/** The desk of a call: what an agent may do is decided before anything is sent, and no person is asked while it books. */
async function deskFor(call: ToolCall): Promise<Desk> {
  const { session, options, canAsk } = call;
  const desk = await openDesk(session, {});
  const requireReady = async (booking: Operation) => {
    await session.service.check(booking);
    refuseProduction(session, booking, options);
  };
  // The last check before the claim: if the client has cancelled its call, nothing is booked.
  const agrees = async () => stopIfInterrupted(session.host);
  return {
    ...desk,
    // After an unknown outcome an agent might try another key: that is refused, unless a person is asked, who is told of the twin.
    refusesSameOrder: () => desk.refusesSameOrder() || (!canAsk && 'while unknown'),
    caller: { ...desk.caller, mustAgree: false, requireReady, agrees },
  };
}

/** Throws `usage` in production, if an agent books nothing there. */
function refuseProduction(session: Session, booking: Operation, options: McpOptions): void {
  const { production = false } = options;
  const target = session.target();
  if (!isProduction(target)) return;
  const refuse = (why: WhyNoProduction) =>
    new Failure(
      'usage',
      {
        kind: 'no-production-for-agents',
        operation: booking.command,
        place: targetWords(target),
        ...why,
      },
      { operation: booking.command, retry: 'never' },
    );
  if (!production) throw refuse({ because: 'not-started-for-it' });
  // The profile is as it was when the server started; `limits` has what a person has set since.
  const limits = session.limits();
  if (limits.refused.has('production') || textAt(target.profile, 'policy.production') === 'terminal')
    throw refuse({ because: 'terminal' });
  const missing = (['maxPrice', 'maxPerDay'] as const).filter(name => limits[name] === undefined);
  if (missing.length === 0) return;
  // If the address comes from the environment, the limits are no part of the current profile: no profile is named.
  const profile = target.from === 'profile' ? target.name : undefined;
  throw refuse({ because: 'no-limits', missing, profile });
}
