// What the handover list and the export for a shop share: each order is on one of them, and the file replaces none of another kind.
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import {
  type BookedOrder,
  isSameShipment,
  type ListedBooking,
  type OrderFilter,
  type RecordedList,
  type Recorder,
} from '../../booking/booking.ts';
import { Failure } from '../../errors.ts';
import { fileAt, partBeside, probeBeside, syncPath, takePlace } from '../../host/folder.ts';
import type { Host } from '../../host.ts';
import type { Journal } from '../../journal/journal.ts';
import { targetFlags } from '../../order/options.ts';
import { safe } from '../../output/text.ts';
import { timeWords } from '../../say/words.ts';
import type { Session } from '../../session/session.ts';
import { messageOf } from '../../system-errors.ts';
import { commandText, numbered, someOf } from '../../text.ts';
import { pagesOfOrders, shippedFilter } from './list.ts';

/** The name of the lists for couriers. */
export const HANDED_OVER = 'handed over to the courier';

/** What no list of a name had yet, cancelled orders too, the newest first. `ordersOf` reads a page of them. */
export async function* unlistedOrders<B extends ListedBooking>(
  session: Session,
  name: string,
  ordersOf: (filter: OrderFilter) => Promise<BookedOrder<B>[]>,
  since?: number,
): AsyncGenerator<BookedOrder<B>> {
  const states = ['created', 'partial', 'cancelled'] as const;
  const filter = { ...shippedFilter(session), states, notOn: name, ...(since !== undefined && { since }) };
  // The parcel is in the row of the other order.
  for await (const page of pagesOfOrders(session, ordersOf, filter))
    for (const order of page) if (!isSameShipment(order.booking)) yield order;
}

/** Those that have an order which is wanted, the newest first. `most`: their number is at most that. */
export async function* recordedLists(
  journal: Journal | undefined,
  name: string,
  isWanted: (order: BookedOrder) => boolean,
  most?: number,
  recorder?: Recorder,
): AsyncGenerator<RecordedList> {
  for (let last = most; ; ) {
    const list = await journal?.listed(name, last, recorder);
    if (list === undefined) return;
    if (list.orders.some(isWanted)) yield list;
    last = list.listing.number - 1;
  }
}

/** Says which list has what a new one lacks: a person may not know that another desk has listed it. `words`: the command of a list. */
export async function noteLastList(
  session: Session,
  words: readonly string[],
  lists: AsyncIterable<RecordedList>,
): Promise<void> {
  const last = await firstOf(lists);
  if (last === undefined) return;
  const shows = commandText(commandOn(session, words, last.listing.number));
  await session.printer.note(`the last one is ${listWords(last)}: \`${shows}\` shows it`);
}

export const listWords = ({ listing: { number, by, at }, orders }: RecordedList): string =>
  `list ${number}, of ${numbered(orders.length, 'order')}, which ${safe(by)} recorded on ${timeWords(at)}`;

/** The command with the number of a list, as in `--again 7`. */
export const commandOn = (session: Session, words: readonly string[], number: number) =>
  ['waybill', 'history', ...words, String(number), ...targetFlags(session)] as const;

/** In this time a person may not know of the list of another one. */
const RECENT_MS = 10 * 60 * 1000;

/**
 * The list with a number; with `true` the newest of this desk. `lists`: the newest first. `words`: the command, up to the number.
 * `isChanged`: the list is not only shown. Gives `undefined` if none was recorded. Throws `usage` if another list may be meant,
 * `not_found`.
 */
export async function recordedList(
  session: Session,
  lists: (recorder?: Recorder) => AsyncIterable<RecordedList>,
  which: number | true,
  { words, isChanged = false }: { words: readonly string[]; isChanged?: boolean },
): Promise<RecordedList | undefined> {
  const name = commandText(words.slice(0, -1));
  if (which !== true) {
    const list = await firstOf(lists());
    if (list?.listing.number === which) return list;
    throw new Failure(
      'not_found',
      `history ${name}: there is no list ${which} here: it was never recorded, ${words[0] === 'handover' ? 'was taken back, ' : ''}or is of another profile`,
    );
  }
  const recent: RecordedList[] = [];
  for await (const list of lists()) {
    const newest = recent[0] ?? list;
    if (recent.length === 5 || list.listing.at < newest.listing.at - RECENT_MS) break;
    recent.push(list);
  }
  const [newest] = recent;
  if (newest === undefined) return undefined;
  const desk = await firstOf(lists({ by: session.actor, run: session.run }));
  const isOfDesk = desk?.listing.number === newest.listing.number;
  if (isOfDesk && !(isChanged && recent.length > 1)) return newest;
  const isNamed = desk === undefined || recent.some(({ listing }) => listing.number === desk.listing.number);
  const named = [...recent, ...(isNamed ? [] : [desk])].map(
    list => `${listWords(list)}: \`${commandText(commandOn(session, words, list.listing.number))}\``,
  );
  throw new Failure(
    'usage',
    `history ${name}: it is not clear which list is meant, because ${isOfDesk ? 'several were recorded within ten minutes' : 'another desk or run recorded the newest'}: ${named.join('; ')}`,
  );
}

export async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

/** The names of orders that a list has not, by the reason. */
export type LeftOut = ReadonlyMap<string, readonly string[]>;

export async function noteOrdersLeftOut({ printer }: Session, leftOut: LeftOut): Promise<void> {
  for (const [why, names] of leftOut)
    if (names.length > 0) {
      const [all, some] = [names.join(', '), someOf(names)];
      const named = printer.json || some === all ? all : `${some}; --json names all of them`;
      await printer.note(`left out, ${why}: ${safe(named)}`);
    }
}

/**
 * Gives what is there, as `fileAt` has it. Throws `usage` if it is no such list, `storage` if none can be written. `name`: of the
 * file, for the message.
 */
export function checkListFile(
  path: string,
  host: Host,
  { name, kind, isOne }: { name: string; kind: string; isOne(): boolean },
): string | undefined {
  const seen = fileAt(path);
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
  return seen;
}

/**
 * Throws `storage` if it cannot be written, or if another command has written one since it was `seen`, which stays. `onceMore`: the
 * command that writes it, up to the name of a file.
 */
export function writeListFile(
  { path, name, seen }: { path: string; name: string; seen: string | undefined },
  content: string | Uint8Array,
  host: Host,
  onceMore: readonly string[] | undefined,
): void {
  const part = partBeside(path, host);
  const refuse = (why: string, other: string) => {
    const cure = onceMore ? `. The list is recorded: \`${commandText([...onceMore, other])}\` writes it` : '';
    return new Failure('storage', `${name} ${why}${cure}`);
  };
  let isWritten: boolean;
  try {
    writeFileSync(part, content, { flag: 'wx', flush: true, mode: 0o600 });
    isWritten = takePlace(part, path, seen);
    if (isWritten) syncPath(dirname(path));
    // step: list in place
  } catch (error) {
    throw refuse(`cannot be written: ${messageOf(error)}`, name);
  } finally {
    rmSync(part, { force: true });
  }
  const ending = extname(name);
  const other = `${name.slice(0, name.length - ending.length)}-2${ending}`;
  if (!isWritten) throw refuse('was written by another command since this one began, and stays', other);
}
