// What an agent can do: a row for each tool, and how it books.

import * as z from 'zod/mini';
import { jsonSchema } from '../../contract/openapi.ts';
import { bodyOf, OPERATIONS, type Operation, typedName } from '../../contract/operations.ts';
import { getAt, textAt } from '../../contract/paths.ts';
import { about, sampleOf } from '../../contract/shapes.ts';
import { Failure, messageOf } from '../../errors.ts';
import { type BookedOrder, STATES } from '../../journal/booking.ts';
import { finishOne } from '../../labels/print.ts';
import { labelsIn, prepareFiles, type SavedLabels } from '../../labels/save.ts';
import { toReceiver } from '../../order/answer.ts';
import { buildOrder, buildRequest, gather } from '../../order/build.ts';
import { parsePrice } from '../../order/carrier.ts';
import { findBooking } from '../../order/find.ts';
import { optionsOfProfile } from '../../order/options.ts';
import type { Bounds, Means, Order, Placed } from '../../order/order.ts';
import { findObstacle, sameOrderWords, twinUnderOtherKey } from '../../order/place.ts';
import { makePlan, orderOfPlan } from '../../order/plan.ts';
import { orderRow } from '../../output/columns.ts';
import { money } from '../../output/money.ts';
import { openSchema, PLAN, type Plan, RECORD } from '../../output/schemas.ts';
import { safe } from '../../output/text.ts';
import { isProduction, targetWords } from '../../profile/target.ts';
import { parseMoment } from '../../session/globals.ts';
import type { Session } from '../../session/session.ts';
import { isIn, placeIn } from '../history/list.ts';
import { failureOfLabels, labelEach, namedOnce } from '../label/several.ts';
import { askingOf, meansToBook } from '../means.ts';
import { QUOTE, quoted } from '../quote.ts';
import { SHIP, shipped } from '../ship.ts';
import { trackNamed } from '../track.ts';

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
  /** Those that this connection has made, by their hashes. */
  plans: Map<string, Plan>;
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

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Does it create something, for which it may cost money? */
  books?: true;
  input: z.ZodMiniType;
  /** A JSON Schema. */
  output: Record<string, unknown>;
  /** Throws a `Failure`. */
  run(call: ToolCall, given: never): Promise<object | Ask>;
}

const tool = <I extends z.ZodMiniType>(
  row: Omit<Tool, 'input' | 'run'> & {
    input: I;
    run(call: ToolCall, given: z.infer<I>): Promise<object | Ask>;
  },
): Tool => row;

const text = (description: string) => about(description, z.string().check(z.minLength(1)));
const texts = (description: string) =>
  about(description, z.array(z.string().check(z.minLength(1))).check(z.minLength(1)));

/** The operations that take a request, by their commands. */
const WITH_BODY = Object.values(OPERATIONS).filter(({ body }) => body !== undefined);
const COMMANDS = [...new Set(WITH_BODY.map(({ command }) => command))];

const request = (command: string) =>
  about(
    `The request; order_schema {"operation":"${command}"} has its fields and an example. What a profile gives may be left out`,
    z.record(z.string(), z.unknown()),
  );

const order = {
  key: text(
    'Your own name for the order, such as its number in the shop. A key is booked once: use the same one when you try again',
  ),
  request: request('ship'),
  carrier: z.optional(text('A carrier id of quote, or cheapest, or fastest')),
  service: z.optional(text('Only a proposal of this service type')),
  maxPrice: z.optional(text('No proposal above this, such as 20EUR')),
  maxDays: z.optional(about('No proposal that may take more days', z.int().check(z.positive()))),
};

/** Objects of one shape or the other. */
const either = (description: string, ...schemas: [z.ZodMiniType, z.ZodMiniType]) => ({
  type: 'object',
  description,
  ...openSchema(z.union(schemas)),
});

const shapeOf = (fields: Record<string, z.ZodMiniType>) => openSchema(z.object(fields));

/** More are not shown at once. */
const MOST_ROWS = 100;

