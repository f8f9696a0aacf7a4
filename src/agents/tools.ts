// What an agent can do: a row for each tool. The schema of its answer is in `src/agents/documents/tools.ts`.

import * as z from 'zod/mini';
import { choiceOf, STATES } from '../booking/booking.ts';
import type { BookedOrder } from '../booking/questions.ts';
import { QUOTE, requestQuote } from '../commands/quote.ts';
import { trackNamed } from '../commands/track.ts';
import { bodyOf, OPERATIONS } from '../contract/operations.ts';
import { getAt, isRecord } from '../contract/paths.ts';
import { about, sampleOf } from '../contract/shapes.ts';
import { Failure } from '../errors.ts';
import { buildRequest, gather } from '../order/build.ts';
import { findBooking } from '../order/find.ts';
import { fitsFilter, targetFilter } from '../order/listed.ts';
import { orderRow } from '../output/columns.ts';
import { unspokenWords } from '../say/agent.ts';
import { otherUnitWords } from '../say/mcp.ts';
import { parseMoment } from '../session/globals.ts';
import type { Session } from '../session/session.ts';
import { messageOf } from '../system-errors.ts';
import { labelShipments, type OrderArguments, planOrder, planState, shipOrder } from './book.ts';
import type { Confirmation, ToolCall } from './call.ts';
import { SeveralFailed, toolFailure } from './failure.ts';

export type ToolName = 'quote' | 'order_schema' | 'plan' | 'ship' | 'label' | 'track' | 'history';

export interface Tool {
  name: ToolName;
  title: string;
  description: string;
  /** Does the tool create something that may cost money? */
  books?: true;
  input: z.ZodMiniObject;
  /** Does what the tool is for. Throws a `Failure`. */
  run(call: ToolCall, input: never): Promise<object | Confirmation>;
}

const tool = <I extends z.ZodMiniObject>(
  row: Omit<Tool, 'input' | 'run'> & {
    input: I;
    run(call: ToolCall, input: z.infer<I>): Promise<object | Confirmation>;
  },
): Tool => row;

const textField = (description: string) => about(description, z.string().check(z.minLength(1)));
const textsField = (description: string) =>
  about(description, z.array(z.string().check(z.minLength(1))).check(z.minLength(1)));

/** The operations that take a request, and the names of their commands. */
const WITH_BODY = Object.values(OPERATIONS).filter(({ body }) => body !== undefined);
const COMMANDS = [...new Set(WITH_BODY.map(({ command }) => command))];

const requestField = (command: string) =>
  about(
    `Its fields and an example: order_schema {"operation":"${command}"}. What a profile gives may be left out`,
    z.record(z.string(), z.unknown()),
  );

const order = {
  key: textField(
    'Your own name for the order, such as its number in the shop. It is booked once: use the same one when you try again',
  ),
  request: requestField('ship'),
  carrier: z.optional(textField('A carrier id of quote, or cheapest, or fastest')),
  service: z.optional(textField('Only a proposal of this service type')),
  maxPrice: z.optional(textField('No proposal above this, such as 20EUR')),
  maxDays: z.optional(about('No proposal that may take more days', z.int().check(z.positive()))),
};

/** The most orders that are shown at once. */
const MOST_ROWS = 100;

/** The bookings of a call: a single one alone, several in a list. */
async function recordedBookings(call: ToolCall): Promise<object> {
  const bookings = await call.session.bookingLines.records();
  return bookings.length === 1 && bookings[0] ? bookings[0] : { bookings };
}

