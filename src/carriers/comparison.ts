import { bar, span } from '../output/draw.ts';
import { BLANK, type Cell, GUTTER, grid, measure, widthsOf } from '../output/grid.ts';
import type { Look, Paint } from '../output/look.ts';
import { amountOf } from '../output/money.ts';
import { safe } from '../output/safe.ts';
import { wrapped } from '../text.ts';
import { bestOf } from './choose.ts';
import { currencyOf, daysOf, isValid, type Proposal, priceOf, priceWords } from './proposals.ts';

// Proposals with bars for days and prices. Only valid proposals are compared; prices in several currencies are not, nor
// values that only one proposal has.

/** What the column of carrier ids is called, and the fields of id and name. */
export interface CarrierColumns {
  title: string;
  id: string;
  name: string;
}

/** The value of a whole bar; undefined if there is nothing to compare. */
interface Scales {
  days: number | undefined;
  cost: number | undefined;
}

/** The width of a whole bar: in a column, and on its own line. */
const LEAST = 6;
const MOST = 24;
const MOST_ALONE = 40;

/** The proposals with bars; undefined if nothing can be compared or drawn. */
export async function comparison(
  look: Look,
  names: CarrierColumns,
  proposals: readonly Proposal[],
): Promise<string | undefined> {
  const { pen, columns } = look;
  const valid = proposals.filter(isValid);
  const scales = scalesOf(valid);
  if (pen === undefined || columns === undefined || (scales.days ?? scales.cost) === undefined)
    return undefined;
  const rows = rowsOf({ look, pen, scales }, names, proposals);
  const drawn = (await asTable(look, columns, names.title, rows, scales)) ?? (await asList(columns, rows));
  return drawn !== undefined && isMixed(valid)
    ? `${drawn}\n\nPrices in several currencies are not compared.`
    : drawn;
}

const isMixed = (proposals: readonly Proposal[]): boolean => new Set(proposals.map(currencyOf)).size > 1;

function scalesOf(valid: readonly Proposal[]): Scales {
  const prices = isMixed(valid) ? [] : valid.flatMap(proposal => amountOf(priceOf(proposal)) ?? []);
  return { days: scaleOf(valid.flatMap(proposal => knownDays(proposal)?.[1] ?? [])), cost: scaleOf(prices) };
}

function scaleOf(values: readonly number[]): number | undefined {
  const most = Math.max(0, ...values);
  return values.length > 1 && most > 0 ? most : undefined;
}

function knownDays(proposal: Proposal): readonly [number, number] | undefined {
  const [one, other] = daysOf(proposal);
  return Number.isFinite(other) ? [Math.min(one, other), Math.max(one, other)] : undefined;
}

function rowsOf(
  { look, pen, scales }: { look: Look; pen: NonNullable<Look['pen']>; scales: Scales },
  { id, name }: CarrierColumns,
  proposals: readonly Proposal[],
) {
  const valid = proposals.filter(isValid);
  const cheapest = bestOf(valid, 'cheapest');
  const fastest = bestOf(valid, 'fastest');
  return proposals.map(proposal => {
    const isBad = !isValid(proposal);
    const notes = [proposal === cheapest && 'cheapest', proposal === fastest && 'fastest'];
    const amount = isBad ? undefined : amountOf(priceOf(proposal));
    const days = isBad ? undefined : knownDays(proposal);
    return {
      id: wordOf(proposal[id]),
      name: wordOf(proposal[name]),
      service: wordOf(proposal.serviceType),
      delivery: wordOf(proposal.deliveryTime),
      /** The bar; `width` is that of a whole one, in characters. */
      days: (width: number): Cell =>
        days && scales.days !== undefined
          ? drawn(span(pen, days, scales.days, width), proposal === fastest ? look.green : plain)
          : BLANK,
      price: wordOf(priceWords(proposal)),
      cost: (width: number): Cell =>
        amount !== undefined && scales.cost !== undefined
          ? drawn(bar(pen, amount, scales.cost, width), proposal === cheapest ? look.green : plain)
          : BLANK,
      note: isBad ? 'not valid' : notes.filter(Boolean).join(', '),
      paint: isBad ? look.dim : plain,
      paintHead: isBad ? look.dim : look.bold,
      paintNote: isBad ? look.red : look.green,
    };
  });
}

type Row = ReturnType<typeof rowsOf>[number];

const plain: Paint = text => text;
const wordOf = (value: unknown): string => safe(String(value ?? '-')).trim() || '-';
const drawn = (text: string, paint: Paint): Cell => (text === '' ? BLANK : { text, paint });

/** A line for each, nothing cut; undefined if the bars would be too short. */
async function asTable(
  look: Look,
  columns: number,
  title: string,
  rows: readonly Row[],
  scales: Scales,
): Promise<string | undefined> {
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
  const width = Math.min(MOST, Math.floor((columns - besides) / bars));
  if (width < LEAST) return undefined;
  return grid(
    lines(width),
    columns,
    head.map(text => (text === 'price' ? 'right' : 'whole')),
  );
}

/** Three lines for each, for narrow terminals and long names; undefined if the bars would be too short here too. */
async function asList(columns: number, rows: readonly Row[]): Promise<string | undefined> {
  const lines = (width: number): Cell[][] =>
    rows.flatMap(row => [
      [{ text: row.delivery, paint: row.paint }, row.days(width)],
      [{ text: row.price, paint: row.paint }, row.cost(width)],
    ]);
  const [words = 0] = await widthsOf(lines(1));
  const width = Math.min(MOST_ALONE, columns - words - 2 * GUTTER.length);
  if (width < LEAST) return undefined;
  const facts = ((await grid(lines(width), undefined)) ?? '').split('\n').map(line => GUTTER + line);
  const blocks = rows.map(async ({ id, name, service, note, paintHead }, index) => {
    const head = wrapped(`${id}: ${name}, ${service}${note && ` (${note})`}`, columns, await measure());
    return [...head.map(line => paintHead(line)), ...facts.slice(2 * index, 2 * index + 2)].join('\n');
  });
  return (await Promise.all(blocks)).join('\n\n');
}
