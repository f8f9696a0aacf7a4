import { type Field, fieldsOf } from './fields.ts';
import type { Schema } from './operation.ts';
import { parsePath, setAt } from './paths.ts';

// Values of a real shipment, by the last name of the path. A field that is not here gets a value of its kind.
const VALUES: Readonly<Record<string, unknown>> = {
  success: true,
  category: 'sales',
  firstName: 'Ada',
  lastName: 'Yilmaz',
  email: 'ada@example.com',
  'phone.code': '+90',
  'phone.number': '5550001122',
  line1: 'Istiklal Cd. 1',
  city: 'Istanbul',
  zipCode: '34433',
  'country.code': 'TR',
  unit: 'cm',
  quantity: 2,
  weight: 1.5,
  width: 20,
  length: 30,
  height: 10,
  lengthCm: 30,
  piece: 2,
  pieceWeight: 1.5,
  description: 'T-shirt',
  hsCode: '610910',
  countryOfOrigin: 'TR',
  unitPrice: 12.5,
  totalPrice: 25,
  totalGoodsValue: 25,
  currency: 'EUR',
  chargeableWeight: 3,
  originCountry: 'TR',
  destinationCountry: 'DE',
  countryFrom: 'TR',
  countryTo: 'DE',
  'carrier.id': 'EXP',
  'international.id': 'EXP',
  'domestic.id': 'DOM',
  url: 'https://example.com/hooks/shipments',
  international: 'SHIPMENT_ID',
  id: 'SHIPMENT_ID',
};

const RECEIVER: Readonly<Record<string, unknown>> = {
  firstName: 'Jonas',
  lastName: 'Weber',
  email: 'jonas@example.com',
  'phone.code': '+49',
  line1: 'Torstrasse 1',
  city: 'Berlin',
  zipCode: '10119',
  'country.code': 'DE',
};

/** A valid body or answer: the required fields, and the optional ones whose full path is in the values. */
export function sampleOf(schema: Schema): unknown {
  const fields = fieldsOf(schema);
  const optional = fields.filter(field => !field.required).map(field => field.pattern);
  return fields.reduce((body: unknown, field) => {
    const { pattern } = field;
    const left = optional.some(parent => isWithin(pattern, parent)) && !Object.hasOwn(VALUES, pattern);
    const value = left ? undefined : exampleOf(field);
    return value === undefined ? body : setAt(body, parsePath(pattern.replaceAll('[]', '[0]')) ?? [], value);
  }, {});
}

const isWithin = (pattern: string, parent: string) =>
  pattern === parent || pattern.startsWith(`${parent}.`) || pattern.startsWith(`${parent}[`);

function exampleOf({ pattern, kind, values }: Field): unknown {
  if (kind === 'list' || kind === 'object' || kind === 'map') return undefined;
  const names = pattern.split('.');
  const last = names.at(-1) ?? '';
  const pair = names.slice(-2).join('.');
  const table = pattern.startsWith('receiver.') ? { ...VALUES, ...RECEIVER } : VALUES;
  const [choice] = Object.keys(values ?? {});
  return (
    table[pair] ?? table[last] ?? choice ?? (kind === 'number' ? 1 : kind === 'boolean' ? false : 'text')
  );
}
