import { LEGS, type Leg } from '../contract/operation.ts';
import { labelsBody } from '../contract/shipments.ts';
import { type Effect, type EffectInput, invalid } from './effect.ts';
import { addLabel, findShipment, type Shipment } from './shipments.ts';

interface Label {
  success: boolean;
  operation: 'create';
  carrier: string;
  trackingNumber?: string;
}

/**
 * §4.7. Each call makes new labels with new tracking numbers: the service does not remember what was paid.
 * An unknown id is a 400, the only error that the row has for it, and no label is made.
 */
export const createLabels: Effect = call => {
  const body = labelsBody.parse(call.body);
  const asked: [Leg, Shipment][] = [];
  for (const leg of LEGS) {
    const id = body[leg];
    if (id === undefined) continue;
    const shipment = findShipment(call.store, call.world, leg, id);
    if (shipment === undefined) return invalid(leg, `there is no ${leg} shipment ${JSON.stringify(id)}`);
    asked.push([leg, shipment]);
  }
  const labels = asked.map(([leg, shipment]) => [leg, makeLabel(call, shipment, 'label')] as const);
  return { body: { success: succeeded(labels.map(([, label]) => label)), ...Object.fromEntries(labels) } };
};

/** Makes the label of a leg, unless a fault prevents it. Only the international leg has a link (§4.1, §4.7). */
export function makeLabel(call: EffectInput, shipment: Shipment, linkField: 'label' | 'labelPdf'): Label {
  const { leg, carrier } = shipment;
  if (call.failLabels.has(leg)) return { success: false, operation: 'create', carrier };
  const trackingNumber = addLabel(call.store, shipment);
  return {
    success: true,
    operation: 'create',
    carrier,
    trackingNumber,
    ...(leg === 'international' && { [linkField]: `${call.base}/labels/${trackingNumber}.pdf` }),
  };
}

/** Did the request as a whole succeed? Not if every label that was asked for failed. */
export const succeeded = (labels: readonly Label[]): boolean =>
  labels.length === 0 || labels.some(({ success }) => success);
