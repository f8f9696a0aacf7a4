// A command books once: an order that the journal knows gets its recorded answer, and nothing is sent.

import {
  type Booked,
  type BookingRequest,
  book,
  bookedFrom,
  findObstacle,
  type PriceBound,
} from '../booking/book.ts';
import { otherIds } from '../contract/content.ts';
import { isSameKey, mangledKeyFault } from '../contract/key.ts';
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { getAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { type Booking, hasSameInput, type Intent, isInputKnown, isMade } from '../journal/booking.ts';
import type { Obstacle } from '../journal/types.ts';
import { Json } from '../json.ts';
import type { Session } from '../session/session.ts';
import { operands, shown, shownId } from '../text.ts';
import { bookingFailure } from './booking-failure.ts';
import { confirm, mustConfirm, readyToBook } from './confirm.ts';
import type { BookingOptions } from './flags.ts';
import { refuseWarnings } from './issues.ts';
import { checkKey } from './key.ts';
import { noteBooking } from './note-booking.ts';
import { isSameReceiver, receiverIn, receiverWords } from './receiver.ts';

/** How a booking is known again. */
export interface Identity extends BookingOptions {
  /** Of what the user gave. */
  fingerprint: string;
  /** A record of a batch: of its text. */
  source?: string | undefined;
  /** A record of a batch: the `_record` that it came with. */
  recordName?: string | undefined;
}

/** The booking before its body is complete: enough to know whether the order was booked already. Throws `usage`. */
export function bookingRequest(
  session: Session,
  operation: Operation,
  { fingerprint, key, allowDuplicate = false, source, recordName }: Identity,
  { labels = [], bound }: { labels?: Intent['labels']; bound?: PriceBound | undefined } = {},
): BookingRequest {
  checkKey(key);
  const { command, keySpace } = operation;
  return {
    operation,
    bound,
    intent: {
      scope: session.scope(),
      operation: command,
      keySpace: keySpace ?? command,
      key: key ?? null,
      fingerprint,
      source: source ?? null,
      recordName: recordName ?? null,
      request: UNKNOWN,
      profile: session.target().from === 'environment' ? null : (session.target().name ?? null),
      sandbox: session.target().sandbox,
      ...{ run: session.run, actor: session.actor, maxPrice: bound?.words ?? null },
      labels,
      allowDuplicate,
    },
  };
}

/** A booking that is looked up before its body is complete. */
const UNKNOWN = new Json(null);

/** The last part of a booking, made only if something is sent. */
interface Completed {
  body: Json;
  /** What a person confirms. */
  summary(): string;
}

/**
 * Books, unless the journal knows the order: then the recorded answer is the result. `order`: what is sent, or what
 * completes it, which asks the service or a person only if the journal does not know the order. Throws `duplicate`.
 */
export async function bookOnce(
  session: Session,
  operation: Operation,
  identity: Identity,
  order: Completed | (() => Promise<Completed>),
  bound?: PriceBound,
): Promise<{ booked: Booked; failure: Failure | undefined }> {
  let request = bookingRequest(session, operation, identity, { bound });
  const refuseDoubtful = () => refuseWarnings(session, operation, 'nothing was sent');
  // With one, the answer that was recorded before is shown, and an order that may exist is exit 8, also with --strict.
  if (identity.key === undefined) refuseDoubtful();
  const ended = async (booked: Booked) => {
    noteBooking(session, operation, booked);
    if (booked.sent) {
      await warnOfMoved(session, operation, booked);
      await warnOfReceiver(session, operation, completed?.body.value, booked);
    }
    return { booked, failure: bookingFailure(session, request, booked) };
  };
  const journal = await session.openJournal('book', { asNew: identity.newJournal });
  // A batch has looked at the keys of all records before it sends one.
  const isNewKey = identity.key !== undefined && identity.source === undefined;
  // If nobody is asked first, the claim itself tells what prevents the booking.
  const isLookedUp = isNewKey || mustConfirm(session) || session.printer.warnings.length > 0;
  let completed = typeof order === 'function' || isLookedUp ? undefined : order;
  let obstacle = completed ? undefined : await findObstacle(request, journal, waiter(session));
  for (;;) {
    if (obstacle) {
      const answer = await answerTo(session, request, obstacle);
      if (answer.kind === 'booked') return ended(answer);
      request = answer.request;
    }
    // A person confirms once, even if another process is faster in the meantime.
    const isConfirmed = completed !== undefined;
    if (!isConfirmed && isNewKey) await checkNewKey(session, request);
    if (!isConfirmed) refuseDoubtful();
    completed ??= typeof order === 'function' ? await order() : order;
    const result = await attempt(
      session,
      request,
      completed.body,
      isConfirmed ? undefined : completed.summary,
    );
    if (result.kind === 'booked') return ended(result);
    obstacle = result;
  }
}

/** A key that nobody has booked may be damaged, or name an order that was booked under another key. Throws `usage`. */
async function checkNewKey(session: Session, { operation, intent }: BookingRequest): Promise<void> {
  const { scope, key, fingerprint, allowDuplicate } = intent;
  refuseMangled(operation, key);
  if (allowDuplicate) return;
  const journal = await session.openJournal('book');
  const twin = (await journal.twins(scope, operation.command, [fingerprint])).get(fingerprint);
  // With the same key, another process was faster since the key was looked up.
  if (twin && !isSameKey(twin.key, key)) await session.printer.warn(otherKeyWarning(twin));
}

function refuseMangled(operation: Operation, key: string | null): void {
  const fault = key === null ? undefined : mangledKeyFault(key);
  if (fault !== undefined)
    throw new Failure('usage', `${typedName(operation)}: --key ${shown(key)} ${fault}; nothing was sent`, {
      operation: operation.command,
    });
}

/** `twin`: a booking with the input of an order that has another key. */
export const otherKeyWarning = ({ id, key, state, at }: Booking): string =>
  `an order with the same content was booked at ${new Date(at).toISOString()} ${key === null ? 'without a key' : `with the key ${JSON.stringify(key)}`} (${id}, ${state}): this key is another one, so it is booked once more. \`waybill history show ${id}\` shows that order`;

/** Before a form is filled in for a key that is booked. Throws `duplicate`. */
export async function refuseBookedKey(
  session: Session,
  operation: Operation,
  options: BookingOptions,
): Promise<void> {
  const { request, obstacle } = await keyLookup(session, operation, options);
  if (obstacle) await answerTo(session, request, obstacle);
  else refuseMangled(operation, request.intent.key);
}

/** Has the key a booking? */
export const isKeyBooked = async (
  session: Session,
  operation: Operation,
  options: BookingOptions,
): Promise<boolean> => (await keyLookup(session, operation, options)).obstacle !== undefined;

async function keyLookup(session: Session, operation: Operation, { key, newJournal }: BookingOptions) {
  const request = bookingRequest(session, operation, { fingerprint: '', key });
  const obstacle =
    key === undefined
      ? undefined
      : await findObstacle(
          request,
          await session.openJournal('book', { asNew: newJournal }),
          waiter(session),
        );
  return { request, obstacle };
}

/** Once: what was read in another place may be something else, so a person compares it with what the service shows. */
async function warnOfMoved({ printer }: Session, operation: Operation, { outcome }: Booked): Promise<void> {
  const name = typedName(operation);
  for (const { path, found } of outcome.moved)
    await printer.warn(
      `${name}: the service document shows the id at ${path}, and the answer has it at ${found}: it was read there`,
    );
  if (!isMade(outcome)) return;
  const read = Object.values(outcome.ids);
  const foundAt = (path: string) => outcome.moved.find(one => one.path === path)?.found ?? path;
  for (const { id, path, found } of otherIds(operation, outcome.body, read))
    await printer.warn(
      `${name}: the answer has two ids, ${shownId(String(getAt(outcome.content, path)))} at ${foundAt(path)} and ${shownId(id)} at ${found}: the first counts. Compare both with what the service shows`,
    );
}

/** Where an answer may name the receiver of the order. The domestic leg of a pair may end at a warehouse. */
const TO_RECEIVER = [[], ['international', 'shipment']];

/** A receiver that cannot be compared is no other one: nobody reads a warning that comes with each order. */
async function warnOfReceiver(
  { printer }: Session,
  operation: Operation,
  request: unknown,
  { outcome }: Booked,
): Promise<void> {
  if (!isMade(outcome)) return;
  const ours = receiverIn(request);
  for (const place of TO_RECEIVER) {
    const theirs = receiverIn(getAt(outcome.content, place));
    if (isSameReceiver(ours, theirs) !== false) continue;
    const ids = Object.values(outcome.ids);
    await printer.warn(
      `${typedName(operation)}: the answer names another receiver, ${receiverWords(theirs)}, and the order was for ${receiverWords(ours)}. Compare both before the parcel leaves: \`waybill track ${operands(ids)}\` shows what the service has`,
    );
    return;
  }
}

/** An answer that came after its booking was settled is not shown as if it were any other. */
async function warnOfSettlement({ printer }: Session, { id, late, overtakenBy }: Booked): Promise<void> {
  // The failure of an overtaken booking says all of it.
  if (late === undefined || overtakenBy !== undefined) return;
  const { settlement, booking, counts } = late;
  const { by, at, state, ids } = settlement;
  const found = Object.values(ids).join(' and ');
  const settled = state === 'created' ? `created${found && ` (${found})`}` : 'not created';
  await printer.warn(
    `booking ${id} was resolved by ${by} at ${new Date(at).toISOString()} as ${settled}, and then its answer came. ${counts ? `The answer counts: the booking is ${booking.state}` : 'It names nothing that was created, so what was recorded counts'}`,
  );
}

const waiter = ({ host: { sleep, interrupted }, noWait = false, noteWait, answered }: Session) => ({
  ...{ sleep, interrupted, noWait, noteWait, answered },
});

/** Asks for confirmation if there is a summary, and books. Gives the obstacle if another process was faster. */
export async function attempt(
  session: Session,
  request: BookingRequest,
  body: Json,
  summary: (() => string) | undefined,
): Promise<Booked | Obstacle> {
  const client = await readyToBook(session, request.operation);
  if (summary !== undefined) await confirm(session, request.operation, summary);
  const journal = await session.openJournal('book');
  const intent = { ...request.intent, request: body };
  const result = await book({ ...request, intent }, journal, client, waiter(session));
  if (result.kind === 'booked') await warnOfSettlement(session, result);
  return result;
}

/** ` for Ann Example, DE`; empty if the journal does not know it. */
const forReceiver = ({ request }: Booking): string => {
  const words = receiverWords(receiverIn(request));
  return words && ` for ${words}`;
};

/** Keys may be one without being written alike. */
const spelled = ({ key }: Booking, given: Intent): string =>
  key === null || key === given.key
    ? ''
    : `. It was booked as ${JSON.stringify(key)}, and keys that look the same are one key`;

/** What an obstacle means: the recorded answer; or, if a person wants the same once more, another request. */
async function answerTo(
  session: Session,
  request: BookingRequest,
  { kind, booking }: Obstacle,
): Promise<Booked | { kind: 'again'; request: BookingRequest }> {
  const { operation, intent } = request;
  const when = new Date(booking.at).toISOString();
  const refuse = (message: string) =>
    new Failure('duplicate', `${typedName(operation)}: ${message}`, {
      operation: operation.command,
      booking: booking.id,
    });
  if (kind === 'twin') {
    const what = `an order with the same content was booked at ${when} (${booking.id}, ${booking.state})`;
    if (!session.interactive)
      throw refuse(
        `${what}; nothing was sent. \`waybill history show ${booking.id}\` shows it. Without a key, the same content counts as the same order for 24 hours, and while it is unknown`,
      );
    if (!(await session.confirm(`${what}. Book another one?`))) throw refuse(`${what}; nothing was sent`);
    return { kind: 'again', request: { ...request, intent: { ...intent, allowDuplicate: true } } };
  }
  if (!hasSameInput(booking, operation.command, intent))
    throw refuse(
      `the key ${JSON.stringify(intent.key)} was booked with other input at ${when}${forReceiver(booking)} (${booking.id}, ${booking.state})${spelled(booking, intent)}; nothing was sent. \`waybill history show ${booking.id}\` shows it. A key names one order`,
    );
  await session.printer.note(
    isInputKnown(booking)
      ? `booked before, at ${when}, as ${booking.id}: this is the recorded answer; nothing was sent`
      : `booked before, on another machine, as ${booking.id} here: this is the recorded answer; nothing was sent. The booking was imported from a results file, which does not hold the input, so the input cannot be compared`,
  );
  return bookedFrom(operation, booking);
}
