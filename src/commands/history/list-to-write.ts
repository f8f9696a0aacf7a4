// Which list a command writes: a list that was recorded and not written to its end, else a new one. A written list is marked.

import { type BookedOrder, isMade, type RecordedList } from '../../booking/booking.ts';
import { Failure } from '../../errors.ts';
import { stopIfInterrupted } from '../../host/signals.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ListClaim } from '../../journal/lists.ts';
import { orderName } from '../../say/words.ts';
import type { Session } from '../../session/session.ts';
import { commandText, numbered } from '../../text.ts';
import { isIn, shippedFilter } from './list.ts';
import { type LeftOut, listWords, noteOrdersLeftOut } from './recorded-list.ts';

/** A command that lists orders. */
export interface Desk<Listed> {
  /** The name of its lists. */
  list: string;
  /** Is what it lists recorded? */
  records: boolean;
  /** Orders that are to be on no list. */
  keptBack?: readonly string[];
  /** An order as it is listed; `undefined`: it is not for this command. */
  listedOf(order: BookedOrder): Listed | undefined;
  /** What no list has yet. */
  newOrders(): Promise<{ listed: readonly Listed[]; leftOut: LeftOut }>;
  /** The command that writes the list with that number. */
  commandFor(number: number): readonly string[];
}

export interface ListToWrite<Listed> {
  listed: readonly Listed[];
  /** The lists that were recorded before: a single one, but for exports that are written once more together. */
  earlier: readonly RecordedList[];
  /** Nobody else writes what is claimed. */
  claims: readonly ListClaim[];
}

/** How often to look at a list that another process writes, in ms. */
const LOOK_MS = 250;

/**
 * A list that was recorded and never written, if this command lists all of its orders, else the orders that no list has, which are
 * recorded. What another process writes at this moment is waited for where there is nothing else: it may be killed.
 */
export async function listToWrite<Listed extends { id: string }>(
  session: Session,
  journal: Journal | undefined,
  desk: Desk<Listed>,
): Promise<ListToWrite<Listed>> {
  const { host, printer, actor: by, run } = session;
  const { list, records, keptBack } = desk;
  let isTold = false;
  for (;;) {
    const unwritten = journal ? await unwrittenOf(session, journal, list) : [];
    const ours = unwritten.filter(({ orders }) => isListedWhole(orders, desk));
    const { listed, leftOut } = await desk.newOrders();
    const earlier = ours.find(({ isHeld }) => !isHeld);
    if (earlier) {
      const claim = records ? await journal?.lists.takeUp(list, earlier.listing.number) : undefined;
      if (records && claim === undefined) continue;
      const again = await listedAgain(session, desk, earlier);
      if (listed.length > 0)
        await printer.note(
          `left for the next list: ${numbered(listed.length, 'order')}. The same command, with another file, writes it`,
        );
      return { ...again, claims: claim ? [claim] : [] };
    }
    const [held] = listed.length === 0 && records ? ours : [];
    if (held === undefined) {
      const ids = records ? listed.map(({ id }) => id) : [];
      const claim =
        ids.length > 0 ? await journal?.lists.record(list, { by, run }, ids, keptBack) : undefined;
      // If another desk has one of them since, or one was cancelled, this is decided anew.
      if (ids.length > 0 && claim === undefined) continue;
      await noteOrdersLeftOut(session, leftOut);
      for (const recorded of unwritten)
        if (!recorded.isHeld)
          await printer.note(
            `${listWords(recorded)}${UNWRITTEN}: \`${commandText(desk.commandFor(recorded.listing.number))}\` writes it`,
          );
      return { listed, earlier: [], claims: claim ? [claim] : [] };
    }
    if (!isTold) await printer.note(`another process writes ${listWords(held)}: this one waits for it`);
    isTold = true;
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

type Unwritten = RecordedList & { isHeld: boolean };

/** Of this profile, the oldest first. */
async function unwrittenOf(session: Session, journal: Journal, name: string): Promise<Unwritten[]> {
  const isHere = isIn(shippedFilter(session));
  const unwritten: Unwritten[] = [];
  for (const { number, isHeld } of await journal.lists.unwritten(name)) {
    const list = await journal.listed(name, number);
    // Its orders may have been cancelled, or found to be other shipments, since.
    const isOpen = list?.orders.some(order => isMade(order.booking) && isHere(order));
    if (list?.listing.number === number && isOpen) unwritten.push({ ...list, isHeld });
  }
  return unwritten;
}

/** Does the command list all orders of a list that exist? */
function isListedWhole<Listed>(
  orders: readonly BookedOrder[],
  { listedOf }: Pick<Desk<Listed>, 'listedOf'>,
): boolean {
  const made = orders.filter(({ booking }) => isMade(booking));
  return made.length > 0 && made.every(order => listedOf(order) !== undefined);
}

/** A list that was recorded and not written, without what was cancelled since, which is told. */
async function listedAgain<Listed>(
  session: Session,
  { listedOf }: Pick<Desk<Listed>, 'listedOf'>,
  earlier: RecordedList,
) {
  const cancelled = earlier.orders.filter(({ booking }) => !isMade(booking));
  const names = cancelled.map(orderName);
  await noteOrdersLeftOut(session, new Map([['cancelled', names]]));
  const listed = earlier.orders.flatMap(order => (isMade(order.booking) ? (listedOf(order) ?? []) : []));
  return { listed, earlier: [earlier] };
}

/** What a note adds to the words of a list that was recorded before. */
export const UNWRITTEN = ' and may not have written to its end';

/**
 * A list that is written, or shown, once more, as it was recorded. `writes`: one that has no mark gets it, if this command lists
 * all of it.
 */
export async function writtenAgain<Listed>(
  session: Session,
  journal: Journal | undefined,
  desk: Pick<Desk<Listed>, 'list' | 'listedOf'>,
  writes: boolean,
  earlier: RecordedList | undefined,
): Promise<ListToWrite<Listed>> {
  if (earlier === undefined) return { listed: [], earlier: [], claims: [] };
  const {
    listing: { number },
    orders,
  } = earlier;
  const unwritten = (await journal?.lists.unwritten(desk.list)) ?? [];
  const isFree = unwritten.some(list => list.number === number && !list.isHeld);
  const claim =
    writes && isFree && isListedWhole(orders, desk)
      ? await journal?.lists.takeUp(desk.list, number)
      : undefined;
  if (claim) return { ...(await listedAgain(session, desk, earlier)), claims: [claim] };
  const listed = orders.flatMap(order => desk.listedOf(order) ?? []);
  return { listed, earlier: [earlier], claims: [] };
}

/**
 * Writes what is claimed, and marks it when `write` calls `mark`; what was not marked is given back. Throws `partial` if a list was
 * taken back, or taken up by another process, meanwhile.
 */
export async function whileClaimed(
  journal: Journal | undefined,
  claims: readonly ListClaim[],
  write: (mark: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const left = new Set(claims);
  try {
    await write(async () => {
      for (const claim of claims) {
        const isOurs = await journal?.lists.end(claim, true).catch((error: unknown) => {
          const hint = `List ${claim.number} is written, which could not be recorded: the same command writes it once more, under its number`;
          throw error instanceof Failure ? error.with({ hint }) : error;
        });
        left.delete(claim);
        if (!isOurs)
          throw new Failure(
            'partial',
            `list ${claim.number} was taken back, or written by another process, while this one wrote it: do not use what this one wrote`,
          );
      }
      // step: list marked
    });
  } finally {
    for (const claim of left) await journal?.lists.end(claim, false).catch(() => {});
  }
}
