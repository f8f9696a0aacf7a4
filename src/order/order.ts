// What every room shares that books: the stages of an order, and who decides about it.
// - `RequestParts` (build.ts): what flags, files and profile give. `CheckedRequest`: its body is whole, and its issues are known.
// - `Order`: it has no issues. It says what is to be booked, and how far a proposal may go.
// - `PricedOrder`: nothing is left to a proposal, and nothing known is in its way. Only this stage is claimed and sent.
// - `Placed`: the service answered, now or before.

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
  /** As it was given; a key is booked once. */
  readonly key?: string | undefined;
  /** The key is the hash of its plan: as without a key, the same input of a day is a duplicate. */
  readonly isKeyOfPlan?: boolean | undefined;
  /** The fingerprint of what the user gave: two orders with the same one are the same order. */
  readonly fingerprint: string;
  /** The fingerprint of receiver, goods and parcels of a shipment, where it is known already. */
  readonly orderFingerprint?: string | null | undefined;
  /** What is sent, or what a proposal completes. */
  readonly body: Json;
  /** Has a proposal to fill in something, or to keep a bound? */
  readonly needsProposal?: boolean | undefined;
  /** What a proposal must keep. `maxPrice` holds for the price of the answer, too. */
  readonly bounds?: Bounds | undefined;
  /** The answer with the proposals that a person has just seen. */
  readonly proposals?: unknown;
  /** The shipments that the order labels, and the key of their own order, for those who watch. */
  readonly labels?: Intent['labels'];
  readonly orderKey?: string | null | undefined;
  /** The label of the shipment is made right after it. */
  readonly thenLabel?: boolean | undefined;
  /** The rule that fits the order, if rules are in force. */
  readonly rule?: string | undefined;
  /** The rule that keeps the order back: it is not booked. */
  readonly held?: Held | undefined;
  /** Which customs numbers the order may get. */
  readonly numbers?: RecordNumbers | undefined;
  /** Fields that the service document does not name are sent. */
  readonly allowUnknown?: boolean | undefined;
  readonly allowDuplicate?: boolean | undefined;
  /** A person said yes to the order, or to the batch that it is a part of. */
  readonly isAgreed?: boolean | undefined;
  /** The record of a batch: a hash of it and of what holds for it, the name that it came with, and the number of its order. */
  readonly record?:
    | { source: string; name?: string | undefined; orderNumber?: string | undefined }
    | undefined;
}

/** An order that is whole: a proposal has filled in what it left open, and its bounds and limits are kept. */
export interface PricedOrder extends Order {
  /** The proposal that was chosen, if one was asked for; without its price if that is for another weight. */
  readonly proposed: Offer | undefined;
  /** Why that proposal was chosen; missing if none was asked for. */
  readonly choice?: Choice | undefined;
  /** The booking of the same order under another key, of which the user was warned. */
  readonly toldTwin: string | undefined;
}

/** The proposal that was chosen for an order. */
export const proposalOf = (order: Order | PricedOrder): Offer | undefined =>
  'proposed' in order ? order.proposed : undefined;

/** A proposal of a carrier, or the rate of a company. */
export interface Offer {
  /** The id of the carrier; for a rate that of the company. */
  id?: string | undefined;
  name?: string | undefined;
  serviceType?: string | undefined;
  deliveryTime: string | undefined;
  /** The days of the delivery time; `undefined` if they cannot be read. */
  days: Days | undefined;
  /** As the service sent it. */
  price?: number | string | undefined;
  /** In upper case; empty if there is none. */
  currency: string;
  /** Why it cannot be booked, empty if no reason is given; `undefined` if it can be. */
  refusal: string | undefined;
}

/** The limits that a proposal must keep. */
export interface Bounds {
  service?: string | undefined;
  maxPrice?: Money | undefined;
  maxDays?: number | undefined;
  /** A plan needs a proposal with a price that can be read. */
  isPriced?: boolean | undefined;
  /** The limits that every order must keep. */
  limits?: Limits | undefined;
}

// Rules: read and decided in rules.ts and ruling.ts, which only a command that has some loads.

/** What rules ask of: the body, and what only a map tells. */
export interface RuledOrder extends SoldOrder {
  body: unknown;
}

export interface SoldOrder {
  /** The SKUs of the items, as a map or a product table names them; missing if nothing tells them. */
  skus?: readonly (string | undefined)[] | undefined;
  isOfMarketplace?: boolean | undefined;
}

/** The options that a rule may choose. */
export interface RuledOptions extends Pick<Bounds, 'service' | 'maxPrice' | 'maxDays'> {
  label?: boolean | undefined;
}

/** What rules make of an order. */
export interface Ruling {
  /** The name of the rule that fits. */
  rule: string | undefined;
  body: unknown;
  /** Options in the place of those that the user, or the profile, gave. */
  options: RuledOptions;
  held: Held | undefined;
  /** A rule asks for what the order does not tell. */
  problem: Issue | undefined;
}

/** The rules of a command. */
export interface RulesInForce {
  /** `otherOptions`: those of the order, with its key. `ofRecord`: those among them that the record of a batch has itself. */
  ruleFor(
    body: unknown,
    order: {
      operation: Operation;
      layers: { given: unknown };
      record?: unknown;
      sold?: SoldOrder | undefined;
      otherOptions: Readonly<Record<string, unknown>>;
      ofRecord?: Readonly<Record<string, unknown>> | undefined;
      /** `false`: the user wants no label; of a pair no field of its body says so. */
      mayLabel?: boolean;
    },
  ): Ruling;
  /** Does one of the rules make labels? */
  mayLabel: boolean;
  /** Keys of --release without an order that a rule holds. */
  unmet(): string[];
}

/** An order that was placed. */
export interface Placed extends Amended {
  /** Was the order sent now? Else the answer is the recorded one. */
  sent: boolean;
  /** Why a part is missing, or the price must be accepted; it is the exit code. */
  failure?: Failure | undefined;
  /** The journal could not record what came: the failure is the only record. */
  isUnrecorded?: boolean;
}

/** Who decides: a person at a terminal, a script, a batch. */
export interface Caller {
  /** Throws if the service cannot be called, or nobody can say yes to a booking that needs it. */
  requireReady(operation: Operation): Promise<void>;
  /** Why an order must not go on; `undefined`: it may. Asked before it is claimed, and then in the moment of the first byte. */
  stopped(isClaimed: boolean): Failure | undefined;
  /** Does a booking need a yes? */
  readonly mustAgree: boolean;
  /** "Book this?" Throws `interrupted` if the answer is another. */
  agrees(order: PricedOrder): Promise<void>;
  /** The same input was booked before: another one? `undefined` if nobody can be asked. */
  wantsAnother(what: string): Promise<boolean | undefined>;
  /**
   * Looks again until the booking that is found is not being sent by another process. Throws `interrupted`; a batch, which
   * has other records to send, throws `BookingInProgress`, unless it must wait.
   */
  wait<T>(
    look: () => Promise<T>,
    bookingIn: (found: T) => Booking | undefined,
    mustWait?: boolean,
  ): Promise<T>;
  /** Is told of each booking that was sent or whose recorded answer is shown, for programs. */
  placed(placed: Placed, labelled: Labelled): void;
  /** `labelSaved` and `labelNotSaved` are told what became of the label of a booking. */
  labelSaved(booking: string, path: string): void;
  labelNotSaved(booking: string | null, error: FailureCode): void;
}
