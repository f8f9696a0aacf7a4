// Figures of what is to be booked, which a person compares with those of the shop: before "book this?", and in the summary.

import Big from 'big.js';
import { EU_MEMBERS } from '../../contract/countries.ts';
import { iossNumber, marketplaceNumber, type RuleContext } from '../../contract/operations.ts';
import { getAt, listAt, setAt, textAt } from '../../contract/paths.ts';
import { isPick } from '../../order/carrier-choice.ts';
import { type LeftNumber, numberPath, whyUndeclared } from '../../order/numbers.ts';
import { addPrice } from '../../output/money.ts';
import type { Summary } from '../../output/schemas.ts';
import type { Profile } from '../../profile/store.ts';
import { numberFaultKind } from '../../say/request.ts';
import { money } from '../../say/words.ts';
import { numbered, shortened } from '../../text.ts';

type Goods = Summary['goods'];

const MOST_NAMED = 3;
/** How many kinds are counted, so that memory does not grow with the number of records. */
const MOST_KINDS = 100;

/** The duty that the EU takes, since 1 July 2026, for each HS code of a parcel whose value is within the limit of the IOSS number. */
const DUTY_EUR = 3;

interface FiguredOrder {
  key: string | null;
  line: number;
  body: unknown;
  leftNumbers: readonly LeftNumber[];
  warnings: readonly string[];
  /** The name of the rule that fits the order; `undefined` where no rules are in force. */
  rule: string | undefined;
}

type DearOrder = Goods['dearest'][number];

/** The orders with the dearest goods, or the dearest postage, in each currency: they show a slipped decimal point. */
export class DearestOrders {
  readonly #byCurrency = new Map<string, DearOrder[]>();

