// Delivery times, proposals and rates.
import * as z from 'zod/mini';
import { comparable, ifReadable, readId, readText, readWeight } from './read.ts';
import { choice, country, loose, optional, optionalText, part, strict } from './shapes.ts';
import { packagesField, pieces, sides } from './shipments.ts';

/** A delivery time at best and at worst, in days. */
export type Days = readonly [least: number, most: number];

// The service document names no units of time; carriers write these, in English and in Turkish.
const UNITS: readonly (readonly [RegExp, inDays: (count: number) => number])[] = [
  [/^(business|working|work|calendar|i\u015f)?[ -]*(d|days?|g\u00fcn\u00fc?)$/, count => count],
  [/^(w|wks?|weeks?|hafta)$/, count => 7 * count],
  [/^(h|hrs?|hours?|saat)$/, count => Math.ceil(count / 24)],
];

const AMOUNT = String.raw`(\d+(?:\.\d+)?)(?:\s*-?(\p{L}[\p{L}\s-]*?))?`;
const BEFORE = String.raw`(?:within|up to|between|in|about|approximately|approx\.?|estimated|est\.?|ca\.?|max\.?|~)`;
const TO = String.raw`\s*(?:[-~/\u2010-\u2014]|\b(?:to|and|or)\b)\s*`;
const TIME = new RegExp(String.raw`^(?:${BEFORE}\s*)*${AMOUNT}(?:${TO}${AMOUNT})?\.?$`, 'u');

/** In characters. No carrier writes a longer delivery time, and the pattern takes long for a text of a megabyte. */
const LONGEST = 80;

/**
 * A delivery time in days: `2-4 days`, `1-2 weeks`, `36 hours`. Without a unit it is days; a business day counts as one, and
 * hours are rounded up. `undefined` for anything else, such as 0 days and `11/25` without a unit, which is a date: a guessed
 * time could be within a bound that the real time is not.
 */
export function daysIn(deliveryTime: string): Days | undefined {
  const match = deliveryTime.length > LONGEST ? null : TIME.exec(comparable(deliveryTime));
  if (match === null) return undefined;
  const [, first = '', firstUnit, last, lastUnit] = match;
  // In `1-2 weeks` the unit at the end is that of both numbers. In `1 week - 2` the unit of the 2 is not clear.
  if (last !== undefined && firstUnit !== undefined && lastUnit === undefined) return undefined;
  const unit = firstUnit ?? lastUnit;
  if (unit === undefined && deliveryTime.includes('/')) return undefined;
  const days = [inDays(first, unit), ...(last === undefined ? [] : [inDays(last, lastUnit)])];
  const [least, most] = [Math.min(...days), Math.max(...days)];
  return Number.isFinite(most) && most > 0 ? [least, most] : undefined;
}

/** The days that an amount of a unit makes; NaN if the unit is not known. */
function inDays(amount: string, unit: string | undefined): number {
  if (unit === undefined) return Number(amount);
  const known = UNITS.find(([pattern]) => pattern.test(unit.trim()));
  return known ? known[1](Number(amount)) : Number.NaN;
}

// Service document §2.3, §4.3, §4.4: proposals and rates.

export const DOCUMENT_MAX_KG = 2.5;

const ROUTE = 'Route:';
const from = () =>
  country('Country the parcel leaves from', { sample: 'TR', flag: '--from <cc>', group: ROUTE });
const to = () => country('Country the parcel goes to', { sample: 'DE', flag: '--to <cc>', group: ROUTE });
const postalCode = (countryAt: string) =>
  optionalText('Postal code, for the remote-area surcharge', {
    means: 'postal code',
    countryAt,
    flag: '--postal-code <code>',
    group: ROUTE,
  });

export const proposalBody = strict(() => ({
  originCountry: from(),
  destinationCountry: to(),
  postalCode: postalCode('destinationCountry'),
  packageType: optional(
    choice(
      'What is shipped; default package',
      {
        package: 'parcel or box; default',
        document: 'documents: each at most 2.5 kg, quantity 1',
      },
      { flag: '--type <type>', group: 'Packages:' },
    ),
  ),
  packages: packagesField(() => ({
    ...pieces(),
    dimensions: part('Dimensions of a piece', sides(' in centimetres')),
  })),
}));

/** What an answer of proposals, or of rates, must have. */
export const proposalsNeeded = loose({ proposals: z.array(z.unknown()) });

/** What a proposal must have to be booked. Only `isValid: true` is a yes of the carrier. */
export const bookable = loose({ id: readId, isValid: z.literal(true) });

const offer = {
  serviceType: ifReadable(readText),
  deliveryTime: ifReadable(readText),
  currency: ifReadable(readText),
  /** The price as it was sent: a text keeps its digits. */
  price: ifReadable(z.union([z.number(), z.string()])),
};

export const readProposal = z.object({ id: ifReadable(readId), name: ifReadable(readText), ...offer });
export const readRate = z.object({
  companyId: ifReadable(readId),
  companyName: ifReadable(readText),
  ...offer,
});

/** The weight in kilograms that the prices are for. */
export const readProposedWeight = loose({ chargeableWeight: readWeight });

export const ratesBody = strict(() => ({
  data: part('What the rates are asked for', {
    packages: packagesField(() => {
      const { width, length, height } = sides(' in centimetres');
      const { quantity, weight } = pieces();
      return { height, width, lengthCm: length, piece: quantity, pieceWeight: weight };
    }),
    countryFrom: from(),
    countryTo: to(),
    postalCode: postalCode('countryTo'),
  }),
}));
