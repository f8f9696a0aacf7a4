// A booking that costs money needs a yes: of the person at the terminal, or `--yes`.
import { typedName } from '../contract/operation.ts';
import type { Operation } from '../contract/operations.ts';
import { textAt } from '../contract/paths.ts';
import { Failure } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { isProduction, placeOf } from '../session/address.ts';
import type { Session } from '../session/session.ts';

/** The client for a booking. Throws if there is no way to the service, or none to a yes; nothing is sent. */
export async function readyToBook(session: Session, operation: Operation): Promise<Client> {
  const client = await session.client(operation);
  if (mustConfirm(session) && !session.interactive)
    throw new Failure(
      'usage',
      `${typedName(operation)}: a booking at ${placeOf(session.target())} needs confirmation, but prompts are off; nothing was sent. Add --yes to go ahead`,
      { operation: operation.command },
    );
  return client;
}

/** A booking against production is confirmed on a terminal; a script goes ahead. */
export function mustConfirm({ host, globals, target }: Session): boolean {
  return isProduction(target()) && !globals.yes && host.stdin.isTerminal && host.stderr.isTerminal;
}

/** `to Jonas Weber (Dresden, DE)`, for the summary that a person confirms. */
export function toReceiver(body: unknown): string {
  const texts = (...paths: string[]) =>
    paths.map(path => textAt(body, `receiver.${path}`)?.trim()).filter(Boolean);
  const place = texts('address.city', 'address.country.code').join(', ');
  return `to ${texts('firstName', 'lastName').join(' ')} (${place})`;
}

/** Asks for the yes, if one is needed. Throws `interrupted` if the answer is another. */
export async function confirm(session: Session, operation: Operation, summary: () => string): Promise<void> {
  if (!mustConfirm(session)) return;
  if (await session.confirm(`Book this? ${summary()} (${placeOf(session.target())})`)) return;
  throw new Failure('interrupted', `${typedName(operation)}: the answer was not yes; nothing was booked`, {
    operation: operation.command,
  });
}
