// Only this file decides what becomes of a booking. Each row of the table says what happens, in which states a booking may be then,
// and what the booking becomes. `stepAfter` reads a booking, what happened, and what the journal knows of other bookings, and gives
// a step: what is written, as data. `stepAfter` knows no database, so that property tests can try every sequence (test/booking).
// ARCHITECTURE.md shows the table for readers.
//
// A booking is `disputed` if it may exist and another booking has its key: a person had denied it, its key was booked again, and then
// its own answer came. Its row says `unknown`, and `keyHolder` names the other booking.

import { isSameKey } from '../contract/key.ts';
import { LEGS, type Leg } from '../contract/operations.ts';
import {
  type Booking,
  type Fact,
  isAt,
  isMade,
  type LegShipment,
  labelledBy,
  mayExist,
  type NewSettlement,
  NOTHING_MADE,
  type OrderName,
  type Outcome,
  type Reason,
  type Settlement,
  type State,
  shipmentsIn,
  unlabelledBy,
} from './booking.ts';
import type { Amended, SettlingObstacle } from './questions.ts';
import {
  AT_WORK_MINUTES,
  cancellationOf,
  decisionOf,
  disputedBy,
  isAnsweredLate,
  isDisputed,
  isSameShipment,
  lastDecision,
  needsAcceptance,
} from './standing.ts';

/** What happens to a booking that was claimed. */
export type Happening =
  | { kind: 'answered'; outcome: Outcome }
  /** The process that sent the booking is gone, or could not record the answer; `why` says which of both. */
  | { kind: 'lost'; why: string }
  | NewSettlement
  /** The booking `from` was answered late, and may exist beside this booking, which has the key of `from`. */
  | { kind: 'disputed'; from: string }
  /** The booking `from`, which had the key and the labels, does not exist. `to`: the disputed booking that gets key and labels. */
  | { kind: 'key returned'; from: string; to: string };

/** What the journal knows of the time and of other bookings when it calls `stepAfter`. */
export interface Situation {
  /** In ms since 1970, by the clock of the journal. */
  now: number;
  /** About when the booking was sent last. */
  sentAt?: number;
  /** The first shipment that the booking made, or is said to have made, although another order has this shipment. */
  taken?: { shipment: LegShipment; owner: Booking } | undefined;
  /** For each id that a refusal names, the order that has this id; `undefined` if one of the ids belongs to no other order. */
  refused?: readonly { name: string; id: string; owner: Booking }[] | undefined;
  /** The other booking that has the key or the labels now, or a later booking with the same input. */
  rival?: Booking | undefined;
  /** A shipment that the booking was said to be, and the other booking that made the label of this shipment. */
  labelled?: { shipment: string; booking: Booking } | undefined;
  /** Shipments whose labels other bookings made. */
  labelledByOthers?: readonly LegShipment[];
  /** The other order that, as a person says, has the same shipment. */
  sameAs?: Booking | undefined;
  /** The orders of which a person said that they are one shipment with the booking, and of which that still holds. */
  declaredSame?: readonly Booking[];
}

/** What the journal writes about a booking. */
export interface Step {
  /** The row of the booking, as it is from now on. */
  booking: Booking;
  /** The reason whose words become the `why` of the row, if the answer alone does not explain the state. */
  reason?: Reason | undefined;
  /** Does the outcome get the present time? Not if the answer stays as it is. */
  hasNewOutcome: boolean;
  facts: readonly Fact[];
  /** Shipments that the booking gets. If another order has one of these shipments by now, nothing of the step is written. */
  shipmentsTaken: readonly LegShipment[];
  /** Shipments that the booking had before this step, and not after it: another order may get them. */
  shipmentsFreed: readonly LegShipment[];
  /** Labels that the booking made. It gets them even from another booking: they were not printed yet. */
  labelsMade: readonly LegShipment[];
  /** Labels that the booking may have made. It gets only labels that no other booking has. */
  labelsClaimed: readonly LegShipment[];
  /** Legs whose labels the booking does not have any more. */
  labelsFreed: readonly Leg[];
  /** Is the booking removed from its lists, because they have a shipment that it no longer has? */
  leavesLists: boolean;
  /** True if this booking does not exist: its key goes to the disputed booking that names this booking as its `keyHolder`. */
  returnsKey: boolean;
  /** The booking that has taken over the key, and that is told of the dispute. */
  disputes?: string;
  /** What the caller is told, beside the booking, if the booking did not become what its answer says. */
  amended?: Omit<Amended, 'booking'>;
}

