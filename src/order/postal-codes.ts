// What postal codes look like, and which countries have none.

/** Examples for each country, in which a digit stands for any digit, and a letter for any letter. */
const EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map(
  `AT 1010, AU 2000, BE 1000, BG 1000, BR 01310-100, CA K1A 0B1, CH 8001, CN 100000, CY 1010, CZ 110 00, DE 10115, DK 1050,
  EE 10111, ES 28001, FI 00100, FR 75001, GB SW1A 1AA|M1 1AE|M60 1NW|CR2 6XH|DN55 1PT|W1A 0AX, GR 104 31, HR 10000, HU 1011,
  ID 10110, IN 110001, IT 00118, JP 100-0001, KR 04524, LT 01100, LU 1111, LV 1010, MT VLT 1117, MX 06000, MY 50000, NL 1011 AB,
  NO 0150, NZ 6011, PK 44000, PL 00-001, PT 1000-001|1000, RO 010011, RU 101000, SA 11564|11564-1234, SE 111 20, SG 018956,
  SI 1000, SK 811 01, TH 10100, TR 34000, UA 01001, US 10001|10001-1234, ZA 0001`
    .split(/,\s+/)
    .map(row => [row.slice(0, 2), row.slice(3).split('|')]),
);

const shapeOfCode = (code: string): string =>
  code.replace(/[\s-]/g, '').toUpperCase().replace(/\d/g, '9').replace(/[A-Z]/g, 'A');

/** A postal code of the country, as an example; `undefined` if its codes are not known here. */
export const postalCodeExample = (country: unknown): string | undefined => EXAMPLES.get(String(country))?.[0];

const WITHOUT_POSTAL_CODES: ReadonlySet<string> = new Set(
  `AE AG AO AW BF BI BJ BS BW BZ CD CF CG CI CK CM DJ DM ER FJ GD GM GQ GY HK KI KM KN KP LC ML MO MR MW NR NU QA RW SB SC SL
  SR ST SY TD TG TK TL TO TV UG VU YE ZW`.split(/\s+/),
);

/** Has the country no postal codes? The service wants some text all the same. */
export const hasNoPostalCodes = (country: unknown): boolean => WITHOUT_POSTAL_CODES.has(String(country));

/** Is the country known to need a postal code? For a country that is not known here it is `false`. */
export const needsPostalCode = (country: unknown): boolean => EXAMPLES.has(String(country));

/** What senders write where a country has no postal codes. */
export const NO_POSTAL_CODE = '00000';

/** Does a text look like a postal code of the country? For a country that is not known here, it only needs a digit. */
export function isPostalCode(code: string, country: unknown): boolean {
  const examples = EXAMPLES.get(String(country));
  if (examples === undefined) return /\d/.test(code);
  // A prefix, as in `D-10115` and `LV-1010`, is usual, too.
  const shapes = [shapeOfCode(code), shapeOfCode(code.trim().replace(/^[a-z]{1,3}-/i, ''))];
  return examples.some(example => shapes.includes(shapeOfCode(example)));
}
