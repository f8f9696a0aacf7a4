import { proposalBody, ratesBody } from '../contract/proposals.ts';
import {
  CURRENCY,
  chargeableWeight,
  internationalCarriers,
  MAX_KG,
  type Pieces,
  priceCents,
  refusal,
} from './carriers.ts';
import { type Effect, invalid, notFound } from './effect.ts';

/** §4.3: every international carrier, with `isValid: false` and a reason if a piece is too heavy for it. */
export const proposals: Effect = call => {
  const { originCountry, destinationCountry, postalCode, packages } = proposalBody.parse(call.body);
  const kg = chargeableWeight(packages);
  if (!(kg <= MAX_KG)) return invalid('packages', `must weigh at most ${MAX_KG} kg in all`);
  const proposed = internationalCarriers(originCountry, destinationCountry).map(carrier => {
    const reason = refusal(carrier, packages);
    return {
      id: carrier.id,
      name: carrier.name,
      serviceType: carrier.serviceType,
      isValid: reason === undefined,
      ...(reason !== undefined && { reason }),
      deliveryTime: carrier.deliveryTime,
      currency: CURRENCY,
      price: priceCents(carrier, kg, destinationCountry, postalCode) / 100,
      kg,
    };
  });
  return { body: { proposals: proposed, chargeableWeight: kg } };
};

/** §4.4: only the carriers that accept the packages, because the answer has no `isValid`. If there is none, 404. */
export const rates: Effect = call => {
  const { data } = ratesBody.parse(call.body);
  const packages: Pieces[] = data.packages.map(({ piece, pieceWeight, width, lengthCm, height }) => ({
    quantity: piece,
    weight: pieceWeight,
    dimensions: { width, length: lengthCm, height },
  }));
  const kg = chargeableWeight(packages);
  if (!(kg <= MAX_KG)) return invalid('data.packages', `must weigh at most ${MAX_KG} kg in all`);
  const carriers = internationalCarriers(data.countryFrom, data.countryTo).filter(
    carrier => refusal(carrier, packages) === undefined,
  );
  if (carriers.length === 0) return notFound;
  return {
    body: {
      success: true,
      proposals: carriers.map(carrier => ({
        companyId: carrier.companyId,
        companyName: carrier.name,
        serviceType: carrier.serviceType.charAt(0).toUpperCase() + carrier.serviceType.slice(1),
        deliveryTime: carrier.deliveryTime,
        price: (priceCents(carrier, kg, data.countryTo, data.postalCode) / 100).toFixed(2),
        currency: CURRENCY,
        data,
      })),
    },
  };
};
