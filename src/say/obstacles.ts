// Why the journal does not record what a person says of a booking, and what to type instead.
import { type Booking, isMade, type NewSettlement } from '../booking/booking.ts';
import type { SettleObstacle } from '../booking/questions.ts';
import { AT_WORK_MINUTES, decisionOf, isSameShipment } from '../booking/standing.ts';
import { timeWords } from './words.ts';

type Typed = (...words: string[]) => string;

/** `kind`: what a person says. `typed`: writes a `history` command for the same journal. */
export function obstacleWords(obstacle: SettleObstacle, typed: Typed, kind?: NewSettlement['kind']): string {
  const { id, booking } = obstacle;
  if (booking === undefined) return `the journal has no booking ${id}`;
  const name = `${booking.id}${booking.key === null ? '' : ` (key ${JSON.stringify(booking.key)})`}`;
  const show = `${typed('show', booking.id)} shows it`;
  switch (obstacle.kind) {
    case 'taken':
      return `${obstacle.shipment} is the shipment of booking ${name}, so it is not that of booking ${id}. ${show}`;
    case 'labelled':
      return `booking ${id} exists: booking ${name} made the label of its shipment ${obstacle.shipment}. ${show}`;
    case 'booked again':
      return `booking ${id} was booked again as ${name}, so it cannot be unknown any more. Resolve that one first, if it does not exist: ${show}`;
    case 'answered':
      return `booking ${id} exists as its own answer says (${Object.values(booking.ids).join(' and ')}). If the provider cancelled it, or says that it was never made: ${typed('resolve', id, '--not-created', '--force', '--reason', 'TEXT')}`;
    case 'no owner':
      return `booking ${id} is no shipment of booking ${name}, which ${isSameShipment(booking) ? 'is itself that of another order: name that one' : `is ${booking.state} and has not that shipment`}. ${show}`;
    case 'declared': {
      const same = obstacle.others.map(order => order.id);
      return `${same.join(', ')} ${same.length === 1 ? 'was' : 'were'} resolved as one shipment with booking ${id}, which has the costs. Take that back with it: ${typed('resolve', ...same, id, '--reopen')}`;
    }
    case 'pruned':
      return `which shipments booking ${id} labels is not known any more, because it was pruned`;
    case 'early': {
      const { unlabelled } = obstacle;
      const what = unlabelled.length === 0 ? 'it' : `the label of ${unlabelled.join(' and ')}`;
      return `booking ${id} was sent at ${timeWords(obstacle.sentAt)}, and a carrier may be at work on ${what} for ${AT_WORK_MINUTES} minutes: ask the provider of the service after ${timeWords(obstacle.until)}`;
    }
    case 'state':
      if (kind === 'accepted') return priceWords(booking);
      return kind === 'cancelled' ? cancelWords(booking, typed) : settledWords(booking, show, typed);
  }
}

function cancelWords(booking: Booking, typed: Typed): string {
  const { id, operation, state } = booking;
  if (state === 'unknown')
    return `booking ${id} may or may not exist: ${typed('resolve', id)} records what it is, and then it can be cancelled`;
  if (isMade(booking))
    return `booking ${id} is a ${operation}: only shipments are cancelled, with their labels`;
  return `there is nothing to cancel: booking ${id} is ${state.replace('_', ' ')}`;
}

function priceWords(booking: Booking): string {
  const { id, state, overPrice } = booking;
  const nothing = `there is nothing to accept: booking ${id}`;
  if (!isMade(booking))
    return `${nothing} is ${state}, and only the price of one that was created is accepted`;
  if (overPrice === null) return `${nothing} has no --max-price, or no price to compare with it`;
  return `${nothing} is not above its --max-price`;
}

function settledWords(booking: Booking, show: string, typed: Typed): string {
  const { id, state } = booking;
  if (state === 'pending') return `booking ${id} is being sent: wait for its answer. ${show}`;
  if (state === 'cancelled')
    return `booking ${id} was cancelled by the provider. ${typed('cancelled', id, '--reopen')} takes that back`;
  const decision = decisionOf(booking);
  if (decision === undefined)
    return state === 'unknown'
      ? `booking ${id} is unknown: it was not resolved, so there is nothing to take back`
      : `booking ${id} is ${state}, not unknown: its answer came. ${show}`;
  const what = decision.kind === 'confirmed' ? 'created' : 'not created';
  return `booking ${id} is not unknown any more: ${decision.by} resolved it as ${what} at ${timeWords(decision.at)}. ${typed('resolve', id, '--reopen')} takes that back`;
}
