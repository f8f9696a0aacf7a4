// What `ship` and `ship-dual` ask for, in the order in which a person thinks: what and how heavy, from whom, to whom,
// contents and customs, the carrier.

import Big from 'big.js';
import type { Bounds } from '../carriers/choose.ts';
import { priceWords } from '../carriers/proposals.ts';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { bodyOf } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, textAt } from '../contract/paths.ts';
import type { RequestParts } from '../orders/request-command.ts';
import { shipmentPackage } from '../request/specs.ts';
import { warningsOf } from '../request/warnings.ts';
import { placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';
import {
  carrierQuestion,
  carrierReview,
  carrierTextQuestion,
  createProposalCache,
  withResolvedCarrier,
} from './carrier.ts';
import type { Form, Review } from './engine/form.ts';
import type { Interview, MakeInterview } from './interview.ts';
import { route, shipmentLines } from './review-lines.ts';
import { originCountryQuestion, savedParcelQuestion, savedPartyQuestion } from './saved-questions.ts';

const PERSON = [
  ...['firstName', 'lastName', 'companyName', 'email', 'address.country.code', 'phone.code', 'phone.number'],
  ...['address.line1', 'address.line2', 'address.zipCode', 'address.city', 'address.nationalShortAddress'],
];
const PARCEL = ['quantity', 'weight', 'dimensions.length', 'dimensions.width', 'dimensions.height'];
const ITEM = ['description', 'hsCode', 'countryOfOrigin', 'quantity', 'unitPrice', 'totalPrice'];

const ORDER = [
  'type',
  ...PARCEL.map(name => `packages[].${name}`),
  ...['sender', 'receiver'].flatMap(role => PERSON.map(name => `${role}.${name}`)),
  ...['category', 'deliveryType', 'customs.currency'],
  ...ITEM.map(name => `items[].${name}`),
  'customs.totalGoodsValue',
  ...['carrier', 'carriers.international', 'carriers.domestic', 'customs', 'chargeableWeight', 'invoice'],
];

const NAMES = {
  sender: 'Sender',
  receiver: 'Receiver',
  invoice: 'Invoice',
  'packages[]': 'Package',
  'items[]': 'Item',
};

function shipmentForm(session: Session, operation: Operation, begun: unknown): Form {
  const schema = bodyOf(operation);
  return {
    schema,
    order: ORDER,
    // Who has listed the goods has been asked, or relies on what is assumed.
    alwaysAsk: ['items[].totalPrice', ...(getAt(begun, ['items']) === undefined ? ['deliveryType'] : [])],
    derived: [...PARTIES.map(role => `${role}.phone.code`), 'items[].totalPrice', 'customs.totalGoodsValue'],
    groupNames: NAMES,
    labelAt: labelAt,
    suggest: suggest,
    customQuestions: {
      ...Object.fromEntries(PARTIES.map(role => [role, savedPartyQuestion(session, schema, role)])),
      'packages[]': savedParcelQuestion(session, shipmentPackage),
      'items[].countryOfOrigin': originCountryQuestion,
    },
  };
}

/** Shorter than in help, and with the unit or currency that holds. */
function labelAt(path: string, body: unknown): string | undefined {
  const side = /\.dimensions\.(length|width|height)$/.exec(path)?.[1];
  if (side !== undefined) return `${side[0]?.toUpperCase()}${side.slice(1)} in ${unitAt(path, body)}`;
  if (path.endsWith('.address.country.code')) return 'Country';
  if (path.endsWith('.phone.code')) return 'Phone country code';
  if (path.endsWith('.phone.number')) return 'Phone number without it';
  if (path.endsWith('.address.zipCode')) return 'Postal code';
  if (path.endsWith('.nationalShortAddress')) return 'National short address (Saudi Arabia)';
  const currency = textAt(body, 'customs.currency') ?? 'the currency of customs';
  if (path.endsWith('.unitPrice')) return `Price of a unit in ${currency}`;
  if (path.endsWith('.totalPrice')) return `Price of all units in ${currency}`;
  return path === 'customs.totalGoodsValue' ? `Value of all goods in ${currency}` : undefined;
}

const unitAt = (path: string, body: unknown): string => textAt(body, path.replace(/\.\w+$/, '.unit')) ?? 'cm';

/** What follows from the rest: the dialling code of the country, totals; and what is so most of the time. */
function suggest(path: string, body: unknown): string | undefined {
  const phone = /^(\w+)\.phone\.code$/.exec(path)?.[1];
  if (phone !== undefined) return DIALLING_CODES.get(textAt(body, `${phone}.address.country.code`) ?? '');
  const item = /^(items\[\d+\])\.totalPrice$/.exec(path)?.[1];
  if (item !== undefined) return product(getAt(body, `${item}.quantity`), getAt(body, `${item}.unitPrice`));
  if (path === 'customs.totalGoodsValue') return sum(getAt(body, ['items']));
  if (path === 'deliveryType') return 'DAP';
  return /^packages\[\d+\]\.quantity$/.test(path) ? '1' : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const product = (quantity: unknown, price: unknown): string | undefined =>
  isNumber(quantity) && isNumber(price) ? Big(quantity).times(price).toString() : undefined;

/** Of the items that have a total: one that is being added comes to it at its turn. */
function sum(items: unknown): string | undefined {
  const totals = Array.isArray(items) ? items.map(item => getAt(item, ['totalPrice'])).filter(isNumber) : [];
  return totals.length > 0
    ? totals.reduce<Big>((all, total) => all.plus(total), Big(0)).toString()
    : undefined;
}

/** What the last choice of the review does, where it is charged. */
const submitLabel = (parts: RequestParts, price: string | undefined): string =>
  parts.dryRun ? 'Show the request' : `Book it${price === undefined ? '' : ` for ${price}`}`;

const summaryOf = (session: Session, body: unknown, price: string | undefined): string[] => [
  route(body),
  `${price ?? 'price not known'}, charged to ${placeOf(session.target())}`,
  ...warningsOf(body).map(warning => `! ${warning}`),
];

/** `ship`: the carrier is one of the proposals, within the bounds of the flags. */
export const shipInterview =
  (bounds: Bounds): MakeInterview =>
  (session, parts, begun): Interview => {
    const offers = createProposalCache(session, parts);
    const form = shipmentForm(session, parts.operation, begun);
    const isDry = parts.dryRun;
    return {
      form: {
        ...form,
        suppliedLater: parts.unresolved ?? [],
        customQuestions: {
          ...form.customQuestions,
          'carrier.id': async (path, body) =>
            isDry ? carrierTextQuestion(path) : carrierQuestion(offers, path, body, bounds),
        },
        ...(!isDry && {
          resolve: (body: unknown) => withResolvedCarrier(offers, 'carrier.id', body, bounds),
        }),
        async review(body): Promise<Review> {
          const { line, proposal } = isDry
            ? { line: { label: 'Carrier', path: 'carrier.id', text: textAt(body, 'carrier.id') ?? '' } }
            : await carrierReview(offers, 'carrier.id', body, bounds);
          const price = proposal && priceWords(proposal);
          const weight = getAt(body, ['chargeableWeight']);
          const told = getAt(offers.cached(body), ['chargeableWeight']);
          const words = told === undefined ? '' : `${told} kg, from the proposals`;
          return {
            summary: summaryOf(session, body, price),
            lines: [
              ...shipmentLines(form.schema, body),
              line,
              {
                label: 'Chargeable',
                path: 'chargeableWeight',
                text: weight === undefined ? words : `${weight} kg`,
              },
            ],
            submitLabel: submitLabel(parts, price),
          };
        },
      },
      proposals: body => offers.cached(body),
    };
  };

/** `ship-dual`: the proposals tell of the international leg alone; no price is told of a pair. */
export const dualInterview: MakeInterview = (session, parts, begun): Interview => {
  const offers = createProposalCache(session, parts);
  const form = shipmentForm(session, parts.operation, begun);
  const isDry = parts.dryRun;
  const international = 'carriers.international.id';
  return {
    form: {
      ...form,
      ...(!isDry && {
        customQuestions: {
          ...form.customQuestions,
          [international]: async (path: string, body: unknown) => carrierQuestion(offers, path, body, {}),
        },
      }),
      async review(body): Promise<Review> {
        const id = textAt(body, international);
        return {
          summary: summaryOf(session, body, undefined),
          lines: [
            ...shipmentLines(form.schema, body),
            {
              label: 'International',
              path: international,
              text: id ?? '',
              ...(!id && { problem: 'none is picked' }),
            },
            {
              label: 'Domestic',
              path: 'carriers.domestic.id',
              text: textAt(body, 'carriers.domestic.id') ?? '',
            },
            {
              label: 'Labels',
              path: 'label',
              text: getAt(body, ['label']) === true ? 'made in the same call' : 'not now',
            },
          ],
          submitLabel: submitLabel(parts, undefined),
        };
      },
    },
  };
};