/**
 * Why an event changes nothing. `recorded before`: the journal has the answer, and only its confirmation was lost on the way. `ended
 * twice`: another outcome came, but the booking has one already that no person settled: the first outcome stays.
 */
export type Problem = SettlingObstacle | { kind: 'recorded before' | 'ended twice'; booking: Booking };

/** The states of a booking in the table: the states that its row may have, and `disputed`. */
type StateInTable = State | 'disputed';

const stateInTable = (booking: Booking): StateInTable => (isDisputed(booking) ? 'disputed' : booking.state);

/** A row of the table. For the documents, `by` says who causes the change, and `key` what becomes of the key and the labels. */
interface Rule<When extends Happening['kind']> {
  when: When;
  from: readonly StateInTable[];
  to: readonly StateInTable[];
  by: string;
  key: string;
  step(booking: Booking, happening: HappeningOf<When>, situation: Situation): Step | Problem;
}

type HappeningOf<When> = When extends Settlement['kind'] ? NewSettlement : Extract<Happening, { kind: When }>;

const rule = <When extends Happening['kind']>(row: Rule<When>): Rule<When> => row;

/** The table: what may become of a booking. The claim comes before and makes the booking `pending`. What no row names changes nothing. */
export const MACHINE = [
  rule({
    when: 'answered',
    from: ['pending', 'unknown'],
    to: ['created', 'partial', 'rejected', 'not_sent', 'unknown'],
    by: 'its answer',
    key: 'as the new state',
    step: afterAnswer,
  }),
  rule({
    when: 'lost',
    from: ['pending'],
    to: ['unknown'],
    by: 'its process is gone',
    key: 'kept',
    step: afterLoss,
  }),
  rule({
    when: 'confirmed',
    from: ['unknown', 'disputed'],
    to: ['created', 'partial'],
    by: '`resolve --created`, `--same-as`, or the results of a batch',
    key: 'kept; a disputed one has none',
    step: afterConfirmation,
  }),
  rule({
    when: 'denied',
    from: ['unknown', 'disputed'],
    to: ['rejected'],
    by: '`resolve --not-created`',
    key: 'free, or that of the booking that disputes it',
    step: afterDenial,
  }),
  rule({
    when: 'answered',
    from: ['created', 'partial', 'rejected', 'not_sent', 'cancelled'],
    to: ['created', 'partial', 'rejected', 'not_sent', 'unknown', 'cancelled', 'disputed'],
    by: 'its answer, after a person spoke',
    key: 'as the new state; `disputed`: none',
    step: afterLateAnswer,
  }),
  rule({
    when: 'disputed',
    from: ['pending', 'unknown', 'created', 'partial', 'cancelled'],
    to: ['pending', 'unknown', 'created', 'partial', 'cancelled'],
    by: 'the late answer of a booking with its key: no attempt follows',
    key: 'kept',
    step: afterDispute,
  }),
  rule({
    when: 'key returned',
    from: ['disputed', 'created', 'partial', 'cancelled'],
    to: ['unknown', 'disputed', 'created', 'partial', 'cancelled'],
    by: 'the booking with its key does not exist',
    key: 'its own again',
    step: afterReturnOfKey,
  }),
  rule({
    when: 'reopened',
    from: ['created', 'partial', 'rejected'],
    to: ['unknown', 'disputed'],
    by: '`resolve --reopen`',
    key: 'its own again, if it is free',
    step: afterReopening,
  }),
  rule({
    when: 'cancelled',
    from: ['created', 'partial'],
    to: ['cancelled'],
    by: '`history cancelled`',
    key: 'kept',
    step: afterCancellation,
  }),
  rule({
    when: 'reopened',
    from: ['cancelled'],
    to: ['created', 'partial'],
    by: '`history cancelled --reopen`',
    key: 'kept',
    step: afterCancellationTakenBack,
  }),
  rule({
    when: 'accepted',
    from: ['created', 'partial'],
    to: ['created', 'partial'],
    by: '`history accept`',
    key: 'kept',
    step: afterAcceptance,
  }),
] as const;

/** What becomes of a booking: the step to write, or why nothing does. */
export function stepAfter(booking: Booking, happening: Happening, situation: Situation): Step | Problem {
  const state = stateInTable(booking);
  const row = MACHINE.find(({ when, from }) => when === happening.kind && includes(from, state));
  if (row === undefined)
    return { kind: happening.kind === 'answered' ? endedBefore(state) : 'state', booking };
  // The row was found by the kind of this happening, so that its step takes it.
  return (row as Rule<Happening['kind']>).step(booking, happening as never, situation);
}

