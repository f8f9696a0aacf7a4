// `--like`: another order begins with the request of an earlier booking.

import { isAt, isInputKnown, isMade, mayExist } from '../booking/booking.ts';
import { isSameKey } from '../contract/key.ts';
import { getAt, isRecord, parsePath, setAt } from '../contract/paths.ts';
import { Failure, innerOf } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import type { NotLike } from '../say/names.ts';
import { partyWords, receiverWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import type { RequestKind } from './build.ts';
import { withoutGoodsSum, withoutTotals } from './complete.ts';
import { findBooking } from './find.ts';
import { withoutNumbers } from './numbers.ts';
import { targetFlags } from './options.ts';

/**
 * The request of the booking that `ref` names, without what belongs to that order alone: what proposals filled in, and totals that are
 * computed from the rest. Throws `usage`, `duplicate`, `not_found`.
 */
export async function requestLike(
  session: Session,
  kind: RequestKind,
  ref: string,
  options: { key?: string | undefined; swap?: boolean | undefined },
): Promise<unknown> {
  const { key, swap = false } = options;
  const { command } = kind.operation;
  const facts = { operation: command, flags: targetFlags(session), ref };
  const refuse = (because: NotLike, code: FailureCode = 'usage') =>
    new Failure(
      code,
      { kind: 'like-refused', ...facts, ...because },
      { operation: command, ...('booking' in because && { booking: because.booking }) },
    );
  // Without a key, the same command run twice would be a second order, or a duplicate.
  if (key === undefined) throw refuse({ because: 'no-key' });
  const booking = await findBooking(session, await session.openJournal('look'), ref).catch(
    (error: unknown) => {
      throw error instanceof Failure && error.code !== 'interrupted'
        ? refuse({ because: 'not-found', why: innerOf(error) }, error.code)
        : error;
    },
  );
  const { id, state, request } = booking;
  if (booking.operation !== command)
    throw refuse({ because: 'other-command', booking: id, made: booking.operation });
  if (state === 'pending') throw refuse({ because: 'being-sent', booking: id });
  const { address } = session.scope();
  if (isSameKey(booking.key, key) && isAt(session.scope(), booking) && mayExist(booking))
    throw refuse({ because: 'same-key', booking: id, key, state }, 'duplicate');
  if (!isRecord(request))
    throw refuse({ because: isInputKnown(booking) ? 'pruned' : 'imported', booking: id });
  const begun = {
    booking: id,
    key: booking.key,
    state,
    flags: facts.flags,
    receiver: receiverWords(request),
    at: new Date(booking.at).toISOString(),
    ...(booking.address !== address && { address: booking.address }),
  };
  if (state === 'unknown') await session.printer.warn({ kind: 'like-unknown', ...begun }, { always: true });
  else if (!swap) await session.printer.note({ kind: 'like-begun', ...begun, isMade: isMade(booking) });
  if (swap)
    await session.printer.note({
      kind: 'way-back-begun',
      ...begun,
      sender: partyWords(request.receiver),
      payer: partyWords(request.invoice ?? request.sender),
    });
  const earlier = (kind.unresolved ?? []).reduce(
    (body: unknown, path) => setAt(body, parsePath(path) ?? [], undefined),
    withoutTotals(withoutGoodsSum(request)),
  );
  return swap ? wayBack(earlier) : earlier;
}

/**
 * The way back of a shipment: sender and receiver change places. The payer of the way there also pays the way back: without an invoice the
 * service would charge the new sender.
 */
export function wayBack(body: unknown): unknown {
  if (!isRecord(body)) return body;
  const { sender, receiver, invoice = sender } = body;
  return withoutNumbers({
    ...body,
    sender: asSender(receiver),
    receiver: sender,
    ...(invoice !== undefined && { invoice }),
  });
}

/** A receiver in the form of a sender, which has one line of address, and no short address. */
function asSender(receiver: unknown): unknown {
  const address = getAt(receiver, ['address']);
  if (!isRecord(address)) return receiver;
  const { line1, line2, nationalShortAddress: _, ...others } = address;
  const line = [line1, line2].filter(text => typeof text === 'string' && text.trim() !== '').join(', ');
  return setAt(receiver, ['address'], { ...others, ...(line1 !== undefined && { line1: line }) });
}
