// The draft of a form: a new one, or the one that --draft continues; and what becomes of it when the form fails.
import { bodyOf, type Schema, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, isRecord, setAt } from '../contract/paths.ts';
import { Failure, type FailureCode } from '../errors.ts';
import { type Booking, HOLDING_STATES, mayExist } from '../journal/booking.ts';
import type { Layers, RequestParts } from '../order/build.ts';
import { applySets, layer } from '../order/build.ts';
import { commandLine } from '../order/command-line.ts';
import { minuteOf } from '../output/moment.ts';
import type { Session } from '../session/session.ts';
import type { Draft, Drafts } from './engine/draft.ts';
import { type FormContext, formState } from './engine/form.ts';
import { receiverWords } from './words.ts';

/** A form that is being filled in. */
export interface OpenForm {
  session: Session;
  parts: RequestParts;
  context: FormContext;
  drafts: Drafts;
  draft: Draft;
  /** The bookings of this process before the form. */
  earlier: readonly Booking[];
}

/** Flags replace what the draft has. */
export async function startDraft(
  session: Session,
  { operation, layers, sets, otherOptions, isResumed, isLike }: RequestParts,
  drafts: Drafts,
): Promise<Draft> {
  const address = session.address();
  const saved = await unbookedDrafts(session, drafts.list());
  const [newest] = saved;
  if (!isResumed) {
    if (newest)
      await session.printer.note(`there is a draft from ${minuteOf(newest.at)}; --draft continues it`);
    const entered = formState(startBody(layers));
    return { at: session.host.now(), address, options: otherOptions, entered, ...(isLike && { isLike }) };
  }
  const draft = saved.length > 1 ? await chooseDraft(session, saved) : newest;
  if (draft === undefined)
    throw new Failure('usage', `${typedName(operation)}: there is no draft to continue; nothing was sent`);
  if (draft.address !== address)
    await session.printer.warn(`this draft was started for ${draft.address} and is continued for ${address}`);
  const body = withFlags(bodyOf(operation), layersUnder(draft, layers), draft.entered.body, sets);
  // A price limit or a key of the draft applies, unless this command gives another one.
  const options = { ...draft.options, ...otherOptions };
  return { ...draft, options, entered: { ...draft.entered, body } };
}

/** The profile adds nothing to an order that is like another one, also when its form goes on. */
export const layersUnder = ({ isLike = false }: Draft, layers: Layers): Layers =>
  isLike ? { ...layers, defaults: {} } : layers;

/** The draft under what flags give. A party that `--set` changes in part comes from the profile if neither has it. */
function withFlags(
  schema: Schema,
  { defaults, given }: Layers,
  draft: unknown,
  sets: readonly string[],
): unknown {
  const body = layer(draft, given);
  const setRoles = PARTIES.filter(
    role => getAt(body, [role]) === undefined && getAt(applySets(schema, {}, sets), [role]) !== undefined,
  );
  const whole = setRoles.reduce((full, role) => setAt(full, [role], getAt(defaults, [role])), body);
  return applySets(schema, whole, sets);
}

/** What is given. A party that `--set` changes in part comes whole, with the profile's part. */
function startBody({ given, full }: Layers): unknown {
  const roles = PARTIES.filter(role => getAt(given, [role]) !== undefined);
  return roles.reduce(
    (body: unknown, role) => setAt(body, [role], getAt(full, [role])),
    isRecord(given) ? given : {},
  );
}

async function chooseDraft(session: Session, saved: readonly Draft[]): Promise<Draft | undefined> {
  const picked = await session.ask({
    kind: 'choice',
    id: 'draft',
    message: 'Which draft?',
    choices: saved.map(({ at, address, entered: { body } }, index) => ({
      value: String(index),
      name: `${[minuteOf(at), receiverWords(body)].filter(Boolean).join(', ')} for ${address}`,
    })),
    esc: 'leave',
  });
  return saved[Number(picked)];
}

/** Without those that may be booked already. */
async function unbookedDrafts(session: Session, drafts: readonly Draft[]): Promise<Draft[]> {
  const isSent = drafts.some(({ booking }) => booking !== undefined);
  const journal = isSent ? await session.openJournal('look') : undefined;
  const bookings = await Promise.all(
    drafts.map(async ({ booking }) => booking && (await journal?.byId(booking))),
  );
  return drafts.filter((_, index) => {
    const booking = bookings[index];
    return !booking || !mayExist(booking);
  });
}

// After these a booking may exist: to continue the draft could book it twice.
const MAY_EXIST: readonly FailureCode[] = ['partial', 'outcome_unknown', 'internal'];

/** The failure with the command that continues the draft, unless a booking may exist. */
export async function withDraftHint(
  error: unknown,
  { session, parts, context, drafts, draft, earlier }: OpenForm,
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
    context.saveDraft(draft.entered);
  }
  const mayBeBooked =
    booking !== undefined || MAY_EXIST.includes(code) || (code === 'storage' && facts.booking !== undefined);
  if (mayBeBooked || !drafts.list().some(({ at }) => at === draft.at)) return error;
  const command = commandLine(session, parts, ['--draft']);
  const hint = `Your answers are saved in a draft: \`${command}\` continues it`;
  return new Failure(code, `${message}. ${hint}`, facts, { cause: error });
}

/** What this process booked with the operation, or may have booked. */
export async function bookingsOfThisProcess(
  { host, openJournal }: Session,
  { books, command }: Operation,
): Promise<Booking[]> {
  const journal = books ? await openJournal('look') : undefined;
  const all = (await journal?.list({ operation: command, states: HOLDING_STATES, limit: 10 })) ?? [];
  return all.filter(({ holder }) => holder.host === host.process.host && holder.process === host.process.id);
}