/** The bookings of a call: one, or in a list. */
async function recorded({ session }: ToolCall): Promise<object> {
  const bookings = await session.bookingLines.records();
  return bookings.length === 1 && bookings[0] ? bookings[0] : { bookings };
}

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'quote',
    title: 'Compare proposals',
    description: 'Prices, service types and delivery times of carriers for a parcel. It books nothing.',
    input: z.strictObject({ request: request('quote') }),
    output: { type: 'object', description: 'The answer of the service: proposals and chargeableWeight' },
    async run({ session }, { request }) {
      const parts = await gather(session, QUOTE, {}, { file: request });
      const { body } = await buildRequest(session, parts);
      return (await quoted(askingOf(session), {}, body)) as object;
    },
  }),
  tool({
    name: 'order_schema',
    title: 'Fields of a request',
    description: 'The JSON Schema of a request, and an example. Without an operation, that of plan and ship.',
    input: z.strictObject({ operation: z.optional(about('Of which operation', z.enum(COMMANDS))) }),
    output: shapeOf({
      operation: z.string(),
      schema: about('A JSON Schema', z.record(z.string(), z.unknown())),
      example: about('A whole request', z.record(z.string(), z.unknown())),
    }),
    async run(_, { operation = 'ship' }) {
      const found = WITH_BODY.find(({ command }) => command === operation) ?? OPERATIONS.createShipment;
      const body = bodyOf(found);
      return { operation, schema: jsonSchema(body), example: sampleOf(body) };
    },
  }),
  tool({
    name: 'plan',
    title: 'Plan an order',
    description:
      'Checks an order, picks its carrier and asks for the price. It books nothing: show the plan to a person, then call ship with its hash. For a key that is booked already, the answer is that booking.',
    input: z.strictObject(order),
    output: either('The plan; or the booking, if the key is booked', PLAN, RECORD),
    async run(call, given) {
      const made = await plan(call, given);
      if ('plan' in made) return made.plan;
      if (made.placed.failure) throw made.placed.failure;
      return recorded(call);
    },
  }),
  tool({
    name: 'ship',
    title: 'Book an order',
    description:
      'Books an order, which may cost money: give the hash of a plan, or the order itself. A second call with its key books nothing and shows the recorded answer. If the answer is outcome_unknown, the order may exist: stop, tell a person, and never book it with another key.',
    books: true,
    input: z.strictObject({
      ...z.partial(z.object(order)).shape,
      plan: z.optional(text('The hash of a plan of this server, in place of the order')),
      label: z.optional(about('Make the label right after, with a second booking', z.boolean())),
    }),
    output: openSchema(RECORD),
    async run(call, { plan: hash, label, ...order }) {
      return (await ship(call, { ...orderOrPlan(hash, order), label })) ?? recorded(call);
    },
  }),
  tool({
    name: 'label',
    title: 'Make labels',
    description:
      'Makes the labels of booked shipments, which may cost money. A label that was made before is shown again.',
    books: true,
    input: z.strictObject({ refs: texts('Shipments, each by its key, its id or its tracking number') }),
    output: either(
      'The booking of the label; of several in a list',
      RECORD,
      z.object({ bookings: z.array(RECORD) }),
    ),
    async run(call, { refs }) {
      await label(call, refs);
      return recorded(call);
    },
  }),
  tool({
    name: 'track',
    title: 'Track shipments',
    description: 'Status, milestones and events of shipments.',
    input: z.strictObject({ refs: texts('Shipments, each by its key, its id or its tracking number') }),
    output: shapeOf({
      shipments: about(
        'The answer of the service for each; {id, error} for one that failed',
        z.array(z.unknown()),
      ),
    }),
    async run({ session, say }, { refs }) {
      const { bodies, failure } = await trackNamed(session, refs);
      if (failure && failure.code !== 'partial') throw failure;
      if (failure) say(failure.message);
      return { shipments: bodies };
    },
  }),
  tool({
    name: 'history',
    title: 'Look back',
    description: `What was booked here, the newest first: at most ${MOST_ROWS} orders.`,
    input: z.strictObject({
      ref: z.optional(text('One order: its key, shipment id, tracking number, or id in the journal')),
      search: z.optional(
        text('Words of the receiver, a key, shipment id or tracking number, by their beginnings'),
      ),
      since: z.optional(text('Booked since then: 7d, 12h, or a date')),
      state: z.optional(about('Only these', z.enum(STATES))),
      receivers: z.optional(
        about(
          'With name, city and country of the receivers. Ask for them only if they are needed',
          z.boolean(),
        ),
      ),
    }),
    output: shapeOf({
      orders: about('Each as a row of `waybill schema history`', z.array(z.looseObject({}))),
      more: about('Are there older ones?', z.boolean()),
    }),
    async run({ session }, given) {
      const orders = await ordersFor(session, given);
      const rows = orders.slice(0, MOST_ROWS).map(one => {
        const { receiver, ...row } = orderRow(one);
        return given.receivers ? { ...row, receiver } : row;
      });
      return { orders: rows, more: orders.length > MOST_ROWS };
    },
  }),
];

type Partly<T> = { [N in keyof T]?: T[N] | undefined };

/** Throws `usage` if neither or both are given. */
function orderOrPlan(
  hash: string | undefined,
  order: Partly<OrderArguments>,
): OrderArguments | { plan: string } {
  const { key, request } = order;
  const refuse = (why: string) =>
    new Failure('usage', `ship: ${why}; nothing was sent`, { operation: 'ship' });
  const beside = Object.keys(order);
  if (hash !== undefined && beside.length > 0)
    throw refuse(`a plan is booked as it is, without ${beside.join(', ')}`);
  if (hash !== undefined) return { plan: hash };
  if (key === undefined || request === undefined)
    throw refuse('an order needs key and request; or give plan, the hash of a plan');
  return { ...order, key, request };
}

