// The forms of `quote` and `rates`. They cost nothing, so there is no review.
import { bodyOf } from '../contract/operation.ts';
import { getAt } from '../contract/paths.ts';
import { type Parcel, proposalPackage, ratePackage } from '../request/specs.ts';
import type { MakeForm } from './run.ts';
import { savedPackageQuestion } from './saved-questions.ts';

interface Fields {
  packages: string;
  /** Of a package, the number of pieces first. */
  piece: readonly string[];
  from: string;
  to: string;
  postalCode: string;
  /** What is shipped; only `quote` can say it. */
  type?: string;
}

const packagesForm =
  ({ packages, piece, from, to, postalCode, type }: Fields, shape: (parcel: Parcel) => unknown): MakeForm =>
  (session, { operation, layers }, start) => {
    const element = `${packages}[]`;
    const types = type === undefined ? [] : [type];
    return {
      schema: bodyOf(operation),
      order: [...types, ...piece.map(name => `${element}.${name}`), from, to, postalCode],
      groupNames: { [element]: 'Package' },
      // Who gives packages or country in a flag or a file has left out what belongs to them. A draft has its packages from then on.
      alwaysAsk: [
        ...(getAt(start, packages) === undefined ? types : []),
        ...(getAt(layers.full, to) === undefined ? [postalCode] : []),
      ],
      labelAt: path => LABELS[path === postalCode ? 'postalCode' : path],
      hintAt: path => (path === postalCode ? POSTAL_CODE : undefined),
      suggest: path => (path === type ? 'package' : path.endsWith(`].${piece[0]}`) ? '1' : undefined),
      customQuestions: { [element]: savedPackageQuestion(session, shape) },
    };
  };

const LABELS: Readonly<Record<string, string>> = {
  packageType: 'What is shipped',
  postalCode: 'Postal code at the destination (Enter: none)',
};

const POSTAL_CODE =
  'Carriers may charge more for a remote area. Give the postal code if the price must contain that surcharge.';

export const quoteForm = packagesForm(
  {
    packages: 'packages',
    piece: ['quantity', 'weight', 'dimensions.length', 'dimensions.width', 'dimensions.height'],
    from: 'originCountry',
    to: 'destinationCountry',
    postalCode: 'postalCode',
    type: 'packageType',
  },
  proposalPackage,
);

export const ratesForm = packagesForm(
  {
    packages: 'data.packages',
    piece: ['piece', 'pieceWeight', 'lengthCm', 'width', 'height'],
    from: 'data.countryFrom',
    to: 'data.countryTo',
    postalCode: 'data.postalCode',
  },
  ratePackage,
);
