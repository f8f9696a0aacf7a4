// How an agent books: the order is planned, a person is asked where the client can ask, and that plan is placed.

import { OPERATIONS, type Operation, typedName } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import { Failure } from '../../errors.ts';
import { finishOne } from '../../labels/print.ts';
import { labelsIn, prepareFiles, type SavedLabels } from '../../labels/save.ts';
import { toReceiver } from '../../order/answer.ts';
import { buildOrder, buildRequest, gather } from '../../order/build.ts';
import { parsePrice } from '../../order/carrier.ts';
import { optionsOfProfile } from '../../order/options.ts';
import type { Bounds, Means, Order, Placed } from '../../order/order.ts';
import { findObstacle, sameContentWords, twinUnderOtherKey } from '../../order/place.ts';
import { makePlan, orderOfPlan } from '../../order/plan.ts';
import { money } from '../../output/money.ts';
import type { Plan } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { isProduction, targetWords } from '../../profile/target.ts';
import type { Session } from '../../session/session.ts';
import { failureOfLabels, labelEach, namedOnce } from '../label/several.ts';
import { meansToBook } from '../means.ts';
import { SHIP, shipped } from '../ship.ts';

export interface McpOptions {
  /** Are bookings in production allowed? */
  production?: boolean;
  /** The folder of labels. */
  download?: string;
}

/** One call of a tool. */
export interface ToolCall {
  /** What is told of its bookings and its warnings is its own. */
  session: Session;
  options: McpOptions;
  plans: Plans;
  /** Can the client ask a person? And what did the person say to the plan with that hash? */
  canAsk: boolean;
  answer: { hash: string; isYes: boolean } | undefined;
  /** Has the client taken the call back? */
  isTakenBack(): boolean;
  /** Is shown beside the answer. */
  say(text: string): void;
}

/** A question for a person. The tool is called again with the answer. */
export class Ask {
  readonly message: string;
  readonly hash: string;

  constructor(message: string, hash: string) {
    this.message = message;
    this.hash = hash;
  }
}

const MOST_PLANS = 1000;

/** The plans of a connection. */
export class Plans {
  readonly #plans = new Map<string, Plan>();

