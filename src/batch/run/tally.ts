import { OPERATIONS, type Operation } from '../../contract/operations.ts';
import { knownPrice } from '../../contract/read.ts';
import type { Issue } from '../../contract/shapes.ts';
import { type FailureCode, NOT_FINAL } from '../../exit-codes.ts';
import { addCost, type Costs } from '../../output/money.ts';
import type { ResultLine } from '../../output/schemas.ts';
import type { ShownFacts } from '../../output/told.ts';
import { codeWords } from '../../say/words.ts';
import { failuresInARow } from '../../service/response.ts';
import { EXAMPLES, shortened } from '../../text.ts';
import { DearestOrders } from './figures.ts';
import { shortReason } from './result-line.ts';

interface Booked {
  shipments: number;
  labels: number;
  cost: Costs;
  /** Shipments whose price is not known, so that it is not in the cost. */
  withoutPrice: number;
}

/** How many keys, and how many tracked records, are kept: memory does not grow with the number of records. */
const MAX_KEYS = 10;
const MAX_TRACKED = 200;

/** Where the shipment of a record is, for a person. */
export interface Tracked extends Pick<ResultLine, 'line'> {
  name: string;
  status: string;
  isFailed: boolean;
  /** Since when the shipment has this status, as the service wrote the time. */
  since: string | undefined;
}

const nothingBooked = (): Booked => ({ shipments: 0, labels: 0, cost: new Map(), withoutPrice: 0 });

interface CountOptions {
  labels?: number;
  /** How many of the labels were made in this run. */
  newLabels?: number;
  /** Is the record booked, and was the run stopped before its label was made? */
  isLeft?: boolean;
}

/** A line of results, with what is counted for it. */
export type CountedLine = { line: ResultLine } & CountOptions;

export class Tally {
  /** How many records are in each state. */
  readonly states: Record<string, number> = {};
  /** What was booked in this run; in an estimate, what booking would cost. */
  readonly booked = nothingBooked();
  /** What earlier runs booked. */
  readonly before = nothingBooked();
  readonly dearestPostage = new DearestOrders();
  readonly faults = new FaultGroups();
  /** Records that have a line of results. */
  ended = 0;
  /** Ended records of which something was sent in this run. */
  sent = 0;
  /** Ended records that an earlier run created. */
  already = 0;
  /** Ended records that were booked from a mended file. */
  mended = 0;
  /** Ended records whose exit code is not 0. */
  failed = 0;
  /** Ended records that are recorded as rejected, and so are not sent again. */
  rejected = 0;
  /** Ended records that were rejected for the credential or the rate limit, and so are sent again. */
  notFinal = 0;
  /** Ended records that may succeed later without any change. */
  passing = 0;
  /** Ended records that were not started. */
  notStarted = 0;
  /** Records that were not started, are booked and lack only their label. */
  unlabelled = 0;
  /** Ended records of which nobody knows whether they, or their labels, exist. */
  unknown = 0;
  /** Ended records that were booked at a price above their bound, which nobody has accepted. */
  overpriced = 0;
  readonly overpricedKeys: string[] = [];
  /** Ended records that were not booked because of a limit. */
  overBudget = 0;
  /** For each code of a failure, the time after which all records that failed with this code may succeed. */
  readonly retryAt: Partial<Record<FailureCode, string>> = {};
  /** Records that are to be sent, and had a warning when they were read. */
  warned = 0;
  /** Where the shipments of the first records are, in the order of the lines of the records. */
  tracked: Tracked[] = [];
  /** Could the journal or a file not be written? */
  storage = false;
  readonly #operation: Pick<Operation, 'command' | 'made' | 'books'>;

  constructor(operation: Pick<Operation, 'command' | 'made' | 'books'>) {
    this.#operation = operation;
  }

