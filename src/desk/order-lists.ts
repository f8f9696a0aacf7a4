// Lists of orders, for a courier or for a shop: an order is on at most one list of each name. A command shows the orders that no list
// has yet; a file or --yes records their list. The same command writes a recorded list again, under its number, if its file is not whole.
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { isMade } from '../booking/booking.ts';
import type {
  BookedOrder,
  ListedBooking,
  OrderFilter,
  RecordedList,
  Recorder,
} from '../booking/questions.ts';
import { isSameShipment } from '../booking/standing.ts';
import { Failure } from '../errors.ts';
import { absolutePath, fileAt, partBeside, probeBeside, syncPath, takePlace } from '../host/folder.ts';
import { stopIfInterrupted } from '../host/signals.ts';
import type { Host } from '../host.ts';
import type { Journal } from '../journal/journal.ts';
import type { ListClaim } from '../journal/lists.ts';
import { isShippedHere, pagesOfOrders, shippedFilter } from '../order/listed.ts';
import { targetFlags } from '../order/options.ts';
import { safe } from '../output/text.ts';
import { orderName, timeWords } from '../say/words.ts';
import type { Session } from '../session/session.ts';
import { messageOf } from '../system-errors.ts';
import { commandText, numbered, someOf } from '../text.ts';

/** The lists of one name, such as the lists of handovers. */
export interface Lists {
  session: Session;
  journal: Journal | undefined;
  name: string;
  /** The words of the command before the number of a list: `handover --again`. */
  words: readonly string[];
}

/** A command that shows or writes a list of orders. */
export interface ListCommand<Listed> extends Lists {
  writes: boolean;
  records: boolean;
  file: ListFile | undefined;
  /** The flags that stand before the name of a file. */
  fileFlags: readonly string[];
  /** The list that is written once more: its number, or `true` for the last list of this desk. */
  again: number | true | undefined;
  /** With `again: true`: every list with orders that were booked since this time. */
  since?: number | undefined;
  /** Orders that a person keeps back: they are to be on no list. */
  keptBack?: readonly string[];
  /** An order as the command lists it; `undefined`: the order is not for this command. */
  listedOf(order: BookedOrder): Listed | undefined;
  newOrders(): Promise<NewOrders<Listed>>;
  /** Warns of orders that a person should look at, before anything is written. */
  look?(listed: readonly Listed[]): Promise<void>;
  /** The content of the file of a list, and warnings of what the content lacks. */
  draw(
    listed: readonly Listed[],
    number: number,
  ): Promise<{ content: string | Uint8Array; warnings: string[] }>;
  /** Shows the list. `again`: the command that shows the list once more, if this output is lost. */
  show(listed: readonly Listed[], again: readonly string[] | undefined): Promise<void>;
  /** The words of a note about a list that was just recorded. */
  recordedWords(number: number): string;
  /** Where a list is only shown: words that say how to record it. */
  toRecord: string;
  /** The end of the note about an earlier list. */
  ending: string;
}

/** The orders that no list has yet, the oldest first, and by the reason the names of the orders that are left out. */
export interface NewOrders<Listed> {
  listed: readonly Listed[];
  leftOut: ReadonlyMap<string, readonly string[]>;
}

interface ListToWrite<Listed> {
  listed: readonly Listed[];
  /** The lists that were recorded before: several only if all of them are written once more. */
  earlier: readonly RecordedList[];
  /** The claims of this process: nobody else writes these lists. */
  claims: readonly ListClaim[];
}

/** Opens the journal, and tells whether the command writes a list (with a file, or --yes) and whether it records a new one. */
export async function openLists(
  session: Session,
  file: ListFile | undefined,
  again: number | true | undefined,
) {
  const writes = file !== undefined || session.globals.yes === true;
  const records = writes && !again;
  return { journal: await session.openJournal(records ? 'change' : 'look'), writes, records };
}

