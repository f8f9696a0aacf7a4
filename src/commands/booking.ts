import { type Booking, book, failureOf } from '../booking/book.ts';
import type { Outcome } from '../booking/outcome.ts';
import { getAt, textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import { stopIfInterrupted } from '../http/client.ts';
import { issuesOf } from '../http/words.ts';
import { money, type Price } from '../output/money.ts';
import { safe } from '../output/safe.ts';
import type { Session } from './session.ts';
import { mark } from './show.ts';

/**
 * Asks where that is due (never without a summary: then the question was answered before), books, and marks whose
 * answer it is. Refuses before anything is sent.
 */
export async function bookOnce(
  session: Session,
  booking: Booking,
  summary: string | undefined,
): Promise<Outcome> {
  const client = await session.client(booking.operation);
  if (summary !== undefined) await askFirst(session, booking, summary);
  stopIfInterrupted(session.host);
  const outcome = await book(booking, client);
  if (outcome.httpStatus !== null) await mark(session);
  return outcome;
}

/** A booking against production asks first on a terminal; elsewhere it goes ahead. */
async function askFirst(session: Session, { operation }: Booking, summary: string): Promise<void> {
  const { host, globals } = session;
  const { from, sandbox, base, name } = session.target();
  const practice = from === 'demo' || sandbox || base?.protocol === 'http:';
  if (practice || globals.yes || !(host.stdin.isTerminal && host.stderr.isTerminal)) return;
  const where = `${from === 'profile' ? `profile ${name}, ` : ''}${session.address()}`;
  if (!session.interactive)
    throw new Failure(
      'usage',
      `${operation.command}: a booking at ${where} wants a yes, and nobody may be asked; give --yes to go ahead`,
      {
        operation: operation.command,
      },
    );
  const yes = await host.confirm(safe(`Book this? ${summary} (${where})`)).catch(() => false);
  if (!yes)
    throw new Failure('interrupted', `${operation.command}: not booked; nothing was sent`, {
      operation: operation.command,
    });
}

/** The failure of an outcome that is not all that was asked for, with the command that mends it. */
export function failureFor(session: Session, booking: Booking, outcome: Outcome): Failure | undefined {
  const failure = failureOf(booking, outcome, issuesOf(outcome.body));
  const mend = outcome.state === 'partial' ? labelCommand(session, booking, outcome) : undefined;
  if (failure === undefined || mend === undefined) return failure;
  return new Failure(
    failure.code,
    `${failure.message}. The shipments exist: do not book them again. To make the missing label: ${mend}`,
    failure.facts,
  );
}

/** The exact `label` command for the legs that have none. */
function labelCommand(session: Session, { body }: Booking, { ids, unlabelled }: Outcome): string | undefined {
  const legs = unlabelled.flatMap(leg => {
    const id = ids[leg] ?? textAt(body, [leg]);
    return id === undefined ? [] : [`--${leg} ${quoted(id)}`];
  });
  return legs.length === 0 ? undefined : `waybill label ${legs.join(' ')}${sameTarget(session)}`;
}

/** The flags that lead a further command to the same service. */
export function sameTarget({ globals }: Session): string {
  const profile = globals.profile === undefined ? '' : ` --profile ${quoted(globals.profile)}`;
  return `${profile}${globals.sandbox ? ' --sandbox' : ''}`;
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
