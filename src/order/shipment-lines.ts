// A shipment as a person reads it: one line for each part of the shipment.
import { getAt, listAt, parsePath, textAt } from '../contract/paths.ts';
import { fieldAt, type Schema } from '../contract/shapes.ts';
import { addressWords, money } from '../say/words.ts';

interface ShipmentLine {
  label: string;
  /** The path of the field that the line shows, or of the object whose fields it shows. */
  path: string;
  text: string;
}

/** The lines that show a shipment, without the carrier. */
export function shipmentLines(schema: Schema, body: unknown): ShipmentLine[] {
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
    ['Goods', 'items', listWords(body, 'items', item => itemWords(item, currency))],
    ['Customs', 'customs', customsWords(body)],
    ['Duties', 'deliveryType', choice('deliveryType')],
  ];
  return lines.map(([label, path, text]) => ({ label, path, text }));
}

const listWords = (body: unknown, path: string, words: (entry: unknown) => string): string =>
  listAt(body, path).map(words).join('; ');

/** A package in words: `2 × 1.5 kg, 30 × 20 × 10 cm` */
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

/** A party with its email and phone: `…, ada@example.com, +90 5550001122`. */
const contactWords = (party: unknown): string =>
  [
    addressWords(party),
    textAt(party, ['email']),
    [textAt(party, 'phone.code'), textAt(party, 'phone.number')].filter(Boolean).join(' '),
  ]
    .filter(Boolean)
    .join(', ');
