// A form from its first question until its request is sent, saved or discarded.

import { type Issue, typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { PARTIES } from '../contract/parties.ts';
import { getAt, isRecord, setAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Check } from '../host/question.ts';
import { type Booking, HOLDING_STATES, isAt } from '../journal/booking.ts';
import { type Layers, layer, type RequestParts } from '../order/build.ts';
import { findIssues } from '../order/check.ts';
import { withoutTotals } from '../order/complete.ts';
import { labelCommand } from '../order/failure.ts';
import { labelBody } from '../order/find.ts';
import { type BookingOptions, checkKey, commandLine, optionWords, targetFlags } from '../order/options.ts';
import { minuteOf } from '../output/moment.ts';
import { targetWords } from '../profile/target.ts';
import { serviceMessage } from '../service/failure.ts';
import { commandText, shellWord, shown } from '../text.ts';
import { valueChecks } from './doubts.ts';
import { type Draft, isDraft, newestDraft, openDraft } from './draft.ts';
import { fill } from './fill.ts';
import {
  currentBody,
  type Desk,
  type Entered,
  enteredIn,
  type Form,
  type FormContext,
  type FormDecision,
  isAskable,
} from './form.ts';
import { noteSameCommand, offerToSave, saveRequest } from './save-offers.ts';

/** What a form gives to its command. */
export interface Answers {
  layers: Layers;
  /** The options that say nothing of the body, with the key that the form asked for. */
  options: Readonly<Record<string, unknown>>;
  /** The proposals for this body, which the person has seen. */
  proposals?: unknown;
}

/** Makes the form of a command; `start` is the body before the first question. */
export type MakeForm = (desk: Desk, parts: RequestParts, start: unknown) => Form;

type Run = (answers: Answers) => Promise<void>;

/**
 * Asks for what is missing, then runs the command with it. A refusal of the service comes back to the form. The answers
 * are kept in a draft until the form is done. Throws `interrupted` if the person leaves.
 */
export async function runForm(desk: Desk, parts: RequestParts, makeForm: MakeForm, run: Run): Promise<void> {
  const { operation, dryRun, layers, otherOptions } = parts;
  // Before fifty questions, and not after them.
  if (!dryRun) desk.service.requireReachable(operation);
  if (operation.keySpace !== null) {
    const { key, newJournal } = otherOptions as BookingOptions;
    if (key !== undefined) await refuseBooked(desk, operation, key, newJournal);
  }
  const draft = openDraft(desk.host, operation, parts.file);
  await noteNewestDraft(desk, parts);
  const { defaults } = layers;
  const start = startBody(layers);
  const made = makeForm(desk, parts, layer(defaults, start));
  const countries = await likelyCountries(desk);
  const fields = Object.fromEntries(
    Object.entries(made.fields).map(([path, asked]) => [path, { usual: countries.get(path), ...asked }]),
  );
  let entered = enteredIn(start);
  let canSave = true;
  const context: FormContext = {
    form: { ...made, fields },
    defaults,
    dryRun,
    checks: valueChecks(made.schema),
    givenKey: typeof otherOptions.key === 'string' ? otherOptions.key : undefined,
    checkKey: asksKey(parts) ? keyCheck(desk, operation, otherOptions) : undefined,
    validate: body => findIssues(parts, body, desk.rules()),
    ask: question => desk.ask(question),
    keep(now) {
      entered = now;
      try {
        draft.save(now.body, {
          command: continuing(desk, parts, draft.path, now.key),
          place: targetWords(desk.target()),
        });
      } catch (error) {
        if (canSave && error instanceof Failure) void desk.printer.warn(error.message);
        canSave = false;
      }
    },
  };
  try {
    for (;;) {
      const filled = await fill(context, entered);
      entered = filled.entered;
      const withKey = {
        ...parts,
        otherOptions: { ...otherOptions, ...(entered.key && { key: entered.key }) },
      };
      if (await isDone(desk, withKey, context, draft, filled, run)) break;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // To continue the draft then could book it twice; the journal has the answers.
    const hasBooked = desk.hasBooked();
    if (hasBooked) draft.remove();
    if (hasBooked || error.code === 'internal' || !draft.isSaved()) throw error;
    const command = continuing(desk, parts, draft.path, entered.key);
    const hint = `Your answers are saved in a draft: \`${command}\` continues it`;
    throw new Failure(error.code, `${error.message}. ${hint}`, error.facts, { cause: error });
  }
}

/** Does what the person decided; false: the form has to be shown again. */
async function isDone(
  desk: Desk,
  parts: RequestParts,
  context: FormContext,
  draft: Draft,
  { entered, decision }: { entered: Entered; decision: FormDecision },
  run: Run,
): Promise<boolean> {
  const { operation, dryRun, otherOptions } = parts;
  const { defaults, form } = context;
  const given = entered.body;
  switch (decision) {
    case 'submit': {
      const body = currentBody(context, entered);
      const layers = { defaults, given, full: layer(defaults, given) };
      const answers = { layers, options: otherOptions, proposals: form.proposals?.(body) };
      const refusal = await run(answers).then(() => undefined, refusalIn);
      if (refusal) {
        const refused = refusedFields(refusal);
        // Without a review and a field to ask for, the same request would be sent again without end.
        if (!form.review && !refused.some(({ path }) => isAskable(form, body, path))) throw refusal;
        await desk.printer.note(`${refusal.message}. Here is the form again:`);
        const settled = entered.settled.filter(path => !refused.some(issue => issue.path === path));
        context.keep({ ...entered, refused, settled });
        return false;
      }
      if (dryRun) return true;
      draft.remove();
      await noteSameCommand(desk, parts, given);
      if (!operation.books) return true;
      await noteLabel(desk, parts, body);
      await offerToSave(desk, parts, given, body);
      return true;
    }
    case 'save': {
      const isSaved = await saveRequest(desk, parts, given);
      if (isSaved) draft.remove();
      return isSaved;
    }
    case 'leave':
      context.keep(entered);
      throw new Failure('interrupted', `${typedName(operation)}: nothing was sent`);
    case 'discard':
      draft.remove();
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

/** What is given. A party that `--set` changes in part comes whole, with the profile's part; totals follow what they are of. */
function startBody({ given, full }: Layers): unknown {
  const roles = PARTIES.filter(role => getAt(given, [role]) !== undefined);
  const body: unknown = isRecord(given) ? given : {};
  return withoutTotals(roles.reduce((whole, role) => setAt(whole, [role], getAt(full, [role])), body));
}

/** Is the key asked for? Not if the command line gives it, nor for a subscription, which has its address. */
const asksKey = ({ operation, otherOptions, dryRun }: RequestParts): boolean =>
  operation.keySpace === 'shipment' && !dryRun && otherOptions.key === undefined;

/** Throws `duplicate` for a key that is booked, `usage` for one that looks damaged. */
async function refuseBooked(
  desk: Desk,
  operation: Operation,
  key: string,
  newJournal: boolean | undefined,
): Promise<void> {
  // Loaded only here: a command that books nothing starts faster without it.
  const { refuseBookedKey } = await import('../order/place.ts');
  await refuseBookedKey(operation, key, await desk.means({ newJournal }));
}

/** What is wrong with a key: it is none, or it is booked. An empty one is left out, unless a limit requires one. */
const keyCheck =
  (desk: Desk, operation: Operation, { newJournal }: BookingOptions): Check =>
  async key => {
    if (key === '')
      return desk.limits().requireKey
        ? 'a limit requires one (requireKey): type the number of the order'
        : undefined;
    try {
      checkKey(key);
      await refuseBooked(desk, operation, key, newJournal);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'duplicate')
        return `${shown(key)} is booked already, as ${error.facts.booking}. Type the number of another order; \`waybill history show ${shellWord(key)}\` shows that one`;
      if (error.code === 'usage') return error.message;
      throw error;
    }
  };

/** The command that continues a draft. */
function continuing(desk: Desk, parts: RequestParts, path: string, key: string | undefined): string {
  const { otherOptions, like } = parts;
  const file = [
    `-f ${shellWord(path)}`,
    ...optionWords('like', like),
    ...optionWords('key', key || undefined),
  ];
  return commandLine(desk, { ...parts, otherOptions }, file);
}

async function noteNewestDraft(desk: Desk, parts: RequestParts): Promise<void> {
  const { host, printer } = desk;
  const newest = isDraft(host, parts.file) ? undefined : newestDraft(host, parts.operation);
  if (newest === undefined) return;
  const { path, at, about } = newest;
  const command =
    about?.command ?? commandLine(desk, { ...parts, otherOptions: {} }, [`-f ${shellWord(path)}`]);
  const isElsewhere = about !== undefined && about.place !== targetWords(desk.target());
  await printer.note(
    `there is a draft from ${minuteOf(at)}${isElsewhere ? ` for ${about.place}, and this is ${targetWords(desk.target())}` : ''}; \`${command}\` continues it`,
  );
}

/** After a shipment the next command, if its label is not made yet. */
async function noteLabel(
  desk: Desk,
  { operation, otherOptions }: RequestParts,
  body: unknown,
): Promise<void> {
  const hasLabel = otherOptions.label === true || getAt(body, ['label']) === true;
  // A journal that cannot be read now does not make a failure of what is booked.
  const [booked] = await bookingsOfThisProcess(desk, operation).catch(() => []);
  if (hasLabel || operation.keySpace !== 'shipment' || booked === undefined) return;
  const isName = booked.key !== null && !booked.key.startsWith('-');
  const make = isName
    ? ['waybill', 'label', booked.key ?? '', ...targetFlags(desk)]
    : labelCommand(labelBody(booked.ids), targetFlags(desk));
  await desk.printer.note(`to make its label: \`${commandText(make)}\``);
}

/** What this process booked with the operation, or may have booked; the newest first. */
async function bookingsOfThisProcess(
  { host, openJournal }: Desk,
  { books, command }: Operation,
): Promise<Booking[]> {
  const journal = books ? await openJournal('look') : undefined;
  const all = (await journal?.list({ operation: command, states: HOLDING_STATES, limit: 10 })) ?? [];
  return all.filter(({ holder }) => holder.host === host.process.host && holder.process === host.process.id);
}

// The countries that a form offers first: where this profile sends from, and where the last order went.

const COUNTRY = 'address.country.code';
const FROM = [`sender.${COUNTRY}`, 'originCountry', 'data.countryFrom'];
const TO = [`receiver.${COUNTRY}`, 'destinationCountry', 'data.countryTo'];
const LOOKED_AT = 20;

/** The country that each question probably wants, by the path of the question. */
async function likelyCountries(desk: Desk): Promise<ReadonlyMap<string, string>> {
  const from = textAt(desk.target().profile.sender, COUNTRY);
  const to = await lastReceiverCountry(desk);
  return new Map([
    ...(from === undefined ? [] : FROM.map((path): [string, string] => [path, from])),
    ...(to === undefined ? [] : TO.map((path): [string, string] => [path, to])),
  ]);
}

async function lastReceiverCountry(desk: Desk): Promise<string | undefined> {
  try {
    const journal = await desk.openJournal('look');
    const newest = (await journal?.list({ states: ['created', 'partial'], limit: LOOKED_AT })) ?? [];
    return newest
      .filter(booking => isAt(desk.scope(), booking))
      .map(({ request }) => textAt(request, `receiver.${COUNTRY}`))
      .find(country => country !== undefined);
  } catch (error) {
    // A form that books nothing needs no journal, and one that books is refused for it later.
    if (error instanceof Failure && error.code === 'storage') return undefined;
    throw error;
  }
}