/** The argument of a tool that is about shipments which are booked. */
const shipmentRefs = () =>
  z.strictObject({ refs: textsField('Shipments, each by its key, its id or its tracking number') });

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'quote',
    title: 'Compare proposals',
    description: 'Prices, service types and delivery times of carriers for a parcel. It books nothing.',
    input: z.strictObject({ request: requestField('quote') }),
    async run(call, input) {
      const parts = await gather(call.session, QUOTE, {}, { file: inCentimetres(input.request) });
      const { body } = await buildRequest(call.session, parts);
      return (await requestQuote(call.session, {}, body)) as object;
    },
  }),
  tool({
    name: 'order_schema',
    title: 'Fields of a request',
    description: 'The JSON Schema of a request, and an example. Without an operation, that of plan and ship.',
    input: z.strictObject({ operation: z.optional(z.enum(COMMANDS)) }),
    async run(_, input) {
      const { operation = 'ship' } = input;
      const described = WITH_BODY.find(({ command }) => command === operation) ?? OPERATIONS.createShipment;
      const { schemas } = await import('waybill:schemas');
      return { operation, schema: schemas.operations[described.id], example: sampleOf(bodyOf(described)) };
    },
  }),
  tool({
    name: 'plan',
    title: 'Plan an order',
    description:
      'Checks an order, picks its carrier and asks for the price. It books nothing: show the plan to a person, then call ship with its hash.',
    input: z.strictObject(order),
    async run(call, input) {
      const planned = await planOrder(call, input);
      if ('plan' in planned) return planned.plan;
      if (planned.placed.failure) throw planned.placed.failure;
      return recordedBookings(call);
    },
  }),
  tool({
    name: 'ship',
    title: 'Book an order',
    description:
      'Books an order, which may cost money: give the hash of a plan, or the order itself. A second call with its key books nothing and shows the recorded answer. After outcome_unknown the order may exist: stop, tell a person, and never book it with another key.',
    books: true,
    input: z.strictObject({
      ...z.partial(z.object(order)).shape,
      plan: z.optional(textField('The hash of a plan of this server, in place of the order')),
      label: z.optional(about('Make the label right after, with a second booking', z.boolean())),
    }),
    async run(call, input) {
      const { plan: hash, label, ...order } = input;
      return (await shipOrder(call, { ...orderOrPlan(hash, order), label })) ?? recordedBookings(call);
    },
  }),
  tool({
    name: 'label',
    title: 'Make labels',
    description:
      'Makes the labels of booked shipments, which may cost money. A label that was made before is shown again.',
    books: true,
    input: shipmentRefs(),
    async run(call, input) {
      await labelShipments(call, input.refs);
      return recordedBookings(call);
    },
  }),
  tool({
    name: 'track',
    title: 'Track shipments',
    description: 'Status, milestones and events of shipments.',
    input: shipmentRefs(),
    async run(call, input) {
      const { shipments, failure } = await trackNamed(call.session, input.refs);
      const failed = shipments.flatMap(({ id, failure: cause }) =>
        cause ? { name: id, failure: cause } : [],
      );
      if (failure && failure.code !== 'partial')
        throw shipments.length > 1 ? new SeveralFailed(failure, failed) : failure;
      if (failure) call.say({ kind: 'shipments-unread', failed: failed.length, shipments: shipments.length });
      return {
        shipments: shipments.map(shipment =>
          shipment.failure ? { id: shipment.id, ...toolFailure(shipment.failure) } : shipment.body,
        ),
      };
    },
  }),
  tool({
    name: 'history',
    title: 'Look back',
    description: `What was booked here, the newest first: at most ${MOST_ROWS} orders.`,
    input: z.strictObject({
      ref: z.optional(
        textField(
          'One order: its key, shipment id, tracking number, id in the journal, or the hash of its plan',
        ),
      ),
      search: z.optional(
        textField('Words of the receiver, a key, shipment id or tracking number, by their beginnings'),
      ),
      since: z.optional(textField('Booked since then: 7d, 12h, or a date')),
      state: z.optional(about('Only these', z.enum(STATES))),
      receivers: z.optional(about('With name, city and country of receivers: only if needed', z.boolean())),
    }),
    async run(call, input) {
      refuseBesideRef(input);
      const plan = input.ref === undefined ? undefined : await planState(call, input.ref);
      const orders = await ordersFor(call.session, input, plan);
      const rows = orders.slice(0, MOST_ROWS).map(order => {
        const { receiver, reason, ...rest } = orderRow(order);
        const why = input.ref !== undefined && { choice: choiceOf(order.booking) };
        const row = { ...rest, reason: reason === null ? null : unspokenWords(reason), ...why };
        return input.receivers ? { ...row, receiver } : row;
      });
      return { orders: rows, more: orders.length > MOST_ROWS, ...(plan && { plan }) };
    },
  }),
];