/** Writes or shows the orders that no list has yet, or an earlier list. A list that was written whole is marked as written. */
export async function runList<Listed extends { id: string }>(command: ListCommand<Listed>): Promise<void> {
  const { session, file, again } = command;
  const { listed, earlier, claims } = again ? await earlierLists(command) : await listToWrite(command);
  const [number] = [...claims, ...earlier.map(({ listing }) => listing)].map(list => list.number);
  // No command shows several earlier lists once more.
  const isOneList = claims.length > 0 || earlier.length === 1;
  const onceMore = number !== undefined && isOneList ? commandOn(command, number) : undefined;
  await whileClaimed(command, claims, async mark => {
    await command.look?.(listed);
    if (file !== undefined && number !== undefined) {
      const { content, warnings } = await command.draw(listed, number);
      // The list is recorded before it is on paper or in the shop: an order on two lists would be worse than an order on none.
      writeListFile(file, content, session.host, onceMore && [...onceMore, ...command.fileFlags]);
      await mark();
      for (const warning of warnings) await session.printer.warn(warning);
    }
    const isOnlyShown = claims.length > 0 && file === undefined;
    await command.show(listed, isOnlyShown && onceMore ? [...onceMore, '--yes'] : undefined);
    if (file === undefined) await mark();
  });
  if (listed.length > 0) await noteList(command, earlier, claims[0]);
  else if (!again) await noteLastList(command);
}

async function noteList<Listed>(
  command: ListCommand<Listed>,
  earlier: readonly RecordedList[],
  claim: ListClaim | undefined,
): Promise<void> {
  const { printer } = command.session;
  for (const list of earlier)
    await printer.note(
      `this is ${recordedListWords(list)}${command.again ? '' : UNWRITTEN}${command.ending}`,
    );
  if (earlier.length > 0) return;
  if (claim) await printer.note(`recorded as list ${claim.number}: ${command.recordedWords(claim.number)}`);
  else await printer.note(`nothing was recorded: ${command.toRecord}`);
}

/** Says which list has the orders that a new list lacks: a person may not know that another desk has listed these orders. */
async function noteLastList<Listed>(command: ListCommand<Listed>): Promise<void> {
  const last = await firstOf(recordedLists(command, order => command.listedOf(order) !== undefined));
  if (last === undefined) return;
  const shows = commandText(commandOn(command, last.listing.number));
  await command.session.printer.note(`the last one is ${recordedListWords(last)}: \`${shows}\` shows it`);
}

export function recordedListWords(list: RecordedList): string {
  const { number, by, at } = list.listing;
  return `list ${number}, of ${numbered(list.orders.length, 'order')}, which ${safe(by)} recorded on ${timeWords(at)}`;
}

/** What a note adds about a list that was recorded before. */
const UNWRITTEN = ' and may not have written to its end';

/** The command with the number of a list, as in `--again 7`. */
export const commandOn = (lists: Pick<Lists, 'session' | 'words'>, number: number) =>
  ['waybill', 'history', ...lists.words, String(number), ...targetFlags(lists.session)] as const;

// Listing the orders that no list has yet.

/** Shipments that no list of a name has, cancelled ones too, the newest first. `ordersOf` reads a page of orders. */
export async function* unlistedOrders<B extends ListedBooking>(
  session: Session,
  name: string,
  ordersOf: (filter: OrderFilter) => Promise<BookedOrder<B>[]>,
  since?: number,
): AsyncGenerator<BookedOrder<B>> {
  const states = ['created', 'partial', 'cancelled'] as const;
  const filter = { ...shippedFilter(session), states, notOn: name, ...(since !== undefined && { since }) };
  // An order that is one shipment with another order is left out: the row of the other order has the parcel.
  for await (const page of pagesOfOrders(session, ordersOf, filter))
    for (const order of page) if (!isSameShipment(order.booking)) yield order;
}

async function noteOrdersLeftOut(session: Session, why: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const [all, some] = [names.join(', '), someOf(names)];
  const named = session.printer.json || some === all ? all : `${some}; --json names all of them`;
  await session.printer.note(`left out, ${why}: ${safe(named)}`);
}

