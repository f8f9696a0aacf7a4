// Finds rows of an invoice that may be of an unknown booking: a row names its key, its receiver, or its country and a day near its sending.
// The rows are proposed, and a person settles the booking.

import { type Booking, PARTS } from '../booking/booking.ts';
import { type BookedOrder, receiverOf } from '../booking/questions.ts';
import { countriesNamed } from '../contract/country-names.ts';
import { isSameKey } from '../contract/key.ts';
import { getAt, listAt, textAt } from '../contract/paths.ts';
import type { Journal } from '../journal/journal.ts';
import { isShippedHere } from '../order/listed.ts';
import { targetFlags } from '../order/options.ts';
import { safe } from '../output/text.ts';
import { bookingName } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { commandText, folded, numbered, operandWords, someOf } from '../text.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The days that a row may have around the moment of sending: time zones differ, and the day may be that of the pick-up or the invoice. */
const [DAYS_BEFORE, DAYS_AFTER] = [2, 31];

/** Which of the unknown bookings a row fits best, and by what: `receiver, country`. */
export interface Fit {
  bookings: readonly Booking[];
  by: string;
}

/** A row that fits an unknown booking. */
export interface FittingRow {
  /** The name of the invoice that the row is in. */
  name: string;
  line: number;
  /** The cell that may be the id of the row's shipment; empty if the row has no such cell. */
  shipment: string;
  fit: Fit;
}

/** The unknown bookings that a row fits best. `hasReceivers`: the file has a column of receivers. */
export type Fits = (cells: readonly string[], hasReceivers: boolean) => Fit | undefined;

/** Gives the function that compares a row with the unknown bookings; `undefined`: no booking is unknown. */
export async function openFits(session: Session, journal: Journal | undefined): Promise<Fits | undefined> {
  const unknown = (await journal?.list({ states: ['unknown'] })) ?? [];
  const isHere = isShippedHere(session);
  const sought = unknown.flatMap(booking => {
    const order: BookedOrder = { booking, labels: [] };
    return booking.keySpace === 'shipment' && isHere(order) ? soughtOf(order) : [];
  });
  if (sought.length === 0) return undefined;
  return (cells, hasReceivers) => {
    const fitting = sought.flatMap(unknown => {
      const { booking } = unknown;
      const by = cells.some(cell => isSameKey(booking.key, cell)) ? ['key'] : commonFacts(unknown, cells);
      const has = (...facts: string[]) => facts.every(fact => by.includes(fact));
      const fits = has('key') || has('receiver') || (!hasReceivers && has('country', 'day'));
      return fits ? { booking, by, rank: has('key') ? Number.MAX_VALUE : by.length } : [];
    });
    const most = Math.max(...fitting.map(({ rank }) => rank));
    const best = fitting.filter(({ rank }) => rank === most);
    return best[0] && { bookings: best.map(({ booking }) => booking), by: best[0].by.join(', ') };
  };
}

type Sought = ReturnType<typeof soughtOf>;

function soughtOf(order: BookedOrder) {
  const { booking } = order;
  const { request } = booking;
  const weights = listAt(request, 'packages').map(parcel => Number(getAt(parcel, ['weight'])));
  const pieces = listAt(request, 'packages').map(parcel => Number(getAt(parcel, ['quantity']) ?? 1));
  const [currency, parts] = booking.expected?.split(' ') ?? [];
  return {
    booking,
    names: [textAt(request, 'receiver.lastName'), textAt(request, 'receiver.companyName')]
      .map(name => plainWords(name ?? ''))
      .filter(({ length }) => length > 0),
    country: receiverOf(order).country?.toUpperCase(),
    from: textAt(request, 'sender.address.country.code')?.toUpperCase(),
    kilograms: weights.reduce((sum, weight, at) => sum + weight * (pieces[at] ?? 1), 0),
    price: currency === undefined ? undefined : Number(parts) / PARTS,
  };
}

const plainWords = (text: string): string[] => folded(text).match(/[\p{Letter}\p{Number}]+/gu) ?? [];

