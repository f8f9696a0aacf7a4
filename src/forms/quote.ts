// The forms of `quote` and `rates`. Both commands cost nothing, so that their forms have no review.
import { bodyOf } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { type Parcel, proposalPackage, ratePackage } from '../order/options.ts';
import type { AskedFields, MakeForm } from './form.ts';
import { nestedFields, savedPackageQuestion } from './ship.ts';

interface Paths {
  /** The beginning of the paths of packages and postal code, such as `data.`; '': both are at the top of the body. */
  parent: string;
  /** The fields of a package, in the order in which a person thinks of them. */
  package: AskedFields;
  from: string;
  to: string;
  /** The path of what is shipped; only `quote` has such a field. */
  type?: string;
}

const packagesForm =
  (paths: Paths, shape: (parcel: Parcel) => unknown): MakeForm =>
  (session, { operation, layers }, start) => {
    const packages = `${paths.parent}packages`;
    const postalCode = `${paths.parent}postalCode`;
    return {
      schema: bodyOf(operation),
      fields: {
        ...(paths.type !== undefined && { [paths.type]: { title: 'What is shipped', usual: 'package' } }),
        ...nestedFields(`${packages}[]`, paths.package),
        [paths.from]: { usual: textAt(session.target().profile.sender, 'address.country.code') },
        [paths.to]: {},
        [postalCode]: POSTAL_CODE,
      },
      groupNames: { [`${packages}[]`]: 'Package' },
      // A person who gives packages or country in a flag or a file has left out the type or the postal code on purpose.
      alwaysAsk: [
        ...(paths.type !== undefined && getAt(start, packages) === undefined ? [paths.type] : []),
        ...(getAt(layers.full, paths.to) === undefined ? [postalCode] : []),
      ],
      customQuestions: { [`${packages}[]`]: savedPackageQuestion(session, shape) },
    };
  };

const POSTAL_CODE = {
  title: 'Postal code at the destination (Enter: none)',
  hint: 'Carriers may charge more for a remote area: with the postal code the price contains that.',
};

export const quoteForm = packagesForm(
  {
    parent: '',
    package: {
      quantity: { usual: '1' },
      weight: {},
      'dimensions.length': {},
      'dimensions.width': {},
      'dimensions.height': {},
    },
    from: 'originCountry',
    to: 'destinationCountry',
    type: 'packageType',
  },
  proposalPackage,
);

export const ratesForm = packagesForm(
  {
    parent: 'data.',
    package: { piece: { usual: '1' }, pieceWeight: {}, lengthCm: {}, width: {}, height: {} },
    from: 'data.countryFrom',
    to: 'data.countryTo',
  },
  ratePackage,
);
