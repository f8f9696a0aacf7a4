import type { Leg } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { type Booking, decidingBooking, type Ids } from '../journal/journal.ts';
import { labelledIds } from '../journal/settle.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { checkKey, keyFault } from './key.ts';

/** The shipments of a booking, in the form of a label request. */
export const labelBody = ({
  shipment,
  international = shipment,
  domestic,
}: Ids): Partial<Record<Leg, string>> => ({
  ...(international !== undefined && { international }),
  ...(domestic !== undefined && { domestic }),
});

/**
 * The shipments that a REF names here: those of a key or of a booking's id, one by its id, or one by the tracking number of
 * its label. `undefined` if the journal does not know it. Throws as `bookedShipments` does.
 */
export async function namedShipments(
  session: Session,
  ref: string,
): Promise<{ ids: Ids; key: string | null } | undefined> {
  const journal = await session.journalIfThere();
  const { address, account } = session.scope();
  const named = ((await journal?.named(ref)) ?? []).filter(
    booking => booking.address === address && booking.account === account,
  );
  // Of a booking of labels the key is that of what it labels.
  const keyed = async (ids: Ids) => {
    const [one = ''] = Object.values(ids);
    return { ids, key: (await journal?.bookingOf(session.scope(), one))?.booking.key ?? null };
  };
  const withId = named.find(({ id }) => id === ref);
  if (withId) return keyed(shipmentsIn(withId));
  if (
    keyFault(ref) === undefined &&
    named.some(({ key, keySpace }) => key === ref && keySpace === 'shipment')
  )
    return { ids: (await bookedShipments(session, ref)).ids, key: ref };
  for (const booking of named) {
    const ids = shipmentsIn(booking);
    const kinds = Object.keys(ids) as (keyof Ids)[];
    const kind =
      kinds.find(one => ids[one] === ref) ??
      kinds.find(one => booking.labels[one === 'domestic' ? one : 'international']?.trackingNumber === ref);
    if (kind !== undefined) return keyed({ [kind]: ids[kind] });
  }
  return undefined;
}

/** Those that a booking made; of a booking of labels those that it labels. */
function shipmentsIn(booking: Booking): Ids {
  const { subscription: _, ...made } = booking.ids;
  return Object.keys(made).length > 0 ? made : labelledIds(booking);
}

/** The booking of the shipments that have a key here. Throws `usage`, `not_found`; `outcome_unknown` if they may exist. */
export async function bookedShipments(session: Session, key: string): Promise<Booking> {
  checkKey(key);
  const journal = await session.journalIfThere();
  const { address, account } = session.scope();
  const mine = ((await journal?.list({ key })) ?? []).filter(
    booking => booking.address === address && booking.account === account && booking.keySpace === 'shipment',
  );
  const found = decidingBooking(mine);
  if (found && Object.keys(found.ids).length > 0) return found;
  if (found?.state === 'unknown')
    throw new Failure(
      'outcome_unknown',
      `the booking ${found.id} with the key ${JSON.stringify(key)} may or may not exist; \`waybill history show ${found.id}\` shows what is known`,
      { booking: found.id },
    );
  throw new Failure(
    'not_found',
    `no shipment was booked with the key ${JSON.stringify(key)} at ${address}; \`waybill history list --key ${shellWord(key)}\` looks at all addresses`,
  );
}