/** A disputed booking has its late answer already: a second answer changes nothing, and a person decides. */
const endedBefore = (state: StateInTable) => (state === 'disputed' ? 'recorded before' : 'ended twice');

const includes = (states: readonly StateInTable[], state: StateInTable): boolean => states.includes(state);

export const isStep = (result: Step | Problem): result is Step => !('kind' in result);

// The steps, in the order of the table.

function afterAnswer(booking: Booking, happening: HappeningOf<'answered'>, situation: Situation): Step {
  const { taken, refused } = situation;
  const isTold = refused !== undefined || disputedBy(booking) !== undefined;
  const amended = taken ? { owner: taken.owner } : isTold ? {} : undefined;
  const { judged, reason } = judgedOutcome(booking, happening.outcome, situation);
  return {
    ...stepTo(booking, judged),
    reason,
    hasNewOutcome: true,
    shipmentsTaken: taken || refused ? [] : shipmentsIn(happening.outcome.ids),
    facts: namesAnother(situation),
    ...(amended && { amended }),
  };
}

function afterLoss(booking: Booking, happening: HappeningOf<'lost'>): Step {
  return {
    ...stepTo(booking, { state: 'unknown', code: 'outcome_unknown', why: happening.why }),
    hasNewOutcome: true,
  };
}

function afterConfirmation(
  booking: Booking,
  settlement: NewSettlement,
  situation: Situation,
): Step | Problem {
  const problem = obstacleToConfirming(booking, settlement, situation);
  if (problem) return problem;
  const { ids, labels, charged, isPart, evidence, sameAs } = settlement;
  const isOwn = sameAs === undefined && booking.operation !== 'label';
  const step = stepTo(booking, {
    ...(isPart ? { state: 'partial', code: 'partial' } : { state: 'created' }),
    ids,
    labels,
    charged,
    overPrice: settlement.overPrice ?? booking.overPrice,
  });
  return {
    ...step,
    hasNewOutcome: true,
    shipmentsTaken: isOwn ? shipmentsIn(ids) : [],
    labelsMade: step.labelsMade.filter(label => !hasShipment(situation.labelledByOthers ?? [], label)),
    facts: [
      {
        ...saidBy(settlement, situation),
        kind: 'confirmed',
        before: madeBy(booking),
        ...(evidence !== undefined && { evidence }),
        ...(sameAs !== undefined && { sameAs }),
      },
    ],
  };
}

function afterDenial(booking: Booking, settlement: NewSettlement, situation: Situation): Step | Problem {
  if (situation.labelled) return { kind: 'labelled', ...situation.labelled };
  // A script may deny a key twice. The second denial must not free the key if the booking's own answer has said since that it exists.
  if (!settlement.mayBeEarly && isAnsweredLate(booking)) return { kind: 'answered', booking };
  const problem = settlement.mayBeEarly ? undefined : tooEarly(booking, situation, []);
  if (problem) return problem;
  const { ids, labels, charged } = settlement;
  const overPrice = settlement.overPrice ?? booking.overPrice;
  return {
    ...stepTo(booking, { state: 'rejected', ids, labels, charged, overPrice, keyHolder: null }),
    hasNewOutcome: true,
    facts: [{ ...saidBy(settlement, situation), kind: 'denied', before: madeBy(booking) }],
  };
}