interface Wanted {
  ref?: string | undefined;
  search?: string | undefined;
  since?: string | undefined;
  state?: (typeof STATES)[number] | undefined;
}

/** The orders that are shown, and one more if there is one. Throws `usage`, `not_found`. */
async function ordersFor(session: Session, { ref, search, since, state }: Wanted): Promise<BookedOrder[]> {
  const journal = await session.openJournal('look');
  if (ref !== undefined) {
    const booking = await findBooking(session, journal, ref);
    const found = (await journal?.orderOf(booking)) ?? { booking, labels: [] };
    return isIn(session)(found) ? [found] : [];
  }
  const filter = {
    ...placeIn(session),
    ...(search !== undefined && { search }),
    ...(state !== undefined && { states: [state] }),
    ...(since !== undefined && { since: momentOf(since)(session.host.now()) }),
  };
  return (await journal?.orders({ ...filter, limit: MOST_ROWS + 1 })) ?? [];
}

function momentOf(written: string) {
  try {
    return parseMoment(written);
  } catch (error) {
    throw new Failure('usage', `history: since is ${JSON.stringify(written)}. ${messageOf(error)}`);
  }
}

// How an agent books: the order is planned, a person is asked where the client can ask, and that plan is placed.

/** An order as an agent gives it. */
interface OrderArguments {
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
async function plan(
  { session, options, plans }: ToolCall,
  given: OrderArguments,
): Promise<{ plan: Plan } | { order: Order; placed: Placed }> {
  const order = await orderOfArguments(session, given);
  const means = await meansOf(session, options);
  if (!(await findObstacle(order, means))) refuseProduction(session, operation, options);
  const made = await makePlan(order, means, session.host.now());
  if ('booking' in made) return { order, placed: made };
  plans.set(made.hash, made);
  return { plan: made };
}

/** `plan`: the hash of a plan of this server, in place of an order. */
type ShipArguments = (OrderArguments | { plan: string }) & { label?: boolean | undefined };

/** Books an order and, where that is wanted, its label. Throws what `place` throws, and the failure of what was placed. */
async function ship(call: ToolCall, given: ShipArguments): Promise<Ask | undefined> {
  const { session, options, plans, answer } = call;
  const ofProfile = optionsOfProfile(session.target().profile, given, ['label']);
  const label = given.label ?? ofProfile.label === true;
  // The person was shown this plan.
  const hash = answer?.hash ?? ('plan' in given ? given.plan : undefined);
  const planned =
    hash === undefined ? await plan(call, given as OrderArguments) : { plan: planNamed(plans, hash) };
  const files = label ? prepareFiles(session, options) : undefined;
  const means = await meansOf(session, options);
  const order = 'plan' in planned ? orderIn(session, planned.plan) : planned.order;
  // What is booked before is shown: there is nothing to ask.
  const isNew = 'plan' in planned && (await findObstacle(order, means)) === undefined;
  if (isNew && answer === undefined && call.canAsk)
    return new Ask(await question(call, planned.plan, order, means, label), planned.plan.hash);
  const stopped = (why: string, retry: 'never' | 'same') =>
    new Failure('interrupted', `ship: ${why}; nothing was booked`, { operation: 'ship', retry });
  if (isNew && answer?.isYes === false)
    throw stopped('a person was asked, and the answer was not yes. Do not ask again by yourself', 'never');
  if (isNew && call.isTakenBack()) throw stopped('the client took the call back', 'same');
  const { booking, failure, label: made } = await shipped({ ...order, thenLabel: label }, files, means);
  if (failure) throw failure;
  const unlabelled = made && (await finishOne(operation, files, made, means));
  if (unlabelled) throw unlabelled;
  if (made) sayWhere(call, booking.key ?? booking.id, made);
  return undefined;
}

/** Throws `usage`. */
function planNamed(plans: ToolCall['plans'], hash: string): Plan {
  const found = plans.get(hash);
  if (found) return found;
  throw new Failure(
    'usage',
    `ship: ${JSON.stringify(hash)} is the hash of no plan that this server made; nothing was sent. Call \`plan\`, and give the hash that it answers`,
    { operation: 'ship' },
  );
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
  const doubt = twin ? `Careful: ${sameOrderWords(twin)}. ` : '';
  return safe(`${doubt}Book ${key}? ${parts.filter(Boolean).join('; ')} (${targetWords(session.target())})`);
}

/** Makes labels, each once. */
async function label(call: ToolCall, refs: readonly string[]): Promise<void> {
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
