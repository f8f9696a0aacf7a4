// What all rooms that book share: the stages of an order, and who decides about it.
// - `RequestParts` (build.ts): what flags, files and profile give. `CheckedRequest`: the body is completed, and its issues are known.
// - `Order`: has no issues; says what is to be booked, and within which bounds a proposal is chosen.
// - `PricedOrder`: nothing is left to a proposal, and nothing known prevents it. Only this stage is claimed and sent.
// - `Placed`: the service answered the order, now or before.

import type { Booking, Choice, Intent, Labelled } from '../booking/booking.ts';
import type { Amended } from '../booking/questions.ts';
import type { Operation } from '../contract/operations.ts';
import type { Days } from '../contract/proposals.ts';
import type { Money } from '../contract/read.ts';
import type { Issue } from '../contract/shapes.ts';
import type { Failure } from '../errors.ts';
import type { FailureCode } from '../exit-codes.ts';
import type { Json } from '../json.ts';
import type { Limits } from '../profile/settings.ts';
import type { Held } from '../say/rules.ts';
import type { RecordNumbers } from './numbers.ts';

/** What is to be booked: plain data that nobody changes. */
export interface Order {
  readonly operation: Operation;
  /** The key, as it was given; a key is booked only once. */
  readonly key?: string | undefined;
  /** Is the key only the hash of a plan? Then, as without a key, the same input within a day is a duplicate. */
  readonly isKeyOfPlan?: boolean | undefined;
  /** The fingerprint of what the user gave: two orders with the same fingerprint are the same order. */
  readonly fingerprint: string;
  /** The fingerprint of receiver, goods and parcels of a shipment, if it is known already. */
  readonly orderFingerprint?: string | null | undefined;
  /** The body that is sent, or that a proposal completes first. */
  readonly body: Json;
  /** Must a proposal fill in something, or keep a bound? */
  readonly needsProposal?: boolean | undefined;
  /** The bounds for a proposal. `maxPrice` holds for the price of the answer, too. */
  readonly bounds?: Bounds | undefined;
  /** The answer of the service with the proposals that a person has just seen. */
  readonly proposals?: unknown;
  /** For an order of labels: the shipments, and the key of the order that made these, for programs that watch. */
  readonly labels?: Intent['labels'];
  readonly orderKey?: string | null | undefined;
  /** Is the label of the shipment made right after the shipment? */
  readonly thenLabel?: boolean | undefined;
  /** The name of the rule that fits the order, if rules are in force. */
  readonly rule?: string | undefined;
  /** The rule that keeps the order back: it is not booked. */
  readonly held?: Held | undefined;
  /** Which customs numbers the order may get. */
  readonly numbers?: RecordNumbers | undefined;
  /** Are fields sent that the service document does not name? */
  readonly allowUnknown?: boolean | undefined;
  readonly allowDuplicate?: boolean | undefined;
  /** Has a person said yes to the order, or to the batch to which it belongs? */
  readonly isAgreed?: boolean | undefined;
  /** The record of a batch: a hash of the record and of what holds for it, the name of the record, and the number of its order. */
  readonly record?:
    | { source: string; name?: string | undefined; orderNumber?: string | undefined }
    | undefined;
}

/** An order that is complete: a proposal has filled in what was left open, and the bounds and limits are kept. */
export interface PricedOrder extends Order {
  /** The proposal that was chosen, if the service was asked for proposals; without a price if the price is for another weight. */
  readonly proposed: Offer | undefined;
  /** Why that proposal was chosen; missing if the service was not asked for proposals. */
  readonly choice?: Choice | undefined;
  /** The id of the booking of the same order under another key, if the user was warned of it. */
  readonly toldTwin: string | undefined;
}

/** The proposal that was chosen for an order. */
export const proposalOf = (order: Order | PricedOrder): Offer | undefined =>
  'proposed' in order ? order.proposed : undefined;

/** A proposal of a carrier, or the rate of a company. */
export interface Offer {
  /** The id of the carrier; for a rate, the id of the company. */
  id?: string | undefined;
  name?: string | undefined;
  serviceType?: string | undefined;
  deliveryTime: string | undefined;
  /** The days of the delivery time; `undefined` if they cannot be read. */
  days: Days | undefined;
  /** The price as the service sent it. */
  price?: number | string | undefined;
  /** The currency in upper case; empty if there is none. */
  currency: string;
  /** Why the offer cannot be booked; empty if no reason is given, `undefined` if it can be booked. */
  refusal: string | undefined;
}

