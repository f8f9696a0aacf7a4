// A command books once: an order that the journal knows gets its recorded answer, and nothing is sent.

import { type Booked, type BookingRequest, book, bookedFrom, findObstacle } from '../booking/book.ts';
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import { hasSameInput, isInputKnown } from '../journal/imported.ts';
import type { Intent, Obstacle } from '../journal/journal.ts';
import type { Session } from '../session/session.ts';
import { bookingFailure } from './booking-failure.ts';
import { confirm, readyToBook } from './confirm.ts';
import type { BookingOptions } from './flags.ts';

/** How a booking is known again. */
export interface Identity extends BookingOptions {
  /** Of what the user gave. */
  fingerprint: string;
  /** A record of a batch: of its text. */
  source?: string | undefined;
}

/** Longer than all attempts of a booking together: a process that is silent for longer does not come back. */
const LEASE_MS = 60 * 60 * 1000;

/** Why a key is refused: it is shown on one line, as it was given. */
export const keyFault = (key: string): string | undefined =>
  /\p{Cc}/u.test(key) ? 'holds a line break or another control character' : undefined;

/** The booking before its body is complete: enough to know whether the order was booked already. Throws `usage`. */
export function bookingRequest(
  session: Session,
  operation: Operation,
  { fingerprint, key, allowDuplicate = false, source }: Identity,
  labels: Intent['labels'] = [],
): BookingRequest {
  if (key !== undefined && key.trim() === '')
    throw new Failure('usage', '--key is empty; give it a name of your own, such as an order number');
  const fault = key === undefined ? undefined : keyFault(key);
  if (fault !== undefined)
    throw new Failure('usage', `--key ${JSON.stringify(key)} ${fault}; nothing was sent`);
  const { command, keySpace } = operation;
  return {
    operation,
    intent: {
      scope: session.scope(),
      operation: command,
      keySpace: keySpace ?? command,
      key: key ?? null,
      fingerprint,
      source: source ?? null,
      request: null,
      profile: session.target().from === 'environment' ? null : (session.target().name ?? null),
      sandbox: session.target().sandbox,
      labels,
      allowDuplicate,
      lease: LEASE_MS,
    },
  };
}

/** The last part of a booking, made only if something is sent. */
interface Completed {
  body: unknown;
  /** What a person confirms. */
  summary: string;
}

/** Books, unless the journal knows the order: then the recorded answer is the result. Throws `duplicate`. */
export async function bookOnce(
  session: Session,
  operation: Operation,
  identity: Identity,
  complete: () => Promise<Completed>,
): Promise<{ booked: Booked; failure: Failure | undefined }> {
  let request = bookingRequest(session, operation, identity);
  const ended = (booked: Booked) => ({ booked, failure: bookingFailure(session, request, booked) });
  const journal = await session.journal(identity.newJournal);
  let obstacle = await findObstacle(request, journal, waiter(session));
  let completed: Completed | undefined;
  for (;;) {
    if (obstacle) {
      const answer = await answerTo(session, request, obstacle);
      if (answer.kind === 'booked') return ended(answer);
      request = answer.request;
    }
    // A person confirms once, even if another process is faster in the meantime.
    const isConfirmed = completed !== undefined;
    completed ??= await complete();
    const { body, summary } = completed;
    const result = await attempt(session, request, body, isConfirmed ? undefined : summary);
    if (result.kind === 'booked') return ended(result);
    obstacle = result;
  }
}

/** Before a form is filled in for a key that is booked. Throws `duplicate`. */
export async function refuseBookedKey(
  session: Session,
  operation: Operation,
  { key, newJournal }: BookingOptions,
): Promise<void> {
  if (key === undefined) return;
  const request = bookingRequest(session, operation, { fingerprint: '', key });
  const obstacle = await findObstacle(request, await session.journal(newJournal), waiter(session));
  if (obstacle) await answerTo(session, request, obstacle);
}

const waiter = ({ host: { sleep, interrupted }, noWait = false }: Session) => ({
  sleep,
  interrupted,
  noWait,
});

/** Asks for confirmation if there is a summary, and books. Gives the obstacle if another process was faster. */
export async function attempt(
  session: Session,
  request: BookingRequest,
  body: unknown,
  summary: string | undefined,
): Promise<Booked | Obstacle> {
  const client = await readyToBook(session, request.operation);
  if (summary !== undefined) await confirm(session, request.operation, summary);
  const journal = await session.journal();
  return book({ ...request, intent: { ...request.intent, request: body } }, journal, client, waiter(session));
}

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
        `${what}; nothing was sent. \`waybill history show ${booking.id}\` shows it. To book another one, add --allow-duplicate. Give each order its own --key, such as an order number, to book two equal ones`,
      );
    if (!(await session.confirm(`${what}. Book another one?`))) throw refuse(`${what}; nothing was sent`);
    return { kind: 'again', request: { ...request, intent: { ...intent, allowDuplicate: true } } };
  }
  if (!hasSameInput(booking, operation.command, intent.fingerprint))
    throw refuse(
      `the key ${JSON.stringify(intent.key)} was booked with other input at ${when} (${booking.id}, ${booking.state}); nothing was sent. \`waybill history show ${booking.id}\` shows it. Another order needs its own key`,
    );
  await session.printer.note(
    isInputKnown(booking)
      ? `booked before, at ${when}, as ${booking.id}: this is the recorded answer; nothing was sent`
      : `booked before, on another machine, as ${booking.id} here: this is the recorded answer; nothing was sent. The booking was imported from a results file, which does not hold the input, so that the input cannot be compared`,
  );
  return bookedFrom(operation, booking);
}
