// What becomes of a draft when its form fails.
import type { Operation } from '../contract/operations.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { type Booking, HOLDING_STATES } from '../journal/journal.ts';
import type { RequestParts } from '../orders/request-command.ts';
import { commandLine } from '../orders/same-command.ts';
import type { Session } from '../session/session.ts';
import type { Draft, Drafts } from './engine/draft.ts';

// After these a booking may exist: whoever continues the draft could book it twice.
const MAY_EXIST: readonly FailureCode[] = ['partial', 'outcome_unknown', 'internal'];

interface FailedForm {
  session: Session;
  parts: RequestParts;
  drafts: Drafts;
  draft: Draft;
  saveDraft(): void;
  /** The bookings of this process before the form. */
  earlier: readonly Booking[];
}

/** The failure with the command that continues the draft, unless a booking may exist. */
export async function withDraftHint(
  error: unknown,
  { session, parts, drafts, draft, saveDraft, earlier }: FailedForm,
): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const { code, message, facts } = error;
  // Whatever failed later: the label, or the way to stdout.
  const booking = (await bookingsOfThisProcess(session, parts.operation)).find(
    ({ id }) => !earlier.some(other => other.id === id),
  );
  if (code === 'partial' || booking?.state === 'created' || booking?.state === 'partial')
    drafts.remove(draft);
  else if (booking) {
    draft.booking = booking.id;
    saveDraft();
  }
  const mayExist =
    booking !== undefined || MAY_EXIST.includes(code) || (code === 'storage' && facts.booking !== undefined);
  if (mayExist || !drafts.list().some(({ at }) => at === draft.at)) return error;
  const command = commandLine(session, parts, ['--draft']);
  return new Failure(
    code,
    `${message}. Your answers are saved in a draft: \`${command}\` continues it`,
    facts,
    {
      cause: error,
    },
  );
}

/** What this process booked with the operation, or may have booked. */
export async function bookingsOfThisProcess(
  { host, journalIfThere }: Session,
  { books, command }: Operation,
): Promise<Booking[]> {
  const journal = books ? await journalIfThere() : undefined;
  const all = (await journal?.list({ operation: command, states: HOLDING_STATES, limit: 10 })) ?? [];
  return all.filter(({ holder }) => holder.host === host.process.host && holder.process === host.process.id);
}