/** The bounds within which a proposal is chosen. */
export interface Bounds {
  service?: string | undefined;
  maxPrice?: Money | undefined;
  maxDays?: number | undefined;
  /** Must the price of the proposal be readable? A plan needs this. */
  isPriced?: boolean | undefined;
  /** The limits that every order must keep. */
  limits?: Limits | undefined;
}

// Rules: rules.ts reads them and ruling.ts decides by them. Only a command that has rules loads these files.

/** What the conditions of rules are about: the body, and what only the map of a batch tells. */
export interface RuledOrder extends SoldOrder {
  body: unknown;
}

export interface SoldOrder {
  /** The SKUs of the items, as a map or a product table names them; missing if neither does. */
  skus?: readonly (string | undefined)[] | undefined;
  isOfMarketplace?: boolean | undefined;
}

/** The options that a rule may choose. */
export interface RuledOptions extends Pick<Bounds, 'service' | 'maxPrice' | 'maxDays'> {
  label?: boolean | undefined;
}

/** What the rules make of an order. */
export interface Ruling {
  /** The name of the rule that fits. */
  rule: string | undefined;
  body: unknown;
  /** Options that replace those of the user or of the profile. */
  options: RuledOptions;
  held: Held | undefined;
  /** The issue if a rule asks for something that the order does not tell. */
  problem: Issue | undefined;
}

/** The rules that a command follows. */
export interface RulesInForce {
  /** `otherOptions`: the options of the order, and its key. `ofRecord`: those of these options that a record of a batch gives itself. */
  ruleFor(
    body: unknown,
    order: {
      operation: Operation;
      layers: { given: unknown };
      record?: unknown;
      sold?: SoldOrder | undefined;
      otherOptions: Readonly<Record<string, unknown>>;
      ofRecord?: Readonly<Record<string, unknown>> | undefined;
      /** `false`: the user wants no label. The body of a pair has no field that says so. */
      mayLabel?: boolean;
    },
  ): Ruling;
  /** Does one of the rules make labels? */
  mayLabel: boolean;
  /** The keys of --release for which no rule holds an order. */
  unmet(): string[];
}

/** An order that was placed. */
export interface Placed extends Amended {
  /** Was the order sent now? If not, the answer is the recorded one. */
  sent: boolean;
  /** Why a part is missing, or that the price must be accepted; the exit code of the command follows from it. */
  failure?: Failure | undefined;
  /** Could the journal not record the answer? Then the failure is the only record. */
  isUnrecorded?: boolean;
}

/** Who decides about orders: a person at a terminal, a script, or a batch. */
export interface Caller {
  /** Throws if the service cannot be called, or if a booking needs a yes that nobody can give. */
  requireReady(operation: Operation): Promise<void>;
  /** Why an order must not go on; `undefined` if it may. Asked before the order is claimed, and again when its first byte is sent. */
  stopped(isClaimed: boolean): Failure | undefined;
  /** Does a booking need the yes of a person? */
  readonly mustAgree: boolean;
  /** Asks "Book this?" if that is needed. Throws `interrupted` for any answer but yes. */
  agrees(order: PricedOrder): Promise<void>;
  /** Asks whether to book once more what was booked before with the same input; `undefined` if nobody can be asked. */
  wantsAnother(what: string): Promise<boolean | undefined>;
  /**
   * Looks again as long as another process is sending the booking that is found. Throws `interrupted`. A batch has other records to send:
   * it throws `BookingInProgress` instead of waiting, unless `mustWait` is set.
   */
  wait<T>(
    look: () => Promise<T>,
    bookingIn: (found: T) => Booking | undefined,
    mustWait?: boolean,
  ): Promise<T>;
  /** Tells programs of each booking that was sent, or whose recorded answer is shown. */
  placed(placed: Placed, labelled: Labelled): void;
  /** `labelSaved` and `labelNotSaved` tell programs what became of the label of a booking. */
  labelSaved(booking: string, path: string): void;
  labelNotSaved(booking: string | null, error: FailureCode): void;
}
