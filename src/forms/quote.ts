// The forms of `quote` and `rates`. They cost nothing, so there is no review.
import { bodyOf } from '../contract/operation.ts';
import { type Parcel, proposalPackage, ratePackage } from '../request/specs.ts';
import type { MakeForm } from './run.ts';
import { savedPackageQuestion } from './saved-questions.ts';

/** `fields` are those of a package, the number of pieces first. */
const packagesForm =
  (
    list: string,
    fields: readonly string[],
    route: readonly string[],
    shape: (parcel: Parcel) => unknown,
  ): MakeForm =>
  (session, { operation }) => ({
    schema: bodyOf(operation),
    order: [...fields.map(name => `${list}[].${name}`), ...route],
    groupNames: { [`${list}[]`]: 'Package' },
    suggest: path => (path.endsWith(`].${fields[0]}`) ? '1' : undefined),
    customQuestions: { [`${list}[]`]: savedPackageQuestion(session, shape) },
  });

export const quoteForm = packagesForm(
  'packages',
  ['quantity', 'weight', 'dimensions.length', 'dimensions.width', 'dimensions.height'],
  ['originCountry', 'destinationCountry'],
  proposalPackage,
);

export const ratesForm = packagesForm(
  'data.packages',
  ['piece', 'pieceWeight', 'lengthCm', 'width', 'height'],
  ['data.countryFrom', 'data.countryTo'],
  ratePackage,
);
