// The draft of a form: a new one, or the one that --draft continues.
import { bodyOf, type Schema } from '../contract/operation.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, isRecord, setAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { HOLDING_STATES } from '../journal/journal.ts';
import type { Layers, RequestParts } from '../orders/request-command.ts';
import { layer } from '../request/layers.ts';
import { applySets } from '../request/values.ts';
import type { Session } from '../session/session.ts';
import type { Draft, Drafts } from './engine/draft.ts';
import { formState } from './engine/form.ts';
import { receiverWords, timeWords } from './words.ts';

/** Flags replace what the draft has. */
export async function startDraft(
  session: Session,
  { operation, layers, sets, otherOptions, isResumed }: RequestParts,
  drafts: Drafts,
): Promise<Draft> {
  const { command } = operation;
  const address = session.address();
  const saved = await unbookedDrafts(session, drafts.list());
  const [newest] = saved;
  if (!isResumed) {
    if (newest)
      await session.printer.note(`there is a draft from ${timeWords(newest.at)}; --draft continues it`);
    return {
      at: session.host.now(),
      address,
      options: otherOptions,
      entered: formState(startBody(layers)),
    };
  }
  const draft = saved.length > 1 ? await chooseDraft(session, saved) : newest;
  if (draft === undefined)
    throw new Failure('usage', `${command}: there is no draft to continue; nothing was sent`);
  if (draft.address !== address)
    await session.printer.warn(`this draft was started for ${draft.address} and is continued for ${address}`);
  const body = withFlags(bodyOf(operation), layers, draft.entered.body, sets);
  return {
    ...draft,
    // A price limit or a key of the draft applies, unless this command gives another one.
    options: { ...draft.options, ...otherOptions },
    entered: { ...draft.entered, body },
  };
}

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
const startBody = ({ given, full }: Layers): unknown =>
  isRecord(given)
    ? Object.fromEntries(
        Object.keys(given).map(name => [
          name,
          getAt(PARTIES.some(role => role === name) ? full : given, [name]),
        ]),
      )
    : {};

async function chooseDraft(session: Session, saved: readonly Draft[]): Promise<Draft | undefined> {
  const picked = await session.ask({
    kind: 'choice',
    id: 'draft',
    message: 'Which draft?',
    choices: saved.map(({ at, address, entered: { body } }, index) => ({
      value: String(index),
      name: `${[timeWords(at), receiverWords(body)].filter(Boolean).join(', ')} for ${address}`,
    })),
  });
  if (picked === undefined) throw new Failure('interrupted', 'no draft was picked; nothing was sent');
  return saved[Number(picked)];
}

/** Without those that may be booked already. */
async function unbookedDrafts(session: Session, drafts: readonly Draft[]): Promise<Draft[]> {
  const isSent = drafts.some(({ booking }) => booking !== undefined);
  const journal = isSent ? await session.journalIfThere() : undefined;
  const states = await Promise.all(
    drafts.map(async ({ booking }) => booking && (await journal?.byId(booking))?.state),
  );
  return drafts.filter(
    ({ booking }, index) =>
      booking === undefined || HOLDING_STATES.every(holding => holding !== states[index]),
  );
}
