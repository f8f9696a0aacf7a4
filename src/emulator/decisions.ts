import { CARRIERS, MAX_KG, REMOTE_PREFIX } from './carriers.ts';
import { CLAIM_MS } from './deliveries.ts';

const carriers = CARRIERS.map(
  ({ id, serviceType, transitDays, maxPieceKg }) =>
    `${id} (${serviceType}, ${transitDays} d, pieces up to ${maxPieceKg} kg)`,
);

/** What the emulator decides where the service document shows nothing, a sentence each: for help and readers. */
export const DECISIONS: readonly string[] = [
  'Errors are {"success":false,"error":{"code","message","details":[{"path","message"}]}}.',
  'The token may come in any header, bare or behind one word; every token has a contract.',
  'A token without the scope an operation needs gets 401; unknown paths and methods get 404.',
  'Missing, unknown and wrong-typed fields are 400; values, countries, rules and carriers that do not do are 422 where the operation lists it, else 400. An unknown shipment id in a label request is 400.',
  `Carriers: ${carriers.join(', ')}. No carrier goes from a country to itself.`,
  'Prices are in EUR, by half kilograms of chargeable weight, whatever the distance; a piece counts with the greater of its weight and its volume in cm³ / 5000, whatever unit it names.',
  `Postal codes beginning ${REMOTE_PREFIX} are remote and cost more; ${MAX_KG} kg is the most that is quoted.`,
  'A single shipment is billed by the chargeable weight that the caller states.',
  'A piece too heavy for a carrier makes its proposal invalid; rates leave that carrier out.',
  'Both legs of a dual shipment have the same sender and receiver; each is read by its own operation only.',
  'A dual shipment without labels has the same answer without the "label" keys.',
  'Each label call makes new labels with new tracking numbers; a shipment shows the newest, and "" before it has one.',
  'A label answer leaves out the leg that was not asked for. Label links need no credential.',
  'Every shipment, domestic ones too, begins as pending_arrival_at_warehouse and is delivered when its transit time is over, label or not; no other status is used.',
  'The numbers of the packages of a shipment that is read are text; its price is a number.',
  'A subscription belongs to no token; its secret and token are not even kept, and deliveries are not signed.',
  'Both events are sent for the first status and for the arrival, of production shipments only: {"id","type","createdAt","data":{"shipmentId","status","milestone"}}, at least once.',
  `Anything but a 2xx within 10 s is retried; an attempt that died with its process is made again after ${CLAIM_MS / 1000} s. Only loopback addresses are delivered to.`,
  'The 20 subscriptions a minute are counted for each token over the last 60 s, refused bodies included.',
  'A label that a fault keeps from being made is {"success":false,"operation","carrier"}; where every label asked for failed, the whole says false, though the shipments exist.',
];
