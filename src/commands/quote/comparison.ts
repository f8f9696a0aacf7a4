import { bestIn } from '../../order/carrier-choice.ts';
import type { Offer } from '../../order/order.ts';
import { isBookable, whyNotComparable } from '../../order/proposals.ts';
import { bar, type Look, measure, type Paint, span, unpainted } from '../../output/look.ts';
import { amountOf } from '../../output/money.ts';
import { BLANK, type Cell, GUTTER, grid, widthsOf } from '../../output/table.ts';
import { safe } from '../../output/text.ts';
import { mixtureWords, refusalWords } from '../../say/carriers.ts';
import { money } from '../../say/words.ts';
import { wrapped } from '../../text.ts';

// Draws offers with bars for days and prices. Only offers that can be booked are compared; prices in several currencies are not,
// nor is a value that only one offer has.

/** The days and the cost that a bar of full width stands for; undefined if there is nothing to compare. */
interface Scales {
  days: number | undefined;
  cost: number | undefined;
}

/** The width of a full bar in characters: the least and the most in a column, and the most on a line of its own. */
const LEAST_BAR = 6;
const MOST_BAR = 24;
const MOST_BAR_ALONE = 40;

/** The offers with bars; undefined if nothing can be compared or drawn. `needOf`: what an offer needs that the order does not have. */
export async function comparison(
  look: Look,
  title: string,
  offers: readonly Offer[],
  needOf: (offer: Offer) => string,
): Promise<string | undefined> {
  const { pen, columns } = look;
  const valid = offers.filter(isBookable);
  const scales = scalesOf(valid);
  if (pen === undefined || columns === undefined || (scales.days ?? scales.cost) === undefined)
    return undefined;
  const rows = comparisonRows({ look, pen, scales, needOf }, offers);
  const picture: Picture = { look, columns, title, scales };
  const drawn =
    (await asTable(picture, rows)) ?? (await asFootnoted(picture, rows)) ?? (await asList(columns, rows));
  const whyNot = whyNotComparable(valid);
  return drawn !== undefined && whyNot !== undefined
    ? `${drawn}\n\nPrices ${mixtureWords(whyNot)} are not compared.`
    : drawn;
}

function scalesOf(valid: readonly Offer[]): Scales {
  const prices = whyNotComparable(valid)
    ? []
    : valid.flatMap(({ price, currency }) => amountOf(price, currency) ?? []);
  return { days: scaleOf(valid.flatMap(({ days }) => days?.[1] ?? [])), cost: scaleOf(prices) };
}

function scaleOf(values: readonly number[]): number | undefined {
  const most = Math.max(0, ...values);
  return values.length > 1 && most > 0 ? most : undefined;
}

function comparisonRows(
  drawing: { look: Look; pen: NonNullable<Look['pen']>; scales: Scales; needOf(offer: Offer): string },
  offers: readonly Offer[],
) {
  const { look, pen, scales, needOf } = drawing;
  const valid = offers.filter(isBookable);
  // A single offer is called neither the cheapest nor the fastest.
  const best = (pick: 'cheapest' | 'fastest') => (valid.length > 1 ? bestIn(valid, pick).best : undefined);
  const [cheapest, fastest] = [best('cheapest'), best('fastest')];
  return offers.map(offer => {
    const isBad = !isBookable(offer);
    const need = needOf(offer);
    const notes = [offer === cheapest && 'cheapest', offer === fastest && 'fastest'].filter(Boolean);
    const amount = isBad ? undefined : amountOf(offer.price, offer.currency);
    const days = isBad ? undefined : offer.days;
    return {
      id: safeWord(offer.id),
      name: safeWord(offer.name),
      service: safeWord(offer.serviceType),
      delivery: safeWord(offer.deliveryTime),
      /** The bar for the days. `width`: the characters of a full bar. */
      days: (width: number): Cell =>
        days && scales.days !== undefined
          ? drawn(span(pen, days, scales.days, width), offer === fastest ? look.green : unpainted)
          : BLANK,
      price: safeWord(money(offer.price, offer.currency)),
      cost: (width: number): Cell =>
        amount !== undefined && scales.cost !== undefined
          ? drawn(bar(pen, amount, scales.cost, width), offer === cheapest ? look.green : unpainted)
          : BLANK,
      note: isBad ? safeWord(refusalWords(offer, 'not valid')) : [...notes, need].filter(Boolean).join(', '),
      marked: [...notes, NEED_MARK].join(' '),
      need,
      paint: isBad ? look.dim : unpainted,
      paintHead: isBad ? look.dim : look.bold,
      paintNote: isBad ? look.red : need ? look.yellow : look.green,
    };
  });
}

