import type { Command } from 'commander';
import { type Booked, type BookingRequest, book, bookedFrom, findObstacle } from '../booking/book.ts';
import { failureOf } from '../booking/failure.ts';
import type { Leg } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { issuesOf } from '../http/words.ts';
import { hasSameInput, isInputKnown } from '../journal/imported.ts';
import type { Intent, Obstacle } from '../journal/journal.ts';
import { money, type Price } from '../output/money.ts';
import { isProduction, placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';
import { shellWord } from '../text.ts';
import { targetFlags } from './same-command.ts';

export interface BookingOptions {
  key?: string;
  allowDuplicate?: boolean;
  newJournal?: boolean;
  /** What it is in the input of a batch. */
  source?: string;
}

/** The options of every command that books. */
export function bookingOptions(command: Command, operation: Operation): Command {
  command.optionsGroup('Booking:');
  if (operation.keySpace !== null)
    command.option('--key <key>', 'your own name for it, such as an order number; a key is booked once');
  return journalOption(command.option('--allow-duplicate', 'book it though the same was booked before'));
}

export const journalOption = (command: Command): Command =>
  command
    .optionsGroup('Booking:')
    .option('--new-journal', 'go ahead in CI with a journal that remembers nothing');

/** Longer than all attempts of a booking together: whoever has it after that is not coming back. */
const LEASE_MS = 60 * 60 * 1000;

/** What stands against a key: what is kept and shown must be what was given, and a line holds one. */
export const keyFault = (key: string): string | undefined =>
  /\p{Cc}/u.test(key) ? 'holds a line break or another control character' : undefined;

/**
 * What is to be booked, before a proposal has filled anything in: enough to know whether it was booked already.
 * `fingerprint`: of what the user gave.
 */
export function orderFor(
  session: Session,
  operation: Operation,
  fingerprint: string,
  { key, allowDuplicate = false, source }: BookingOptions,
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

/**
 * What was booked of this order before; nothing is sent. Without a key a person is asked whether the same is wanted
 * once more. Throws `duplicate`, and `outcome_unknown` by way of what is recorded.
 */
export async function bookedBefore(
  session: Session,
  order: BookingRequest,
  { newJournal = false }: BookingOptions,
): Promise<{ order: BookingRequest; booked?: Booked }> {
  const journal = await session.journal(newJournal);
  const obstacle = await findObstacle(order, journal, waiter(session));
  return obstacle === undefined ? { order } : answerTo(session, order, obstacle);
}

/** Nobody fills in a form for a key that is booked. Throws `duplicate`. */
export async function refuseTakenKey(
  session: Session,
  operation: Operation,
  { key, newJournal }: BookingOptions,
): Promise<void> {
  if (key === undefined) return;
  await bookedBefore(session, orderFor(session, operation, '', { key }), {
    ...(newJournal && { newJournal }),
  });
}

const waiter = ({ host: { sleep, interrupted }, noWait = false }: Session) => ({
  sleep,
  interrupted,
  noWait,
});

/** Asks where that is due (never without a summary: then the question was answered before), and books once. */
export async function attempt(
  session: Session,
  order: BookingRequest,
  body: unknown,
  summary: string | undefined,
): Promise<Booked | Obstacle> {
  const client = await readyToBook(session, order.operation);
  if (summary !== undefined && mustAsk(session)) await askFirst(session, order.operation, summary);
  const journal = await session.journal();
  return book({ ...order, intent: { ...order.intent, request: body } }, journal, client, waiter(session));
}

/** Books what is no label; where somebody was faster, theirs is the answer. */
export async function bookNew(
  session: Session,
  order: BookingRequest,
  body: unknown,
  summary: string,
): Promise<Booked> {
  let wanted = order;
  let result = await attempt(session, wanted, body, summary);
  while (result.kind !== 'booked') {
    const answer = await answerTo(session, wanted, result);
    if (answer.booked) return answer.booked;
    wanted = answer.order;
    result = await attempt(session, wanted, body, undefined);
  }
  return result;
}

async function answerTo(
  session: Session,
  order: BookingRequest,
  { kind, booking }: Obstacle,
): Promise<{ order: BookingRequest; booked?: Booked }> {
  const { operation, intent } = order;
  const when = new Date(booking.at).toISOString();
  const refuse = (message: string) =>
    new Failure('duplicate', `${operation.command}: ${message}`, {
      operation: operation.command,
      booking: booking.id,
    });
  if (kind === 'twin') {
    const what = `the same was booked at ${when} (${booking.id}, ${booking.state})`;
    if (!session.interactive)
      throw refuse(
        `${what}; nothing was sent. \`waybill history show ${booking.id}\` shows it; --allow-duplicate books another one, and --key ORDER_NUMBER would have told the two apart`,
      );
    if (!(await session.confirm(`${what}. Book another one?`))) throw refuse(`${what}; nothing was sent`);
    return { order: { ...order, intent: { ...intent, allowDuplicate: true } } };
  }
  if (!hasSameInput(booking, operation.command, intent.fingerprint))
    throw refuse(
      `the key ${JSON.stringify(intent.key)} was booked with other input at ${when} (${booking.id}, ${booking.state}); nothing was sent. \`waybill history show ${booking.id}\` shows it; another order needs a key of its own`,
    );
  await session.printer.note(
    isInputKnown(booking)
      ? `booked before, at ${when}, as ${booking.id}: this is the recorded answer; nothing was sent`
      : `booked before, on another machine, as ${booking.id} here: it was imported from a results file, which does not say what was given, so that this is the recorded answer whatever is given now; nothing was sent`,
  );
  return { order, booked: bookedFrom(operation, booking) };
}

/** The client for a booking; refuses, before anything is sent, what has no way to the service or to a yes. */
export async function readyToBook(session: Session, operation: Operation): Promise<Client> {
  const { command } = operation;
  const client = await session.client(operation);
  if (mustAsk(session) && !session.interactive)
    throw new Failure(
      'usage',
      `${command}: a booking at ${placeOf(session.target())} wants a yes, and nobody may be asked; nothing was sent. Give --yes to go ahead`,
      { operation: command },
    );
  return client;
}

/** A booking against production asks first on a terminal; elsewhere it goes ahead. */
export function mustAsk({ host, globals, target }: Session): boolean {
  return isProduction(target()) && !globals.yes && host.stdin.isTerminal && host.stderr.isTerminal;
}

export async function askFirst(session: Session, { command }: Operation, summary: string): Promise<void> {
  if (await session.confirm(`Book this? ${summary} (${placeOf(session.target())})`)) return;
  throw new Failure('interrupted', `${command}: the answer was not yes, so that nothing was booked`, {
    operation: command,
  });
}

/** The failure of what is not all that was asked for, with the command that mends it. */
export function failureFor(session: Session, order: BookingRequest, booked: Booked): Failure | undefined {
  const { outcome, unrecorded } = booked;
  const failure = failureOf(order.operation, booked, issuesOf(outcome.body));
  if (unrecorded) return unrecordedFailure(order.operation, booked, unrecorded, failure);
  if (failure === undefined || outcome.state !== 'partial') return failure;
  const { ids, unlabelled } = outcome;
  const shipments = Object.fromEntries(order.intent.labels.map(({ leg, shipment }) => [leg, shipment]));
  const missing = unlabelled.flatMap(leg => {
    const id = ids[leg] ?? shipments[leg];
    return id === undefined ? [] : [[leg, id]];
  });
  const mend =
    missing.length === 0
      ? ''
      : `. To make what is missing: ${labelCommand(session, Object.fromEntries(missing))}`;
  return new Failure(
    failure.code,
    `${failure.message}. What was made exists: do not book it again${mend}`,
    failure.facts,
  );
}

/** The service has answered, but nothing of it could be written down: whoever reads this is the only memory of it. */
function unrecordedFailure(
  { command }: Operation,
  { id, outcome }: Booked,
  unrecorded: Failure,
  failure: Failure | undefined,
): Failure {
  const ids = Object.values(outcome.ids).join(' and ');
  return new Failure(
    'storage',
    `${command}: ${failure ? failure.message : `it was booked${ids && ` as ${ids}`}`}. This could not be written down: ${unrecorded.message}. Keep it: the journal will call booking ${id} unknown, and \`waybill history resolve ${id}\` settles it`,
    {
      operation: command,
      booking: id,
      body: outcome.body,
      ...(outcome.httpStatus !== null && { httpStatus: outcome.httpStatus }),
    },
  );
}

/** The exact `label` command for shipments, at the same service. */
export const labelCommand = (session: Session, ids: Partial<Record<Leg, string>>): string =>
  ['waybill label']
    .concat(
      Object.entries(ids).map(([leg, id]) => `--${leg} ${shellWord(id)}`),
      targetFlags(session),
    )
    .join(' ');

/** `ECO Economy, 12.40 EUR`, as far as the answer tells. */
export function carrierWords(body: unknown): string {
  const carrier = getAt(body, ['carrier']);
  const name = textAt(carrier, ['name']) ?? textAt(carrier, ['id']);
  const price = money(getAt(carrier, ['price']) as Price, textAt(carrier, ['currency']));
  return [name, price].filter(part => part !== undefined).join(', ');
}
