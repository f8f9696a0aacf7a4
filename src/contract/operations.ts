// The operations of the service, a row for each; and the rules of the service document that concern more than one field.
import { isLoopback, parsedUrl } from '../text.ts';
import { EU_MEMBERS } from './countries.ts';
import { getAt, pathsOf, textAt } from './paths.ts';
import { DOCUMENT_MAX_KG, proposalBody, proposalsNeeded, ratesBody } from './proposals.ts';
import type { Issue, Schema } from './shapes.ts';
import {
  dualShipmentBody,
  labelsBody,
  labelsNeeded,
  labelsRecord,
  pairNeeded,
  pairRecord,
  shipmentBody,
  shipmentNeeded,
  shipmentRecord,
  wholeShipment,
} from './shipments.ts';
import { subscriptionBody, subscriptionNeeded, subscriptionRecord } from './subscriptions.ts';
import { isDeclared } from './territories.ts';

/** What a rule needs to know besides the body. */
export interface RuleContext {
  /** Carrier ids (opaque) that the service document calls "the economy carrier". */
  economyCarriers: readonly string[];
  /** Is the service itself on loopback? Then a webhook may be there too. */
  serviceOnLoopback: boolean;
  /** The highest value of the goods for which each customs number holds, as the profile says. */
  numberLimits?: { iossLimit?: string; marketplaceLimit?: string };
}

/** A rule of the service document that no single field can state. */
export interface Rule {
  /** The sentence of the document, for help and OpenAPI. */
  description: string;
  /** Never throws, for any body: rules run together with the schema, so that all problems are shown at once. */
  check(body: unknown, context: RuleContext): Issue[];
}

export const LEGS = ['international', 'domestic'] as const;
export type Leg = (typeof LEGS)[number];

/** What a booking makes: where its answer has the ids, and the label of each leg. */
interface Made {
  ids: Readonly<Partial<Record<'shipment' | 'international' | 'domestic' | 'subscription', string>>>;
  /** Texts that the service gives only in this answer: if one of them is missing, the booking is partial. */
  givenOnce?: readonly string[];
  /** `at`: where the answer has the label; `asked`: the field of the body that asks for it. */
  labels: Readonly<Partial<Record<Leg, { at: string; asked: string }>>>;
}

export type ErrorStatus = 400 | 401 | 404 | 422 | 429 | 500;

/** The schema of the body of an operation that has one. */
export function bodyOf(operation: { id: string; body?: Schema }): Schema {
  if (operation.body === undefined) throw new Error(`${operation.id} has no body`);
  return operation.body;
}

/** The groups of `waybill --help`, in their order. */
export const HELP_GROUPS = ['Quote and book', 'Follow and look back', 'Set up and try'] as const;
export type HelpGroup = (typeof HELP_GROUPS)[number];

/** One endpoint of the service, as plain data. */
export interface OperationRow {
  /** The command, and the name that outputs use for the operation; its file is `src/commands/COMMAND.ts`. */
  command: string;
  /** How help lists the command. Left out if another row of the same command has this field. */
  help?: {
    summary: string;
    /** Left out if the command is a subcommand: its group lists it. */
    group?: HelpGroup;
  };
  /** Section of the service document. */
  section: string;
  summary: string;
  method: 'GET' | 'POST';
  /** Relative to the base address, with `{name}` placeholders. No path has a query: the code that reads the rows knows no queries. */
  path: string;
  /** What each placeholder of the path stands for: the id of the thing that is read. An answer with another id is refused. */
  parameters?: Readonly<Record<string, string>>;
  /** Where the answer has the id of what is read; `id` if left out. */
  answerId?: string;
  /** The request body: strict, so that an unknown field is an issue. */
  body?: Schema;
  rules?: readonly Rule[];
  /** The answer of a success; its schema is in `src/documents/answers.ts`. */
  success: { status: 200 | 201; description: string };
  errors: Readonly<Partial<Record<ErrorStatus, string>>>;
  /** What an answer with 2xx must have to count as a success; for a booking, at least something that was made. */
  needs: Schema;
  /** For a booking: the record by which a refusal shows what was made or existed before, and does not only name it. */
  record?: Schema;
  /** The same kind of record in any other place of a refusal, also in a list; absent if parts of errors look like such a record. */
  recordDeeper?: Schema;
  /**
   * Objects that a service may leave out: `international.id` for `international.shipment.id`. Each with the fields that
   * tell, in the object around it, that it is left out.
   */
  mayLack?: Readonly<Record<string, readonly string[]>>;
  made?: Made;
  /** May the operation create what costs money or is given only once? Then its request is repeated only if it provably created nothing. */
  books?: boolean;
  /** Operations with the same key space share their keys; `null`: the operation takes no key. */
  keySpace?: 'shipment' | 'subscription' | null;
  /** Does the operation have a sandbox address? */
  sandbox?: boolean;
  /** Does the document say that the operation requires a contract? */
  contract?: boolean;
  /** The scope that the token needs; `null` if the document lists no 401 at all. */
  scope?: 'any' | 'shipment:write' | null;
  /** How many requests a minute the document allows, if it sets a limit. */
  perMinute?: number;
}