  add(order: DearOrder): void {
    const dearest = this.#byCurrency.get(order.currency) ?? [];
    if (dearest.length === 0 && this.#byCurrency.size >= MOST_KINDS) return;
    const sorted = [...dearest, order].sort((left, right) => right.value - left.value);
    this.#byCurrency.set(order.currency, sorted.slice(0, MOST_NAMED));
  }

  get list(): DearOrder[] {
    return [...this.#byCurrency.values()].flat();
  }
}

/** Orders with their amounts: `ORDER-7 318.90 EUR, line 4 22.50 EUR`. */
export const dearestWords = (dearest: readonly DearOrder[]): string =>
  dearest
    .map(
      ({ key, line, value, currency }) =>
        `${key === null ? `line ${line}` : shortened(key)} ${money(value, currency)}`,
    )
    .join(', ');

export class Figures {
  /** The value of goods, by currency. */
  readonly #value = new Map<string, { sum: string; orders: number }>();
  readonly #dearest = new DearestOrders();
  readonly #warnings = new Map<string, number>();
  readonly #numbers = new Map<string, number>();
  readonly #byRule = new Map<string, number>();
  #withoutEconomy = 0;
  #tariffCodes = 0;
  #tariffParcels = 0;
  readonly #rules: RuleContext;
  readonly #profile: Profile;

  constructor(rules: RuleContext, profile: Profile) {
    this.#rules = rules;
    this.#profile = profile;
  }

  add(order: FiguredOrder): void {
    const { body, leftNumbers, warnings, rule } = order;
    this.#addValue(order);
    for (const kind of new Set(warnings.map(warningSubject))) countKind(this.#warnings, kind);
    for (const { name, because } of leftNumbers)
      countKind(this.#numbers, `${numberPath(name)}: ${numberFaultKind(because)}`);
    if (rule !== undefined) countKind(this.#byRule, rule);
    if (this.#lacksNumber(body)) this.#withoutEconomy += 1;
    const codes = tariffCodes(body, this.#profile);
    this.#tariffCodes += codes;
    this.#tariffParcels += Number(codes > 0);
  }

  get goods(): Goods {
    return {
      value: Object.fromEntries([...this.#value].map(([currency, { sum }]) => [currency, Number(sum)])),
      orders: Object.fromEntries([...this.#value].map(([currency, { orders }]) => [currency, orders])),
      dearest: this.#dearest.list,
      warnings: Object.fromEntries(this.#warnings),
      leftNumbers: Object.fromEntries(this.#numbers),
      rules: Object.fromEntries(this.#byRule),
      withoutEconomy: this.#withoutEconomy,
      tariffCodes: this.#tariffCodes,
      tariffParcels: this.#tariffParcels,
    };
  }

  #addValue(order: FiguredOrder): void {
    const { key, line, body } = order;
    const value = getAt(body, 'customs.totalGoodsValue');
    const currency = textAt(body, 'customs.currency');
    if (typeof value !== 'number' || currency === undefined) return;
    const { sum, orders } = this.#value.get(currency) ?? { sum: undefined, orders: 0 };
    if (orders === 0 && this.#value.size >= MOST_KINDS) return;
    this.#value.set(currency, { sum: addPrice(sum, String(value)), orders: orders + 1 });
    this.#dearest.add({ key, line, value, currency });
  }

  /** Would the economy carrier refuse the order because it has no customs number, so that another carrier is the cheapest? */
  #lacksNumber(body: unknown): boolean {
    const [economy] = this.#rules.economyCarriers;
    const carrier = textAt(body, 'carrier.id');
    if (economy === undefined || !isPick(carrier)) return false;
    const byEconomy = setAt(body, ['carrier', 'id'], economy);
    return [iossNumber, marketplaceNumber].some(rule => rule.check(byEconomy, this.#rules).length > 0);
  }
}

function countKind(counts: Map<string, number>, kind: string): void {
  const count = counts.get(kind);
  if (count !== undefined || counts.size < MOST_KINDS) counts.set(kind, (count ?? 0) + 1);
}

const FIELD = /^[a-z]\w*(?:\[\d+\])?(?:\.\w+(?:\[\d+\])?)*(?= )/;

/** What a warning is about: `items[].hsCode` for `items[2].hsCode`, else `order`. */
function warningSubject(warning: string): string {
  const [field = ''] = FIELD.exec(warning) ?? [];
  return /[.A-Z]|^(sender|receiver|invoice|packages)$/.test(field)
    ? field.replace(/\[\d+\]/g, '[]')
    : 'order';
}

/** For how many different HS codes (six digits) the EU takes `DUTY_EUR`; 0 for a dearer order, which pays the usual duties. */
function tariffCodes(body: unknown, profile: Profile): number {
  const isFromEu = EU_MEMBERS.has(textAt(body, 'sender.address.country.code') ?? '');
  if (isFromEu || whyUndeclared(numberPath('iossNumber'), body, profile)) return 0;
  const codes = listAt(body, 'items').map(item =>
    (textAt(item, 'hsCode') ?? '').replace(/\D/g, '').slice(0, 6),
  );
  return new Set(codes.filter(code => code.length === 6)).size;
}

/** Kinds with their counts, the highest count first: `items[].hsCode (3), order (1)`. */
export const countedKinds = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, left], [, right]) => right - left)
    .map(([kind, count]) => `${kind} (${count})`)
    .join(', ');

/** The figures by their names, without empty ones. `postage`: the orders with the dearest postage, if prices were asked for. */
export function figureRows(goods: Goods, postage: readonly DearOrder[] = []): [string, string][] {
  const { value, orders, dearest, warnings, leftNumbers, rules } = goods;
  const { withoutEconomy, tariffCodes, tariffParcels } = goods;
  const sums = Object.entries(value).map(
    ([currency, sum]) => `${money(sum, currency)} in ${numbered(orders[currency] ?? 0, 'order')}`,
  );
  return [
    ['Goods', sums.join(', ')],
    ['Dearest goods', dearestWords(dearest)],
    ['Dearest postage', dearestWords(postage)],
    ['By rule', countedKinds(rules)],
    ['Warnings', countedKinds(warnings)],
    ['Numbers left out', countedKinds(leftNumbers)],
    [
      'Without economy',
      withoutEconomy > 0 ? `${numbered(withoutEconomy, 'order')}, for want of a customs number` : '',
    ],
    [
      'EU duty',
      tariffCodes > 0
        ? `${numbered(tariffCodes, 'HS code')} in ${numbered(tariffParcels, 'order')}, ${DUTY_EUR} EUR each: ${money(Big(DUTY_EUR).times(tariffCodes).toString(), 'EUR')}`
        : '',
    ],
  ].filter((row): row is [string, string] => row[1] !== '');
}
