// The limits of a profile and of the environment, read in this one place. Of several the strictest counts, and no flag
// loosens one.
import Big from 'big.js';
import { type Money, moneyIn } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import type { Host } from '../host.ts';
import { setting } from './environment.ts';
import type { Profile } from './store.ts';

/** What a profile may keep for a person at a terminal. */
const RESERVABLE = ['resolve', 'allowDuplicate', 'production'] as const;
type Reservable = (typeof RESERVABLE)[number];

export interface Limits {
  /** Of one order, and of all orders of 24 hours: no more than this, and no other currency. `undefined`: as much as one likes. */
  maxPrice: readonly Money[] | undefined;
  maxPerDay: readonly Money[] | undefined;
  requireKey: boolean;
  /** What is refused here, because the profile keeps it for a terminal. */
  refused: ReadonlySet<Reservable>;
}

/** The limits that are in force. Throws `usage` if one cannot be read: then nothing is booked. */
export function readLimits(
  env: Host['env'],
  { policy = {} }: Pick<Profile, 'policy'>,
  isAtTerminal: boolean,
): Limits {
  const strictestOf = (saved: string | undefined, name: string, variable: string) => {
    const given = setting(env, variable);
    return strictest(
      saved === undefined ? undefined : amountsIn(saved, `${name} of the profile`),
      given === undefined ? undefined : amountsIn(given, `the environment variable ${variable}`),
    );
  };
  const required = setting(env, 'WAYBILL_POLICY_REQUIRE_KEY') !== undefined;
  return {
    maxPrice: strictestOf(policy.maxPrice, 'policy.maxPrice', 'WAYBILL_POLICY_MAX_PRICE'),
    maxPerDay: strictestOf(policy.maxPerDay, 'policy.maxPerDay', 'WAYBILL_POLICY_MAX_PER_DAY'),
    requireKey: required || policy.requireKey === true,
    refused: new Set(isAtTerminal ? [] : RESERVABLE.filter(name => policy[name] !== undefined)),
  };
}

/** The lesser amount of each currency; a currency that only one of them names has no room in the other one. */
function strictest(
  one: readonly Money[] | undefined,
  other: readonly Money[] | undefined,
): readonly Money[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.flatMap(({ amount, currency }) => {
    const same = other.find(money => money.currency === currency);
    return same ? { amount: new Big(same.amount).lt(amount) ? same.amount : amount, currency } : [];
  });
}

/** No amount is larger, so that sums of them can be counted. */
const LARGEST = 1e11;

/** `500EUR,300USD`: an amount of each currency. Throws `usage`. */
export function amountsIn(written: string, where: string): Money[] {
  const refuse = (why: string) =>
    new Failure('usage', `${where} is ${JSON.stringify(written)}, and ${why}; nothing was sent or saved`);
  const amounts = written.split(',').map(one => {
    const amount = moneyIn(one);
    if (amount === undefined)
      throw refuse('must be amounts with their currencies, such as 20EUR or 500EUR,300USD');
    if (new Big(amount.amount).gt(LARGEST)) throw refuse(`no amount may be above ${LARGEST}`);
    return amount;
  });
  const names = amounts.map(({ currency }) => currency);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refuse(`has ${twice} twice`);
  return amounts;
}

const RESERVED_WORDS: Readonly<Record<Reservable, string>> = {
  resolve: 'what was booked is settled',
  allowDuplicate: 'the same is booked twice',
  production: 'production is booked',
};

/** Throws `usage` if the profile keeps it for a terminal and there is none. `command`: as it is typed. */
export function refuseReserved({ refused }: Limits, reserved: Reservable, command: string): void {
  if (refused.has(reserved))
    throw new Failure(
      'usage',
      `${command}: the profile says policy.${reserved}=terminal: ${RESERVED_WORDS[reserved]} only by a person at a terminal, and this is none; nothing was sent or changed`,
    );
}