/** The values that an operation has for the fields that its `OperationRow` leaves out. */
export const DEFAULTS = {
  parameters: {},
  answerId: 'id',
  rules: [],
  mayLack: {},
  made: { ids: {}, labels: {} },
  books: false,
  keySpace: null,
  sandbox: false,
  contract: false,
  scope: 'any',
} as const satisfies Partial<OperationRow>;

/** The command as it is typed, for messages: `webhook create`. */
export const commandName = (operation: { command: string }): string =>
  operation.command.replace(/^webhook-/, 'webhook ');

/** Does a command as it is typed (`waybill batch ship`) book something? `undefined`: the command calls no operation of the service. */
export function mayBook(command: string): boolean | undefined {
  const name = command.replace(/^waybill (batch )?/, '');
  if (name === 'mcp' || command === 'waybill batch') return true;
  return Object.values(OPERATIONS).find(operation => commandName(operation) === name)?.books;
}

// The rules of the service document that concern more than one field. A rule may get a body of any shape.

const blank = (value: unknown) => typeof value !== 'string' || value.trim() === '';

const receiverCountry = (body: unknown) => textAt(body, 'receiver.address.country.code');

const economy = (body: unknown, context: RuleContext) =>
  ['carrier.id', 'carriers.international.id'].some(path => {
    const id = textAt(body, path);
    return id !== undefined && context.economyCarriers.includes(id);
  });

/** Makes a rule: the text at `path` must be given if `isNeeded`. */
const textNeededIf = (
  path: string,
  description: string,
  why: string,
  isNeeded: (body: unknown, context: RuleContext) => boolean,
): Rule => ({
  description: `${path} is ${description}.`,
  check: (body, context) =>
    isNeeded(body, context) && blank(getAt(body, path)) ? [{ path, message: `is required ${why}` }] : [],
});

export const nationalShortAddress = textNeededIf(
  'receiver.address.nationalShortAddress',
  'required if the receiver is in Saudi Arabia (SA)',
  'for a receiver in Saudi Arabia, who has to be asked; a file has it in a column of this name',
  body => receiverCountry(body) === 'SA',
);

export const iossNumber = textNeededIf(
  'customs.iossNumber',
  'mandatory for the economy carrier to EU countries',
  'for the economy carrier to an EU country',
  (body, context) => economy(body, context) && EU_MEMBERS.has(receiverCountry(body) ?? ''),
);

export const marketplaceNumber = textNeededIf(
  'customs.marketplaceNumber',
  'mandatory for the economy carrier to the UK (GB)',
  'for the economy carrier to the UK',
  (body, context) => economy(body, context) && receiverCountry(body) === 'GB',
);

/** The service requires an HS code as a text, but within one customs territory nobody reads the code: there it may be empty. */
export const hsCodes: Rule = {
  description:
    'items[].hsCode is empty only if sender and receiver are in one customs territory, such as the EU.',
  check: body =>
    isDeclared(body)
      ? pathsOf('items[].hsCode', body)
          .filter(path => textAt(body, path)?.trim() === '')
          .map(path => ({ path, message: 'is required' }))
      : [],
};

export const documents: Rule = {
  description: `With packageType document each package weighs at most ${DOCUMENT_MAX_KG} kg and its quantity is 1.`,
  check: body => {
    const packages = getAt(body, 'packages');
    if (getAt(body, 'packageType') !== 'document' || !Array.isArray(packages)) return [];
    return packages.flatMap((entry, index) => {
      const weight = getAt(entry, 'weight');
      const quantity = getAt(entry, 'quantity');
      const issues: Issue[] = [];
      if (typeof quantity === 'number' && quantity !== 1)
        issues.push({
          path: `packages[${index}].quantity`,
          message: `must be exactly 1 for a document, not ${quantity}`,
        });
      if (typeof weight === 'number' && weight > DOCUMENT_MAX_KG)
        issues.push({
          path: `packages[${index}].weight`,
          message: `must be at most ${DOCUMENT_MAX_KG} kg for a document, not ${weight}`,
        });
      return issues;
    });
  },
};

