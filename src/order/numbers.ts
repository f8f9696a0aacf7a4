// The IOSS number and the marketplace number say that the VAT of an order was paid when it was sold. Each holds for one territory
// and up to a value: on any other order it is a false declaration.
import Big from 'big.js';
import { COUNTRIES } from '../contract/countries.ts';
import { getAt, isRecord, setAt, textAt } from '../contract/paths.ts';
import type { Money } from '../contract/read.ts';
import type { Issue } from '../contract/shapes.ts';
import { type VatTerritory, vatTerritory } from '../contract/territories.ts';
import { amountsIn } from '../profile/settings.ts';
import type { Profile } from '../profile/store.ts';
import type { FieldDoubt } from '../say/notices.ts';
import { type NumberFault, problemWords, undeclaredProblem } from '../say/request.ts';
import { shellWord } from '../text.ts';

export const NUMBERS = {
  iossNumber: { limit: 'iossLimit', usual: '150EUR', territory: 'EU' },
  marketplaceNumber: { limit: 'marketplaceLimit', usual: '135GBP', territory: 'GB' },
} as const satisfies Readonly<
  Record<string, { limit: keyof Profile; usual: string; territory: VatTerritory }>
>;

export type NumberName = keyof typeof NUMBERS;
export const NUMBER_NAMES = Object.keys(NUMBERS) as NumberName[];

export const numberPath = (name: NumberName): string => `customs.${name}`;

/** What is known of a record's numbers beside their values. */
export interface RecordNumbers {
  /** Numbers that are not the order's own: at most constants of the map; with `--like` those that held for the earlier order. */
  constant: readonly NumberName[];
  /**
   * Which numbers the order may get beside its own: one of a marketplace those of map and flags, one of a company, or the way back,
   * none.
   */
  takes: 'all' | 'map' | 'none' | 'back';
  /** The column with the company of the buyer, if nothing else tells which orders a company bought. */
  company?: (() => string | undefined) | undefined;
}

/** Who gives a number: the order itself, an earlier one that it is like, the map or a flag for all orders, or the profile. */
export type NumberSource = 'order' | 'earlier' | 'map' | 'profile';

export interface PlacedNumbers {
  body: unknown;
  /** Numbers that do not hold for this order, with the reason, and so are left out. */
  left: LeftNumber[];
  /** Numbers of the order itself that do not hold for it. */
  doubts: FieldDoubt[];
  issues: Issue[];
}

export interface LeftNumber {
  name: NumberName;
  because: NumberFault;
  /** The order goes to the territory of the number: only the value, or who sold or bought it, is in the way. */
  isNear: boolean;
}

/** A body without the numbers of map, flags and profile that do not hold for the order. `sourceOf`: who gave the number of the body. */
export function withNumbers(
  body: unknown,
  record: { sourceOf(path: string): NumberSource } & Pick<RecordNumbers, 'takes' | 'company'>,
  inForce: { name?: string | undefined; profile: Profile },
): PlacedNumbers {
  const { sourceOf, takes, company } = record;
  const placed: PlacedNumbers = { body, left: [], doubts: [], issues: [] };
  for (const name of NUMBER_NAMES) {
    const path = numberPath(name);
    const number = textAt(body, path);
    if (number === undefined || number.trim() === '') continue;
    const { limit, usual, territory } = NUMBERS[name];
    const source = sourceOf(path);
    const isNear = territory === territoryOf(body);
    const doubtful = { kind: 'field-doubtful' as const, path };
    const because = reasonAgainst();
    // A marketplace exports its number with the orders of companies, too.
    const mayBeFalse = source !== 'order' || takes === 'map';
    const column = because === undefined && mayBeFalse ? company?.() : undefined;
    if (column !== undefined) placed.doubts.push({ ...doubtful, doubt: 'company', column });
    if (because === undefined) continue;
    if (source === 'order') placed.doubts.push(falseNumber(path, because, body));
    else {
      placed.body = withoutNumber(placed.body, name);
      placed.left.push({ name, because, isNear });
    }

    function reasonAgainst(): NumberFault | undefined {
      if (source === 'profile' && takes === 'map') return { fault: 'sold-by-marketplace' };
      const reason = whyUndeclared(path, body, inForce.profile, source === 'order' ? 'all' : takes);
      if (reason !== undefined) return reason;
      const { value, currency, bound } = boundOf(body, NUMBERS[name], inForce.profile);
      const isBoundless = value !== undefined && currency !== undefined && bound === undefined;
      if (isBoundless && (source === 'map' || source === 'profile'))
        placed.issues.push({
          path,
          message: problemWords({
            problem: 'limit-unknown',
            usual,
            currency,
            setting: limit,
            profile: inForce.name === undefined ? 'NAME' : shellWord(inForce.name),
          }),
        });
      return undefined;
    }
  }
  return placed;
}

