// The forms of `quote` and `rates`. They cost nothing, so there is no review.
import { bodyOf } from '../contract/operation.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { type Parcel, proposalPackage, ratePackage } from '../order/options.ts';
import type { AskedFields } from './form.ts';
import type { MakeForm } from './run.ts';
import { savedPackageQuestion } from './ship.ts';

interface Fields {
  packages: string;
  from: string;
  to: string;
  postalCode: string;
  /** What is shipped; only `quote` can say it. */
  type?: string;
  fields: AskedFields;
}

const packagesForm =
  ({ packages, from, to, postalCode, type, fields }: Fields, shape: (parcel: Parcel) => unknown): MakeForm =>
  (desk, { operation, layers }, start) => {
    const element = `${packages}[]`;
    return {
      schema: bodyOf(operation),
      fields: {
        ...fields,
        [from]: { usual: textAt(desk.target().profile.sender, 'address.country.code') },
      },
      groupNames: { [element]: 'Package' },
      // Who gives packages or country in a flag or a file has left out what belongs to them. A draft has its packages from then on.
      alwaysAsk: [
        ...(type !== undefined && getAt(start, packages) === undefined ? [type] : []),
        ...(getAt(layers.full, to) === undefined ? [postalCode] : []),
      ],
      customQuestions: { [element]: savedPackageQuestion(desk, shape) },
    };
  };

const POSTAL_CODE = {
  title: 'Postal code at the destination (Enter: none)',
  hint: 'Carriers may charge more for a remote area. Give the postal code if the price must contain that surcharge.',
};

export const quoteForm = packagesForm(
  {
    packages: 'packages',
    from: 'originCountry',
    to: 'destinationCountry',
    postalCode: 'postalCode',
    type: 'packageType',
    fields: {
      packageType: { title: 'What is shipped', usual: 'package' },
      'packages[].quantity': { usual: '1' },
      'packages[].weight': {},
      'packages[].dimensions.length': {},
      'packages[].dimensions.width': {},
      'packages[].dimensions.height': {},
      originCountry: {},
      destinationCountry: {},
      postalCode: POSTAL_CODE,
    },
  },
  proposalPackage,
);

export const ratesForm = packagesForm(
  {
    packages: 'data.packages',
    from: 'data.countryFrom',
    to: 'data.countryTo',
    postalCode: 'data.postalCode',
    fields: {
      'data.packages[].piece': { usual: '1' },
      'data.packages[].pieceWeight': {},
      'data.packages[].lengthCm': {},
      'data.packages[].width': {},
      'data.packages[].height': {},
      'data.countryFrom': {},
      'data.countryTo': {},
      'data.postalCode': POSTAL_CODE,
    },
  },
  ratePackage,
);
