import type { Operation } from '../../contract/operations.ts';
import { readPrice } from '../../contract/read.ts';
import type { Facts } from '../../journal/booking.ts';
import { addPrice } from '../../output/money.ts';
import type { ResultLine } from '../../output/schemas.ts';
import { FaultGroups } from './fault-groups.ts';
import { shortReason } from './result-line.ts';

/** What was booked. */
interface Booked {
  shipments: number;
  labels: number;
  /** By currency: decimal text. */
  cost: Record<string, string>;
  /** Shipments whose price is not known, so that it is not in the cost. */
  withoutPrice: number;
}

/** Memory does not grow with the number of records. */
const MAX_KEYS = 10;

const nothing = (): Booked => ({ shipments: 0, labels: 0, cost: {}, withoutPrice: 0 });

/** Counts what became of the records of a run. */
export class Tally {
  /** How many are in each state. */
  readonly states: Record<string, number> = {};
  /** What was booked in this run; what is estimated, is its cost. */
  readonly booked = nothing();
  /** What earlier runs booked. */
  readonly before = nothing();
  readonly faults = new FaultGroups();
  /** Records that have a result line. */
  ended = 0;
  /** Of them, those of which something was sent in this run. */
  sent = 0;
  /** Of them, those that an earlier run created. */
  already = 0;
  /** Of them, those that were booked from a mended file. */
  mended = 0;
  /** Of them, those whose exit code is not 0. */
  failed = 0;
  /** Of them, those that are recorded as rejected, and so are not sent again. */
  rejected = 0;
  /** Of them, those that were not started. */
  notStarted = 0;
  /** Of them, those that may exist, or whose label may. */
  unknown = 0;
  /** Of them, those that were booked above their bound, and that nobody has accepted. */
  overpriced = 0;
  /** The keys of the first of them. */
  readonly overpricedKeys: string[] = [];
  /** Of them, those that a limit was in the way of. */
  overBudget = 0;
  /** When there is room in the limit of the day again, if that stopped the run. */
  retryAt: string | undefined;
  /** Records that are to be sent, and had a warning when they were read. */
  warned = 0;
  /** Could the journal or a file not be written? */
  storage = false;
  readonly #operation: Pick<Operation, 'made' | 'books'>;

  constructor(operation: Pick<Operation, 'made' | 'books'>) {
    this.#operation = operation;
  }

  /** `isLabelled`: was its label requested in this run? `labels`: those that it has. */
  count(line: ResultLine, { isLabelled = false, labels = labelsOf(line) } = {}): void {
    const { state, exitCode, sent, mended, error } = line;
    this.states[state] = (this.states[state] ?? 0) + 1;
    this.ended += 1;
    if (sent) this.sent += 1;
    else if (state === 'created') this.already += 1;
    if (mended) this.mended += 1;
    if (exitCode !== 0) this.failed += 1;
    // Without a booking it was refused before it was sent, and is tried again by the same command.
    if (state === 'rejected' && error?.booking) this.rejected += 1;
    if (exitCode === null) this.notStarted += 1;
    // A record that was not started has no exit code; all of those have the same reason.
    if (exitCode && error) this.faults.add(line, { path: '', message: shortReason(line, error) }, error.code);
    if (error?.code === 'outcome_unknown') this.unknown += 1;
    if (error?.code === 'over_price') {
      this.overpriced += 1;
      if (line.key !== null && this.overpricedKeys.length < MAX_KEYS) this.overpricedKeys.push(line.key);
    }
    if (exitCode && error?.code === 'over_budget') {
      this.overBudget += 1;
      this.retryAt ??= error.retryAt ?? undefined;
    }
    if (error?.code === 'storage') this.storage = true;
    const { books, made } = this.#operation;
    if (books) (isLabelled ? this.booked : this.before).labels += labels;
    if (books && !MADE.includes(state) && state !== 'estimated') return;
    const side = sent || state === 'estimated' ? this.booked : this.before;
    const shipments = Object.keys(made.ids).length === 0 ? 0 : shipmentsOf(line);
    side.shipments += shipments;
    if (books && shipments === 0 && state !== 'estimated') return;
    const { price, currency } = line;
    const amount = readPrice(price, currency);
    if (amount === undefined) side.withoutPrice += shipments;
    else side.cost[currency ?? ''] = addPrice(side.cost[currency ?? ''], amount);
  }
}

const MADE: readonly string[] = ['created', 'partial'];

const shipmentsOf = ({ shipmentId, domesticShipmentId }: ResultLine): number =>
  [shipmentId, domesticShipmentId].filter(Boolean).length;

/** How many labels a record has: exact for what was made in this run, by the tracking numbers for what was made before. */
export const labelsMade = ({ labels }: Facts): number =>
  Object.values(labels).filter(({ made }) => made).length;

const labelsOf = ({ trackingNumber, domesticTrackingNumber }: ResultLine): number =>
  [trackingNumber, domesticTrackingNumber].filter(Boolean).length;
