// A form from its first question until its request is sent, saved or discarded.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { commandName, type Operation } from '../contract/operations.ts';
import { getAt, isRecord, listAt, setAt } from '../contract/paths.ts';
import type { Issue } from '../contract/shapes.ts';
import { PARTIES } from '../contract/shipments.ts';
import { Failure } from '../errors.ts';
import { absolutePath, makeFolder } from '../host/folder.ts';
import type { Check } from '../host/question.ts';
import { openReplacement } from '../host/replace-file.ts';
import type { Host } from '../host.ts';
import { type BoundOptions, boundsIn } from '../order/bounds.ts';
import { type Layers, layer, OF_WAY_BACK, placedNumbers, type RequestParts } from '../order/build.ts';
import { findIssues } from '../order/check.ts';
import { withoutTotals } from '../order/complete.ts';
import { wayBack } from '../order/like.ts';
import { whyUndeclared } from '../order/numbers.ts';
import { type BookingOptions, checkKey, optionWords, specOf, targetFlags } from '../order/options.ts';
import { requiredStateFolder } from '../profile/environment.ts';
import { nameFault, SAVED_KINDS, type Saved, type SavedKind } from '../profile/store.ts';
import { targetWords } from '../profile/target.ts';
import { timeWords } from '../say/words.ts';
import { serviceMessage } from '../service/response.ts';
import { besideDraft, draftFolder, isDraft, removeDraft } from '../session/files.ts';
import { type Session, saveByName } from '../session/session.ts';
import { messageOf } from '../system-errors.ts';
import { commandText, operandWords, shellWord, shown } from '../text.ts';
import type { Answers } from '../wing.ts';
import { fillForm } from './fill.ts';
import {
  currentBody,
  type Entered,
  enteredIn,
  type Form,
  type FormContext,
  type FormDecision,
  isAskable,
  type MakeForm,
} from './form.ts';
import { bodyFlags, commandLine } from './typed-command.ts';

type Run = (answers: Answers) => Promise<void>;

/** The form of each command. */
const FORMS: Readonly<Record<string, (options: BoundOptions) => Promise<MakeForm>>> = {
  quote: async () => (await import('./quote.ts')).quoteForm,
  rates: async () => (await import('./quote.ts')).ratesForm,
  ship: async options => (await import('./ship.ts')).shipForm(boundsIn(options)),
  'ship-dual': async () => (await import('./ship.ts')).dualForm,
  label: async () => (await import('./label.ts')).labelForm,
  'webhook-create': async () => (await import('./webhook.ts')).webhookForm,
};

/**
 * Asks for what is missing, then runs the command with the answers. A refusal of the service comes back to the form. The answers are kept
 * in a draft until the form is done. Throws `interrupted` if the person leaves.
 */
