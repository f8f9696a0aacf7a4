import * as z from 'zod/mini';
import { amount, country, flag, listOf, loose, note, oneOf, optional, strict } from './shapes.ts';

// Service document §2.3, §4.3, §4.4: proposals and rates.

export const DOCUMENT_MAX_KG = 2.5;

export const proposalBody = strict({
  originCountry: country('Country the parcel leaves from'),
  destinationCountry: country('Country the parcel goes to'),
  postalCode: note('Postal code, for the remote-area surcharge'),
  packageType: optional(
    oneOf('What is shipped; package where left out', {
      package: 'parcel or box; default',
      document: 'documents: each at most 2.5 kg, quantity 1',
    }),
  ),
  packages: listOf(
    'Packages, in groups of equal pieces',
    strict({
      quantity: amount('Number of pieces'),
      weight: amount('Weight of a piece in kilograms'),
      dimensions: strict({
        width: amount('Width in centimetres'),
        length: amount('Length in centimetres'),
        height: amount('Height in centimetres'),
      }),
    }),
  ),
});

export const proposalAnswer = loose({
  proposals: z.array(
    loose({
      id: z.string(),
      name: z.string(),
      serviceType: z.string(),
      isValid: flag('Can it be booked for these packages?'),
      deliveryTime: z.string(),
      currency: z.string(),
      price: z.number(),
      kg: z.number(),
    }),
  ),
  chargeableWeight: z.number(),
});

const rateRequest = strict({
  packages: listOf(
    'Packages, in groups of equal pieces',
    strict({
      height: amount('Height in centimetres'),
      width: amount('Width in centimetres'),
      lengthCm: amount('Length in centimetres'),
      piece: amount('Number of pieces'),
      pieceWeight: amount('Weight of a piece in kilograms'),
    }),
  ),
  countryFrom: country('Country the parcel leaves from'),
  countryTo: country('Country the parcel goes to'),
  postalCode: note('Postal code, for the remote-area surcharge'),
});

export const ratesBody = strict({ data: rateRequest });

export const ratesAnswer = loose({
  success: z.boolean(),
  proposals: z.array(
    loose({
      companyId: z.string(),
      companyName: z.string(),
      serviceType: z.string(),
      deliveryTime: z.string(),
      price: z.string(),
      currency: z.string(),
      // An echo of the request's data.
      data: loose({}),
    }),
  ),
});
