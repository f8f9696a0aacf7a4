import type { OperationId } from '../contract/operations.ts';
import { readShipment } from './detail-effects.ts';
import type { Effect } from './effect.ts';
import { createLabels } from './label-effects.ts';
import { proposals, rates } from './quote-effects.ts';
import { createDualShipment, createShipment } from './shipment-effects.ts';
import { createSubscription, readSubscription } from './subscription-effects.ts';

/** What each operation does. All else about it is in its row of the contract. */
export const EFFECTS: Readonly<Record<OperationId, Effect>> = {
  proposal: proposals,
  rates,
  createShipment,
  createDualShipment,
  createLabels,
  getShipment: readShipment('international', 'country'),
  getDomesticShipment: readShipment('domestic', 'city'),
  createSubscription,
  getSubscription: readSubscription,
};
