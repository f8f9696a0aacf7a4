// The desk at which orders are placed: a session with an open journal and a caller, who decides. A command, a record of a batch and an
// agent have a desk each; the desks differ in their caller only.

import type { Intent, Scope } from '../booking/booking.ts';
import { commandName, type Operation } from '../contract/operations.ts';
import type { Money } from '../contract/read.ts';
import { Failure } from '../errors.ts';
import { interruptionOf, stopIfInterrupted } from '../host/signals.ts';
import type { Journal } from '../journal/journal.ts';
import { refuseReserved } from '../profile/settings.ts';
import { isProduction, recordedProfile, targetWords } from '../profile/target.ts';
import type { Session } from '../session/session.ts';
import type { Caller } from './order.ts';
import { orderQuestion } from './question.ts';

/** A session whose journal is open, with the caller that decides for it. */
export interface Desk extends Session {
  journal: Journal;
  caller: Caller;
}

/** Opens a desk to book. `newJournal`: the journal may be new, or have lost bookings. Throws `storage`. */
export async function openDesk(
  session: Session,
  options: { newJournal?: boolean | undefined },
): Promise<Desk> {
  if (options.newJournal) refuseReserved(session.limits(), 'resolve', '--new-journal');
  return newDesk(session, await session.openJournal('book', { asNew: options.newJournal }));
}

/** Opens a desk to look at what was booked; `undefined` if there is no journal yet. */
export async function openDeskToLook(session: Session): Promise<Desk | undefined> {
  const journal = await session.openJournal('look');
  return journal && newDesk(session, journal);
}

/** The pause between two looks at a booking that another process is sending. */
const LOOK_MS = 100;
/** After so many looks the user is told of the wait: most bookings are sent faster. */
const LOOKS_UNTOLD = 20;

function newDesk(session: Session, journal: Journal): Desk {
  const { host } = session;
  // If a limit cannot be read, this call throws, before anything is sent.
  session.limits();
  const caller: Caller = {
    mustAgree: mustConfirm(session),
    stopped: () => interruptionOf(host),
    requireReady: operation => readyToBook(session, operation),
    agrees: order => confirmBooking(session, order.operation, place => orderQuestion(order, { place })),
    wantsAnother: async what =>
      session.interactive ? session.confirm(`${what}. Book another one?`) : undefined,
    async wait(look, bookingIn) {
      for (let looks = 1; ; looks += 1) {
        const result = await look();
        const booking = bookingIn(result);
        if (booking?.state !== 'pending') return result;
        if (looks === LOOKS_UNTOLD) session.events.noteWait(booking);
        await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
        stopIfInterrupted(host);
      }
    },
    labelSaved: (booking, path) => session.bookingLines.addFile(booking, path),
    labelNotSaved: (booking, error) =>
      session.events.log({ event: 'label', level: 'warning', operation: 'label', booking, error }),
    placed: (booked, labelled) => session.bookingLines.note(booked.booking, booked.sent, labelled),
  };
  return { ...session, journal, caller };
}

/** Where the bookings of a session go, and who makes them. */
export function bookingOrigin(
  session: Pick<Session, 'target' | 'scope' | 'run' | 'actor'>,
): Pick<Intent, 'scope' | 'profile' | 'sandbox' | 'run' | 'actor'> & { scope: Scope } {
  const target = session.target();
  return {
    scope: session.scope(),
    profile: recordedProfile(target),
    sandbox: target.sandbox,
    run: session.run,
    actor: session.actor,
  };
}

/** What is left of the limit of a day; `undefined` without such a limit. Sends nothing, and makes no journal. */
export async function limitLeft(session: Session): Promise<readonly Money[] | undefined> {
  const { maxPerDay, perDay } = session.limits();
  const journal = maxPerDay && (await session.openJournal('look'));
  return journal ? journal.leftOfDay(bookingOrigin(session), perDay) : maxPerDay;
}

// The yes of a person to a booking.

/** Is a yes needed? A booking in production needs one if a person sees the command; a script without a terminal goes ahead. */
const mustConfirm = (session: Session): boolean =>
  isProduction(session.target()) && !session.globals.yes && session.isSeen;

/** Throws if the service cannot be called, or if only a person at a terminal may book in production; sends nothing. */
export async function readyToBook(session: Session, operation: Operation): Promise<void> {
  if (isProduction(session.target())) refuseReserved(session.limits(), 'production', commandName(operation));
  await session.service.check(operation);
}

/** What a person may see before the yes to a booking: a page of figures and, if the person wants them, the prices. */
export interface BeforeYes {
  page?(): Promise<void>;
  estimate?: (() => Promise<void>) | undefined;
}

/**
 * Asks for the yes to a booking, if one is needed. `what`: what is booked, in words, at a place. `before`: what a person may see first.
 * Throws `interrupted` if the answer is no, and `usage` where nobody can answer.
 */
export async function confirmBooking(
  session: Session,
  operation: Operation,
  what: (place: string) => string,
  before: BeforeYes = {},
): Promise<void> {
  if (!mustConfirm(session)) return;
  const words = what(targetWords(session.target()));
  if (!session.interactive) throw nobodyToAsk(session, operation, words, before.estimate !== undefined);
  await before.page?.();
  const message = `Book this? ${words}`;
  const typed =
    before.estimate &&
    (await session.ask({ ...BOOK_OR_ESTIMATE, message: `${message} [y/N, e: estimate first]` }));
  const answer = typed?.trim().charAt(0).toLowerCase();
  if (answer === 'y') return;
  if (answer === 'e') await before.estimate?.();
  if ((typed === undefined || answer === 'e') && (await session.confirm(message))) return;
  throw new Failure('interrupted', `${commandName(operation)}: the answer was not yes`, {
    operation: operation.command,
  });
}

/** The failure if nobody can be asked. A person may see the command and expect a question, but `xargs`, a pipe or such took its stdin. */
function nobodyToAsk(session: Session, operation: Operation, what: string, hasEstimate: boolean): Failure {
  const why = session.host.stdin.isTerminal ? 'prompts are off' : 'stdin is no terminal';
  const preview = hasEstimate
    ? ', or --dry-run --estimate to see the prices first'
    : operation.keySpace === 'shipment'
      ? ', or --plan FILE to look at it first'
      : '';
  return new Failure(
    'usage',
    `${commandName(operation)}: ${what} needs a yes, and nobody can be asked, because ${why}`,
    { hint: `Add --yes to book it${preview}`, operation: operation.command },
  );
}

/** A question to answer with yes or no, or with `e` to see an estimate first. */
const BOOK_OR_ESTIMATE = {
  kind: 'text',
  id: 'confirm',
  esc: 'leave',
  check: async (answer: string) => (/^\s*([yne].*)?$/i.test(answer) ? undefined : 'y, n or e'),
} as const;
