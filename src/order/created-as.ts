// A person says that a booking exists: the ids that are given must fit the booking, and the service must know them.

import { bodyWithIds } from '../booking/answer.ts';
import {
  type Booking,
  type Ids,
  isAt,
  isMade,
  labelledIds,
  legOfId,
  type NewSettlement,
  NOTHING_MADE,
  scopeText,
  shipmentsIn,
  unlabelledLegs,
} from '../booking/booking.ts';
import { isSameShipment } from '../booking/standing.ts';
import { contentOf } from '../contract/content.ts';
import { LEGS, type Leg, OPERATIONS, type OperationId, operationNamed } from '../contract/operations.ts';
import { getAt, parsePath, setAt } from '../contract/paths.ts';
import { moneyIn } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { trackingNumberOf } from '../output/shipment.ts';
import { partyWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { commandText, shellWord } from '../text.ts';
import { chargedIn, isOverPrice, isSameReceiver, priceDoubt, receiverIn } from './answer.ts';
import { flagsOfPlace, typedFor } from './place-flags.ts';

/** What a booking is said to have made, and what the service told about it. */
type FoundShipment = Pick<NewSettlement, 'ids' | 'labels' | 'overPrice' | 'charged' | 'evidence'>;

/** For each kind of id: the operation that reads what has the id, and its place in the answer that did not come. */
const READERS: Readonly<Record<keyof Ids, { reader: OperationId; at: string }>> = {
  shipment: { reader: 'getShipment', at: '' },
  international: { reader: 'getShipment', at: 'international.shipment' },
  domestic: { reader: 'getDomesticShipment', at: 'domestic.shipment' },
  subscription: { reader: 'getSubscription', at: '' },
};

/** What a booking made, if nobody asks the service: what a person says. `ids`: those that `idsFor` gives. */
export const saidToBe = (booking: Booking, ids: Ids): FoundShipment =>
  isOfLabels(booking)
    ? { ...NOTHING_MADE, labels: madeOf(LEGS.filter(leg => ids[leg])) }
    : { ...NOTHING_MADE, ids };

/** What a booking may have made, until the service is asked: the service may know all labels that were requested. */
export const mayBe = (booking: Booking, ids: Ids): FoundShipment => ({
  ...saidToBe(booking, ids),
  labels: madeOf(unlabelledLegs(operationNamed(booking.operation), booking.request, {})),
});

const madeOf = (legs: readonly Leg[]): FoundShipment['labels'] =>
  Object.fromEntries(legs.map(leg => [leg, { made: true }]));

/**
 * What a booking made: what a person says, and what the service tells about the shipment. Throws `usage` if the shipment goes to another
 * receiver, `not_found`, and what the reads throw.
 */
export async function readAs(
  session: Session,
  booking: Booking,
  ids: Ids,
  onBody: (body: unknown) => Promise<void>,
): Promise<FoundShipment> {
  const operation = operationNamed(booking.operation);
  requirePlace(session, booking);
  const labels: FoundShipment['labels'] = {};
  let answer: unknown = null;
  // The service is asked for all labels of the booking: a label that was made, and that the person did not name, must not be made again.
  const asked = isOfLabels(booking) ? labelledIds(booking) : ids;
  for (const [kind, id] of Object.entries(asked) as [keyof Ids, string][]) {
    const shipment = await contentFor(session, booking, kind, id);
    await onBody(shipment);
    compareReceiver(booking, id, shipment);
    answer = setAt(answer, parsePath(READERS[kind].at) ?? [], shipment);
    const trackingNumber = trackingNumberOf(shipment);
    const leg = LEGS.find(name => name === kind);
    if (leg && operation.made.labels[leg] && trackingNumber) labels[leg] = { made: true, trackingNumber };
  }
  if (isOfLabels(booking)) {
    // The price in the answer is that of the shipment, not of its labels.
    if (Object.keys(labels).length > 0) return { ...NOTHING_MADE, labels };
    throw new Failure(
      'not_found',
      `the service has no tracking number of ${Object.values(asked).join(' and ')}: its label was not made yet. Ask the provider of the service, and record the answer with ${typedFor(session)('resolve', booking.id)}`,
    );
  }
  const bound = booking.maxPrice === null ? undefined : moneyIn(booking.maxPrice);
  const overPrice = bound ? isOverPrice(answer, bound) : null;
  if (bound && overPrice === null)
    await session.printer.warn({ ...priceDoubt(answer, bound), booking: booking.id }, { always: true });
  const evidence = JSON.stringify(bodyWithIds(operation, ids, answer));
  return { ids, labels, overPrice, charged: chargedIn(answer, bound), evidence };
}

/** Is it a booking of labels, which have no id of their own? */
const isOfLabels = (booking: Booking): boolean =>
  Object.keys(operationNamed(booking.operation).made.ids).length === 0;

/** Throws `usage` if the session has another service or account than the booking: it would not know the shipment. */
function requirePlace(session: Session, booking: Booking): void {
  const here = session.scope();
  if (isAt(here, booking)) return;
  throw new Failure(
    'usage',
    `booking ${booking.id} was sent to ${scopeText(booking)}, and this command would ask ${scopeText(here)}. ${flagsAdvice(session, booking)}, or add --unchecked to ask nobody`,
  );
}

/** The advice how a command asks the service to which a booking was sent. */
function flagsAdvice(session: Session, booking: Booking): string {
  const { address, account, sandbox } = booking;
  const flags = flagsOfPlace(session, scopeText(booking));
  if (flags?.length === 0) return 'Leave out --profile and --sandbox';
  if (flags) return `Add ${commandText(flags)}`;
  if (account !== '') return 'Save a profile with that address and account';
  const [variable, flag] = sandbox
    ? ['WAYBILL_SANDBOX_BASE_URL', ', with --sandbox']
    : ['WAYBILL_BASE_URL', ''];
  const leave = session.globals.profile === undefined ? 'Set' : 'Leave out --profile, and set';
  return `${leave} ${variable}=${shellWord(address)} and WAYBILL_TOKEN${flag}`;
}

/** What the service tells about a shipment or subscription of a booking. */
async function contentFor(session: Session, booking: Booking, kind: keyof Ids, id: string): Promise<unknown> {
  const operation = OPERATIONS[READERS[kind].reader];
  const [parameter = ''] = Object.keys(operation.parameters);
  try {
    return contentOf(operation, await session.service.read(operation, { parameters: { [parameter]: id } }))
      .value;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error;
    // The failure does not name this read: the user typed `history resolve`.
    const { operation: _, ...facts } = error.facts;
    const unasked = error.code === 'not_found' ? '' : `; add --unchecked to record ${id} without asking`;
    throw new Failure(
      error.code,
      `${error.message.replace(`${operation.command}: `, '')}. Booking ${booking.id} is unchanged${unasked}`,
      facts,
      { cause: error },
    );
  }
}

/** The ids that were given, each by its kind. Throws `usage` if they do not fit the booking. */
export function idsFor(booking: Booking, created: string, domestic: string | undefined): Ids {
  const { id, operation: command } = booking;
  const operation = operationNamed(command);
  const kinds = Object.keys(operation.made.ids) as (keyof Ids)[];
  const refuse = (why: string) => new Failure('usage', `booking ${id} is a ${command}: ${why}`);
  if (kinds.includes('domestic')) {
    if (domestic === undefined)
      throw refuse(
        'give both ids, --created INTERNATIONAL_ID --domestic DOMESTIC_ID (in a file shipmentId and domesticShipmentId)',
      );
    return { international: created, domestic };
  }
  // A booking of labels is named by the shipments in its request.
  const known = labelledIds(booking);
  if (domestic !== undefined && known.domestic === undefined)
    throw refuse('it has no domestic leg of its own; leave out --domestic');
  const [kind] = kinds;
  if (kind !== undefined) return { [kind]: created };
  const named = Object.entries(known).filter(
    ([leg, shipment]) => shipment === created || (leg === 'domestic' && shipment === domestic),
  );
  const isKnown = (shipment: string) => named.some(entry => entry[1] === shipment);
  if (!isKnown(created) || !isKnown(domestic ?? created)) {
    const { international, domestic: second } = known;
    const both = international && second ? `, or both: --created ${international} --domestic ${second}` : '';
    throw refuse(`it labels ${Object.values(known).join(' and ')}; give one of these as --created${both}`);
  }
  return Object.fromEntries(named);
}

/**
 * The ids of a booking that is one shipment of another order: those of that order. Throws `usage` if the booking has other kinds of ids, or
 * was sent to another place.
 */
export function idsOfOther(booking: Booking, owner: Booking): Ids {
  const { id, operation } = booking;
  const refuse = (why: string) =>
    new Failure('usage', `booking ${id} is no shipment of booking ${owner.id}: ${why}. Nothing was changed`);
  if (owner.id === id) throw refuse('they are one booking');
  if (!isAt(booking, owner)) throw refuse(`that one is at ${scopeText(owner)}`);
  if (owner.state === 'unknown')
    throw new Failure(
      'usage',
      `booking ${owner.id} is itself unknown: resolve it first. Nothing was changed`,
    );
  if (!isMade(owner) || owner.keySpace !== 'shipment')
    throw refuse(`that one is ${owner.operation}, ${owner.state}`);
  if (isSameShipment(owner)) throw refuse('that one is itself the shipment of another order: name that one');
  const theirs = new Map(shipmentsIn(owner.ids).map(({ leg, shipment }) => [leg, shipment]));
  const names = Object.keys(operationNamed(operation).made.ids) as (keyof Ids)[];
  const ids = names.map(name => [name, theirs.get(legOfId(name) ?? 'international')] as const);
  if (booking.keySpace !== 'shipment' || ids.some(([, shipment]) => shipment === undefined))
    throw refuse(`a ${operation} has other ids than a ${owner.operation}`);
  return Object.fromEntries(ids);
}

/** What a booking costs if another order pays its shipment: 0, in the currency of the price that was expected. */
export const nothingOf = (booking: Booking): string | null =>
  booking.expected === null ? null : `${booking.expected.slice(0, 3)} 0`;

/** Throws `usage` if the shipment goes to another receiver. What only one of the two receivers has is not compared. */
function compareReceiver(booking: Booking, id: string, body: unknown): void {
  if (isSameReceiver(receiverIn(booking.request), receiverIn(body)) !== false) return;
  const [ours, theirs] = [booking.request, body].map(holder => partyWords(getAt(holder, ['receiver'])));
  throw new Failure(
    'usage',
    `shipment ${id} goes to ${theirs}, and booking ${booking.id} to ${ours}: it is another order. If ${id} is right, add --unchecked. Nothing was changed`,
  );
}