export const someShipment: Rule = {
  description: 'At least one of international and domestic is given.',
  check: body =>
    getAt(body, 'international') === undefined && getAt(body, 'domestic') === undefined
      ? [{ path: '', message: 'needs at least one shipment id: international, domestic or both' }]
      : [],
};

export const httpsUrl: Rule = {
  description:
    'url is an HTTPS address (plain http only to loopback, and only if the service is on loopback too).',
  check: (body, context) => {
    const given = textAt(body, 'url');
    if (given === undefined || given.trim() === '') return [];
    const message = 'must be an https: address';
    // The URL parser accepts blanks, line breaks and missing slashes. They are refused here, because the service gets the text as it is.
    const url = parsedUrl(given);
    if (!/^[a-z]+:\/\/\S+$/i.test(given) || url === undefined)
      return [{ path: 'url', message: `${message}, not ${JSON.stringify(given)}` }];
    if (url.protocol === 'https:') return [];
    if (url.protocol === 'http:' && context.serviceOnLoopback && isLoopback(url.hostname)) return [];
    return [{ path: 'url', message: `${message}, not ${url.protocol}` }];
  },
};

const shipmentRules = [hsCodes, nationalShortAddress, iossNumber, marketplaceNumber];

const UNAUTHORIZED = 'the token is missing or invalid';
const INTERNAL = 'the service failed';