type Partly<T> = { [N in keyof T]?: T[N] | undefined };

/** The order that a call gives, or the hash of a plan in its place. Throws `usage` if neither or both are given. */
function orderOrPlan(
  hash: string | undefined,
  order: Partly<OrderArguments>,
): OrderArguments | { plan: string } {
  const { key, request } = order;
  const operation = 'ship';
  const beside = Object.keys(order);
  if (hash !== undefined && beside.length > 0)
    throw new Failure('usage', { kind: 'plan-with-order', operation, beside }, { operation });
  if (hash !== undefined) return { plan: hash };
  if (key === undefined || request === undefined)
    throw new Failure('usage', { kind: 'order-without-key-or-request', operation }, { operation });
  return { ...order, key, request };
}

interface Wanted {
  ref?: string | undefined;
  search?: string | undefined;
  since?: string | undefined;
  state?: (typeof STATES)[number] | undefined;
}

/** Throws `usage` for a filter beside a ref, instead of leaving the filter out silently. */
function refuseBesideRef(wanted: Wanted): void {
  const { ref, search, since, state } = wanted;
  const beside = Object.entries({ search, since, state }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  if (ref !== undefined && beside.length > 0) throw new Failure('usage', { kind: 'ref-with-filter', beside });
}

/** The orders that are shown; one more tells that there are more. Throws `usage`, `not_found`. */
async function ordersFor(
  session: Session,
  wanted: Wanted,
  plan: { key: string | null; booking: string | null } | undefined,
): Promise<BookedOrder[]> {
  const { ref, search, since, state } = wanted;
  const journal = await session.openJournal('look');
  if (ref !== undefined) {
    const name = plan?.booking ?? plan?.key ?? ref;
    const booking = await findBooking(session, journal, name).catch((error: unknown) => {
      // The order of a plan may not be booked yet: that is no error.
      if (plan && error instanceof Failure && error.code === 'not_found') return undefined;
      throw error;
    });
    if (booking === undefined) return [];
    const order = (await journal?.orderOf(booking)) ?? { booking, labels: [] };
    return fitsFilter(targetFilter(session))(order) ? [order] : [];
  }
  const filter = {
    ...targetFilter(session),
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
    throw new Failure('usage', { kind: 'since-unreadable', since: written, rule: messageOf(error) });
  }
}

/** The request of a quote. In an order, packages have a unit; in a quote all are in cm. Throws `invalid_request` for other units. */
function inCentimetres(request: Record<string, unknown>): Record<string, unknown> {
  const { packages } = request;
  if (!Array.isArray(packages)) return request;
  const issues = packages.flatMap((parcel: unknown, at) => {
    const unit = getAt(parcel, ['dimensions', 'unit']);
    const isFine = unit === undefined || (typeof unit === 'string' && unit.trim().toLowerCase() === 'cm');
    const path = `packages[${at}].dimensions.unit`;
    return isFine ? [] : { path, message: otherUnitWords(unit) };
  });
  if (issues.length > 0)
    throw new Failure(
      'invalid_request',
      { kind: 'request-invalid', operation: 'quote', problems: issues.length },
      { operation: 'quote', issues },
    );
  return {
    ...request,
    packages: packages.map((parcel: unknown) => {
      const dimensions = getAt(parcel, ['dimensions']);
      if (!isRecord(parcel) || !isRecord(dimensions)) return parcel;
      const { unit: _, ...sides } = dimensions;
      return { ...parcel, dimensions: sides };
    }),
  };
}