const falseNumber = (path: string, because: NumberFault, body: unknown): FieldDoubt => ({
  kind: 'field-doubtful',
  path,
  doubt: 'other-order',
  because,
  country: countryIn(body),
});

/** The customs numbers of a body that may not be declared for it. */
export const falseNumbersIn = (body: unknown, limits: NumberLimits): FieldDoubt[] =>
  NUMBER_NAMES.map(numberPath).flatMap(path => {
    const isGiven = textAt(body, path)?.trim();
    const because = isGiven ? whyUndeclared(path, body, limits) : undefined;
    return because ? [falseNumber(path, because, body)] : [];
  });

/** The customs numbers whose absence is told: not that of another territory, where the order has its own. */
export function toldNumbers(body: unknown, left: readonly LeftNumber[]): readonly LeftNumber[] {
  const near = left.filter(({ isNear }) => isNear);
  const isNumbered = NUMBER_NAMES.some(name => textAt(body, numberPath(name))?.trim());
  return near.length > 0 || isNumbered ? near : left;
}

/** The country that a shipment goes to, if it is one. */
function countryIn(body: unknown): string | undefined {
  const code = textAt(body, 'receiver.address.country.code') ?? '';
  return COUNTRIES.has(code) ? code : undefined;
}

/** The VAT territory that a shipment goes to. */
export const territoryOf = (body: unknown): VatTerritory | undefined =>
  vatTerritory(
    textAt(body, 'receiver.address.country.code') ?? '',
    textAt(body, 'receiver.address.zipCode') ?? '',
  );

type Scheme = (typeof NUMBERS)[NumberName];

/** The value of the goods, and the highest value for which the number holds in that currency. */
function boundOf(body: unknown, scheme: Scheme, limits: NumberLimits) {
  const goodsValue = getAt(body, 'customs.totalGoodsValue');
  const value = typeof goodsValue === 'number' && Number.isFinite(goodsValue) ? goodsValue : undefined;
  const currency = textAt(body, 'customs.currency')?.trim().toUpperCase() || undefined;
  const bound = numberLimitsIn(limits[scheme.limit], scheme.usual, scheme.limit).find(
    amount => amount.currency === currency,
  )?.amount;
  return { value, currency, bound };
}

/** Up to which value of the goods each number holds, if it is not the usual one. */
export type NumberLimits = Pick<Profile, (typeof NUMBERS)[NumberName]['limit']>;

/**
 * Why the customs number at a path may not be declared for an order: the only place that decides it. `undefined`: nothing that is
 * known is against it, or the path has no such number.
 */
export function whyUndeclared(
  path: string,
  body: unknown,
  limits: NumberLimits = {},
  takes: RecordNumbers['takes'] = 'all',
): NumberFault | undefined {
  const name = NUMBER_NAMES.find(number => numberPath(number) === path);
  if (name === undefined) return undefined;
  if (takes === 'none') return { fault: 'bought-by-company' };
  if (takes === 'back') return { fault: 'goes-back' };
  const { territory } = NUMBERS[name];
  if (territoryOf(body) !== territory) return { fault: 'other-territory', territory };
  const { value, currency, bound } = boundOf(body, NUMBERS[name], limits);
  if (value === undefined || currency === undefined || bound === undefined || Big(value).lte(bound))
    return undefined;
  return { fault: 'above-limit', value, limit: bound, currency };
}

/** An issue about a number that is needed and may not be declared, without the advice to give it. */
export function withoutFalseAdvice(
  issue: Issue,
  body: unknown,
  limits: NumberLimits | undefined,
  takes: RecordNumbers['takes'] | undefined,
): Issue {
  const because = whyUndeclared(issue.path, body, limits, takes);
  return because ? { ...issue, message: undeclaredProblem(issue.message, because) } : issue;
}

/** The customs number of a booked order that says that the VAT was paid with the sale, if one holds for it. */
export const numberThatHolds = (body: unknown, limits?: NumberLimits): NumberName | undefined =>
  NUMBER_NAMES.find(
    name =>
      textAt(body, numberPath(name))?.trim() && whyUndeclared(numberPath(name), body, limits) === undefined,
  );

/** A body without customs numbers. */
export const withoutNumbers = (body: unknown): unknown => NUMBER_NAMES.reduce(withoutNumber, body);

function withoutNumber(body: unknown, name: NumberName): unknown {
  const customs = getAt(body, ['customs']);
  if (!isRecord(customs)) return body;
  const { [name]: _, ...rest } = customs;
  return setAt(body, ['customs'], rest);
}

/** The limits of the profile, and the usual limit in each currency that the profile does not name. */
function numberLimitsIn(saved: string | undefined, usual: string, setting: string): Money[] {
  const usualLimits = amountsIn(usual, setting);
  if (saved === undefined) return usualLimits;
  const savedLimits = amountsIn(saved, `${setting} of the profile`);
  return [
    ...savedLimits,
    ...usualLimits.filter(amount => savedLimits.every(({ currency }) => currency !== amount.currency)),
  ];
}
