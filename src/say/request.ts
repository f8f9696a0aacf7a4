// What is said of a field of a request: a problem, or a probable mistake. The path of the field stands before the words.
import { vatTerritory } from '../contract/territories.ts';
import { shown, shownId } from '../text.ts';
import { weightWords } from './carriers.ts';
import { flag, type Saying, say, stranger, type Text } from './sentence.ts';

// What is wrong with a field.

/** What is wrong with a field, followed by the option that gives the field. */
export const withOption = (message: string, option: string | undefined): string =>
  option === undefined ? message : `${message} (${option})`;

const KINDS = {
  text: 'text',
  number: 'a number',
  finite: 'a finite number',
  'with-dot': 'a number with a dot for its decimals',
  short: 'a number of at most 15 digits',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
};

/** The kind of value that a field must have. */
export type ValueKind = keyof typeof KINDS;

/** What is wrong with a field. `given`: the value of the field. */
export type FieldProblem =
  /** `choices`: the only values that are allowed, if not all are. `option`: the option that gives the field. */
  | { problem: 'missing'; choices: readonly string[]; option?: string | undefined }
  | { problem: 'postal-code-missing'; country: string; example: string | undefined }
  | { problem: 'unknown' | 'no-entry' | 'no-pieces' | 'header-name' | 'empty' | 'half-letter' }
  | { problem: 'other-value'; choices: readonly string[]; given: unknown }
  | { problem: 'other-kind'; kind: ValueKind; given: unknown }
  | { problem: 'list-with-dots'; list: string; index: number }
  | { problem: 'several-lines' | 'negative' | 'line-break' | 'not-valid' | 'not-centimetres'; given: unknown }
  /** `weight`: the weight that the proposals are for. */
  | { problem: 'other-weight'; weight: number | undefined; given: unknown }
  | { problem: 'limit-unknown'; usual: string; currency: string; setting: string; profile: string };

export function problemWords(problem: FieldProblem): string {
  const but = 'given' in problem ? `, not ${shown(problem.given)}` : '';
  switch (problem.problem) {
    case 'missing': {
      const { choices, option } = problem;
      const [last = '', ...others] = choices.toReversed();
      const allowed = choices.length === 0 ? '' : `: ${others.toReversed().join(', ')} or ${last}`;
      return withOption(`is required${allowed}`, option);
    }
    case 'postal-code-missing':
      return `is required in ${problem.country}, such as ${problem.example}`;
    case 'unknown':
      return 'is not a field of the service document (--allow-unknown sends it anyway)';
    case 'no-entry':
      return 'needs at least one entry';
    case 'no-pieces':
      return 'is 0: write how many pieces there are';
    case 'header-name':
      return 'is not a header name that begins with X-';
    case 'empty':
      return 'must not be empty';
    case 'half-letter':
      return 'is not text: it has half of a surrogate pair; write it again';
    case 'other-value':
      return `must be one of ${problem.choices.join(', ')}${but}`;
    case 'other-kind':
      return `must be ${KINDS[problem.kind]}${but}`;
    case 'list-with-dots':
      return `must be a list: write ${problem.list}[${problem.index}], not ${problem.list}.${problem.index}`;
    case 'several-lines':
      return `must be one line of text${but}`;
    case 'negative':
      return `must not be negative${but}`;
    case 'line-break':
      return `must not hold line breaks or NUL${but}`;
    case 'not-valid':
      return `is not valid${but}`;
    case 'not-centimetres':
      return `must be cm${but}`;
    case 'other-weight':
      return `is ${problem.given}; the proposals are for ${weightWords(problem.weight)}`;
    case 'limit-unknown': {
      const { usual, currency, setting, profile } = problem;
      return `holds for goods of at most ${usual.replace(/(?=[A-Z])/, ' ')}, and nothing says how much that is in ${shownId(currency)}: \`waybill profile set ${profile} ${setting}=${usual},AMOUNT${shownId(currency)}\``;
    }
  }
}

const PHONE_FAULTS = {
  'no-number': 'must be a phone number',
  'no-country':
    'must begin with the prefix of its country, such as +49, if no country of its address is given',
  'no-prefix': 'does not begin with the prefix of a country',
  'with-or-without-code': 'must begin with + or 0, because its first digits may be the code of its country',
};

/** Why a text cannot be read as a phone number. */
export type PhoneFault = keyof typeof PHONE_FAULTS;

export const phoneFaultWords = (fault: PhoneFault): string => PHONE_FAULTS[fault];

// Customs numbers.

const TERRITORIES = { EU: 'the VAT territory of the EU', GB: 'Great Britain' };

/** Why a customs number may not be declared for an order. */
export type NumberFault =
  | { fault: 'sold-by-marketplace' | 'bought-by-company' | 'goes-back' }
  | { fault: 'other-territory'; territory: keyof typeof TERRITORIES }
  | { fault: 'above-limit'; value: number; limit: string; currency: string };