/** The mark of an offer that needs something of the order; the need is told below the table. */
const NEED_MARK = '*';

type Row = ReturnType<typeof comparisonRows>[number];

const safeWord = (text = '-'): string => safe(text).trim() || '-';
const drawn = (text: string, paint: Paint): Cell => (text === '' ? BLANK : { text, paint });

/** How a comparison is drawn. `columns`: the characters of a line; `title`: the head of the first column. */
interface Picture {
  look: Look;
  columns: number;
  title: string;
  scales: Scales;
}

/** A line for each offer, nothing cut; undefined if the bars would be too short. */
async function asTable(picture: Picture, rows: readonly Row[]): Promise<string | undefined> {
  const { look, columns, title, scales } = picture;
  const hasDays = scales.days !== undefined;
  const hasCost = scales.cost !== undefined;
  const head = [title, 'name', 'service', 'delivery', ...(hasDays ? [''] : []), 'price']
    .concat(hasCost ? [''] : [])
    .concat('');
  const lines = (width: number): Cell[][] => [
    head.map(text => drawn(text.toUpperCase(), look.bold)),
    ...rows.map(({ id, name, service, delivery, days, price, cost, note, paint, paintNote }) => [
      ...[id, name, service, delivery].map(text => ({ text, paint })),
      ...(hasDays ? [days(width)] : []),
      { text: price, paint },
      ...(hasCost ? [cost(width)] : []),
      drawn(note, paintNote),
    ]),
  ];
  const bars = Number(hasDays) + Number(hasCost);
  const widths = await widthsOf(lines(1));
  const besides = widths.reduce((sum, width) => sum + width + GUTTER.length, -GUTTER.length) - bars;
  const width = Math.min(MOST_BAR, Math.floor((columns - besides) / bars));
  if (width < LEAST_BAR) return undefined;
  return grid(
    lines(width),
    columns,
    head.map(text => (text === 'price' ? 'right' : 'whole')),
  );
}

/** The table with a mark in the row of each offer that needs something, and the need below the table; undefined if the needs differ. */
async function asFootnoted(picture: Picture, rows: readonly Row[]): Promise<string | undefined> {
  const needs = new Set(rows.flatMap(({ need }) => need || []));
  if (needs.size !== 1) return undefined;
  const marked = rows.map(row => (row.need ? { ...row, note: row.marked } : row));
  const table = await asTable(picture, marked);
  return table && `${table}\n\n${NEED_MARK} ${[...needs].join()}`;
}

/** Three lines for each offer, for narrow terminals and long names; undefined if the bars would be too short here too. */
async function asList(columns: number, rows: readonly Row[]): Promise<string | undefined> {
  const lines = (width: number): Cell[][] =>
    rows.flatMap(row => [
      [{ text: row.delivery, paint: row.paint }, row.days(width)],
      [{ text: row.price, paint: row.paint }, row.cost(width)],
    ]);
  const [words = 0] = await widthsOf(lines(1));
  const width = Math.min(MOST_BAR_ALONE, columns - words - 2 * GUTTER.length);
  if (width < LEAST_BAR) return undefined;
  const facts = ((await grid(lines(width), undefined)) ?? '').split('\n').map(line => GUTTER + line);
  const blocks = rows.map(async ({ id, name, service, note, paintHead }, index) => {
    const head = wrapped(`${id}: ${name}, ${service}${note && ` (${note})`}`, columns, await measure());
    return [...head.map(line => paintHead(line)), ...facts.slice(2 * index, 2 * index + 2)].join('\n');
  });
  return (await Promise.all(blocks)).join('\n\n');
}
