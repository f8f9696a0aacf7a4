// What `quote` and `rates` ask for. They cost nothing, so that they are sent as soon as nothing is missing.
import { bodyOf } from '../contract/operation.ts';
import { type Parcel, proposalPackage, ratePackage } from '../request/specs.ts';
import type { MakeInterview } from './interview.ts';
import { savedParcelQuestion } from './saved-questions.ts';

const parcelInterview =
  (
    at: string,
    fields: readonly string[],
    route: readonly string[],
    shape: (parcel: Parcel) => unknown,
  ): MakeInterview =>
  (session, { operation }) => ({
    form: {
      operation,
      schema: bodyOf(operation),
      order: [...fields.map(name => `${at}[].${name}`), ...route],
      alwaysAsk: [],
      derived: [],
      groupNames: { [`${at}[]`]: 'Package' },
      suggest: path => (path.endsWith(`].${fields[0]}`) ? '1' : undefined),
      customQuestions: { [`${at}[]`]: savedParcelQuestion(session, shape) },
    },
  });

const SIDES = ['dimensions.length', 'dimensions.width', 'dimensions.height'];

export const quoteInterview = parcelInterview(
  'packages',
  ['quantity', 'weight', ...SIDES],
  ['originCountry', 'destinationCountry'],
  proposalPackage,
);

export const ratesInterview = parcelInterview(
  'data.packages',
  ['piece', 'pieceWeight', 'lengthCm', 'width', 'height'],
  ['data.countryFrom', 'data.countryTo'],
  ratePackage,
);
