// Orders and files that several sections begin with.
import { changed } from '../contract/rig.ts';
import type { RigOptions } from '../rig/command.ts';
import { DUAL, SHIPMENT, UNDECIDED } from '../rig/service.ts';

export const PARCEL = '--from TR --to DE --package 1.5kg@30x20x10cm';
export const BOOKED = ['POST /v1/shipments'];
export const ASKED = 'POST /v1/carriers/proposal';
export const HOOK = 'webhook create --url https://shop.example.com/hook --event shipment.status.updated';

/** To Anna Beispiel in Berlin; the same as a gift; one to Eva; one whose carrier and weight are open; a pair; two parties. */
export const FILES = {
  'order.json': SHIPMENT,
  'gift.json': { ...SHIPMENT, category: 'gift' },
  'eva.json': { ...SHIPMENT, receiver: { ...(SHIPMENT.receiver as object), firstName: 'Eva' } },
  'open.json': UNDECIDED,
  'pair.json': DUAL,
  'me.json': SHIPMENT.sender,
  'you.json': SHIPMENT.receiver,
};

/** `order.json` with other values at some paths; `undefined` leaves a field out. */
export const orderWith = (changes: Record<string, unknown>): RigOptions => ({
  files: { ...FILES, 'order.json': changed(SHIPMENT, changes) },
});

/** A config with these profiles, of which the first is the current one. */
export const configOf = (profiles: Record<string, unknown>) => ({
  current: Object.keys(profiles)[0],
  profiles,
});

/** The same as a file of a rig. */
export const config = (profiles: Record<string, unknown>) => ({ 'config/config.json': configOf(profiles) });
