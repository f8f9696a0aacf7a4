import { type Booking, book, failureOf } from '../booking/book.ts';
import type { Outcome } from '../booking/outcome.ts';
import type { Leg, Operation } from '../contract/operation.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { issuesOf } from '../http/words.ts';
import { money, type Price } from '../output/money.ts';
import { safe } from '../output/safe.ts';
import { onLoopback, type Session } from './session.ts';

/**
 * Asks where that is due (never without a summary: then the question was answered before), books, and marks whose
 * answer it is. Refuses before anything is sent.
 */
export async function bookOnce(
  session: Session,
  booking: Booking,
  summary: string | undefined,
): Promise<Outcome> {
  const client = await readyToBook(session, booking.operation);
  if (summary !== undefined && mustAsk(session)) await askFirst(session, booking, summary);
  const outcome = await book(booking, client);
  return outcome;
}

/** The client for a booking; refuses, before anything is sent, what has no way to the service or to a yes. */
export async function readyToBook(session: Session, operation: Operation): Promise<Client> {
  const { command } = operation;
  const client = await session.client(operation);
  if (mustAsk(session) && !session.interactive)
    throw new Failure(
      'usage',
      `${command}: a booking at ${placeOf(session)} wants a yes, and nobody may be asked; nothing was sent. Give --yes to go ahead`,
      { operation: command },
    );
  return client;
}

/** A booking against production asks first on a terminal; elsewhere it goes ahead. */
function mustAsk({ host, globals, target }: Session): boolean {
  const practice = target().sandbox || onLoopback(target());
  return !practice && !globals.yes && host.stdin.isTerminal && host.stderr.isTerminal;
}

async function askFirst(session: Session, { operation }: Booking, summary: string): Promise<void> {
  const question = `Book this? ${summary} (${placeOf(session)})`;
  if (await session.host.confirm(safe(question)).catch(() => false)) return;
  const { command } = operation;
  throw new Failure('interrupted', `${command}: the answer was not yes, so that nothing was booked`, {
    operation: command,
  });
}

function placeOf(session: Session): string {
  const { from, name } = session.target();
  return `${from === 'profile' ? `profile ${name}, ` : ''}${session.address()}`;
}

/** The failure of an outcome that is not all that was asked for, with the command that mends it. */
export function failureFor(session: Session, booking: Booking, outcome: Outcome): Failure | undefined {
  const failure = failureOf(booking, outcome, issuesOf(outcome.body));
  if (failure === undefined || outcome.state !== 'partial') return failure;
  const { ids, unlabelled } = outcome;
  const missing = unlabelled.flatMap(leg => {
    const id = ids[leg] ?? textAt(booking.body, [leg]);
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

/** The exact `label` command for shipments, at the same service. */
export function labelCommand({ globals }: Session, ids: Partial<Record<Leg, string>>): string {
  const { profile, sandbox } = globals;
  return [
    'waybill label',
    ...Object.entries(ids).map(([leg, id]) => `--${leg} ${quoted(id)}`),
    ...(profile === undefined ? [] : [`--profile ${quoted(profile)}`]),
    ...(sandbox === undefined ? [] : [sandbox ? '--sandbox' : '--no-sandbox']),
  ].join(' ');
}

/** An operand as a POSIX shell takes it. */
export const quoted = (word: string): string =>
  /^[\w.:@/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** `ECO Economy, 12.40 EUR`, as far as the answer tells. */
export function carrierWords(body: unknown): string {
  const carrier = getAt(body, ['carrier']);
  const name = textAt(carrier, ['name']) ?? textAt(carrier, ['id']);
  const price = money(getAt(carrier, ['price']) as Price, textAt(carrier, ['currency']));
  return [name, price].filter(part => part !== undefined).join(', ');
}
