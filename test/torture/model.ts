// What a journal must say: a model that knows every booking of a sequence, and what the service made of it.
import { HOLDING_STATES, LEASE_MS, type State } from '../../src/booking/booking.ts';
import type { JournalKind } from '../rig/postgres.ts';

/** What is booked once: a key, an input without a key, or the label of a shipment. */
export interface Order {
  kind: 'key' | 'input' | 'label';
  name: string;
}

/** A process. Of one without a space, as of an older version, only the lease says whether it runs. */
export interface Process {
  number: number;
  space?: string;
  gone: boolean;
  /** How far its clock is ahead, in ms. */
  ahead: number;
}

export interface Entry {
  id: string;
  order: Order;
  by: Process;
  at: number;
  leaseUntil: number;
  /** Does its process renew the lease? */
  isRenewed: boolean;
  /** What the journal must say. */
  state: State;
  shipment: string | null;
  keyHolder: string | null;
  /** Did a late answer name it as the booking that has the key? Then it is not sent any more. */
  isNamed?: true;
  settlements: Said[];
  /** What it had before a person settled it; `undefined`: nobody did, or its answer came since. */
  before?: { shipment: string | null };
  /** What a cancelled one was. */
  existedAs?: State;
  isPruned: boolean;
}

export type Said = 'created' | 'rejected' | 'reopened' | 'cancelled';

const HOUR_MS = 60 * 60 * 1000;
const isMade = (state: State): boolean => state === 'created' || state === 'partial';
const existed = ({ state }: Entry): boolean => isMade(state) || state === 'cancelled';
const isOpen = ({ state }: Entry): boolean => state === 'pending' || state === 'unknown';
const isHeld = ({ state, keyHolder }: Entry): boolean => keyHolder === null && HOLDING_STATES.includes(state);

export class Model {
  now = Date.parse('2026-03-02T12:00:00Z');
  readonly entries: Entry[] = [];
  /** Whose each shipment is: an id belongs to one order. */
  readonly owners = new Map<string, Entry>();
  readonly kind: JournalKind;

  constructor(kind: JournalKind) {
    this.kind = kind;
  }

  /** The clock of the journal for that process: a shared one has its own. */
  clock = ({ ahead }: Process): number => this.now + (this.kind === 'local' ? ahead : 0);

  of = ({ kind, name }: Order): Entry[] =>
    this.entries.filter(({ order }) => order.kind === kind && order.name === name);

  isLost({ state, by, leaseUntil }: Entry, reader: Process): boolean {
    const isKnown = this.kind === 'local' && by.space !== undefined && by.space === reader.space;
    const end = leaseUntil + (isKnown ? HOUR_MS : 0);
    return state === 'pending' && ((isKnown && by.gone) || this.clock(reader) >= end);
  }

  /** What is lost is unknown from when it is read. */
  read(entry: Entry, reader: Process): Entry {
    if (this.isLost(entry, reader)) entry.state = 'unknown';
    return entry;
  }

  /** The booking that prevents another one of this order: the newest, if there are several. */
  obstacle(order: Order, reader: Process): Entry | undefined {
    const now = this.clock(reader);
    const isRecent = ({ at }: Entry) => at > now - 24 * HOUR_MS;
    const first = this.entries.findIndex(entry => isRecent(entry) && entry.at <= now);
    // A clock that ran backwards in between says nothing about the order in which they were booked.
    const isAfterFirst = (entry: Entry) => first >= 0 && this.entries.indexOf(entry) > first;
    const all = this.of(order);
    const found =
      order.kind !== 'input'
        ? all.findLast(isHeld)
        : all.findLast(
            entry => isOpen(entry) || (existed(entry) && (isRecent(entry) || isAfterFirst(entry))),
          );
    return found && this.read(found, reader);
  }

  /** Is it right that this booking answers for the order? Of several attempts at one label, each of those that may be made may. */
  answersFor(id: string | undefined, order: Order, reader: Process): boolean {
    const obstacle = this.obstacle(order, reader);
    if (order.kind !== 'label' || obstacle === undefined) return id === obstacle?.id;
    return this.of(order).some(entry => entry.id === id && isHeld(this.read(entry, reader)));
  }

  add(id: string, order: Order, by: Process, state: State, shipment: string | null = null): Entry {
    const at = this.clock(by);
    const none = { shipment: null, keyHolder: null, settlements: [], isPruned: false };
    const entry: Entry = { id, order, by, at, leaseUntil: at + LEASE_MS, isRenewed: true, state, ...none };
    this.entries.push(entry);
    this.name(entry, shipment);
    return entry;
  }

  /** It is ours, and no answer said since that the order exists. */
  maySend = ({ state, isNamed }: Entry): boolean => state === 'pending' && !isNamed;