export function numberFaultWords(fault: NumberFault): string {
  switch (fault.fault) {
    case 'sold-by-marketplace':
      return 'a marketplace sold the order, which needs the number of that marketplace';
    case 'bought-by-company':
      return 'a company bought the order, and declares the VAT itself';
    case 'goes-back':
      return 'goods that go back are not sold, and the number says that the VAT of a sale was paid';
    case 'other-territory':
      return `it holds for goods to ${TERRITORIES[fault.territory]}`;
    case 'above-limit':
      return `it covers goods up to ${fault.limit} ${shownId(fault.currency)}, and these are worth ${fault.value} ${shownId(fault.currency)}`;
  }
}

/** Where an order goes, said only if its customs number is for another territory. */
function otherPlaceWords(doubt: Extract<Doubt, { doubt: 'other-order' }>): string {
  if (doubt.because.fault !== 'other-territory' || doubt.country === undefined) return '';
  const isPart = vatTerritory(doubt.country, '') === doubt.because.territory;
  return `, and this order goes to ${isPart ? `a part of ${doubt.country} outside it` : doubt.country}`;
}

/** The reason in words that are the same for all orders. */
export function numberFaultKind(fault: NumberFault): string {
  switch (fault.fault) {
    case 'sold-by-marketplace':
      return 'sold by a marketplace';
    case 'bought-by-company':
      return 'bought by a company';
    case 'goes-back':
      return 'sent back';
    case 'other-territory':
      return `not to ${TERRITORIES[fault.territory]}`;
    case 'above-limit':
      return 'goods above the limit';
  }
}

/** A required customs number is missing: the known number does not hold for the order, and is left out. */
export const leftOutProblem = (message: string, fault: NumberFault): string =>
  `${message}; the one that is known is left out: ${numberFaultWords(fault)}`;

/** A required customs number may not be declared for the order: nobody is told to give it. */
export const undeclaredProblem = (message: string, fault: NumberFault): string =>
  `${message}, but ${numberFaultWords(fault)}: choose another carrier`;

// What is probably a mistake in a field.

const LIKENESSES = {
  'e-mail-address': 'an e-mail address, such as anna@example.com',
  'dialling-code': 'a dialling code, such as +49',
  'short-address': 'a short address of Saudi Arabia, such as RRRD2929',
  currency: 'a currency code of ISO 4217, such as EUR',
  'ioss-number': 'an IOSS number, such as IM0123456789',
  'hs-code': 'an HS code of 6, 8, 10 or 12 digits, such as 090121',
};

/** What a text should look like, and does not. */
export type Likeness =
  | { like: keyof typeof LIKENESSES }
  /** `isUsual`: the country has no postal codes, and `example` is what is usually written. */
  | { like: 'postal-code'; example: string; isUsual: boolean }
  | { like: 'country'; meant: string | undefined }
  | { like: 'phone-number'; example: string; code?: string | undefined };

function likenessWords(likeness: Likeness): string {
  switch (likeness.like) {
    case 'postal-code':
      return likeness.isUsual
        ? `a postal code: where there is none, ${likeness.example} is usual`
        : `a postal code, such as ${likeness.example}`;
    case 'country':
      return `a country's code of two letters, such as TR${likeness.meant === undefined ? '' : ` (did you mean ${likeness.meant}?)`}`;
    case 'phone-number': {
      const { code, example } = likeness;
      return `a phone number ${code === undefined ? 'without its dialling code' : `with the country code ${code}`}, such as ${example}`;
    }
    default:
      return LIKENESSES[likeness.like];
  }
}

/** What is probably a mistake in a field, although the service document allows it. */
export type Doubt =
  | ({ doubt: 'unlike'; text: string } & Likeness)
  | { doubt: 'no-postal-code'; country: string }
  | { doubt: 'worthless' | 'zero' }
  | { doubt: 'no-words' | 'entities' | 'letters-lost' | 'digits-lost' | 'no-house-number'; text: string }
  /** A line of an address. `longest`: how many characters of a line are printed on labels. */
  | { doubt: 'long-line'; text: string; longest: number }
  /** `text`: the city. `example`: a city with its state. */
  | { doubt: 'no-state'; text: string; example: string }
  /** `code`: the code of the country. The phone number begins with it: the code is taken off (`code-taken`), or may be repeated. */
  | { doubt: 'code-taken' | 'code-repeated'; text: string; code: number }
  /** `amount`: kilograms of a piece, or centimetres of a side. `most`: the most that most carriers take. */
  | { doubt: 'heavy' | 'long-side'; amount: number; most: number }
  | { doubt: 'misread'; text: string; meant: string }
  | { doubt: 'post-box'; text: string; carrier: string; mayBeEconomy: boolean }
  | { doubt: 'part-of-piece'; amount: number }
  | { doubt: 'several-documents'; count: number }
  | { doubt: 'foreign-letters'; fields: readonly string[] }
  /** `sum`: decimal text. */
  | { doubt: 'other-product' | 'other-sum' | 'too-light'; amount: number; sum: string }
  /** `country`: the country that the order goes to. */
  | { doubt: 'other-order'; because: NumberFault; country: string | undefined }
  /** `column`: the title of a column in the file of orders. */
  | { doubt: 'company'; column: string };