/** A late answer counts, unless the answer says that nothing was made, and a person has found what was made. The person's fact stays. */
function afterLateAnswer(
  booking: Booking,
  happening: HappeningOf<'answered'>,
  situation: Situation,
): Step | Problem {
  const decision = lastDecision(booking);
  const stateBefore = cancellationOf(booking)?.existedAs ?? booking.state;
  const isSame = JSON.stringify(booking.ids) === JSON.stringify(happening.outcome.ids);
  const { judged, reason } = judgedOutcome(booking, happening.outcome, situation);
  const isRecorded = isSame && stateBefore === judged.state && booking.answer === judged.answer;
  if (isRecorded) return { kind: 'recorded before', booking };
  if (decision === undefined) return { kind: 'ended twice', booking };
  const { taken, rival, now } = situation;
  // Two orders with one shipment are no conflict if the person has said that they are one shipment.
  const isOfOther =
    taken !== undefined && !(decision.kind === 'confirmed' && decision.sameAs === taken.owner.id);
  const counts = decision.kind === 'denied' || isMade(judged) || isOfOther;
  const answer = { kind: 'answered', at: now, counts } as const;
  const late = { decision, counts };
  const last = booking.facts.at(-1);
  if (!counts && last?.kind === 'answered' && !last.counts) return { kind: 'recorded before', booking };
  if (!counts)
    return {
      ...stateChanged(booking, booking.state),
      facts: [{ ...answer, state: happening.outcome.state }],
      amended: { late },
    };
  // The booking counted as one that does not exist: its key was freed, and another booking has the key now.
  const isTwice = !mayExist(booking) && mayExist(judged) && rival !== undefined;
  const isStillCancelled = booking.state === 'cancelled' && isMade(judged) && isSame;
  const step = stepTo(booking, {
    ...judged,
    overPrice: judged.overPrice ?? booking.overPrice,
    ...(isStillCancelled && { state: 'cancelled' }),
    ...(isTwice && {
      state: 'unknown',
      code: 'outcome_unknown',
      keyHolder: isInItsPlace(booking, rival) ? rival.id : null,
    }),
  });
  return {
    ...step,
    reason: isTwice ? bothExist(booking, judged, reason ?? judged.why, rival) : reason,
    hasNewOutcome: true,
    shipmentsTaken: taken ? [] : shipmentsIn(judged.ids),
    labelsClaimed: mayExist(judged) ? labelledBy(booking) : [],
    facts: [
      {
        ...answer,
        state: judged.state,
        ...(isStillCancelled && { existedAs: judged.state === 'partial' ? 'partial' : 'created' }),
      },
      ...namesAnother(situation),
    ],
    amended: { late },
    ...(isTwice && { disputes: rival.id }),
  };
}

function afterDispute(booking: Booking, happening: HappeningOf<'disputed'>, situation: Situation): Step {
  return {
    ...stateChanged(booking, booking.state),
    facts: [{ kind: 'disputed', at: situation.now, from: happening.from }],
  };
}

function afterReturnOfKey(
  booking: Booking,
  happening: HappeningOf<'key returned'>,
  situation: Situation,
): Step {
  const isHeir = happening.to === booking.id;
  if (!isHeir) {
    const step = stateChanged(booking, booking.state);
    return { ...step, booking: { ...step.booking, keyHolder: happening.to } };
  }
  return {
    ...stepTo(booking, { keyHolder: null }),
    labelsClaimed: labelledBy(booking),
    facts: [{ kind: 'key returned', at: situation.now, from: happening.from }],
  };
}

function afterReopening(booking: Booking, settlement: NewSettlement, situation: Situation): Step | Problem {
  const decision = decisionOf(booking);
  if (decision === undefined) return { kind: 'state', booking };
  // A pruned `label` booking does not say which labels it would have to get back. If the booking exists, it still has them.
  const isUnnamed = booking.operation === 'label' && labelledBy(booking).length === 0;
  if (isUnnamed && (booking.state === 'rejected' || booking.keyHolder !== null))
    return { kind: 'pruned', booking };
  // Only a confirmed booking is refused here: a booking that a person denied is safer as `unknown`.
  if (decision.kind === 'confirmed' && situation.labelled) return { kind: 'labelled', ...situation.labelled };
  if (booking.keyHolder === null && situation.rival)
    return { kind: 'booked again', booking: situation.rival };
  if (situation.declaredSame?.length) return { kind: 'declared', booking, others: situation.declaredSame };
  const { before } = decision;
  const step = stepTo(booking, {
    ...before,
    state: 'unknown',
    code: 'outcome_unknown',
    // A price stays above its bound until a person accepts it.
    overPrice: booking.overPrice || before.overPrice,
  });
  const isLabel = booking.operation === 'label';
  return {
    ...step,
    hasNewOutcome: true,
    shipmentsTaken: isLabel || situation.taken ? [] : shipmentsIn(before.ids),
    // A label that only a person ascribed to the booking, and not its answer, is freed. A `label` booking keeps the labels it claimed.
    ...(!isLabel && { labelsFreed: LEGS.filter(leg => before.labels[leg]?.made !== true) }),
    labelsClaimed: booking.keyHolder === null ? labelledBy(booking) : [],
    facts: [{ ...saidBy(settlement, situation), kind: 'reopened' }],
  };
}

