// The draft that a form goes on with, or a new one, and what may have come of it.

import { bodyOf, type Schema } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, isRecord, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { type Booking, HOLDING_STATES } from '../journal/journal.ts';
import type { Layers, RequestParts } from '../orders/request-command.ts';
import { layer } from '../request/layers.ts';
import { applySets } from '../request/values.ts';
import type { Session } from '../session/session.ts';
import type { Draft, Drafts } from './engine/draft.ts';
import { formState } from './engine/form.ts';

/**
 * The draft to go on with, or a new one. What flags give lies above what the draft has; options that it was begun with
 * become options of the command again.
 */
export async function startDraft(
  session: Session,
  { operation, layers, sets, otherOptions, isResumed }: RequestParts,
  drafts: Drafts,
): Promise<Draft> {
  const { command } = operation;
  const kept = await unbookedDrafts(session, drafts.list());
  if (!isResumed) {
    if (kept.length > 0)
      await session.printer.note(`a draft is kept from ${timeOf(kept[0])}; --draft goes on with it`);
    return {
      at: session.host.now(),
      address: session.address(),
      options: otherOptions,
      entered: formState(startBody(layers)),
    };
  }
  const draft = kept.length > 1 ? await chooseDraft(session, kept) : kept[0];
  if (draft === undefined)
    throw new Failure('usage', `${command}: there is no draft to go on with; nothing was sent`);
  if (draft.address !== session.address())
    await session.printer.warn(
      `this draft was begun for ${draft.address}, and goes on for ${session.address()}`,
    );
  const body = withFlags(bodyOf(operation), layers, draft.entered.body, sets);
  return {
    ...draft,
    // A price limit or a key of the draft holds, unless this command gives another one.
    options: { ...draft.options, ...otherOptions },
    entered: { ...draft.entered, body },
  };
}

/** Flags upon the draft; `--set` reaches inside of both, and inside of the profile's party where they have none. */
function withFlags(
  schema: Schema,
  { defaults, given }: Layers,
  draft: unknown,
  sets: readonly string[],
): unknown {
  const body = layer(draft, given);
  const reached = PARTIES.filter(
    role => getAt(body, [role]) === undefined && getAt(applySets(schema, {}, sets), [role]) !== undefined,
  );
  const whole = reached.reduce((full, role) => setAt(full, [role], getAt(defaults, [role])), body);
  return applySets(schema, whole, sets);
}

/** What is given; a party that `--set` reaches into comes whole, with what the profile has of it. */
const startBody = ({ given, full }: Layers): unknown =>
  isRecord(given)
    ? Object.fromEntries(
        Object.keys(given).map(name => [
          name,
          getAt(PARTIES.some(role => role === name) ? full : given, [name]),
        ]),
      )
    : {};

async function chooseDraft(session: Session, kept: readonly Draft[]): Promise<Draft | undefined> {
  const picked = await session.ask({
    kind: 'choice',
    id: 'draft',
    message: 'Which draft?',
    choices: kept.map((draft, index) => ({
      value: String(index),
      name: `${timeOf(draft)}, ${summaryOf(draft)}`,
    })),
  });
  if (picked === undefined) throw new Failure('interrupted', 'no draft was picked; nothing was sent');
  return kept[Number(picked)];
}

const timeOf = (draft: Draft | undefined): string =>
  new Date(draft?.at ?? 0).toISOString().slice(0, 16).replace('T', ' ');

function summaryOf({ address, entered: { body } }: Draft): string {
  const receiver = ['firstName', 'lastName', 'address.city'].map(path => getAt(body, `receiver.${path}`));
  return [...receiver, `for ${address}`].filter(Boolean).join(' ');
}

/** Those that nothing came of: what may exist is not to be booked again. */
async function unbookedDrafts(session: Session, drafts: readonly Draft[]): Promise<Draft[]> {
  const isSent = drafts.some(({ booking }) => booking !== undefined);
  const journal = isSent ? await session.journalIfThere() : undefined;
  const states = await Promise.all(
    drafts.map(async ({ booking }) => booking && (await journal?.byId(booking))?.state),
  );
  return drafts.filter(({ booking }, index) => {
    const state = states[index];
    return booking === undefined || HOLDING_STATES.every(holding => holding !== state);
  });
}

/** What this process has booked with the operation, or may have. */
export async function bookingsOfThisProcess(
  { host, journalIfThere }: Session,
  { books, command }: Operation,
): Promise<Booking[]> {
  const journal = books ? await journalIfThere() : undefined;
  const all = (await journal?.list({ operation: command, states: HOLDING_STATES, limit: 10 })) ?? [];
  return all.filter(({ holder }) => holder.host === host.process.host && holder.process === host.process.id);
}
