// The IOSS number and the marketplace number say that the VAT of an order was paid when the order was sold. Each number holds for one
// territory and up to a value: on any other order it is a false declaration.
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

/** What is known of the customs numbers of a record, apart from their values. */
export interface RecordNumbers {
  /** Numbers that the order itself does not give: constants of the map; with `--like`, those that held for the earlier order. */
  constant: readonly NumberName[];
  /**
   * Which numbers the order may get beside its own. `map`: those of map and flags, if a marketplace sold it. `none`: no number, if a
   * company bought it. `back`: no number, if it is a way back.
   */
  takes: 'all' | 'map' | 'none' | 'back';
  /** The column with the company of the buyer; set only if nothing else tells which orders a company bought. */
  company?: (() => string | undefined) | undefined;
}

/** What gives a number: the order itself, the earlier order of `--like`, the map or a flag for all orders, or the profile. */
export type NumberSource = 'order' | 'earlier' | 'map' | 'profile';

export interface PlacedNumbers {
  body: unknown;
  /** Numbers that were left out because they do not hold for this order, with the reason. */
  left: LeftNumber[];
  /** Doubts about numbers of the order itself, which stay. */
  doubts: FieldDoubt[];
  issues: Issue[];
}

export interface LeftNumber {
  name: NumberName;
  because: NumberFault;
  /** Does the order go to the territory of the number? Then only the value, the seller or the buyer speaks against the number. */
  isNear: boolean;
}

/** A body without those numbers of map, flags and profile that do not hold for the order. `sourceOf`: what gave a number of the body. */
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
    // A marketplace exports its number also with the orders of companies, for which the number does not hold.
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

/** The doubts about those customs numbers in a body that may not be declared for its order. */
export const falseNumbersIn = (body: unknown, limits: NumberLimits): FieldDoubt[] =>
  NUMBER_NAMES.map(numberPath).flatMap(path => {
    const isGiven = textAt(body, path)?.trim();
    const because = isGiven ? whyUndeclared(path, body, limits) : undefined;
    return because ? [falseNumber(path, because, body)] : [];
  });

/** The left out numbers that are told: not that of another territory, if the order has a number of its own. */
export function toldNumbers(body: unknown, left: readonly LeftNumber[]): readonly LeftNumber[] {
  const near = left.filter(({ isNear }) => isNear);
  const isNumbered = NUMBER_NAMES.some(name => textAt(body, numberPath(name))?.trim());
  return near.length > 0 || isNumbered ? near : left;
}

/** The country to which a shipment goes, if its code is one of a country. */
function countryIn(body: unknown): string | undefined {
  const code = textAt(body, 'receiver.address.country.code') ?? '';
  return COUNTRIES.has(code) ? code : undefined;
}

/** The VAT territory to which a shipment goes. */
export const territoryOf = (body: unknown): VatTerritory | undefined =>
  vatTerritory(
    textAt(body, 'receiver.address.country.code') ?? '',
    textAt(body, 'receiver.address.zipCode') ?? '',
  );

type Scheme = (typeof NUMBERS)[NumberName];

/** The value of the goods, their currency, and the highest value in that currency for which the number holds. */
function boundOf(body: unknown, scheme: Scheme, limits: NumberLimits) {
  const goodsValue = getAt(body, 'customs.totalGoodsValue');
  const value = typeof goodsValue === 'number' && Number.isFinite(goodsValue) ? goodsValue : undefined;
  const currency = textAt(body, 'customs.currency')?.trim().toUpperCase() || undefined;
  const bound = numberLimitsIn(limits[scheme.limit], scheme.usual, scheme.limit).find(
    amount => amount.currency === currency,
  )?.amount;
  return { value, currency, bound };
}

/** The limits of the profile for each number: up to which value of the goods it holds. */
export type NumberLimits = Pick<Profile, (typeof NUMBERS)[NumberName]['limit']>;

/**
 * Why the customs number at a path may not be declared for an order; this is decided only here. `undefined`: nothing that is known speaks
 * against the number, or the path is not that of a customs number.
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

/** An issue about a number that is needed, but may not be declared: without the advice to give the number. */
export function withoutFalseAdvice(
  issue: Issue,
  body: unknown,
  limits: NumberLimits | undefined,
  takes: RecordNumbers['takes'] | undefined,
): Issue {
  const because = whyUndeclared(issue.path, body, limits, takes);
  return because ? { ...issue, message: undeclaredProblem(issue.message, because) } : issue;
}

/** The customs number of a booked order that holds for it, and so says that the VAT was paid with the sale. */
export const numberThatHolds = (body: unknown, limits?: NumberLimits): NumberName | undefined =>
  NUMBER_NAMES.find(
    name =>
      textAt(body, numberPath(name))?.trim() && whyUndeclared(numberPath(name), body, limits) === undefined,
  );

export const withoutNumbers = (body: unknown): unknown => NUMBER_NAMES.reduce(withoutNumber, body);

function withoutNumber(body: unknown, name: NumberName): unknown {
  const customs = getAt(body, ['customs']);
  if (!isRecord(customs)) return body;
  const { [name]: _, ...rest } = customs;
  return setAt(body, ['customs'], rest);
}

/** The limits of the profile, completed with the usual limit in each currency that the profile does not name. */
function numberLimitsIn(saved: string | undefined, usual: string, setting: string): Money[] {
  const usualLimits = amountsIn(usual, setting);
  if (saved === undefined) return usualLimits;
  const savedLimits = amountsIn(saved, `${setting} of the profile`);
  return [
    ...savedLimits,
    ...usualLimits.filter(amount => savedLimits.every(({ currency }) => currency !== amount.currency)),
  ];
}
