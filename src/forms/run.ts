// A form from its first question to what was made of it.

import { join } from 'node:path';
import type { Issue } from '../contract/operation.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { serviceMessage } from '../http/words.ts';
import type { Booking } from '../journal/journal.ts';
import { findIssues } from '../orders/issues.ts';
import type { RequestParts } from '../orders/request-command.ts';
import { commandLine } from '../orders/same-command.ts';
import { stateFolder } from '../profile/folders.ts';
import { layer } from '../request/layers.ts';
import { warningsOf } from '../request/warnings.ts';
import { requireReachable } from '../session/reachable.ts';
import type { Session } from '../session/session.ts';
import { bookingsOfThisProcess, startDraft } from './draft.ts';
import { type Draft, type Drafts, openDrafts } from './engine/draft.ts';
import type { FormContext } from './engine/form.ts';
import { reviewForm } from './engine/review.ts';
import { currentBody } from './engine/state.ts';
import type { Answers, Interview, MakeInterview } from './interview.ts';
import { noteSameCommand, offerToSave, saveRequest } from './save-offers.ts';

type Run = (answers: Answers) => Promise<void>;

interface FormRun {
  parts: RequestParts;
  interview(options: Answers['options']): Promise<MakeInterview>;
  /** Throws if answers would be of no use. */
  before(options: Answers['options']): Promise<void>;
}

interface Conversation {
  session: Session;
  parts: RequestParts;
  interview: Interview;
  context: FormContext;
  drafts: Drafts;
  draft: Draft;
  before: readonly Booking[];
}

/**
 * Asks for what is missing, then runs the command with it; what the service refuses comes back to the form. What is
 * answered is kept in a draft until it is done. Throws `interrupted` where the person leaves.
 */
export async function runForm(
  session: Session,
  { parts: given, interview: make, before: check }: FormRun,
  run: Run,
): Promise<void> {
  // Nobody answers fifty questions to be told then that there is nowhere to send it.
  if (!given.dryRun) requireReachable(given.operation, session.target());
  const drafts = openDrafts(join(stateFolder(session.host), 'drafts'), given.operation.command);
  const draft = await startDraft(session, given, drafts);
  const parts = { ...given, otherOptions: draft.options };
  await check(draft.options);
  const before = await bookingsOfThisProcess(session, parts.operation);
  const { defaults } = parts.layers;
  const interview = (await make(draft.options))(session, parts, layer(defaults, draft.entered.body));
  let isKept = true;
  const context: FormContext = {
    form: interview.form,
    defaults,
    validate: body => findIssues(session, parts, body),
    ask: question => session.ask(question),
    async warnAbout(path, body) {
      // Noted, and not warned of: `--strict` is for what is sent, and this can still be changed.
      for (const warning of warningsOf(body))
        if (warning.startsWith(`${path} is `)) await session.printer.note(`! ${warning}`);
    },
    saveDraft(state) {
      draft.entered = state;
      try {
        drafts.save(draft);
      } catch (error) {
        if (isKept && error instanceof Failure) void session.printer.warn(error.message);
        isKept = false;
      }
    },
  };
  const talk = { session, parts, interview, context, drafts, draft, before };
  try {
    while (!(await runOnce(talk, run)));
  } catch (error) {
    throw await withDraftHint(talk, error);
  }
}

/** One way through the form; true where that was all. */
async function runOnce(
  { session, parts, interview, context, drafts, draft }: Conversation,
  run: Run,
): Promise<boolean> {
  const { operation, dryRun } = parts;
  const { state, decision } = await reviewForm(context, draft.entered);
  const given = state.body;
  const body = currentBody(context, state);
  switch (decision) {
    case 'submit': {
      const layers = { defaults: context.defaults, given, full: layer(context.defaults, given) };
      const proposals = interview.proposals?.(body);
      const refusal = await refusalOf(run({ layers, options: parts.otherOptions, proposals }));
      if (refusal) {
        await session.printer.note(`${refusal.message}. Here it is again:`);
        context.saveDraft({ ...state, refused: refusedFields(refusal) });
        return false;
      }
      if (dryRun) return true;
      drafts.remove(draft);
      await (operation.books
        ? offerToSave(session, parts, given, body)
        : noteSameCommand(session, parts, given));
      return true;
    }
    case 'save': {
      const isSaved = await saveRequest(session, parts, given);
      if (isSaved) drafts.remove(draft);
      return isSaved;
    }
    case 'leave':
      context.saveDraft(state);
      throw new Failure('interrupted', `${operation.command}: nothing was sent`);
    case 'discard':
      drafts.remove(draft);
      throw new Failure('interrupted', `${operation.command}: thrown away; nothing was sent`);
  }
}

/** What the service would not do; anything else that goes wrong is thrown. */
async function refusalOf(running: Promise<void>): Promise<Failure | undefined> {
  try {
    await running;
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === 'rejected') return error;
    throw error;
  }
}

/** `items.0.hsCode` is our `items[0].hsCode`; a refusal without faults of single fields is one of the whole. */
function refusedFields({ facts: { issues = [], body }, message }: Failure): Issue[] {
  if (issues.length > 0)
    return issues.map(issue => ({ ...issue, path: issue.path.replace(/\.(\d+)(?=\.|$)/g, '[$1]') }));
  const words = serviceMessage(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
  return [{ path: '', message: words || message }];
}

// After these something may have been made: to go on with the draft would be to book it again.
const MAY_EXIST: readonly FailureCode[] = ['partial', 'outcome_unknown', 'internal'];

async function withDraftHint(talk: Conversation, error: unknown): Promise<unknown> {
  const { session, parts, drafts, draft, context } = talk;
  if (!(error instanceof Failure)) return error;
  const { code, message, facts } = error;
  const booking = await bookingOfThisForm(talk);
  if (code === 'partial' || booking?.state === 'created' || booking?.state === 'partial')
    drafts.remove(draft);
  else if (booking) {
    draft.booking = booking.id;
    context.saveDraft(draft.entered);
  }
  const mayExist =
    booking !== undefined || MAY_EXIST.includes(code) || (code === 'storage' && facts.booking !== undefined);
  if (mayExist || !drafts.list().some(({ at }) => at === draft.at)) return error;
  const command = commandLine(session, parts, ['--draft']);
  return new Failure(code, `${message}. What you typed is kept: \`${command}\` goes on with it`, facts, {
    cause: error,
  });
}

/** What this form has booked, or may have, whatever went wrong afterwards: with its label, or on its way to stdout. */
async function bookingOfThisForm({ session, parts, before }: Conversation): Promise<Booking | undefined> {
  const bookings = await bookingsOfThisProcess(session, parts.operation);
  return bookings.find(({ id }) => !before.some(other => other.id === id));
}
