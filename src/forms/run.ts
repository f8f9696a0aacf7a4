// A form from its first question until its request is sent, saved or discarded.
import { join } from 'node:path';
import { type Issue, typedName } from '../contract/operation.ts';
import { Failure } from '../errors.ts';
import { meansToBook } from '../means.ts';
import type { Layers, RequestParts } from '../order/build.ts';
import { layer } from '../order/build.ts';
import { findIssues } from '../order/check.ts';
import type { BookingOptions } from '../order/options.ts';
import { stateFolder } from '../profile/folders.ts';
import { serviceMessage } from '../service/failure.ts';
import type { Session } from '../session/session.ts';
import { valueChecks } from './doubts.ts';
import { bookingsOfThisProcess, layersUnder, type OpenForm, startDraft, withDraftHint } from './draft.ts';
import { openDrafts } from './engine/draft.ts';
import type { Form, FormContext } from './engine/form.ts';
import { reviewForm } from './engine/review.ts';
import { currentBody } from './engine/state.ts';
import { isAskable } from './engine/steps.ts';
import { likelyCountries } from './likely.ts';
import { noteSameCommand, offerToSave, saveRequest } from './save-offers.ts';

/** What a form gives to its command. */
export interface Answers {
  layers: Layers;
  /** Options of the draft, which the command line does not repeat. */
  options: Readonly<Record<string, unknown>>;
  /** The proposals for this body, which the person has seen. */
  proposals?: unknown;
}

/** Makes the form of a command; `start` is the body before the first question. */
export type MakeForm = (session: Session, parts: RequestParts, start: unknown) => Form;

type Run = (answers: Answers) => Promise<void>;

/**
 * Asks for what is missing, then runs the command with it. A refusal of the service comes back to the form. The answers
 * are kept in a draft until the form is done. Throws `interrupted` if the person leaves.
 */
export async function runForm(
  session: Session,
  given: RequestParts,
  loadForm: (options: Answers['options']) => Promise<MakeForm>,
  run: Run,
): Promise<void> {
  const { operation, dryRun } = given;
  // Before fifty questions, and not after them.
  if (!dryRun) session.service.requireReachable(operation);
  const state = stateFolder(session.host);
  const drafts = openDrafts(state && join(state, 'drafts'), operation.command);
  const draft = await startDraft(session, given, drafts);
  const parts = {
    ...given,
    layers: layersUnder(draft, given.layers),
    otherOptions: draft.options,
    allowUnknown: draft.options.allowUnknown === true,
  };
  const { defaults } = parts.layers;
  if (operation.keySpace !== null) {
    // Loaded only here: a command that books nothing starts faster without it.
    const { refuseBookedKey } = await import('../order/place.ts');
    const { key, newJournal } = draft.options as BookingOptions;
    if (key !== undefined) await refuseBookedKey(operation, key, await meansToBook(session, { newJournal }));
  }
  const earlier = await bookingsOfThisProcess(session, operation);
  const start = layer(defaults, draft.entered.body);
  const made = (await loadForm(draft.options))(session, parts, start);
  const countries = await likelyCountries(session);
  const form: Form = {
    ...made,
    fields: Object.fromEntries(
      Object.entries(made.fields).map(([path, asked]) => [path, { usual: countries.get(path), ...asked }]),
    ),
  };
  let canSave = true;
  const context: FormContext = {
    form,
    defaults,
    dryRun,
    validate: body => findIssues(parts, body, session.rules()),
    ask: question => session.ask(question),
    checks: valueChecks(form.schema),
    saveDraft(state) {
      draft.entered = state;
      try {
        drafts.save(draft);
      } catch (error) {
        if (canSave && error instanceof Failure) void session.printer.warn(error.message);
        canSave = false;
      }
    },
  };
  const open = { session, parts, context, drafts, draft, earlier };
  try {
    while (!(await isDone(open, run)));
  } catch (error) {
    throw await withDraftHint(error, open);
  }
}

/** Goes through the form once; false: it has to be shown again. */
async function isDone({ session, parts, context, drafts, draft }: OpenForm, run: Run): Promise<boolean> {
  const { operation, dryRun } = parts;
  const { defaults, form } = context;
  const { state, decision } = await reviewForm(context, draft.entered);
  const given = state.body;
  switch (decision) {
    case 'submit': {
      const body = currentBody(context, state);
      const proposals = form.proposals?.(body);
      const layers = { defaults, given, full: layer(defaults, given) };
      const refusal = await run({ layers, options: parts.otherOptions, proposals }).then(
        () => undefined,
        refusalIn,
      );
      if (refusal) {
        const refused = refusedFields(refusal);
        // Without a review and a field to ask for, the same request would be sent again without end.
        if (!form.review && !refused.some(({ path }) => isAskable(form, body, path))) throw refusal;
        await session.printer.note(`${refusal.message}. Here is the form again:`);
        const settled = state.settled.filter(path => !refused.some(issue => issue.path === path));
        context.saveDraft({ ...state, refused, settled });
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
      throw new Failure('interrupted', `${typedName(operation)}: nothing was sent`);
    case 'discard':
      drafts.remove(draft);
      throw new Failure('interrupted', `${typedName(operation)}: the form was discarded; nothing was sent`);
  }
}

/** The refusal of the service; any other failure is thrown. */
function refusalIn(error: unknown): Failure {
  if (error instanceof Failure && error.code === 'rejected') return error;
  throw error;
}

/** The service's `items.0.hsCode` is our `items[0].hsCode`. A refusal without fields is one of the whole request. */
function refusedFields({ facts: { issues = [], body }, message }: Failure): Issue[] {
  if (issues.length > 0)
    return issues.map(issue => ({ ...issue, path: issue.path.replace(/\.(\d+)(?=\.|$)/g, '[$1]') }));
  const words = serviceMessage(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
  return [{ path: '', message: words || message }];
}
