// Shipments, parties, routes and times in words, for the lines of a form.
import { fieldAt } from '../contract/fields.ts';
import type { Schema } from '../contract/operation.ts';
import { getAt, listAt, parsePath, textAt } from '../contract/paths.ts';
import type { Booking } from '../journal/booking.ts';
import { minuteOf } from '../output/moment.ts';
import { money } from '../output/money.ts';
import type { ReviewLine } from './engine/form.ts';

/** The lines of a review that show a shipment, without the carrier. */
export function shipmentLines(schema: Schema, body: unknown): ReviewLine[] {
  const currency = textAt(body, 'customs.currency');
  const choice = (path: string) => {
    const value = textAt(body, path);
    const description = value && fieldAt(schema, parsePath(path) ?? [])?.values?.[value];
    return [value, description].filter(Boolean).join(': ');
  };
  const lines: [label: string, path: string, text: string][] = [
    ['What', 'type', choice('type')],
    ['Packages', 'packages', listWords(body, 'packages', packageWords)],
    ['Sender', 'sender', contactWords(getAt(body, ['sender']))],
    ['Receiver', 'receiver', contactWords(getAt(body, ['receiver']))],
    ['Invoice to', 'invoice', contactWords(getAt(body, ['invoice'])) || 'the sender'],
    ['Category', 'category', choice('category')],
    ['Contents', 'items', listWords(body, 'items', item => itemWords(item, currency))],
    ['Customs', 'customs', customsWords(body)],
    ['Duties', 'deliveryType', choice('deliveryType')],
  ];
  return lines.map(([label, path, text]) => ({ label, path, text }));
}

const listWords = (body: unknown, path: string, words: (entry: unknown) => string): string =>
  listAt(body, path).map(words).join('; ');

/** `2 × 1.5 kg, 30 × 20 × 10 cm` */
function packageWords(entry: unknown): string {
  const at = (path: string) => getAt(entry, path) ?? '?';
  const sides = ['length', 'width', 'height'].map(name => at(`dimensions.${name}`)).join(' × ');
  return `${at('quantity')} × ${at('weight')} kg, ${sides} ${getAt(entry, 'dimensions.unit') ?? 'cm'}`;
}

function itemWords(item: unknown, currency: string | undefined): string {
  const at = (name: string) => getAt(item, [name]) ?? '?';
  const price = money(getAt(item, ['totalPrice']), currency) ?? '?';
  return `${at('quantity')} × ${at('description')} (HS ${at('hsCode')}, ${at('countryOfOrigin')}), ${price}`;
}

function customsWords(body: unknown): string {
  const at = (name: string) => textAt(body, `customs.${name}`);
  const value = money(getAt(body, 'customs.totalGoodsValue'), at('currency'));
  return [
    value && `worth ${value}`,
    at('iossNumber') && `IOSS ${at('iossNumber')}`,
    at('marketplaceNumber') && `marketplace ${at('marketplaceNumber')}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The texts at these paths, with what is missing left out. */
const joined = (body: unknown, paths: readonly string[], separator = ' '): string =>
  paths
    .map(path => textAt(body, path))
    .filter(Boolean)
    .join(separator);

/** `Ada Yilmaz, Istiklal Cd. 1, 34433 Istanbul, TR` */
export const partyWords = (party: unknown): string =>
  [
    joined(party, ['firstName', 'lastName']),
    joined(party, ['companyName', 'address.line1', 'address.line2'], ', '),
    joined(party, ['address.zipCode', 'address.city']),
    joined(party, ['address.nationalShortAddress', 'address.country.code'], ', '),
  ]
    .filter(Boolean)
    .join(', ');

/** The same with `ada@example.com, +90 5550001122`. */
const contactWords = (party: unknown): string =>
  [partyWords(party), joined(party, ['email']), joined(party, ['phone.code', 'phone.number'])]
    .filter(Boolean)
    .join(', ');

/** `Jonas Weber, Dresden` */
export const receiverWords = (body: unknown): string =>
  [joined(body, ['receiver.firstName', 'receiver.lastName']), joined(body, ['receiver.address.city'])]
    .filter(Boolean)
    .join(', ');

/** `Istanbul, TR → Dresden, DE` */
export const route = (body: unknown): string =>
  ['sender', 'receiver']
    .map(role => joined(body, [`${role}.address.city`, `${role}.address.country.code`], ', ') || '?')
    .join(' → ');

/** `2026-03-02 09:00  ORDER-1  shp_1 and shp_2  to Jonas Weber, Dresden` */
export function bookingWords({ at, key, ids, request }: Booking): string {
  const receiver = receiverWords(request);
  return [minuteOf(at), key, Object.values(ids).join(' and '), receiver && `to ${receiver}`]
    .filter(Boolean)
    .join('  ');
}