  count(line: ResultLine, counts: CountOptions = {}): void {
    const { state, exitCode, sent, mended } = line;
    this.states[state] = (this.states[state] ?? 0) + 1;
    this.ended += 1;
    if (sent) this.sent += 1;
    else if (state === 'created') this.already += 1;
    if (mended) this.mended += 1;
    this.#countFailure(line, counts.isLeft ?? false);
    if (this.#operation.command === OPERATIONS.getShipment.command && exitCode !== null) this.#track(line);
    this.#countBooked(line, counts);
  }

  #countFailure(line: ResultLine, isLeft: boolean): void {
    const { state, exitCode, error } = line;
    // A record that a rule keeps back is no failure: the user wants it so.
    const isHeld = state === 'held';
    if (exitCode !== 0 && !isHeld) this.failed += 1;
    if (state === 'rejected' && error && NOT_FINAL.has(error.code)) this.notFinal += 1;
    // A rejected record without a booking was refused before it was sent: the same command tries it again.
    else if (state === 'rejected' && error?.booking) this.rejected += 1;
    if (exitCode && error?.retry === 'later') this.passing += 1;
    if (exitCode === null || isLeft) this.notStarted += 1;
    if (isLeft) this.unlabelled += 1;
    // Records that were not started have the same reason, which is told once.
    else if (exitCode && error && !isHeld)
      this.faults.add(line, { path: '', message: shortReason(line, error) }, error.code);
    // This also counts a partial record whose label may exist, and a record whose unknown outcome could not be recorded.
    if (error?.code === 'outcome_unknown' || state === 'unknown') this.unknown += 1;
    if (error?.code === 'over_price') {
      this.overpriced += 1;
      // A record of a label may have no key: the booking of its shipment names it.
      const name = line.key ?? error.booking;
      if (name !== null && this.overpricedKeys.length < MAX_KEYS) this.overpricedKeys.push(name);
    }
    if (exitCode && error?.code === 'over_budget') this.overBudget += 1;
    if (exitCode && error?.retryAt) {
      const { [error.code]: latest = '' } = this.retryAt;
      if (latest < error.retryAt) this.retryAt[error.code] = error.retryAt;
    }
    if (error?.code === 'storage') this.storage = true;
  }

  #countBooked(line: ResultLine, counts: CountOptions): void {
    const { labels = 0, newLabels = 0 } = counts;
    const { state, sent } = line;
    const { books, made } = this.#operation;
    if (books) {
      this.booked.labels += newLabels;
      this.before.labels += labels - newLabels;
    }
    const isEstimate = state === 'estimated';
    if (books && !MADE.includes(state) && !isEstimate) return;
    const side = sent || isEstimate ? this.booked : this.before;
    const shipments = Object.keys(made.ids).length === 0 ? 0 : shipmentsOf(line);
    side.shipments += shipments;
    if (books && shipments === 0 && !isEstimate) return;
    const price = knownPrice(line);
    if (price === undefined) side.withoutPrice += isEstimate ? 1 : shipments;
    else addCost(side.cost, price);
    if (isEstimate && price !== undefined)
      this.dearestPostage.add({
        key: line.key,
        line: line.line,
        value: Number(price.amount),
        currency: price.currency,
      });
  }

  /** Keeps the status of the first records in the file: records end in any order. */
  #track(record: ResultLine): void {
    const { key, line, shipmentId, domesticShipmentId, milestone, status, statusAt, error } = record;
    const last = this.tracked.at(-1);
    if (this.tracked.length === MAX_TRACKED && last !== undefined && last.line < line) return;
    const tracked: Tracked = {
      line,
      name: key ?? shipmentId ?? domesticShipmentId ?? `line ${line}`,
      status: codeWords(error?.code ?? milestone ?? status ?? 'no status yet'),
      isFailed: error !== undefined,
      since: statusAt ?? undefined,
    };
    this.tracked = [...this.tracked, tracked]
      .sort((left, right) => left.line - right.line)
      .slice(0, MAX_TRACKED);
  }
}

const MADE: readonly string[] = ['created', 'partial'];

const shipmentsOf = (line: ResultLine): number =>
  [line.shipmentId, line.domesticShipmentId].filter(Boolean).length;

export const labelsMade = (facts: ShownFacts): number => facts.labelled.length;

// Faults of records: faults with the same words are one group, which is told once, with the lines of its records.

interface Group {
  /** The fault; its path is within the record, and empty for the record itself. */
  issue: Issue;
  /** The words to use if only one record has the fault: they may name that record. */
  alone: string | undefined;
  code: FailureCode | undefined;
  count: number;
  /** The first few records in the file that have the fault: records end in any order. */
  records: FaultyRecord[];
}

export interface FaultyRecord {
  line: number;
  key: string | null | undefined;
  /** The part of the fault that only this record has, such as a text of its own. */
  detail: string | undefined;
  /** The words to use for the fault, if only this record has it. */
  alone?: string | undefined;
}

/** How many groups are kept, and how many lines of each: memory does not grow with the number of faults. */
const MAX_GROUPS = 1000;
const MAX_LINES = 10;
const FEW = 3;
const MAX_NAMED = 5;

export class FaultGroups {
  count = 0;
  readonly #groups = new Map<string, Group>();