// The service document §4, a row for each operation.
const ROWS = {
  proposal: {
    command: 'quote',
    help: { summary: 'compare proposals for a parcel', group: 'Quote and book' },
    section: '4.3',
    summary: 'Quote proposals for packages between two countries.',
    method: 'POST',
    path: '/v1/carriers/proposal',
    body: proposalBody,
    rules: [documents],
    success: { status: 201, description: 'the proposals' },
    errors: {
      400: 'parameters are missing or incorrect',
      401: UNAUTHORIZED,
      422: 'the data is not valid',
      500: INTERNAL,
    },
    needs: proposalsNeeded,
    sandbox: true,
    contract: true,
  },
  rates: {
    command: 'rates',
    help: { summary: 'list shipping rates', group: 'Quote and book' },
    section: '4.4',
    summary: 'List shipping rates.',
    method: 'POST',
    path: '/api/v1/shipping/rates',
    body: ratesBody,
    success: { status: 200, description: 'the rates' },
    errors: {
      400: 'required data is missing or invalid',
      404: 'no shipping carriers found',
      500: INTERNAL,
    },
    needs: proposalsNeeded,
    contract: true,
    scope: null,
  },
  createShipment: {
    command: 'ship',
    help: { summary: 'book one international shipment', group: 'Quote and book' },
    section: '4.2',
    summary: 'Create one international shipment.',
    method: 'POST',
    path: '/v1/shipments',
    body: shipmentBody,
    rules: shipmentRules,
    success: { status: 201, description: 'the shipment was created' },
    errors: {
      400: 'parameters are missing or incorrect',
      401: UNAUTHORIZED,
      422: 'the data is not valid',
      500: INTERNAL,
    },
    needs: shipmentNeeded,
    record: shipmentRecord,
    recordDeeper: wholeShipment,
    made: { ids: { shipment: 'id' }, labels: {} },
    books: true,
    keySpace: 'shipment',
    sandbox: true,
    contract: true,
    scope: 'shipment:write',
  },
  createDualShipment: {
    command: 'ship-dual',
    help: { summary: 'book an international + domestic pair', group: 'Quote and book' },
    section: '4.1',
    summary: 'Create an international shipment and its domestic leg together.',
    method: 'POST',
    path: '/v2/shipments',
    body: dualShipmentBody,
    rules: shipmentRules,
    success: { status: 201, description: 'both shipments were created' },
    errors: { 400: 'the request is not valid, or a carrier is missing', 401: UNAUTHORIZED },
    needs: pairNeeded,
    record: pairRecord,
    recordDeeper: pairRecord,
    mayLack: {
      'international.shipment': ['id'],
      'domestic.shipment': ['id'],
      // The tracking number is no sign of a label: a shipment may have a tracking number first.
      'international.label': ['labelPdf', 'label', 'operation'],
      'domestic.label': ['labelPdf', 'label', 'operation'],
    },
    made: {
      ids: { international: 'international.shipment.id', domestic: 'domestic.shipment.id' },
      labels: {
        international: { at: 'international.label', asked: 'label' },
        domestic: { at: 'domestic.label', asked: 'label' },
      },
    },
    books: true,
    keySpace: 'shipment',
    sandbox: true,
    scope: 'shipment:write',
  },
  createLabels: {
    command: 'label',
    help: { summary: 'make carrier labels for booked shipments', group: 'Quote and book' },
    section: '4.7',
    summary: 'Make carrier labels for shipments created before.',
    method: 'POST',
    path: '/v2/carriers/create',
    body: labelsBody,
    rules: [someShipment],
    success: { status: 200, description: 'the labels' },
    errors: { 400: 'the request is not valid, or names no shipment', 401: UNAUTHORIZED },
    needs: labelsNeeded,
    record: labelsRecord,
    recordDeeper: labelsRecord,
    made: {
      ids: {},
      labels: {
        international: { at: 'international', asked: 'international' },
        domestic: { at: 'domestic', asked: 'domestic' },
      },
    },
    books: true,
    sandbox: true,
  },
  getShipment: {
    command: 'track',
    help: { summary: 'read status and tracking of shipments', group: 'Follow and look back' },
    section: '4.6',
    summary: 'Read status and tracking of an international shipment.',
    method: 'GET',
    path: '/v1/shipments/{shipmentId}',
    parameters: { shipmentId: 'Shipment id' },
    success: { status: 200, description: 'the shipment' },
    errors: { 401: UNAUTHORIZED, 404: 'shipment not found', 500: INTERNAL },
    needs: shipmentNeeded,
    sandbox: true,
    contract: true,
  },
  getDomesticShipment: {
    command: 'track',
    section: '4.5',
    summary: 'Read status and tracking of a domestic shipment.',
    method: 'GET',
    path: '/v1/shipments/domestic/{shipmentId}',
    parameters: { shipmentId: 'Shipment id' },
    success: { status: 200, description: 'the shipment' },
    errors: { 401: UNAUTHORIZED, 404: 'shipment not found', 500: INTERNAL },
    needs: shipmentNeeded,
    sandbox: true,
    contract: true,
  },
  createSubscription: {
    command: 'webhook-create',
    help: { summary: 'create a webhook subscription' },
    section: '4.8',
    summary: 'Create a webhook subscription.',
    method: 'POST',
    path: '/webhooks/subscriptions',
    body: subscriptionBody,
    rules: [httpsUrl],
    success: {
      status: 201,
      description: 'the subscription, with its secret and token',
    },
    errors: {
      400: 'the body is not valid',
      401: 'the API key is missing or invalid',
      429: 'more than 20 subscriptions in a minute',
    },
    needs: subscriptionNeeded,
    record: subscriptionRecord,
    mayLack: { data: ['id'] },
    made: { ids: { subscription: 'data.id' }, givenOnce: ['data.secret', 'data.token'], labels: {} },
    books: true,
    keySpace: 'subscription',
    perMinute: 20,
  },
  getSubscription: {
    command: 'webhook-get',
    help: { summary: 'read a webhook subscription' },
    section: '4.9',
    summary: 'Read a webhook subscription.',
    method: 'GET',
    path: '/webhooks/subscriptions/{subscriptionId}',
    parameters: { subscriptionId: 'Subscription id' },
    answerId: 'data.id',
    success: {
      status: 200,
      description: 'the subscription, without secret and token',
    },
    errors: { 401: 'the API key is missing or invalid', 404: 'subscription not found' },
    needs: subscriptionNeeded,
    mayLack: { data: ['id'] },
  },
} as const satisfies Readonly<Record<string, OperationRow>>;

export type OperationId = keyof typeof ROWS;
export type OperationCommand = (typeof ROWS)[OperationId]['command'];

type Default = keyof typeof DEFAULTS;

/** One endpoint of the service. All other code knows the service only from here. */
export interface Operation extends Omit<OperationRow, Default>, Required<Pick<OperationRow, Default>> {
  id: OperationId;
  command: OperationCommand;
}

export const OPERATIONS = Object.fromEntries(
  Object.entries<OperationRow>(ROWS).map(([id, row]) => [id, { ...DEFAULTS, ...row, id }]),
) as Readonly<Record<OperationId, Operation>>;

/** The operation with that name in outputs; `track` has two operations, and stands for the international one. */
export function operationNamed(command: OperationCommand): Operation {
  const found = Object.values(OPERATIONS).find(operation => operation.command === command);
  if (found === undefined) throw new Error(`there is no operation ${command}`);
  return found;
}