  add(plan: Plan): void {
    this.#plans.set(plan.hash, plan);
    const [oldest = ''] = this.#plans.keys();
    if (this.#plans.size > MOST_PLANS) this.#plans.delete(oldest);
  }

  /** Throws `usage`. */
  named(hash: string): Plan {
    const plan = this.#plans.get(hash);
    if (plan) return plan;
    throw new Failure(
      'usage',
      `ship: ${JSON.stringify(hash)} is the hash of no plan that this server made; nothing was sent. Call \`plan\`, and give the hash that it answers`,
      { operation: 'ship' },
    );
  }
}

/** An order as an agent gives it. */
export interface OrderArguments {
  key: string;
  request: Record<string, unknown>;
  carrier?: string | undefined;
  service?: string | undefined;
  maxPrice?: string | undefined;
  maxDays?: number | undefined;
}

/** The same options and layers as of `waybill ship`, so that one order is the same from both. Throws `invalid_request`. */
async function orderOfArguments(session: Session, given: OrderArguments): Promise<Order> {
  const { request, maxPrice, ...rest } = given;
  const options = {
    ...(optionsOfProfile(session.target().profile, given, ['maxPrice', 'maxDays']) as Bounds),
    ...rest,
    ...(maxPrice !== undefined && { maxPrice: parsePrice(maxPrice) }),
  };
  const built = await buildRequest(session, await gather(session, SHIP, options, { file: request }));
  SHIP.check?.(options, built.body);
  return buildOrder(SHIP, options, built);
}

const operation = OPERATIONS.createShipment;

/** The plan of an order; or if it is booked, the order and its recorded answer. */
export async function plan(
  { session, options, plans }: ToolCall,
  given: OrderArguments,
): Promise<{ plan: Plan } | { order: Order; placed: Placed }> {
  const order = await orderOfArguments(session, given);
  const means = await meansOf(session, options);
  if (!(await findObstacle(order, means))) refuseProduction(session, operation, options);
  const made = await makePlan(order, means, session.host.now());
  if ('booking' in made) return { order, placed: made };
  plans.add(made);
  return { plan: made };
}

/** `plan`: the hash of a plan of this server, in place of an order. */
type ShipArguments = (OrderArguments | { plan: string }) & { label?: boolean | undefined };

/** Books an order and, where that is wanted, its label. Throws what `place` throws, and the failure of what was placed. */
export async function ship(call: ToolCall, given: ShipArguments): Promise<Ask | undefined> {
  const { session, options, plans, answer } = call;
  const ofProfile = optionsOfProfile(session.target().profile, given, ['label']);
  const label = given.label ?? ofProfile.label === true;
  // The person was shown this plan.
  const hash = answer?.hash ?? ('plan' in given ? given.plan : undefined);
  const planned =
    hash === undefined ? await plan(call, given as OrderArguments) : { plan: plans.named(hash) };
  const files = label ? prepareFiles(session, options) : undefined;
  const means = await meansOf(session, options);
  const order = 'plan' in planned ? orderIn(session, planned.plan) : planned.order;
  // What is booked before is shown: there is nothing to ask.
  const isNew = 'plan' in planned && (await findObstacle(order, means)) === undefined;
  if (isNew && answer === undefined && call.canAsk)
    return new Ask(await question(call, planned.plan, order, means, label), planned.plan.hash);
  if (isNew && answer?.isYes === false)
    throw new Failure(
      'interrupted',
      'ship: a person was asked, and the answer was not yes; nothing was booked. Do not ask again by yourself',
      { operation: operation.command, retry: 'never' },
    );
  if (isNew && call.isTakenBack())
    throw new Failure(
      'interrupted',
      'ship: the client took the call back before it was booked; nothing was sent',
      {
        operation: operation.command,
        retry: 'same',
      },
    );
  const { booking, failure, label: made } = await shipped({ ...order, thenLabel: label }, files, means);
  if (failure) throw failure;
  const unlabelled = made && (await finishOne(operation, files, made, means));
  if (unlabelled) throw unlabelled;
  if (made) sayWhere(call, booking.key ?? booking.id, made);
  return undefined;
}

/** Exactly what was planned. Throws `usage`. */
const orderIn = (session: Session, plan: Plan): Order =>
  orderOfPlan(
    { ...plan },
    operation,
    { file: plan.hash },
    { scope: session.scope(), sandbox: session.target().sandbox },
    session.host.now(),
  ).order;

/** What a person is asked: all that they agree to, and whether the same was booked under another key. */
async function question(
  { session }: ToolCall,
  { key, request, carrier, price, currency, days }: Plan,
  order: Order,
  means: Means,
  label: boolean,
): Promise<string> {
  const twin = await twinUnderOtherKey(order, means);
  const parts = [
    `${carrier} ${toReceiver(request)}`,
    price === null ? 'the price is not known' : money(price, currency),
    days !== null && `at most ${days} days`,
    label && 'with a label',
  ];
  const doubt = twin ? `Careful: ${sameContentWords(twin)}. ` : '';
  return safe(`${doubt}Book ${key}? ${parts.filter(Boolean).join('; ')} (${targetWords(session.target())})`);
}

/** Makes labels, each once. */
export async function label(call: ToolCall, refs: readonly string[]): Promise<void> {
  const { session, options } = call;
  const named = await namedOnce(
    session,
    refs.map(ref => ({ ref })),
  );
  const files = prepareFiles(session, options);
  await session.service.check(OPERATIONS.createLabels);
  const { labelled, stop } = await labelEach(named, {}, files, await meansOf(session, options));
  for (const one of labelled) if ('made' in one) sayWhere(call, one.name, one.made);
  const [only] = labelled;
  if (named.length === 1 && only?.failure) throw only.failure;
  const failure = failureOfLabels(labelled, named.length, named.length - labelled.length);
  if (stop && failure) throw new Failure(stop.code, failure.message, { ...stop.facts, ...failure.facts });
  if (failure) throw failure;
}

/** The file or the link of each label. */
function sayWhere(
  { say }: ToolCall,
  name: string,
  { content, saved }: Pick<SavedLabels, 'content' | 'saved'>,
): void {
  for (const { where } of labelsIn(content, saved)) if (where) say(`label of ${name}: ${where}`);
}

/** What an agent may do is decided before anything is sent; nobody is asked by the way. */
async function meansOf(session: Session, options: McpOptions): Promise<Means> {
  const means = await meansToBook(session, {});
  const ready = async (booking: Operation) => {
    await session.service.check(booking);
    refuseProduction(session, booking, options);
  };
  return { ...means, caller: { ...means.caller, mustAgree: false, ready, agrees: async () => {} } };
}

/** Throws `usage` where an agent books nothing. A limit that cannot be read is none. */
function refuseProduction(session: Session, booking: Operation, { production = false }: McpOptions): void {
  const target = session.target();
  if (!isProduction(target)) return;
  const policy = getAt(target.profile, ['policy']);
  const missing = ['maxPrice', 'maxPerDay'].filter(name => !textAt(policy, [name]));
  const refuse = (why: string) =>
    new Failure(
      'usage',
      `${typedName(booking)}: ${targetWords(target)} is production, and ${why}; nothing was sent`,
      {
        operation: booking.command,
        retry: 'never',
      },
    );
  if (!production)
    throw refuse(
      'this server books there only if a person has started it with --production; with --sandbox it books in the sandbox',
    );
  if (textAt(policy, ['production']) === 'terminal')
    throw refuse('the profile says policy.production=terminal: only a person at a terminal books there');
  if (missing.length > 0)
    throw refuse(
      `an agent books there only within limits: a person sets ${missing.map(name => `policy.${name}`).join(' and ')} of the profile, with \`waybill profile set ${target.name ?? 'NAME'} ${missing.map(name => `policy.${name}=AMOUNT`).join(' ')}\``,
    );
}
