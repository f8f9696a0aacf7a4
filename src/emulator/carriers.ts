import type { Leg } from '../contract/operations.ts';

// The service document names neither carriers nor prices, so these are made up.

export interface Carrier {
  id: string;
  name: string;
  /** The name of the carrier in `rates`, which differs from the id, because it is not an id (§2.3). */
  companyId: string;
  leg: Leg;
  serviceType: string;
  deliveryTime: string;
  transitDays: number;
  baseCents: number;
  centsPerHalfKilo: number;
  /** The heaviest single piece that the carrier takes, in kilograms. */
  maxPieceKg: number;
}

export const CARRIERS: readonly Carrier[] = [
  {
    id: 'ECO',
    name: 'Emulated Economy',
    companyId: 'company-101',
    leg: 'international',
    serviceType: 'economy',
    deliveryTime: '5-7 days',
    transitDays: 6,
    baseCents: 650,
    centsPerHalfKilo: 210,
    maxPieceKg: 30,
  },
  {
    id: 'EXP',
    name: 'Emulated Express',
    companyId: 'company-102',
    leg: 'international',
    serviceType: 'express',
    deliveryTime: '1-3 days',
    transitDays: 2,
    baseCents: 1490,
    centsPerHalfKilo: 380,
    maxPieceKg: 70,
  },
  {
    id: 'DOM',
    name: 'Emulated Domestic',
    companyId: 'company-103',
    leg: 'domestic',
    serviceType: 'domestic',
    deliveryTime: '1-2 days',
    transitDays: 1,
    baseCents: 250,
    centsPerHalfKilo: 40,
    maxPieceKg: 70,
  },
];

/** The price of a shipment from Turkey, in percent of the price to Germany, by the country of the receiver. */
const ZONES: readonly { percent: number; countries: string }[] = [
  { percent: 80, countries: 'AL AM AZ BA BG CY GE GR IQ MD ME MK RO RS SY UA XK' },
  {
    percent: 100,
    countries:
      'AD AT AX BE BY CH CZ DE DK EE ES FI FO FR GB GG GI HR HU IE IM IS IT JE LI LT LU LV MC MT NL NO PL PT RU SE SI SJ SK SM TR VA',
  },
  { percent: 130, countries: 'AE BH DZ EG EH IL IR JO KG KW KZ LB LY MA OM PS QA SA TJ TM TN UZ YE' },
  { percent: 160, countries: 'BD CA CN HK ID IN JP KR LK MO MX MY PH PK PR SG TH TW US VN' },
];
const FAR_PERCENT = 200;

/** The carriers that §2.1 calls "the economy carrier". */
export const ECONOMY_CARRIERS: readonly string[] = ['ECO'];

export const CURRENCY = 'EUR';

/** Postal codes that begin with this are remote, and cost more. */
const REMOTE_PREFIX = '999';
const REMOTE_CENTS = 1500;

// Sums above this weight are not exact any more; no carrier takes a million kilograms.
export const MAX_KG = 1_000_000;

// The most pieces of a shipment: its label has a page for each piece.
export const MAX_PIECES = 999;

const CUBIC_CM_PER_KG = 5000;

/** A group of equal pieces. Weight and sides are those of one piece, in kilograms and centimetres. */
export interface Pieces {
  quantity: number;
  weight: number;
  dimensions: { width: number; length: number; height: number };
}

/** The weight to pay for, in kilograms: of each piece the greater of weight and volume; rounded up to half a kilogram. */
export function chargeableWeight(packages: readonly Pieces[]): number {
  let kg = 0;
  for (const { quantity, weight, dimensions } of packages) {
    const volume = (dimensions.width * dimensions.length * dimensions.height) / CUBIC_CM_PER_KG;
    kg += quantity * Math.max(weight, volume);
  }
  return halfKilos(kg) / 2;
}

// Rounded to grams first: 0.1 + 0.2 + 0.2 must not cost another half kilogram.
const halfKilos = (kg: number) => Math.max(1, Math.ceil(Math.round(kg * 1000) / 500));

/** The price in cents, by chargeable weight and place of the receiver. A domestic leg has no zone. */
export function priceCents(carrier: Carrier, kg: number, country: string, postalCode = ''): number {
  const zone = ZONES.find(({ countries }) => countries.includes(country));
  const percent = carrier.leg === 'domestic' ? 100 : (zone?.percent ?? FAR_PERCENT);
  const cents = carrier.baseCents + carrier.centsPerHalfKilo * halfKilos(kg);
  const remote = postalCode.trim().startsWith(REMOTE_PREFIX) ? REMOTE_CENTS : 0;
  return Math.round((cents * percent) / 100) + remote;
}

/** How many pieces there are: a group has at least one piece, and a part of a piece counts as one. */
export const countPieces = (packages: readonly Pieces[]): number =>
  packages.reduce((sum, { quantity }) => sum + Math.max(1, Math.ceil(quantity)), 0);

/** The weight of each piece in kilograms. */
export const pieceWeights = (packages: readonly Pieces[]): number[] =>
  packages.flatMap(group => Array<number>(countPieces([group])).fill(group.weight));

/** Why the carrier does not take the packages; `undefined` if it does. */
export function refusal(carrier: Carrier, packages: readonly Pieces[]): string | undefined {
  const heaviest = Math.max(...packages.map(({ weight }) => weight));
  return heaviest > carrier.maxPieceKg
    ? `a piece of ${heaviest} kg is above ${carrier.maxPieceKg} kg`
    : undefined;
}

/** The carriers between two countries; none if they are the same. */
export const internationalCarriers = (from: string, to: string): readonly Carrier[] =>
  from === to ? [] : CARRIERS.filter(carrier => carrier.leg === 'international');

export const carrierById = (id: string): Carrier | undefined => CARRIERS.find(carrier => carrier.id === id);