/** How often to look at a list that another process writes, in ms. */
const LOOK_MS = 250;

/**
 * A list that was recorded and never written, if this command lists all of its orders; else a new list of the orders that no list has.
 * If the only list is one that another process writes at this moment, this waits: that process may be killed.
 */
async function listToWrite<Listed extends { id: string }>(
  command: ListCommand<Listed>,
): Promise<ListToWrite<Listed>> {
  const { host, printer } = command.session;
  for (let isTold = false; ; ) {
    const unwritten = await unwrittenLists(command);
    const ours = unwritten.filter(list => isListedWhole(command, list));
    const orders = await command.newOrders();
    const free = ours.find(({ isHeld }) => !isHeld);
    const [held] = command.records && orders.listed.length === 0 ? ours : [];
    if (free || held === undefined) {
      const list = free
        ? await takenUpList(command, free, orders)
        : await newList(command, orders, unwritten);
      // Without a list, another desk has taken some of the orders since, or an order was cancelled: all is read again.
      if (list) return list;
      continue;
    }
    if (!isTold)
      await printer.note(`another process writes ${recordedListWords(held)}: this one waits for it`);
    isTold = true;
    await host.sleep(LOOK_MS, host.interrupted).catch(() => {});
    stopIfInterrupted(host);
  }
}

/** Takes up a list that was recorded and not written; new orders wait for the next list. `undefined`: another process has taken it up. */
async function takenUpList<Listed>(
  command: ListCommand<Listed>,
  list: RecordedList,
  orders: NewOrders<Listed>,
): Promise<ListToWrite<Listed> | undefined> {
  const { session, journal, name, records } = command;
  const claim = records ? await journal?.lists.takeUp(name, list.listing.number) : undefined;
  if (records && claim === undefined) return undefined;
  const listed = await withoutCancelled(command, list);
  if (orders.listed.length > 0)
    await session.printer.note(
      `left for the next list: ${numbered(orders.listed.length, 'order')}. The same command, with another file, writes it`,
    );
  return { listed, earlier: [list], claims: claim ? [claim] : [] };
}

/** Records a new list. `undefined`: its orders cannot be on one list any more; another desk may have listed some of them. */
async function newList<Listed extends { id: string }>(
  command: ListCommand<Listed>,
  orders: NewOrders<Listed>,
  unwritten: readonly Unwritten[],
): Promise<ListToWrite<Listed> | undefined> {
  const { session, journal, name, keptBack } = command;
  const { actor: by, run, printer } = session;
  const ids = command.records ? orders.listed.map(({ id }) => id) : [];
  const claim = ids.length > 0 ? await journal?.lists.record(name, { by, run }, ids, keptBack) : undefined;
  if (ids.length > 0 && claim === undefined) return undefined;
  for (const [why, names] of orders.leftOut) await noteOrdersLeftOut(session, why, names);
  for (const list of unwritten.filter(({ isHeld }) => !isHeld)) {
    const onceMore = [...commandOn(command, list.listing.number), ...command.fileFlags, 'FILE'];
    await printer.note(`${recordedListWords(list)}${UNWRITTEN}: \`${commandText(onceMore)}\` writes it`);
  }
  return { listed: orders.listed, earlier: [], claims: claim ? [claim] : [] };
}

type Unwritten = RecordedList & { isHeld: boolean };

/** Lists of this profile that were recorded and not written, the oldest first. */
async function unwrittenLists(lists: Lists): Promise<Unwritten[]> {
  const { session, journal, name } = lists;
  const isHere = isShippedHere(session);
  const unwritten: Unwritten[] = [];
  for (const { number, isHeld } of (await journal?.lists.unwritten(name)) ?? []) {
    const list = await journal?.listed(name, number);
    // Since a list was recorded, its orders may have been cancelled, or found to be one shipment with other orders.
    const isOpen = list?.orders.some(order => isMade(order.booking) && isHere(order));
    if (list?.listing.number === number && isOpen) unwritten.push({ ...list, isHeld });
  }
  return unwritten;
}