export async function askForRequest(
  session: Session,
  begun: RequestParts,
  options: object,
  run: Run,
): Promise<void> {
  const { operation, layers, otherOptions } = begun;
  const makeForm = await FORMS[operation.command]?.(options);
  if (makeForm === undefined) throw new Error(`${operation.command} has no form`);
  await refuseInVain(session, begun);
  const { host, printer } = session;
  await noteNewestDraft(session, begun);
  const draft = draftPath(host, begun);
  const start = startBody(layers);
  let entered = enteredIn(start);
  let canSave = true;
  let parts = begun;
  const keep = (now: Entered): void => {
    entered = now;
    try {
      saveDraft(session, draft, now.body, continueCommand(session, parts, draft, now.key));
    } catch (error) {
      if (canSave) void printer.warn(`your answers cannot be saved in a draft: ${messageOf(error)}`);
      canSave = false;
    }
  };
  const contextNow = (): FormContext => ({
    ...contextOf(session, parts, makeForm(session, parts, layer(layers.defaults, start))),
    keep,
  });
  let context = contextNow();
  try {
    for (;;) {
      const filled = await fillForm(context, entered);
      entered = filled.entered;
      const { decision } = filled;
      if (decision === 'swap') {
        parts = { ...parts, swap: true, numbers: OF_WAY_BACK };
        context = contextNow();
        context.keep({ ...enteredIn(wayBack(entered.body)), ...(entered.key && { key: entered.key }) });
        continue;
      }
      const typedOptions = { ...otherOptions, ...(entered.key && { key: entered.key }) };
      const withKey = { ...parts, otherOptions: typedOptions };
      const isTyped =
        isDraft(host, parts.file) || Boolean(entered.key) || !isDeepStrictEqual(entered.body, start);
      if (decision === 'discard' && isTyped && !(await isDiscarded(session))) continue;
      if (await carryOut(session, withKey, context, draft, { entered, decision }, run)) break;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A draft that was booked is removed: to continue it might book twice, and the journal has the answers.
    const hasBooked = session.bookingLines.hasBooked();
    if (hasBooked) removeDraft(draft);
    if (hasBooked || error.code === 'internal' || !existsSync(draft)) throw error;
    const command = continueCommand(session, parts, draft, entered.key);
    throw error.with({ hint: `Your answers are saved in a draft: \`${command}\` continues it` });
  }
}

/** Refuses before the first question what would be refused after the last: an unreachable service, a key that is booked. */
async function refuseInVain(session: Session, parts: RequestParts): Promise<void> {
  const { operation, dryRun, otherOptions } = parts;
  if (!dryRun) session.service.requireReachable(operation);
  const { key, newJournal } = otherOptions as BookingOptions;
  if (operation.keySpace !== null && key !== undefined)
    await refuseBooked(session, operation, key, newJournal);
}

/** What a form gets from its command, without `keep`, which the caller adds. */
function contextOf(session: Session, parts: RequestParts, form: Form): Omit<FormContext, 'keep'> {
  const { operation, dryRun, layers, otherOptions } = parts;
  return {
    form,
    defaults: layers.defaults,
    placed: (body, typedBody) =>
      placedNumbers(session, { ...parts, layers: { ...layers, given: typedBody } }, body).body,
    dryRun,
    givenKey: typeof otherOptions.key === 'string' ? otherOptions.key : undefined,
    checkKey: asksKey(parts) ? keyCheck(session, operation, otherOptions) : undefined,
    validate: body => findIssues(parts, body, session.rules()),
    mayAsk: (path, body) =>
      whyUndeclared(path, body, session.target().profile, parts.numbers?.takes) === undefined,
    ask: question => session.ask(question),
  };
}

/** The draft that is continued, or a new one. */
const draftPath = (host: Host, parts: RequestParts): string =>
  isDraft(host, parts.file)
    ? absolutePath(parts.file, host)
    : join(draftFolder(host) ?? '', `${parts.operation.command}-${host.now()}.json`);

/** Asks whether all that was typed is to be discarded. */
const isDiscarded = async (session: Session): Promise<boolean> =>
  (await session.ask({
    kind: 'confirm',
    id: 'discard',
    message: 'Discard all that you typed, without a draft?',
    esc: 'back',
  })) === 'yes';

/** Does what the person decided; false: the form has to be shown again. */
async function carryOut(
  session: Session,
  parts: RequestParts,
  context: FormContext,
  draft: string,
  outcome: { entered: Entered; decision: Exclude<FormDecision, 'swap'> },
  run: Run,
): Promise<boolean> {
  const { entered, decision } = outcome;
  const { operation, dryRun, otherOptions } = parts;
  const { defaults, form } = context;
  const typedBody = entered.body;
  switch (decision) {
    case 'submit': {
      const body = currentBody(context, entered);
      const layers = { defaults, given: typedBody, full: layer(defaults, typedBody) };
      const { numbers } = parts;
      const answers = { layers, numbers, options: otherOptions, proposals: form.proposals?.(body) };
      const refusal = await run(answers).then(() => undefined, refusalIn);
      if (refusal) {
        const refused = refusedFields(refusal);
        // A form that has no review and no refused field to ask for would send the same request again without end.
        if (!form.review && !refused.some(({ path }) => isAskable(form, body, path))) throw refusal;
        await session.printer.note(`${refusal.message}. Here is the form again:`);
        const settled = entered.settled.filter(path => !refused.some(issue => issue.path === path));
        context.keep({ ...entered, refused, settled });
        return false;
      }
      if (dryRun) return true;
      removeDraft(draft);
      await noteSameCommand(session, parts, typedBody);
      if (!operation.books) return true;
      await noteLabel(session, parts, body);
      await offerToSave(session, parts, typedBody, body);
      return true;
    }
    case 'save': {
      const isSaved = await saveRequest(session, parts, typedBody);
      if (isSaved) removeDraft(draft);
      return isSaved;
    }
    case 'leave':
      context.keep(entered);
      throw new Failure('interrupted', `${commandName(operation)}: the form was left`);
    case 'discard':
      removeDraft(draft);
      throw new Failure('interrupted', `${commandName(operation)}: the form was discarded`);
  }
}

/** The refusal of the service; any other failure is thrown. */
function refusalIn(error: unknown): Failure {
  if (error instanceof Failure && error.code === 'rejected') return error;
  throw error;
}

/** The fields that the service refused: its `items.0.hsCode` is our `items[0].hsCode`. A refusal without fields has the empty path. */
function refusedFields(failure: Failure): Issue[] {
  const { issues = [], body } = failure.facts;
  if (issues.length > 0)
    return issues.map(issue => ({ ...issue, path: issue.path.replace(/\.(\d+)(?=\.|$)/g, '[$1]') }));
  const words = serviceMessage(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
  return [{ path: '', message: words || failure.message }];
}

/** The body that was given. A party that `--set` changes in part comes whole, with the profile's part. Totals follow from the items. */
function startBody(layers: Layers): unknown {
  const roles = PARTIES.filter(role => getAt(layers.given, [role]) !== undefined);
  const body: unknown = isRecord(layers.given) ? layers.given : {};
  return withoutTotals(roles.reduce((whole, role) => setAt(whole, [role], getAt(layers.full, [role])), body));
}

/** Does the form ask for a key? Not if the command line gives one, and only for a shipment: a subscription has its address instead. */
const asksKey = (parts: RequestParts): boolean =>
  parts.operation.keySpace === 'shipment' && !parts.dryRun && parts.otherOptions.key === undefined;

/** Refuses a given key. Throws `duplicate` for a key that is booked, `usage` for a key that looks damaged. */
async function refuseBooked(
  session: Session,
  operation: Operation,
  key: string,
  newJournal: boolean | undefined,
): Promise<void> {
  // Both modules are loaded only here: a command that books nothing starts faster without them.
  const [{ openDesk }, { refuseBookedKey }] = await Promise.all([
    import('../order/desk.ts'),
    import('../order/place.ts'),
  ]);
  await refuseBookedKey(operation, key, await openDesk(session, { newJournal }));
}

/** What is wrong with a key: it is malformed, or it is booked. An empty answer means no key, unless a limit requires one. */
const keyCheck =
  (session: Session, operation: Operation, options: BookingOptions): Check =>
  async key => {
    if (key === '')
      return session.limits().requireKey
        ? 'a limit requires one (requireKey): type the number of the order'
        : undefined;
    try {
      checkKey(key);
      await refuseBooked(session, operation, key, options.newJournal);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'duplicate')
        return `${shown(key)} is booked already, as ${error.facts.booking}. Type the number of another order; \`${commandText(['waybill', 'history', 'show', ...targetFlags(session), ...operandWords([key])])}\` shows that one`;
      if (error.code === 'usage') return error.message;
      throw error;
    }
  };

/** The command that continues a draft. */
function continueCommand(
  session: Session,
  parts: RequestParts,
  path: string,
  key: string | undefined,
): string {
  const { otherOptions, like, swap } = parts;
  const file = [
    `-f ${shellWord(path)}`,
    ...optionWords('like', like),
    ...optionWords('swap', swap || undefined),
    ...optionWords('key', key || undefined),
  ];
  return commandLine(session, { ...parts, otherOptions }, file);
}

/** Replaces the draft in one step. A file beside it has the command that continues it, and where it is booked. Throws any error. */
function saveDraft(session: Session, path: string, body: unknown, command: string): void {
  requiredStateFolder(session.host);
  // A draft holds addresses of people: only this user may open its folder.
  makeFolder(dirname(path), 0o700);
  const about = { command, place: targetWords(session.target()) } satisfies AboutDraft;
  writeFileSync(besideDraft(path), JSON.stringify(about), { mode: 0o600 });
  const file = openReplacement(path, path, session.host.process);
  try {
    file.write(`${JSON.stringify(body, undefined, 2)}\n`);
    file.publish();
  } finally {
    file.close();
  }
}

interface AboutDraft {
  command: string;
  place: string;
}

/** Says how the newest draft of this command is continued. A draft for another place is not named: it would be booked there. */
async function noteNewestDraft(session: Session, parts: RequestParts): Promise<void> {
  const { host, printer, target } = session;
  const newest = isDraft(host, parts.file)
    ? undefined
    : newestDraft(host, parts.operation, targetWords(target()));
  if (newest === undefined) return;
  await printer.note(`there is a draft from ${timeWords(newest.at)}; \`${newest.command}\` continues it`);
}

/** The newest draft of an operation for the place `here`; `undefined` if there is none, or if drafts cannot be read. */
function newestDraft(
  host: Host,
  operation: Operation,
  here: string,
): (AboutDraft & { at: number }) | undefined {
  const folder = draftFolder(host);
  if (folder === undefined) return undefined;
  try {
    return readdirSync(folder)
      .filter(name => name.replace(/\d+/, '') === `${operation.command}-.about`)
      .map(name => join(folder, name))
      .map(path => ({ ...JSON.parse(readFileSync(path, 'utf8')), at: statSync(path).mtimeMs }))
      .filter(({ place }: AboutDraft) => place === here)
      .sort((first, second) => second.at - first.at)[0];
  } catch {
    return undefined;
  }
}

/** Notes the command that makes the label of a booked shipment, if there is no label yet. */
async function noteLabel(session: Session, parts: RequestParts, body: unknown): Promise<void> {
  const hasLabel = parts.otherOptions.label === true || getAt(body, ['label']) === true;
  const [booked] = await session.bookingLines.records();
  if (hasLabel || parts.operation.keySpace !== 'shipment' || booked === undefined) return;
  const { key, id } = booked;
  const name = key === null || key.startsWith('-') ? id : key;
  await session.printer.note(
    `to make its label: \`${commandText(['waybill', 'label', name, ...targetFlags(session)])}\``,
  );
}

// What a form leaves for the next time: the command without questions, the request as a file, its parties and packages.

/** Notes the same command without questions, if flags can give the whole request. */
export async function noteSameCommand(
  session: Session,
  parts: RequestParts,
  typedBody: unknown,
): Promise<void> {
  const flags = bodyFlags(parts, typedBody);
  if (flags)
    await session.printer.note(`to run this without questions: \`${commandLine(session, parts, flags)}\``);
}

const NAME_TAKEN = 'This name is taken. Give another one';

/** Asks for a file name, and writes the request into that file; false: the person went back. Throws `storage`. */
export async function saveRequest(
  session: Session,
  parts: RequestParts,
  typedBody: unknown,
): Promise<boolean> {
  const { host, printer } = session;
  const { key } = parts.otherOptions;
  const answer = await session.ask({
    kind: 'text',
    id: 'file',
    message: 'File',
    defaultAnswer: `${typeof key === 'string' && /^[\w.-]+$/.test(key) ? key : parts.operation.command}.json`,
    check(text) {
      if (text.trim() === '') return 'A name is required';
      return existsSync(absolutePath(text.trim(), host)) ? NAME_TAKEN : undefined;
    },
  });
  if (answer === undefined) return false;
  const name = answer.trim();
  try {
    writeFileSync(absolutePath(name, host), `${JSON.stringify(typedBody, undefined, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw new Failure('storage', `the file ${name} cannot be written: ${messageOf(error)}`);
  }
  const command = commandLine(session, parts, [`-f ${shellWord(name)}`]);
  await printer.note(`saved; to run this without questions: \`${command}\``);
  return true;
}

/** Asks for a name that is not in use, and saves the value under it; false: the person went back. */
async function saveUnderName<K extends SavedKind>(
  session: Session,
  kind: K,
  taken: Set<string>,
  value: Saved<K>[string],
): Promise<boolean> {
  const answer = await session.ask({
    kind: 'text',
    id: 'name',
    message: `Name of the ${SAVED_KINDS[kind].one}`,
    check: text => nameFault(text.trim()) ?? (taken.has(text.trim()) ? NAME_TAKEN : undefined),
  });
  if (answer === undefined) return false;
  await saveByName(session, kind, answer.trim(), value);
  taken.add(answer.trim());
  return true;
}

/** After a booking: offers to save what may be used again. Nothing here is a failure, because the booking is made. */
export async function offerToSave(
  session: Session,
  parts: RequestParts,
  typedBody: unknown,
  body: unknown,
): Promise<void> {
  let offers = saveOffers(session, parts, typedBody, body);
  while (offers.length > 0 && !session.host.interrupted.aborted)
    try {
      const answer = await session.ask({
        kind: 'choice',
        id: 'keep',
        message: 'Save something for next time?',
        choices: [{ value: '', name: 'No, that was all' }, ...offers],
        esc: 'leave',
      });
      const picked = offers.find(({ value }) => value === answer);
      if (picked === undefined) return;
      if (await picked.save()) offers = offers.filter(offer => offer !== picked);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'interrupted') return;
      await session.printer.warn(error.message);
    }
}

// Fields that are picked from a list need no saving.
const PICKED = ['carrier', 'carriers', 'chargeableWeight', 'label', 'international', 'domestic'];

function saveOffers(session: Session, parts: RequestParts, typedBody: unknown, body: unknown) {
  const { name: owner, profile } = session.target();
  const { parties = {}, parcels = {} } = profile;
  // Everything in a draft was typed by the person, and may be saved.
  const before = isDraft(session.host, parts.file) ? {} : withoutTotals(parts.layers.given);
  const names = Object.keys(isRecord(typedBody) ? typedBody : {}).filter(
    name => !PICKED.includes(name) && !isDeepStrictEqual(getAt(typedBody, [name]), getAt(before, [name])),
  );
  const isNew = (saved: object, value: unknown) =>
    value !== undefined && !Object.values(saved).some(earlier => isDeepStrictEqual(earlier, value));
  const partyNames = new Set(Object.keys(parties));
  const parcelNames = new Set(Object.keys(parcels));
  const file = {
    value: 'file',
    name: `The request as a file, for \`waybill ${commandName(parts.operation)} -f\``,
    save: () => saveRequest(session, parts, typedBody),
  };
  if (names.length === 0) return [];
  // Parties and packages are saved in a profile: without a profile only the file is offered.
  if (owner === undefined) return [file];
  const ofParties = PARTIES.filter(
    role => names.includes(role) && isNew(parties, getAt(typedBody, [role])),
  ).map(role => ({
    value: role,
    name: `The ${role}, to be used as @NAME`,
    save: () => saveUnderName(session, 'parties', partyNames, getAt(body, [role])),
  }));
  const specs = names.includes('packages') ? new Set(listAt(typedBody, 'packages').map(specOf)) : [];
  const ofPackages = [...specs]
    .filter(spec => isNew(parcels, spec))
    .map((spec = '') => ({
      value: spec,
      name: `The package ${spec}, to be used as --package @NAME`,
      save: () => saveUnderName(session, 'parcels', parcelNames, spec),
    }));
  return [file, ...ofParties, ...ofPackages];
}
