// A booking that costs money needs a yes: of the person at the terminal, or `--yes`.
import type { Operation } from '../contract/operations.ts';
import { Failure } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { isProduction, placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';

/** The client for a booking. Throws if there is no way to the service, or none to a yes; nothing is sent. */
export async function readyToBook(session: Session, operation: Operation): Promise<Client> {
  const { command } = operation;
  const client = await session.client(operation);
  if (mustConfirm(session) && !session.interactive)
    throw new Failure(
      'usage',
      `${command}: a booking at ${placeOf(session.target())} needs confirmation, but prompts are off; nothing was sent. Add --yes to go ahead`,
      { operation: command },
    );
  return client;
}

/** A booking against production is confirmed on a terminal; a script goes ahead. */
function mustConfirm({ host, globals, target }: Session): boolean {
  return isProduction(target()) && !globals.yes && host.stdin.isTerminal && host.stderr.isTerminal;
}

/** Asks for the yes, if one is needed. Throws `interrupted` if the answer is another. */
export async function confirm(session: Session, { command }: Operation, summary: string): Promise<void> {
  if (!mustConfirm(session)) return;
  if (await session.confirm(`Book this? ${summary} (${placeOf(session.target())})`)) return;
  throw new Failure('interrupted', `${command}: the answer was not yes; nothing was booked`, {
    operation: command,
  });
}