/** The facts that a row and a booking have in common: none if the row names another country or another time. */
function commonFacts(sought: Sought, cells: readonly string[]): string[] {
  const { booking, names, country, from, kilograms, price } = sought;
  const isReceiver = cells.some(cell => {
    const words = new Set(plainWords(cell));
    return names.some(name => name.every(word => words.has(word)));
  });
  const days = cells.map(cellDays).filter(({ length }) => length > 0);
  const isDay = days.some(ways =>
    ways.some(day => day >= booking.at - DAYS_BEFORE * DAY_MS && day <= booking.at + DAYS_AFTER * DAY_MS),
  );
  if ((!isReceiver && !isDay) || (days.length > 0 && !isDay)) return [];
  const countries = cells.flatMap(cell =>
    /^[A-Z]{2}$|^\p{Letter}[\p{Letter} .'-]{3,}$/u.test(cell) ? countriesNamed(cell) : [],
  );
  const isCountry = country !== undefined && countries.includes(country);
  if (!isCountry && countries.some(named => named !== from)) return [];
  const numbers = cells.map(cellNumber);
  return [
    ...(isReceiver ? ['receiver'] : []),
    ...(isCountry ? ['country'] : []),
    ...(isDay ? ['day'] : []),
    ...(numbers.includes(kilograms) ? ['weight'] : []),
    ...(price !== undefined && numbers.includes(price) ? ['price'] : []),
  ];
}

/** How many rows are told to a person. */
const MOST_TOLD = 10;

/** Sentences that say which booking each row may belong to, and how to find out; `next`: the commands that ask the service. */
export function unknownBookingWords(
  session: Session,
  rows: readonly FittingRow[],
): { words: string[]; next: string[][] } {
  const flags = targetFlags(session);
  const sentences = rows.slice(0, MOST_TOLD).map(({ name, line, shipment, fit: { bookings, by } }) => {
    const names = bookings.map(bookingName);
    const fits = `${name}, line ${line} may be the unknown booking ${safe(someOf(names, 3))} (${by})`;
    const [id] = shipment === '' || names.some(name => isSameKey(name, shipment)) ? [] : [shipment];
    const ref = names.length === 1 ? operandWords(names) : ['REF'];
    const settle = commandText(['waybill', 'history', 'resolve', ...flags, '--created', id ?? 'ID', ...ref]);
    if (id === undefined)
      return {
        words: `${fits}: ask the provider of the service for its shipment id, and \`${settle}\` records it`,
      };
    const next = ['waybill', 'track', ...flags, ...operandWords([id])];
    return {
      words: `${fits}: \`${commandText(next)}\` asks the service for it. If that is its shipment, \`${settle}\` records it`,
      next,
    };
  });
  const more = rows.length - sentences.length;
  return {
    words: [
      ...sentences.map(({ words }) => words),
      ...(more > 0 ? [`${numbered(more, 'more row')} may be of unknown bookings`] : []),
    ],
    next: sentences.flatMap(({ next }) => (next ? [next] : [])),
  };
}

/** The days that a cell may mean, in ms since 1970: 3/4/2026 may be two different days. */
function cellDays(cell: string): number[] {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)\b/.exec(cell) ?? [];
  if (year !== undefined) return [Date.UTC(Number(year), Number(month) - 1, Number(day))];
  const [, first, second, end = ''] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d\d)$/.exec(cell) ?? [];
  if (first !== undefined) {
    const full = end.length === 2 ? 2000 + Number(end) : Number(end);
    return [
      Date.UTC(full, Number(second) - 1, Number(first)),
      Date.UTC(full, Number(first) - 1, Number(second)),
    ];
  }
  return /^\d{1,2}[ -]\p{Letter}{3,9}\.?[ ,-]+\d{2,4}$/u.test(cell)
    ? [Date.parse(`${cell} UTC`)].filter(Number.isFinite)
    : [];
}

/** The number in a cell: `1,50 kg` gives 1.5. */
const cellNumber = (cell: string): number =>
  cell === '' ? Number.NaN : Number(cell.replace(/\s*kg$/i, '').replace(',', '.'));
