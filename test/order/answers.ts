import type { Booking } from '../../src/booking/booking.ts';
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import { claimingOf } from '../../src/journal/claim.ts';
import { Json } from '../../src/json.ts';
import { personWords } from '../../src/say/person.ts';
import { outcomeReasonText, type WireFault } from '../../src/say/service.ts';
import { readOutcome } from '../../src/service/outcome.ts';
import { type Exchange, ServiceResponse } from '../../src/service/response.ts';
import { createRig } from '../rig/command.ts';
import { intentOf } from '../rig/journal.ts';
import { cannedService } from '../rig/service.ts';

export const BOOKINGS = Object.values(OPERATIONS).filter(operation => operation.books);

export const answer = (status: number, body: unknown, fault?: WireFault): ServiceResponse =>
  new ServiceResponse({
    status,
    headers: {},
    bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    fault,
  });

const made = { success: true, operation: 'create', carrier: 'EXP' };
export const inland = { ...made, trackingNumber: 'D-TRACK' };
/** One link, two names: `label` in the labels operation, `labelPdf` in the dual one. */
export const abroad = { ...made, trackingNumber: 'I-TRACK', label: 'https://labels.test/I.pdf' };
export const abroadPdf = { ...made, trackingNumber: 'I-TRACK', labelPdf: 'https://labels.test/I.pdf' };
export const refusedLabel = {
  success: false,
  operation: 'create',
  carrier: 'EXP',
  message: 'carrier is closed',
};

export const leg = (id: string, label?: unknown) => ({
  shipment: { id, carrier: { id: 'EXP', name: 'Express' }, createdAt: '2026-03-02T09:00:00Z' },
  ...(label !== undefined && { label }),
});

/** For each booking, a request and a response that creates all that was requested. */
export const GOOD: Record<string, { request: unknown; status: number; body: Record<string, unknown> }> = {
  createShipment: { request: {}, status: 201, body: { id: 'S1', carrier: { id: 'ECO', price: 0 } } },
  createDualShipment: {
    request: { label: true },
    status: 201,
    body: { success: true, international: leg('I1', abroadPdf), domestic: leg('D1', inland) },
  },
  createLabels: {
    request: { international: 'I1', domestic: 'D1' },
    status: 200,
    body: { success: true, international: abroad, domestic: inland },
  },
  createSubscription: {
    request: { url: 'https://shop.test' },
    status: 201,
    body: { success: true, data: { id: 'W1', secret: 'whsec', token: 'tok' } },
  },
};

/** What becomes of a booking with that request and that exchange; its reason in words, as the journal keeps it. */
export function decided(operation: Operation, request: unknown, exchange: Exchange) {
  const outcome = readOutcome(operation, { value: request }, exchange);
  return outcome.state === 'created'
    ? { ...outcome, why: '' }
    : { ...outcome, why: personWords(outcomeReasonText(outcome.why)) };
}

/** The booking that has that outcome. */
export function bookingWith(
  operation: Operation,
  request: unknown,
  outcome: ReturnType<typeof decided>,
): Booking {
  const intent = intentOf(operation, { request: new Json(request) });
  const { booking } = claimingOf(intent, { host: 'here', process: 1, start: '' }, 0);
  const { state, httpStatus, answer: text, ids, labels } = outcome;
  const code = outcome.state === 'created' ? null : outcome.code;
  return { ...booking, state, code, why: outcome.why, httpStatus, answer: text, ids, labels };
}

/** A rig whose service has these answers, and the requests that it has seen. */
export async function rigWith(answers: Parameters<typeof cannedService>[0]) {
  const { env, seen } = await cannedService(answers);
  return { rig: await createRig({ env }), seen };
}
