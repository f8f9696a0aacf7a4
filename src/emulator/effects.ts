import type { Operation, OperationId } from '../contract/operations.ts';
import { sampleOf } from '../contract/sample.ts';
import { readShipment } from './detail-effects.ts';
import type { Effect } from './effect.ts';
import { createLabels } from './label-effects.ts';
import { proposals, rates } from './quote-effects.ts';
import { createDualShipment, createShipment } from './shipment-effects.ts';
import { createSubscription, readSubscription } from './subscription-effects.ts';

/** What the operations do. Everything else about them is in their rows of the contract. */
const EFFECTS: Readonly<Partial<Record<OperationId, Effect>>> = {
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

/** An operation that does nothing of its own answers with a sample in the shape of its answer. */
export const effectOf = ({ id, success }: Operation): Effect =>
  EFFECTS[id] ?? (() => ({ body: sampleOf(success.schema) }));
