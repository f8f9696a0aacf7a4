// Checks an order against the limits: its key, its price, and what is left of the limit of the day, about which the claim decides again.

import Big from 'big.js';
import type { Intent } from '../booking/booking.ts';
import type { Beyond } from '../booking/questions.ts';
import { commandName, OPERATIONS, type Operation } from '../contract/operations.ts';
import { knownPrice, type Money } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { type Limits, refuseReserved } from '../profile/settings.ts';
import type { LimitPassed } from '../say/carriers.ts';
import type { Notice } from '../say/notices.ts';
import type { Session } from '../session/session.ts';
import { bookingOrigin } from './desk.ts';
import { targetFlags } from './options.ts';
import { type Order, type PricedOrder, proposalOf } from './order.ts';

/** Do the limits concern the price of such an order? They never concern labels and subscriptions. */
export const hasPriceLimit = (
  limits: Pick<Limits, 'maxPrice' | 'maxPerDay'>,
  operation: Operation,
): boolean => operation.keySpace === 'shipment' && (limits.maxPrice ?? limits.maxPerDay) !== undefined;

/** The price that is expected for an order: that of its proposal, else its bound. */
export const expectedPrice = (order: Order | PricedOrder): Money | undefined =>
  knownPrice(proposalOf(order)) ?? order.bounds?.maxPrice;

/** Is an amount within a limit? Both were parsed before, so that three decimals are clear here. */
const isAtMost = (amount: Money, most: Money): boolean =>
  amount.currency === most.currency && new Big(amount.amount).lte(most.amount);

/** The limit that an order of that price would pass by itself; `undefined` if it passes none. */
export function beyondLimits(
  price: Money | undefined,
  limits: Pick<Limits, 'maxPrice' | 'maxPerDay'>,
): LimitPassed | undefined {
  if (price === undefined) return { passes: 'price-unknown' };
  const { currency } = price;
  const passed = (limit: readonly Money[] | undefined, scope: 'order' | 'day'): LimitPassed | undefined => {
    if (limit === undefined) return undefined;
    const amount = limit.find(bound => bound.currency === currency);
    if (amount === undefined) return { passes: 'currency', of: scope, limit, currency };
    return isAtMost(price, amount) ? undefined : { passes: 'amount', of: scope, limit };
  };
  return passed(limits.maxPrice, 'order') ?? passed(limits.maxPerDay, 'day');
}

/** The bound of an order, or the limit in the currency of its price if that is lower. */
export function stricterBound(
  price: Money | undefined,
  bound: Money | undefined,
  limits: Limits,
): Money | undefined {
  const limit = limits.maxPrice?.find(({ currency }) => currency === price?.currency);
  return limit && !(bound && isAtMost(bound, limit)) ? limit : bound;
}

/** The failure of an order that passes a limit. */
export const overBudget = (
  notice: Extract<Notice, { operation: string; flags: readonly string[] }>,
  operation: Operation,
  retryAt?: string,
): Failure =>
  new Failure('over_budget', notice, {
    operation: operation.command,
    created: false,
    ...(retryAt !== undefined && { retry: 'later', retryAt }),
  });

/** What all notices about limits have. */
export const limited = (operation: Operation, session: Pick<Session, 'globals'>) => ({
  operation: operation.command,
  flags: targetFlags(session),
});

/** The failure of an order whose price is more than what is left of the limit of the day. */
export function dayIsOver(
  operation: Operation,
  beyond: Pick<Beyond, 'limit' | 'spent' | 'expected' | 'freeAt'>,
  session: Pick<Session, 'globals'>,
): Failure {
  const { limit, spent, expected, freeAt } = beyond;
  const at = freeAt === null ? undefined : new Date(freeAt).toISOString();
  const facts = limited(operation, session);
  return overBudget({ kind: 'day-is-over', ...facts, limit, spent, expected, freeAt: at }, operation, at);
}

/** Was an order refused only because of the limit of the day? Then another order would hardly be accepted. */
export const isOfDay = (failure: Failure): boolean =>
  failure.code === 'over_budget' && failure.facts.retryAt !== undefined;

/** Throws `usage` if an order lacks the key that it must have, or if only a person at a terminal may repeat it. */
export function refuseUnnamed(order: Order, limits: Limits): void {
  const { operation, key, isKeyOfPlan, allowDuplicate } = order;
  const { command } = operation;
  if (allowDuplicate) refuseReserved(limits, 'allowDuplicate', `${commandName(operation)} --allow-duplicate`);
  if (limits.requireKey && operation.keySpace !== null && (key === undefined || isKeyOfPlan))
    throw new Failure('usage', { kind: 'key-required', operation: command }, { operation: command });
}

/**
 * Throws `over_budget` for an order that passes a limit by itself, or whose price is not known; with `room`, also for an order that passes
 * what is left of the limit of the day.
 */
export async function refuseBeyond(
  order: Order | PricedOrder,
  limits: Limits,
  session: Session,
  room?: { journal: Journal; intent: Intent },
): Promise<void> {
  const { operation } = order;
  if (!hasPriceLimit(limits, operation)) return;
  const price = expectedPrice(order);
  const passed = beyondLimits(price, limits);
  if (passed) throw limitPassed(order, passed, session, price);
  const beyond = await room?.journal.beyondLimit(room.intent);
  if (beyond) throw dayIsOver(operation, beyond, session);
}

const limitPassed = (
  order: Pick<Order, 'operation'>,
  passed: LimitPassed,
  session: Pick<Session, 'globals'>,
  price?: Money,
): Failure => {
  const { operation } = order;
  const isPair = operation === OPERATIONS.createDualShipment;
  const notice = { kind: 'limit-passed' as const, ...limited(operation, session), price, passed, isPair };
  return overBudget(notice, operation);
};

/** Throws `over_budget` for an order that the limits exclude at any price of a proposal. */
export async function refuseAtAnyPrice(
  order: Order,
  limits: Limits,
  session: Session,
  journal: Journal | undefined,
): Promise<void> {
  const { operation } = order;
  if (!hasPriceLimit(limits, operation)) return;
  const bound = order.bounds?.maxPrice;
  const passed = bound && beyondLimits({ amount: '0', currency: bound.currency }, limits);
  if (passed) throw limitPassed(order, passed, session);
  const { maxPerDay, perDay } = limits;
  const left = maxPerDay && (await journal?.leftOfDay(bookingOrigin(session), perDay));
  if (maxPerDay && left?.every(({ amount }) => new Big(amount).lte(0)))
    throw overBudget({ kind: 'day-is-spent', ...limited(operation, session), limit: maxPerDay }, operation);
}

/** The limit of the day in a batch that only estimates: each estimated price counts as if it were booked. */
export class EstimatedDay {
  readonly #limit: readonly Money[];
  readonly #left: Map<string, Big>;

  constructor(limit: readonly Money[], left: readonly Money[]) {
    this.#limit = limit;
    this.#left = new Map(left.map(({ amount, currency }) => [currency, new Big(amount)]));
  }

  /** Throws `over_budget` if the price is more than what is left of the limit of the day. */
  take(operation: Operation, price: Money, session: Pick<Session, 'globals'>): void {
    const limit = this.#limit.find(amount => amount.currency === price.currency);
    const left = this.#left.get(price.currency);
    if (limit === undefined || left === undefined) return;
    if (left.lt(price.amount)) {
      const spent = new Big(limit.amount).minus(left).toFixed();
      throw dayIsOver(operation, { limit, spent, expected: price.amount, freeAt: null }, session);
    }
    this.#left.set(price.currency, left.minus(price.amount));
  }
}