/** What is doubtful about a text, as a clause behind "which": the same words for all orders with that doubt. */
function clauseOf(doubt: Extract<Doubt, { text: string }>): Text {
  switch (doubt.doubt) {
    case 'unlike':
      return say`is not ${likenessWords(doubt)}`;
    case 'no-words':
      return say`says to no customs officer what it is: write it in words`;
    case 'entities':
      return say`has HTML entities: write the signs that they stand for, or read the column of a file with "transform": "html"`;
    case 'letters-lost':
      return say`has lost letters: export it again, as UTF-8`;
    case 'digits-lost':
      return say`has lost digits, as a spreadsheet rounds a long number: export it again, as text`;
    case 'misread':
      return say`was read in the wrong encoding, and probably means ${shown(doubt.meant)}: correct it, or read the file as UTF-8, without ${flag('--encoding')}`;
    case 'post-box':
      return say`is a post office box, to which ${doubt.carrier} may not deliver: ask the receiver for a street${doubt.mayBeEconomy ? ', or book the economy carrier' : ''}`;
    case 'no-house-number':
      return say`has no house number: add it, or ask the receiver for it`;
    case 'long-line':
      return say`is longer than the ${doubt.longest} characters that labels print: shorten it, or put a part into another line`;
    case 'no-state':
      return say`has no state, and no other line has one: write it behind the city, such as ${doubt.example}`;
    case 'code-taken':
      return say`begins with ${doubt.code}, the code of its country, and is sent without it`;
    case 'code-repeated':
      return say`begins with ${doubt.code}, as the code of its country does: leave the code out, or write the zero of a national number in front`;
  }
}

/** A doubt about a text, in words without that text, so that many orders share them. `undefined`: the doubt is about no text. */
export const sharedDoubt = (doubt: Doubt): { words: Text; text: string } | undefined =>
  'text' in doubt ? { words: clauseOf(doubt), text: shown(doubt.text) } : undefined;

export function doubtText(doubt: Doubt): Text {
  switch (doubt.doubt) {
    case 'no-postal-code':
      return say`is empty: find out whether ${doubt.country || 'the country'} has postal codes`;
    case 'worthless':
      return say`is 0: customs ask what goods are worth, also those of a gift or a sample`;
    case 'zero':
      return say`is 0`;
    case 'part-of-piece':
      return say`is ${doubt.amount}, which is no whole number of pieces`;
    case 'heavy':
      return say`is ${doubt.amount}, and most carriers take up to ${doubt.most} kg a piece: look for a slipped decimal point`;
    case 'long-side':
      return say`is ${doubt.amount}, and most carriers take up to ${doubt.most} cm: look for a slipped decimal point`;
    case 'several-documents':
      return say`has ${doubt.count} documents, and a proposal may be for one only: ask for each on its own`;
    case 'foreign-letters':
      return say`has letters that are not Latin, which labels may not print, in ${doubt.fields.join(', ')}`;
    case 'other-product':
      return say`is ${doubt.amount}, but quantity ${'×'} unitPrice is ${doubt.sum}`;
    case 'other-sum':
      return say`is ${doubt.amount}, but the items add up to ${doubt.sum}`;
    case 'too-light':
      return say`is ${doubt.amount}, but the packages weigh ${doubt.sum} kg`;
    case 'other-order':
      return say`stays in the order, although ${numberFaultWords(doubt.because)}${otherPlaceWords(doubt)}: leave it out`;
    case 'company':
      return say`says that a private buyer paid the VAT, and the order has a company name. If a company bought it, leave the number out: "business": {${stranger(doubt.column)}: ["*"]} in the map`;
    default:
      return say`is ${shown(doubt.text)}, which ${clauseOf(doubt)}`;
  }
}

export const REQUEST = {
  'field-doubtful': (notice: Doubt & { path: string }): Saying => ({
    what: say`${notice.path} ${doubtText(notice)}`,
  }),
  'carrier-misspelt': (notice: Record<'carrier' | 'meant', string>): Saying => ({
    what: say`${JSON.stringify(notice.carrier)} is sent as a carrier id; did you mean ${notice.meant}?`,
  }),
  /** Customs numbers that are left out. A number for another territory is not among them if the order has a number of its own. */
  'numbers-left-out': (notice: { numbers: readonly { path: string; because: NumberFault }[] }): Saying => ({
    what: say`${notice.numbers.map(({ path, because }) => `${path} is left out: ${numberFaultWords(because)}`).join('; ')}`,
  }),
};