function afterCancellation(
  booking: Booking,
  settlement: NewSettlement,
  situation: Situation,
): Step | Problem {
  // The provider of the service cancels only shipments, and with each shipment its labels.
  if (booking.keySpace !== 'shipment') return { kind: 'state', booking };
  const existedAs = booking.state === 'partial' ? 'partial' : 'created';
  const fact: Fact = { ...saidBy(settlement, situation), kind: 'cancelled', ids: booking.ids, existedAs };
  return { ...stateChanged(booking, 'cancelled'), facts: [fact] };
}

function afterCancellationTakenBack(booking: Booking, settlement: NewSettlement, situation: Situation): Step {
  const existedAs = cancellationOf(booking)?.existedAs ?? 'created';
  const fact: Fact = { ...saidBy(settlement, situation), kind: 'reopened', ids: booking.ids };
  return { ...stateChanged(booking, existedAs), facts: [fact] };
}

function afterAcceptance(booking: Booking, settlement: NewSettlement, situation: Situation): Step | Problem {
  if (!needsAcceptance(booking)) return { kind: 'state', booking };
  const fact: Fact = { ...saidBy(settlement, situation), kind: 'accepted', ids: booking.ids };
  return { ...stateChanged(booking, booking.state), facts: [fact] };
}

// Parts of the steps.

const NOTHING_ELSE = {
  hasNewOutcome: false,
  facts: [],
  shipmentsTaken: [],
  shipmentsFreed: [],
  labelsMade: [],
  labelsClaimed: [],
  labelsFreed: [],
  leavesLists: false,
  returnsKey: false,
} as const;

/** A step that changes the state alone: everything that the booking made and holds stays. */
const stateChanged = (booking: Booking, state: State): Step => ({
  ...NOTHING_ELSE,
  booking: { ...booking, state, version: booking.version + 1 },
});

/** The step to a row with these values, and everything that follows from the values. */
function stepTo(before: Booking, row: Partial<Booking>): Step {
  const booking = { ...before, ...row, version: before.version + 1 };
  const shipments = shipmentsIn(booking.ids);
  const isGone = (shipment: LegShipment) => !hasShipment(shipments, shipment);
  // A reopened booking is unknown and stays on its lists, so that the shipments that were confirmed before count, too.
  const confirmation = before.facts.findLast(fact => fact.kind === 'confirmed');
  const listed = [...shipmentsIn(before.ids), ...shipmentsIn(confirmation?.ids ?? {})];
  return {
    ...NOTHING_ELSE,
    booking,
    shipmentsFreed: shipmentsIn(before.ids).filter(isGone),
    ...labelsAfter(booking, before),
    leavesLists: isMade(booking) && listed.some(isGone),
    returnsKey: !mayExist(booking),
  };
}

/** A label that was made belongs to its booking; a label that was not made may be requested again. */
function labelsAfter(booking: Booking, before: Booking): Pick<Step, 'labelsFreed' | 'labelsMade'> {
  const { state, keyHolder, ids, operation } = booking;
  // Before the answer only a `label` booking has labels.
  const mayHaveLabels = operation === 'label' || before.version > 0;
  const freed = (legs: readonly Leg[]) => (mayHaveLabels ? legs : []);
  if (!mayExist(booking)) return { labelsFreed: freed(LEGS), labelsMade: [] };
  // When two `label` bookings dispute one label, the label stays where it is. Two shipments have two labels, about which nobody disputes.
  if (keyHolder !== null && operation === 'label') return { labelsFreed: [], labelsMade: [] };
  const isLabelled = (leg: Leg) => booking.labels[leg]?.made === true;
  const shipments = [...labelledBy(booking), ...shipmentsIn(ids)];
  const labelsMade = shipments.filter(({ leg }) => isLabelled(leg));
  // An unknown booking frees no label: a disputed pair, for example, has the labels that its answer names.
  if (state === 'unknown') return { labelsFreed: [], labelsMade };
  return { labelsFreed: freed(LEGS.filter(leg => !isLabelled(leg))), labelsMade };
}

/** Does the rival have the key or a label of the booking? If it only has the same input, it has neither, and the booking keeps its key. */
const isInItsPlace = (booking: Booking, rival: Booking): boolean =>
  booking.operation === 'label' ||
  booking.key === null ||
  (rival.key !== null && isSameKey(booking.key, rival.key));

const hasShipment = (shipments: readonly LegShipment[], wanted: LegShipment): boolean =>
  shipments.some(candidate => candidate.leg === wanted.leg && candidate.shipment === wanted.shipment);

const madeBy = ({ ids, labels, overPrice, charged }: Booking) => ({
  ids,
  overPrice,
  charged,
  labels: withoutLinks(labels),
});

