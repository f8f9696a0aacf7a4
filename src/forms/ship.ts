// The forms of `ship` and `ship-dual`: what they ask, the saved parties and packages that they offer, and their review.

import { isDeepStrictEqual } from 'node:util';
import Big from 'big.js';
import { DIALLING_CODES } from '../contract/dialling.ts';
import { bodyOf, OPERATIONS } from '../contract/operations.ts';
import { getAt, listAt, parsePath, setAt, textAt } from '../contract/paths.ts';
import type { Schema } from '../contract/shapes.ts';
import { PARTIES, type PartyRole } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import type { Choice } from '../host/question.ts';
import { aboveLimits, hasBounds, outOfBounds, withLimits } from '../order/bounds.ts';
import { commandDoubts, fitParty, type RequestParts } from '../order/build.ts';
import { unresolvedIn } from '../order/carrier.ts';
import { type Chosen, choose, chosenFor, isPick, needsFalseNumber } from '../order/carrier-choice.ts';
import { takenCodes } from '../order/doubts.ts';
import { falseNumbersIn, NUMBER_NAMES, numberPath } from '../order/numbers.ts';
import { type Parcel, parsePackage, shipmentPackage } from '../order/options.ts';
import type { Bounds } from '../order/order.ts';
import {
  isBookable,
  isPricedFor,
  type Proposal,
  proposalRequest,
  proposalsFor,
  proposalsIn,
  proposedWeight,
} from '../order/proposals.ts';
import { isMeant, quotedPrice } from '../order/question.ts';
import { shipmentLines } from '../order/shipment-lines.ts';
import { BLANK, grid } from '../output/table.ts';
import { targetWords } from '../profile/target.ts';
import {
  boundBrokenWords,
  limitPassedWords,
  proposalWords,
  refusalWords,
  weightWords,
} from '../say/carriers.ts';
import { messageWords } from '../say/person.ts';
import { heldWords } from '../say/rules.ts';
import { addressWords, money, placeWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { shown } from '../text.ts';
import { OF_REQUEST } from './fill.ts';
import type { MakeForm } from './form.ts';
import {
  type AskedFields,
  type CustomQuestion,
  doubtsIn,
  type Form,
  inWords,
  type ReviewLine,
} from './form.ts';

// The fields, in the order in which a person thinks of them.

const PACKAGE: AskedFields = {
  quantity: { usual: '1' },
  weight: {},
  'dimensions.length': { title: (path, body) => `Length in ${unitAt(path, body)}` },
  'dimensions.width': { title: (path, body) => `Width in ${unitAt(path, body)}` },
  'dimensions.height': { title: (path, body) => `Height in ${unitAt(path, body)}` },
};

/** The fields of a party that a form asks for, in a shipment or as a saved party. */
export const PARTY: AskedFields = {
  firstName: {},
  lastName: {},
  companyName: {},
  email: {},
  'address.country.code': { title: 'Country' },
  'phone.code': {
    title: 'Phone country code',
    derived: (path, body) =>
      DIALLING_CODES.get(textAt(body, path.replace(/phone\.code$/, 'address.country.code')) ?? ''),
    follows: true,
    waitsFor: path => path.replace(/phone\.code$/, 'address.country.code'),
  },
  'phone.number': { title: 'Phone number without the country code' },
  'address.line1': {},
  'address.line2': {},
  'address.zipCode': {
    title: 'Postal code',
    waitsFor: path => path.replace(/zipCode$/, 'country.code'),
  },
  'address.city': {},
  'address.nationalShortAddress': {
    title: 'National short address (Saudi Arabia)',
    hint: 'Four letters and four digits, such as RRRD2929. Saudi Arabia needs it: the receiver finds it with the Saudi post.',
  },
};

const ITEM: AskedFields = {
  description: {},
  hsCode: {
    hint: '6, 8, 10 or 12 digits of the customs tariff, such as 610910 for cotton T-shirts. Their maker or a customs broker knows it. Customs may hold goods with a wrong number.',
  },
  countryOfOrigin: {},
  quantity: {},
  unitPrice: { title: (_, body) => `Price of a unit in ${currencyOf(body)}` },
  totalPrice: {
    title: (_, body) => `Price of all units in ${currencyOf(body)}`,
    waitsFor: path => path.replace(/\.totalPrice$/, ''),
  },
};

export const nestedFields = (parent: string, fields: AskedFields): AskedFields =>
  Object.fromEntries(Object.entries(fields).map(([name, asked]) => [`${parent}.${name}`, asked]));

/** The fields of a shipment: type and packages, sender, receiver, contents and customs, carrier, invoice. */
export const SHIPMENT: AskedFields = {
  type: {},
  ...nestedFields('packages[]', PACKAGE),
  ...nestedFields('sender', PARTY),
  ...nestedFields('receiver', PARTY),
  category: {},
  deliveryType: {
    hint: 'DAP: the receiver pays them before the delivery. DDP: you are charged for them, and perhaps a fee of the carrier.',
  },
  'customs.currency': {},
  ...nestedFields('items[]', ITEM),
  'customs.totalGoodsValue': {
    title: (_, body) => `Value of all goods in ${currencyOf(body)}`,
    derived: (_, body) => sumOfTotals(body),
    waitsFor: () => 'items',
  },
  carrier: {},
  'carriers.international': {},
  'carriers.domestic': {},
  'customs.iossNumber': {
    hint: 'IM and ten digits: it says that the VAT of goods up to 150 EUR was paid when they were sold to the EU. The marketplace or an IOSS intermediary has it. Without one, go back and choose a carrier that needs none: the receiver then pays VAT on import.',
  },
  'customs.marketplaceNumber': {
    hint: 'The number under which the marketplace pays the VAT of goods up to 135 GBP that it sold to the UK. Without one, go back and choose a carrier that needs none.',
  },
  chargeableWeight: {},
  ...nestedFields('invoice', PARTY),
};

const SHIPMENT_GROUPS = {
  sender: 'Sender',
  receiver: 'Receiver',
  invoice: 'Invoice',
  'packages[]': 'Package',
  'items[]': 'Item',
};

const unitAt = (path: string, body: unknown): string => textAt(body, path.replace(/\.\w+$/, '.unit')) ?? 'cm';

const currencyOf = (body: unknown): string => textAt(body, 'customs.currency') ?? 'the currency of customs';

/** The sum of all totals of items. An item that is being added has no total yet, and is left out. */
function sumOfTotals(body: unknown): string | undefined {
  const totals = listAt(body, 'items')
    .map(item => getAt(item, ['totalPrice']))
    .filter(total => typeof total === 'number');
  return totals.length > 0
    ? totals.reduce<Big>((sum, total) => sum.plus(total), Big(0)).toString()
    : undefined;
}

// Questions that offer the saved parties and parcels of the profile before anything is typed.

type FindQuestion = NonNullable<Form['customQuestions']>[string];

const TYPE_NEW = '';

/** With more entries than this, a person searches in place of picking from a list. */
const MOST_LISTED = 8;

/** Asks which saved entry is meant, if any; no question if nothing is saved. `text` shows an entry, and `value` is what it gives. */
const savedQuestion =
  <T>(
    message: string,
    saved: Readonly<Record<string, T>> = {},
    text: (entry: T) => string,
    value: (entry: T) => unknown,
  ): FindQuestion =>
  async id => {
    const choices = Object.entries(saved).map(([name, one]) => ({
      value: name,
      name: `@${name}  ${text(one)}`,
    }));
    if (choices.length === 0) return undefined;
    const typed = { value: TYPE_NEW, name: 'None of these: type a new one' };
    const find = async (term: string) => [...choices.filter(choice => isMeant(choice.name, term)), typed];
    return {
      question:
        choices.length > MOST_LISTED
          ? { kind: 'search', id, message, find }
          : { kind: 'choice', id, message, choices: [...choices, typed] },
      parse: answer => (answer === TYPE_NEW ? undefined : value(saved[answer] as T)),
    };
  };

function savedPartyQuestion(session: Session, schema: Schema, role: PartyRole): FindQuestion {
  const widest = OPERATIONS.createDualShipment.body ?? schema;
  const adapted = (saved: unknown) => fitParty(schema, widest, role, saved).party;
  const { parties = {} } = session.target().profile;
  const across = ACROSS[role];
  return (path, body) => {
    // The party that sends a parcel is not offered as its receiver, nor the receiver as the sender.
    const isAcross = ([, saved]: [string, unknown]) =>
      across !== undefined && isDeepStrictEqual(adapted(saved), getAt(body, [across]));
    const offered = Object.fromEntries(Object.entries(parties).filter(party => !isAcross(party)));
    return savedQuestion(`The ${role}`, offered, saved => addressWords(adapted(saved)), adapted)(path, body);
  };
}

const ACROSS: Partial<Record<PartyRole, PartyRole>> = { sender: 'receiver', receiver: 'sender' };

export const savedPackageQuestion = (session: Session, shape: (parcel: Parcel) => unknown): FindQuestion =>
  savedQuestion(
    'Package',
    session.target().profile.parcels,
    spec => spec,
    spec => shape(parsePackage(spec)),
  );

// The forms.

const WAY_BACK = { value: 'swap', name: 'Make it the way back: sender and receiver change places' } as const;

/** What the forms of all shipments have in common; `carrier`: what each form asks and shows about the carrier. */
function shipmentForm(
  session: Session,
  parts: RequestParts,
  start: unknown,
  carrier: {
    questions: Form['customQuestions'];
    review(body: unknown): Promise<{
      /** The id of the proposal that is booked, if the body does not name a carrier itself. */
      picked?: string | undefined;
      lines: ReviewLine[];
      price?: string | undefined;
      noPrice?: string | undefined;
      warnings?: readonly string[] | undefined;
    }>;
  },
): Form {
  const { operation, otherOptions } = parts;
  const schema = bodyOf(operation);
  return {
    schema,
    fields: SHIPMENT,
    groupNames: SHIPMENT_GROUPS,
    carrierFields: NUMBER_NAMES.map(numberPath),
    // A person who gives the goods in a file or a flag relies on the assumed type of delivery, and is not asked for it.
    alwaysAsk: getAt(start, ['items']) === undefined ? ['deliveryType'] : [],
    customQuestions: {
      ...Object.fromEntries(PARTIES.map(role => [role, savedPartyQuestion(session, schema, role)])),
      'packages[]': savedPackageQuestion(session, shipmentPackage),
      ...carrier.questions,
    },
    async review(body, typedBody) {
      const reviewed = await carrier.review(body);
      const { lines, price, noPrice = 'price not known', picked, warnings = [] } = reviewed;
      const booked = picked === undefined ? body : setAt(body, ['carrier', 'id'], picked);
      return {
        summary: [`${price ?? noPrice}, charged to ${targetWords(session.target())}`, routeWords(body)],
        // Customs numbers that do not hold come first: customs would hold them against the sender.
        warnings: [
          ...falseNumbersIn(body, session.target().profile),
          ...takenCodes(typedBody, body),
          ...doubtsIn(schema, body),
          ...commandDoubts(session, parts, booked),
        ]
          .map(messageWords)
          .concat(warnings),
        lines: [...shipmentLines(schema, body), ...lines],
        submitLabel:
          otherOptions.plan === undefined
            ? `Book it${price === undefined ? '' : ` for ${price}`}`
            : 'Write the plan',
        ...(parts.like !== undefined &&
          parts.hasWayBack &&
          !parts.swap && { otherChoices: [WAY_BACK, ...OF_REQUEST] }),
      };
    },
  };
}

/** The form of `ship`: the carrier is a proposal within the bounds of the flags. A dry run sends nothing, and so has no proposals. */
export const shipForm =
  (bounds: Bounds): MakeForm =>
  (session, parts, start) => {
    const isDry = parts.dryRun;
    const path = 'carrier.id';
    const { operation } = parts;
    const carrier = new CarrierField(
      session,
      parts,
      path,
      withLimits({ operation, bounds }, session.limits()),
    );
    const form = shipmentForm(session, parts, start, {
      questions: isDry ? {} : { [path]: async (_, body) => carrier.question(body) },
      async review(body) {
        const {
          line,
          proposal,
          warnings = [],
        } = isDry ? { line: { label: 'Carrier', path } } : await carrier.line(body);
        const weight = getAt(body, ['chargeableWeight']);
        const proposed = proposedWeight(carrier.cached(body));
        const fromProposals = proposed === undefined ? '' : `${proposed} kg, from the proposals`;
        const isPriced = proposal === undefined || isPricedFor(weight, proposed);
        const typed = `${weight} kg${isPriced ? '' : `, and the proposals are for ${weightWords(proposed)}`}`;
        const text = weight === undefined ? fromProposals : typed;
        return {
          picked: proposal?.id,
          price: proposal && isPriced ? quotedPrice(proposal) : undefined,
          noPrice: isPriced ? undefined : `price not known for ${weight} kg`,
          warnings: [...warnings.map(messageWords), ...carrier.heldWarnings(body)],
          lines: [line, { label: 'Chargeable', path: 'chargeableWeight', text }],
        };
      },
    });
    const resolve = isDry ? undefined : (body: unknown) => carrier.resolve(body);
    const proposals = (body: unknown) => carrier.cached(body);
    return { ...form, suppliedLater: parts.unresolved, resolve, proposals };
  };

/** The form of `ship-dual`: there are proposals for the international leg only, and no price of both legs. */
export const dualForm: MakeForm = (session, parts, start) => {
  const path = 'carriers.international.id';
  const carrier = new CarrierField(session, parts, path);
  return shipmentForm(session, parts, start, {
    questions: parts.dryRun ? {} : { [path]: async (_, body) => carrier.question(body) },
    review: async body => {
      const problem = textAt(body, path) === undefined ? 'not chosen yet' : undefined;
      const text = getAt(body, ['label']) === true ? 'made in the same call' : 'not now';
      return {
        lines: [
          { label: 'International', path, problem },
          { label: 'Domestic', path: 'carriers.domestic.id' },
          { label: 'Labels', path: 'label', text },
        ],
      };
    },
  });
};

// The carrier: a choice of the proposals for these packages, and its line of the review.

/** The response of the service to a request for proposals, or why there are no proposals. */
interface Fetched {
  response?: unknown;
  problem?: string;
}

const CHOOSE_LATER = '';

/** The carrier whose id is at `path`: its question and its review line. Proposals are requested again only if their request changes. */
class CarrierField {
  #last: { key: string; fetched: Fetched } | undefined;

  constructor(
    private readonly session: Session,
    private readonly parts: RequestParts,
    private readonly path: string,
    private readonly bounds: Bounds = {},
  ) {}

  async #fetched(body: unknown): Promise<Fetched> {
    const key = keyOfProposals(body);
    if (this.#last?.key !== key)
      this.#last = { key, fetched: await fetchProposals(this.session, this.parts, body) };
    return this.#last.fetched;
  }

  #ruled(body: unknown) {
    return this.parts.rules?.ruleFor(body, this.parts);
  }

  /** The bounds that hold for any carrier, with those of the rule: a person may take another carrier than the rule does. */
  #boundsFor(body: unknown): Bounds {
    const { bounds } = this;
    const { maxPrice = bounds.maxPrice, maxDays = bounds.maxDays } = this.#ruled(body)?.options ?? {};
    return { ...bounds, maxPrice, maxDays };
  }

  heldWarnings(body: unknown): string[] {
    const hold = this.#ruled(body)?.held;
    return hold ? [`It ${heldWords(hold)}`] : [];
  }

  /** The last response, if it has the proposals for this body. */
  cached(body: unknown): unknown {
    return this.#last?.key === keyOfProposals(body) ? this.#last.fetched.response : undefined;
  }

  /** The question which proposal is taken. A proposal that is not available says why. */
  async question(body: unknown): Promise<CustomQuestion> {
    const { operation, numbers } = this.parts;
    const { response, problem } = await this.#fetched(body);
    const proposals = proposalsIn(response);
    const order = chosenFor(this.session, body, numbers);
    const bounds = this.#boundsFor(body);
    const ruling = this.#ruled(body);
    const carrier = textAt(ruling?.body, this.path) ?? 'cheapest';
    const ofRule = ruling?.rule === undefined ? undefined : `Rule ${shown(ruling.rule)}: ${carrier}`;
    const open = proposals.filter(proposal => !needsFalseNumber(operation, proposal, order));
    const choices = await carrierChoices(proposals, bounds, open);
    const weight = proposedWeight(response);
    const weightHint = weight === undefined ? undefined : `Chargeable weight: ${weight} kg`;
    return {
      question: {
        kind: 'choice',
        id: this.path,
        message: 'Carrier',
        hint:
          problem ??
          (proposals.length === 0
            ? 'No carrier offers this.'
            : [weightHint, ofRule].filter(Boolean).join('. ') || undefined),
        choices: [...choices, { value: CHOOSE_LATER, name: 'None of these: look over the rest first' }],
        defaultAnswer: chosenIfAny(() => choose(operation, open, { ...bounds, ...ruling?.options, carrier }))
          ?.proposal.id,
      },
      parse: answer => (answer === CHOOSE_LATER ? undefined : answer),
    };
  }

  /** The carrier's line of the review, the proposal that would be booked, and the warnings about it. */
  async line(body: unknown): Promise<{ line: ReviewLine } & Partial<Chosen>> {
    const { session, path } = this;
    const { operation, numbers } = this.parts;
    const lineOf = (text: string, problem?: string) => ({ line: { label: 'Carrier', path, text, problem } });
    const id = textAt(body, path);
    const bounds = this.#boundsFor(body);
    if (id === undefined) return lineOf('', 'not chosen yet');
    const { response, problem } = await this.#fetched(body);
    const needsProposal = isPick(id) || hasBounds(bounds) || bounds.limits !== undefined;
    if (problem !== undefined) {
      const canDoWithout = !needsProposal && unresolvedIn(body).unresolved.length === 0;
      return lineOf(id, canDoWithout ? undefined : problem);
    }
    const proposals = proposalsIn(response);
    const listed = proposals.find(proposal => proposal.id === id);
    const order = chosenFor(session, body, numbers);
    if (!isPick(id) && needsFalseNumber(operation, { id }, order))
      return lineOf(listed ? proposalWords(listed) : id, UNDECLARED);
    const best = chosenIfAny(() => choose(operation, proposals, { ...bounds, carrier: id }, order));
    if (best)
      return { ...lineOf(`${proposalWords(best.proposal)}${isPick(id) ? `, the ${id}` : ''}`), ...best };
    if (needsProposal) return lineOf(id, 'no valid proposal matches');
    // A carrier that a person names may exist without a proposal.
    return listed === undefined
      ? lineOf(`${id}, which is not among the proposals`)
      : lineOf(proposalWords(listed), refusalWords(listed, NOT_VALID));
  }

  /** The body with the carrier's id in place of `cheapest` or `fastest`, so that the rules for that carrier apply. */
  async resolve(body: unknown): Promise<unknown> {
    const { path } = this;
    const { proposal } = isPick(textAt(body, path)) ? await this.line(body) : {};
    return proposal === undefined ? body : setAt(body, parsePath(path) ?? [], proposal.id);
  }
}