  renew(entry: Entry): void {
    if (entry.state === 'pending') entry.leaseUntil = this.clock(entry.by) + LEASE_MS;
  }

  /** The other order that a shipment is of. Labels have none of their own. */
  otherOwner(entry: Entry, shipment: string | null): Entry | undefined {
    const owner = shipment === null ? undefined : this.owners.get(shipment);
    return owner === entry || entry.order.kind === 'label' ? undefined : owner;
  }

  /** The booking has this shipment, and no other, unless that is the one of another order: then it only says that it had it. */
  private name(entry: Entry, shipment: string | null): void {
    if (entry.shipment !== null && this.owners.get(entry.shipment) === entry)
      this.owners.delete(entry.shipment);
    entry.shipment = shipment;
    const isTaken = this.otherOwner(entry, shipment) !== undefined;
    if (shipment !== null && !isTaken && entry.order.kind !== 'label') this.owners.set(shipment, entry);
  }

  /**
   * After a settlement an answer counts, unless it made nothing and a person found something. One with the shipment of another
   * order says that nobody knows what was made.
   */
  record(entry: Entry, told: State, made: string | null): void {
    const isOthers = this.otherOwner(entry, made) !== undefined;
    const [state, shipment] = isOthers ? (['unknown', null] as const) : [told, made];
    const isDecision = (said: Said) => said === 'created' || said === 'rejected';
    const settled = isOpen(entry) ? undefined : entry.settlements.findLast(isDecision);
    entry.isRenewed = false;
    if (settled === 'created' && !isMade(state) && !isOthers) return;
    delete entry.before;
    if (entry.state === 'cancelled' && isMade(state) && entry.shipment === shipment) {
      entry.existedAs = state;
      return;
    }
    const rival = this.rival(entry);
    const isTwice = settled === 'rejected' && rival !== undefined && HOLDING_STATES.includes(state);
    if (isTwice) {
      entry.keyHolder = rival.id;
      rival.isNamed = true;
    }
    entry.state = isTwice ? 'unknown' : state;
    this.name(entry, shipment);
    this.giveBack(entry);
  }

  /**
   * Another one that has its key, or a later one of its label or of the same input: of several the first that may be sent yet, else
   * the newest.
   */
  rival(entry: Entry): Entry | undefined {
    const all = this.of(entry.order).filter(
      one =>
        one !== entry &&
        isHeld(one) &&
        (one.order.kind === 'key' || this.entries.indexOf(one) > this.entries.indexOf(entry)),
    );
    return all.find(({ state }) => state === 'pending') ?? all.at(-1);
  }

  /** Why a person cannot settle it so. */
  obstacleToSettling(entry: Entry, said: Said, shipment: string | null): string | undefined {
    const { state, order, before, keyHolder, isPruned } = entry;
    if (said === 'cancelled') return isMade(state) && order.kind !== 'label' ? undefined : 'state';
    if (said === 'reopened') {
      if (state === 'cancelled') return undefined;
      if (before === undefined) return 'state';
      const isUnnamed = order.kind === 'label' && isPruned;
      if (isUnnamed && (state === 'rejected' || keyHolder !== null)) return 'pruned';
      // The label of a created one that was pruned stays with it.
      return keyHolder === null && !isUnnamed && this.rival(entry) ? 'booked again' : undefined;
    }
    if (state !== 'unknown') return 'state';
    return this.otherOwner(entry, shipment) ? 'taken' : undefined;
  }

  cancel(entry: Entry): void {
    entry.existedAs = entry.state;
    entry.state = 'cancelled';
    entry.settlements.push('cancelled');
  }

  reopen(entry: Entry): void {
    if (entry.state === 'cancelled') {
      entry.state = entry.existedAs ?? 'created';
      entry.settlements.push('reopened');
      return;
    }
    entry.state = 'unknown';
    this.name(entry, entry.before?.shipment ?? null);
    entry.settlements.push('reopened');
    delete entry.before;
  }

  settle(entry: Entry, state: 'created' | 'rejected', shipment: string | null): void {
    entry.before = { shipment: entry.shipment };
    entry.state = state;
    if (state === 'rejected') entry.keyHolder = null;
    this.name(entry, shipment);
    entry.settlements.push(state);
    this.giveBack(entry);
  }

  /** What does not exist has no key: the newest disputed booking that names it has the key again. */
  private giveBack({ id, state }: Entry): void {
    if (HOLDING_STATES.includes(state)) return;
    const disputed = this.entries.filter(
      ({ keyHolder, state: disputedAs }) => keyHolder === id && HOLDING_STATES.includes(disputedAs),
    );
    const heir = disputed.pop();
    if (heir) heir.keyHolder = null;
    for (const entry of disputed) entry.keyHolder = heir?.id ?? null;
  }
}