/** The labels without their links, because a link leads to a label, and the label shows an address. */
export const withoutLinks = (labels: Booking['labels']): Booking['labels'] =>
  Object.fromEntries(Object.entries(labels).map(([leg, { link: _, ...label }]) => [leg, label]));

const saidBy = ({ by, reason, run, ids }: NewSettlement, situation: Situation) => ({
  at: situation.now,
  by,
  reason,
  run,
  ids,
});

function namesAnother(situation: Situation): Fact[] {
  const { taken, now } = situation;
  return taken ? [{ kind: 'shipment of another', at: now, owner: taken.owner.id, ...taken.shipment }] : [];
}

/** The outcome as the journal judges it: if the answer names what other orders have, the booking made nothing, or nobody knows. */
function judgedOutcome(
  booking: Booking,
  answered: Outcome,
  situation: Situation,
): { judged: Omit<Outcome, 'refusal'>; reason?: Reason | undefined } {
  const { refusal, ...outcome } = answered;
  const reason = ownersReason(refusal, situation);
  const judged = reason
    ? {
        ...outcome,
        ...NOTHING_MADE,
        ...(reason.reason === 'of-others' && refusal
          ? { state: 'rejected' as const, code: refusal.code }
          : { state: 'unknown' as const, code: 'outcome_unknown' as const }),
        why: '',
      }
    : outcome;
  // The customer's data was deleted from the booking: a late answer must not bring the data back.
  return booking.request === null
    ? { judged: { ...judged, answer: null, excerpt: null, why: '', labels: withoutLinks(judged.labels) } }
    : { judged, reason };
}

/** The reason, if the answer cannot be the outcome because other orders have what the answer names. */
function ownersReason(refusal: Outcome['refusal'], situation: Situation): Reason | undefined {
  const { taken, refused } = situation;
  if (refusal && refused) {
    const owners = refused.map(({ name, id, owner }) => ({
      thing: name === 'shipment' || name === 'subscription' ? name : `${name} shipment`,
      id,
      owner: keyAndId(owner),
    }));
    return { reason: 'of-others', why: refusal.why, owners };
  }
  return taken && !taken.owner.sandbox
    ? { reason: 'of-another', ...taken.shipment, owner: keyAndId(taken.owner) }
    : undefined;
}

const keyAndId = ({ key, id }: Booking): OrderName => ({ key, id });

const bothExist = (
  booking: Booking,
  judged: Omit<Outcome, 'refusal'>,
  why: string | Reason,
  rival: Booking,
): Reason => ({
  reason: 'booked-twice',
  at: booking.at,
  why,
  hasItsKey: booking.key !== null && isSameKey(booking.key, rival.key),
  rival: { id: rival.id, ids: rival.ids },
  ids: judged.ids,
  isMade: isMade(judged),
});

function obstacleToConfirming(
  booking: Booking,
  settlement: NewSettlement,
  situation: Situation,
): Problem | undefined {
  if (settlement.sameAs !== undefined) return obstacleToSame(booking, settlement, situation);
  const { taken } = situation;
  if (taken) return { kind: 'taken', shipment: taken.shipment.shipment, booking: taken.owner };
  const unlabelled = unlabelledBy(booking, settlement);
  return settlement.mayBeEarly || unlabelled.length === 0
    ? undefined
    : tooEarly(booking, situation, unlabelled);
}

/** Why the booking cannot have the shipment of the order `sameAs`, as a person says: that order lacks the shipment, or its costs. */
function obstacleToSame(
  booking: Booking,
  settlement: NewSettlement,
  situation: Situation,
): Problem | undefined {
  const { sameAs } = situation;
  if (sameAs === undefined) return { kind: 'state', booking: undefined };
  const hasEach = shipmentsIn(settlement.ids).every(shipment =>
    hasShipment(shipmentsIn(sameAs.ids), shipment),
  );
  const isOwner = isMade(sameAs) && isAt(booking, sameAs) && hasEach && !isSameShipment(sameAs);
  return isOwner ? undefined : { kind: 'no owner', booking: sameAs };
}

/** The booking was sent too recently. A sending time in the future counts as now: the clock was set back. */
function tooEarly(
  booking: Booking,
  situation: Situation,
  unlabelled: readonly string[],
): Problem | undefined {
  const { now, sentAt = booking.at } = situation;
  const until = Math.min(sentAt, now) + AT_WORK_MINUTES * 60_000;
  return now < until ? { kind: 'early', booking, unlabelled, sentAt, until } : undefined;
}