type Lister<Listed> = Pick<ListCommand<Listed>, 'session' | 'listedOf'>;

/** Does the command list every order of the list that still exists? */
function isListedWhole<Listed>(lister: Lister<Listed>, list: RecordedList): boolean {
  const made = list.orders.filter(({ booking }) => isMade(booking));
  return made.length > 0 && made.every(order => lister.listedOf(order) !== undefined);
}

/** The orders of a list that was recorded and not written. Orders that were cancelled since are left out, and named in a note. */
async function withoutCancelled<Listed>(lister: Lister<Listed>, list: RecordedList): Promise<Listed[]> {
  const cancelled = list.orders.filter(({ booking }) => !isMade(booking));
  await noteOrdersLeftOut(lister.session, 'cancelled', cancelled.map(orderName));
  return list.orders.flatMap(order => (isMade(order.booking) ? (lister.listedOf(order) ?? []) : []));
}

// Reading lists that were recorded before.

type IsWanted = (order: BookedOrder) => boolean;

/** The lists with a wanted order, the newest first. `most`: the highest number that a list may have. */
async function* recordedLists(
  lists: Lists,
  isWanted: IsWanted,
  most?: number,
  recorder?: Recorder,
): AsyncGenerator<RecordedList> {
  for (let last = most; ; ) {
    const list = await lists.journal?.listed(lists.name, last, recorder);
    if (list === undefined) return;
    if (list.orders.some(isWanted)) yield list;
    last = list.listing.number - 1;
  }
}

/** The lists that --again names, with the orders as they were recorded, the oldest list first. */
async function earlierLists<Listed>(command: ListCommand<Listed>): Promise<ListToWrite<Listed>> {
  const { session, again = true, since } = command;
  const listedOf = (order: BookedOrder) =>
    order.booking.at >= (since ?? 0) ? command.listedOf(order) : undefined;
  const isWanted = (order: BookedOrder) => listedOf(order) !== undefined;
  const earlier: RecordedList[] = [];
  if (again === true && since !== undefined)
    for await (const list of recordedLists(command, isWanted)) earlier.unshift(list);
  else {
    const list = await recordedList(command, again, isWanted);
    if (list) earlier.push(list);
  }
  const listed: Listed[] = [];
  const claims: ListClaim[] = [];
  for (const list of earlier) {
    const isToMark = command.writes && isListedWhole({ session, listedOf }, list);
    const claim = isToMark ? await claimUnwritten(command, list) : undefined;
    if (claim) claims.push(claim);
    if (claim) listed.push(...(await withoutCancelled({ session, listedOf }, list)));
    else listed.push(...list.orders.flatMap(order => listedOf(order) ?? []));
  }
  return { listed, earlier, claims };
}

/** Claims a list that was recorded and not written. `undefined`: the list was written before, or another process writes it. */
async function claimUnwritten(lists: Lists, list: RecordedList): Promise<ListClaim | undefined> {
  const { number } = list.listing;
  const unwritten = (await lists.journal?.lists.unwritten(lists.name)) ?? [];
  const isFree = unwritten.some(({ number: its, isHeld }) => its === number && !isHeld);
  return isFree ? lists.journal?.lists.takeUp(lists.name, number) : undefined;
}

/** A list that is younger than this, of another person, may be unknown to the person who types. */
const RECENT_MS = 10 * 60 * 1000;

/**
 * The list with a number; with `true` the newest list of this desk, or `undefined` if no list was recorded. `isChanged`: the list is not
 * only shown. Throws `usage` if another list may be meant, and `not_found`.
 */
