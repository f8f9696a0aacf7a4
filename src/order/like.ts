// `--like`: the request of an earlier booking, with which another order begins.

import { isAt, isInputKnown, isMade, mayExist } from '../booking/booking.ts';
import { isSameKey } from '../contract/key.ts';
import { commandName } from '../contract/operations.ts';
import { isRecord, parsePath, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import { showCommand } from '../say/booked.ts';
import { receiverWords, timeWords } from '../say/words.ts';
import { commandText, shown } from '../text.ts';
import type { RequestKind } from './build.ts';
import { withoutGoodsSum, withoutTotals } from './complete.ts';
import { findBooking } from './find.ts';
import { targetFlags } from './options.ts';
import type { Sources } from './order.ts';

/**
 * The request of the booking that `ref` names, without what belongs to that order alone: what proposals filled in, and
 * totals that follow from the rest. Throws `usage`, `duplicate`, `not_found`.
 */
export async function requestLike(
  sources: Sources,
  { operation, unresolved = [] }: RequestKind,
  ref: string,
  key: string | undefined,
): Promise<unknown> {
  const { command } = operation;
  const name = commandName(operation);
  const refuse = (code: FailureCode, why: string, facts: { hint?: string; booking?: string } = {}) =>
    new Failure(code, `${name} --like ${shown(ref)}: ${why}`, { operation: command, ...facts });
  // Without one, the same command twice would be two orders, or a duplicate.
  if (key === undefined)
    throw refuse('usage', 'another order needs a key of its own', {
      hint: 'Add --key KEY, such as its order number',
    });
  const booking = await findBooking(sources, await sources.openJournal('look'), ref).catch(
    (error: unknown) => {
      throw error instanceof Failure && error.code !== 'interrupted'
        ? refuse(error.code, error.what, { hint: error.hint })
        : error;
    },
  );
  const { id, state, request } = booking;
  const show = commandText(showCommand(id, targetFlags(sources)));
  const cannot = (why: string, hint = '', code: FailureCode = 'usage') =>
    refuse(code, why, { booking: id, hint });
  if (booking.operation !== command)
    throw cannot(
      `booking ${id} was made by \`waybill ${commandName({ command: booking.operation })}\`, whose requests have other fields`,
    );
  if (state === 'pending')
    throw cannot(
      `booking ${id} is being sent at this moment`,
      `Try again when \`${show}\` shows what became of it`,
    );
  if (isSameKey(booking.key, key) && isAt(sources.scope(), booking) && mayExist(booking))
    throw cannot(
      `${shown(key)} is the key of that order itself (${id}, ${state})`,
      `A key names one order. \`${show}\` shows the booked one`,
      'duplicate',
    );
  if (!isRecord(request))
    throw cannot(
      `the journal has no request of booking ${id}, because ${isInputKnown(booking) ? 'it was pruned' : 'it was imported from a results file'}`,
      `Give the order as a file: \`waybill schema ${command} --example\` prints one`,
    );
  const place = booking.address === sources.scope().address ? '' : ` at ${booking.address}`;
  const from = `booking ${id}${place} of ${timeWords(booking.at)} ${receiverWords(request)}`;
  if (state === 'unknown')
    await sources.printer.warn(
      `${from} may exist, although no answer said so: this books another one. \`${show}\` shows how to resolve it`,
      { always: true },
    );
  else {
    const cancelled = ['waybill', 'history', 'cancelled', id, ...targetFlags(sources), '--reason', 'TEXT'];
    const stays = `, which stays booked: if this order replaces it, have the provider cancel it, and record that with \`${commandText(cancelled)}\``;
    await sources.printer.note(`starts from ${from}${isMade(booking) ? stays : ` (${state})`}`);
  }
  return unresolved.reduce(
    (body: unknown, path) => setAt(body, parsePath(path) ?? [], undefined),
    withoutTotals(withoutGoodsSum(request)),
  );
}
