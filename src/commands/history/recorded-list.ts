// What the handover list and the export for a shop share: each order is on one of them, and the file replaces none of another kind.
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Failure, messageOf } from '../../errors.ts';
import { partBeside, probeBeside } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import { type BookedOrder, isSameShipment, type ListName } from '../../journal/booking.ts';
import type { Journal } from '../../journal/journal.ts';
import { safe } from '../../output/text.ts';
import type { Session } from '../../session/session.ts';
import { someOf } from '../../text.ts';
import { orderPages, targetFilter } from './list.ts';

/** What no such list had yet, cancelled orders too, the newest first. */
export async function* unlistedOrders(
  session: Session,
  journal: Journal | undefined,
  list: ListName,
  since?: number,
): AsyncGenerator<BookedOrder> {
  const states = ['created', 'partial', 'cancelled'] as const;
  const filter = { ...targetFilter(session), states, notOn: list, ...(since !== undefined && { since }) };
  // The parcel is in the row of the other order.
  for await (const page of orderPages(session, journal, filter))
    for (const order of page) if (!isSameShipment(order.booking)) yield order;
}

/** `leftOut`: the names of orders, by the reason. */
export async function noteOrdersLeftOut(
  { printer }: Session,
  leftOut: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  for (const [why, names] of leftOut)
    if (names.length > 0) await printer.note(`left out, ${why}: ${safe(someOf(names))}`);
}

/** Throws `usage` if there is a file that is no such list, `storage` if none can be written. `name`: of the file, for the message. */
export function checkListFile(
  path: string,
  host: Host,
  { name, kind, isOne }: { name: string; kind: string; isOne(): boolean },
): void {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present !== undefined && !(present.isFile() && isOne()))
    throw new Failure(
      'usage',
      `${name}: what has that name is no ${kind}, and is not replaced; nothing was recorded. Choose another name`,
    );
  try {
    probeBeside(path, host);
  } catch (error) {
    throw new Failure('storage', `${path} cannot be written: ${messageOf(error)}; nothing was recorded`);
  }
}

/** `cure`: how a list that is recorded is written, if this fails. */
export function writeListFile(path: string, content: string | Uint8Array, host: Host, cure: string): void {
  const part = partBeside(path, host);
  try {
    writeFileSync(part, content, { flag: 'wx', flush: true, mode: 0o600 });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw new Failure('storage', `${path} cannot be written: ${messageOf(error)}${cure && `. ${cure}`}`);
  }
}
