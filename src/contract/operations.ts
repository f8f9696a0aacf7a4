import { DEFAULTS, type OperationRow } from './operation.ts';
import { proposalAnswer, proposalBody, proposalsNeeded, ratesAnswer, ratesBody } from './proposals.ts';
import {
  documents,
  httpsUrl,
  iossNumber,
  marketplaceNumber,
  nationalShortAddress,
  someShipment,
} from './rules.ts';
import {
  domesticShipmentDetail,
  dualShipmentAnswer,
  dualShipmentBody,
  labelsAnswer,
  labelsBody,
  labelsNeeded,
  pairNeeded,
  shipmentAnswer,
  shipmentBody,
  shipmentDetail,
  shipmentNeeded,
} from './shipments.ts';
import {
  subscriptionBody,
  subscriptionCreated,
  subscriptionNeeded,
  subscriptionRead,
} from './subscriptions.ts';

const shipmentRules = [nationalShortAddress, iossNumber, marketplaceNumber];

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
    success: { status: 201, description: 'the proposals', schema: proposalAnswer },
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
    success: { status: 200, description: 'the rates', schema: ratesAnswer },
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
    success: { status: 201, description: 'the shipment was created', schema: shipmentAnswer },
    errors: {
      400: 'parameters are missing or incorrect',
      401: UNAUTHORIZED,
      422: 'the data is not valid',
      500: INTERNAL,
    },
    needs: shipmentNeeded,
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
    success: { status: 201, description: 'both shipments were created', schema: dualShipmentAnswer },
    errors: { 400: 'the request is not valid, or a carrier is missing', 401: UNAUTHORIZED },
    needs: pairNeeded,
    mayLack: {
      'international.shipment': ['id'],
      'domestic.shipment': ['id'],
      // Not the tracking number: a shipment may have one before it has a label.
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
    success: { status: 200, description: 'the labels', schema: labelsAnswer },
    errors: { 400: 'the request is not valid, or names no shipment', 401: UNAUTHORIZED },
    needs: labelsNeeded,
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
    success: { status: 200, description: 'the shipment', schema: shipmentDetail },
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
    success: { status: 200, description: 'the shipment', schema: domesticShipmentDetail },
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
      schema: subscriptionCreated,
    },
    errors: {
      400: 'the body is not valid',
      401: 'the API key is missing or invalid',
      429: 'more than 20 subscriptions in a minute',
    },
    needs: subscriptionNeeded,
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
    success: {
      status: 200,
      description: 'the subscription, without secret and token',
      schema: subscriptionRead,
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

/** Every operation of the service, by its id. */
export const OPERATIONS = Object.fromEntries(
  Object.entries<OperationRow>(ROWS).map(([id, row]) => [id, { ...DEFAULTS, ...row, id }]),
) as Readonly<Record<OperationId, Operation>>;

/** The operation with that name in outputs; of the two of `track` the international one. */
export function operationNamed(command: OperationCommand): Operation {
  const found = Object.values(OPERATIONS).find(operation => operation.command === command);
  if (found === undefined) throw new Error(`there is no operation ${command}`);
  return found;
}
