// Which territory an address is in, by its country and postal code: for VAT, because the number of an import scheme holds for one
// territory, and for customs, because goods between two territories are declared.

import { EU_MEMBERS } from './countries.ts';
import { textAt } from './paths.ts';

/** The VAT territory of the European Union, with Northern Ireland, or that of Great Britain. */
export type VatTerritory = 'EU' | 'GB';

/**
 * Postal codes of a member that are outside of its VAT territory: the Canaries, Ceuta and Melilla; Åland; Büsingen and Heligoland;
 * Livigno and Campione; Mount Athos; the overseas territories of France (Monaco, 98000, counts as France); Greenland and the
 * Faroe Islands.
 */
const OUTSIDE: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    ES: /^(35|38|51|52)\d{3}$/,
    FI: /^22\d{3}$/,
    DE: /^(78266|27498)$/,
    IT: /^(23041|22061)$/,
    GR: /^63086$/,
    FR: /^(97\d|98[4678])\d{2}$/,
    DK: /^(39\d{2}|\d{3})$/,
    // Jersey and Guernsey.
    GB: /^(JE|GY)\d/,
  }),
);

/** The VAT territory of an address; `undefined` if the address is in neither territory. */
export function vatTerritory(country: string, postalCode: string): VatTerritory | undefined {
  const given = postalCode.toUpperCase().replace(/[\s-]/g, '');
  // A postal code may begin with a letter for the country, as in `D-27498`.
  const code = country === 'GB' ? given : given.replace(/^[A-Z]{1,3}(?=\d)/, '');
  if (OUTSIDE.get(country)?.test(code)) return undefined;
  if (country === 'GB') return code.startsWith('BT') ? 'EU' : 'GB';
  // Monaco is a part of the VAT territory of France.
  return EU_MEMBERS.has(country) || country === 'MC' ? 'EU' : undefined;
}

/** Countries without customs of their own, each with the country whose customs it has. */
const CUSTOMS_OF: ReadonlyMap<string, string> = new Map(Object.entries({ LI: 'CH', IM: 'GB', PR: 'US' }));

/**
 * The customs territory of an address: goods from one territory to another are declared. A part of a country that is outside of its
 * VAT territory, such as the Canaries, counts as a territory of its own: there, too, goods are declared.
 */
export function customsTerritory(country: string, postalCode: string): string {
  const own = CUSTOMS_OF.get(country) ?? country;
  return vatTerritory(own, postalCode) ?? `${own} alone`;
}

/** Do the goods of a shipment go from one customs territory to another? An unknown place counts as another territory. */
export function isDeclared(shipment: unknown): boolean {
  const [from, to] = ['sender', 'receiver'].map(role => {
    const country = textAt(shipment, `${role}.address.country.code`)?.toUpperCase();
    const code = textAt(shipment, `${role}.address.zipCode`) ?? '';
    return country === undefined ? undefined : customsTerritory(country, code);
  });
  return from === undefined || from !== to;
}