export async function recordedList(
  lists: Lists,
  which: number | true,
  isWanted: IsWanted,
  isChanged = false,
): Promise<RecordedList | undefined> {
  const { session, words } = lists;
  const command = commandText(words.slice(0, -1));
  if (which !== true) {
    const list = await firstOf(recordedLists(lists, isWanted, which));
    if (list?.listing.number === which) return list;
    throw new Failure(
      'not_found',
      `history ${command}: there is no list ${which} here: it was never recorded, ${words[0] === 'handover' ? 'was taken back, ' : ''}or is of another profile`,
    );
  }
  const recent: RecordedList[] = [];
  for await (const list of recordedLists(lists, isWanted)) {
    const newest = recent[0] ?? list;
    if (recent.length === 5 || list.listing.at < newest.listing.at - RECENT_MS) break;
    recent.push(list);
  }
  const [newest] = recent;
  if (newest === undefined) return undefined;
  const recorder = { by: session.actor, run: session.run };
  const last = await firstOf(recordedLists(lists, isWanted, undefined, recorder));
  const isOfDesk = last?.listing.number === newest.listing.number;
  if (isOfDesk && !(isChanged && recent.length > 1)) return newest;
  const isNamed = last === undefined || recent.some(({ listing }) => listing.number === last.listing.number);
  const named = [...recent, ...(isNamed ? [] : [last])].map(
    list => `${recordedListWords(list)}: \`${commandText(commandOn(lists, list.listing.number))}\``,
  );
  throw new Failure(
    'usage',
    `history ${command}: it is not clear which list is meant, because ${isOfDesk ? 'several were recorded within ten minutes' : 'another desk or run recorded the newest'}: ${named.join('; ')}`,
  );
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

// How a list is written.

/**
 * Writes claimed lists, and marks them as written when `write` calls `mark`; other claims are given back. Throws `partial` if a list was
 * taken back, or taken up by another process, meanwhile.
 */
async function whileClaimed(
  lists: Lists,
  claims: readonly ListClaim[],
  write: (mark: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const left = new Set(claims);
  try {
    await write(async () => {
      for (const claim of claims) {
        const isOurs = await lists.journal?.lists.end(claim, true).catch((error: unknown) => {
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
    for (const claim of left) await lists.journal?.lists.end(claim, false).catch(() => {});
  }
}

/** The file of a list. */
export interface ListFile {
  /** The name as it was typed. */
  name: string;
  path: string;
  /** The state of the file that had this name before, as `fileAt` gives it. */
  seen: string | undefined;
}

/**
 * The file that a list is to be written into. Throws `usage` if another file has its name, `storage` if it cannot be written.
 * `flag`: the words that a person typed before the name.
 */
export function listFile(
  name: string | undefined,
  host: Host,
  reading: { flag?: string; kind: string; isOne(path: string): boolean },
): ListFile | undefined {
  const { flag = '', kind, isOne } = reading;
  if (name === undefined) return undefined;
  const path = absolutePath(name, host);
  const seen = fileAt(path);
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present !== undefined && !(present.isFile() && isOne(path)))
    throw new Failure(
      'usage',
      `${flag}${path}: what has that name is no ${kind}, and is not replaced; nothing was recorded. Choose another name`,
    );
  try {
    probeBeside(path, host);
  } catch (error) {
    throw new Failure('storage', `${path} cannot be written: ${messageOf(error)}; nothing was recorded`);
  }
  return { name, path, seen };
}

/**
 * Writes the file of a list. Throws `storage` if this fails, or if another command has written the file since it was `seen`: then that
 * file stays. `onceMore`: the command that writes the list once more; the name of a file comes behind it.
 */
function writeListFile(
  listFile: ListFile,
  content: string | Uint8Array,
  host: Host,
  onceMore: readonly string[] | undefined,
): void {
  const { path, name, seen } = listFile;
  const part = partBeside(path, host);
  const refuse = (why: string, file: string) => {
    const cure = onceMore && `. The list is recorded: \`${commandText([...onceMore, file])}\` writes it`;
    return new Failure('storage', `${name} ${why}${cure ?? ''}`);
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
  const next = `${name.slice(0, name.length - ending.length)}-2${ending}`;
  if (!isWritten) throw refuse('was written by another command since this one began, and stays', next);
}