  add(record: Partial<FaultyRecord> & { line: number }, issue: Issue, code?: FailureCode): void {
    const { line, key, detail, alone } = record;
    this.count += 1;
    const place = { line, key, detail };
    const name = JSON.stringify([issue.path, issue.message]);
    const group = this.#groups.get(name);
    if (group) {
      group.count += 1;
      group.records = [...group.records, place]
        .sort((left, right) => left.line - right.line)
        .slice(0, MAX_LINES);
    } else if (this.#groups.size < MAX_GROUPS)
      this.#groups.set(name, { issue, alone, code, count: 1, records: [place] });
  }

  /**
   * At most `most` groups as issues, and how many faults they cover. Faults that all `records` share come first, then faults with the code
   * that stopped the run.
   */
  listed(records: number, most: number, stop?: FailureCode): { issues: Issue[]; covered: number } {
    const isShared = (group: Group) => group.count > 1 && group.count === records;
    const rank = (group: Group) => (isShared(group) ? 0 : stop !== undefined && group.code === stop ? 1 : 2);
    const byRank = (left: Group, right: Group) =>
      rank(left) - rank(right) || (left.records[0]?.line ?? 0) - (right.records[0]?.line ?? 0);
    const groups = [...this.#groups.values()].sort(byRank).slice(0, most);
    return {
      issues: groups.map(group => {
        const { issue, alone, count } = group;
        const records = recordWords(group, isShared(group));
        const message = count === 1 ? (alone ?? issue.message) : issue.message;
        return { ...issue, message, path: issue.path === '' ? records : `${records}: ${issue.path}` };
      }),
      covered: groups.reduce((sum, { count }) => sum + count, 0),
    };
  }
}

/** The records of a group: `line 4, ORDER-7`; `all 41 records`; `lines 2, 3, 5 and 7`; `lines 2, 3, …, 14 and 9 more`. */
function recordWords(group: Group, isShared: boolean): string {
  const { alone, count, records, code } = group;
  const [first] = records;
  const name = [first?.key, alone === undefined && first?.detail].filter(Boolean).join(', ');
  if (count === 1) return `line ${first?.line}${name && `, ${name}`}`;
  if (alone !== undefined && count > FEW) {
    const examples = records.slice(0, EXAMPLES).map(exampleWords).join(' and ');
    return `${isShared ? `all ${count} records` : `${count} records (${lineWords(count, records)})`}, such as ${examples}`;
  }
  // Keys are shown for warnings, and for unknown outcomes, about which the provider is asked.
  const isNamed = code === 'outcome_unknown' || (code === undefined && !isShared) || first?.detail;
  const keys = isNamed ? keysOf(group) : '';
  const which = isShared && count > FEW ? `all ${count} records` : lineWords(count, records);
  return `${which}${keys && ` (${keys})`}`;
}

/** A record as an example of a fault: `ORDER-7 "Ringweg"`. */
const exampleWords = (record: FaultyRecord): string =>
  `${record.key ? shortened(record.key) : `line ${record.line}`} ${record.detail}`;

function lineWords(count: number, records: readonly FaultyRecord[]): string {
  const lines = records.map(({ line }) => line);
  if (count > lines.length) return `lines ${lines.join(', ')} and ${count - lines.length} more`;
  const words = count > FEW ? lines.map(String) : lines.map(line => `line ${line}`);
  return `${count > FEW ? 'lines ' : ''}${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** The keys of the records, because a person and the provider know orders by them, and not by lines. Empty if there are none. */
function keysOf(group: Group): string {
  const { count, records } = group;
  const keys = records
    .flatMap(({ key, detail }) => (key ? [shortened(key), detail].filter(Boolean).join(', ') : []))
    .slice(0, MAX_NAMED);
  const unnamed = count - keys.length;
  const list = keys.join(records.some(({ detail }) => detail) ? '; ' : ', ');
  return keys.length === 0 || unnamed === 0 ? list : `${list} and ${unnamed} more`;
}

// When a run stops before its last record, and why.

/**
 * Why no further record is started: `interrupted` by a signal, `outcome_unknown` or `over_price` for too many records, else the
 * code of the last failure.
 */
export type Stop = FailureCode;

interface Limits {
  /** How many new unknowns stop the run. */
  maxUnknown: number;
  /** How many new bookings above their bound stop the run. */
  maxOverpriced?: number;
}

/** Gives a function that gets the code of each record's failure, and says why no further record may be started. */
export function stopRule(limits: Limits) {
  const { maxUnknown, maxOverpriced = Number.POSITIVE_INFINITY } = limits;
  let unknown = 0;
  let overpriced = 0;
  const isService = failuresInARow();
  return (code: FailureCode | undefined): Stop | undefined => {
    if (code === 'outcome_unknown') unknown += 1;
    if (code === 'over_price') overpriced += 1;
    const isFailing = isService(code);
    if (code === 'storage' || code === 'over_budget') return code;
    if (unknown >= maxUnknown) return 'outcome_unknown';
    if (overpriced >= maxOverpriced) return 'over_price';
    return isFailing ? code : undefined;
  };
}

export function stopReason(stop: Stop): string {
  if (stop === 'interrupted') return 'the run was stopped';
  if (stop === 'outcome_unknown') return 'too many records are unknown';
  if (stop === 'over_price') return 'as many as --max-overpriced allows were booked above --max-price';
  if (stop === 'over_budget') return 'the limit of the day has no room for a further one';
  if (stop === 'storage') return 'the journal or a file could not be read or written';
  return `the service failed for several records in a row (${stop})`;
}