/** The request for proposals as text: the same for bodies that get the same proposals. */
const keyOfProposals = (body: unknown): string => JSON.stringify(proposalRequest(body));

const NOT_VALID = 'not valid for these packages';
const UNDECLARED = 'needs a customs number that may not be declared for these goods';

/** Requests proposals. A problem with the packages or the route is shown in the form; any other failure ends the form. */
async function fetchProposals(session: Session, parts: RequestParts, body: unknown): Promise<Fetched> {
  try {
    return { response: await proposalsFor(session, parts, body) };
  } catch (error) {
    const isProblem =
      error instanceof Failure && ['rejected', 'invalid_request', 'not_found'].includes(error.code);
    if (!isProblem) throw error;
    const form = { schema: bodyOf(parts.operation), fields: SHIPMENT, groupNames: SHIPMENT_GROUPS };
    const issues = (error.facts.issues ?? []).map(
      ({ path, message }) => `${inWords(form, path, body)} ${message}`,
    );
    return { problem: [error.message, ...issues].join('\n') };
  }
}

/** A choice for each proposal. `open`: all proposals but those that need a customs number which may not be declared. */
async function carrierChoices(
  proposals: readonly Proposal[],
  bounds: Bounds,
  open: readonly Proposal[],
): Promise<Choice[]> {
  const best = (['cheapest', 'fastest'] as const).map(carrier => ({
    carrier,
    proposal: chosenIfAny(() => choose(OPERATIONS.createShipment, open, { carrier }))?.proposal,
  }));
  const rows = proposals.map(proposal => [
    ...[proposal.id, proposal.name, proposal.serviceType, proposal.deliveryTime],
    money(proposal.price, proposal.currency) ?? 'no price',
    best.flatMap(pick => (pick.proposal === proposal ? pick.carrier : [])).join(', ') || BLANK,
  ]);
  const lines = await grid(rows, undefined, ['left', 'left', 'left', 'left', 'right']);
  const names = lines?.split('\n') ?? [];
  return proposals.flatMap((proposal, index) => {
    const { id } = proposal;
    // A proposal without an id cannot be booked.
    if (id === undefined) return [];
    const [bound, limit] = [outOfBounds(proposal, bounds), aboveLimits(proposal, bounds)];
    const why = !isBookable(proposal)
      ? refusalWords(proposal, NOT_VALID)
      : bound
        ? boundBrokenWords(bound)
        : limit
          ? limitPassedWords(limit)
          : !open.includes(proposal) && UNDECLARED;
    return [{ value: id, name: names[index] ?? id, ...(why && { disabled: `(${why})` }) }];
  });
}

/** The proposal that `choosing` chooses; `undefined` if it throws a `Failure`, because none fits. */
function chosenIfAny(choosing: () => Chosen): Chosen | undefined {
  try {
    return choosing();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The route of a request: `Istanbul, TR → Dresden, DE`. */
const routeWords = (body: unknown): string =>
  ['sender', 'receiver'].map(role => placeWords(getAt(body, [role])) || '?').join(' → ');
