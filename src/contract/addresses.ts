// How addresses are written in each country: whether an address has a house number, and whether it needs its state.

import { folded } from '../text.ts';

/** The parts of an address that a label shows. */
export interface AddressLines {
  country: string | undefined;
  line1: string | undefined;
  line2?: string | undefined;
  city?: string | undefined;
  /** Only in dual shipments: the district, and the code of the city. */
  others?: readonly (string | undefined)[];
}

/**
 * Countries where a street without a number is a mistake, and the lines that need a number: in the first countries every line, in the
 * others only a line with a word for a street. All other countries are left out: their houses have names (GB, IE), numbers are rare
 * (AE), or a number is that of a block or a box.
 */
const NUMBERED: ReadonlyMap<string, RegExp> = new Map([
  ...'AT BE CZ DE DK HU LU NL PL SI SK'.split(' ').map(country => [country, /\p{L}/u] as const),
  ...Object.entries({
    'CH LI': /(?:strasse|str|weg|gasse|platz)\b|\b(?:rue|avenue|chemin|route|via)\b/,
    'FR MC': /\b(?:rue|avenue|boulevard|bd|quai)\b/,
    IT: /\b(?:via|viale|corso)\b/,
    ES: /\b(?:calle|avenida|avda|paseo)\b|\bc\//,
    PT: /\b(?:rua|avenida)\b/,
    'FI SE': /(?:gatan|vagen|grand|katu|tie)\b/,
    NO: /(?:gata|gate|veien|vegen)\b/,
    TR: /\b(?:cadde|caddesi|cad|cd|sokak|sokagi|sok|sk|bulvari|blv)\b/,
    'AU CA NZ US':
      /\b(?:street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|highway|hwy)\b\.?(?: [nsew]{1,2}\b)?\s*(?:,|$)/m,
  }).flatMap(([countries, street]) => countries.split(' ').map(country => [country, street] as const)),
]);

/** Words that stand in the place of a house number: a box, a post office, or a word for "no number". For text without case and marks. */
const WITHOUT_NUMBER =
  /\b(?:box|postfach|postbus|postboks|boite postale|apartado|skrytka|poste restante|postlagernd|packstation|general delivery|lista de correos|fermo ?posta|no number|sin numero|senza numero|ohne nummer|ohne nr)\b|(?<!\w)s[./ ]?n(?:[./ ]?c)?(?!\w)/;

/** The street line, if no line of the address has a number, and addresses of the country have a house number. */
export function streetWithoutNumber(address: AddressLines): string | undefined {
  const { country = '', line1 = '', line2 = '' } = address;
  const street = NUMBERED.get(country);
  if (street === undefined || /\p{N}/u.test(line1 + line2)) return undefined;
  if (WITHOUT_NUMBER.test(folded(`${line1}\n${line2}`))) return undefined;
  return [line1, line2].find(line => street.test(folded(line)));
}

/** The codes and the names of the states in such a list. */
const statesOf = (written: string) =>
  written.split(',').flatMap(row => {
    const [code = '', ...name] = row.trim().split(' ');
    return [code, name.join(' ')].filter(Boolean).map(folded);
  });

/** The states, provinces and territories of a country, by code and by name. */
const STATES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    US: `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, FL Florida,
      GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine,
      MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana, NE Nebraska,
      NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North Carolina, ND North Dakota, OH Ohio,
      OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas,
      UT Utah, VT Vermont, VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming, DC District of Columbia,
      PR Puerto Rico, GU Guam, VI Virgin Islands, AS American Samoa, MP Northern Mariana Islands, AA, AE, AP, D.C.`,
    CA: `AB Alberta, BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador, NL Newfoundland,
      NS Nova Scotia, NT Northwest Territories, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec, SK Saskatchewan,
      YT Yukon`,
    AU: `ACT Australian Capital Territory, NSW New South Wales, NT Northern Territory, QLD Queensland, SA South Australia,
      TAS Tasmania, VIC Victoria, WA Western Australia`,
  }).map(([country, written]) => [country, new Set(statesOf(written))]),
);

/** A city with its state, as people there write it. */
export const STATE_EXAMPLES: Readonly<Record<string, string>> = {
  US: 'Austin, TX',
  CA: 'Toronto, ON',
  AU: 'Sydney NSW',
};

/** What may stand behind a state: a postal code, the country. */
const BEHIND_STATE =
  /[\s,]+(?:u\.?s\.?a?\.?|united states|canada|australia|[\d-]{4,10}|[a-z]\d[a-z] ?\d[a-z]\d)$/;

/** Does a text end with a state, perhaps followed by a postal code or the country? */
function endsWithState(text: string, states: ReadonlySet<string>): boolean {
  const words = folded(text)
    .trim()
    .replace(BEHIND_STATE, '')
    .replace(BEHIND_STATE, '')
    .split(/[\s,()]+/)
    .filter(Boolean);
  return [1, 2, 3, 4].some(count => states.has(words.slice(-count).join(' ')));
}

/** The city with the state behind it, in a country whose addresses have one, unless the city says a state itself. */
export function cityWithState(city: string, state: string, country: string): string {
  const states = STATES.get(country);
  // "New York" alone is the city, and not the state.
  const isSaid = states !== undefined && !states.has(folded(city).trim()) && endsWithState(city, states);
  return states === undefined || isSaid || state.trim() === '' ? city : `${city}, ${state.trim()}`;
}

/** Does an address lack its state, although addresses of its country have one? A street with the name of a state does not count. */
export function lacksState(address: AddressLines): boolean {
  const { country = '', line1 = '', line2, city, others = [] } = address;
  const states = STATES.get(country);
  if (states === undefined || !city?.trim()) return false;
  const [, behindStreet] = /,([^,]*(?:,[^,]*){0,2})$/.exec(line1) ?? [];
  return ![city, line2, behindStreet, ...others].some(
    text => text !== undefined && endsWithState(text, states),
  );
}
